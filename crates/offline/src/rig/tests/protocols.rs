//! Firmware of version 2, and what version 3 adds: speeds, faults of the hardware.

use crate::rig::KEY;
use crate::rig::co_simulation::{CoSimulation, MemoryLine};
use touchback_action::EventKind;
use touchback_device::device::safety::DeviceMode;
use touchback_device::message::fault;
use touchback_haptics::keyboard::emulator::KeyboardDesign;
use touchback_haptics::keyboard::emulator::defect::{Defects, SensorDefect};
use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction};
use touchback_haptics::keyboard::symptom::Symptom;
use touchback_haptics::record::log::MemoryLog;
use touchback_haptics::servo::ServoOptions;
use touchback_haptics::session::{ConnectionState, HaltReason};

/// A keyboard of [`KEY`] that a finger presses at 1.0 s, 1.9 s and 2.8 s.
fn pair(design: KeyboardDesign) -> CoSimulation<MemoryLine> {
    let each = |i: u32| {
        let begin = 1.0 + 0.9 * f64::from(i);
        let press = FingerAction::Press { depth: 22e-3, within: 0.06 };
        [(begin, press), (begin + 0.4, FingerAction::Release { within: 0.1 })]
    };
    let acts = (0..3).flat_map(each).map(|(time, action)| ScriptedAction { time, key: 0, action });
    let (script, options) = (Script::new(acts.collect()), ServoOptions::default());
    CoSimulation::new(
        &KeyboardDesign { plant: KEY, ..design },
        script,
        options,
        MemoryLine::new(1, 5),
    )
}

/// A keyboard with firmware of version 2 is armed, felt and played as one of version 3, bit for bit.
#[test]
fn a_keyboard_of_version_2_plays_as_one_of_version_3() {
    let [old, new] = [2, 3].map(|protocol| {
        let mut pair = pair(KeyboardDesign { protocol, ..KeyboardDesign::default() });
        pair.run(0.3, &mut (), |_| ());
        // The ask that version 2 cannot read is no fault to tell of.
        assert_eq!(pair.servo.status().faults, 0);
        let mut log = MemoryLog::default();
        assert!(pair.arm(&mut log));
        pair.run(3.5, &mut log, |_| ());
        let status = pair.servo.status();
        let hello = status.hello.unwrap();
        assert_eq!((hello.version, hello.serial != 0), (protocol, protocol == 3));
        assert_eq!((status.state, status.damaged), (ConnectionState::Live, 0));
        log.of(EventKind::Strike)
    });
    assert!(old == new && old.len() == 3, "{old:?} {new:?}");
}

/// With a sensor of speed, a position that stands still is found as soon as the key has moved by 1.5 mm, before
/// force could push for long. A right keyboard with one plays.
#[test]
fn a_speed_sensor_shows_a_position_that_stands_still() {
    for is_frozen in [false, true] {
        let mut pair = pair(KeyboardDesign { has_speeds: true, ..KeyboardDesign::default() });
        if is_frozen {
            let sensor = SensorDefect::Frozen;
            pair.emulator.set_defects(Defects { sensor, begin: 1.9, ..Defects::default() });
        }
        pair.run(0.3, &mut (), |_| ());
        assert!(pair.arm(&mut ()));
        let (mut halted, mut moved) = (f64::INFINITY, 0.0f64);
        pair.run(3.4, &mut (), |p| {
            if p.servo.status().state == ConnectionState::Halted {
                halted = halted.min(p.time());
            } else if p.time() > 1.9 {
                moved = moved.max(p.emulator.key(0).unwrap().x);
            }
        });
        let reason = pair.servo.status().halt_reason;
        println!("frozen {is_frozen}: {reason:?} at {halted} s after {moved} m");
        let is_found = matches!(reason, HaltReason::Implausible(Symptom::Speed, _));
        assert_eq!((is_found, halted.is_finite()), (is_frozen, is_frozen));
        assert!(!is_frozen || moved < 2.5e-3, "{moved} m");
    }
}

/// A supply that is switched off, or a driver that reports a fault, halts the session by name; while it persists
/// the keyboard cannot be armed, and the halt names the reason.
#[test]
fn a_fault_of_the_hardware_halts_and_names_itself() {
    for bits in [fault::SUPPLY, fault::DRIVER, fault::TEMPERATURE, fault::NO_ZERO] {
        let mut pair = pair(KeyboardDesign::default());
        pair.emulator.set_defects(Defects { hardware: bits, begin: 1.2, ..Defects::default() });
        pair.run(0.3, &mut (), |_| ());
        assert!(pair.arm(&mut ()));
        pair.run(1.2, &mut (), |p| {
            assert!(p.time() < 1.2003 || p.emulator.force(0) == 0.0);
        });
        let named =
            |reason| matches!(reason, HaltReason::Device(DeviceMode::Fault, f) if f & bits != 0);
        assert!(named(pair.servo.status().halt_reason), "{:?}", pair.servo.status().halt_reason);
        // Arming is tried once and refused.
        let mut out = Vec::new();
        pair.servo.arm(true, pair.time(), &mut out);
        pair.emulator.receive(&out);
        pair.run(0.7, &mut (), |p| assert_eq!(p.emulator.force(0), 0.0));
        let status = pair.servo.status();
        assert!(status.state == ConnectionState::Halted && named(status.halt_reason), "{status:?}");
    }
}
