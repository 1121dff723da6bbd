//! The piano a host plays: events in, stereo samples out, on one sample clock.

use crate::action::Keyboard;
use crate::instrument::{Event, Settings};
use crate::math::compass::Key;
use crate::sound::Sound;

/// Counters of what happened since creation or reset.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Note-ons taken.
    pub notes: u64,
    /// Hammers that met a string.
    pub strikes: u64,
    /// Presses that ended without a strike.
    pub silent_presses: u64,
}

/// One hammer strike, as it sounded.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StrikeRecord {
    /// Time of the strike since reset, s.
    pub time: f64,
    /// Which key.
    pub key: Key,
    /// Hammer speed, m/s.
    pub speed: f64,
    /// Time of the note-on that caused it, s; NaN without one.
    pub note_on: f64,
}

/// Action and sound of 88 keys.
pub struct Piano {
    keyboard: Keyboard,
    sound: Sound,
    settings: Settings,
    counts: Counts,
}

impl Piano {
    /// A silent piano at `sample_rate` Hz. Allocates; everything else here does not.
    #[must_use]
    pub fn new(sample_rate: f64, settings: &Settings) -> Self {
        Self {
            keyboard: Keyboard::new(&settings.action),
            sound: Sound::new(sample_rate, &settings.sound),
            settings: *settings,
            counts: Counts::default(),
        }
    }

    /// Silence, every key at rest, clocks and counts restarted.
    pub fn reset(&mut self) {
        self.keyboard.reset();
        self.sound.reset();
        self.counts = Counts::default();
    }

    /// New settings from the current sample on, without clicks.
    pub fn set(&mut self, settings: &Settings) {
        self.settings = *settings;
    }

    /// Applies `event` at the current sample.
    pub fn handle(&mut self, _event: Event) {}

    /// Writes the next samples of both channels (equal lengths), full scale ±1.
    pub fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        self.sound.process(left, right);
    }

    /// What happened since creation or reset.
    #[must_use]
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// Strikes of the last call of [`Piano::process`], oldest first.
    #[must_use]
    pub fn strikes(&self) -> &[StrikeRecord] {
        &[]
    }

    /// Nothing moves and nothing sounds.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.sound.is_silent() && self.keyboard.awake() == 0
    }
}
