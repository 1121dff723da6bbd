//! `touchback keyboard bridge`: motor controllers as a keyboard.

use std::net::SocketAddr;

use anyhow::{Context as _, Result, bail};

use super::facts;
use super::probe::seconds;
use touchback_haptics::bridge::moteus::Moteus;
use touchback_haptics::bridge::odrive::{Endpoints, Odrive};
use touchback_haptics::bridge::requirement::Demand;
use touchback_haptics::bridge::run::LiveBridge;
use touchback_haptics::bridge::wire::SerialWire;
use touchback_haptics::bridge::{
    BridgeDesign, BridgeError, Controller, FORCE, MOST_KEYS, RATES, WEAKER,
};
use touchback_haptics::keyboard::emulator::Emulator;
use touchback_haptics::keyboard::plant::KeyPlant;
use touchback_haptics::line::priority::{self, Priority};
use touchback_offline::output::{self, Shown as _};
use touchback_offline::paths::{InputPath, PortName};
use touchback_offline::{controls, interrupt};

/// Largest length of `flat_endpoints.json`, bytes.
const MAX_ENDPOINTS: u64 = 4 << 20;

/// A kind of motor controller.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum ControllerKind {
    /// mjbots moteus at an fdcanusb or its successors
    Moteus,
    /// ODrive with firmware 0.6 at a serial CAN adapter (SLCAN), 1 Mbit/s
    Odrive,
}

/// Options of `touchback keyboard bridge`.
#[derive(clap::Args, Debug)]
pub struct BridgeOptions {
    /// Kind of the controllers
    #[arg(long, value_name = "KIND")]
    controller: ControllerKind,
    /// Serial port of the adapter to their bus
    #[arg(long, value_name = "PORT")]
    port: PortName,
    /// Their numbers on the bus, from the lowest key on
    #[arg(long, value_name = "N[,N…]", value_delimiter = ',', required = true)]
    id: Vec<u8>,
    /// Distance from a motor's axle to the front of its key, mm
    #[arg(long, value_name = "MM")]
    lever_mm: f64,
    /// Piano key of the first controller
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = controls::key_number)]
    first_key: u8,
    /// Largest force that the controllers' own settings may allow, N at the front, at most 20
    #[arg(long, value_name = "N", default_value_t = FORCE)]
    force_limit_n: f64,
    /// Force that a motor can hold for minutes, N [default: half of --force-limit-n]
    #[arg(long, value_name = "N")]
    held_n: Option<f64>,
    /// Moving mass of a key at the front with its motor, g; `keyboard calibrate` measures it
    #[arg(long, value_name = "G", default_value_t = 60.0)]
    mass_g: f64,
    /// Mechanics of all keys: the first key of a file written by `keyboard calibrate`
    #[arg(long, value_name = "FACTS.csv", conflicts_with = "mass_g")]
    facts: Option<InputPath>,
    /// Ticks per second, 1000 to 4000: as many as the bus allows
    #[arg(long, value_name = "HZ", default_value_t = *RATES.start(),
          value_parser = clap::value_parser!(u16).range(1000..=4000))]
    rate_hz: u16,
    /// The maker's list of settings for the firmware of an ODrive, flat_endpoints.json
    #[arg(long, value_name = "FILE.json", required_if_eq("controller", "odrive"))]
    endpoints: Option<InputPath>,
    /// Counts of an ODrive's position sensor per turn
    #[arg(long, value_name = "N", required_if_eq("controller", "odrive"))]
    counts: Option<f64>,
    /// Listens at a local address instead of a pseudo-terminal, which Windows has not: 127.0.0.1:PORT; port 0 selects
    /// a free one
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,
    /// Ends after this many seconds [default: when interrupted]
    #[arg(long, value_name = "S", value_parser = seconds)]
    seconds: Option<f64>,
}

/// Serves until the time is over or the process is interrupted.
///
/// # Errors
/// A bad value, controllers that do not answer or are not set for keys, a port that cannot be opened or is lost.
pub fn run(options: &BridgeOptions) -> Result<()> {
    let demand =
        Demand::new(options.lever_mm * 1e-3, options.force_limit_n).map_err(anyhow::Error::msg)?;
    let keys = options.id.len();
    if keys > MOST_KEYS {
        bail!("--id: at most {MOST_KEYS} controllers");
    }
    let numbers = match options.controller {
        // Number 0 is this computer's.
        ControllerKind::Moteus => 1..=126,
        ControllerKind::Odrive => 0..=63,
    };
    if let Some(id) = options.id.iter().find(|id| !numbers.contains(*id)) {
        bail!("--id {id}: from {} to {}", numbers.start(), numbers.end());
    }
    let is_twice = |(i, id): (usize, &u8)| options.id[..i].contains(id);
    if options.id.iter().enumerate().any(is_twice) {
        bail!("--id: a controller is named twice");
    }
    let keys = u8::try_from(keys)?;
    if options.first_key > 89 - keys {
        bail!("--first-key {}: {keys} keys end at piano key 88 at most", options.first_key);
    }
    if !(5.0..=1000.0).contains(&options.mass_g) {
        bail!("--mass-g {}: a key moves between 5 and 1000 g", options.mass_g);
    }
    let held = options.held_n.unwrap_or(0.5 * options.force_limit_n);
    if !(0.1..=options.force_limit_n).contains(&held) {
        bail!("--held-n {held}: between 0.1 N and --force-limit-n");
    }
    let plant = match &options.facts {
        Some(path) => facts::first_key(path)?,
        None => KeyPlant { mass: options.mass_g * 1e-3, ..Emulator::on_a_desk().plant },
    };
    let (first_key, rate_hz) = (options.first_key, options.rate_hz);
    let design = BridgeDesign { keys, first_key, plant, held, rate_hz };
    let endpoints = options.endpoints.as_ref().map(|path| {
        let text = output::read(path, MAX_ENDPOINTS)?;
        Endpoints::read(&String::from_utf8_lossy(&text))
            .map_err(|error| anyhow::anyhow!("{}: {error}", path.shown()))
    });
    let endpoints = endpoints.transpose()?;
    interrupt::watch()?;
    // Before the time of an exchange is measured.
    if priority::raise() != Priority::RealTime {
        output::warn("no real-time priority: the bridge's ticks may come late");
    }
    let wire = SerialWire::open(&options.port)?;
    match (options.controller, endpoints) {
        (ControllerKind::Moteus, _) => {
            serve(options, Moteus::new(wire, &options.id, demand), &design)
        }
        (ControllerKind::Odrive, Some(endpoints)) => {
            let counts = options.counts.filter(|counts| *counts >= 100.0);
            let counts = counts.context("--counts: at least 100 counts per turn")?;
            serve(options, Odrive::new(wire, &options.id, demand, counts, endpoints)?, &design)
        }
        (ControllerKind::Odrive, None) => bail!("--endpoints is missing"),
    }
}

fn serve(
    options: &BridgeOptions,
    controller: impl Controller,
    design: &BridgeDesign,
) -> Result<()> {
    let live = LiveBridge::new(controller, design, options.listen);
    if let Err(BridgeError::Unsafe(text)) = &live
        && text.contains('\n')
    {
        output::warn(text);
        bail!("no force: the settings of a controller are not as a key needs them, see above");
    }
    let mut live = live?;
    let hello = live.bridge().device().hello();
    let newtons = f64::from(hello.force_max) * 1e-2;
    output::warn(&format!(
        "piano keys {} to {}, at most {newtons} N by the controllers' own settings; an exchange takes {} µs of \
         {}. Weaker than firmware of one's own:\n- {}",
        hello.first_key,
        hello.first_key + hello.keys - 1,
        live.bridge().exchange_us(),
        1_000_000 / u32::from(design.rate_hz),
        WEAKER.join("\n- ")
    ));
    output::print(&format!("{}\n", live.path()))?;
    let begin = std::time::Instant::now();
    live.run(|| {
        let is_over = |s: f64| begin.elapsed().as_secs_f64() >= s;
        interrupt::was_received() || options.seconds.is_some_and(is_over)
    })?;
    Ok(())
}
