//! Repetition by a hand: the felt grand compared with the simulated action under the same hand.

use crate::rig::KEY;
use crate::rig::co_simulation::{CoSimulation, MemoryLine};
use touchback_action::interface::key::DynamicsCompensation;
use touchback_action::{ActionSettings, Drive, EventKind, KeyEvent, STEP};
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_haptics::action::Action;
use touchback_haptics::keyboard::emulator::KeyboardDesign;
use touchback_haptics::keyboard::plant::{EmulatedFinger, KeyPlant, SUBSTEPS, Stop};
use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction};
use touchback_haptics::record::log::MemoryLog;
use touchback_haptics::servo::ServoOptions;

/// Depth in the middle and amplitude of the hand, m.
const HAND: [f64; 2] = [7.75e-3, 5.25e-3];
/// Duration, s.
const LASTS: f64 = 2.0;

/// A firm hand.
fn finger() -> EmulatedFinger {
    EmulatedFinger { stiffness: 2000.0, damping: 8.0, ..EmulatedFinger::default() }
}

/// Strikes of the action alone, whose key front is pushed by the hand's finger.
fn alone(rate: f64) -> usize {
    let (f, key) = (finger(), KeyNumber::from_index(39).unwrap());
    let none = DynamicsCompensation::default();
    let (mut key, _) = Action::GRAND.key(key, &ActionSettings::default(), &none);
    let (mut tip_x, mut tip_v, mut strikes, mut time) = (HAND[0] - HAND[1], 0.0, 0, 0.0f64);
    let (w, h) = (std::f64::consts::TAU * rate, STEP / f64::from(SUBSTEPS));
    while time < LASTS {
        let [mut x, v] = key.front();
        let mut mean = 0.0;
        for _ in 0..SUBSTEPS {
            let (sine, cosine) = (w * time).sin_cos();
            let grip = f.stiffness * (HAND[0] - HAND[1] * cosine - tip_x)
                + f.damping * (HAND[1] * w * sine - tip_v);
            let deep = tip_x - x;
            let pulp = f.pulp_stiffness * deep + f.pulp_damping * (tip_v - v);
            let touch = if deep > 0.0 { pulp.max(0.0) } else { 0.0 };
            tip_v += h * (grip - touch) / f.mass;
            tip_x += h * tip_v;
            x += h * v;
            mean += touch / f64::from(SUBSTEPS);
            time += h;
        }
        key.step(Drive::Force([mean, mean]), &mut |_, event| {
            strikes += usize::from(matches!(event, KeyEvent::Strike { .. }));
        });
    }
    strikes
}

/// Strikes of the felt grand, on a keyboard whose bed is at `bed`, m.
fn felt(rate: f64, bed: f64) -> usize {
    let plant = KeyPlant { bed: Stop { depth: bed, ..KEY.bed }, ..KEY };
    let design = KeyboardDesign { plant, finger: finger(), ..KeyboardDesign::default() };
    let line = MemoryLine::new(1, 5);
    let mut pair = CoSimulation::new(&design, Script::default(), ServoOptions::default(), line);
    pair.run(0.3, &mut (), |_| ());
    assert!(pair.arm(&mut ()));
    pair.run(0.7, &mut (), |_| ());
    let [middle, swing] = HAND;
    let action = FingerAction::Shake { middle, swing, rate };
    pair.emulator.play(Script::new(vec![ScriptedAction { time: pair.time(), key: 0, action }]));
    let mut log = MemoryLog::default();
    pair.run(LASTS, &mut log, |_| ());
    log.of(EventKind::Strike).len()
}

/// A keyboard whose bed is 0.6 mm deeper than the action's dip of 10 mm repeats as often as the action alone. On a bed at
/// the dip the key cannot go on into the felt, and the jack does not return.
#[test]
fn a_hand_repeats_as_on_the_action_where_the_bed_is_deeper() {
    for (rate, bed) in [(10.0, 10.0e-3), (11.0, 10.6e-3), (12.0, 10.6e-3)] {
        let strikes = [alone(rate), felt(rate, bed)];
        println!("{rate} Hz, bed {bed} m: {strikes:?} strikes alone and felt");
        assert_eq!(strikes, [floor_index(LASTS * rate); 2], "{rate} Hz, bed {bed} m");
    }
}
