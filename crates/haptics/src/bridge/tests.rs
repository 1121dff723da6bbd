//! Bridges to emulated controllers, in virtual time: the same bytes on both lines as on the wall clock.

mod histories;
mod limits;
mod returns;

use super::emulated::moteus::{self as emulated_moteus, MoteusFront};
use super::emulated::odrive as emulated_odrive;
use super::emulated::{EmulatedControllers, MotorMode, NAMED};
use super::moteus::Moteus;
use super::odrive::{Endpoints, Odrive};
use super::requirement::Demand;
use super::virtual_time::{Queue, Rig, Virtual};
use super::wire::ControllerWire;
use super::*;
use crate::keyboard::certify::certify;
use crate::keyboard::plant::EmulatedFinger;
use crate::keyboard::script::{FingerAction, Script, ScriptedAction};
use crate::line::conversation::Line;
use crate::servo::{Servo, ServoOptions};
use crate::session::ConnectionState;

/// A key with a motor on its lever: 60 g.
const KEY: KeyPlant = KeyPlant { mass: 0.06, ..KeyPlant::DESK };
const DEMAND: Demand = Demand { force: FORCE, lever: emulated::LEVER };
const DESIGN: BridgeDesign =
    BridgeDesign { keys: 1, first_key: 40, plant: KEY, held: FORCE, rate_hz: 1000 };

type MoteusRig = Rig<Moteus<Virtual<MoteusFront>>>;

/// One key, with a finger of the stiffness `finger`, N/m, that plays `acts`.
fn controllers(finger: f64, acts: &[(f64, FingerAction)]) -> EmulatedControllers<MoteusFront> {
    let finger = EmulatedFinger { stiffness: finger, ..EmulatedFinger::default() };
    emulated_moteus::emulated(1, KEY, finger, script(acts), Some(FORCE))
}

fn script(acts: &[(f64, FingerAction)]) -> Script {
    let act = |(time, action): &(f64, FingerAction)| ScriptedAction {
        time: *time,
        key: 0,
        action: *action,
    };
    Script::new(acts.iter().map(act).collect())
}

fn rig(controllers: EmulatedControllers<MoteusFront>) -> Result<MoteusRig, BridgeError> {
    let moteus = Moteus::new(Virtual::new(controllers), &[1], DEMAND);
    Ok(Rig::new(Bridge::new(moteus, &DESIGN)?))
}

impl MoteusRig {
    fn wire(&mut self) -> &mut Virtual<MoteusFront> {
        &mut self.bridge.controller().wire
    }

    fn motor(&mut self) -> &emulated::EmulatedMotor {
        &self.wire().controllers.bus.motors[0]
    }
}

/// A servo that is armed after 0.1 s, 0.6 s later.
fn armed(rig: &mut MoteusRig) -> Servo {
    armed_with(rig, ServoOptions::default())
}

fn armed_with(rig: &mut MoteusRig, options: ServoOptions) -> Servo {
    let now = rig.time();
    let mut servo = Servo::new(options, now);
    rig.serve(&mut servo, 0.1).unwrap();
    let now = rig.time();
    servo.arm(true, now, &mut rig.queue.down);
    rig.serve(&mut servo, 0.6).unwrap();
    servo
}

fn assert_certified(line: impl Line) {
    let (hello, results) = certify(line, true).unwrap();
    assert_eq!(hello.force_max, 500);
    let failed: Vec<_> = results.iter().filter(|r| r.is_passed != Some(true)).collect();
    assert!(failed.is_empty() && results.len() == 18, "{failed:?}");
}

#[test]
fn a_bridge_to_moteus_passes_every_test_of_a_firmware() {
    assert_certified(rig(controllers(257.0, &[])).unwrap());
}

#[test]
fn a_bridge_to_odrive_passes_every_test_of_a_firmware() {
    let controllers =
        emulated_odrive::emulated(1, KEY, EmulatedFinger::default(), Script::default(), FORCE);
    let endpoints = Endpoints::read(&controllers.front.endpoints()).unwrap();
    let wire = Virtual::new(controllers);
    let odrive = Odrive::new(wire, &[0], DEMAND, emulated_odrive::COUNTS, endpoints).unwrap();
    assert_certified(Rig::new(Bridge::new(odrive, &DESIGN).unwrap()));
}

/// The printed commands set the controller, so that it starts.
#[test]
fn a_controller_as_shipped_is_refused_with_the_commands_that_set_it() {
    let shipped =
        || emulated_moteus::emulated(1, KEY, EmulatedFinger::default(), Script::default(), None);
    let Err(BridgeError::Unsafe(text)) = rig(shipped()) else { panic!("started") };
    for part in [
        "servo.max_current_A is 20, not 0.9674 to 9.674",
        "servo.timeout_mode is 12, not 15",
        "conf set servo.timeout_mode 15",
        "conf write",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let mut controllers = shipped();
    text.lines().filter(|l| l.contains("conf set")).for_each(|l| controllers.front.text(l));
    rig(controllers).unwrap();
}

/// Every required setting alone keeps the bridge from starting.
#[test]
fn one_wrong_setting_is_enough() {
    for required in super::moteus::requirements(&DEMAND, 0.5) {
        let mut wrong = controllers(257.0, &[]);
        wrong.front.text(&format!("conf set {} 77777", required.name));
        let Err(BridgeError::Unsafe(text)) = rig(wrong) else { panic!("{}", required.name) };
        assert_eq!(text.matches("conf set").count(), 1, "{text}");
    }
    let mut wrong =
        emulated_odrive::emulated(1, KEY, EmulatedFinger::default(), Script::default(), FORCE);
    wrong.front.set("axis0.config.enable_watchdog", 0.0);
    let endpoints = Endpoints::read(&wrong.front.endpoints()).unwrap();
    let odrive = Odrive::new(Virtual::new(wrong), &[0], DEMAND, 65_536.0, endpoints).unwrap();
    let Err(BridgeError::Unsafe(text)) = Bridge::new(odrive, &DESIGN) else { panic!("started") };
    assert!(text.contains("odrv0.axis0.config.enable_watchdog = 1"), "{text}");
}

#[test]
fn a_silent_controller_a_slow_bus_and_a_held_key_are_refused() {
    let moteus = Moteus::new(Virtual::new(controllers(257.0, &[])), &[9], DEMAND);
    assert_eq!(Bridge::new(moteus, &DESIGN).err(), Some(BridgeError::Silent(9)));
    let mut slow = controllers(257.0, &[]);
    slow.bus.defects.answer_us = 2000;
    assert!(matches!(rig(slow).err(), Some(BridgeError::Slow(2000.., 1000))));
    let held = FingerAction::Press { depth: 15e-3, within: 1e-3 };
    let mut held = controllers(257.0, &[(0.0, held)]);
    (0..800).for_each(|_| held.tick(&mut Vec::new()));
    let error = rig(held).err().unwrap().to_string();
    assert!(error.contains("let it rest"), "{error}");
}

/// A chord on three controllers of one bus; the host verifies each key.
#[test]
fn three_keys_on_a_bus_are_played() {
    let acts = (0..3).map(|key| ScriptedAction {
        time: 1.2 + 0.01 * f64::from(key),
        key: usize::try_from(key).unwrap(),
        action: FingerAction::Press { depth: 22e-3, within: 0.15 },
    });
    let (finger, script) = (EmulatedFinger::default(), Script::new(acts.collect()));
    let controllers = emulated_moteus::emulated(3, KEY, finger, script, Some(FORCE));
    let moteus = Moteus::new(Virtual::new(controllers), &[1, 2, 3], DEMAND);
    let bridge = Bridge::new(moteus, &BridgeDesign { keys: 3, ..DESIGN }).unwrap();
    let mut rig = Rig::new(bridge);
    let mut servo = armed(&mut rig);
    rig.serve(&mut servo, 1.5).unwrap();
    assert_eq!(servo.status().state, ConnectionState::Live, "{:?}", servo.status().halt_reason);
    for motor in &rig.wire().controllers.bus.motors {
        assert!(motor.key.x > 7e-3 && motor.force > 0.5, "{} m, {} N", motor.key.x, motor.force);
    }
}

/// No force but that of shorted windings later than the watchdog after the bridge has ended in mid-stroke.
#[test]
fn force_ends_with_the_watchdog_after_the_bridge_is_killed() {
    for offset in 0..10 {
        let press = FingerAction::Press { depth: 22e-3, within: 0.1 };
        let mut rig = rig(controllers(257.0, &[(1.0, press)])).unwrap();
        let mut servo = armed(&mut rig);
        rig.serve(&mut servo, 0.45 + 7e-3 * f64::from(offset)).unwrap();
        assert!(rig.motor().force.abs() > 0.5, "{}", rig.motor().force);
        let end = rig.time() + WATCHDOG + 1.5e-3;
        let wire = rig.wire();
        for _ in 0..4000 {
            wire.step();
            let time = wire.controllers.now_us() as f64 * 1e-6;
            let motor = &wire.controllers.bus.motors[0];
            if time >= end {
                assert_eq!(motor.mode, MotorMode::TimedOut);
                // 3 N·s/m, delayed by the speed filter and the current.
                assert!(motor.force.abs() < 3.0 * 0.5 && motor.force * motor.key.v > -0.05);
            }
        }
        assert!(wire.controllers.bus.motors[0].force.abs() < 0.02);
    }
}

/// The watchdog of the controllers outlasts a pause of the bridge; host and user decide when there is force again.
#[test]
fn a_pause_of_the_bridge_ends_force_until_the_user_arms_again() {
    let mut rig = rig(controllers(257.0, &[])).unwrap();
    let mut servo = armed(&mut rig);
    assert_eq!(servo.status().state, ConnectionState::Live);
    (0..400).for_each(|_| rig.wire().step());
    assert_eq!(rig.motor().mode, MotorMode::TimedOut);
    rig.serve(&mut servo, 0.2).unwrap();
    assert_ne!(servo.status().state, ConnectionState::Live);
    assert_eq!(rig.motor().mode, MotorMode::Stopped);
    let now = rig.time();
    servo.arm(true, now, &mut rig.queue.down);
    rig.serve(&mut servo, 0.5).unwrap();
    assert_eq!(servo.status().state, ConnectionState::Live);
    assert_eq!(rig.motor().mode, MotorMode::Running);
    // The commands alone were lost.
    rig.wire().controllers.bus.motors[0].mode = MotorMode::TimedOut;
    rig.serve(&mut servo, 0.01).unwrap();
    assert_eq!(rig.motor().mode, MotorMode::Stopped);
    assert_ne!(servo.status().faults & fault::DRIVER, 0);
}

/// What the controller adds to the force, damping by its own speed, is within the limit that the host asks for.
#[test]
fn a_tighter_limit_of_the_host_holds_at_the_motor() {
    let press = FingerAction::Press { depth: 22e-3, within: 0.05 };
    let mut rig = rig(controllers(257.0, &[(1.0, press)])).unwrap();
    let mut options = ServoOptions::default();
    options.limits.force = 1.2;
    let mut servo = armed_with(&mut rig, options);
    rig.serve(&mut servo, 1.0).unwrap();
    let peak = rig.wire().peak;
    assert!((1.0..=1.22).contains(&peak), "{peak} N");
}

/// Force ends within the silence that is allowed, and the host says why; it can be armed again where the trouble ends.
#[test]
fn every_misbehaviour_ends_force_or_is_played_through() {
    for defect in NAMED {
        let press = FingerAction::Press { depth: 22e-3, within: 0.1 };
        let mut controllers = controllers(257.0, &[(1.5, press)]);
        (defect.change)(&mut controllers.bus.defects);
        let mut rig = match rig(controllers) {
            Ok(rig) => rig,
            Err(error) => {
                println!("{}: {error}", defect.name);
                assert_eq!(defect.name, "controller-answers-2ms");
                continue;
            }
        };
        let mut servo = armed(&mut rig);
        rig.serve(&mut servo, 3.5).unwrap();
        let (status, mode) = (servo.status(), rig.motor().mode);
        let (peak, force) = (rig.wire().peak, rig.motor().force);
        println!(
            "{}: {:?} {:?}, {peak:.2} N at most, {mode:?} {force:.2} N",
            defect.name, status.state, status.halt_reason
        );
        assert!(peak <= 5.05, "{}: {peak} N", defect.name);
        let is_live = status.state == ConnectionState::Live;
        let ends = ["silent", "fault", "hot", "brown-out", "late-1ms", "late-2ms", "late-4ms"];
        let is_ended = ends.iter().any(|end| defect.name.ends_with(end));
        assert_eq!(is_live, !is_ended, "{}: {:?}", defect.name, status.halt_reason);
        if is_ended {
            assert!(force.abs() < 0.3, "{}: {force} N", defect.name);
        }
    }
}

/// Fingers from soft to as stiff as a pencil hold the key in the middle of its way; nothing oscillates.
#[test]
fn fingers_of_any_stiffness_hold_the_key_still() {
    for stiffness in [300.0, 1000.0, 3000.0] {
        let hold = FingerAction::Reach { depth: 8e-3, within: 0.2 };
        let mut rig = rig(controllers(stiffness, &[(1.0, hold)])).unwrap();
        let mut servo = armed(&mut rig);
        rig.serve(&mut servo, 1.2).unwrap();
        assert_eq!(servo.status().state, ConnectionState::Live);
        let [mut least, mut most] = [f64::INFINITY, f64::NEG_INFINITY];
        for _ in 0..400 {
            rig.serve(&mut servo, 1e-3).unwrap();
            let x = rig.motor().key.x;
            (least, most) = (least.min(x), most.max(x));
        }
        println!("{stiffness} N/m: {:.1} µm at {:.2} mm", (most - least) * 1e6, most * 1e3);
        assert!(most - least < 40e-6, "{stiffness} N/m: {} m", most - least);
    }
}
