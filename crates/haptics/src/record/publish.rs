//! Events and positions of the servo's simulated keys, published to the audio thread, which steps no key.
//!
//! [`Publisher`] belongs to the servo's thread and never waits. Items that find no room are lost and counted; the last
//! position of each key is sent again as soon as there is room, so that no damper stays up.

use std::ops::Range;

use crate::record::log::{Entry, Log};
use touchback_action::interface::key::{Key, SavedState};
use touchback_action::{Drive, TimedEvent};
use touchback_core::exchange::queue;
use touchback_core::math::cast::single;
use touchback_core::math::compass::{KEYS, KeyNumber};

/// Capacity of the items: 1 s of ten keys, 0.2 s of 88.
const ITEMS: usize = 16_384;
/// Capacity of the steps of the drawn key: 0.5 s.
const STEPS: usize = 4096;
/// Depths of a hysteresis, m: a key is released below the first and pressed above the second.
const PRESSED: [f64; 2] = [0.15e-3, 0.3e-3];

/// One item of a servo's keys. Steps are counted as in [`Entry`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Published {
    /// An event.
    Event(TimedEvent),
    /// A key after a slot; it follows the events of the slot.
    Slot {
        /// First step of the slot.
        step: u64,
        /// Number of steps; 0 where the key was placed, or a host note began or ceased to move it.
        steps: u16,
        /// The key.
        key: KeyNumber,
        /// Depth of the front, m.
        depth: f32,
        /// Lift of the damper, 0…1; 0 while a host note, which sounds by itself, moves the key.
        lift: f64,
    },
}

impl Published {
    /// Step of the event, or first step of the slot.
    #[must_use]
    pub const fn step(&self) -> u64 {
        match self {
            Self::Event(event) => event.step,
            Self::Slot { step, .. } => *step,
        }
    }

    /// The first step after the item.
    #[must_use]
    pub const fn end(&self) -> u64 {
        match self {
            Self::Event(event) => event.step,
            Self::Slot { step, steps, .. } => *step + *steps as u64,
        }
    }
}

/// A simulated key after one of its steps.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KeyStep {
    /// The key.
    pub key: KeyNumber,
    /// Number of the step.
    pub step: u64,
    /// Depth of the front, m.
    pub depth: f64,
    /// Lift of the damper, 0…1.
    pub lift: f64,
    /// Drive and state, from which the key can be drawn; only of the key that was pressed last.
    pub picture: Option<(Drive, SavedState)>,
}

impl KeyStep {
    /// The step `step` of `key` under `drive`, after which the key has this `state`.
    #[must_use]
    pub fn new(key: KeyNumber, step: u64, drive: Drive, state: &dyn Key) -> Self {
        let ([depth, _], lift) = (state.front(), state.damper_lift());
        Self { key, step, depth, lift, picture: Some((drive, state.save())) }
    }
}

/// The servo's end.
#[derive(Debug)]
pub struct Publisher {
    items: queue::Sender<Published>,
    steps: queue::Sender<KeyStep>,
    /// Keys that host notes move.
    is_played: [bool; KEYS],
    is_down: [bool; KEYS],
    /// The key that was pressed last.
    drawn: Option<KeyNumber>,
    /// The last slot of each key that found no room.
    unsent: [Option<Published>; KEYS],
    is_behind: bool,
}

/// The audio thread's end.
#[derive(Debug)]
pub struct PublishedReceiver {
    /// Events and positions.
    pub items: queue::Receiver<Published>,
    /// Steps of the key that was pressed last, for drawing.
    pub steps: queue::Receiver<KeyStep>,
}

/// Both ends. Allocates.
#[must_use]
pub fn publisher() -> (Publisher, PublishedReceiver) {
    let (items, item_outlet) = queue::bounded(ITEMS);
    let (steps, step_outlet) = queue::bounded(STEPS);
    let publisher = Publisher {
        items,
        steps,
        is_played: [false; KEYS],
        is_down: [false; KEYS],
        drawn: None,
        unsent: [None; KEYS],
        is_behind: false,
    };
    (publisher, PublishedReceiver { items: item_outlet, steps: step_outlet })
}

impl Log for Publisher {
    fn put(&mut self, entry: &Entry) -> bool {
        if let Entry::Played { key, is_played, .. } = entry {
            self.is_played[key.index()] = *is_played;
        }
        true
    }

    fn on_event(&mut self, event: &TimedEvent) {
        if !self.is_played[event.key.index()] {
            // The queue counts an event without room.
            let _ = self.items.send(Published::Event(*event));
        }
    }

    fn on_step(&mut self, key: KeyNumber, step: u64, drive: Drive, state: &dyn Key) {
        let [depth, _] = state.front();
        let is_down = &mut self.is_down[key.index()];
        let was_down = *is_down;
        *is_down = depth > PRESSED[usize::from(!was_down)];
        if *is_down && !was_down {
            self.drawn = Some(key);
        }
        if self.drawn == Some(key) {
            // Without room the drawing lacks a step.
            let _ = self.steps.send(KeyStep::new(key, step, drive, state));
        }
    }

    fn on_slot(&mut self, key: KeyNumber, steps: Range<u64>, state: &dyn Key) {
        let lift = if self.is_played[key.index()] { 0.0 } else { state.damper_lift() };
        let slot = Published::Slot {
            step: steps.start,
            steps: u16::try_from(steps.end - steps.start).unwrap_or(u16::MAX),
            key,
            depth: single(state.front()[0]),
            lift,
        };
        self.unsent[key.index()] = self.items.send(slot).err();
        self.is_behind |= self.unsent[key.index()].is_some();
    }

    fn flush(&mut self) {
        if !self.is_behind {
            return;
        }
        for unsent in &mut self.unsent {
            *unsent = unsent.and_then(|slot| self.items.send(slot).err());
        }
        self.is_behind = self.unsent.iter().any(Option::is_some);
    }

    fn lost(&self) -> u64 {
        self.items.lost()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Action;
    use touchback_action::ActionSettings;
    use touchback_action::interface::key::DynamicsCompensation;

    /// A queue that has been full loses events, but neither the last position nor the damper's.
    #[test]
    fn the_last_position_is_sent_once_there_is_room() {
        let (mut publisher, receiver) = publisher();
        let key = KeyNumber::from_midi(60).unwrap();
        let settings = ActionSettings::default();
        let (state, _) = Action::GRAND.key(key, &settings, &DynamicsCompensation::default());
        let last = ITEMS as u64 + 10;
        (0..=last).for_each(|i| publisher.on_slot(key, 8 * i..8 * i + 8, &*state));
        assert_eq!(publisher.lost(), 11);
        let received = || std::iter::from_fn(|| receiver.items.receive()).map(|item| item.step());
        assert_eq!(received().last(), Some(8 * (ITEMS as u64 - 1)));
        publisher.flush();
        publisher.flush();
        assert_eq!(received().collect::<Vec<_>>(), [8 * last]);
    }

    /// Of a key that a host note moves only the position is published; of the key pressed last every step.
    #[test]
    fn a_key_that_a_note_moves_is_silent_and_the_key_pressed_last_is_drawn() {
        let (mut publisher, receiver) = publisher();
        let settings = ActionSettings::default();
        let keys = [60, 64].map(|midi| KeyNumber::from_midi(midi).unwrap());
        let drive = Drive::Wave { force: 6.0, impedance: 5.0 };
        for (key, is_played) in keys.into_iter().zip([false, true]) {
            let none = DynamicsCompensation::default();
            let (mut state, _) = Action::GRAND.key(key, &settings, &none);
            publisher.put(&Entry::Played { step: 0, key, is_played });
            for step in 0..800 {
                state.step(drive, &mut |offset, event| {
                    publisher.on_event(&TimedEvent { key, step, offset, event });
                });
                publisher.on_step(key, step, drive, &*state);
            }
            publisher.on_slot(key, 0..800, &*state);
            let items: Vec<_> = std::iter::from_fn(|| receiver.items.receive()).collect();
            let Some((Published::Slot { depth, lift, .. }, events)) = items.split_last() else {
                panic!("{items:?}");
            };
            assert!(*depth > 8e-3 && (*lift > 0.5) != is_played && events.is_empty() == is_played);
            let steps: Vec<_> = std::iter::from_fn(|| receiver.steps.receive()).collect();
            assert!(steps.len() > 700 && steps.iter().all(|s| s.key == key && s.picture.is_some()));
        }
    }
}
