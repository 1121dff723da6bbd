//! Work in = stored + dissipated, for every mechanism of the repository.

use std::path::PathBuf;
use touchback_action::Mechanism as _;
use touchback_action::{Drive, Key, STEP};
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::random::Random;
use touchback_mechanism::read;

/// Share of the largest work that may be unaccounted for, over a gesture of 0.5 s; at least 1 µJ.
const ALLOWED: f64 = 1e-3;

fn files() -> Vec<PathBuf> {
    let folder = format!("{}/../../mechanisms", env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    files.sort();
    assert!(files.len() >= 6);
    files
}

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
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let file = read(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut worst = 0.0f64;
        let mut random = Random::new(42);
        for number in [4, 40, 71] {
            let mut key = file.key(KeyNumber::from_number(number).unwrap(), &[]).unwrap();
            for _ in 0..gestures.div_ceil(3) {
                worst = worst.max(unaccounted(&mut *key, &mut random));
            }
        }
        println!("{}: {worst:.1e}", path.display());
        assert!(worst < ALLOWED, "{}: {worst} of the work", path.display());
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
