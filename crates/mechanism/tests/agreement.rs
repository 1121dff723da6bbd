//! Mechanisms from files move as the built-in actions that they describe.

mod files;

use std::sync::Arc;
use touchback_action::Mechanism as _;
use touchback_action::interface::press::Effort;
use touchback_action::simple::{ActionKey, simplified};
use touchback_action::{ActionKind, ActionSettings, Drive, EventKind, Key, STEP};
use touchback_core::math::compass::KeyNumber;
use touchback_mechanism::{Description, read};
use touchback_models::catalogue;

/// Largest difference of positions, m.
const ALLOWED: f64 = 1e-9;
/// Steps of a gesture: 0.6 s.
const STEPS: usize = 4800;

fn file(name: &str) -> Arc<Description> {
    read(&files::all()[name]).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Piecewise linear function of the time in s.
fn along(points: &[(f64, f64)], time: f64) -> f64 {
    touchback_core::math::compass::linear(points, time)
}

/// Drives of the gestures of the comparison: a force, a finger, a motion and a wave.
fn gestures(start: f64, newton: f64) -> Vec<(&'static str, Vec<Drive>)> {
    let time = |step: usize| step as f64 * STEP;
    let force = [
        (0.0, 0.0),
        (0.02, newton),
        (0.2, newton),
        (0.21, 0.0),
        (0.3, 0.0),
        (0.32, 1.5 * newton),
        (0.5, 0.0),
    ];
    let finger =
        [(0.02, -1e-3), (0.1, 14e-3), (0.25, 14e-3), (0.3, 1e-3), (0.35, 14e-3), (0.5, -2e-3)];
    let motion = |t: f64| {
        let pressed = 0.5 * (1.0 - libm::cos(std::f64::consts::TAU * t / 0.3));
        start + 6e-3 * pressed * pressed
    };
    let all = |drive: &dyn Fn(usize) -> Drive| (0..STEPS).map(drive).collect::<Vec<_>>();
    vec![
        ("force", all(&|i| Drive::Force([along(&force, time(i)), along(&force, time(i + 1))]))),
        ("finger", all(&|i| Drive::Finger([along(&finger, time(i)), along(&finger, time(i + 1))]))),
        ("motion", all(&|i| Drive::along(motion, time(i)))),
        ("wave", all(&|i| Drive::Wave { force: along(&force, time(i)), impedance: 4.0 })),
    ]
}

/// Largest difference of key and hammer, m, over a gesture; the events must be the same.
fn differs(mut built_in: Box<dyn Key>, mut own: Box<dyn Key>, drives: &[Drive]) -> (f64, usize) {
    let (mut events, mut others): (Vec<(f64, EventKind)>, Vec<_>) = (Vec::new(), Vec::new());
    let mut most = 0.0f64;
    for (i, drive) in drives.iter().enumerate() {
        let begin = i as f64 * STEP;
        built_in.step(*drive, &mut |t, event| events.push((begin + t, event.kind())));
        own.step(*drive, &mut |t, event| others.push((begin + t, event.kind())));
        let (a, b) = (built_in.readout(*drive), own.readout(*drive));
        assert_eq!(a.phase, b.phase, "at {begin} s: {a:?} {b:?}");
        most = most.max((a.key - b.key).abs()).max((a.hammer - b.hammer).abs());
    }
    let kinds = |list: &[(f64, EventKind)]| list.iter().map(|(_, kind)| *kind).collect::<Vec<_>>();
    assert_eq!(kinds(&events), kinds(&others));
    for ((a, kind), (b, _)) in events.iter().zip(&others) {
        assert!((a - b).abs() < 1e-7, "{kind:?} at {a} and {b} s");
    }
    (most, events.len())
}

fn agrees(name: &str, key: u8, fresh: impl Fn() -> Box<dyn Key>, values: &[f64], newton: f64) {
    let number = KeyNumber::from_number(key).unwrap();
    let file = file(name);
    let own = || file.key(number, values).unwrap();
    let apart = (fresh().front()[0] - own().front()[0]).abs();
    assert!(apart < 1e-12, "{name}: at rest {apart} m apart");
    for (gesture, drives) in gestures(own().front()[0], newton) {
        let (most, events) = differs(fresh(), own(), &drives);
        println!("{name} {key} {gesture}: {most:.1e} m, {events} events");
        assert!(most < ALLOWED, "{name} {key} {gesture}: {most} m");
    }
}

fn played(kind: ActionKind, key: u8) -> Box<dyn Key> {
    catalogue::played(kind, KeyNumber::from_number(key).unwrap(), &ActionSettings::default())
}

#[test]
fn the_ball_agrees() {
    agrees("ball", 40, || played(ActionKind::Ball, 40), &[], 2.0);
}

#[test]
fn model_a_agrees() {
    agrees("model-a", 40, || played(ActionKind::ModelA, 40), &[], 4.0);
}

#[test]
fn model_b_agrees() {
    agrees("model-b", 40, || played(ActionKind::ModelB, 40), &[], 6.0);
}

#[test]
fn the_harpsichord_agrees() {
    for key in [1, 40, 88] {
        agrees("harpsichord", key, || played(ActionKind::Harpsichord, key), &[], 3.0);
    }
}

#[test]
fn the_viennese_action_agrees() {
    for key in [20, 40, 88] {
        agrees("viennese", key, || played(ActionKind::Viennese, key), &[], 3.0);
    }
}

/// A constructed strike and a release have the states of the built-in actions.
#[test]
fn constructed_states_agree() {
    let cases = [
        ("ball", ActionKind::Ball),
        ("harpsichord", ActionKind::Harpsichord),
        ("viennese", ActionKind::Viennese),
    ];
    for (name, kind) in cases {
        let mut own = file(name).key(KeyNumber::from_number(40).unwrap(), &[]).unwrap();
        let mut other = played(kind, 40);
        for speed in [0.3, 2.0, 5.0] {
            assert!(own.strike(speed) && other.strike(speed));
            let near = |a: &dyn Key, b: &dyn Key| {
                let (a, b) = (a.readout(Drive::Free), b.readout(Drive::Free));
                assert_eq!(a.phase, b.phase, "{name}");
                for (x, y) in [
                    (a.key, b.key),
                    (a.hammer, b.hammer),
                    (a.key_speed, b.key_speed),
                    (a.hammer_speed, b.hammer_speed),
                ] {
                    assert!((x - y).abs() < 1e-9, "{name} at {speed} m/s: {x} {y}");
                }
            };
            near(&*own, &*other);
            own.release(0.3);
            other.release(0.3);
            near(&*own, &*other);
        }
        let (a, b) = (own.press().unwrap(), other.press().unwrap());
        let [Effort::Muscle(a), Effort::Muscle(b)] = [a.effort(2.0), b.effort(2.0)] else {
            continue;
        };
        assert!((a / b - 1.0).abs() < 1e-6, "{name}: {a} and {b} N");
    }
}

#[test]
fn the_key_and_hammer_of_1994_agree() {
    use touchback_action::grand::design::concert::Design;
    for number in [1, 16, 40, 64, 88] {
        let key = KeyNumber::from_number(number).unwrap();
        let fresh = || -> Box<dyn Key> {
            let built = Design::new(key).build(&ActionSettings::default());
            Box::new(ActionKey::new(simplified::Spec::of_grand(&built)))
        };
        agrees("key-hammer", number, fresh, &[], 5.0);
    }
}

/// The thesis's action under ramps of its manipulandum: the reference run, and one twice as fast and deeper. The lever's light body is integrated in different substeps: with the steps divided by 64 what is left of that
/// error is below the allowed difference, also after the strike.
#[test]
fn the_thesiss_action_agrees() {
    use touchback_action::grand::GrandKey;
    use touchback_action::grand::design::thesis;
    let (file, front) = (file("thesis"), 0.2286);
    let fast = [(0.0, -0.0335), (0.05, -0.0335), (0.09, -0.004), (0.3, -0.004)];
    for ramp in [thesis::REFERENCE, fast] {
        let mut built_in = GrandKey::from_state(thesis::build().spec, thesis::initial());
        let mut own = file.key(KeyNumber::from_number(40).unwrap(), &[]).unwrap();
        built_in.refine(64);
        own.refine(64);
        let (mut most, mut events, mut others) = (0.0f64, Vec::new(), Vec::new());
        let mut passed = std::collections::BTreeSet::new();
        for step in 0..1560 {
            let begin = f64::from(step) * STEP;
            let angle = [begin, begin + STEP].map(|time| along(&ramp, time));
            let drive = Drive::Manipulandum(angle);
            built_in.step(drive, &mut |t, event| events.push((begin + t, event.kind())));
            let motion = Drive::line(angle.map(|angle| front * (angle - thesis::INITIAL[0])));
            own.step(motion, &mut |t, event| others.push((begin + t, event.kind())));
            let (a, b) = (built_in.readout(drive), own.readout(motion));
            assert_eq!(a.phase, b.phase, "at {begin} s");
            passed.insert(a.phase);
            for (x, y) in a.q.into_iter().zip(b.q) {
                most = most.max((x - y).abs());
            }
        }
        println!("thesis to {}: {most:.1e} rad or m, {events:?}", ramp[2].1);
        assert_eq!(passed.into_iter().collect::<String>(), "ABC");
        assert!(most < ALLOWED, "{most} rad or m");
        assert_eq!(events.len(), others.len(), "{events:?} {others:?}");
        for ((a, kind), (b, other)) in events.iter().zip(&others) {
            assert!(kind == other && (a - b).abs() < 1e-8, "{kind:?} {other:?} at {a} and {b} s");
        }
    }
}
