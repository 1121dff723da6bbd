//! The acceptance stroke in real time: the sidecar process and an emulator at a local address.

use std::time::{Duration, Instant};
use touchback_core::exchange::cancel;

use anyhow::{Context, Result};

use touchback_action::KeyEvent;
use touchback_haptics::keyboard::emulator::KeyboardDesign;
use touchback_haptics::keyboard::live::Emulated;
use touchback_haptics::keyboard::plant::KeyPlant;
use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction};
use touchback_haptics::servo::ServoOptions;
use touchback_haptics::session::ConnectionState;
use touchback_haptics::sidecar::{Sidecar, SidecarOrder};
use touchback_offline::bench::{Report, short};
use touchback_offline::rig::acceptance::{self, GLUED};

/// Start of the stroke, s after power-up.
const BEGIN: f64 = 1.5;

/// Plays a stroke at every block delay in `blocks`. The results depend on the machine, so they are notes,
/// not verdicts.
pub(super) fn strokes(report: &mut Report, blocks: &[u32]) -> Result<()> {
    let plant = &KeyPlant::THREE[1];
    let ideal = acceptance::ideal(plant);
    for block in blocks {
        let options = ServoOptions { lead_us: 1000, ..acceptance::options(*block) };
        let in_virtual_time =
            acceptance::stroke(&acceptance::design(plant), options.clone(), acceptance::line());
        let in_virtual_time = in_virtual_time.context("force was lost in a stroke")?;
        match stroke(plant, options)? {
            Some((speed, period)) => report.note(&format!(
                "In real time, key of 100 g, block {block}, lead 1 ms: error of the strike speed {} % \
                 ({} % in virtual time), longest time between states {} ms.",
                short((speed / ideal.speed - 1.0) * 1e2),
                short((in_virtual_time.speed / ideal.speed - 1.0) * 1e2),
                short(period * 1e3)
            )),
            None => report.note(&format!(
                "In real time, block {block}: this machine stopped for too long, so that force was lost."
            )),
        }
    }
    Ok(())
}

/// Hammer speed, m/s, and longest time between states, s; `None` if force was lost.
fn stroke(plant: &KeyPlant, options: ServoOptions) -> Result<Option<(f64, f64)>> {
    let act =
        |time: f64, action: FingerAction| ScriptedAction { time: BEGIN + time, key: 0, action };
    let script = Script::new(vec![
        act(-BEGIN, FingerAction::Press { depth: 0.0, within: 0.0 }),
        act(0.0, FingerAction::Reach { depth: 22e-3, within: 0.06 }),
        act(0.4, FingerAction::Reach { depth: 0.0, within: 0.06 }),
    ]);
    let design = KeyboardDesign { plant: *plant, finger: GLUED, ..KeyboardDesign::default() };
    let emulated = Emulated::start(&design, script)?;
    let mut sidecar = Sidecar::start(emulated.path(), "touchback lab", options)?;
    let begin = Instant::now();
    let mut is_live = false;
    while begin.elapsed() < Duration::from_secs(4) {
        cancel::check();
        std::thread::sleep(Duration::from_millis(2));
        match sidecar.report().status.state {
            ConnectionState::Present if !is_live => sidecar.order(SidecarOrder::Arm(true)),
            ConnectionState::Live => is_live = true,
            ConnectionState::Halted => return Ok(None),
            _ => {}
        }
        while let Some(event) = sidecar.next_event() {
            if let KeyEvent::Strike { speed } = event.event
                && is_live
            {
                return Ok(Some((speed, sidecar.report().periods.longest)));
            }
        }
    }
    Ok(None)
}
