//! Events and forces of the pluck.

use super::*;
use crate::simple::ActionKey;
use crate::{Drive, EventKind, Key, STEP};
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;

/// Events along `path`, the depth of the key as a function of time, and the largest plectrum force, N.
fn play(path: impl Fn(f64) -> f64, seconds: f64) -> (Vec<(EventKind, f64)>, f64) {
    let mut key = ActionKey::new(Spec::of_key(KeyNumber::from_midi(60).unwrap()));
    let (mut events, mut force) = (Vec::new(), 0.0f64);
    for i in 0..floor_index(seconds / STEP) {
        let t = i as f64 * STEP;
        let drive = Drive::along(&path, t);
        key.step(drive, &mut |_, event| events.push((event.kind(), event.value())));
        force = force.max(key.readout(drive).contact_force);
    }
    (events, force)
}

fn count(events: &[(EventKind, f64)], kind: EventKind) -> usize {
    events.iter().filter(|e| e.0 == kind).count()
}

#[test]
fn the_plectrum_plucks_on_the_way_up_only() {
    // Down to 6 mm and up again, twice.
    let path = |t: f64| 3e-3 * (1.0 - (std::f64::consts::TAU * t / 0.4).cos());
    let (events, force) = play(path, 0.8);
    assert_eq!(count(&events, EventKind::Pluck), 2, "{events:?}");
    assert_eq!(count(&events, EventKind::Reset), 2);
    let spec = Spec::of_key(KeyNumber::from_midi(60).unwrap());
    let expected = spec.plectrum * spec.slip;
    assert!((force / expected - 1.0).abs() < 0.05, "{force} N, slips at {expected} N");
    assert!((0.3..2.0).contains(&expected));
}

#[test]
fn a_key_that_reverses_above_or_below_the_string_does_not_pluck() {
    let spec = Spec::of_key(KeyNumber::from_midi(60).unwrap());
    let ratio = spec.back / spec.front;
    let swing = |middle: f64, depth: f64| {
        move |t: f64| {
            let rise = (t / 0.1).min(1.0);
            let turning = (std::f64::consts::TAU * ((t - 0.1).max(0.0)) / 0.2).sin();
            middle * 0.5 * (1.0 - (std::f64::consts::PI * rise).cos()) + depth * turning
        }
    };
    let (events, _) = play(swing(0.5 * spec.pluck_height() / ratio, 0.2e-3), 0.7);
    assert_eq!(count(&events, EventKind::Pluck), 0, "{events:?}");
    // From above the string to just below it and up again, without the tongue returning.
    let (events, _) = play(swing(5.5e-3, 0.4e-3), 0.7);
    assert_eq!(count(&events, EventKind::Pluck), 1, "{events:?}");
}

#[test]
fn every_key_plucks_before_its_bed_and_displaces_its_string() {
    for key in KeyNumber::all() {
        let spec = Spec::of_key(key);
        spec.check().unwrap();
        let depth = spec.pluck_height() * spec.front / spec.back;
        assert!(depth < spec.dip - 0.5e-3, "{}: plucks at {depth} m", key.number());
        assert!((1e-4..4e-3).contains(&spec.displacement()), "{}", key.number());
        assert!((0.05..1.0).contains(&(spec.plectrum * spec.slip)), "{}", key.number());
    }
}
