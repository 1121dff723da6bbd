//! The compensation on whole keys: 1994's, the thesis's and the grand's, at 1 kHz.

use anyhow::Result;

use super::DEVICE;
use touchback_action::{ActionKind, ActionSettings, EventKind, STEP};
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_haptics::wall::sampled::plant::{FINGER, Plant};
use touchback_models::catalogue::rendered;
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, short};
use touchback_offline::parallel;
use touchback_walls::display::key::{Display, Law, Running};

const KINDS: [ActionKind; 3] = [ActionKind::Simplified, ActionKind::Thesis, ActionKind::Grand];

/// Action steps in a period of 1 ms.
const STEPS: u32 = 8;

/// Force of the finger, N; at rest it holds the key on its bed.
const PRESSED: f64 = 8.0;

/// Couplings of strokes, N/m and N·s/m: the thesis's k1 and b1, and the servo's without compensation.
const COUPLINGS: [[f64; 2]; 2] = [[200.0, 0.82], [800.0, 2.0]];

/// A law with the delay of its force, and what the program knows.
struct Case {
    name: &'static str,
    law: Law,
    delay: usize,
    /// The finger is unknown, speeds are differences.
    is_blind: bool,
}

const CASES: [Case; 6] = [
    Case { name: "sampled", law: Law::Sampled, delay: 0, is_blind: false },
    Case { name: "past", law: Law::Past, delay: 0, is_blind: false },
    Case { name: "compensated", law: Law::Compensated, delay: 0, is_blind: false },
    Case { name: "past, 1 ms late", law: Law::Past, delay: 1, is_blind: false },
    Case { name: "compensated, 1 ms late", law: Law::Compensated, delay: 1, is_blind: false },
    Case { name: "compensated, 1 ms late, blind", law: Law::Compensated, delay: 1, is_blind: true },
];
/// Cases that the rows compare.
const SAMPLED: usize = 0;
const COMPENSATED: usize = 2;
const SERVO: usize = 3;
const BLIND: usize = 5;

/// Stiffnesses tried, N/m, and their ratio.
const RANGE: [f64; 2] = [50.0, 1e6];
const RATIO: f64 = 1.25;

impl Case {
    fn running(&self, kind: ActionKind, coupling: [f64; 2], steps: u32) -> Running {
        let pressed = Plant { bias: PRESSED, ..DEVICE };
        let device = pressed.with(FINGER);
        let believed = if self.is_blind { DEVICE } else { device };
        let display = Display {
            device,
            believed,
            coupling,
            steps,
            delay: self.delay,
            is_differenced: self.is_blind,
        };
        let key = KeyNumber::from_index(39).unwrap_or_else(|| unreachable!("key 40"));
        Running::new(display, self.law, rendered(kind, key, &ActionSettings::default()))
    }

    /// The largest stiffness of an undamped coupling, N/m, up to which a pressed key comes to rest.
    fn stiffest(&self, kind: ActionKind) -> f64 {
        let (mut found, mut k) = (0.0, RANGE[0]);
        while k <= RANGE[1] && self.running(kind, [k, 0.0], STEPS).rests(2.0, 50e-6) {
            (found, k) = (k, RATIO * k);
        }
        found
    }

    /// Time, s, and speed, m/s, of the first strike of a press, and the largest energy created in it, J.
    fn stroke(&self, kind: ActionKind, coupling: [f64; 2], steps: u32) -> [f64; 3] {
        let mut running = self.running(kind, coupling, steps);
        let period = f64::from(steps) * STEP;
        let (mut strike, mut created) = (None, 0.0f64);
        for i in 0..floor_index(0.3 / period) {
            running.step(&mut |step, offset, event| {
                if event.kind() == EventKind::Strike && strike.is_none() {
                    let time = i as f64 * period + f64::from(step) * STEP + offset;
                    strike = Some((time, event.value()));
                }
            });
            created = created.max(running.created());
        }
        let (time, speed) = strike.unwrap_or((f64::NAN, f64::NAN));
        [time, speed, created]
    }
}

/// The tables and rows of all keys.
pub fn run(folder: &mut Folder, report: &mut Report) -> Result<()> {
    let pairs: Vec<_> =
        KINDS.iter().flat_map(|kind| CASES.iter().map(move |c| (*kind, c))).collect();
    let found = parallel::map(&pairs, |(kind, case)| {
        let strokes = COUPLINGS.map(|coupling| {
            // The action's own rate is the nearest to a coupling without sampling.
            let [time, speed, _] = CASES[COMPENSATED].stroke(*kind, coupling, 1);
            let [own_time, own_speed, created] = case.stroke(*kind, coupling, STEPS);
            [own_time - time, own_speed / speed, created]
        });
        (case.stiffest(*kind), strokes)
    });
    let mut limits = DataTable::new(&["action", "case", "stiffest_n_m"]);
    let mut strokes = DataTable::new(&[
        "action",
        "case",
        "coupling_n_m",
        "strike_later_s",
        "strike_speed_share",
        "created_j",
    ]);
    for ((kind, case), (limit, of)) in pairs.iter().zip(&found) {
        limits.row(&[&kind.name(), &case.name, limit]);
        for ([stiffness, _], [later, share, created]) in COUPLINGS.iter().zip(of) {
            strokes.row(&[&kind.name(), &case.name, stiffness, later, share, created]);
        }
    }
    folder.table("dynamic-keys.csv", &limits)?;
    folder.table("dynamic-strokes.csv", &strokes)?;
    for (kind, of) in KINDS.iter().zip(found.chunks(CASES.len())) {
        let each = CASES.iter().zip(of).map(|(case, (limit, strokes))| {
            let [_, [later, share, created]] = strokes;
            format!(
                "{} {} N/m; stroke on 800 N/m, 2 N·s/m {} ms later, speed × {}, {} mJ created",
                case.name,
                short(*limit),
                short(1e3 * later),
                short(*share),
                short(1e3 * created)
            )
        });
        let each = each.collect::<Vec<_>>().join(". ");
        report.note(&format!(
            "{}, pressed onto its bed by {PRESSED} N, stiffest undamped coupling at 1 kHz: {each}.",
            kind.name()
        ));
    }
    report.source("000 §5.8 (dynamic objects), §3.5; 002 §4 (as simulation)");
    for (kind, of) in KINDS.iter().zip(found.chunks(CASES.len())) {
        let name = kind.name();
        for (own, other, quantity, least) in [
            (COMPENSATED, SAMPLED, "stiffest undamped coupling, compensated over sampled", 4.0),
            (BLIND, SERVO, "the same, 1 ms late, finger unknown, over the mean of the past", 1.5),
        ] {
            let quantity = format!("{name}: {quantity}");
            report.check(&quantity, "stiffer", TargetBand::AtLeast(least), of[own].0 / of[other].0);
        }
    }
    Ok(())
}
