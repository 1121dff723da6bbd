//! Hard strokes at the action's step, compared with much finer steps.

use std::fmt::Write as _;
use touchback_core::exchange::cancel;

use touchback_action::grand::equations::drive::DriveNow;
use touchback_action::grand::equations::model::guard;
use touchback_action::grand::{Grand, Phase, STATES, key::rest, state};
use touchback_action::{ActionSettings, Drive, STEP};
use touchback_core::episode::{Observer, Stepper};
use touchback_offline::bench::driven::Driven as _;
use touchback_offline::bench::test_bench::{TestBench, motion};
use touchback_offline::bench::{Report, TargetBand, short};

/// Substeps per action step of the runs; the last run is the reference.
const PARTS: [u32; 6] = [1, 2, 4, 8, 16, 64];

/// Action steps after which a stroke counts as not striking: 0.25 s.
const LONGEST: u32 = 2000;

/// Largest deviation of the strike's time from the reference, s.
const TIME: f64 = 20e-6;
/// Largest relative deviation of the hammer speed from the reference.
const SPEED: f64 = 2e-3;

/// The strokes: name, key, force on the key front, N, and whether the stroke starts half-way up after a
/// press.
const STROKES: [(&str, u8, f64, bool); 5] = [
    ("soft press, 2 N", 40, 2.0, false),
    ("press, 25 N", 4, 25.0, false),
    ("blow, 60 N", 40, 60.0, false),
    ("blow, 60 N", 71, 60.0, false),
    ("second stroke from half-way up, 15 N", 40, 15.0, true),
];

/// Records the first strike: time, s, and speed, m/s.
struct FirstStrike {
    now: f64,
    crown: f64,
    strike: Option<[f64; 2]>,
}

impl Observer<Phase, STATES> for FirstStrike {
    fn transition(&mut self, _: f64, _: Phase, _: Phase, _: &[f64; STATES], _: &[f64; STATES]) {}
    fn guard(&mut self, t: f64, index: usize, rising: bool, x: &[f64; STATES]) {
        if index == guard::STRING && rising {
            let strike = [self.now + t, self.crown * x[state::HAMMER_SPEED]];
            self.strike.get_or_insert(strike);
        }
    }
}

/// The first strike of the key of `rig` under `force` N with `parts` substeps per step; NaN without a
/// strike.
fn strike(rig: &TestBench, force: f64, parts: u32) -> [f64; 2] {
    let step = STEP / f64::from(parts);
    let (stepper, model) = (Stepper::new(step), Grand::new(rig.spec()));
    let inputs = DriveNow::ends(Drive::Force([force; 2]), [rest::TRAY_DOWN; 2]);
    let mut first = FirstStrike { now: 0.0, crown: rig.spec().hammer.crown, strike: None };
    let mut running = *rig.state();
    for i in 0..LONGEST * parts {
        cancel::check();
        first.now = f64::from(i) * step;
        stepper.advance(&model, &mut running, &inputs, &mut first);
        if first.strike.is_some() {
            break;
        }
    }
    first.strike.unwrap_or([f64::NAN; 2])
}

/// Adds the table, and compares its first column with the targets.
pub fn check(report: &mut Report) {
    let [coarse @ .., finest] = PARTS;
    let mut table = String::from(
        "Strike's time, µs, and speed, %, off those of steps of a 64th, by the steps in one of the \
         action's:\n\n| stroke |",
    );
    for parts in coarse {
        _ = write!(table, " {parts} |");
    }
    _ = writeln!(table, "\n|{}", " --- |".repeat(PARTS.len()));
    for (name, key, force, is_second) in STROKES {
        let mut rig = TestBench::concert(key, &ActionSettings::default());
        if is_second {
            let dip = rig.spec().key.dip;
            let path = [(0.0, 0.0), (0.05, dip), (0.15, dip), (0.2, 0.5 * dip)];
            rig.run(0.2, motion(&path), |_, _| true);
        }
        let fine = strike(&rig, force, finest);
        let off = coarse.map(|parts| {
            let [time, speed] = strike(&rig, force, parts);
            [time - fine[0], speed / fine[1] - 1.0]
        });
        _ = write!(table, "| {name}, key {key} |");
        for [time, speed] in off {
            _ = write!(table, " {}, {} |", short(time * 1e6), short(speed * 100.0));
        }
        table.push('\n');
        let [time, speed] = off[0];
        let what = format!("{name}, key {key}: strike time minus that with 1/64 of the step, µs");
        report.check(&what, "0", TargetBand::AtMost(TIME * 1e6), (time * 1e6).abs());
        let stroke = [name, &format!("key {key}")];
        report.id(&["time", stroke[0], stroke[1]]);
        let what = format!("{name}, key {key}: hammer speed difference from 1/64 of the step, %");
        report.check(&what, "0", TargetBand::AtMost(SPEED * 100.0), (speed * 100.0).abs());
        report.id(&["speed", stroke[0], stroke[1]]);
    }
    report.note(&table);
}
