//! `touchback keyboard probe`: a keyboard's description and its round-trip times.

use std::fmt::Write as _;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde_json::{Value, json};

use touchback_core::exchange::flags::Flag;
use touchback_device::message::Hello;
use touchback_haptics::connection::{EMULATED_KEYS, EMULATOR};
use touchback_haptics::keyboard::emulator::{Emulator, KeyboardDesign};
use touchback_haptics::keyboard::fault_message::fault_message;
use touchback_haptics::keyboard::live::Emulated;
use touchback_haptics::keyboard::script::Script;
use touchback_haptics::keyboard::{hello_message, status_text};
use touchback_haptics::line::serial::SerialLink;
use touchback_haptics::servo;
use touchback_haptics::session::ConnectionState;
use touchback_haptics::sidecar::{Histogram, Sidecar, SidecarOrder, SidecarReport};
use touchback_offline::output;
use touchback_offline::paths::PortName;

/// Options of `touchback keyboard probe`.
#[derive(clap::Args, Debug)]
pub struct ProbeOptions {
    /// Serial port from `touchback keyboard list`, or `emulator`
    #[arg(value_name = "PORT")]
    port: PortName,
    /// Duration of the measurement, s
    #[arg(long, value_name = "S", default_value_t = 3.0, value_parser = seconds)]
    seconds: f64,
    /// Arms the motors during the measurement
    #[arg(long)]
    live: bool,
    /// Keeps this many cores busy during the measurement, to show their effect on the times
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(..=64))]
    load: u8,
    /// Prints JSON: times in s, masses in kg, forces in N
    #[arg(long)]
    json: bool,
}

/// The port `name`; for `emulator`, that of an emulated keyboard with simulated fingers, which lives as
/// long as the returned value.
///
/// # Errors
/// No address is available.
pub fn port_of(name: &str) -> Result<(String, Option<Emulated>)> {
    port_played(name, Script::round(EMULATED_KEYS))
}

/// [`port_of`] with simulated fingers that play `script`.
///
/// # Errors
/// No address is available.
pub fn port_played(name: &str, script: Script) -> Result<(String, Option<Emulated>)> {
    if name != EMULATOR {
        return Ok((name.into(), None));
    }
    let design = KeyboardDesign { keys: EMULATED_KEYS, ..Emulator::on_a_desk() };
    let emulated = Emulated::start(&design, script)?;
    Ok((emulated.path().into(), Some(emulated)))
}

/// Threads that keep cores busy until this value is dropped.
struct ProbeLoad {
    ends: Arc<Flag>,
    threads: Vec<JoinHandle<()>>,
}

impl ProbeLoad {
    fn new(count: u8) -> Self {
        let ends = Arc::new(Flag::new(false));
        let busy = |_| {
            let ends = ends.clone();
            std::thread::spawn(move || {
                while !ends.is_up() {
                    std::hint::spin_loop();
                }
            })
        };
        let threads = (0..count).map(busy).collect();
        Self { ends, threads }
    }
}

impl Drop for ProbeLoad {
    fn drop(&mut self) {
        self.ends.set(true);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Parses a time, s.
///
/// # Errors
/// Not a number, or out of range.
pub fn seconds(text: &str) -> Result<f64, String> {
    let good = text.parse::<f64>().ok().filter(|s| (0.1..=86_400.0).contains(s));
    good.ok_or_else(|| "a time between 0.1 and 86400 s".into())
}

/// Waits until a keyboard has reported its description, at most `patience`.
///
/// # Errors
/// No answer in time, or a device that cannot be used; with the remedy.
pub fn wait(port: &str, sidecar: &mut Sidecar, patience: Duration) -> Result<Hello> {
    let begin = Instant::now();
    let mut was_open = false;
    loop {
        let report = *sidecar.report();
        let status = &report.status;
        was_open |= report.is_open;
        match (status.state, status.hello) {
            (ConnectionState::Refused, _) => {
                bail!("{port}: {}", status_text::refusal(status.halt_reason))
            }
            (
                ConnectionState::Present | ConnectionState::Live | ConnectionState::Arming,
                Some(hello),
            ) if status.states > 0 => {
                return Ok(hello);
            }
            _ => {}
        }
        if begin.elapsed() > patience {
            let is_gone = was_open && !report.is_open;
            let why = if is_gone { status_text::connection } else { status_text::silence };
            bail!("{port}: {}", why(&report));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Probes and prints.
///
/// # Errors
/// A port that cannot be opened, or a device that is not a Touchback keyboard.
pub fn run(options: &ProbeOptions) -> Result<()> {
    let (port, _emulated) = port_of(&options.port)?;
    let port = &port;
    // Opening the port first gives the clearest error.
    drop(SerialLink::open(port, "touchback keyboard probe", Duration::from_millis(1))?);
    let owner = "touchback keyboard probe";
    let mut sidecar = Sidecar::start(port, owner, servo::ServoOptions::default())?;
    let hello = wait(port, &mut sidecar, Duration::from_secs(3))?;
    let load = ProbeLoad::new(options.load);
    let mut halts = 0u32;
    let begin = Instant::now();
    while begin.elapsed().as_secs_f64() < options.seconds {
        let state = sidecar.report().status.state;
        if options.live && matches!(state, ConnectionState::Present | ConnectionState::Halted) {
            halts += u32::from(state == ConnectionState::Halted);
            sidecar.order(SidecarOrder::Arm(true));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let report = *sidecar.report();
    drop(load);
    if options.json {
        return output::print(&format!("{:#}\n", json(&hello, &report, halts)));
    }
    let mut text = String::new();
    describe(&mut text, &hello)?;
    let status = &report.status;
    let faults = if status.faults == 0 { "none".into() } else { fault_message(status.faults) };
    writeln!(text, "mode            {}; faults: {faults}", status.mode.name())?;
    writeln!(
        text,
        "cannot deduct   {:.1} g, {:.0} mN of weight, {:.0} mN of friction at most",
        status.uncompensated.mass * 1e3,
        status.uncompensated.weight * 1e3,
        status.uncompensated.friction * 1e3
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
    if options.live {
        let cores = options.load;
        let awake = report.key_slots as f64 / report.work.count().max(1) as f64;
        let each = report.work.sum / report.key_slots.max(1) as f64;
        writeln!(text, "force           halted {halts} times, armed again each time")?;
        writeln!(
            text,
            "felt            {awake:.2} keys at a time, {:.1} µs of work a key and state, {cores} \
             cores kept busy",
            each * 1e6
        )?;
    }
    writeln!(text, "priority        {}", status_text::priority(&report))?;
    histogram(&mut text, "round trip", &report.round_trips)?;
    histogram(&mut text, "state to state", &report.periods)?;
    histogram(&mut text, "work on a state", &report.work)?;
    if let Some(advice) = status_text::advice(&report) {
        writeln!(text, "\n{advice}")?;
    }
    output::print(&text)
}

/// Description and measurements as JSON.
fn json(hello: &Hello, report: &SidecarReport, halts: u32) -> Value {
    let status = &report.status;
    let times = |times: &Histogram| {
        let mean = times.sum / times.count().max(1) as f64;
        json!({ "count": times.count(), "mean_s": mean, "longest_s": times.longest })
    };
    json!({
        "keyboard": name(hello),
        "protocol": hello.version,
        "keys": hello.keys,
        "first_key": hello.first_key,
        "rate_hz": hello.rate_hz,
        "report_s": f64::from(hello.report_us) * 1e-6,
        "step_m": f64::from(hello.step_nm) * 1e-9,
        "force_max_n": f64::from(hello.force_max) * 1e-2,
        "force_held_n": f64::from(hello.force_held) * 1e-2,
        "mode": status.mode.name(),
        "faults": status.faults,
        "uncompensated": {
            "mass_kg": status.uncompensated.mass,
            "weight_n": status.uncompensated.weight,
            "friction_n": status.uncompensated.friction,
        },
        "states": status.states,
        "lost": status.lost,
        "damaged_frames": status.damaged,
        "clock_drift": status.drift,
        "clock_residual_s": status.residual,
        "halts": halts,
        "round_trip": times(&report.round_trips),
        "state_to_state": times(&report.periods),
        "work_on_a_state": times(&report.work),
        "advice": status_text::advice(report),
    })
}

/// Name of a keyboard, without control characters.
#[must_use]
pub fn name(hello: &Hello) -> String {
    let name: Vec<u8> = hello.name.iter().copied().take_while(|b| *b != 0).collect();
    String::from_utf8_lossy(&name).chars().filter(|c| !c.is_control()).collect()
}

fn describe(text: &mut String, hello: &Hello) -> Result<()> {
    let name = name(hello);
    writeln!(text, "keyboard        {name}, protocol {}", hello.version)?;
    writeln!(text, "keys            {} from piano key {}", hello.keys, hello.first_key)?;
    writeln!(text, "identity        {}", hello_message::identity(hello))?;
    writeln!(text, "abilities       {}", hello_message::abilities(hello.abilities))?;
    writeln!(
        text,
        "local rate      {} Hz, a state every {} µs, {} µm a count",
        hello.rate_hz,
        hello.report_us,
        f64::from(hello.step_nm) * 1e-3
    )?;
    writeln!(
        text,
        "force           {} N at most, {} N continuously",
        f64::from(hello.force_max) * 1e-2,
        f64::from(hello.force_held) * 1e-2
    )?;
    Ok(())
}

/// Appends a histogram as lines of bars.
///
/// # Errors
/// None: writing to a `String` cannot fail.
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
        let bar = "#".repeat(touchback_core::math::cast::floor_index((share * 50.0).ceil()));
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
