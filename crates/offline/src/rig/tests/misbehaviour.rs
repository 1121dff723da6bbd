//! The host with defective keyboards, and with keys that moved while states were missing.

use crate::rig::KEY;
use crate::rig::co_simulation::{CoSimulation, MemoryLine};
use touchback_action::EventKind;
use touchback_haptics::action::Action;
use touchback_haptics::keyboard::emulator::KeyboardDesign;
use touchback_haptics::keyboard::emulator::defect::{Defects, SensorDefect};
use touchback_haptics::keyboard::plant::KeyPlant;
use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction};
use touchback_haptics::keyboard::symptom::Symptom;
use touchback_haptics::record::log::MemoryLog;
use touchback_haptics::servo::ServoOptions;
use touchback_haptics::session::{ConnectionState, HaltReason};

fn act(time: f64, key: usize, action: FingerAction) -> ScriptedAction {
    ScriptedAction { time, key, action }
}

fn pair(plant: KeyPlant, action: Action, acts: Vec<ScriptedAction>) -> CoSimulation<MemoryLine> {
    let design = KeyboardDesign { plant, ..KeyboardDesign::default() };
    let options = ServoOptions { action, ..ServoOptions::default() };
    CoSimulation::new(&design, Script::new(acts), options, MemoryLine::new(1, 5))
}

/// The result of a session.
#[derive(Debug)]
struct Session {
    state: ConnectionState,
    halt_reason: HaltReason,
    /// Largest force commanded by the host before the halt, N.
    commanded: f64,
    /// Largest force of the motor before the halt, N.
    given: f64,
    /// Time from the first force above 1 N to the halt, s.
    strong: f64,
    /// Largest force of the motor after the halt, N.
    after: f64,
}

/// A session: armed without a finger, then pressed, held and released.
fn session(plant: KeyPlant, defects: Defects) -> Session {
    let acts = vec![
        act(0.8, 0, FingerAction::Press { depth: 22e-3, within: 0.06 }),
        act(1.4, 0, FingerAction::Release { within: 0.1 }),
    ];
    let mut pair = pair(plant, Action::GRAND, acts);
    pair.emulator.set_defects(defects);
    pair.run(0.3, &mut (), |_| ());
    let _ = pair.arm(&mut ());
    let (mut halted, mut strong) = (f64::INFINITY, f64::INFINITY);
    let (mut commanded, mut given, mut after) = (0.0f64, 0.0f64, 0.0f64);
    pair.run(1.7, &mut (), |p| {
        let now = p.time();
        let is_halted = p.servo.status().state == ConnectionState::Halted;
        halted = if is_halted { halted.min(now) } else { halted };
        let force = (p.emulator.force(0) * defects.motor).abs();
        if now < halted {
            commanded = commanded.max(p.servo.key(0).map_or(0.0, |k| k.force.abs()));
            strong = if force > 1.0 { strong.min(now) } else { strong };
        }
        if now < halted {
            given = given.max(force);
        } else if now > halted + 0.02 {
            after = after.max(force);
        }
    });
    let status = pair.servo.status();
    Session {
        state: status.state,
        halt_reason: status.halt_reason,
        commanded,
        given,
        strong: (halted - strong).max(0.0),
        after,
    }
}

/// Typical errors of a new keyboard: each is halted with its own message after at most 1 N of commanded
/// force, and no force remains.
#[test]
fn a_defective_keyboard_is_halted_at_one_newton() {
    let right = Defects::default();
    let table = [
        ("reversed motor", Defects { motor: -1.0, ..right }, Symptom::Reversed),
        ("dead motor", Defects { motor: 0.0, ..right }, Symptom::Unmoved),
        ("motor 2 ms late", Defects { motor_delay: 16, ..right }, Symptom::Delayed),
        ("motor 3 times as strong", Defects { motor: 3.0, ..right }, Symptom::Strong),
        ("motor twice as strong", Defects { motor: 2.0, ..right }, Symptom::Strong),
        ("motor half as strong", Defects { motor: 0.5, ..right }, Symptom::Weak),
        ("reported force × −1", Defects { force: -1.0, ..right }, Symptom::Force),
        ("wave integral × 2", Defects { wave: 2.0, ..right }, Symptom::Wave),
        ("wave integral × 1000", Defects { wave: 1000.0, ..right }, Symptom::Wave),
        ("wave integral × −1", Defects { wave: -1.0, ..right }, Symptom::Wave),
        ("impedance × 2", Defects { impedance: 2.0, ..right }, Symptom::Impedance),
        ("clock × ½", Defects { clock: 0.5, ..right }, Symptom::Clock),
        ("clock × 1.5", Defects { clock: 1.5, ..right }, Symptom::Clock),
        ("random positions", Defects { sensor: SensorDefect::Random, ..right }, Symptom::Position),
        ("positions of 0", Defects { sensor: SensorDefect::Zero, ..right }, Symptom::Unmoved),
    ];
    for (name, defects, symptom) in table {
        for plant in [KEY, KeyPlant::THREE[1]] {
            let s = session(plant, defects);
            println!("{name}, {} kg: {s:?}", plant.mass);
            assert_eq!(s.state, ConnectionState::Halted, "{name}: {s:?}");
            let HaltReason::Implausible(found, _) = s.halt_reason else { panic!("{name}: {s:?}") };
            assert_eq!(found, symptom, "{name}: {s:?}");
            // Twice a push of 0.5 N beyond weight and friction, three times one of a third of a newton.
            assert!(s.given <= 1.05, "{name}: {s:?}");
            assert!(s.commanded <= 1.0 && s.strong < 0.02 && s.after < 0.05, "{name}: {s:?}");
        }
    }
}

/// Keyboards within the documented tolerances are accepted.
#[test]
fn small_errors_do_not_halt() {
    let right = Defects::default();
    for (name, defects) in [
        ("none", right),
        ("motor 20 % weak", Defects { motor: 0.8, ..right }),
        ("motor 25 % strong", Defects { motor: 1.25, ..right }),
        ("motor 0.25 ms late", Defects { motor_delay: 2, ..right }),
        ("clock 1000 ppm fast", Defects { clock: 1.001, ..right }),
    ] {
        for plant in [KEY, KeyPlant::THREE[0], KeyPlant::THREE[1], KeyPlant::THREE[2]] {
            let s = session(plant, defects);
            println!("{name}, {} kg: {s:?}", plant.mass);
            assert_eq!(s.state, ConnectionState::Live, "{name}, {} kg: {s:?}", plant.mass);
            assert!(s.commanded > 2.0, "{name}: {s:?}");
        }
    }
    for step in [0.5e-6, 5e-6, 20e-6] {
        let s = session(KeyPlant { step, ..KEY }, right);
        assert_eq!(s.state, ConnectionState::Live, "{step} m: {s:?}");
    }
}

/// A key pressed silently and held on its bed while states are missing causes no strike and no kick.
#[test]
fn a_key_held_through_a_gap_makes_no_strike() {
    // Two actions have 0.5 mm less dip than the keyboard: their beds push.
    let table = [("grand", 1.0), ("harpsichord", 4.5), ("ball", 1.0), ("viennese", 4.5)];
    for (name, most) in table {
        let action = Action::of(name).unwrap_or_else(|| panic!("{name}"));
        for gap in [0.015, 0.025, 0.05, 0.3] {
            let acts = vec![act(0.8, 0, FingerAction::Press { depth: 16e-3, within: 0.8 })];
            let mut pair = pair(KEY, action, acts);
            assert!(pair.arm(&mut ()));
            pair.run(2.5, &mut (), |_| ());
            let mut record = MemoryLog::default();
            pair.line.up.is_cut = true;
            pair.run(gap, &mut record, |_| ());
            pair.line.up.is_cut = false;
            pair.run(0.02, &mut record, |_| ());
            assert!(pair.arm(&mut record));
            let (mut peak, mut least) = (0.0f64, f64::INFINITY);
            let resting = pair.emulator.key(0).unwrap().x;
            pair.run(1.0, &mut record, |p| {
                peak = peak.max(p.emulator.force(0).abs());
                least = least.min(p.emulator.key(0).unwrap().x);
            });
            let case = format!("{name} {gap} s: {peak} N, {resting} to {least} m");
            println!("{case}");
            assert_eq!(record.of(EventKind::Strike).len(), 0, "{case}, {:?}", record.events);
            assert!(peak < most && least > resting - 0.6e-3, "{case}");
        }
    }
}

/// A session that begins with a held key: no strike, and no force until the key was released and its motor
/// passed the check; then the key plays.
#[test]
fn a_session_begun_with_a_held_key_is_quiet() {
    for action in Action::ALL {
        let acts = vec![
            act(0.0, 0, FingerAction::Press { depth: 14e-3, within: 0.0 }),
            act(1.5, 0, FingerAction::Release { within: 0.1 }),
            act(2.5, 0, FingerAction::Press { depth: 22e-3, within: 0.06 }),
        ];
        let mut pair = pair(KEY, action, acts);
        // The key goes down before the first message.
        pair.frozen = 8 * 500;
        pair.run(0.6, &mut (), |_| ());
        let mut record = MemoryLog::default();
        assert!(pair.arm(&mut record));
        let mut peak = 0.0f64;
        pair.run(0.7, &mut record, |p| peak = peak.max(p.emulator.force(0).abs()));
        assert_eq!(record.of(EventKind::Strike).len(), 0, "{action:?} {:?}", record.events);
        assert!(peak < 1.05, "{action:?}: {peak} N");
        pair.run(1.8, &mut record, |p| peak = peak.max(p.emulator.force(0).abs()));
        assert_eq!(pair.servo.status().state, ConnectionState::Live, "{action:?}");
        assert!(peak > 0.5, "{action:?}: {peak} N");
    }
}

/// Commands that come up to 12 ms late, as when the keyboard's computer or the wire stands still, on a wire that is
/// 1 ms late: force may end for want of commands, or because the late loop creates energy, but the law of a right
/// keyboard is never doubted.
#[test]
fn late_commands_are_no_fault_of_the_keyboard() {
    for seed in 1..=3 {
        let acts = (0..60).flat_map(|i| {
            let begin = 1.0 + 0.9 * f64::from(i);
            let press = FingerAction::Press { depth: 22e-3, within: 0.06 };
            [act(begin, 0, press), act(begin + 0.4, 0, FingerAction::Release { within: 0.1 })]
        });
        let design = KeyboardDesign { plant: KEY, ..KeyboardDesign::default() };
        let script = Script::new(acts.collect());
        let line = MemoryLine::new(1, seed);
        let mut pair = CoSimulation::new(&design, script, ServoOptions::default(), line);
        pair.line.up.faults.late_us = 1000;
        (pair.line.down.faults.lateness, pair.line.down.faults.late_ticks) = (0.01, 96);
        let mut ends = 0;
        pair.run(0.3, &mut (), |_| ());
        while pair.time() < 54.0 {
            let _ = pair.arm(&mut ());
            pair.run(1.0, &mut (), |_| ());
            let status = pair.servo.status();
            ends += u32::from(status.state != ConnectionState::Live);
            let is_wrong = match status.halt_reason {
                HaltReason::Implausible(symptom, _) => symptom != Symptom::Energy,
                _ => false,
            };
            assert!(!is_wrong, "seed {seed}, {} s: {status:?}", pair.time());
        }
        println!("seed {seed}: force ended {ends} times");
    }
}

/// A finger that presses while a key makes its first push, or trills then, is never taken for a fault of the keyboard.
#[test]
fn a_finger_during_the_first_push_is_no_strong_motor() {
    for i in 0..100 {
        let begin = 0.3 + 2e-3 * f64::from(i);
        let action = match i % 3 {
            0 => FingerAction::Press { depth: 22e-3, within: 0.02 },
            1 => FingerAction::Press { depth: 22e-3, within: 0.06 },
            _ => FingerAction::Trill { depth: 14e-3, rate: 8.0, lasts: 0.4 },
        };
        let acts =
            vec![act(begin, 0, action), act(begin + 0.4, 0, FingerAction::Release { within: 0.1 })];
        let mut pair = pair(KEY, Action::GRAND, acts);
        pair.run(0.3, &mut (), |_| ());
        assert!(pair.arm(&mut ()));
        pair.run(1.0, &mut (), |_| ());
        let status = pair.servo.status();
        assert_eq!(status.state, ConnectionState::Live, "{begin} s: {:?}", status.halt_reason);
    }
}

/// A sensor that drifts while the key rests, also between strokes, is found before it is 1 mm off, or within 0.9 s: without
/// a strike that nobody played and with little force. Fingers that press slowly, or hold a key a little below its rest, are
/// not.
#[test]
fn a_drifting_sensor_is_found_at_rest_and_a_slow_finger_is_none() {
    let stroke = |i: u32| {
        let begin = 1.0 + 0.9 * f64::from(i);
        [
            act(begin, 0, FingerAction::Press { depth: 22e-3, within: 0.06 }),
            act(begin + 0.4, 0, FingerAction::Release { within: 0.1 }),
        ]
    };
    for rate in [0.1e-3, 0.3e-3, 1e-3, 3e-3, -0.2e-3, -1e-3, -5e-3] {
        for strokes in [0, 8] {
            let acts = (0..strokes).flat_map(stroke).collect();
            let mut pair = pair(KEY, Action::GRAND, acts);
            let sensor = SensorDefect::Drift(rate);
            pair.emulator.set_defects(Defects { begin: 1.9, sensor, ..Defects::default() });
            pair.run(0.3, &mut (), |_| ());
            assert!(pair.arm(&mut ()));
            let mut log = MemoryLog::default();
            let (mut halted, mut peak) = (f64::INFINITY, 0.0f64);
            pair.run(8.0, &mut log, |p| {
                if p.servo.status().state != ConnectionState::Live {
                    halted = halted.min(p.time());
                } else if strokes == 0 {
                    peak = peak.max(p.emulator.force(0).abs());
                }
            });
            let reason = pair.servo.status().halt_reason;
            let off = rate.abs() * (halted - 1.9);
            let played = (0..strokes).filter(|i| 1.0 + 0.9 * f64::from(*i) < halted).count();
            let struck = log.of(EventKind::Strike).iter().filter(|e| e.time() < halted).count();
            println!("{rate} m/s, {strokes}: {off} m, {peak} N, {struck} of {played}, {reason:?}");
            assert!(matches!(reason, HaltReason::Implausible(Symptom::Drift, _)), "{reason:?}");
            assert!(off < f64::max(1.2e-3, 0.9 * rate.abs()) && struck <= played);
            assert!(peak < 1.5, "{rate} m/s: {peak} N");
        }
    }
    for (depth, within) in [(22e-3, 10.0), (22e-3, 3.0), (4e-3, 4.0), (1.5e-3, 1.0), (0.8e-3, 0.1)]
    {
        let acts = vec![act(1.0, 0, FingerAction::Press { depth, within })];
        let mut pair = pair(KEY, Action::GRAND, acts);
        pair.run(0.3, &mut (), |_| ());
        assert!(pair.arm(&mut ()));
        pair.run(8.0, &mut (), |_| ());
        let status = pair.servo.status();
        assert_eq!(status.state, ConnectionState::Live, "{depth} m: {:?}", status.halt_reason);
    }
}

/// With sensors of 20 µm strokes strike, and strike alike when they are repeated; coarser ones are refused.
#[test]
fn coarse_sensors_hold_their_force_or_get_none() {
    for plant in [KEY, KeyPlant::THREE[0], KeyPlant::THREE[1], KeyPlant::THREE[2]] {
        let acts = (0..6u32).flat_map(|i| {
            let (begin, within) = (1.0 + 0.9 * f64::from(i), [0.06, 0.1, 0.04][(i % 3) as usize]);
            [
                act(begin, 0, FingerAction::Press { depth: 22e-3, within }),
                act(begin + 0.4, 0, FingerAction::Release { within: 0.1 }),
            ]
        });
        let mut pair = pair(KeyPlant { step: 20e-6, ..plant }, Action::GRAND, acts.collect());
        pair.run(0.3, &mut (), |_| ());
        assert!(pair.arm(&mut ()));
        let mut log = MemoryLog::default();
        pair.run(6.3, &mut log, |_| ());
        let speeds: Vec<_> = log.of(EventKind::Strike).iter().map(|e| e.event.value()).collect();
        assert_eq!((speeds.len(), pair.servo.status().state), (6, ConnectionState::Live));
        let alike = (0..3).all(|i| (speeds[i + 3] / speeds[i] - 1.0).abs() < 0.02);
        assert!(alike, "{} kg: {speeds:?}", plant.mass);
    }
    let mut pair = pair(KeyPlant { step: 25e-6, ..KEY }, Action::GRAND, Vec::new());
    pair.run(0.3, &mut (), |_| ());
    let _ = pair.arm(&mut ());
    pair.run(1.0, &mut (), |_| ());
    assert_eq!(pair.servo.status().halt_reason, HaltReason::CoarseSensor(25));
}
