//! Feels the grand action on an emulated keyboard of this process: a simulated finger presses a key twice,
//! the servo answers with force, and the events are printed. With the path of a serial port as argument it
//! connects to that keyboard instead, without arming it: then no force is given.
//!
//! `cargo run --release -p touchback-haptics --example feel`

use std::error::Error;
use std::time::{Duration, Instant};

use touchback_haptics::keyboard::emulator::Emulator;
use touchback_haptics::keyboard::live::Emulated;
use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction};
use touchback_haptics::servo::ServoOptions;
use touchback_haptics::session::ConnectionState;
use touchback_haptics::sidecar::{Sidecar, SidecarOrder};

/// Two presses to 12 mm below rest, by a hand that yields.
fn finger() -> Script {
    let press = FingerAction::Press { depth: 0.012, within: 0.08 };
    let release = FingerAction::Release { within: 0.1 };
    let actions = [(1.0, press), (1.5, release), (2.0, press), (2.5, release)];
    Script::new(actions.map(|(time, action)| ScriptedAction { time, key: 0, action }).to_vec())
}

fn main() -> Result<(), Box<dyn Error>> {
    let port = std::env::args().nth(1);
    let emulated = match &port {
        Some(_) => None,
        None => Some(Emulated::start(&Emulator::on_a_desk(), finger())?),
    };
    let path = port.as_deref().or(emulated.as_ref().map(Emulated::path)).unwrap_or_default();
    let mut sidecar = Sidecar::start(path, "example feel", ServoOptions::default())?;
    let begin = Instant::now();
    let mut is_armed = false;
    while begin.elapsed() < Duration::from_secs(4) {
        std::thread::sleep(Duration::from_millis(20));
        let report = *sidecar.report();
        if emulated.is_some() && !is_armed && report.status.state == ConnectionState::Present {
            // A keyboard that moves a hand is armed by its player, never by a program.
            sidecar.order(SidecarOrder::Arm(true));
            is_armed = true;
        }
        while let Some(event) = sidecar.next_event() {
            println!("{:7.4} s  key {}  {}", event.time(), event.key.number(), event.event);
        }
    }
    let [depth, force] = sidecar.report().keys[0];
    println!("{:?}: {:.2} mm, {force:.2} N", sidecar.report().status.state, depth * 1e3);
    Ok(())
}
