//! The sound engine of the whole instrument.

use crate::math::compass::Key;
use crate::sound::Voicing;

/// What knocked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Knock {
    /// Key front on the key bed.
    KeyBed,
    /// Key back on its rest felt.
    KeyRest,
    /// Hammer caught by the backcheck.
    Check,
    /// Damper landing.
    Damper,
}

/// All strings and the board, at one sample rate.
pub struct Sound {
    _voicing: Voicing,
}

impl Sound {
    /// Prepares all tables for `sample_rate` Hz. Allocates; everything else here does not.
    #[must_use]
    pub fn new(_sample_rate: f64, voicing: &Voicing) -> Self {
        Self { _voicing: *voicing }
    }

    /// Silence; the sample clock restarts.
    pub fn reset(&mut self) {}

    /// New voicing from the next sample on, without clicks.
    pub fn set(&mut self, _voicing: &Voicing) {}

    /// The hammer of `key` meets its strings at `speed` m/s, `delay` samples (0…1) after the
    /// beginning of the next sample's interval.
    pub fn strike(&mut self, _key: Key, _speed: f64, _delay: f64) {}

    /// Damper of `key`: 0 resting on the string … 1 clear of it, from the next sample on.
    pub fn damper(&mut self, _key: Key, _lift: f64) {}

    /// A knock of the mechanism at `key` with the given impact speed, m/s.
    pub fn knock(&mut self, _key: Key, _knock: Knock, _speed: f64) {}

    /// Writes the next samples of both channels (equal lengths), full scale ±1.
    pub fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        left.fill(0.0);
        right.fill(0.0);
    }

    /// Nothing sounds and nothing will before the next event.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        true
    }
}
