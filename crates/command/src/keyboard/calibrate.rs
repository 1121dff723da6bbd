//! `touchback keyboard calibrate`: measures a keyboard with its own motors, key after key.

use std::fmt::Write as _;
use std::io::IsTerminal;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use serde_json::{Value, json};

use super::facts;
use super::probe::port_played;
use touchback_action::ActionSettings;
use touchback_action::interface::key::DynamicsCompensation;
use touchback_core::math::compass::KeyNumber;
use touchback_device::frame::MAX_FRAME;
use touchback_device::message::{Hello, Message, ability};
use touchback_haptics::action::Action;
use touchback_haptics::keyboard::calibration::{
    Calibration, CalibrationError, FORCE, KeyMeasurement, Line,
};
use touchback_haptics::keyboard::script::Script;
use touchback_haptics::keyboard::status_text;
use touchback_haptics::line::serial::SerialLink;
use touchback_haptics::servo::ServoOptions;
use touchback_offline::interrupt;
use touchback_offline::output::{self, Draft, Shown as _};
use touchback_offline::paths::{OutputFile, PortName};

/// Options of `touchback keyboard calibrate`.
#[derive(clap::Args, Debug)]
pub struct CalibrateOptions {
    /// Serial port from `touchback keyboard list`, or `emulator`
    #[arg(value_name = "PORT")]
    port: PortName,
    /// Key of the keyboard, from 1 (repeatable) [default: all keys]
    #[arg(long, value_name = "N")]
    key: Vec<u8>,
    /// Mass to lay on the front of each key when prompted, g: measures the motor constant
    #[arg(long, value_name = "G")]
    mass_g: Option<f64>,
    /// Depth at which the front of the first key meets its bed, by a ruler, mm: scales the sensor
    #[arg(long, value_name = "MM")]
    dip_mm: Option<f64>,
    /// Writes the measurements, for the firmware's build and `keyboard emulate --facts`
    #[arg(short, long, value_name = "FACTS.csv")]
    output: Option<OutputFile>,
    /// Prints the measurements as a JSON array
    #[arg(long)]
    json: bool,
}

/// A serial port that Ctrl-C interrupts.
pub(super) struct Wire {
    /// The port.
    pub port: SerialLink,
    /// Beginning of its time.
    pub begin: Instant,
}

impl Line for &mut Wire {
    fn turn(&mut self, bytes: &[u8], into: &mut Vec<u8>) -> Result<f64, String> {
        let gone = |e: std::io::Error| format!("the port is gone ({e})");
        self.port.write(bytes).map_err(gone)?;
        if interrupt::was_received() {
            return Err("ended; nothing was written".into());
        }
        let mut got = [0; 4096];
        let count = self.port.read(&mut got).map_err(gone)?;
        into.extend_from_slice(&got[..count]);
        Ok(self.begin.elapsed().as_secs_f64())
    }
}

/// One requirement on a key; docs/haptics.md gives the reasons.
struct Requirement {
    what: &'static str,
    found: String,
    needs: String,
    is_met: bool,
}

/// Measures, prints and writes.
///
/// # Errors
/// A bad value, a port that cannot be opened, a keyboard that cannot be measured, a file that cannot be
/// written.
pub fn run(options: &CalibrateOptions) -> Result<()> {
    if let Some(mass) = options.mass_g.filter(|m| !(10.0..=200.0).contains(m)) {
        bail!("--mass-g {mass}: between 10 and 200 g");
    }
    if let Some(dip) = options.dip_mm.filter(|d| !(5.0..=13.0).contains(d)) {
        bail!("--dip-mm {dip}: between 5 and 13 mm");
    }
    let draft = options.output.as_deref().map(Draft::create).transpose()?;
    interrupt::watch()?;
    let (port, _emulated) = port_played(&options.port, Script::default())?;
    let link = SerialLink::open(&port, "touchback keyboard calibrate", Duration::from_millis(1))?;
    let mut wire = Wire { port: link, begin: Instant::now() };
    let result = measure(options, &mut wire);
    if result.is_err() {
        end(&mut wire.port);
    }
    let Outcome { text, list, scale, keys } =
        result.map_err(|error| anyhow!("{}: {error:#}", options.port))?;
    let text = if options.json { format!("{:#}\n", Value::Array(list)) } else { text };
    if let Some(draft) = draft {
        if keys.is_empty() {
            output::print(&text)?;
            bail!("no key could be measured: {} is not written", draft.target().shown());
        }
        draft.write_all(facts::text(&keys, scale).as_bytes())?;
        draft.keep()?;
    }
    output::print(&text)
}

/// Stops the force, then the damping: with a motor connected the wrong way round, damping would push.
fn end(port: &mut SerialLink) {
    let mut send = |message: &Message| {
        let mut frame = [0; MAX_FRAME];
        let length = message.frame(&mut frame).unwrap_or(0);
        // The port may be closed already.
        let _ = port.write(&frame[..length]);
    };
    send(&Message::Stop(0));
    std::thread::sleep(Duration::from_millis(30));
    send(&Message::Clear(0));
    send(&Message::Stop(0));
}

/// The measurements as text and as JSON, the scale of the sensor, and the keys that could be measured.
struct Outcome {
    text: String,
    list: Vec<Value>,
    scale: f64,
    keys: Vec<(u8, KeyMeasurement)>,
}

fn measure(options: &CalibrateOptions, wire: &mut Wire) -> Result<Outcome> {
    let mut calibration = Calibration::begin(wire).map_err(error_of)?;
    let hello = *calibration.hello();
    let chosen: Vec<u8> = match &options.key[..] {
        [] => (1..=hello.keys).collect(),
        keys => keys.to_vec(),
    };
    if let Some(key) = chosen.iter().find(|key| !(1..=hello.keys).contains(*key)) {
        bail!("--key {key}: the keyboard has keys 1 to {}", hello.keys);
    }
    let typed = typed();
    let least = f64::from(u8::try_from(chosen.len()).unwrap_or(u8::MAX)) * 0.5;
    output::warn(&format!(
        "at most {FORCE} N, half a minute per key, {least} min in total; keep hands off the keys; Ctrl-C ends"
    ));
    let mut scale = 1.0;
    let (mut text, mut list, mut keys) = (String::new(), Vec::new(), Vec::new());
    for (i, key) in chosen.into_iter().enumerate() {
        output::warn(&format!("key {key} …"));
        let found = calibration.key(key - 1).and_then(|found| match options.mass_g {
            Some(mass) => loaded(&mut calibration, &typed, key, mass * 1e-3, found),
            None => Ok(found),
        });
        let found = match found {
            Ok(found) => found,
            // Other keys can still be measured.
            Err(CalibrationError::Line(error)) => bail!("{error}"),
            Err(trouble) => {
                writeln!(text, "key {key}: not met: {trouble}")?;
                list.push(json!({ "key": key, "error": trouble.to_string() }));
                continue;
            }
        };
        if let (0, Some(dip), Some([depth, _])) = (i, options.dip_mm, found.bed) {
            scale = dip * 1e-3 / depth;
        }
        let right = found.corrected(scale);
        let all = requirements(&hello, key, &right, options.mass_g.is_some(), scale);
        list.push(entry(&hello, key, &right, &all));
        describe(&mut text, &hello, key, &right, options.mass_g.is_some(), &all)?;
        keys.push((key, right));
    }
    calibration.end().map_err(error_of)?;
    Ok(Outcome { text, list, scale, keys })
}

fn error_of(trouble: CalibrationError) -> anyhow::Error {
    match trouble {
        CalibrationError::Unfit(reason) => anyhow!("{}", status_text::refusal(reason)),
        other => anyhow!("{other}"),
    }
}

/// Receives a message for each typed line.
fn typed() -> Receiver<()> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for _ in std::io::stdin().lines().map_while(Result::ok) {
            if sender.send(()).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Measures the motor constant with a mass that the user lays on the key and removes.
fn loaded<'a>(
    calibration: &mut Calibration<&'a mut Wire>,
    typed: &Receiver<()>,
    key: u8,
    mass: f64,
    found: KeyMeasurement,
) -> Result<KeyMeasurement, CalibrationError> {
    let ask = |calibration: &mut Calibration<&'a mut Wire>, text: String| {
        output::warn(&text);
        while let Err(TryRecvError::Empty) = typed.try_recv() {
            calibration.pause(0.02)?;
        }
        calibration.pause(1.0)
    };
    let grams = mass * 1e3;
    ask(calibration, format!("lay {grams} g on the front of key {key}, then press Enter"))?;
    let motor = calibration.motor(key - 1, found.weight, mass);
    ask(calibration, format!("take it away from key {key}, then press Enter"))?;
    Ok(KeyMeasurement { motor: motor?, ..found })
}

/// The largest mass, weight and friction of a motorized key that the grand's key can absorb; `line` kg
/// of the mass belongs to the delay line.
fn deductible(number: KeyNumber, line: f64) -> DynamicsCompensation {
    // More than any key has, so that the residual shows the limit.
    let offered =
        DynamicsCompensation { mass: 10.0, weight: 100.0, friction: 100.0, has_bed: true };
    let (_, residual) = Action::GRAND.key(number, &ActionSettings::default(), &offered);
    DynamicsCompensation {
        mass: (offered.mass - residual.mass - line).max(0.0),
        weight: offered.weight - residual.weight,
        friction: offered.friction - residual.friction,
        has_bed: true,
    }
}

/// The measurements of a key, each with its requirement.
fn requirements(
    hello: &Hello,
    key: u8,
    found: &KeyMeasurement,
    weighed: bool,
    scale: f64,
) -> Vec<Requirement> {
    let number = usize::from(hello.first_key.max(1)) - 1 + usize::from(key) - 1;
    let is_wave = hello.abilities & ability::WAVE != 0;
    let line = if is_wave { ServoOptions::default().line_mass() } else { 0.0 };
    let most = KeyNumber::from_index(number).map(|n| deductible(n, line)).unwrap_or_default();
    let step = f64::from(hello.step_nm) * 1e-9 * scale;
    let newtons = |unit: u16| f64::from(unit) * 1e-2;
    let of = |what, found: String, needs: &str, is_met| Requirement {
        what,
        found,
        needs: needs.into(),
        is_met,
    };
    let at_most = |what, value: f64, most: f64, unit: f64, name: &str| {
        let found = format!("{:.1} {name}", value * unit);
        of(what, found, &format!("at most {:.1} {name}", most * unit), value <= most)
    };
    let mut list = vec![
        of("motor", "pushes down".into(), "pushes down", true),
        of("zero", format!("{:+.3} mm", found.zero * 1e3), "±0.2 mm", found.zero.abs() <= 0.2e-3),
        of("sensor step", format!("{:.1} µm", step * 1e6), "at most 5 µm", step <= 5e-6),
        of("noise", format!("{:.1} µm", found.noise * 1e6), "at most 5 µm", found.noise <= 5e-6),
        of(
            "delay",
            format!("{:.2} ms", found.delay * 1e3),
            "at most 0.5 ms",
            found.delay <= 0.5e-3,
        ),
        at_most("mass", found.mass, most.mass, 1e3, "g"),
        at_most("weight", found.weight, most.weight, 1e3, "mN"),
        at_most("friction", found.friction, most.friction, 1e3, "mN"),
    ];
    if weighed {
        let is_met = (0.8..=1.25).contains(&found.motor);
        let text = format!("{:.3} N for one", found.motor);
        list.push(of("motor constant", text, "0.8 to 1.25", is_met));
    }
    let (text, is_met) = match found.bed {
        Some([depth, stiffness]) => (
            format!("{:.2} mm, {:.0} kN/m", depth * 1e3, stiffness * 1e-3),
            (8e-3..=12e-3).contains(&depth),
        ),
        None => ("none".into(), false),
    };
    list.push(of("bed", text, "8 to 12 mm", is_met));
    let [most, held] = [newtons(hello.force_max), newtons(hello.force_held)];
    list.push(of("largest force", format!("{most} N, declared"), "at least 8 N", most >= 8.0));
    list.push(of("held force", format!("{held} N, declared"), "at least 3.3 N", held >= 3.3));
    list
}

/// Number of a key on a piano.
fn piano_key(hello: &Hello, key: u8) -> u16 {
    u16::from(hello.first_key) + u16::from(key) - 1
}

/// A key as JSON, in SI units.
fn entry(hello: &Hello, key: u8, found: &KeyMeasurement, all: &[Requirement]) -> Value {
    let needs = |r: &Requirement| json!({ "what": r.what, "found": r.found, "needs": r.needs, "is_met": r.is_met });
    json!({
        "key": key,
        "piano_key": piano_key(hello, key),
        "zero_m": found.zero,
        "noise_m": found.noise,
        "mass_kg": found.mass,
        "weight_n": found.weight,
        "friction_n": found.friction,
        "damping_n_s_per_m": found.damping,
        "delay_s": found.delay,
        "bed_depth_m": found.bed.map(|bed| bed[0]),
        "bed_stiffness_n_per_m": found.bed.map(|bed| bed[1]),
        "motor_constant": found.motor,
        "requirements": all.iter().map(needs).collect::<Vec<_>>(),
    })
}

fn describe(
    text: &mut String,
    hello: &Hello,
    key: u8,
    found: &KeyMeasurement,
    weighed: bool,
    all: &[Requirement],
) -> Result<()> {
    let number = piano_key(hello, key);
    writeln!(text, "key {key}, piano key {number}: damping {:.2} N·s/m", found.damping)?;
    for Requirement { what, found, needs, is_met } in all {
        let verdict = if *is_met { "ok" } else { "not met" };
        writeln!(text, "  {what:<15}{found:<22}{needs:<20}{verdict}")?;
    }
    if !weighed && std::io::stderr().is_terminal() {
        output::warn("  the motor's constant is taken as declared; --mass-g measures it");
    }
    Ok(())
}
