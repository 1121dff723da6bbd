//! `haptics-cost`: computing time of the servo, and a stroke in real time.

mod wall_clock;

use std::time::Instant;
use touchback_core::exchange::cancel;

use anyhow::{Context, Result, ensure};

use touchback_device::frame::MAX_FRAME;
use touchback_device::message::ASKS;
use touchback_haptics::keyboard::emulator::{Emulator, KeyboardDesign};
use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction};
use touchback_haptics::servo::{Servo, ServoOptions};
use touchback_lab::experiment::haptics::BLOCKS;
use touchback_offline::bench::{Folder, Report, TargetBand, short};
use touchback_offline::rig::KEY;

/// Measures the servo's computing time, then plays a stroke.
///
/// # Errors
/// No address for the emulated keyboard, or none of its keys moves.
pub fn run(_: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    cost(&mut report)?;
    wall_clock::strokes(&mut report, &BLOCKS)?;
    Ok(report)
}

/// Computing time of the servo per state message, fed with recorded bytes of an emulated keyboard.
fn cost(report: &mut Report) -> Result<()> {
    let mut most = 0;
    for keys in [1u8, 10, 88] {
        let actions = (0..keys).map(|k| ScriptedAction {
            time: 0.2,
            key: usize::from(k),
            action: FingerAction::Trill {
                depth: 14e-3,
                rate: 4.0 + 0.05 * f64::from(k),
                lasts: 1e9,
            },
        });
        let design = KeyboardDesign { keys, first_key: 1, plant: KEY, ..KeyboardDesign::default() };
        let mut emulator = Emulator::new(&design, Script::new(actions.collect()));
        let mut frame = [0; MAX_FRAME];
        let length = ASKS[1].frame(&mut frame).context("a frame")?;
        emulator.receive(&frame[..length]);
        let mut states: Vec<Vec<u8>> = Vec::new();
        for _ in 0..8 * 2000 {
            cancel::check();
            let mut out = Vec::new();
            emulator.tick(&mut out);
            if !out.is_empty() {
                states.push(out);
            }
        }
        let mut best = f64::INFINITY;
        let mut worst = [0.0f64; 2];
        for _ in 0..5 {
            let mut servo = Servo::new(ServoOptions::default(), 0.0);
            let mut out = Vec::with_capacity(1 << 16);
            let (mut sum, mut slots, mut times) = (0.0, 0u64, Vec::new());
            for (i, bytes) in states.iter().enumerate() {
                cancel::check();
                out.clear();
                let now = i as f64 * 1e-3;
                let begin = Instant::now();
                servo.receive(now, bytes, &mut out, &mut ());
                servo.tick(now, &mut out);
                let took = begin.elapsed().as_secs_f64();
                if i > 400 {
                    sum += took;
                    slots += u64::from(servo.status().awake);
                    times.push(took);
                }
            }
            ensure!(slots > 0, "no key of the emulated keyboard moved");
            let mean = sum / slots as f64;
            if mean < best {
                times.sort_by(f64::total_cmp);
                let last = times.len().saturating_sub(1);
                best = mean;
                worst = [last * 999 / 1000, last].map(|i| times.get(i).copied().unwrap_or(0.0));
            }
        }
        if worst[0] < 1e-3 {
            most = keys;
        }
        let quantity = format!("{keys} keys moving: servo time per key and millisecond, µs");
        report.check(&quantity, "10", TargetBand::AtMost(20.0), best * 1e6);
        report.note(&format!(
            "{keys} keys: {} µs a state; 99.9 % within {} µs, longest {} µs.",
            short(best * 1e6 * f64::from(keys)),
            short(worst[0] * 1e6),
            short(worst[1] * 1e6)
        ));
    }
    let quantity = "keys moving at once within a 1 kHz tick, 99.9 % of the states";
    report.check(quantity, "88", TargetBand::AtLeast(10.0), f64::from(most));
    Ok(())
}
