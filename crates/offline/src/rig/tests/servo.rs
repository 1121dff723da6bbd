//! The servo over an emulated keyboard: states, force, events, twin.

use touchback_device::frame::MAX_FRAME;
use touchback_device::message::Message;

use crate::rig::co_simulation::{CoSimulation, MemoryLine};
use touchback_action::{ActionSettings, EventKind};
use touchback_core::math::compass::KeyNumber;
use touchback_haptics::action::Action;
use touchback_haptics::keyboard::emulator::KeyboardDesign;
use touchback_haptics::keyboard::plant::KeyPlant;
use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction};
use touchback_haptics::line::simulated_link::LinkFaults;
use touchback_haptics::record::log::{MemoryLog, Twin};
use touchback_haptics::servo::{Servo, ServoOptions};
use touchback_haptics::session::{ConnectionState, HaltReason};

fn act(time: f64, key: usize, action: FingerAction) -> ScriptedAction {
    ScriptedAction { time, key, action }
}

fn design(keys: u8) -> KeyboardDesign {
    KeyboardDesign { keys, plant: KeyPlant::DESK, ..KeyboardDesign::default() }
}

fn pair(keys: u8, options: ServoOptions, acts: Vec<ScriptedAction>) -> CoSimulation<MemoryLine> {
    CoSimulation::new(&design(keys), Script::new(acts), options, MemoryLine::new(1, 5))
}

#[test]
fn nothing_gives_force_before_arming() {
    let acts = vec![
        act(0.3, 0, FingerAction::Press { depth: 22e-3, within: 0.06 }),
        act(0.8, 0, FingerAction::Release { within: 0.1 }),
    ];
    let mut pair = pair(1, ServoOptions::default(), acts);
    let mut record = MemoryLog::default();
    pair.run(1.5, &mut record, |p| assert_eq!(p.emulator.force(0), 0.0));
    assert_eq!(pair.servo.status().state, ConnectionState::Present);
    // The key plays nevertheless.
    assert_eq!(record.of(EventKind::Strike).len(), 1, "{:?}", record.events);
}

#[test]
fn let_off_check_and_repetition_are_rendered() {
    let acts = vec![
        act(0.5, 0, FingerAction::Press { depth: 22e-3, within: 0.08 }),
        act(0.9, 0, FingerAction::Press { depth: 2e-3, within: 0.08 }),
        act(1.02, 0, FingerAction::Press { depth: 22e-3, within: 0.08 }),
        act(1.4, 0, FingerAction::Release { within: 0.1 }),
    ];
    let mut pair = pair(1, ServoOptions::default(), acts);
    let mut record = MemoryLog::default();
    assert!(pair.arm(&mut record));
    pair.run(2.2, &mut record, |_| ());
    assert_eq!(pair.servo.status().state, ConnectionState::Live, "{:?}", pair.servo.status());
    for kind in [EventKind::LetOffStart, EventKind::Strike, EventKind::Check] {
        assert_eq!(record.of(kind).len(), 2, "{kind:?} {:?}", record.events);
    }
    assert!(pair.emulator.peak() > 0.5 && pair.emulator.peak() <= 20.0);
    let end = (pair.servo.key(0), pair.emulator.key(0), pair.servo.simulated(0));
    assert!(pair.servo.status().awake == 0, "{end:?}");
}

#[test]
fn every_action_can_be_rendered() {
    for action in Action::ALL {
        let acts = vec![
            act(0.5, 0, FingerAction::Press { depth: 15e-3, within: 0.1 }),
            act(1.5, 0, FingerAction::Release { within: 0.2 }),
        ];
        let mut pair = pair(1, ServoOptions { action, ..ServoOptions::default() }, acts);
        assert!(pair.arm(&mut ()));
        pair.run(2.5, &mut (), |_| ());
        let status = pair.servo.status();
        assert_eq!((status.state, status.upset), (ConnectionState::Live, 0), "{action:?}");
        assert!(pair.emulator.peak() > 0.2, "{action:?}: {} N", pair.emulator.peak());
    }
}

#[test]
fn a_keyboard_that_takes_only_forces_is_coupled() {
    let design = KeyboardDesign { has_junction: false, ..design(1) };
    let acts = vec![
        act(0.5, 0, FingerAction::Press { depth: 22e-3, within: 0.08 }),
        act(1.0, 0, FingerAction::Release { within: 0.1 }),
    ];
    let line = MemoryLine::new(1, 5);
    let mut pair = CoSimulation::new(&design, Script::new(acts), ServoOptions::default(), line);
    let mut record = MemoryLog::default();
    assert!(pair.arm(&mut record));
    pair.run(1.6, &mut record, |_| ());
    assert_eq!(pair.servo.status().state, ConnectionState::Live);
    assert_eq!(record.of(EventKind::Strike).len(), 1);
    assert!(pair.emulator.peak() > 0.3 && pair.emulator.peak() < 20.0);
}

/// A keyboard with sensors of 20 µm and no motors plays by its positions, as the same keyboard unarmed does, and
/// gets no command.
#[test]
fn a_keyboard_without_motors_plays() {
    let strikes = |step: f64, has_motors: bool| {
        let acts = (0..6).flat_map(|i| {
            let (time, within) = (0.5 + 0.9 * f64::from(i), 0.05 + 0.03 * f64::from(i));
            [
                act(time, 0, FingerAction::Press { depth: 20e-3, within }),
                act(time + within + 0.3, 0, FingerAction::Release { within: 0.1 }),
            ]
        });
        let plant = KeyPlant { step, ..KeyPlant::DESK };
        let design = KeyboardDesign { has_motors, plant, ..design(1) };
        let line = MemoryLine::new(1, 5);
        let script = Script::new(acts.collect());
        let mut pair = CoSimulation::new(&design, script, ServoOptions::default(), line);
        let mut record = MemoryLog::default();
        assert!(has_motors || !pair.arm(&mut record));
        pair.run(6.5, &mut record, |p| assert_eq!(p.emulator.force(0), 0.0));
        assert_eq!(pair.servo.status().state, ConnectionState::Present);
        let (_, faults) = pair.emulator.mode();
        assert_eq!(faults & touchback_device::message::fault::FRAME, 0);
        record.of(EventKind::Strike).iter().map(|e| e.event.value()).collect::<Vec<_>>()
    };
    let (fine, coarse, unarmed) =
        (strikes(2e-6, false), strikes(20e-6, false), strikes(2e-6, true));
    println!("{fine:?} {coarse:?} {unarmed:?}");
    assert!(fine.len() == 6 && coarse.len() == 6 && unarmed.len() == 6);
    // The simulated key's own mechanics are whole here and partly deducted there.
    for ((fine, coarse), unarmed) in fine.iter().zip(&coarse).zip(&unarmed) {
        assert!((coarse / fine - 1.0).abs() < 0.02, "{fine} m/s, {coarse} m/s");
        assert!((fine / unarmed - 1.0).abs() < 0.1, "{fine} m/s, {unarmed} m/s unarmed");
    }
}

/// Regulation changes under trilling keys, one of them idle: the twin follows.
#[test]
fn the_twin_follows_regulation_changes_during_play() {
    let trill = |rate: f64| FingerAction::Trill { depth: 14e-3, rate, lasts: 3.0 };
    let acts = vec![
        act(0.3, 0, trill(4.1)),
        act(0.3, 1, trill(5.3)),
        act(2.2, 2, FingerAction::Press { depth: 22e-3, within: 0.08 }),
    ];
    let mut pair = pair(3, ServoOptions::default(), acts);
    let mut record = MemoryLog::default();
    assert!(pair.arm(&mut record));
    let standard = ActionSettings::default();
    let other =
        ActionSettings { let_off_mm: 4.0, blow_mm: 42.0, key_dip_mm: 9.0, ..standard.clone() };
    for turn in 0..40 {
        // Some changes come before the previous one has taken effect.
        pair.run([0.1, 0.07, 0.012][turn % 3], &mut record, |_| ());
        pair.servo.feel(Action::GRAND, if turn % 2 == 0 { &other } else { &standard });
    }
    pair.run(0.5, &mut record, |_| ());
    assert!(pair.servo.key(0).unwrap().turned != 0.0);
    let mut twin = Twin::new(Action::GRAND);
    record.entries.iter().for_each(|entry| twin.play(entry, |_| ()));
    for (index, key) in (39..42).filter_map(KeyNumber::from_index).enumerate() {
        let servo = pair.servo.simulated(index).unwrap().save().bits();
        assert_eq!(twin.key(key).unwrap().0.save().bits(), servo, "{index}");
    }
}

/// Under a held key the force changes to the new regulation without a jump.
#[test]
fn regulation_is_slewed_under_a_held_key() {
    let acts = vec![act(0.3, 0, FingerAction::Press { depth: 5e-3, within: 0.3 })];
    let mut pair = pair(1, ServoOptions::default(), acts);
    assert!(pair.arm(&mut ()));
    pair.run(1.3, &mut (), |_| ());
    // The largest change of the force between states, N, and the final force.
    let watch = |pair: &mut CoSimulation<MemoryLine>| {
        let (mut last, mut step) = (pair.servo.key(0).unwrap().force, 0.0f64);
        pair.run(0.3, &mut (), |p| {
            let force = p.servo.key(0).unwrap().force;
            step = step.max((force - last).abs());
            last = force;
        });
        (last, step)
    };
    let (start, noise) = watch(&mut pair);
    let settings =
        ActionSettings { key_lead_g: 20.0, hammer_mass: 1.3, ..ActionSettings::default() };
    pair.servo.feel(Action::GRAND, &settings);
    let (end, step) = watch(&mut pair);
    let change = (end - start).abs();
    assert!(
        change > 0.1 && step < noise + 0.3 * change,
        "{step} N at once of {change} N, {noise} N before"
    );
}

#[test]
fn the_twin_is_the_servo_bit_for_bit() {
    let acts = (0..8)
        .map(|k| {
            act(
                0.3,
                k,
                FingerAction::Trill { depth: 14e-3, rate: 4.0 + 0.7 * k as f64, lasts: 5.0 },
            )
        })
        .collect();
    let mut pair = pair(8, ServoOptions::default(), acts);
    let mut record = MemoryLog::default();
    assert!(pair.arm(&mut record));
    // With lost messages and a disconnection.
    pair.run(1.0, &mut record, |_| ());
    pair.line.up.faults = LinkFaults { loss: 0.05, ..LinkFaults::default() };
    pair.run(1.0, &mut record, |_| ());
    pair.line.up.is_cut = true;
    pair.run(0.1, &mut record, |p| assert!(p.emulator.peak() <= 20.0));
    assert_eq!(pair.servo.status().state, ConnectionState::Seeking);
    pair.line.up.is_cut = false;
    assert!(pair.arm(&mut record));
    pair.run(2.0, &mut record, |_| ());
    let mut twin = Twin::new(Action::GRAND);
    let mut heard = Vec::new();
    record.entries.iter().for_each(|e| twin.play(e, |h| heard.push(*h)));
    assert_eq!(heard, record.events);
    assert!(twin.adopted() > 8);
    for k in 0..8 {
        let servo = pair.servo.simulated(k).unwrap();
        let (mechanism, _) = twin.key(KeyNumber::from_index(39 + k).unwrap()).unwrap();
        assert_eq!(mechanism.save().bits(), servo.save().bits());
    }
}

/// A bass key held down after a stroke, with the strings' vibration and without: motion of the keyboard's key,
/// m, and the twin.
#[test]
fn a_held_key_vibrates_with_its_strings_and_the_twin_follows() {
    let held = |vibrates: bool| {
        let options = ServoOptions { vibrates, ..ServoOptions::default() };
        let press = act(0.6, 0, FingerAction::Press { depth: 22e-3, within: 0.06 });
        let design = KeyboardDesign { first_key: 8, ..design(1) };
        let line = MemoryLine::new(1, 5);
        let mut pair = CoSimulation::new(&design, Script::new(vec![press]), options, line);
        let mut record = MemoryLog::default();
        assert!(pair.arm(&mut record));
        // A key that stands perfectly still under force is nudged once to test its sensor, 0.3 s later.
        pair.run(1.3, &mut record, |_| ());
        let (mut low, mut high) = (f64::MAX, f64::MIN);
        pair.run(0.2, &mut record, |p| {
            let x = p.emulator.key(0).unwrap().x;
            (low, high) = (low.min(x), high.max(x));
        });
        assert_eq!(pair.servo.status().state, ConnectionState::Live);
        assert_eq!(record.of(EventKind::Strike).len(), 1);
        let mut twin = Twin::new(Action::GRAND);
        record.entries.iter().for_each(|entry| twin.play(entry, |_| ()));
        let key = KeyNumber::from_index(7).unwrap();
        let servo = pair.servo.simulated(0).unwrap().save().bits();
        assert_eq!(twin.key(key).unwrap().0.save().bits(), servo);
        high - low
    };
    let (without, with) = (held(false), held(true));
    assert!(without < 1e-6 && with > 3e-6 && with < 160e-6, "{without} m without, {with} m with");
}

/// Twelve keys pressed at once on a keyboard whose state messages report five: every hammer strikes as with
/// messages that report all, and the twins miss nothing.
#[test]
fn keys_that_a_state_message_omits_keep_moving() {
    let strikes = |state_keys: u8| {
        let press = FingerAction::Press { depth: 22e-3, within: 0.08 };
        let acts = (0..12).map(|k| act(0.6, k, press)).collect();
        let design = KeyboardDesign { state_keys, ..design(12) };
        let mut pair = CoSimulation::new(
            &design,
            Script::new(acts),
            ServoOptions::default(),
            MemoryLine::new(1, 5),
        );
        let mut record = MemoryLog::default();
        assert!(pair.arm(&mut record));
        pair.run(1.0, &mut record, |_| ());
        let mut twin = Twin::new(Action::GRAND);
        record.entries.iter().for_each(|entry| twin.play(entry, |_| ()));
        for (index, key) in (39..51).filter_map(KeyNumber::from_index).enumerate() {
            let servo = pair.servo.simulated(index).unwrap().save().bits();
            assert_eq!(twin.key(key).unwrap().0.save().bits(), servo, "{index}");
        }
        assert_eq!(pair.servo.status().gaps, 0);
        let strikes = record.of(EventKind::Strike);
        assert_eq!(strikes.len(), 12, "states of {state_keys}");
        strikes.iter().map(|strike| strike.event.value()).sum::<f64>() / 12.0
    };
    let (all, five) = (strikes(88), strikes(5));
    assert!(all > 0.5 && (five / all - 1.0).abs() < 0.15, "{five} of {all} m/s");
}

/// A keyboard that sends *hello* but no states counts as absent, without flicker.
#[test]
fn hellos_without_states_do_not_keep_a_keyboard_present() {
    let mut pair = pair(1, ServoOptions::default(), Vec::new());
    pair.run(0.5, &mut (), |_| ());
    assert_eq!(pair.servo.status().state, ConnectionState::Present);
    let (hello, mut out) = (pair.servo.status().hello.unwrap(), Vec::new());
    let mut frame = [0; MAX_FRAME];
    let length = Message::Hello(hello).frame(&mut frame).unwrap();
    let begin = pair.time();
    for tick in 0..2000u32 {
        let now = begin + f64::from(tick) * 1e-3;
        out.clear();
        pair.servo.tick(now, &mut out);
        if !out.is_empty() {
            pair.servo.receive(now, &frame[..length], &mut out, &mut ());
        }
        let state = pair.servo.status().state;
        assert!(tick < 25 || state == ConnectionState::Seeking, "{state:?} after {tick} ms");
    }
}

#[test]
fn a_frozen_host_loses_force_within_the_watchdog_and_arms_again() {
    let acts = vec![act(0.0, 0, FingerAction::Press { depth: 6e-3, within: 0.1 })];
    let mut pair = pair(1, ServoOptions::default(), acts);
    assert!(pair.arm(&mut ()));
    pair.run(0.5, &mut (), |_| ());
    pair.frozen = 8 * 100;
    let begun = pair.time();
    let mut speeds = std::collections::VecDeque::from([0.0f64; 16]);
    pair.run(0.1, &mut (), |p| {
        speeds.pop_front();
        speeds.push_back(p.emulator.key(0).unwrap().v.abs());
        if p.time() > begun + 0.035 {
            // Only damping, and the steps of the encoder.
            let most = 0.1 + 3.0 * speeds.iter().fold(0.0, |m: f64, v| m.max(*v));
            assert!(p.emulator.force(0).abs() < most, "{} N", p.emulator.force(0));
        }
    });
    pair.run(0.01, &mut (), |_| ());
    assert_ne!(pair.servo.status().state, ConnectionState::Live);
    assert!(pair.arm(&mut ()), "{:?}", pair.servo.status());
}

#[test]
fn unknown_devices_are_refused_with_a_message() {
    let mut servo = Servo::new(ServoOptions::default(), 0.0);
    let mut out = Vec::new();
    let mut hello = touchback_haptics::keyboard::emulator::build(&design(1)).hello;
    hello.version = 9;
    let mut frame = [0; MAX_FRAME];
    let length = Message::Hello(hello).frame(&mut frame).unwrap();
    servo.receive(0.0, &frame[..length], &mut out, &mut ());
    let status = servo.status();
    assert_eq!(
        (status.state, status.halt_reason),
        (ConnectionState::Refused, HaltReason::Version(9))
    );
    servo.arm(true, 0.0, &mut out);
    assert_eq!(servo.status().state, ConnectionState::Refused);
}
