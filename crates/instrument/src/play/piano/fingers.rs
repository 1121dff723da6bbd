//! Fingers on the keys: presses, releases, repetitions, and keys that follow positions.

use crate::play::held_notes::HeldNotes;
use crate::play::repetition::RepetitionLimit;
use crate::play::touch::finger::NoteFinger;
use crate::play::touch::position::Position;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::key_set::KeySet;

/// Fingers, held notes and positions of all keys.
pub(super) struct Fingers {
    fingers: Box<[NoteFinger]>,
    /// Keys whose finger moves.
    pub(super) moving: KeySet,
    /// Keys whose strike was constructed since the last action step.
    pub(super) constructed: KeySet,
    pub(super) held_notes: HeldNotes,
    pub(super) repetition: RepetitionLimit,
    pub(super) positions: Box<[Position]>,
    /// Keys that follow positions, from the first above 0 until they have been let up.
    pub(super) positioned: KeySet,
    /// Keys of `positioned` that have not yet reached their position.
    pub(super) following: KeySet,
}

impl Fingers {
    /// No key touched. Allocates.
    pub(super) fn new() -> Self {
        Self {
            fingers: vec![NoteFinger::AWAY; KEYS].into(),
            moving: KeySet::EMPTY,
            constructed: KeySet::EMPTY,
            held_notes: HeldNotes::new(),
            repetition: RepetitionLimit::new(),
            positions: vec![Position::at(0.0); KEYS].into(),
            positioned: KeySet::EMPTY,
            following: KeySet::EMPTY,
        }
    }

    /// No key touched.
    pub(super) fn reset(&mut self) {
        self.fingers.fill(NoteFinger::AWAY);
        self.positions.fill(Position::at(0.0));
        (self.held_notes, self.repetition) = (HeldNotes::new(), RepetitionLimit::new());
        (self.moving, self.constructed) = (KeySet::EMPTY, KeySet::EMPTY);
        (self.positioned, self.following) = (KeySet::EMPTY, KeySet::EMPTY);
    }

    /// The finger of `key`.
    pub(super) fn of(&self, key: KeyNumber) -> &NoteFinger {
        &self.fingers[key.index()]
    }

    /// The finger of `key`.
    pub(super) fn of_mut(&mut self, key: KeyNumber) -> &mut NoteFinger {
        &mut self.fingers[key.index()]
    }

    /// Time of the note-on that moved `key`, s; NaN where a position did.
    pub(super) const fn note_on(&self, key: KeyNumber) -> f64 {
        if self.positioned.contains(key) { f64::NAN } else { self.held_notes.note_on(key) }
    }

    /// Whether no finger moves and no key follows a position.
    pub(super) const fn is_at_rest(&self) -> bool {
        self.moving.is_empty() && self.following.is_empty()
    }
}
