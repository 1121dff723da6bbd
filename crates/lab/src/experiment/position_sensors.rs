//! `position-sensors`: sensor noise and report rate of a keyboard without motors against hammer speed and ghost
//! strikes.

use anyhow::Result;

use super::haptics::SEED;
use touchback_action::EventKind;
use touchback_haptics::keyboard::emulator::KeyboardDesign;
use touchback_haptics::keyboard::emulator::defect::{Defects, SensorDefect};
use touchback_haptics::keyboard::plant::KeyPlant;
use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction};
use touchback_haptics::record::log::MemoryLog;
use touchback_haptics::servo::ServoOptions;
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, short};
use touchback_offline::rig::co_simulation::{CoSimulation, MemoryLine};

/// Noise of the sensors, root mean square at the key front, m.
const NOISE: [f64; 6] = [0.0, 5e-6, 10e-6, 20e-6, 40e-6, 80e-6];
/// Times between states, µs: 1000, 500 and 250 Hz.
const INTERVALS: [u16; 3] = [1000, 2000, 4000];
/// Step of the sensors, m: that of `firmware/positions`.
const STEP: f64 = 5e-6;
/// Durations of the strokes, s, and number of strokes of each.
const STROKES: ([f64; 3], u32) = ([0.2, 0.1, 0.05], 12);
/// Time from stroke to stroke, s.
const PERIOD: f64 = 0.9;
/// Time within which a stroke's strikes begin, s.
const WITHIN: f64 = 0.4;

/// Strikes of a session: of every stroke the first, m/s, and the number of all others.
struct Heard {
    speeds: Vec<Option<f64>>,
    ghosts: usize,
}

/// Plays the strokes on keys with noise of `noise`, m, and states every `report_us` µs.
fn play(noise: f64, report_us: u16, step: f64) -> Heard {
    let begins = |i: u32| 0.5 + PERIOD * f64::from(i);
    let count = STROKES.1 * 3;
    let acts = (0..count).flat_map(|i| {
        let within = STROKES.0[(i % 3) as usize];
        let press = FingerAction::Press { depth: 18e-3, within };
        let release = FingerAction::Release { within: 0.1 };
        [(begins(i), press), (begins(i) + 0.5, release)].map(|(time, action)| ScriptedAction {
            time,
            key: 0,
            action,
        })
    });
    let plant = KeyPlant { step, ..KeyPlant::DESK };
    let design =
        KeyboardDesign { has_motors: false, plant, report_us, ..KeyboardDesign::default() };
    let options = ServoOptions { report_us, ..ServoOptions::default() };
    let script = Script::new(acts.collect());
    let mut pair = CoSimulation::new(&design, script, options, MemoryLine::new(1, SEED));
    if noise > 0.0 {
        let sensor = SensorDefect::Noise(noise);
        pair.emulator.set_defects(Defects { sensor, ..Defects::default() });
    }
    let mut log = MemoryLog::default();
    pair.run(begins(count), &mut log, |_| ());
    let strikes = log.of(EventKind::Strike);
    let of = |i: u32| {
        // The steps count from the first state, which comes some milliseconds after power-up.
        let from = begins(i) - 0.05;
        strikes.iter().filter(move |e| (from..from + WITHIN).contains(&e.time()))
    };
    let speeds: Vec<Option<f64>> =
        (0..count).map(|i| of(i).next().map(|e| e.event.value())).collect();
    let ghosts = strikes.len() - speeds.iter().flatten().count();
    Heard { speeds, ghosts }
}

/// Measures every noise at every rate.
///
/// # Errors
/// A file that cannot be written.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    let mut csv = DataTable::new(&[
        "noise_um",
        "rate_hz",
        "missing",
        "ghosts",
        "mean_percent",
        "rms_percent",
        "worst_percent",
    ]);
    let ideal = play(0.0, 1000, 0.5e-6);
    for report_us in INTERVALS {
        for noise in NOISE {
            let heard = play(noise, report_us, STEP);
            let errors: Vec<f64> = heard
                .speeds
                .iter()
                .zip(&ideal.speeds)
                .filter_map(|(speed, ideal)| Some(100.0 * ((*speed)? / (*ideal)? - 1.0)))
                .collect();
            let number = errors.len().max(1) as f64;
            let mean = errors.iter().sum::<f64>() / number;
            let rms = (errors.iter().map(|e| e * e).sum::<f64>() / number).sqrt();
            let worst = errors.iter().fold(0.0, |most: f64, e| most.max(e.abs()));
            let missing = heard.speeds.len() - errors.len();
            let (um, rate) = (noise * 1e6, 1e6 / f64::from(report_us));
            csv.row(&[&um, &rate, &missing, &heard.ghosts, &mean, &rms, &worst]);
            report.note(&format!(
                "{} µm of noise, {rate} Hz: {missing} of {} strokes silent, {} ghost strikes, hammer speed {} % in the \
                 mean, {} % rms, {} % at worst",
                short(um),
                heard.speeds.len(),
                heard.ghosts,
                short(mean),
                short(rms),
                short(worst)
            ));
            // What the firmware's page promises of its sensors.
            if noise <= 20e-6 && report_us == 1000 {
                let name = format!("{} µm, 1000 Hz", short(um));
                let bad = (missing + heard.ghosts) as f64;
                report.check(
                    &format!("{name}: silent strokes and ghost strikes"),
                    "0",
                    TargetBand::AtMost(0.0),
                    bad,
                );
                report.check(
                    &format!("{name}: hammer speed, % rms"),
                    "at most 5",
                    TargetBand::AtMost(5.0),
                    rms,
                );
            }
        }
    }
    folder.table("position-sensors.csv", &csv)?;
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The noise that the page allows silences no stroke and makes no ghost strikes.
    #[test]
    #[ignore = "long: `.ci/run` runs it"]
    fn noise_within_the_promise_makes_no_ghosts() {
        let right = play(20e-6, 1000, STEP);
        let count = |heard: &Heard| (heard.speeds.iter().flatten().count(), heard.ghosts);
        assert_eq!(count(&right), (36, 0));
    }
}
