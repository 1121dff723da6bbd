//! The misfit of an action to the *must* targets.

use crate::experiment::validate::timing;
use touchback_action::ActionSettings;
use touchback_action::grand::design::concert::Design;
use touchback_action::grand::design::fitted::Fitted;
use touchback_core::math::compass::KeyNumber;
use touchback_offline::bench::strokes::TouchKind;
use touchback_offline::bench::test_bench::TestBench;
use touchback_offline::bench::{escapement, statics};

/// Middle C.
const MIDDLE: u8 = 60;

/// Hammer speed, m/s, and band of the travel time, s: V1 and V3 of the validation.
const PRESSED: [(f64, [f64; 2]); 4] =
    [(0.5, [0.115, 0.185]), (1.0, [0.080, 0.115]), (2.0, [0.050, 0.070]), (4.0, [0.031, 0.047])];
const STRUCK: [(f64, [f64; 2]); 4] =
    [(1.0, [0.048, 0.075]), (2.0, [0.028, 0.045]), (4.0, [0.017, 0.027]), (6.0, [0.012, 0.020])];

/// Most that a target counts, in half-widths of its band, and what one counts that cannot be measured.
const MOST: f64 = 3.0;

/// Root mean square of [`distances`]; below 1 if most bands are met.
pub fn misfit(distances: &[f64]) -> f64 {
    (distances.iter().map(|d| d * d).sum::<f64>() / distances.len() as f64).sqrt()
}

/// Distances, at C4, of the *must* targets from the centres of their bands, in half-widths.
pub fn distances(fitted: &Fitted) -> Vec<f64> {
    let Some(key) = KeyNumber::from_midi(MIDDLE) else { return Vec::new() };
    let rig = TestBench::at_rest(Design::with(key, fitted).build(&ActionSettings::default()));
    let mut all: Vec<(Option<f64>, [f64; 2])> = Vec::new();
    let mut bottoms = Vec::new();
    for (speed, band) in PRESSED {
        let stroke = TouchKind::Pressed.giving(&rig, speed);
        all.push((stroke.map(|s| s.travel), band));
        bottoms.push(stroke.map(|s| s.bottom));
    }
    for (speed, band) in STRUCK {
        all.push((TouchKind::Struck.giving(&rig, speed).map(|s| s.travel), band));
    }
    // V6: bands for the right sign.
    all.push((bottoms[0], [0.004, 0.016]));
    all.push((bottoms[3], [-0.005, 0.0]));
    // V9 to V11, V17, V22 to V24.
    all.push((Some(timing::strongest(&rig, TouchKind::Pressed, timing::PRESSING)), [3.5, 5.5]));
    all.push((TouchKind::Pressed.softest(&rig).map(|s| s.fastest), [0.05, 0.3]));
    all.push((Some(statics::slow_press(&rig, 8e-3).bump().0), [0.1, 0.6]));
    let settings = ActionSettings::default();
    let integral = 1e-3 * (settings.blow_mm - settings.let_off_mm) / rig.regulated().let_off_depth;
    all.push((Some(integral), [4.8, 6.0]));
    all.push((Some(rig.regulated().aftertouch), [0.8e-3, 1.6e-3]));
    all.push((Some(escapement::held(&rig, 3.0).caught), [0.010, 0.018]));
    all.push((Some(escapement::reset(&rig, 0.1) / rig.spec().key.dip), [1.0 / 3.0, 2.0 / 3.0]));
    all.push((
        Some(escapement::retrigger(&rig, 0.1, escapement::GRID).0 / rig.spec().key.dip),
        [1.0 / 3.0, 2.0 / 3.0],
    ));
    let distance = |(value, [low, high]): &(Option<f64>, [f64; 2])| {
        let away = value.map_or(f64::NAN, |v| (v - 0.5 * (low + high)) / (0.5 * (high - low)));
        if away.is_finite() { away.clamp(-MOST, MOST) } else { MOST }
    };
    all.iter().map(distance).collect()
}
