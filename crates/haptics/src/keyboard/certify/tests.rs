//! Certification of emulated keyboards in virtual time.

use super::*;
use crate::keyboard::emulator::defect::{Defects, NAMED};
use crate::keyboard::emulator::{Emulator, KeyboardDesign, TICK_US};
use crate::keyboard::script::{FingerAction, Script, ScriptedAction};
use crate::line::simulated_link::LinkFaults;

/// A line of 1 ms a turn to an emulated keyboard.
struct Wire(Emulator);

impl Line for Wire {
    fn turn(&mut self, bytes: &[u8], into: &mut Vec<u8>) -> Result<f64, String> {
        self.0.receive(bytes);
        for _ in 0..1000 / TICK_US {
            self.0.tick(into);
        }
        Ok(self.0.time())
    }
}

/// Claims that a keyboard with the defect `name` fails; `none` has none.
fn failed(name: &str) -> Vec<&'static str> {
    let (mut design, mut defects) = (Emulator::on_a_desk(), Defects::default());
    if let Some(defect) = NAMED.iter().find(|defect| defect.name == name) {
        (defect.change)(&mut design, &mut defects, &mut LinkFaults::default());
    }
    let mut emulator = Emulator::new(&design, Script::default());
    emulator.set_defects(defects);
    let (hello, results) = certify(Wire(emulator), true).unwrap();
    for result in &results {
        println!("{name}: {result:?}");
    }
    let page = page(name, &hello, "not made", &results);
    assert_eq!(page.lines().filter(|line| line.ends_with("passed |")).count(), {
        results.iter().filter(|r| r.is_passed == Some(true)).count()
    });
    results.iter().filter(|r| r.is_passed == Some(false)).map(|r| r.claim).collect()
}

#[test]
fn the_device_passes_every_test() {
    assert_eq!(failed("none"), Vec::<&str>::new());
}

/// A test that a finger has disturbed is repeated; where fingers never leave the keys the page says so.
#[test]
fn a_touched_key_is_no_fault_of_the_firmware() {
    let mut emulator = Emulator::new(&Emulator::on_a_desk(), Script::round(1));
    (0..8000).for_each(|_| emulator.tick(&mut Vec::new()));
    let (_, results) = certify(Wire(emulator), true).unwrap();
    assert!(results.iter().all(|r| r.is_passed == Some(true)), "{results:?}");
    let trill = FingerAction::Trill { depth: 8e-3, rate: 6.0, lasts: 100.0 };
    let acts = vec![ScriptedAction { time: 0.0, key: 0, action: trill }];
    let emulator = Emulator::new(&Emulator::on_a_desk(), Script::new(acts));
    let (_, results) = certify(Wire(emulator), true).unwrap();
    let told =
        |r: &CertifyResult| r.is_passed != Some(false) || r.observed.contains("do not touch");
    assert!(results.iter().all(told), "{results:?}");
}

#[test]
fn a_keyboard_with_a_wrong_law_fails_the_test_of_that_law() {
    for (name, claim) in [
        ("integral-x1.1", "report the wave integral of the law"),
        ("integral-reversed", "report the wave integral of the law"),
        ("impedance-x2", "raise the impedance by 250 N·s/m per second"),
        ("force-reversed", "report the applied force"),
        ("clock-x1.1", "count time in microseconds"),
    ] {
        let failed = failed(name);
        assert!(failed.contains(&claim), "{name}: {failed:?}");
    }
}

/// A keyboard without a junction, or without motors, passes what applies to it and is not tested with force.
#[test]
fn a_keyboard_without_a_junction_takes_no_test_of_force() {
    for has_motors in [false, true] {
        let design = KeyboardDesign { has_junction: false, has_motors, ..Emulator::on_a_desk() };
        let wire = Wire(Emulator::new(&design, Script::default()));
        let (_, results) = certify(wire, true).unwrap();
        let count = |is| results.iter().filter(|r| r.is_passed == is).count();
        assert_eq!((count(Some(true)), count(Some(false)), count(None)), (6, 0, 12), "{results:?}");
    }
}
