//! The last touched key, step by step, recorded only while it is watched.

use touchback_action::interface::key::Saved;
use touchback_action::{ActionKind, Drive};
use touchback_core::math::compass::KeyNumber;

/// Samples kept for the reader: half a second of steps, more than the longest block has.
const CAPACITY: usize = 4096;

/// State of one key and what drives it: everything the action's other quantities follow from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KeySnapshot {
    /// Which action the key has.
    pub kind: ActionKind,
    /// How it stands.
    pub saved: Saved,
    /// What drives the key.
    pub drive: Drive,
    /// Height of the damper tray, m.
    pub tray: f64,
}

/// One key at the end of one action step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample {
    /// Number of the step since reset.
    pub step: u64,
    /// Which touch of the keyboard this belongs to: grows by one with every note-on.
    pub touch: u64,
    /// Which key.
    pub key: KeyNumber,
    /// State and drive of the key.
    pub look: KeySnapshot,
}

/// Samples since they were last taken.
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

    /// Records `key` at the end of `step`; without room the new sample is dropped and counted.
    pub fn push(&mut self, step: u64, key: KeyNumber, look: KeySnapshot) {
        if self.samples.len() < CAPACITY {
            self.samples.push(Sample { step, touch: self.touch, key, look });
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

    /// Samples that found no room since creation.
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_belong_to_a_touch_and_are_bounded() {
        let (kind, saved) = (ActionKind::Grand, Saved::default());
        let look = KeySnapshot { kind, saved, drive: Drive::Free, tray: 0.0 };
        let mut trace = KeyTrace::default();
        let key = KeyNumber::from_midi(60).unwrap();
        trace.touch(key);
        assert_eq!(trace.watched(), None);
        trace.watch(true);
        assert_eq!(trace.watched(), Some(key));
        for step in 0..5000 {
            trace.push(step, key, look);
        }
        assert_eq!((trace.samples().len(), trace.dropped()), (CAPACITY, 5000 - 4096));
        assert_eq!(trace.samples()[7], Sample { step: 7, touch: 1, key, look });
        trace.clear();
        assert!(trace.samples().is_empty());
        trace.push(1, key, look);
        trace.watch(false);
        assert!(trace.samples().is_empty() && trace.watched().is_none());
    }
}
