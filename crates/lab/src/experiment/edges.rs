//! `edges`: the action where it is driven hardest, softest and least regularly.
//!
//! Random gestures in the standard and in random regulations on all keys: what the integration leaves
//! unaccounted of the energy, the heat of every contact, and strikes without a press. Then imposed
//! motion at constant speeds and accelerations: from which speed on the hammer reaches the string, how
//! often, and how fast. No measurement is compared: the laws are the conservation of energy, that heat
//! is not negative, and that a key struck faster sounds louder.

mod audit;
mod gestures;
mod speeds;
mod standing;

use anyhow::Result;

use audit::Audit;
use gestures::Kind;
use touchback_action::ActionSettings;
use touchback_action::keyboard::energy_audit;
use touchback_core::math::cast::{byte, floor_index};
use touchback_core::math::random::Random;
use touchback_offline::bench::regulations::turned;
use touchback_offline::bench::test_bench::TestBench;
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, short};
use touchback_offline::parallel;

/// Usual number of gestures of each kind in each regulation.
pub const USUAL: u32 = 200;

/// Least heat of an element that counts as not negative, J: rounding and friction read at the ends of
/// steps.
const HEAT: f64 = -1e-6;

/// One gesture: its kind, its regulation and its seed.
#[derive(Clone, Copy)]
struct Draw {
    kind: Kind,
    is_random: bool,
    seed: u64,
}

/// Regulations of the draws.
const REGULATIONS: [(bool, &str); 2] = [(false, "standard"), (true, "random")];

impl Draw {
    /// Seed of gesture `index` of a kind in a regulation; written with the results.
    fn new(kind: Kind, is_random: bool, index: u32) -> Self {
        let kind_number = kind as u64;
        let seed = 2 * (1000 * kind_number + 1_000_000 * u64::from(index)) + u64::from(is_random);
        Self { kind, is_random, seed }
    }

    /// Plays the gesture; key number, 1…88, and audit.
    fn play(self) -> (u8, Audit) {
        let mut random = Random::new(self.seed);
        let settings =
            if self.is_random { turned(&mut random, 1.0) } else { ActionSettings::default() };
        let number = 1 + byte(floor_index(88.0 * random.share()));
        let mut rig = TestBench::concert(number, &settings);
        let mut gesture = self.kind.gesture(&mut random, &rig);
        (number, Audit::of(&mut rig, &mut gesture))
    }
}

/// Worst values of the gestures of one kind.
#[derive(Default)]
struct Worst {
    residual: f64,
    over: f64,
    heat: f64,
    unpressed: usize,
    seed: u64,
}

/// Plays `count` gestures of each kind in each regulation, then constant speeds and accelerations.
pub fn run(folder: &mut Folder, count: u32) -> Result<Report> {
    let mut report = Report::default();
    let mut csv = DataTable::new(&[
        "kind",
        "regulation",
        "seed",
        "key",
        "strikes",
        "strikes_without_press",
        "work_j",
        "unaccounted_j",
        "least_heat_j",
        "least_heat_of",
    ]);
    for kind in Kind::ALL {
        for (is_random, regulation) in REGULATIONS {
            let draws: Vec<Draw> = (0..count).map(|i| Draw::new(kind, is_random, i)).collect();
            let played = parallel::map(&draws, |draw| draw.play());
            let mut worst = Worst::default();
            for (draw, (key, audit)) in draws.iter().zip(played) {
                let Audit { strikes, unpressed, work, unaccounted, least_heat, .. } = audit;
                let heat_of = audit.least_heat_of;
                let name = kind.name();
                csv.row(&[
                    &name,
                    &regulation,
                    &draw.seed,
                    &key,
                    &strikes,
                    &unpressed,
                    &work,
                    &unaccounted,
                    &least_heat,
                    &heat_of,
                ]);
                // NaN is the largest.
                let over = unaccounted / energy_audit::limit(work);
                if over > worst.over || over.is_nan() {
                    (worst.over, worst.residual, worst.seed) = (over, unaccounted, draw.seed);
                }
                worst.heat = worst.heat.min(least_heat);
                worst.unpressed += unpressed;
            }
            rows(&mut report, kind, (is_random, regulation), &worst);
        }
    }
    report.note(&format!(
        "{count} gestures of each kind in each regulation; the seed of each, from which \
         regulation, key and gesture are drawn, is in edges.csv. Unaccounted energy is compared \
         with {} % of the work, or {} mJ where this is more.",
        short(100.0 * energy_audit::SHARE),
        short(1e3 * energy_audit::SMALL)
    ));
    folder.table("edges.csv", &csv)?;
    standing::check(folder, &mut report)?;
    speeds::check(folder, &mut report)?;
    Ok(report)
}

fn rows(report: &mut Report, kind: Kind, (is_random, regulation): (bool, &str), worst: &Worst) {
    let name = format!("{}, {regulation} regulation", kind.name());
    let what = format!(
        "{name}: unaccounted over its limit (seed {}: {} mJ)",
        worst.seed,
        short(1e3 * worst.residual)
    );
    report.check(&what, "0", TargetBand::AtMost(1.0), worst.over);
    // The seed and its residual are results.
    report.id(&["unaccounted", kind.name(), regulation]);
    let what = format!("{name}: least heat of an element, mJ");
    report.check(&what, "≥ 0", TargetBand::AtLeast(1e3 * HEAT), 1e3 * worst.heat);
    report.id(&["least-heat", kind.name(), regulation]);
    if !is_random {
        let what = format!("{name}: strikes without a press");
        report.check(&what, "0", TargetBand::AtMost(0.0), worst.unpressed as f64);
    }
}
