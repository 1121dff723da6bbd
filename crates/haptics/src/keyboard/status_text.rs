//! Texts for the state of a sidecar, the same on the command line and in the window.

use crate::keyboard::fault_message::fault_message;
use crate::line::priority::Priority;
use crate::servo::{ServoStatus, WaitReason, WaitingKey, has_no_motors};
use crate::session::{ConnectionState, HaltReason};
use crate::sidecar::SidecarReport;
use touchback_device::device::safety::DeviceMode;
use touchback_device::message::{OLDEST_VERSION, VERSION};

/// Round trip, s, above which the latency timer of a USB serial chip is the likely cause.
const LATENCY_TIMER_TRIP: f64 = 8e-3;
/// Round trip, s, above which force is noticeably softer.
const LONG_TRIP: f64 = 1e-3;

/// Time after which a key that waits for force is named, s.
const WAIT_TOLD: f64 = 1.0;
/// Largest sensor step without less impedance, µm.
const COARSE: f64 = 4.0;
/// What the round trip of a slow adapter shows, and the remedy.
const LATENCY_TIMER: &str = "the latency timer of a USB serial chip holds bytes back for up to 16 ms: set it to 1 ms \
                             (on Linux `setserial PORT low_latency`, on Windows in the port's advanced settings)";

/// State of the connection, its reason and the remedy, on one line.
#[must_use]
pub fn connection(report: &SidecarReport) -> String {
    let status = &report.status;
    match status.state {
        _ if status.chunk_ms > 0 && !plays_by_positions(status) => {
            refusal(HaltReason::Chunked(status.chunk_ms))
        }
        ConnectionState::Refused => refusal(status.halt_reason),
        ConnectionState::Seeking if !report.is_open => {
            "the port went away; plug the keyboard in".into()
        }
        ConnectionState::Seeking => silence(report),
        ConnectionState::Present if plays_by_positions(status) => {
            format!("present; it plays by its positions and has no motors to arm{}", late(status))
        }
        ConnectionState::Live => format!("{}{}", status.state.name(), live(status)),
        state => format!("{}{}", state.name(), reason(status.halt_reason)),
    }
}

/// The keyboard has sensors and no motors.
fn plays_by_positions(status: &ServoStatus) -> bool {
    status.hello.as_ref().is_some_and(has_no_motors)
}

/// The delay of positions that come in chunks, as a continuation; empty where they come one by one.
fn late(status: &ServoStatus) -> String {
    match status.chunk_ms {
        0 => String::new(),
        ms => format!(
            "; its positions come up to {ms} ms late, in chunks, and sound as late: reduce the adapter's latency or \
             transfer size"
        ),
    }
}

/// What a live session still lacks, as a continuation of the state's name; empty where nothing does.
fn live(status: &ServoStatus) -> String {
    if let Some(WaitingKey { key, reason, .. }) = status.waiting.filter(|w| w.time > WAIT_TOLD) {
        let why = match reason {
            WaitReason::NotAtRest(depth) => format!(
                "it stands at {:.2} mm, not within 0.3 mm of rest: it is held, or the zero of its sensor is off",
                f64::from(depth) * 0.01
            ),
            WaitReason::Noisy => "its position is never still: sensor noise".into(),
            WaitReason::Moving => "it moves".into(),
            WaitReason::Proving => "its motor is being tested".into(),
        };
        return format!("; key {key} waits for force: {why}");
    }
    match status.remark {
        Some((key, _)) => format!(
            "; key {key} stands still to one count under force: held on its bed, or its sensor stands still; its \
             force is limited"
        ),
        None => coarse(status),
    }
}

/// What a coarse sensor costs; empty for a fine one.
fn coarse(status: &ServoStatus) -> String {
    let step = status.hello.map_or(0.0, |hello| f64::from(hello.step_nm) * 1e-3);
    if step <= COARSE {
        return String::new();
    }
    format!(
        "; the sensors are coarse ({step} µm a count; at most {COARSE} µm are needed): force is softer by a factor \
         of {:.1}",
        (step / COARSE) * (step / COARSE)
    )
}

/// Why a keyboard is refused, and the remedy.
#[must_use]
pub fn refusal(reason: HaltReason) -> String {
    match reason {
        HaltReason::Version(theirs) => {
            let what = if theirs < VERSION { "the keyboard's firmware" } else { "Touchback" };
            format!(
                "speaks version {theirs} of the protocol, Touchback speaks {OLDEST_VERSION} to {VERSION}; update {what}"
            )
        }
        HaltReason::KeyCount(keys) => {
            format!(
                "reports that it has {keys} keys; 1 to 88 are allowed: correct the hello of its firmware"
            )
        }
        HaltReason::FirstKey(first, keys) => format!(
            "reports {keys} keys that begin with key {first}; a piano's keys are 1 to 88: correct the \
             hello of its firmware"
        ),
        HaltReason::SensorStep => {
            "reports sensors with a step of 0 nm; correct the hello of its firmware".into()
        }
        HaltReason::Chunked(ms) => format!(
            "its states come in chunks, up to {ms} ms of them at once: an adapter, driver or network collects bytes \
             (4096 bytes take 0.1 s); no force is possible. Reduce the transfer size or connect the keyboard \
             directly"
        ),
        _ => "accepts neither waves nor forces, so that it cannot be felt".into(),
    }
}

/// Why no keyboard is present, and the remedy.
#[must_use]
pub fn silence(report: &SidecarReport) -> String {
    let status = &report.status;
    if status.states > 0 {
        "the keyboard has fallen silent; asking it again every 0.1 s".into()
    } else if status.hello.is_some() && status.factless > 0 {
        "sends states but not the facts of its keys, which docs/protocol.md requires".into()
    } else if status.hello.is_some() && status.damaged > 0 {
        format!(
            "sends a hello, but {} of the frames after it cannot be read: a message of another length \
             than docs/protocol.md has",
            status.damaged
        )
    } else if status.hello.is_some() {
        "sends a hello but no states; its firmware does not follow docs/protocol.md".into()
    } else if status.damaged > 0 {
        format!(
            "sends nothing readable ({} damaged frames): another kind of device, or another \
             baud rate than 921600",
            status.damaged
        )
    } else if status.bytes > 0 {
        format!(
            "sends text or other bytes ({}), not the protocol: another kind of device or firmware",
            status.bytes
        )
    } else {
        "nothing answers; is this the keyboard's port, and is it switched on?".into()
    }
}

/// Why force was halted, as a continuation of the state's name; empty without a reason.
#[must_use]
pub fn reason(reason: HaltReason) -> String {
    match reason {
        HaltReason::Nothing => String::new(),
        HaltReason::Device(mode, faults) => {
            format!(": the keyboard is {}: {}; arm again", in_mode(mode), fault_message(faults))
        }
        HaltReason::NotReady => ": the keyboard did not become ready; arm again".into(),
        HaltReason::Late => ": this computer paused for more than 20 ms; arm again".into(),
        HaltReason::Busy => {
            ": this computer is busy: the thread of the haptic loop woke late; end other programs or grant it real \
             time, and arm again"
                .into()
        }
        HaltReason::CoarseSensor(step) => {
            format!(
                ": a count of the sensors is {step} µm; force needs 20 µm at most, a good touch 4 µm"
            )
        }
        HaltReason::SlowWire(tenths) => format!(
            ": a round trip on the wire takes {:.1} ms, force needs 6 ms at most: {LATENCY_TIMER}",
            f64::from(tenths) * 0.1
        ),
        HaltReason::Implausible(symptom, 0) => format!(": {}", symptom.message()),
        HaltReason::Implausible(symptom, key) => format!(": key {key}: {}", symptom.message()),
        HaltReason::Version(_)
        | HaltReason::Unable
        | HaltReason::KeyCount(_)
        | HaltReason::FirstKey(..)
        | HaltReason::Chunked(_)
        | HaltReason::SensorStep => ": an unusable keyboard".into(),
    }
}

/// A keyboard in `mode`, as a predicate.
#[must_use]
pub(crate) const fn in_mode(mode: DeviceMode) -> &'static str {
    match mode {
        DeviceMode::Fault => "in fault",
        DeviceMode::Fading => "ending its force",
        mode => mode.name(),
    }
}

/// Advice from the measured round trips; `None` where they are short enough.
#[must_use]
pub fn advice(report: &SidecarReport) -> Option<&'static str> {
    let trips = &report.round_trips;
    if report.status.states < 200 {
        return None;
    }
    if trips.count() == 0 {
        return Some("no round trip was measured: the firmware does not answer pings");
    }
    let mean = trips.sum / trips.count() as f64;
    if mean > LATENCY_TIMER_TRIP {
        return Some(
            "The adapter is slow: a round trip near 16 ms is the latency timer of a USB serial \
             chip.\nSet it to 1 ms: on Linux `setserial PORT low_latency`, or write 1 to\n\
             /sys/bus/usb-serial/devices/NAME/latency_timer; on Windows in the port's advanced \
             settings.",
        );
    }
    (mean > LONG_TRIP).then_some(
        "A round trip takes more than 1 ms: forces are right but softer; choose a longer lead \
         (`touchback feel --lead-us`).",
    )
}

/// Priority of the sidecar thread.
#[must_use]
pub const fn priority(report: &SidecarReport) -> &'static str {
    match report.priority {
        Priority::RealTime => "real time",
        _ => {
            "ordinary; the system did not grant real time (on Linux: an rtprio limit in \
             /etc/security/limits.d)"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyboard::emulator::KeyboardDesign;
    use crate::keyboard::symptom::Symptom;
    use crate::servo::ServoStatus;
    use touchback_device::device::safety::DeviceMode;

    fn report(status: ServoStatus) -> SidecarReport {
        SidecarReport { status, is_open: true, ..SidecarReport::default() }
    }

    #[test]
    fn every_halt_reason_has_its_own_text() {
        let refused = |halt_reason| {
            report(ServoStatus {
                state: ConnectionState::Refused,
                halt_reason,
                ..ServoStatus::default()
            })
        };
        let halted = |halt_reason| {
            report(ServoStatus {
                state: ConnectionState::Halted,
                halt_reason,
                ..ServoStatus::default()
            })
        };
        let live = |reason, time| {
            let waiting = Some(WaitingKey { key: 40, time, reason });
            report(ServoStatus { state: ConnectionState::Live, waiting, ..ServoStatus::default() })
        };
        assert_eq!(connection(&live(WaitReason::Proving, 0.5)), "live");
        let hello = crate::keyboard::emulator::build(&KeyboardDesign::default()).hello;
        let sensors = KeyboardDesign { has_motors: false, ..KeyboardDesign::default() };
        let sensors = crate::keyboard::emulator::build(&sensors).hello;
        let known = |status| report(ServoStatus { hello: Some(hello), ..status });
        let texts = [
            (refused(HaltReason::Version(OLDEST_VERSION - 1)), "update the keyboard's firmware"),
            (refused(HaltReason::Version(VERSION + 1)), "update Touchback"),
            (refused(HaltReason::Unable), "cannot be felt"),
            (refused(HaltReason::KeyCount(200)), "has 200 keys"),
            (refused(HaltReason::FirstKey(100, 1)), "begin with key 100"),
            (refused(HaltReason::SensorStep), "0 nm"),
            (report(ServoStatus::default()), "nothing answers"),
            (report(ServoStatus { damaged: 3, ..ServoStatus::default() }), "baud rate"),
            (report(ServoStatus { bytes: 90, ..ServoStatus::default() }), "not the protocol"),
            (
                report(ServoStatus { chunk_ms: 145, ..ServoStatus::default() }),
                "145 ms of them at once",
            ),
            (
                report(ServoStatus {
                    state: ConnectionState::Present,
                    hello: Some(sensors),
                    chunk_ms: 145,
                    ..ServoStatus::default()
                }),
                "positions come up to 145 ms late",
            ),
            (halted(HaltReason::SlowWire(159)), "takes 15.9 ms"),
            (halted(HaltReason::CoarseSensor(200)), "is 200 µm"),
            (live(WaitReason::NotAtRest(50), 1.5), "key 40 waits for force: it stands at 0.50 mm"),
            (live(WaitReason::Noisy, 1.5), "never still"),
            (known(ServoStatus { states: 9, damaged: 3, ..ServoStatus::default() }), "silent"),
            (known(ServoStatus { factless: 3, ..ServoStatus::default() }), "facts"),
            (known(ServoStatus { damaged: 3, ..ServoStatus::default() }), "another length"),
            (known(ServoStatus::default()), "no states"),
            (SidecarReport::default(), "plug the keyboard in"),
            (
                halted(HaltReason::Device(DeviceMode::Damping, 1)),
                "the keyboard is damping: no command from this computer arrived in time; arm again",
            ),
            (halted(HaltReason::NotReady), "did not become ready"),
            (halted(HaltReason::Late), "20 ms"),
            (halted(HaltReason::Busy), "this computer is busy"),
        ];
        for (report, part) in texts {
            let text = connection(&report);
            assert!(text.contains(part) && !text.contains('\n'), "{text}");
        }
    }

    /// The table of docs/haptics.md has the message of every symptom.
    #[test]
    fn the_messages_of_symptoms_are_those_of_the_documentation() {
        let text = include_str!("../../../../docs/haptics.md");
        for symptom in Symptom::ALL {
            let row = format!("| {} |", symptom.message());
            assert!(text.contains(&row), "{row}");
            let text = connection(&report(ServoStatus {
                state: ConnectionState::Halted,
                halt_reason: HaltReason::Implausible(symptom, 40),
                ..ServoStatus::default()
            }));
            assert!(text.contains(symptom.message()) && text.contains("key 40"), "{text}");
        }
    }

    #[test]
    fn a_slow_adapter_and_a_long_round_trip_have_different_advice() {
        let mut report = report(ServoStatus { states: 1000, ..ServoStatus::default() });
        assert!(advice(&report).unwrap().contains("does not answer pings"));
        for (trip, part) in [(16e-3, Some("latency timer")), (2e-3, Some("lead")), (4e-4, None)] {
            report.round_trips = crate::sidecar::Histogram::default();
            report.round_trips.add(trip);
            assert_eq!(
                advice(&report).map(|a| part.is_some_and(|w| a.contains(w))),
                part.map(|_| true)
            );
        }
    }
}
