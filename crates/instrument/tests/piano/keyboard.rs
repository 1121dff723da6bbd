//! Keyboard of 88 keys: sleeping keys, settings, constructed strikes.

use touchback_action::grand::key::pressing;
use touchback_action::interface::events::EventList;
use touchback_action::interface::hand::Hand;
use touchback_action::interface::press::Effort;
use touchback_action::{ActionSettings, Drive, EventKind, Keyboard, STEP};
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::kernel::Kernel;
use touchback_core::math::random::Random;

fn key(midi: u8) -> KeyNumber {
    KeyNumber::from_midi(midi).unwrap()
}

/// Steps `n` times under `drive`, collecting (time, kind, value).
fn run(
    keyboard: &mut Keyboard,
    n: u32,
    mut drive: impl FnMut(f64, &mut Keyboard),
) -> Vec<(f64, KeyNumber, EventKind, f64)> {
    let mut events = EventList::default();
    let mut all = Vec::new();
    for i in 0..n {
        let t = f64::from(i) * STEP;
        drive(t, keyboard);
        events.clear();
        keyboard.step(&mut events);
        all.extend(events.iter().map(|e| (t + e.offset, e.key, e.event.kind(), e.event.value())));
    }
    all
}

/// Presses at a constant finger speed from `start` s on, releases 0.3 s later.
fn press(k: KeyNumber, start: f64, speed: f64) -> impl FnMut(f64, &mut Keyboard) {
    move |t, keyboard| {
        let depth = |t: f64| ((t - start) * speed).clamp(0.0, 0.05);
        if t < start {
        } else if t < start + 0.3 {
            keyboard.drive(k, Drive::Finger([depth(t), depth(t + STEP)]));
        } else {
            keyboard.drive(k, Drive::Free);
        }
    }
}

#[test]
fn a_sleeping_key_wakes_exactly_like_a_new_one() {
    let settings = ActionSettings::default();
    let mut fresh = Keyboard::new(&settings);
    let first = run(&mut fresh, 8000, press(key(60), 0.0, 0.2));
    assert!(first.iter().any(|e| e.2 == EventKind::Strike));
    assert_eq!(fresh.awake(), 0, "back asleep a second later");
    // The same gesture after a long sleep gives the same bits.
    run(&mut fresh, 20_000, |_, _| {});
    let again = run(&mut fresh, 8000, press(key(60), 0.0, 0.2));
    assert_eq!(first, again);
}

#[test]
fn keys_do_not_disturb_each_other() {
    let settings = ActionSettings::default();
    let alone = run(&mut Keyboard::new(&settings), 4000, press(key(60), 0.01, 0.2));
    let mut one = press(key(60), 0.01, 0.2);
    let mut other = press(key(64), 0.02, 0.5);
    let both = run(&mut Keyboard::new(&settings), 4000, |t, k| {
        one(t, k);
        other(t, k);
    });
    let of_c: Vec<_> = both.into_iter().filter(|e| e.1 == key(60)).collect();
    assert_eq!(alone, of_c);
}

#[test]
fn a_reset_keyboard_repeats_its_events() {
    let mut keyboard = Keyboard::new(&ActionSettings::default());
    let a = run(&mut keyboard, 1234, press(key(40), 0.0, 0.3));
    keyboard.reset();
    let b = run(&mut keyboard, 1234, press(key(40), 0.0, 0.3));
    assert_eq!(a, b);
}

#[test]
fn a_constructed_strike_rebounds_is_checked_and_returns_to_rest() {
    for midi in [21, 48, 60, 90, 108] {
        for speed in [0.25, 1.0, 3.0, 7.0] {
            let mut keyboard = Keyboard::new(&ActionSettings::default());
            let k = key(midi);
            assert!(keyboard.construct_strike(k, speed));
            assert!(keyboard.key_depth(k) > 8e-3);
            let held = run(&mut keyboard, 4000, |_, kb| {
                kb.drive(k, Drive::Finger([0.016; 2]));
            });
            let strikes = held.iter().filter(|e| e.2 == EventKind::Strike).count();
            assert_eq!(strikes, 0, "key {midi} at {speed}: it does not strike again");
            assert!(held.iter().any(|e| e.2 == EventKind::KeyBottom), "{midi} {speed}");
            keyboard.construct_release(k, 0.3);
            let freed = run(&mut keyboard, 8000, |_, kb| kb.drive(k, Drive::Free));
            assert!(freed.iter().all(|e| e.2 != EventKind::Strike));
            assert_eq!(keyboard.awake(), 0, "key {midi} after {speed} still moves");
        }
    }
}

/// A constructed release begins as the damper begins to meet the string, which takes as long as the key is slow.
#[test]
fn a_released_damper_falls_at_the_speed_of_its_key() {
    let time = |midi: u8, speed: f64| {
        let (mut keyboard, k) = (Keyboard::new(&ActionSettings::default()), key(midi));
        keyboard.construct_release(k, speed);
        assert!(keyboard.damper_lift(k) > 0.9, "key {midi} at {speed}");
        let depth = keyboard.key_depth(k);
        let mut steps = 0;
        while keyboard.damper_lift(k) > 0.0 {
            let finger = [0, 1].map(|n| depth - speed * STEP * f64::from(steps + n));
            run(&mut keyboard, 1, |_, kb| kb.drive(k, Drive::Finger(finger)));
            steps += 1;
        }
        1e3 * STEP * f64::from(steps)
    };
    for midi in [21, 48, 72] {
        // Milliseconds at the lowest, the middle and the highest velocity of a note-off.
        let [slow, middle, fast] = [0.077, 0.3, 1.17].map(|speed| time(midi, speed));
        assert!((15.0..35.0).contains(&slow), "key {midi}: {slow} ms");
        assert!((4.0..10.0).contains(&middle) && fast < middle, "key {midi}: {middle} {fast} ms");
    }
}

#[test]
fn a_regulation_without_let_off_makes_a_strike_impossible() {
    let shallow = ActionSettings { key_dip_mm: 6.0, ..ActionSettings::default() };
    let mut keyboard = Keyboard::new(&shallow);
    assert!(!keyboard.construct_strike(key(60), 2.0));
    assert_eq!(keyboard.awake(), 0);
}

#[test]
fn the_pressing_table_agrees_with_simulated_presses() {
    let mut keyboard = Keyboard::new(&ActionSettings::default());
    for (number, speeds) in pressing::HAMMER {
        let k = KeyNumber::all().find(|k| f64::from(k.number()) == number).unwrap();
        for (force, expected) in pressing::FORCE.iter().zip(speeds).step_by(2) {
            keyboard.reset();
            let mut hand = Hand::pressing(0.0, *force, 0.0);
            let events = run(&mut keyboard, 4000, |_, keyboard| {
                let key = [keyboard.key_depth(k), keyboard.key_speed(k)];
                keyboard.drive(k, Drive::Force(hand.step(key)));
            });
            let got = events.iter().find(|e| e.2 == EventKind::Strike).map_or(0.0, |e| e.3);
            assert!(
                (got - expected).abs() < 0.012,
                "key {number} pressed with {force} N: {got} m/s, table {expected}"
            );
        }
    }
    let Some(Effort::Muscle(wanted)) = keyboard.pressing(key(60), 1.5) else { panic!() };
    assert!((10.0..16.0).contains(&wanted));
    assert!(keyboard.pressing(key(60), 9.0).is_none());
}

#[test]
fn changed_settings_are_slewed_and_reach_moving_keys_only() {
    let mut keyboard = Keyboard::new(&ActionSettings::default());
    keyboard.configure(&ActionSettings { let_off_mm: 4.0, ..ActionSettings::default() });
    run(&mut keyboard, 400, |_, _| {});
    let early = run(&mut keyboard, 4000, press(key(60), 0.0, 0.2));
    let mut standard = Keyboard::new(&ActionSettings::default());
    let late = run(&mut standard, 4000, press(key(60), 0.0, 0.2));
    let release = |events: &[(f64, KeyNumber, EventKind, f64)]| {
        events.iter().find(|e| e.2 == EventKind::Release).unwrap().0
    };
    assert!(release(&early) < release(&late) - 1e-3);
    // After the slew the keyboard equals one built with the settings.
    let there = ActionSettings { let_off_mm: 4.0, ..ActionSettings::default() };
    let built = run(&mut Keyboard::new(&there), 4000, press(key(60), 0.0, 0.2));
    assert_eq!(early, built);
}

#[test]
fn the_pedal_lifts_dampers_without_waking_keys() {
    let mut keyboard = Keyboard::new(&ActionSettings::default());
    assert_eq!(keyboard.damper_lift(key(60)), 0.0);
    assert_eq!(keyboard.damper_lift(key(108)), 1.0, "no damper up there");
    keyboard.sustain(1.0);
    run(&mut keyboard, 400, |_, _| {});
    assert_eq!(keyboard.damper_lift(key(60)), 1.0);
    assert_eq!(keyboard.awake(), 0);
    keyboard.sustain(0.0);
    run(&mut keyboard, 400, |_, _| {});
    assert_eq!(keyboard.damper_lift(key(60)), 0.0);
}

#[test]
fn random_playing_and_regulation_lose_no_state() {
    let mut random = Random::new(1);
    let mut uniform = || random.share();
    let mut keyboard = Keyboard::new(&ActionSettings::default());
    let mut events = EventList::default();
    let keys: Vec<KeyNumber> = KeyNumber::all().step_by(11).collect();
    let mut targets = vec![0.0; keys.len()];
    for round in 0..600 {
        if round % 40 == 39 {
            keyboard.configure(&ActionSettings {
                let_off_mm: 0.5 + 3.0 * uniform(),
                blow_mm: 40.0 + 12.0 * uniform(),
                check_mm: 8.0 + 12.0 * uniform(),
                repetition_spring: 2.0 * uniform(),
                ..ActionSettings::default()
            });
        }
        let next: Vec<f64> = keys.iter().map(|_| 0.05 * uniform() - 0.01).collect();
        let steps = 40 + (round * 7) % 200;
        for step in 0..steps {
            let at = |i: usize, s: i32| {
                targets[i] + (next[i] - targets[i]) * f64::from(s) / f64::from(steps)
            };
            for (i, key) in keys.iter().enumerate() {
                keyboard.drive(*key, Drive::Finger([at(i, step), at(i, step + 1)]));
            }
            events.clear();
            keyboard.step(&mut events);
        }
        targets = next;
    }
    assert_eq!(keyboard.lost_states(), 0);
    assert_eq!(keyboard.capped_steps(), 0);
    for key in keys {
        assert!((-2e-3..20e-3).contains(&keyboard.key_depth(key)), "{}", keyboard.key_depth(key));
    }
}

/// Step, key, kind, and the bits of offset and value of an event.
type EventBits = (u32, u8, EventKind, u64, u64);

/// Plays all keys under random gestures, pedals and settings for `steps`. Returns every event, and for each
/// key a checksum of its states at every step.
fn exercised(kernel: Kernel, steps: u32) -> (Vec<EventBits>, Vec<u64>) {
    let mut keyboard = Keyboard::with_kernel(&ActionSettings::default(), kernel);
    let mut random = Random::new(7);
    let mut events = EventList::default();
    let (mut recorded, mut sums) = (Vec::new(), vec![0u64; 88]);
    let mut gestures = [(0u32, 0.0, 0.0, 0.0); 88];
    for step in 0..steps {
        if random.share() < 0.002 {
            keyboard.sustain(2.0 * random.share() - 1.0);
        }
        if random.share() < 0.0005 {
            let hammer_mass = 0.8 + 0.4 * random.share();
            keyboard.configure(&ActionSettings { hammer_mass, ..ActionSettings::default() });
        }
        for key in KeyNumber::all() {
            let gesture = &mut gestures[key.index()];
            if random.share() < 0.004 {
                let target = if random.share() < 0.5 { 0.0 } else { 0.018 * random.share() };
                let speed = 0.02 + 0.6 * random.share().powi(2);
                *gesture = (step % 5, gesture.1, target, speed);
                if random.share() < 0.1 {
                    keyboard.construct_strike(key, 0.3 + 6.0 * random.share());
                }
            }
            let reach = gesture.3 * STEP;
            let from = gesture.1;
            gesture.1 += (gesture.2 - from).clamp(-reach, reach);
            let ramp = [from, gesture.1];
            keyboard.drive(
                key,
                match gesture.0 {
                    0 | 1 => Drive::Finger(ramp),
                    2 => Drive::line(ramp.map(|p| p.min(0.0095))),
                    3 => Drive::Force(ramp.map(|p| 800.0 * p)),
                    _ => Drive::Free,
                },
            );
        }
        events.clear();
        keyboard.step(&mut events);
        recorded.extend(events.iter().map(|e| {
            let (offset, value) = (e.offset.to_bits(), e.event.value().to_bits());
            (step, e.key.number(), e.event.kind(), offset, value)
        }));
        for key in KeyNumber::all() {
            let state = keyboard.state(key);
            let sum = &mut sums[key.index()];
            *sum = sum.rotate_left(5) ^ u64::from(u32::from(state.phase.letter()));
            for value in state.x {
                *sum = (*sum ^ value.to_bits()).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    assert_eq!(keyboard.lost_states(), 0);
    (recorded, sums)
}

#[test]
#[ignore = "long: `.ci/run` runs it"]
fn every_kernel_gives_every_key_the_same_bits() {
    let steps = 6000;
    let (events, sums) = exercised(Kernel::Plain, steps);
    for kind in [EventKind::Strike, EventKind::Check, EventKind::Reset, EventKind::DamperFall] {
        let count = events.iter().filter(|e| e.2 == kind).count();
        assert!(count > 50, "{kind:?}: {count}");
    }
    for kernel in Kernel::available() {
        let (other_events, other_sums) = exercised(kernel, steps);
        assert!(other_events == events, "{kernel:?}: events differ");
        for (key, (a, b)) in sums.iter().zip(&other_sums).enumerate() {
            assert_eq!(a, b, "{kernel:?}: key {}", key + 1);
        }
    }
}
