//! Recording of the last touched key in every action step, for the window's drawing; off by default.

use touchback_action::interface::key::SavedState;
use touchback_action::{ActionKind, Drive, SwitchableKeyboard};
use touchback_core::math::compass::KeyNumber;

/// Samples kept for the reader: 0.5 s of action steps, more than the longest block has.
const CAPACITY: usize = 4096;

/// State of one key and its drive, from which all other quantities of the action follow.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct KeySnapshot {
    /// Which action the key has.
    pub kind: ActionKind,
    /// Submodel and state vector of the key.
    pub saved: SavedState,
    /// Drive of the key.
    pub drive: Drive,
    /// Height of the damper tray, m.
    pub tray: f64,
    /// Force that answered the imposed motion of the last step, N.
    pub answer: Option<f64>,
}

/// A keyboard whose moving keys can be recorded.
pub trait Traced {
    /// State and drive of `key`, if it moves.
    fn snapshot(&self, key: KeyNumber) -> Option<KeySnapshot>;
}

impl Traced for SwitchableKeyboard {
    fn snapshot(&self, key: KeyNumber) -> Option<KeySnapshot> {
        let (grand, kind, tray) = (self.grand(), self.kind(key), self.tray());
        let (saved, drive, answer) = match self.simple_key(key) {
            Some(lever) if lever.is_moving() => {
                let (key, drive) = (lever.key(), lever.current_drive());
                let answer = drive.is_motion().then(|| key.readout(drive).key_force);
                (key.save(), drive, answer)
            }
            Some(_) => return None,
            None => (grand.moving(key)?.into(), grand.drive_of(key), grand.answer(key)),
        };
        Some(KeySnapshot { kind, saved, drive, tray, answer })
    }
}

/// One key at the end of one action step.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Sample {
    /// Number of the step since reset.
    pub step: u64,
    /// Index of the touch that the sample belongs to: grows by one with every note-on.
    pub touch: u64,
    /// Which key.
    pub key: KeyNumber,
    /// State and drive of the key.
    pub snapshot: KeySnapshot,
}

/// Recorder of one key at a time.
#[derive(Debug)]
pub struct KeyTrace {
    samples: Vec<Sample>,
    is_watched: bool,
    touch: u64,
    key: Option<KeyNumber>,
    dropped: u64,
}

impl Default for KeyTrace {
    /// Not watched. Allocates; nothing else here does.
    fn default() -> Self {
        Self {
            samples: Vec::with_capacity(CAPACITY),
            is_watched: false,
            touch: 0,
            key: None,
            dropped: 0,
        }
    }
}

impl KeyTrace {
    /// Switches recording on or off.
    pub fn watch(&mut self, is_watched: bool) {
        if !is_watched {
            self.samples.clear();
        }
        self.is_watched = is_watched;
    }

    /// No key has been touched.
    pub fn reset(&mut self) {
        self.samples.clear();
        self.key = None;
    }

    /// `key` is touched anew.
    pub const fn touch(&mut self, key: KeyNumber) {
        self.key = Some(key);
        self.touch += 1;
    }

    /// The last touched key, if it is watched.
    pub const fn watched(&self) -> Option<KeyNumber> {
        if self.is_watched { self.key } else { None }
    }

    /// The last touched key, watched or not.
    pub const fn touched(&self) -> Option<KeyNumber> {
        self.key
    }

    /// Records `key` at the end of `step`; without space the new sample is dropped and counted.
    pub fn push(&mut self, step: u64, key: KeyNumber, snapshot: KeySnapshot) {
        if self.samples.len() < CAPACITY {
            self.samples.push(Sample { step, touch: self.touch, key, snapshot });
        } else {
            self.dropped += 1;
        }
    }

    /// Samples since the last [`Self::clear`], oldest first.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// Empties the trace.
    pub fn clear(&mut self) {
        self.samples.clear();
    }

    /// Samples dropped since creation because the trace was full.
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_belong_to_a_touch_and_are_bounded() {
        let (kind, saved) = (ActionKind::Grand, SavedState::default());
        let snapshot = KeySnapshot { kind, saved, drive: Drive::Free, tray: 0.0, answer: None };
        let mut trace = KeyTrace::default();
        let key = KeyNumber::from_midi(60).unwrap();
        trace.touch(key);
        assert_eq!(trace.watched(), None);
        trace.watch(true);
        assert_eq!(trace.watched(), Some(key));
        for step in 0..5000 {
            trace.push(step, key, snapshot);
        }
        assert_eq!((trace.samples().len(), trace.dropped()), (CAPACITY, 5000 - 4096));
        assert_eq!(trace.samples()[7], Sample { step: 7, touch: 1, key, snapshot });
        trace.clear();
        assert!(trace.samples().is_empty());
        trace.push(1, key, snapshot);
        trace.watch(false);
        assert!(trace.samples().is_empty() && trace.watched().is_none());
    }
}
