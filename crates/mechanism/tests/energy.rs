//! Work in = stored + dissipated, for every mechanism of the repository.

mod files;

use touchback_action::{ActionKind, ActionSettings, Drive, Key, Mechanism as _, STEP};
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::random::Random;
use touchback_mechanism::read;
use touchback_models::catalogue;

/// Share of the largest work that may be unaccounted for, over a gesture of 0.5 s; at least 1 µJ.
const ALLOWED: f64 = 1e-3;

/// Files that describe a built-in action: of those, no more than of the built-in action in the same gestures and a tenth.
const BUILT_IN: [(&str, ActionKind); 6] = [
    ("ball", ActionKind::Ball),
    ("harpsichord", ActionKind::Harpsichord),
    ("key-hammer", ActionKind::Simplified),
    ("model-a", ActionKind::ModelA),
    ("model-b", ActionKind::ModelB),
    ("viennese", ActionKind::Viennese),
];

/// Largest energy that is unaccounted for in a random gesture, as a share of the largest work or of 1 mJ.
fn unaccounted(key: &mut dyn Key, random: &mut Random) -> f64 {
    key.reset_to_rest();
    let start = key.front()[0];
    let first = key.readout(Drive::Free).imbalance();
    let kind = random.below(3);
    let (mut from, mut most, mut worst) = (0.0, 1e-3f64, 0.0f64);
    let mut depth = start;
    for _ in 0..10 {
        let to = match kind {
            0 => 12.0 * random.share() - 2.0,
            1 => 15e-3 * random.share() - 2e-3,
            _ => start + 8e-3 * random.share(),
        };
        for step in 0..400 {
            let share = |step: f64| from + (to - from) * step / 400.0;
            let (a, b) = (share(f64::from(step)), share(f64::from(step + 1)));
            let drive = match kind {
                0 => Drive::Force([a, b]),
                1 => Drive::Finger([a, b]),
                _ => {
                    // A motion of continuous speed.
                    let smooth = |s: f64| {
                        let s = s / 400.0;
                        let (place, rate) = (s * s * (3.0 - 2.0 * s), 6.0 * s * (1.0 - s));
                        [depth + (to - depth) * place, (to - depth) * rate / (400.0 * STEP)]
                    };
                    Drive::between(smooth(f64::from(step)), smooth(f64::from(step + 1)))
                }
            };
            key.step(drive, &mut |_, _| ());
            let now = key.readout(drive);
            most = most.max(now.work.abs());
            worst = worst.max((now.imbalance() - first).abs());
            assert!(now.imbalance().is_finite());
        }
        (from, depth) = (to, to);
    }
    worst / most
}

fn check(gestures: usize) {
    for (name, text) in files::all() {
        let file = read(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let worst_of = |fresh: &dyn Fn(KeyNumber) -> Box<dyn Key>| {
            let (mut worst, mut random) = (0.0f64, Random::new(42));
            for number in [4, 40, 71] {
                let mut key = fresh(KeyNumber::from_number(number).unwrap());
                for _ in 0..gestures.div_ceil(3) {
                    worst = worst.max(unaccounted(&mut *key, &mut random));
                }
            }
            worst
        };
        let own = worst_of(&|key| file.key(key, &[]).unwrap());
        let twin = BUILT_IN.iter().find(|(twin, _)| *twin == name);
        let allowed = twin.map_or(ALLOWED, |(_, kind)| {
            let settings = ActionSettings::default();
            let built_in = worst_of(&|key| catalogue::played(*kind, key, &settings));
            println!("{name}, built in: {built_in:.1e}");
            ALLOWED.max(1.1 * built_in)
        });
        println!("{name}: {own:.1e}");
        assert!(own < allowed, "{name}: {own} of the work, {allowed} allowed");
    }
}

#[test]
fn energy_is_accounted_for_in_random_gestures() {
    check(6);
}

#[test]
#[ignore = "long: `.ci/run` runs it"]
fn energy_is_accounted_for_in_two_hundred_random_gestures_of_every_file() {
    check(200);
}
