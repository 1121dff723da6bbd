use super::*;
use touchback_action::grand::design::concert::Design;
use touchback_action::{ActionSettings, EventKind};
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;

fn middle(coupling: Coupling) -> PenaltyModel {
    let key = KeyNumber::from_midi(60).unwrap();
    PenaltyModel::of_grand(&Design::new(key).build(&ActionSettings::default()), coupling)
}

/// Presses at `speed` m/s to 20 mm for `seconds`, then releases for 0.2 s. Returns the events, and the largest
/// energy imbalance as a share of the work.
fn press(mut key: PenaltyModel, speed: f64, seconds: f64) -> (Vec<(f64, EventKind, f64)>, f64) {
    let start = key.readout(Drive::Free).imbalance();
    let (mut events, mut worst, mut work) = (Vec::new(), 0.0f64, 0.0f64);
    for i in 0..floor_index((seconds + 0.2) / STEP) {
        let t = i as f64 * STEP;
        let target = |t: f64| (speed * t).min(0.02);
        let drive =
            if t < seconds { Drive::Finger([target(t), target(t + STEP)]) } else { Drive::Free };
        key.step(drive, &mut |offset, event| {
            events.push((t + offset, event.kind(), event.value()));
        });
        let view = key.readout(drive);
        worst = worst.max((view.imbalance() - start).abs());
        work = work.max(view.work.abs());
    }
    (events, worst / work)
}

#[test]
fn the_rest_pose_is_that_of_the_other_formulation() {
    let key = middle(Coupling::default());
    let built = Design::new(KeyNumber::from_midi(60).unwrap()).build(&ActionSettings::default());
    let view = key.readout(Drive::Free);
    assert!(view.key.abs() < 5e-5, "{view:?}");
    let blow = -built.spec.hammer.crown * built.regulated.rest[1];
    assert!((view.hammer + blow).abs() < 4e-4, "{view:?}");
}

#[test]
fn a_press_lets_off_strikes_is_caught_and_balances_its_energy() {
    let (events, imbalance) = press(middle(Coupling::default()), 0.2, 0.3);
    let first = |kind| events.iter().find(|e| e.1 == kind).map(|e| e.0);
    let strike = first(EventKind::Strike).unwrap();
    assert!(first(EventKind::LetOffStart).unwrap() < strike, "{events:?}");
    assert!(first(EventKind::Release).unwrap() < strike, "{events:?}");
    assert!(first(EventKind::Check).unwrap() > strike, "{events:?}");
    assert!(imbalance < 1e-3, "{imbalance} of the work");
}

#[test]
fn a_model_that_the_substep_cannot_follow_is_refused() {
    let key = middle(Coupling::default());
    usable(&key.spec, &key.coupling).unwrap();
    let coarse = Coupling { parts: 2, ..Coupling::default() };
    assert!(usable(&key.spec, &coarse).unwrap_err().to_string().contains("coupling.parts"));
    let mut light = *key.spec;
    light.jack.inertia = 1e-9;
    assert!(usable(&light, &key.coupling).is_err());
}
