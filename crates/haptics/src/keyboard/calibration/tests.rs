use super::*;
use crate::keyboard::emulator::defect::Defects;
use crate::keyboard::emulator::{Emulator, KeyboardDesign};
use crate::keyboard::plant::{KeyPlant, Stop};
use crate::keyboard::script::{FingerAction, Script, ScriptedAction};
use std::cell::RefCell;

/// An emulated keyboard in virtual time, and its largest force, N.
struct Virtual {
    emulator: Emulator,
    peak: f64,
}

impl Line for &RefCell<Virtual> {
    fn turn(&mut self, bytes: &[u8], into: &mut Vec<u8>) -> Result<f64, String> {
        let Virtual { emulator, peak } = &mut *self.borrow_mut();
        emulator.receive(bytes);
        for _ in 0..4 {
            emulator.tick(into);
            *peak = peak.max(emulator.force(0).abs());
        }
        Ok(emulator.time())
    }
}

fn keyboard(plant: KeyPlant, defects: Defects, script: Script) -> RefCell<Virtual> {
    let design = KeyboardDesign { plant, ..Emulator::on_a_desk() };
    let mut emulator = Emulator::new(&design, script);
    emulator.set_defects(defects);
    RefCell::new(Virtual { emulator, peak: 0.0 })
}

fn plant([mass, weight, friction, damping, depth]: [f64; 5]) -> KeyPlant {
    let bed = Stop { depth, ..KeyPlant::DESK.bed };
    KeyPlant { mass, weight, friction, damping, bed, ..KeyPlant::DESK }
}

/// Light to heavy keys, with and without weight: mass kg, weight N, friction N, damping N·s/m, bed m.
const KEYS: [[f64; 5]; 5] = [
    [0.015, 0.10, 0.03, 0.05, 9.0e-3],
    [0.030, 0.20, 0.10, 0.10, 10.0e-3],
    [0.050, 0.00, 0.05, 0.20, 10.5e-3],
    [0.100, 0.40, 0.20, 0.50, 11.0e-3],
    [0.200, 0.50, 0.30, 1.00, 9.5e-3],
];

#[test]
fn known_keys_are_measured_with_at_most_two_newtons() {
    for numbers in KEYS {
        let line = keyboard(plant(numbers), Defects::default(), Script::default());
        let mut calibration = Calibration::begin(&line).unwrap();
        let found = calibration.key(0).unwrap();
        calibration.end().unwrap();
        let [mass, weight, friction, damping, depth] = numbers;
        let [bed, stiffness] = found.bed.unwrap();
        let is_near = found.zero.abs() < 30e-6
            && found.noise < 5e-6
            && (found.mass / mass - 1.0).abs() < 0.02
            && (found.weight - weight).abs() < 2e-3
            && (found.friction - friction).abs() < 5e-3
            && (found.damping - damping).abs() < 0.1 + 0.2 * damping
            && found.delay.abs() < 0.15e-3
            && (bed - depth).abs() < 40e-6
            && (stiffness / 20e3 - 1.0).abs() < 0.5;
        assert!(is_near, "{numbers:?}: {found:?}");
        let Virtual { emulator, peak } = &*line.borrow();
        assert!(*peak <= FORCE + 0.01 && emulator.force(0) == 0.0, "{peak} N");
    }
}

/// Motors that are weaker, stronger or later than commanded: with the motor constant the corrected
/// measurement is that of the key.
#[test]
fn motor_constant_and_delay_are_measured() {
    for (motor, motor_delay) in [(0.8, 0), (1.25, 0), (1.0, 4), (0.9, 8)] {
        let numbers = KEYS[1];
        let defects = Defects { motor, motor_delay, ..Defects::default() };
        let line = keyboard(plant(numbers), defects, Script::default());
        let mut calibration = Calibration::begin(&line).unwrap();
        let found = calibration.key(0).unwrap();
        let mass = 0.05;
        line.borrow_mut().emulator.load(0, mass);
        let given = calibration.motor(0, found.weight, mass).unwrap();
        calibration.end().unwrap();
        let found = KeyMeasurement { motor: given, ..found }.corrected(1.0);
        let late = f64::from(u32::try_from(motor_delay).unwrap()) * 125e-6;
        let is_near = (given / motor - 1.0).abs() < 0.02
            && (found.delay - late).abs() < 0.15e-3
            && (found.mass / numbers[0] - 1.0).abs() < 0.05
            && (found.weight - numbers[1]).abs() < 5e-3
            && (found.friction - numbers[2]).abs() < 10e-3;
        assert!(is_near, "{motor} {motor_delay}: {given} {found:?}");
    }
}

#[test]
fn a_failed_measurement_has_an_error_and_leaves_no_force() {
    let wrong = |motor, script: Script| {
        let line = keyboard(KeyPlant::DESK, Defects { motor, ..Defects::default() }, script);
        let mut calibration = Calibration::begin(&line).unwrap();
        let trouble = calibration.key(0).unwrap_err();
        let Virtual { emulator, peak } = &*line.borrow();
        assert!(*peak <= FORCE + 0.01 && emulator.force(0) == 0.0, "{peak} N");
        trouble
    };
    assert_eq!(wrong(-1.0, Script::default()), CalibrationError::Reversed);
    assert_eq!(wrong(0.0, Script::default()), CalibrationError::Unmoved);
    let act = |action| Script::new(vec![ScriptedAction { time: 0.0, key: 0, action }]);
    let trill = FingerAction::Trill { depth: 8e-3, rate: 5.0, lasts: 60.0 };
    assert_eq!(wrong(1.0, act(trill)), CalibrationError::Restless);
    let silent = NoKeyboard { time: 0.0, is_gone: false };
    assert_eq!(Calibration::begin(silent).unwrap_err(), CalibrationError::Silent);
    let gone = NoKeyboard { time: 0.0, is_gone: true };
    assert_eq!(Calibration::begin(gone).unwrap_err().to_string(), "the port is gone");
}

/// A line without a keyboard.
#[derive(Debug)]
struct NoKeyboard {
    time: f64,
    is_gone: bool,
}

impl Line for NoKeyboard {
    fn turn(&mut self, _: &[u8], _: &mut Vec<u8>) -> Result<f64, String> {
        self.time += 1e-3;
        if self.is_gone { Err("the port is gone".into()) } else { Ok(self.time) }
    }
}

#[test]
fn correction_scales_lengths_and_forces() {
    let found = KeyMeasurement {
        zero: 1e-4,
        mass: 0.05,
        weight: 0.3,
        damping: 0.2,
        bed: Some([0.01, 2e4]),
        motor: 0.5,
        ..KeyMeasurement::default()
    };
    let right = found.corrected(2.0);
    assert_eq!((right.zero, right.mass, right.weight), (2e-4, 0.0125, 0.15));
    assert_eq!((right.damping, right.bed), (0.05, Some([0.02, 5e3])));
}
