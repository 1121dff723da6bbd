//! The servo's log: what each felt key was pushed with, step by step, and its replay, the twin.
//!
//! A key is a function of its state and its pushes alone, so that whoever replays the log has
//! the servo's state bit for bit, in another thread or from a file. After a gap the servo logs a
//! whole state, which the twin adopts and counts.

use touchback_action::interface::key::{DynamicsCompensation, Key, Saved};
use touchback_action::interface::slew::Slew;
use touchback_action::{ActionSettings, Drive, EventKind, KeyEvent, TimedEvent};
use touchback_core::exchange::queue;
use touchback_core::math::compass::KeyNumber;

use super::action::Action;
use super::slewed_key::SlewedKey;

/// One line of the log. Steps are of 125 µs, counted by the keyboard's clock from its first state.
#[derive(Clone, Copy, PartialEq, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "passes between threads that may not allocate; a log's room is 18 MB"
)]
pub enum Entry {
    /// Which action is felt, and which settings the keys head for ([`Slew`]) from `step` on; the
    /// first of a log and that of another action hold at once.
    Setting {
        /// The step.
        step: u64,
        /// The action under every key.
        action: Action,
        /// Its regulation and parts.
        settings: ActionSettings,
    },
    /// A key is relieved of `compensation` and stands at `saved` before `step`.
    Place {
        /// The step.
        step: u64,
        /// Which key.
        key: KeyNumber,
        /// What it is relieved of.
        compensation: DynamicsCompensation,
        /// Submodel and states.
        saved: Saved,
    },
    /// A key took `steps` steps from `step` on under one push.
    Slot {
        /// First step.
        step: u64,
        /// Which key.
        key: KeyNumber,
        /// How many.
        steps: u16,
        /// √(2Z)·u of the junction in all of them, N; see [`Drive::Wave`].
        force: f64,
        /// Z of the junction, N·s/m.
        impedance: f64,
    },
    /// A host note moves a key from `step` on, or no longer: its events are then the note's own.
    Played {
        /// The step.
        step: u64,
        /// Which key.
        key: KeyNumber,
        /// The note presses, or has let go.
        is_played: bool,
    },
}

impl Entry {
    /// The step it belongs to.
    #[must_use]
    pub const fn step(&self) -> u64 {
        match self {
            Self::Setting { step, .. }
            | Self::Place { step, .. }
            | Self::Slot { step, .. }
            | Self::Played { step, .. } => *step,
        }
    }

    /// The key it belongs to; none where it holds for all.
    #[must_use]
    pub const fn key(&self) -> Option<KeyNumber> {
        match self {
            Self::Setting { .. } => None,
            Self::Place { key, .. } | Self::Slot { key, .. } | Self::Played { key, .. } => {
                Some(*key)
            }
        }
    }
}

/// Where a servo's log goes.
pub trait Log {
    /// Takes an entry; `false` where there was no room.
    fn put(&mut self, entry: &Entry) -> bool;
    /// Hears of an event in the servo's own run.
    fn heard(&mut self, _heard: &TimedEvent) {}
}

impl Log for () {
    fn put(&mut self, _: &Entry) -> bool {
        true
    }
}

impl Log for Vec<Entry> {
    fn put(&mut self, entry: &Entry) -> bool {
        self.push(*entry);
        true
    }
}

/// A log kept in memory, with what the servo heard.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Kept {
    /// Everything logged.
    pub entries: Vec<Entry>,
    /// Everything heard.
    pub heard: Vec<TimedEvent>,
}

impl Kept {
    /// What was heard of a kind.
    #[must_use]
    pub fn of(&self, kind: EventKind) -> Vec<TimedEvent> {
        self.heard.iter().filter(|h| h.event.kind() == kind).copied().collect()
    }
}

impl Log for Kept {
    fn put(&mut self, entry: &Entry) -> bool {
        self.entries.push(*entry);
        true
    }
    fn heard(&mut self, heard: &TimedEvent) {
        self.heard.push(*heard);
    }
}

impl Log for queue::Sender<Entry> {
    fn put(&mut self, entry: &Entry) -> bool {
        self.send(*entry).is_ok()
    }
}

/// How the damper of `key` has moved since it was last looked at, `is_clear` of the string then: at once,
/// between two states. Servo and twin look alike, after every slot and at every whole state.
pub(super) fn damper_moved(is_clear: &mut bool, key: &dyn Key) -> Option<KeyEvent> {
    let was_clear = std::mem::replace(is_clear, key.damper_lift() > 0.0);
    match (was_clear, *is_clear) {
        (true, false) => Some(KeyEvent::DamperFall { speed: 0.0 }),
        (false, true) => Some(KeyEvent::DamperLift { depth: key.front()[0] }),
        _ => None,
    }
}

/// The twin: the felt keys again, from the log alone.
#[derive(Debug)]
pub struct Twin {
    action: Action,
    /// It keeps to its action: another one falls silent instead of being built.
    is_fixed: bool,
    /// What is felt now is another action.
    is_foreign: bool,
    /// The regulation that the keys follow; none until it was heard of.
    settings: Option<Slew>,
    keys: Vec<TwinKey>,
    adopted: u64,
}

#[derive(Debug)]
struct TwinKey {
    number: KeyNumber,
    compensation: DynamicsCompensation,
    key: SlewedKey,
    /// Its damper is off the string, as last told.
    is_clear: bool,
    /// Step it stands before; none until its first state came.
    step: Option<u64>,
}

impl Twin {
    /// A twin of all 88 keys, each waiting for its first state. Allocates; replaying an unchanged
    /// action does not.
    #[must_use]
    pub fn new(action: Action) -> Self {
        let settings = ActionSettings::default();
        let keys = KeyNumber::all()
            .map(|number| {
                let compensation = DynamicsCompensation::default();
                let (key, _) = action.key(number, &settings, &compensation);
                TwinKey {
                    number,
                    compensation,
                    key: SlewedKey::new(key),
                    is_clear: false,
                    step: None,
                }
            })
            .collect();
        Self { action, is_fixed: false, is_foreign: false, settings: None, keys, adopted: 0 }
    }

    /// One that never allocates again: an action other than `action` is not replayed.
    #[must_use]
    pub fn fixed(action: Action) -> Self {
        Self { is_fixed: true, ..Self::new(action) }
    }

    /// The action of its keys.
    #[must_use]
    pub const fn action(&self) -> Action {
        self.action
    }

    /// Every key waits for its first state again.
    pub fn forget(&mut self) {
        self.is_foreign = false;
        self.settings = None;
        self.keys.iter_mut().for_each(|twin| twin.step = None);
    }

    /// Replays `entry`; `hear` is told of every event. Slots that do not follow on what is known
    /// are skipped: the servo sends a state after every gap.
    pub fn play(&mut self, entry: &Entry, hear: impl FnMut(&TimedEvent)) {
        self.watch(entry, hear, |_, _, _| ());
    }

    /// As [`Twin::play`]; `look` sees the key after every step, by the step's number.
    pub fn watch(
        &mut self,
        entry: &Entry,
        mut hear: impl FnMut(&TimedEvent),
        mut look: impl FnMut(u64, Drive, &dyn Key),
    ) {
        match entry {
            Entry::Setting { step, action, settings } => {
                self.is_foreign = self.is_fixed && *action != self.action;
                if self.is_foreign {
                    self.settings = None;
                    self.keys.iter_mut().for_each(|twin| twin.step = None);
                } else {
                    self.head_for(*action, settings, *step);
                }
            }
            Entry::Place { step, key, compensation, saved } => {
                let Some(settings) = &self.settings else { return };
                let Some(twin) = self.keys.get_mut(key.index()) else { return };
                twin.key.take_up(settings, *step);
                if twin.compensation != *compensation {
                    twin.compensation = *compensation;
                    twin.key.key_mut().compensate(compensation);
                }
                twin.key.key_mut().adopt(saved);
                // What it did in a gap is told where it matters: a note that began also ends.
                if let Some(event) = damper_moved(&mut twin.is_clear, twin.key.key()) {
                    hear(&TimedEvent { key: *key, step: *step, offset: 0.0, event });
                }
                twin.step = Some(*step);
                self.adopted += 1;
            }
            Entry::Slot { step, key, steps, force, impedance } => {
                let Some(twin) = self.keys.get_mut(key.index()) else { return };
                let Some(settings) = self.settings.as_ref().filter(|_| twin.step == Some(*step))
                else {
                    twin.step = None;
                    return;
                };
                let drive = Drive::Wave { force: *force, impedance: *impedance };
                for i in 0..u64::from(*steps) {
                    let at = step + i;
                    twin.key.step(settings, at, drive, &mut |offset, event| {
                        hear(&TimedEvent { key: *key, step: at, offset, event });
                    });
                    look(at, drive, twin.key.key());
                }
                damper_moved(&mut twin.is_clear, twin.key.key());
                twin.step = Some(step + u64::from(*steps));
            }
            Entry::Played { .. } => {}
        }
    }

    /// As the servo took up the same wishes. Another action allocates.
    fn head_for(&mut self, action: Action, settings: &ActionSettings, step: u64) {
        if let Some(slew) = self.settings.as_mut().filter(|_| action == self.action) {
            slew.aim(settings, step);
            return;
        }
        for twin in &mut self.keys {
            if action != self.action {
                twin.key = SlewedKey::new(action.key(twin.number, settings, &twin.compensation).0);
            }
            twin.key.forget();
            twin.step = None;
        }
        self.action = action;
        self.settings = Some(Slew::new(settings));
    }

    /// States adopted: one a key at its first touch, further ones after gaps.
    #[must_use]
    pub const fn adopted(&self) -> u64 {
        self.adopted
    }

    /// A key as it follows the servo's, and the step it stands before.
    #[must_use]
    pub fn key(&self, key: KeyNumber) -> Option<(&dyn Key, u64)> {
        let twin = self.keys.get(key.index())?;
        twin.step.map(|step| (twin.key.key(), step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A key that was let go, or pressed, while nothing was known of it.
    #[test]
    fn a_damper_that_moved_in_a_gap_is_told() {
        let (action, settings) = (Action::GRAND, ActionSettings::default());
        let key = KeyNumber::from_midi(60).unwrap();
        let compensation = DynamicsCompensation::default();
        let (mut pressed, _) = action.key(key, &settings, &compensation);
        let rest = pressed.save();
        for _ in 0..2000 {
            pressed.step(Drive::Wave { force: 5.0, impedance: 5.0 }, &mut |_, _| ());
        }
        let down = pressed.save();
        let mut twin = Twin::new(action);
        let mut heard = Vec::new();
        twin.play(&Entry::Setting { step: 0, action, settings }, |_| ());
        for (step, saved) in [(0, rest), (100, down), (200, down), (300, rest)] {
            twin.play(&Entry::Place { step, key, compensation, saved }, |e| {
                heard.push((e.step, e.event.kind()));
            });
        }
        assert_eq!(heard, [(100, EventKind::DamperLift), (300, EventKind::DamperFall)]);
    }
}
