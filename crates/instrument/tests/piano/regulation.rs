//! Regulation by a technician: its effect on the key, also while it plays.

use touchback_action::grand::GrandKey;
use touchback_action::grand::design::concert::Design;
use touchback_action::interface::events::EventList;
use touchback_action::{ActionSettings, Drive, EventKind, Key, Keyboard, STEP};
use touchback_core::math::compass::{KeyNumber, linear};
use touchback_instrument::Settings;
use touchback_instrument::host::params::{self, ParameterGroup};

fn key(midi: u8) -> KeyNumber {
    KeyNumber::from_midi(midi).unwrap()
}

/// A key under a finger's path (time, s, target, m) until `end` s. Returns the events, and the height of the
/// crown above the string at the end, m.
fn pressed(
    settings: &ActionSettings,
    path: &[(f64, f64)],
    end: f64,
) -> (Vec<(EventKind, f64)>, f64) {
    let mut played = GrandKey::new(key(60), settings);
    let mut events = Vec::new();
    let mut t = 0.0;
    while t < end {
        let drive = Drive::Finger([linear(path, t), linear(path, t + STEP)]);
        played.step(drive, &mut |_, event| events.push((event.kind(), event.value())));
        t += STEP;
    }
    let [crown, _] = played.assembly().hammer(&played.state().x);
    (events, crown)
}

fn count(events: &[(EventKind, f64)], kind: EventKind) -> usize {
    events.iter().filter(|e| e.0 == kind).count()
}

/// Down to the bed and held.
const HELD: [(f64, f64); 2] = [(0.0, 0.0), (0.08, 0.016)];

/// Down, half way up, and down again.
const AGAIN: [(f64, f64); 5] =
    [(0.0, 0.0), (0.08, 0.016), (0.3, 0.016), (0.45, 0.004), (0.52, 0.02)];

#[test]
fn the_standard_regulation_is_within_every_limit() {
    for k in KeyNumber::all() {
        let limits = Design::new(k).build(&ActionSettings::default()).regulated.limits;
        assert_eq!(limits.reasons().count(), 0, "{limits:?} at {}", k.number());
    }
}

#[test]
fn a_regulation_without_let_off_before_the_bed_is_reported() {
    let shallow = ActionSettings { key_dip_mm: 8.0, ..ActionSettings::default() };
    let limits = Design::new(key(60)).build(&shallow).regulated.limits;
    assert!(limits.after_touch, "{limits:?}");
    assert!(limits.reasons().any(|r| r.starts_with("key_dip_mm")));
    let slow = [(0.0, 0.0), (2.0, 0.012)];
    let (events, _) = pressed(&shallow, &slow, 2.5);
    assert_eq!(count(&events, EventKind::Release), 0, "{events:?}");
}

#[test]
fn the_repetition_spring_decides_whether_a_half_release_strikes_again() {
    let standard = ActionSettings::default();
    let without = ActionSettings { repetition_spring: 0.0, ..standard.clone() };
    assert_eq!(count(&pressed(&standard, &AGAIN, 0.8).0, EventKind::Strike), 2);
    assert_eq!(count(&pressed(&without, &AGAIN, 0.8).0, EventKind::Strike), 1);
    assert!(Design::new(key(60)).build(&without).regulated.limits.spring);
}

#[test]
fn a_polished_check_does_not_hold_the_hammer() {
    let standard = ActionSettings::default();
    let (_, held) = pressed(&standard, &HELD, 0.6);
    assert!((-0.018..-0.010).contains(&held), "{held}");
    let polished = ActionSettings { check_friction: 0.1, ..standard };
    let (_, slipped) = pressed(&polished, &HELD, 0.6);
    assert!(!(-0.018..-0.010).contains(&slipped), "{slipped}");
}

#[test]
fn ratio_weight_and_height_act_as_on_a_grand() {
    let standard = ActionSettings::default();
    let built = |s: &ActionSettings| Design::new(key(60)).build(s);
    let depth = |s: &ActionSettings| built(s).regulated.let_off_depth;
    // A larger ratio lets off at a smaller key depth.
    assert!(
        depth(&ActionSettings { capstan_mm: 2.0, ..standard.clone() }) < depth(&standard) - 1e-4
    );
    assert!(
        depth(&ActionSettings { knuckle_mm: 16.5, ..standard.clone() }) < depth(&standard) - 1e-4
    );
    // Heavier hammers and fewer leads push the key up harder.
    let balance = |s: &ActionSettings| {
        let b = built(s);
        b.regulated.upward_force - b.spec.key.lead_torque / b.spec.key.front
    };
    let heavier = ActionSettings { strike_weight_g: 1.0, ..standard.clone() };
    let rise = balance(&heavier) - balance(&standard);
    assert!((0.04..0.07).contains(&rise), "1 g at the crown is {rise} N at the key");
    let leads = ActionSettings { key_lead_g: 5.0, ..standard.clone() };
    assert!((balance(&leads) - balance(&standard) - 5e-3 * 9.806_65).abs() < 1e-9);
    // Higher keys keep blow and dip.
    let high = built(&ActionSettings { key_height_mm: 2.0, ..standard.clone() });
    let low = built(&standard);
    assert!((high.spec.key.rest_angle - low.spec.key.rest_angle + 2e-3 / 0.218).abs() < 1e-9);
    assert!((high.regulated.rest[1] - low.regulated.rest[1]).abs() < 1e-12);
}

#[test]
fn every_regulation_swept_during_a_trill_leaves_no_state_behind() {
    let mut events = EventList::default();
    for p in params::all()
        .filter(|p| matches!(p.group, ParameterGroup::Regulation | ParameterGroup::Action))
    {
        let mut keyboard = Keyboard::new(&ActionSettings::default());
        let keys = [key(60), key(62)];
        let mut strikes = 0;
        for step in 0..12_000u32 {
            let t = f64::from(step) * STEP;
            if step % 16 == 0 {
                // Up, down and back over the whole range of the parameter.
                let share = 0.5 - 0.5 * (std::f64::consts::TAU * t / 1.5).cos();
                let mut settings = Settings::default();
                p.set(&mut settings, p.plain(share));
                keyboard.configure(&settings.action);
            }
            for (i, k) in keys.into_iter().enumerate() {
                let target = |t: f64| {
                    let beat = (6.0 * t + 0.5 * i as f64).fract();
                    linear(&[(0.0, -0.002), (0.4, 0.02), (0.6, 0.02), (1.0, -0.002)], beat)
                };
                keyboard.drive(k, Drive::Finger([target(t), target(t + STEP)]));
            }
            events.clear();
            keyboard.step(&mut events);
            strikes += events.iter().filter(|e| e.event.kind() == EventKind::Strike).count();
        }
        assert_eq!(keyboard.lost_states(), 0, "{}", p.id);
        assert!(strikes >= 4, "{}: {strikes} strikes", p.id);
        // In the standard regulation and released, every part returns to rest.
        keyboard.configure(&ActionSettings::default());
        for step in 0..16_000u32 {
            for k in keys {
                keyboard.drive(k, Drive::Free);
            }
            events.clear();
            keyboard.step(&mut events);
            if keyboard.awake() == 0 && step > 400 {
                break;
            }
        }
        assert_eq!(keyboard.awake(), 0, "{} leaves a key moving", p.id);
        for k in keys {
            assert!(keyboard.key_depth(k).abs() < 2e-4, "{}: key stuck", p.id);
        }
    }
}
