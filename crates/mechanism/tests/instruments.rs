//! What the mechanisms of other instruments do under a finger.

use touchback_action::interface::hand::Hand;
use touchback_action::{Drive, EventKind, Key, Mechanism as _, STEP};
use touchback_core::math::compass::KeyNumber;
use touchback_mechanism::read;

fn key(name: &str) -> Box<dyn Key> {
    let path = format!("{}/../../mechanisms/{name}.mechanism.toml", env!("CARGO_MANIFEST_DIR"));
    let file = read(&std::fs::read_to_string(path).unwrap())
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    file.key(KeyNumber::from_number(40).unwrap(), &[]).unwrap()
}

/// Presses the key with the muscle of a hand, N, and holds it for 0.6 s. Returns the events.
fn hold(key: &mut dyn Key, newton: f64) -> Vec<(EventKind, f64)> {
    let mut events = Vec::new();
    let mut hand = Hand::pressing(key.front()[0], newton, 0.0);
    for _ in 0..4800 {
        let force = hand.step(key.front());
        key.step(Drive::Force(force), &mut |_, event| events.push((event.kind(), event.value())));
    }
    events
}

fn count(events: &[(EventKind, f64)], kind: EventKind) -> usize {
    events.iter().filter(|(other, _)| *other == kind).count()
}

#[test]
fn the_pressure_of_a_clavichords_key_bends_its_pitch_as_the_string_stretches() {
    let mut bends = Vec::new();
    for newton in [0.5, 1.0, 1.5] {
        let mut key = key("clavichord");
        let events = hold(&mut *key, newton);
        assert_eq!(count(&events, EventKind::Strike), 1, "{events:?}");
        assert!(key.damper_lift() >= 1.0, "the tangent stays on the string");
        bends.push(key.bend());
    }
    // A string of stiffness T (1/a + 1/b) = 500 N/m under the force less 0.12 N of the key's back, in tune under 0.4 N.
    for (newton, bend) in [0.5, 1.0, 1.5].into_iter().zip(&bends) {
        let square = |force: f64| force * force / (500.0 * 500.0);
        let section = 0.25 * std::f64::consts::PI * 0.35e-3 * 0.35e-3;
        let stretched = 0.5 * (square(newton - 0.12) - square(0.4)) * 12.5;
        let cents = 600.0 / std::f64::consts::LN_2 * 103e9 * section / 0.5 * stretched / 40.0;
        assert!(
            (bend - cents).abs() < 0.05 * cents.abs() + 0.3,
            "{newton} N: {bend} and {cents} cents"
        );
    }
    assert!(bends[2] > bends[1] + 3.0 && bends[1] > bends[0], "{bends:?}");
}

#[test]
fn the_force_of_a_tracker_organs_key_rises_to_the_pluck_and_falls() {
    let mut key = key("tracker-organ");
    let start = key.front()[0];
    let (mut most, mut least, mut at_most) = (0.0f64, f64::MAX, 0.0);
    // A slow press of 10 mm/s.
    for step in 0..8000 {
        let at = |step: f64| start + 0.01 * STEP * step;
        let drive = Drive::line([at(f64::from(step)), at(f64::from(step + 1))]);
        key.step(drive, &mut |_, _| ());
        let now = key.readout(drive);
        // The first steps accelerate the key.
        if step > 100 && now.key_force > most {
            (most, at_most) = (now.key_force, now.key);
        }
        if now.key > 6e-3 {
            least = least.min(now.key_force);
        }
    }
    // Wind of 700 Pa on 37.5 cm², half of it at the pull-down, by the ratio 0.8; spring of 0.6 N; friction of 0.25 N.
    let pluck = 0.8 * (0.5 * 700.0 * 0.025 * 0.15 + 0.6) + 0.25;
    assert!((most - pluck).abs() < 0.05, "{most} and {pluck} N");
    assert!(at_most.abs() < 0.3e-3, "{at_most} m");
    assert!(least < 0.7 * most, "{least} of {most} N");
}

#[test]
fn a_toy_pianos_hammer_is_thrown_at_its_rod() {
    let mut key = key("toy-piano");
    let events = hold(&mut *key, 8.0);
    let speed = events.iter().find(|(kind, _)| *kind == EventKind::Strike).unwrap().1;
    assert!((0.3..5.0).contains(&speed), "{events:?}");
    assert!(key.strike(2.0));
    let hammer = key.readout(Drive::Free);
    assert!(hammer.hammer.abs() < 1e-12 && (hammer.hammer_speed - 2.0).abs() < 1e-12, "{hammer:?}");
}
