//! Host notes that move keys of the emulator: force limits, arming, yielding to a finger.

use crate::rig::KEY;
use crate::rig::acceptance::line;
use crate::rig::co_simulation::{CoSimulation, MemoryLine};
use touchback_action::EventKind;
use touchback_core::math::compass::KeyNumber;
use touchback_haptics::action::Action;
use touchback_haptics::keyboard::emulator::KeyboardDesign;
use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction};
use touchback_haptics::record::log::{Entry, MemoryLog, Twin};
use touchback_haptics::servo::ServoOptions;

const FORCE: f64 = 10.0;

fn armed(keys: u8, plays: bool, recorded: &mut MemoryLog) -> CoSimulation<MemoryLine> {
    let design = KeyboardDesign { keys, plant: KEY, ..KeyboardDesign::default() };
    let options = ServoOptions { plays, play_force: FORCE, ..ServoOptions::default() };
    let mut pair = CoSimulation::new(&design, Script::default(), options, line());
    assert!(pair.arm(recorded));
    // The servo checks clock and motors first.
    pair.run(0.4, recorded, |_| ());
    pair
}

fn key(number: usize) -> KeyNumber {
    KeyNumber::from_index(39 + number).unwrap()
}

/// Twelve keys from soft to loud, more than one state message reports: every key goes down, strikes and
/// returns; no motor exceeds its limit, louder notes strike faster, and the twin's states are the servo's.
#[test]
fn notes_move_their_keys_within_the_force_limit() {
    let mut recorded = MemoryLog::default();
    let mut pair = armed(12, true, &mut recorded);
    let speeds = [0.1, 0.2, 0.4];
    let mut twin = Twin::new(Action::GRAND);
    let mut replayed = 0;
    for (i, speed) in speeds.iter().enumerate() {
        let number = 4 * i + 1;
        pair.servo.play(key(number), *speed);
        let mut deepest = 0.0f64;
        pair.run(0.6, &mut recorded, |p| {
            deepest = deepest.max(p.emulator.key(number).unwrap().x);
        });
        assert!(deepest > 9e-3, "{speed} m/s: {deepest} m");
        assert_eq!(pair.servo.status().played, 1);
        recorded.entries[replayed..].iter().for_each(|e| twin.play(e, |_| ()));
        replayed = recorded.entries.len();
        let servo = pair.servo.simulated(number).unwrap().save().bits();
        assert_eq!(twin.key(key(number)).unwrap().0.save().bits(), servo);
        pair.servo.play(key(number), 0.0);
        pair.run(0.5, &mut recorded, |_| ());
        assert!(pair.emulator.key(number).unwrap().x < 0.5e-3);
        assert_eq!((pair.servo.status().played, pair.servo.status().yields), (0, 0));
    }
    let struck: Vec<f64> = recorded.of(EventKind::Strike).iter().map(|h| h.event.value()).collect();
    assert!(struck.len() == 3 && struck.is_sorted() && struck[2] > 1.5 * struck[0], "{struck:?}");
    // The key's inertia and its landing on the bed add force through the junction, within the servo's limit.
    let most = pair.servo.options().limits.force;
    assert!(pair.emulator.peak() <= most, "{} N", pair.emulator.peak());
    let told: Vec<bool> = recorded
        .entries
        .iter()
        .filter_map(|e| match e {
            Entry::Played { is_played, .. } => Some(*is_played),
            _ => None,
        })
        .collect();
    assert_eq!(told, [true, false, true, false, true, false]);
}

/// Notes move no key while the player is off, the keyboard not armed, or absent.
#[test]
fn the_player_is_off_unless_it_is_allowed() {
    let mut recorded = MemoryLog::default();
    let mut pair = armed(1, false, &mut recorded);
    assert!(!ServoOptions::default().plays);
    // The key creeps back after its first push.
    pair.run(1.0, &mut recorded, |_| ());
    pair.servo.play(key(0), 0.4);
    let mut peak = 0.0f64;
    pair.run(0.3, &mut recorded, |p| peak = peak.max(p.emulator.force(0).abs()));
    // Encoder noise of an idle key gives a few mN.
    assert!(peak < 0.05 && pair.servo.status().played == 0, "{peak} N");
    let mut pair = armed(1, true, &mut recorded);
    let mut out = Vec::new();
    let now = pair.time();
    pair.servo.arm(false, now, &mut out);
    pair.servo.play(key(0), 0.4);
    pair.servo.play(key(7), 0.4);
    pair.run(0.3, &mut recorded, |_| ());
    assert_eq!(pair.servo.status().played, 0);
    assert!(recorded.of(EventKind::Strike).is_empty());
}

/// Time from the finger's first 0.5 N to the player's last force, ms, for a finger that presses the key, one
/// that holds it up, and one that meets the strongest stroke.
#[test]
fn a_key_yields_to_a_finger_at_once() {
    for (speed, action) in [
        (0.03, FingerAction::Press { depth: 16e-3, within: 0.02 }),
        (0.03, FingerAction::Bias { force: -4.0 }),
        (0.05, FingerAction::Bias { force: 6.0 }),
        (0.03, FingerAction::Strike { speed: 0.5 }),
    ] {
        let mut recorded = MemoryLog::default();
        let mut pair = armed(1, true, &mut recorded);
        let begin = pair.time();
        pair.servo.play(key(0), speed);
        pair.emulator.play(Script::new(vec![ScriptedAction {
            time: begin + 0.15,
            key: 0,
            action,
        }]));
        let (mut touched, mut left) = (None, None);
        pair.run(0.6, &mut recorded, |p| {
            let touch = p.emulator.key(0).unwrap().touch;
            if touched.is_none() && touch.abs() > 0.5 {
                touched = Some(p.time());
            }
            if left.is_none() && p.servo.status().yields > 0 {
                left = Some(p.time());
            }
        });
        let took = (left.unwrap() - touched.unwrap()) * 1e3;
        eprintln!("{action:?}: the player let go {took:.1} ms after the touch");
        assert!((0.0..=20.0).contains(&took), "{action:?}: {took} ms");
        assert_eq!(pair.servo.status().played, 0);
        if matches!(action, FingerAction::Strike { .. }) {
            continue;
        }
        // The key stays with the finger until it has been at rest.
        pair.servo.play(key(0), 0.2);
        pair.run(0.1, &mut recorded, |_| ());
        assert_eq!(pair.servo.status().played, 0, "{action:?}");
    }
}

/// A finger blocks a key that has to leave its stop, and a finger is on the key already.
#[test]
fn a_key_that_is_held_is_not_forced() {
    let mut recorded = MemoryLog::default();
    let mut pair = armed(1, true, &mut recorded);
    let hold =
        ScriptedAction { time: pair.time(), key: 0, action: FingerAction::Bias { force: -15.0 } };
    pair.emulator.play(Script::new(vec![hold]));
    pair.servo.play(key(0), 0.3);
    let begin = pair.time();
    let mut left = None;
    pair.run(0.5, &mut recorded, |p| {
        if left.is_none() && p.servo.status().yields > 0 {
            left = Some(p.time() - begin);
        }
    });
    assert!(left.unwrap() < 0.1, "{left:?}");
    assert!(pair.emulator.peak() <= FORCE, "{} N", pair.emulator.peak());
    let mut pair = armed(1, true, &mut recorded);
    let press = ScriptedAction {
        time: pair.time(),
        key: 0,
        action: FingerAction::Press { depth: 20e-3, within: 0.1 },
    };
    pair.emulator.play(Script::new(vec![press]));
    pair.run(0.4, &mut recorded, |_| ());
    let strikes = recorded.of(EventKind::Strike).len();
    pair.servo.play(key(0), 0.4);
    pair.run(0.4, &mut recorded, |_| ());
    assert_eq!((pair.servo.status().played, recorded.of(EventKind::Strike).len()), (0, strikes));
}
