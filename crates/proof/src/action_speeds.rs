//! `action-speeds`: computing time per step of every action, with a hash of its output.

use std::time::Instant;
use touchback_core::exchange::cancel;

use anyhow::{Context, Result};

use touchback_action::interface::kind::NAMES;
use touchback_action::{ActionSettings, Drive, Key, STEP};
use touchback_core::math::compass::KeyNumber;
use touchback_models::catalogue::Model;
use touchback_offline::bench::hash::Hash;
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, short};

/// Steps of the measured stroke: 0.2 s of a pressed touch, held.
const STROKE: u32 = 1600;
/// Repetitions; the quickest counts, because the others were disturbed.
const REPEATS: usize = 9;

/// Plays one stroke; its duration, s, and the hash of depth, hammer and force of every step.
fn stroke(key: &mut dyn Key) -> (f64, Hash) {
    key.reset_to_rest();
    let drive = |i: u32| {
        let target = |i: u32| (f64::from(i) * STEP * 0.2).min(0.0165);
        Drive::Finger([target(i), target(i + 1)])
    };
    let begin = Instant::now();
    for i in 0..STROKE {
        cancel::check();
        key.step(drive(i), &mut |_, _| {});
    }
    let seconds = begin.elapsed().as_secs_f64();
    key.reset_to_rest();
    let mut hash = Hash::NEW;
    for i in 0..STROKE {
        cancel::check();
        key.step(drive(i), &mut |offset, event| {
            hash.add(offset);
            hash.add(event.value());
        });
        let view = key.readout(drive(i));
        [view.key, view.hammer, view.key_force].iter().for_each(|value| hash.add(*value));
    }
    (seconds, hash)
}

/// Measures every action through a stroke at middle C.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let middle = KeyNumber::from_midi(60).context("middle C is off the compass")?;
    let mut report = Report::default();
    let mut csv = DataTable::new(&["action", "time_a_step_ns", "hash"]);
    let mut costs = Vec::new();
    for name in NAMES {
        let model = Model::named(name, middle, &ActionSettings::default())
            .context("an action of the list has no model")?;
        let mut key = model.start();
        let runs: Vec<_> = (0..REPEATS).map(|_| stroke(key.as_mut())).collect();
        let best = runs.iter().map(|r| r.0).fold(f64::INFINITY, f64::min);
        let ns = 1e9 * best / f64::from(STROKE);
        let hash = runs[0].1;
        report.holds(
            &format!("{name}: repeated runs give the same output"),
            runs.iter().all(|r| r.1 == hash),
        );
        // The reference is for the laboratory only and has no target.
        if name != "reference" {
            report.check(&format!("{name}: ns a step"), "600", TargetBand::AtMost(1000.0), ns);
        }
        csv.row(&[&name, &ns, &format_args!("{:016x}", hash.0)]);
        costs.push((name, ns));
    }
    let of = |name: &str| costs.iter().find(|c| c.0 == name).map_or(f64::NAN, |c| c.1);
    report.note(&format!(
        "The coupled force balance takes {} ns a step, {} times the grand's {}; the thesis eliminates the \
         constraints for this reason. Real time allows {} ns a step.",
        short(of("reference")),
        short(of("reference") / of("grand")),
        short(of("grand")),
        short(1e9 * STEP),
    ));
    folder.table("action-speeds.csv", &csv)?;
    Ok(report)
}
