//! What a sidecar shows, in words for people: the same at the command line and in a window.

use super::fault_words::faults_in_words;
use super::priority::Priority;
use super::session::{ConnectionState, HaltReason};
use super::sidecar::SidecarReport;
use touchback_device::message::VERSION;

/// Round trip, s, from which the latency timer of a USB serial chip is the likely cause.
const SLOW: f64 = 8e-3;
/// Round trip from which force is noticeably softer, s.
const LONG: f64 = 1e-3;

/// The connection's state, its reason and what to do, on one line.
#[must_use]
pub fn standing(report: &SidecarReport) -> String {
    let status = &report.status;
    match status.state {
        ConnectionState::Refused => refusal(status.halt_reason),
        ConnectionState::Seeking if !report.is_open => {
            "the port is gone; plug the keyboard in".into()
        }
        ConnectionState::Seeking => silence(report),
        standing => format!("{}{}", standing.word(), reason(status.halt_reason)),
    }
}

/// Why a keyboard was refused.
#[must_use]
pub fn refusal(why: HaltReason) -> String {
    match why {
        HaltReason::Version(theirs) => {
            let what = if theirs < VERSION { "the keyboard's firmware" } else { "Touchback" };
            format!(
                "speaks version {theirs} of the protocol, Touchback speaks {VERSION}; update {what}"
            )
        }
        HaltReason::KeyCount(keys) => {
            format!("says that it has {keys} keys; a keyboard has 1 to 88: mend its hello")
        }
        HaltReason::FirstKey(first, keys) => format!(
            "says that its {keys} keys begin with key {first}; a piano's keys are 1 to 88: mend its \
             hello"
        ),
        HaltReason::SensorStep => {
            "says that its sensors have a step of 0 nm; mend its hello".into()
        }
        _ => "says that it takes neither waves nor forces; it cannot be felt".into(),
    }
}

/// Why there is no keyboard.
#[must_use]
pub fn silence(report: &SidecarReport) -> String {
    let status = &report.status;
    if status.states > 0 {
        "the keyboard has fallen silent; it is asked again and again".into()
    } else if status.hello.is_some() && status.factless > 0 {
        "sends states but not the facts of its keys, which docs/protocol.md asks for".into()
    } else if status.hello.is_some() && status.damaged > 0 {
        format!(
            "says hello, but of what follows {} frames cannot be read: a message of another length \
             than docs/protocol.md has",
            status.damaged
        )
    } else if status.hello.is_some() {
        "says hello but sends no states; its firmware does not follow docs/protocol.md".into()
    } else if status.damaged > 0 {
        format!(
            "sends, but nothing readable ({} damaged frames): another kind of device, or another \
             baud rate than 921600",
            status.damaged
        )
    } else {
        "nobody answers; is this the keyboard's port, and is it switched on?".into()
    }
}

/// Why force was halted, to follow a word; empty where nothing is wrong.
#[must_use]
pub fn reason(why: HaltReason) -> String {
    match why {
        HaltReason::Nothing => String::new(),
        HaltReason::Device(mode, faults) => {
            format!(": the keyboard is {}: {}; arm again", mode.word(), faults_in_words(faults))
        }
        HaltReason::NotReady => ": the keyboard did not become ready; arm again".into(),
        HaltReason::Late => ": this machine stopped for more than 20 ms; arm again".into(),
        HaltReason::Implausible(symptom, 0) => format!(": {}", symptom.message()),
        HaltReason::Implausible(symptom, key) => format!(": key {key}: {}", symptom.message()),
        HaltReason::Version(_)
        | HaltReason::Unable
        | HaltReason::KeyCount(_)
        | HaltReason::FirstKey(..)
        | HaltReason::SensorStep => ": not a keyboard that can be felt".into(),
    }
}

/// Advice from the measurements; `None` where all is well.
#[must_use]
pub fn advice(report: &SidecarReport) -> Option<&'static str> {
    let trips = &report.round_trips;
    if report.status.states < 200 {
        return None;
    }
    if trips.count() == 0 {
        return Some("no round trip was answered: the firmware does not answer pings");
    }
    let mean = trips.sum / trips.count() as f64;
    if mean > SLOW {
        return Some(
            "The adapter is slow: a round trip near 16 ms is the latency timer of a USB serial \
             chip.\nSet it to 1 ms: on Linux `setserial PORT low_latency`, or write 1 to\n\
             /sys/bus/usb-serial/devices/NAME/latency_timer; on Windows in the port's advanced \
             settings.",
        );
    }
    (mean > LONG).then_some(
        "A round trip takes more than a millisecond: force is still right but softer; choose a \
         longer lead (`touchback feel --lead-us`).",
    )
}

/// The sidecar thread's priority in words.
#[must_use]
pub const fn priority(report: &SidecarReport) -> &'static str {
    match report.priority {
        Priority::RealTime => "real time",
        _ => {
            "usual; the system did not grant real time (on Linux: an rtprio limit in \
             /etc/security/limits.d)"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulator::Making;
    use crate::servo::ServoStatus;
    use crate::symptom::Symptom;
    use touchback_device::device::safety::DeviceMode;

    fn report(status: ServoStatus) -> SidecarReport {
        SidecarReport { status, is_open: true, ..SidecarReport::default() }
    }

    /// Every trouble is named, each in other words and with what to do.
    #[test]
    fn every_trouble_has_its_own_words() {
        let refused = |why| {
            report(ServoStatus {
                state: ConnectionState::Refused,
                halt_reason: why,
                ..ServoStatus::default()
            })
        };
        let halted = |why| {
            report(ServoStatus {
                state: ConnectionState::Halted,
                halt_reason: why,
                ..ServoStatus::default()
            })
        };
        let hello = crate::emulator::build(&Making::default()).hello;
        let known = |status| report(ServoStatus { hello: Some(hello), ..status });
        let said = [
            (refused(HaltReason::Version(VERSION - 1)), "update the keyboard's firmware"),
            (refused(HaltReason::Version(VERSION + 1)), "update Touchback"),
            (refused(HaltReason::Unable), "cannot be felt"),
            (refused(HaltReason::KeyCount(200)), "has 200 keys"),
            (refused(HaltReason::FirstKey(100, 1)), "begin with key 100"),
            (refused(HaltReason::SensorStep), "0 nm"),
            (report(ServoStatus::default()), "nobody answers"),
            (report(ServoStatus { damaged: 3, ..ServoStatus::default() }), "baud rate"),
            (known(ServoStatus { states: 9, damaged: 3, ..ServoStatus::default() }), "silent"),
            (known(ServoStatus { factless: 3, ..ServoStatus::default() }), "facts"),
            (known(ServoStatus { damaged: 3, ..ServoStatus::default() }), "another length"),
            (known(ServoStatus::default()), "sends no states"),
            (SidecarReport::default(), "plug the keyboard in"),
            (
                halted(HaltReason::Device(DeviceMode::Damping, 1)),
                "the keyboard is damping: no command of this computer came in time; arm again",
            ),
            (halted(HaltReason::NotReady), "did not become ready"),
            (halted(HaltReason::Late), "20 ms"),
        ];
        for (report, words) in said {
            let text = standing(&report);
            assert!(text.contains(words) && !text.contains('\n'), "{text}");
        }
    }

    /// The table of docs/haptics.md says of every symptom what is said here.
    #[test]
    fn the_documented_symptoms_are_these() {
        let text = include_str!("../../../docs/haptics.md");
        for symptom in Symptom::ALL {
            let row = format!("| {} |", symptom.message());
            assert!(text.contains(&row), "{row}");
            let said = standing(&report(ServoStatus {
                state: ConnectionState::Halted,
                halt_reason: HaltReason::Implausible(symptom, 40),
                ..ServoStatus::default()
            }));
            assert!(said.contains(symptom.message()) && said.contains("key 40"), "{said}");
        }
    }

    #[test]
    fn a_slow_adapter_is_told_from_a_long_way() {
        let mut report = report(ServoStatus { states: 1000, ..ServoStatus::default() });
        assert!(advice(&report).unwrap().contains("does not answer pings"));
        for (trip, words) in [(16e-3, Some("latency timer")), (2e-3, Some("lead")), (4e-4, None)] {
            report.round_trips = crate::sidecar::Histogram::default();
            report.round_trips.add(trip);
            assert_eq!(
                advice(&report).map(|a| words.is_some_and(|w| a.contains(w))),
                words.map(|_| true)
            );
        }
    }
}
