//! What a player or a host sends.

use crate::Settings;
use crate::touch::finger::{fingertip_speed, grand_press};
use touchback_action::{KeyEvent, TimedEvent};
use touchback_core::math::compass::KeyNumber;

/// A musical event, applied at the piano's current sample. Every value is a share 0…1 (beyond it
/// as at its ends) unless said otherwise.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Event {
    /// Key pressed.
    NoteOn {
        /// Which key.
        key: KeyNumber,
        /// MIDI velocity / 127.
        velocity: f64,
    },
    /// Key released.
    NoteOff {
        /// Which key.
        key: KeyNumber,
        /// MIDI velocity / 127.
        velocity: f64,
    },
    /// Every press of the key let go and its damper on the string, whatever the pedals do.
    Choke(KeyNumber),
    /// Key pressure: how deep the key is, where the settings read it so; else nothing.
    Pressure {
        /// Which key.
        key: KeyNumber,
        /// Share of the key dip.
        depth: f64,
    },
    /// Something happened in a key whose action runs elsewhere, as one felt on a motorized keyboard.
    Haptic {
        /// Which key.
        key: KeyNumber,
        /// What happened in it.
        event: KeyEvent,
        /// Samples after the present one.
        ahead: f64,
    },
    /// Pitch of one key against its own.
    Tune {
        /// Which key.
        key: KeyNumber,
        /// Any number of cents.
        cents: f64,
    },
    /// Pitch of all keys, −1…1 of the bend range.
    Bend(f64),
    /// Sustain pedal: 0 up … 1 down.
    Sustain(f64),
    /// Sostenuto pedal: down from one half on.
    Sostenuto(f64),
    /// Una corda pedal.
    UnaCorda(f64),
    /// Channel volume, controller 7.
    Volume(f64),
    /// Expression, controller 11.
    Expression(f64),
    /// Balance: 0 left … ½ middle … 1 right.
    Pan(f64),
    /// Every key released at once.
    AllNotesOff,
    /// Every sound stopped at once.
    AllSoundOff,
}

impl Event {
    /// What happens in a key whose action runs elsewhere, `ahead` samples after the present one.
    #[must_use]
    pub const fn haptic(timed: &TimedEvent, ahead: f64) -> Self {
        Self::Haptic { key: timed.key, event: timed.event, ahead }
    }

    /// Its number, if it has one.
    #[must_use]
    pub const fn value(&self) -> Option<f64> {
        match *self {
            Self::NoteOn { velocity: value, .. }
            | Self::NoteOff { velocity: value, .. }
            | Self::Pressure { depth: value, .. }
            | Self::Tune { cents: value, .. }
            | Self::Bend(value)
            | Self::Sustain(value)
            | Self::Sostenuto(value)
            | Self::UnaCorda(value)
            | Self::Volume(value)
            | Self::Expression(value)
            | Self::Pan(value) => Some(value),
            Self::Haptic { event, .. } => Some(event.value()),
            Self::Choke(_) | Self::AllNotesOff | Self::AllSoundOff => None,
        }
    }

    /// The key that a note presses and the speed of a fingertip, m/s, that throws its hammer as the
    /// note asks; 0 where the note ends. Nothing for other events.
    #[must_use]
    pub fn fingertip(&self, settings: &Settings) -> Option<(KeyNumber, f64)> {
        match *self {
            Self::NoteOn { key, velocity } => {
                let dip = settings.action.key_dip_mm * 1e-3;
                let hammer = settings.touch.hammer_speed(velocity);
                Some((key, fingertip_speed(&grand_press(key, dip), hammer)))
            }
            Self::NoteOff { key, .. } | Self::Choke(key) => Some((key, 0.0)),
            _ => None,
        }
    }
}
