//! The servo's published events on the audio clock, and the replay of its log.

use std::ops::Range;

use crate::rig::KEY;
use crate::rig::acceptance::line;
use crate::rig::co_simulation::CoSimulation;
use touchback_action::interface::key::Key;
use touchback_action::{Drive, EventKind, KeyEvent, STEP, TimedEvent};
use touchback_core::exchange::queue;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::random::Random;
use touchback_haptics::action::Action;
use touchback_haptics::keyboard::emulator::KeyboardDesign;
use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction};
use touchback_haptics::record::live::LiveReplay;
use touchback_haptics::record::log::{Entry, Log};
use touchback_haptics::record::publish::{
    KeyStep, Published, PublishedReceiver, Publisher, publisher,
};
use touchback_haptics::record::replay::{Replay, ReplayEvent};
use touchback_haptics::servo::ServoOptions;

/// Everything that a servo logs and publishes.
struct Session {
    publisher: Publisher,
    receiver: PublishedReceiver,
    entries: Vec<Entry>,
    items: Vec<Published>,
    steps: Vec<KeyStep>,
}

impl Log for Session {
    fn put(&mut self, entry: &Entry) -> bool {
        self.entries.push(entry.clone());
        self.publisher.put(entry)
    }
    fn on_event(&mut self, event: &TimedEvent) {
        self.publisher.on_event(event);
    }
    fn on_step(&mut self, key: KeyNumber, step: u64, drive: Drive, state: &dyn Key) {
        self.publisher.on_step(key, step, drive, state);
        self.steps.extend(self.receiver.steps.receive());
    }
    fn on_slot(&mut self, key: KeyNumber, steps: Range<u64>, state: &dyn Key) {
        self.publisher.on_slot(key, steps, state);
        self.items.extend(std::iter::from_fn(|| self.receiver.items.receive()));
    }
}

impl Session {
    /// Strikes among the published events.
    fn strikes(&self) -> Vec<TimedEvent> {
        let strike = |item: &Published| match item {
            Published::Event(event) if event.event.kind() == EventKind::Strike => Some(*event),
            _ => None,
        };
        self.items.iter().filter_map(strike).collect()
    }
}

fn trill(seconds: f64) -> Session {
    let act = ScriptedAction {
        time: 0.3,
        key: 0,
        action: FingerAction::Trill { depth: 14e-3, rate: 5.0, lasts: 1e9 },
    };
    let design = KeyboardDesign { plant: KEY, ..KeyboardDesign::default() };
    let script = Script::new(vec![act]);
    let mut pair = CoSimulation::new(&design, script, ServoOptions::default(), line());
    let (publisher, receiver) = publisher();
    let (entries, items, steps) = (Vec::new(), Vec::new(), Vec::new());
    let mut session = Session { publisher, receiver, entries, items, steps };
    assert!(pair.arm(&mut session));
    pair.run(seconds, &mut session, |_| ());
    session
}

/// A live replay, and the senders of its items and steps.
fn live(rate: f64, block: usize) -> (queue::Sender<Published>, queue::Sender<KeyStep>, LiveReplay) {
    let ((sender, items), (step_sender, steps)) = (queue::bounded(65_536), queue::bounded(65_536));
    let receiver = PublishedReceiver { items, steps };
    (sender, step_sender, LiveReplay::new(receiver, Action::GRAND, rate, block))
}

/// Items that arrive up to 2 ms late from a keyboard with a clock error of 200 ppm: every strike sounds, none later
/// than its time, with constant delay.
#[test]
fn strikes_keep_their_distances_under_drift_and_jitter() {
    let session = trill(12.0);
    let strikes = session.strikes();
    for drift in [-200e-6, 200e-6] {
        let (rate, block) = (48_000.0, 64);
        let (sender, _steps, mut replay) = live(rate, block);
        let mut random = Random::new(5);
        let mut items = session.items.iter().peekable();
        let mut sounded = Vec::new();
        let (mut now, mut due) = (0u64, 0.0);
        while now < 13 * 48_000 {
            // Items that have arrived by this block, in order; a slot and its events arrive together.
            while let Some(item) = items.peek() {
                let sent = item.end() as f64 * STEP / (1.0 + drift);
                due = f64::max(due, sent + 2e-3 * random.share());
                if due * rate > now as f64 {
                    break;
                }
                sender.send(**item).unwrap();
                items.next();
            }
            replay.watch(now, block, |output| {
                if let ReplayEvent::Event(ahead, what) = output {
                    // At most 2 ms beyond the block, and a damper at the end of its slot of 1 ms.
                    assert!((0.0..=block as f64 + 3e-3 * rate).contains(&ahead));
                    if what.event.kind() == EventKind::Strike {
                        sounded.push((now as f64 + ahead) / rate);
                    }
                }
            });
            now += block as u64;
        }
        assert_eq!((sounded.len(), replay.late, replay.jumps), (strikes.len(), 0, 0));
        assert!(sounded.len() > 20, "{}", sounded.len());
        let time = |h: &TimedEvent| (h.step as f64 * STEP + h.offset) / (1.0 + drift);
        let delays: Vec<f64> = strikes.iter().zip(&sounded).map(|(h, s)| s - time(h)).collect();
        let (low, high) = delays
            .iter()
            // The first 4 s are settling time.
            .skip(20)
            .fold((f64::MAX, f64::MIN), |(l, h), d| (l.min(*d), h.max(*d)));
        assert!(high - low < 1e-3, "{low} to {high} s");
    }
}

/// The bits of an event: kind, step, offset, value.
fn bits(event: &TimedEvent) -> (EventKind, u64, u64, u64) {
    let value = event.event.value().to_bits();
    (event.event.kind(), event.step, event.offset.to_bits(), value)
}

/// The events and dampers that sound live are in every bit, and in their order, those that the twin repeats from the
/// log, for every block size; so are the steps of the drawn key.
#[test]
fn published_events_are_those_of_the_replayed_log() {
    let session = trill(3.0);
    let length = 4 * 48_000;
    let (mut replayed, mut drawn) = (Vec::new(), Vec::new());
    let mut twin = Replay::recorded(session.entries.clone(), Action::GRAND, 48_000.0);
    twin.watch(0, length, |output| match output {
        ReplayEvent::Event(_, event) => replayed.push(bits(event)),
        ReplayEvent::Step(step) => drawn.push(*step),
    });
    assert!(replayed.len() > 100 && replayed.iter().any(|(kind, ..)| *kind == EventKind::Damper));
    let first = session.steps[0];
    let from = drawn.iter().position(|step| *step == first).unwrap();
    assert!(from < 3000 && session.steps.len() > 10_000 && session.steps == drawn[from..]);
    for block in [1usize, 64, 1000] {
        let (sender, step_sender, mut replay) = live(48_000.0, 1000);
        let (mut items, mut steps) = (session.items.iter().peekable(), session.steps.iter());
        let (mut heard, mut shown) = (Vec::new(), Vec::new());
        for now in (0..length as u64).step_by(block) {
            while let Some(item) = items.next_if(|item| item.end() as f64 * 6.0 <= now as f64) {
                sender.send(*item).unwrap();
                let until = item.end();
                let before = steps.as_slice().partition_point(|step| step.step < until);
                steps.by_ref().take(before).for_each(|step| step_sender.send(*step).unwrap());
            }
            replay.watch(now, block, |output| match output {
                ReplayEvent::Event(_, event) => heard.push(bits(event)),
                ReplayEvent::Step(step) => shown.extend(step.picture.map(|_| *step)),
            });
        }
        assert!(heard == replayed, "blocks of {block}: {} of {}", heard.len(), replayed.len());
        assert!(shown == session.steps, "blocks of {block}");
    }
}

/// A servo that stalls for 1/3 s and then publishes all at once: nothing is lost, and the delay is as before. After a
/// pause of the host of 2 s its strikes do not sound at once; the damper is where it is.
#[test]
fn a_stall_loses_nothing_and_a_long_pause_does_not_sound_at_once() {
    let session = trill(4.0);
    let (rate, block) = (48_000.0, 64usize);
    for (stall, sounds) in [(0.33, true), (2.0, false)] {
        let (sender, _steps, mut replay) = live(rate, block);
        let mut items = session.items.iter().peekable();
        // Time of a block, s, and the newest step that has sounded.
        let (mut strikes, mut most, mut stands, mut lift) = (0, 0, Vec::new(), 0.0);
        for now in (0..5 * 48_000u64).step_by(block) {
            let time = now as f64 / rate;
            let known = if (1.5..1.5 + stall).contains(&time) { 1.5 } else { time };
            while let Some(item) = items.next_if(|item| item.end() as f64 * STEP < known) {
                sender.send(*item).unwrap();
            }
            let before = strikes;
            replay.watch(now, block, |output| match output {
                ReplayEvent::Event(_, event) => match event.event {
                    KeyEvent::Strike { .. } => strikes += 1,
                    KeyEvent::Damper { lift: to } => lift = to,
                    _ => {}
                },
                ReplayEvent::Step(step) => stands.push((time, step.step)),
            });
            most = most.max(strikes - before);
        }
        let all = session.strikes().len();
        assert_eq!((strikes == all, replay.jumps), (sounds, 0), "{strikes} of {all}");
        assert!(strikes + 10 > all && most <= 3, "{strikes} of {all}, {most} at once");
        let behind = stands.iter().filter(|(time, _)| (3.7..3.9).contains(time));
        let behind = behind.map(|(time, step)| time - *step as f64 * STEP).fold(0.0, f64::max);
        assert!(behind < 0.02, "{behind} s");
        let last = session.items.iter().rev().find_map(|item| match item {
            Published::Slot { lift, .. } => Some(*lift),
            Published::Event(_) => None,
        });
        assert_eq!(Some(lift), last);
    }
}
