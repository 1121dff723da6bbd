//! The servo's log and its replay, the twin.
//!
//! The log has the force and impedance of every step of every simulated key. A key's state depends on
//! its last state and these inputs alone, so that a replay has the servo's states bit for bit. After a gap the servo logs a whole state, which the twin adopts and counts.

use std::ops::Range;

use touchback_action::interface::key::{DynamicsCompensation, Key, SavedState};
use touchback_action::interface::slew::Slew;
use touchback_action::{ActionSettings, Drive, EventKind, KeyEvent, TimedEvent};
use touchback_core::exchange::queue;
use touchback_core::math::compass::KeyNumber;

use crate::action::Action;
use crate::slewed_key::SlewedKey;

/// One entry of the log. Steps are of 125 µs, counted by the keyboard's clock from its first state.
#[derive(Clone, PartialEq, Debug)]
pub enum Entry {
    /// Action, and settings that the keys approach ([`Slew`]) from `step` on. The first setting of a log and
    /// that of another action hold at once.
    Setting {
        /// The step.
        step: u64,
        /// Action of every key.
        action: Action,
        /// Settings of the action.
        settings: ActionSettings,
    },
    /// A key has the compensation `compensation` and the state `saved` before `step`.
    Place {
        /// The step.
        step: u64,
        /// The key.
        key: KeyNumber,
        /// Mass, weight, friction and bed deducted from the key.
        compensation: DynamicsCompensation,
        /// Phase and states.
        saved: SavedState,
    },
    /// A key moved through `steps` steps from `step` on under one force and impedance.
    Slot {
        /// First step.
        step: u64,
        /// The key.
        key: KeyNumber,
        /// Number of steps.
        steps: u16,
        /// √(2Z)·u of the junction in every step, N; see [`Drive::Wave`].
        force: f64,
        /// Z of the junction, N·s/m.
        impedance: f64,
    },
    /// A host note begins or ceases to move a key at `step`. While it does, the key's events are those of the
    /// note, which sounds by itself.
    Played {
        /// The step.
        step: u64,
        /// The key.
        key: KeyNumber,
        /// A note moves the key.
        is_played: bool,
    },
}

impl Entry {
    /// First step to which the entry applies.
    #[must_use]
    pub const fn step(&self) -> u64 {
        match self {
            Self::Setting { step, .. }
            | Self::Place { step, .. }
            | Self::Slot { step, .. }
            | Self::Played { step, .. } => *step,
        }
    }

    /// The key to which the entry applies; none where it applies to all.
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

/// Receiver of a servo's log.
pub trait Log {
    /// Adds an entry. Returns `false` where there was no room.
    fn put(&mut self, entry: &Entry) -> bool;
    /// Receives an event of the servo's own simulation.
    fn on_event(&mut self, _event: &TimedEvent) {}
    /// Receives the state of a key after the step `step` under `drive`.
    fn on_step(&mut self, _key: KeyNumber, _step: u64, _drive: Drive, _state: &dyn Key) {}
    /// Receives the state of a key after a slot; one without steps where the key was placed, or a host note began or
    /// ceased to move it.
    fn on_slot(&mut self, _key: KeyNumber, _steps: Range<u64>, _state: &dyn Key) {}
    /// Sends again what found no room.
    fn flush(&mut self) {}
    /// Number of times that there was no room.
    fn lost(&self) -> u64 {
        0
    }
}

impl Log for () {
    fn put(&mut self, _: &Entry) -> bool {
        true
    }
}

impl Log for Vec<Entry> {
    fn put(&mut self, entry: &Entry) -> bool {
        self.push(entry.clone());
        true
    }
}

/// A log in memory, with the events of the servo's own simulation.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MemoryLog {
    /// All entries.
    pub entries: Vec<Entry>,
    /// All events.
    pub events: Vec<TimedEvent>,
}

impl MemoryLog {
    /// The events of a kind.
    #[must_use]
    pub fn of(&self, kind: EventKind) -> Vec<TimedEvent> {
        self.events.iter().filter(|e| e.event.kind() == kind).copied().collect()
    }
}

impl Log for MemoryLog {
    fn put(&mut self, entry: &Entry) -> bool {
        self.entries.push(entry.clone());
        true
    }
    fn on_event(&mut self, event: &TimedEvent) {
        self.events.push(*event);
    }
}

impl Log for queue::Sender<Entry> {
    fn put(&mut self, entry: &Entry) -> bool {
        self.send(entry.clone()).is_ok()
    }
    fn lost(&self) -> u64 {
        Self::lost(self)
    }
}

/// The event of a damper that has moved since the last call, when it was clear of the string if `is_clear`.
/// Servo and twin call this after every slot and at every whole state.
pub(crate) fn damper_moved(is_clear: &mut bool, key: &dyn Key) -> Option<KeyEvent> {
    let was_clear = std::mem::replace(is_clear, key.damper_lift() > 0.0);
    match (was_clear, *is_clear) {
        (true, false) => Some(KeyEvent::DamperFall { speed: 0.0 }),
        (false, true) => Some(KeyEvent::DamperLift { depth: key.front()[0] }),
        _ => None,
    }
}

/// The twin: a repetition of the servo's simulated keys from the log alone.
#[derive(Debug)]
pub struct Twin {
    action: Action,
    /// Settings with which the keys were built.
    built: ActionSettings,
    /// The action is fixed: entries of another action are skipped.
    is_fixed: bool,
    /// The log is at another action than the fixed one.
    is_foreign: bool,
    /// Slewed regulation of the keys; none before the first setting.
    settings: Option<Slew>,
    keys: Vec<TwinKey>,
    adopted: u64,
}

#[derive(Debug)]
struct TwinKey {
    number: KeyNumber,
    compensation: DynamicsCompensation,
    key: SlewedKey,
    /// The damper is off the string, as last reported.
    is_clear: bool,
    /// The next step; none before the first whole state.
    step: Option<u64>,
}

impl Twin {
    /// A twin of all 88 keys without states. Allocates; replaying an unchanged action does not.
    #[must_use]
    pub fn new(action: Action) -> Self {
        Self::with(action, ActionSettings::default())
    }

    /// [`Self::new`] with keys of these `settings`, which a mechanism from a file needs.
    fn with(action: Action, settings: ActionSettings) -> Self {
        let keys = KeyNumber::all()
            .map(|number| {
                let compensation = DynamicsCompensation::default();
                let (key, _) = action.key(number, &settings, &compensation);
                TwinKey {
                    number,
                    compensation,
                    key: SlewedKey::new(number, key),
                    is_clear: false,
                    step: None,
                }
            })
            .collect();
        Self {
            action,
            built: settings,
            is_fixed: false,
            is_foreign: false,
            settings: None,
            keys,
            adopted: 0,
        }
    }

    /// A twin that never allocates after creation and skips entries of other actions than `action`, or of another mechanism than that of `settings`.
    #[must_use]
    pub fn fixed(action: Action, settings: ActionSettings) -> Self {
        Self { is_fixed: true, ..Self::with(action, settings) }
    }

    /// The action of the keys.
    #[must_use]
    pub const fn action(&self) -> Action {
        self.action
    }

    /// Forgets settings and states: every key waits for a whole state again.
    pub fn forget(&mut self) {
        self.is_foreign = false;
        self.settings = None;
        self.keys.iter_mut().for_each(|twin| twin.step = None);
    }

    /// Replays `entry` and calls `on_event` for every event. Slots that do not continue the last one of
    /// their key are skipped, because the servo logs a whole state after every gap.
    pub fn play(&mut self, entry: &Entry, on_event: impl FnMut(&TimedEvent)) {
        self.watch(entry, on_event, |_, _, _| ());
    }

    /// Like [`Twin::play`]; also calls `on_step` after every step with its number, the drive and the key.
    pub fn watch(
        &mut self,
        entry: &Entry,
        mut on_event: impl FnMut(&TimedEvent),
        mut on_step: impl FnMut(u64, Drive, &dyn Key),
    ) {
        match entry {
            Entry::Setting { step, action, settings } => {
                self.is_foreign = self.is_fixed
                    && !(*action == self.action && action.keeps_keys(&self.built, settings));
                if self.is_foreign {
                    self.settings = None;
                    self.keys.iter_mut().for_each(|twin| twin.step = None);
                } else {
                    self.apply_setting(*action, settings, *step);
                }
            }
            Entry::Place { step, key, compensation, saved } => {
                let Some(settings) = &self.settings else { return };
                let Some(twin) = self.keys.get_mut(key.index()) else { return };
                twin.key.apply(settings, *step);
                if twin.compensation != *compensation {
                    twin.compensation = *compensation;
                    twin.key.key_mut().compensate(compensation);
                }
                twin.key.key_mut().adopt(saved);
                // A damper that moved in a gap is reported, so that a note that began also ends.
                if let Some(event) = damper_moved(&mut twin.is_clear, twin.key.key()) {
                    on_event(&TimedEvent { key: *key, step: *step, offset: 0.0, event });
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
                        on_event(&TimedEvent { key: *key, step: at, offset, event });
                    });
                    on_step(at, drive, twin.key.key());
                }
                damper_moved(&mut twin.is_clear, twin.key.key());
                twin.step = Some(step + u64::from(*steps));
            }
            Entry::Played { .. } => {}
        }
    }

    /// Applies a setting as the servo has done. Another action allocates.
    fn apply_setting(&mut self, action: Action, settings: &ActionSettings, step: u64) {
        let is_same = action == self.action && action.keeps_keys(&self.built, settings);
        if let Some(slew) = self.settings.as_mut().filter(|_| is_same) {
            slew.aim(settings, step);
            return;
        }
        for twin in &mut self.keys {
            if !is_same {
                let (key, _) = action.key(twin.number, settings, &twin.compensation);
                twin.key = SlewedKey::new(twin.number, key);
            }
            twin.key.forget();
            twin.step = None;
        }
        self.action = action;
        self.built.clone_from(settings);
        self.settings = Some(Slew::new(settings));
    }

    /// Number of adopted states: one per key at its first touch, and one after every gap.
    #[must_use]
    pub const fn adopted(&self) -> u64 {
        self.adopted
    }

    /// A key and its next step; none before its first whole state.
    #[must_use]
    pub fn key(&self, key: KeyNumber) -> Option<(&dyn Key, u64)> {
        let twin = self.keys.get(key.index())?;
        twin.step.map(|step| (twin.key.key(), step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damper_that_moved_in_a_gap_is_reported() {
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
        let mut events = Vec::new();
        twin.play(&Entry::Setting { step: 0, action, settings }, |_| ());
        for (step, saved) in [(0, rest), (100, down), (200, down), (300, rest)] {
            twin.play(&Entry::Place { step, key, compensation, saved }, |e| {
                events.push((e.step, e.event.kind()));
            });
        }
        assert_eq!(events, [(100, EventKind::DamperLift), (300, EventKind::DamperFall)]);
    }
}
