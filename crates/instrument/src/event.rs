//! Musical events of a player or a host.

use crate::Settings;
use crate::play::touch::finger::{fingertip_speed, grand_press};
use touchback_action::{KeyEvent, TimedEvent};
use touchback_core::math::compass::KeyNumber;

/// A musical event, applied at the piano's current sample. Every value is a share, limited to 0…1,
/// unless stated otherwise.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
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
    /// Every press of the key ended and its damper on the string, whatever the pedals do.
    Choke(KeyNumber),
    /// Key pressure: depth of the key if the settings read pressure so, otherwise ignored.
    Pressure {
        /// Which key.
        key: KeyNumber,
        /// Share of the key dip.
        depth: f64,
    },
    /// Recorded motion: the front of the key moves at constant speed from where it is to a depth, whatever
    /// the settings read key pressure as. At a depth of 0 the key is free.
    Motion {
        /// Which key.
        key: KeyNumber,
        /// Depth of the key front at the end of the motion, m.
        depth: f64,
        /// Duration of the motion, s.
        seconds: f64,
    },
    /// Event of a key whose action runs elsewhere, for the motors of a keyboard.
    Haptic {
        /// Which key.
        key: KeyNumber,
        /// The action's event.
        event: KeyEvent,
        /// Samples after the present one.
        ahead: f64,
    },
    /// Detuning of one key relative to its tuning.
    Tune {
        /// Which key.
        key: KeyNumber,
        /// Any number of cents.
        cents: f64,
    },
    /// Pitch of all keys, −1…1 of the bend range.
    Bend(f64),
    /// Range of the following bends, semitones; `None`: that of the settings.
    BendRange(Option<f64>),
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
    /// Event of a key whose action runs elsewhere, `ahead` samples after the present one.
    #[must_use]
    pub const fn haptic(timed: &TimedEvent, ahead: f64) -> Self {
        Self::Haptic { key: timed.key, event: timed.event, ahead }
    }

    /// The event's number, if it has one.
    #[must_use]
    pub const fn value(&self) -> Option<f64> {
        match *self {
            Self::NoteOn { velocity: value, .. }
            | Self::NoteOff { velocity: value, .. }
            | Self::Pressure { depth: value, .. }
            | Self::Motion { depth: value, .. }
            | Self::Tune { cents: value, .. }
            | Self::Bend(value)
            | Self::Sustain(value)
            | Self::Sostenuto(value)
            | Self::UnaCorda(value)
            | Self::Volume(value)
            | Self::Expression(value)
            | Self::Pan(value) => Some(value),
            Self::Haptic { event, .. } => Some(event.value()),
            Self::BendRange(range) => range,
            Self::Choke(_) | Self::AllNotesOff | Self::AllSoundOff => None,
        }
    }

    /// The key of a note-on and the speed of a fingertip, m/s, that gives the note's hammer speed; speed 0
    /// for the end of a note. `None` for other events.
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
