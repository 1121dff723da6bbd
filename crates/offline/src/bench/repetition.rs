//! Repetition of one key by an ideal finger.

use touchback_action::{Drive, Key, KeyEvent, STEP};
use touchback_core::exchange::cancel;

/// Number of presses in a trial of a repetition rate.
const PRESSES: u32 = 12;

/// Depths to which the ideal finger lifts, as shares of the dip; negative: the finger leaves the key.
const LIFTS: [f64; 6] = [-0.3, 0.0, 0.2, 0.4, 0.5, 0.6];

/// Shares of a period in which the finger moves down.
const DOWN: [f64; 3] = [0.35, 0.5, 0.65];

/// Depths of the finger's target beyond the bed, m: 4 to 10 N.
const BEYOND: [f64; 7] = [8e-3, 10e-3, 12e-3, 14e-3, 16e-3, 18e-3, 20e-3];

/// Slowest strike that counts, m/s: the lowest target of the timing measurements.
const SOFTEST: f64 = 0.5;

/// One finger of the family: its target moves up and down linearly between two depths.
#[derive(Clone, Copy, Debug)]
struct Finger {
    /// Depths of the target, m: top and lowest.
    depths: [f64; 2],
    /// Share of the period in which the target moves down.
    down: f64,
}

/// The fingers of the family on a key with a dip of `dip` m.
fn family(dip: f64) -> impl Iterator<Item = Finger> {
    LIFTS.into_iter().flat_map(move |lift| {
        DOWN.into_iter().flat_map(move |down| {
            BEYOND.map(|beyond| Finger { depths: [lift * dip, dip + beyond], down })
        })
    })
}

/// Fastest repetition rate, strokes per second, of a `key` with a dip of `dip` m, over all fingers of a
/// family (lift, share of the period downward, pressure). Every stroke must strike exactly once.
pub fn fastest(key: &dyn Key, dip: f64) -> f64 {
    let mut rate = 24.0;
    while rate >= 2.0 {
        if family(dip).any(|finger| repeats(key, rate, finger)) {
            return rate;
        }
        rate -= 0.5;
    }
    f64::NAN
}

/// Share of the family's fingers that repeat a `key` with a dip of `dip` m at `rate` strokes per second.
pub fn share(key: &dyn Key, dip: f64, rate: f64) -> f64 {
    let repeating = family(dip).filter(|finger| repeats(key, rate, *finger)).count();
    repeating as f64 / family(dip).count() as f64
}

/// Number of strokes, of twelve, that the second best finger of the family plays before one fails; 12: two
/// fingers repeat the `key` with a dip of `dip` m at `rate` strokes per second.
pub fn second_best(key: &dyn Key, dip: f64, rate: f64) -> u32 {
    let (mut best, mut second) = (0, 0);
    for finger in family(dip) {
        let found = strokes(key, rate, finger);
        (best, second) = (best.max(found), second.max(found.min(best)));
        if second == PRESSES {
            break;
        }
    }
    second
}

/// Whether every stroke of `finger` at `rate` strokes per second strikes once, at [`SOFTEST`] or more.
fn repeats(key: &dyn Key, rate: f64, finger: Finger) -> bool {
    strokes(key, rate, finger) == PRESSES
}

/// Number of strikes at [`SOFTEST`] or more until a stroke of `finger` at `rate` strokes per second does not
/// strike or strikes more softly; all [`PRESSES`] only if there are no further strikes.
fn strokes(key: &dyn Key, rate: f64, finger: Finger) -> u32 {
    let mut key = key.duplicate();
    let period = 1.0 / rate;
    let Finger { depths: [top, low], down } = finger;
    let target = |t: f64| {
        let stroke = (t / period).floor();
        let share = t / period - stroke;
        // The first stroke begins at the key's rest.
        let from = if stroke < 1.0 { 0.0 } else { top };
        if share < down {
            from + (low - from) * share / down
        } else {
            low + (top - low) * (share - down) / (1.0 - down)
        }
    };
    let (mut all, mut strong, mut now) = (0u32, 0u32, 0.0);
    let mut step = 0u32;
    while now < f64::from(PRESSES) * period {
        step += 1;
        let next = f64::from(step) * STEP;
        cancel::check();
        key.step(Drive::Finger([target(now), target(next)]), &mut |_, event| {
            if let KeyEvent::Strike { speed } = event {
                all += 1;
                strong += u32::from(speed > SOFTEST);
            }
        });
        now = next;
        // A missing or too soft strike ends the trial.
        if f64::from(all) < (now / period).floor() - 1.0 || strong < all {
            return strong.min(PRESSES - 1);
        }
    }
    if all == PRESSES { all } else { all.min(PRESSES - 1) }
}
