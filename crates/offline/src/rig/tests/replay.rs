//! The servo's log replayed on the audio clock.

use crate::rig::KEY;
use crate::rig::acceptance::line;
use crate::rig::co_simulation::CoSimulation;
use touchback_action::interface::key::STATES;
use touchback_action::{EventKind, STEP, TimedEvent};
use touchback_core::exchange::queue;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::random::Random;
use touchback_haptics::action::Action;
use touchback_haptics::keyboard::emulator::KeyboardDesign;
use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction};
use touchback_haptics::record::log::MemoryLog;
use touchback_haptics::record::replay::{Replay, end};
use touchback_haptics::servo::ServoOptions;

fn trill(seconds: f64) -> (MemoryLog, [u64; STATES + 1]) {
    let act = ScriptedAction {
        time: 0.3,
        key: 0,
        action: FingerAction::Trill { depth: 14e-3, rate: 5.0, lasts: 1e9 },
    };
    let design = KeyboardDesign { plant: KEY, ..KeyboardDesign::default() };
    let script = Script::new(vec![act]);
    let mut pair = CoSimulation::new(&design, script, ServoOptions::default(), line());
    let mut recorded = MemoryLog::default();
    assert!(pair.arm(&mut recorded));
    pair.run(seconds, &mut recorded, |_| ());
    (recorded, pair.servo.simulated(0).unwrap().save().bits())
}

/// Entries that arrive up to 2 ms late from a keyboard with a clock error of 200 ppm: every strike sounds,
/// none later than its time, with constant delay, and the twin's states are the servo's.
#[test]
fn strikes_keep_their_distances_under_drift_and_jitter() {
    let (recorded, servo) = trill(12.0);
    for drift in [-200e-6, 200e-6] {
        let (sender, receiver) = queue::bounded(16_384);
        let (rate, block) = (48_000.0, 64);
        let mut replay = Replay::new(receiver, Action::GRAND, rate, block);
        let mut random = Random::new(5);
        let mut entries = recorded.entries.iter().peekable();
        let mut sounded = Vec::new();
        let (mut now, mut due) = (0u64, 0.0);
        while now < 13 * 48_000 {
            // Entries that have arrived by this block, in order.
            while let Some(entry) = entries.peek() {
                let sent = end(entry) as f64 * STEP / (1.0 + drift);
                due = f64::max(due, sent + 2e-3 * random.share());
                if due * rate > now as f64 {
                    break;
                }
                assert!(sender.send((*entry).clone()).is_ok());
                entries.next();
            }
            replay.block(now, block, |ahead, what| {
                assert!((0.0..=block as f64 + 48.0).contains(&ahead));
                if what.event.kind() == EventKind::Strike {
                    sounded.push((now as f64 + ahead) / rate);
                }
            });
            now += block as u64;
        }
        assert_eq!(
            (sounded.len(), replay.late, replay.jumps),
            (recorded.of(EventKind::Strike).len(), 0, 0)
        );
        assert!(sounded.len() > 20, "{}", sounded.len());
        let time = |h: &TimedEvent| (h.step as f64 * STEP + h.offset) / (1.0 + drift);
        let delays: Vec<f64> =
            recorded.of(EventKind::Strike).iter().zip(&sounded).map(|(h, s)| s - time(h)).collect();
        let (low, high) = delays
            .iter()
            // The first 4 s are settling time.
            .skip(20)
            .fold((f64::MAX, f64::MIN), |(l, h), d| (l.min(*d), h.max(*d)));
        assert!(high - low < 1e-3, "{low} to {high} s");
        let key = KeyNumber::from_index(39).unwrap();
        assert_eq!(replay.twin().key(key).unwrap().0.save().bits(), servo);
    }
}

#[test]
fn any_block_size_gives_the_same_events() {
    let (recorded, _) = trill(3.0);
    let heard = [1usize, 64, 1000].map(|block| {
        let (sender, receiver) = queue::bounded(16_384);
        let mut replay = Replay::new(receiver, Action::GRAND, 48_000.0, 1000);
        recorded.entries.iter().take(4000).for_each(|e| assert!(sender.send(e.clone()).is_ok()));
        let (mut now, mut kinds) = (0u64, Vec::new());
        while now < 4 * 48_000 {
            replay.block(now, block, |_, what| {
                if what.event.kind() != EventKind::Damper {
                    kinds.push(*what);
                }
            });
            now += block as u64;
        }
        kinds
    });
    assert!(heard[0] == heard[1] && heard[1] == heard[2] && heard[0].len() > 5);
}

/// A servo that stalls for 1/3 s and then logs all at once: no block replays more than its share, nothing is
/// lost, and the delay is as before.
#[test]
fn the_twin_catches_up_with_a_stalled_servo_block_by_block() {
    let (recorded, servo) = trill(4.0);
    let (sender, receiver) = queue::bounded(16_384);
    let (rate, block) = (48_000.0, 64usize);
    let mut replay = Replay::new(receiver, Action::GRAND, rate, block);
    let mut entries = recorded.entries.iter().peekable();
    let key = KeyNumber::from_index(39).unwrap();
    let (mut now, mut strikes) = (0u64, 0);
    // Time of a block, s, and the twin's next step after it.
    let mut stands = Vec::new();
    while now < 6 * 48_000 {
        let time = now as f64 / rate;
        let told = if (2.0..2.33).contains(&time) { 2.0 } else { time };
        while let Some(entry) = entries.next_if(|entry| end(entry) as f64 * STEP < told) {
            assert!(sender.send(entry.clone()).is_ok());
        }
        replay.block(now, block, |_, what| {
            strikes += usize::from(what.event.kind() == EventKind::Strike);
        });
        stands.extend(replay.twin().key(key).map(|(_, step)| (time, step)));
        now += block as u64;
    }
    let most = |from: f64, to: f64| {
        let steps = stands.windows(2).filter(|w| (from..to).contains(&w[1].0));
        steps.map(|w| w[1].1 - w[0].1).max().unwrap_or(0)
    };
    // A block is 10.7 steps long and replays at most 29, in slots of about 8.
    let (before, after) = (most(0.5, 2.33), most(2.33, 3.0));
    assert!(before <= 24 && (24..=40).contains(&after), "{before} and {after} steps");
    assert_eq!((strikes, replay.jumps), (recorded.of(EventKind::Strike).len(), 0));
    let behind = stands.iter().filter(|(time, _)| (3.0..3.9).contains(time));
    let behind = behind.map(|(time, step)| time - *step as f64 * STEP).fold(0.0, f64::max);
    assert!(behind < 0.02, "{behind} s");
    assert_eq!(replay.twin().key(key).unwrap().0.save().bits(), servo);
}
