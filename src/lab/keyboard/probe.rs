//! `touchback keyboard probe`: what a device says of itself and how long it takes to say it.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::haptics::message::{Hello, VERSION, ability};
use crate::haptics::priority::Priority;
use crate::haptics::serial::Port;
use crate::haptics::servo;
use crate::haptics::session::{Standing, Why};
use crate::haptics::sidecar::{Histogram, Report, Sidecar};
use crate::lab::output;

/// Whom to ask.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// Serial port, as `touchback keyboard list` names it
    #[arg(value_name = "PORT")]
    port: String,
    /// How long to measure, s
    #[arg(long, value_name = "S", default_value_t = 3.0, value_parser = seconds)]
    seconds: f64,
}

/// A time on the command line, s.
///
/// # Errors
/// No number, or one out of range.
pub fn seconds(text: &str) -> Result<f64, String> {
    let good = text.parse::<f64>().ok().filter(|s| (0.1..=86_400.0).contains(s));
    good.ok_or_else(|| "a time between 0.1 and 86400 s".into())
}

/// Waits until a keyboard is there; the reason where none comes within `patience`.
///
/// # Errors
/// Nobody answers, or what answers cannot be used: in words, with what to do.
pub fn wait(port: &str, sidecar: &mut Sidecar, patience: Duration) -> Result<Hello> {
    let begun = Instant::now();
    loop {
        let report = *sidecar.report();
        let status = &report.status;
        match (status.standing, status.hello) {
            (Standing::Refused, _) => bail!("{port}: {}", refusal(status.why)),
            (Standing::Present | Standing::Live | Standing::Arming, Some(hello))
                if status.states > 0 =>
            {
                return Ok(hello);
            }
            _ => {}
        }
        if begun.elapsed() > patience {
            bail!("{port}: {}", silence(&report));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Why a keyboard was refused, in words.
fn refusal(why: Why) -> String {
    match why {
        Why::Version(theirs) if theirs < VERSION => format!(
            "speaks version {theirs} of the protocol, Touchback speaks {VERSION}; update the \
             keyboard's firmware"
        ),
        Why::Version(theirs) => format!(
            "speaks version {theirs} of the protocol, Touchback speaks {VERSION}; update Touchback"
        ),
        _ => "says that it has no keys or takes neither waves nor forces; it cannot be felt".into(),
    }
}

fn silence(report: &Report) -> String {
    if report.status.damaged > 0 {
        format!(
            "sends, but nothing readable ({} damaged frames): another kind of device, or another \
             baud rate than 921600",
            report.status.damaged
        )
    } else if report.status.hello.is_some() {
        "says hello but sends no states; its firmware does not follow docs/protocol.md".into()
    } else {
        "nobody answers; is this the keyboard's port, and is it switched on?".into()
    }
}

/// Asks and prints.
///
/// # Errors
/// A port that cannot be opened, or a device that is no keyboard of ours.
pub fn run(options: &Options) -> Result<()> {
    let port = &options.port;
    // The port is tried first: its trouble is the clearest.
    drop(Port::open(port, "touchback keyboard probe", Duration::from_millis(1))?);
    let owner = "touchback keyboard probe";
    let mut sidecar = Sidecar::start(port, owner, servo::Options::default())?;
    let hello = wait(port, &mut sidecar, Duration::from_secs(3))?;
    std::thread::sleep(Duration::from_secs_f64(options.seconds));
    let report = *sidecar.report();
    let mut text = String::new();
    describe(&mut text, &hello)?;
    let status = &report.status;
    writeln!(text, "mode            {} (faults {:#06x})", status.mode.word(), status.faults)?;
    writeln!(
        text,
        "cannot deduct   {:.1} g, {:.0} mN of weight, {:.0} mN of friction at most",
        status.left.mass * 1e3,
        status.left.weight * 1e3,
        status.left.friction * 1e3
    )?;
    writeln!(
        text,
        "states          {} taken, {} lost, {} damaged frames",
        status.states, status.lost, status.damaged
    )?;
    writeln!(
        text,
        "clock           {:+.1} ppm against this machine's, residual {:.0} µs",
        status.drift * 1e6,
        status.residual * 1e6
    )?;
    text += &match report.priority {
        Priority::RealTime => "priority        real time\n".to_owned(),
        _ => {
            "priority        usual; the system did not grant real time (on Linux: an rtprio limit \
              in /etc/security/limits.d)\n"
                .to_owned()
        }
    };
    histogram(&mut text, "round trip", &report.round_trips)?;
    histogram(&mut text, "state to state", &report.periods)?;
    histogram(&mut text, "work on a state", &report.work)?;
    if let Some(advice) = advice(&report) {
        writeln!(text, "\n{advice}")?;
    }
    output::print(&text)
}

fn describe(text: &mut String, hello: &Hello) -> Result<()> {
    let name: Vec<u8> = hello.name.iter().copied().take_while(|b| *b != 0).collect();
    let name: String = String::from_utf8_lossy(&name).chars().filter(|c| !c.is_control()).collect();
    let can = [
        (ability::WAVE, "wave junction"),
        (ability::TORQUE, "plain forces"),
        (ability::FORCE_SENSOR, "force sensor"),
        (ability::KEYBED, "rendered key bed"),
        (ability::PHYSICAL_BED, "key bed of its own"),
    ];
    let can: Vec<&str> =
        can.iter().filter(|(bit, _)| hello.abilities & bit != 0).map(|(_, word)| *word).collect();
    writeln!(text, "keyboard        {name}, protocol {}", hello.version)?;
    writeln!(text, "keys            {} from piano key {}", hello.keys, hello.first_key)?;
    writeln!(text, "abilities       {}", can.join(", "))?;
    writeln!(
        text,
        "local rate      {} Hz, a state every {} µs, {} µm a count",
        hello.rate_hz,
        hello.report_us,
        f64::from(hello.step_nm) * 1e-3
    )?;
    writeln!(
        text,
        "force           {} N at most, {} N for ever",
        f64::from(hello.force_max) * 1e-2,
        f64::from(hello.force_held) * 1e-2
    )?;
    Ok(())
}

/// A histogram as lines of bars.
///
/// # Errors
/// Never: text has room.
pub fn histogram(text: &mut String, what: &str, histogram: &Histogram) -> Result<()> {
    let count = histogram.count();
    if count == 0 {
        return Ok(());
    }
    let mean = histogram.sum / count as f64;
    writeln!(
        text,
        "\n{what}: {count} times, mean {:.3} ms, longest {:.3} ms",
        mean * 1e3,
        histogram.longest * 1e3
    )?;
    let mut bound = 0.125;
    for (i, n) in histogram.counts.iter().enumerate() {
        let share = *n as f64 / count as f64;
        let bar = "#".repeat(crate::math::cast::floor_index((share * 50.0).ceil()));
        let label = if i < 10 {
            format!("< {bound:>6.3} ms")
        } else {
            format!("≥ {:>6.3} ms", bound / 2.0)
        };
        if *n > 0 {
            writeln!(text, "  {label}  {n:>8}  {bar}")?;
        }
        bound *= 2.0;
    }
    Ok(())
}

/// What a builder should do about what was measured.
fn advice(report: &Report) -> Option<&'static str> {
    let trips = &report.round_trips;
    if trips.count() == 0 {
        return Some("no round trip was answered: the firmware does not answer pings");
    }
    let mean = trips.sum / trips.count() as f64;
    if mean > 8e-3 {
        return Some(
            "The adapter is slow: a round trip near 16 ms is the latency timer of a USB serial \
             chip.\nSet it to 1 ms: on Linux `setserial PORT low_latency`, or write 1 to\n\
             /sys/bus/usb-serial/devices/NAME/latency_timer; on Windows in the port's advanced \
             settings.",
        );
    }
    (mean > 1e-3).then_some(
        "A round trip takes more than a millisecond: force is still right but softer; give \
         `touchback feel` a longer --lead-us.",
    )
}
