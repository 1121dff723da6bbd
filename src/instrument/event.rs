//! What a player or a host sends.

use crate::math::compass::Key;

/// A musical event, applied at the piano's current sample.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Event {
    /// Key pressed; velocity 0…1 (MIDI velocity / 127).
    NoteOn {
        /// Which key.
        key: Key,
        /// 0…1.
        velocity: f64,
    },
    /// Key released; velocity 0…1.
    NoteOff {
        /// Which key.
        key: Key,
        /// 0…1.
        velocity: f64,
    },
    /// Sustain pedal, 0 up … 1 down.
    Sustain(f64),
    /// Every key released at once.
    AllNotesOff,
    /// Every sound stopped at once.
    AllSoundOff,
}
