//! What the mechanisms of other instruments do under a finger.

mod files;

use touchback_action::interface::hand::Hand;
use touchback_action::{Drive, EventKind, Key, Mechanism as _, STEP};
use touchback_core::math::compass::KeyNumber;
use touchback_mechanism::read;

fn key(name: &str) -> Box<dyn Key> {
    let file = read(&files::all()[name]).unwrap_or_else(|error| panic!("{name}: {error}"));
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
        let pose = key.pose();
        let tangent = pose.contacts.iter().find(|touch| touch.name == "on string").unwrap();
        assert!(
            tangent.is_closed && (tangent.at[0].y - tangent.at[1].y).abs() < 1e-9,
            "{tangent:?}"
        );
        assert!(pose.parts.iter().any(|part| part.name == "key" && part.points.len() == 2));
        bends.push(key.ports()[0]);
    }
    // A string of stiffness T (1/a + 1/b) = 500 N/m under the force less 0.12 N of the key's back, in tune under 1.2 N.
    for (newton, bend) in [0.5, 1.0, 1.5].into_iter().zip(&bends) {
        let square = |force: f64| force * force / (500.0 * 500.0);
        let section = 0.25 * std::f64::consts::PI * 0.35e-3 * 0.35e-3;
        let cents = |force: f64| {
            let stretched = 0.5 * square(force) * 12.5;
            600.0 / std::f64::consts::LN_2 * 103e9 * section / 0.5 * stretched / 40.0
        };
        let (found, expected) = (bend + cents(1.2), cents(newton - 0.12));
        assert!(
            (found - expected).abs() < 0.05 * expected + 0.1,
            "{newton} N: {found} and {expected} cents"
        );
    }
    assert!(bends[2] > bends[1] + 3.0 && bends[1] > bends[0], "{bends:?}");
}

#[test]
fn the_force_of_a_tracker_organs_key_rises_to_the_pluck_and_falls() {
    let mut key = key("tracker-organ");
    let start = key.front()[0];
    // Wind and spring press the pallet into its seat: (1.91 N / 4e5)^(2/3), by the ratio 0.8.
    let seated = -libm::pow((0.5 * 700.0 * 0.025 * 0.15 + 0.6) / 4e5, 2.0 / 3.0) / 0.8;
    assert!((start - seated).abs() < 1e-9, "{start} and {seated} m");
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

/// Strikes of 0.5 m/s or more in twelve strokes of a finger whose target moves between two depths at `rate` strokes per
/// second, down in a share of the period, until a stroke fails; at most eleven if some strike twice.
fn strokes(key: &dyn Key, rate: f64, [top, low]: [f64; 2], down: f64) -> u32 {
    let mut key = key.duplicate();
    let target = |t: f64| {
        let (stroke, share) = ((t * rate).floor(), (t * rate).fract());
        let from = if stroke < 1.0 { 0.0 } else { top };
        if share < down {
            from + (low - from) * share / down
        } else {
            low + (top - low) * (share - down) / (1.0 - down)
        }
    };
    let (mut all, mut strong, mut now) = (0, 0, 0.0);
    while now * rate < 12.0 {
        key.step(Drive::Finger([target(now), target(now + STEP)]), &mut |_, event| {
            if event.kind() == EventKind::Strike {
                all += 1;
                strong += u32::from(event.value() >= 0.5);
            }
        });
        now += STEP;
        if f64::from(all) < (now * rate).floor() - 1.0 || strong < all {
            return strong.min(11);
        }
    }
    if all == 12 { all } else { all.min(11) }
}

/// Whether one of 60 fingers plays all strokes at `rate`: how far they lift, how quickly they press and how hard.
fn repeats(key: &dyn Key, rate: f64) -> bool {
    [0.0, -3e-3, 2e-3, 5e-3].into_iter().any(|top| {
        [0.5, 0.35, 0.65].into_iter().any(|down| {
            [18e-3, 21e-3, 24e-3, 27e-3, 30e-3]
                .into_iter()
                .any(|low| strokes(key, rate, [top, low], down) == 12)
        })
    })
}

/// Single escapement: 6 to 9 strokes a second, where a grand's ideal finger reaches 14.
#[test]
fn an_upright_repeats_seven_but_not_ten_times_a_second() {
    let key = key("upright");
    assert!(repeats(&*key, 7.0) && !repeats(&*key, 10.0));
}

/// A key that has struck and is raised to a depth within 0.2 s plays again only if it has risen nearly fully.
#[test]
fn an_upright_does_not_repeat_from_half_way() {
    for (raised, again) in [(-1e-3, 1), (4e-3, 0), (5e-3, 0), (6e-3, 0)] {
        let mut key = key("upright");
        let target = |t: f64| match t {
            _ if t < 0.3 => 14e-3,
            _ if t < 0.5 => 14e-3 + (raised - 14e-3) * (t - 0.3) / 0.2,
            _ if t < 0.6 => raised,
            _ => 18e-3,
        };
        let (mut strikes, mut time) = ([0, 0], 0.0);
        while time < 0.9 {
            let drive = Drive::Finger([target(time), target(time + STEP)]);
            key.step(drive, &mut |_, event| {
                strikes[usize::from(time > 0.55)] += u32::from(event.kind() == EventKind::Strike);
            });
            time += STEP;
        }
        assert_eq!(strikes, [1, again], "raised to {raised} m");
    }
}

/// Regulation as a technician measures it: a slow press, a blow that is caught, weights on the key.
#[test]
fn an_upright_has_the_figures_of_its_regulation() {
    let mut key = key("upright");
    let near = |what: &str, found: f64, [low, high]: [f64; 2]| {
        println!("{what}: {found}");
        assert!((low..=high).contains(&found), "{what}: {found}, {low} to {high}");
    };
    near("blow, m", -key.readout(Drive::Free).hammer, [44.5e-3, 45.5e-3]);
    // A slow press of 4 mm/s: let-off of 3 mm, and an aftertouch.
    let start = key.front()[0];
    let depth = |t: f64| (start + 4e-3 * t).min(10e-3);
    let (mut let_off, mut lifted, mut time) = ([f64::NAN; 2], f64::NAN, 0.0);
    while let_off[0].is_nan() {
        let drive = Drive::along(depth, time);
        key.step(drive, &mut |_, event| match event.kind() {
            EventKind::Release => let_off[0] = 0.0,
            EventKind::DamperLift => lifted = event.value(),
            _ => {}
        });
        time += STEP;
    }
    let_off = [-key.readout(Drive::Free).hammer, key.front()[0]];
    near("let-off, m", let_off[0], [2.7e-3, 3.3e-3]);
    near("depth at let-off, m", let_off[1], [8e-3, 9.5e-3]);
    near("damper lifts at, m", lifted, [4e-3, 6e-3]);
    key.reset_to_rest();
    let events = hold(&mut *key, 5.0);
    assert_eq!(count(&events, EventKind::Strike), 1, "{events:?}");
    near("checked at, m", -key.readout(Drive::Free).hammer, [12e-3, 18e-3]);
    // The least weight that takes the key from its rest to 3 mm, before the damper.
    let sinks = |grams: &f64| {
        let mut key = key.duplicate();
        key.reset_to_rest();
        (0..8000).for_each(|_| key.step(Drive::Force([grams * 9.80665e-3; 2]), &mut |_, _| ()));
        key.front()[0] > 3e-3
    };
    let down = (40..70).map(f64::from).find(sinks).unwrap();
    near("down weight, g", down, [48.0, 60.0]);
}
