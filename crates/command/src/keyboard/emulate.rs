//! `touchback keyboard emulate`: emulates a keyboard on a pseudo-terminal or at a local address.

use std::fmt::Write as _;
use std::net::SocketAddr;

use anyhow::{Result, bail};

use super::probe::seconds;
use super::{facts, script};
use touchback_haptics::bridge::emulated::{self, NamedControllerDefect};
use touchback_haptics::bridge::run::LiveControllers;
use touchback_haptics::bridge::{FORCE, MOST_KEYS};
use touchback_haptics::keyboard::emulator::defect::{Defects, NAMED, NamedDefect};
use touchback_haptics::keyboard::emulator::{Emulator, KeyboardDesign};
use touchback_haptics::keyboard::live::Live;
use touchback_haptics::keyboard::plant::{EmulatedFinger, KeyPlant};
use touchback_haptics::keyboard::script::Script;
use touchback_haptics::line::priority::{self, Priority};
use touchback_haptics::line::simulated_link::LinkFaults;
use touchback_offline::controls;
use touchback_offline::output::{self, Draft};
use touchback_offline::paths::{InputPath, OutputFile};

/// Options of `touchback keyboard emulate`.
#[derive(clap::Args, Debug)]
pub struct EmulateOptions {
    /// Number of keys
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u8).range(1..=88))]
    keys: u8,
    /// Piano key of the first key [default: 40, less where there are more than 49 keys]
    #[arg(long, value_name = "N", value_parser = controls::key_number)]
    first_key: Option<u8>,
    /// Listens at a local address instead of a pseudo-terminal: 127.0.0.1:PORT; port 0 selects a free
    /// one
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// Actions of the simulated fingers: CSV t_s,key,act,a,b,c [default: a built-in sequence]
    #[arg(long, value_name = "SCRIPT.csv")]
    script: Option<InputPath>,
    /// Moving mass of a key at the front, kg [default: 0.03, behind a controller 0.06]
    #[arg(long, value_name = "KG")]
    mass: Option<f64>,
    /// Mechanics of all keys: the first key of a file written by `keyboard calibrate`
    #[arg(long, value_name = "FACTS.csv", conflicts_with = "mass")]
    facts: Option<InputPath>,
    /// Leaves the keys untouched, as `keyboard certify` and `calibrate` need them
    #[arg(long, conflicts_with = "script")]
    untouched: bool,
    /// Emulates motor controllers with the numbers 1, 2, … and levers of 100 mm, for `keyboard bridge`
    #[arg(long, value_name = "KIND", conflicts_with_all =
          ["first_key", "positions_only", "torque_only", "speeds", "protocol", "drift", "loss", "corruption"])]
    controller: Option<EmulatedKind>,
    /// Leaves the controllers' settings as the maker ships them
    #[arg(long, requires = "controller")]
    as_shipped: bool,
    /// Gives the keyboard a defect (repeatable)
    #[arg(long, value_name = "NAME", value_parser = defect)]
    defect: Vec<Defect>,
    /// Lists the defects
    #[arg(long)]
    defects: bool,
    /// With --defects: prints a JSON array
    #[arg(long, requires = "defects")]
    json: bool,
    /// Has sensors and no motors
    #[arg(long, conflicts_with = "torque_only")]
    positions_only: bool,
    /// Accepts forces only, without a wave junction
    #[arg(long)]
    torque_only: bool,
    /// Has a sensor of speed on every key
    #[arg(long)]
    speeds: bool,
    /// Version of the protocol that the firmware was built for
    #[arg(long, value_name = "N", default_value_t = 3,
          value_parser = clap::value_parser!(u8).range(2..=3))]
    protocol: u8,
    /// Clock error, parts per million (positive: fast)
    #[arg(long, value_name = "PPM", default_value_t = 0.0, allow_hyphen_values = true)]
    drift: f64,
    /// Share of the frames lost on the way to the host, 0…1
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    loss: f64,
    /// Share of the frames damaged on the way to the host, 0…1
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    corruption: f64,
    /// Ends after this many seconds [default: when interrupted]
    #[arg(long, value_name = "S", value_parser = seconds)]
    seconds: Option<f64>,
    /// With --seconds: writes position, speed, forces, mode and faults of key 1 every millisecond
    #[arg(long, value_name = "LOG.csv", requires = "seconds")]
    log: Option<OutputFile>,
}

/// A kind of controller that can be emulated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum EmulatedKind {
    /// mjbots moteus at an fdcanusb
    Moteus,
}

/// A defect of a keyboard or of controllers.
#[derive(Clone, Copy, Debug)]
pub enum Defect {
    /// Of a keyboard.
    Keyboard(NamedDefect),
    /// Of motor controllers.
    Controller(NamedControllerDefect),
}

/// Parses the name of a defect.
///
/// # Errors
/// An unknown name.
pub fn defect(name: &str) -> Result<Defect, String> {
    let keyboard = NAMED.into_iter().find(|defect| defect.name == name).map(Defect::Keyboard);
    let controller = || emulated::NAMED.into_iter().find(|defect| defect.name == name);
    keyboard.or_else(|| controller().map(Defect::Controller)).ok_or_else(|| {
        "no such defect; `touchback keyboard emulate --defects` lists all".to_owned()
    })
}

/// A line for every defect.
fn list(json: bool) -> String {
    let keyboards = NAMED.iter().map(|d| (d.name, d.about));
    let all = || keyboards.clone().chain(emulated::NAMED.iter().map(|d| (d.name, d.about)));
    if json {
        let entry = |(name, about)| serde_json::json!({ "name": name, "about": about });
        return format!("{:#}\n", serde_json::Value::Array(all().map(entry).collect()));
    }
    let width = all().map(|(name, _)| name.len()).max().unwrap_or(0);
    all().map(|(name, about)| format!("{name:width$}  {about}\n")).collect()
}

/// Emulates until the time is over or the process is interrupted.
///
/// # Errors
/// A bad script or value, no pseudo-terminal or address, a file that cannot be written.
pub fn run(options: &EmulateOptions) -> Result<()> {
    if options.defects {
        return output::print(&list(options.json));
    }
    let mass = options.mass.unwrap_or(if options.controller.is_some() { 0.06 } else { 0.03 });
    if !(0.005..=1.0).contains(&mass) {
        bail!("--mass {mass}: a key moves between 0.005 and 1 kg");
    }
    if !(-1000.0..=1000.0).contains(&options.drift) {
        bail!("--drift {}: at most 1000 parts in a million", options.drift);
    }
    for (name, share) in [("loss", options.loss), ("corruption", options.corruption)] {
        if !(0.0..=1.0).contains(&share) {
            bail!("--{name} {share}: a share between 0 and 1");
        }
    }
    if let Some(first) = options.first_key.filter(|first| *first > 89 - options.keys) {
        bail!("--first-key {first}: {} keys end at piano key 88 at most", options.keys);
    }
    let script = match &options.script {
        Some(path) => script::open(path, options.keys)?,
        None if options.untouched => Script::default(),
        None => Script::round(options.keys),
    };
    let draft = options.log.as_deref().map(Draft::create).transpose()?;
    let desk = Emulator::on_a_desk();
    let plant = match &options.facts {
        Some(path) => facts::first_key(path)?,
        None => KeyPlant { mass, ..desk.plant },
    };
    if options.controller.is_some() {
        return controllers(options, plant, script, draft);
    }
    let mut design = KeyboardDesign {
        keys: options.keys,
        first_key: options.first_key.unwrap_or(desk.first_key),
        plant,
        has_junction: !options.torque_only,
        has_motors: !options.positions_only,
        has_speeds: options.speeds,
        protocol: options.protocol,
        drift: options.drift * 1e-6,
        ..desk
    };
    let mut faults =
        LinkFaults { loss: options.loss, corruption: options.corruption, ..LinkFaults::default() };
    let mut defects = Defects::default();
    for defect in &options.defect {
        match defect {
            Defect::Keyboard(defect) => (defect.change)(&mut design, &mut defects, &mut faults),
            Defect::Controller(defect) => bail!("--defect {}: needs --controller", defect.name),
        }
    }
    let mut live = Live::new(options.listen, &design, script, faults)?;
    live.set_defects(defects);
    output::print(&format!("{}\n", live.path()))?;
    let mut csv = String::from("t_s,key_m,key_velocity_m_s,motor_n,finger_n,mode,faults\n");
    if priority::raise() != Priority::RealTime {
        output::warn("no real-time priority: the emulator's ticks may come late");
    }
    while options.seconds.is_none_or(|s| live.passed().as_secs_f64() < s) {
        live.turn(|emulator| {
            if draft.is_some() && emulator.ticks().is_multiple_of(8) {
                row(&mut csv, emulator);
            }
        });
    }
    if let Some(draft) = draft {
        draft.write_all(csv.as_bytes())?;
        draft.keep()?;
    }
    Ok(())
}

fn row(csv: &mut String, emulator: &Emulator) {
    let (mode, faults) = emulator.mode();
    if let Some(key) = emulator.key(0) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            csv,
            "{},{},{},{},{},{},{faults}",
            emulator.time(),
            key.x,
            key.v,
            emulator.force(0),
            key.touch,
            mode.name()
        );
    }
}

/// Emulates motor controllers until the time is over or the process is interrupted.
fn controllers(
    options: &EmulateOptions,
    plant: KeyPlant,
    script: Script,
    draft: Option<Draft>,
) -> Result<()> {
    let force = (!options.as_shipped).then_some(FORCE);
    let (keys, finger) = (usize::from(options.keys), EmulatedFinger::default());
    if keys > MOST_KEYS {
        bail!("--keys {keys}: a bus has at most {MOST_KEYS} controllers");
    }
    let mut controllers = emulated::moteus::emulated(keys, plant, finger, script, force);
    for defect in &options.defect {
        match defect {
            Defect::Controller(defect) => (defect.change)(&mut controllers.bus.defects),
            Defect::Keyboard(defect) => bail!("--defect {}: not with --controller", defect.name),
        }
    }
    let mut live = LiveControllers::new(controllers, options.listen)?;
    output::print(&format!("{}\n", live.path()))?;
    let mut csv = String::from("t_s,key_m,key_velocity_m_s,motor_n,finger_n,mode\n");
    if priority::raise() != Priority::RealTime {
        output::warn("no real-time priority: the controllers' ticks may come late");
    }
    while options.seconds.is_none_or(|s| live.passed().as_secs_f64() < s) {
        live.turn(|controllers| {
            if draft.is_some() && controllers.now_us().is_multiple_of(1000) {
                let (time, motor) =
                    (controllers.now_us() as f64 * 1e-6, &controllers.bus.motors[0]);
                let (key, mode) = (&motor.key, format!("{:?}", motor.mode).to_lowercase());
                // Writing to a `String` cannot fail.
                let _ = writeln!(
                    csv,
                    "{time},{},{},{},{},{mode}",
                    key.x, key.v, motor.force, key.touch
                );
            }
        });
    }
    if let Some(draft) = draft {
        draft.write_all(csv.as_bytes())?;
        draft.keep()?;
    }
    Ok(())
}
