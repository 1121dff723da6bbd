//! The messages of hosts and files.

use super::controller::{SOSTENUTO, SUSTAIN, UNA_CORDA};
use crate::Event;
use touchback_core::math::cast::floor_index;

/// Distance from a 7-bit step, in steps, within which a value counts as that step: hosts use single
/// precision and divide by 127 in different ways, and all must give the same samples.
pub(super) const EXACT: f64 = 2e-5;

/// Notes that a message addresses; a part that is not given matches any.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Address {
    /// Channel 0…15.
    pub channel: Option<u8>,
    /// Note 0…127; takes precedence over `id`.
    pub note: Option<u8>,
    /// The host's id of a note.
    pub id: Option<i32>,
}

impl Address {
    /// One note of one channel.
    #[must_use]
    pub const fn note(channel: u8, note: u8) -> Self {
        Self { channel: Some(channel), note: Some(note), id: None }
    }
}

/// One of the three pedals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pedal {
    /// Right: lifts all dampers.
    Sustain,
    /// Middle: holds the dampers that are lifted.
    Sostenuto,
    /// Left: shifts the action.
    UnaCorda,
}

impl Pedal {
    /// All three, in the order of their controllers.
    pub const ALL: [Self; 3] = [Self::Sustain, Self::Sostenuto, Self::UnaCorda];

    /// Number of its controller.
    #[must_use]
    pub const fn controller(self) -> u8 {
        match self {
            Self::Sustain => SUSTAIN,
            Self::Sostenuto => SOSTENUTO,
            Self::UnaCorda => UNA_CORDA,
        }
    }

    /// The event that moves it to `travel`, 0 up … 1 down.
    #[must_use]
    pub const fn event(self, travel: f64) -> Event {
        match self {
            Self::Sustain => Event::Sustain(travel),
            Self::Sostenuto => Event::Sostenuto(travel),
            Self::UnaCorda => Event::UnaCorda(travel),
        }
    }
}

/// A setting of the whole instrument.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Master {
    /// Level, 0…1, by the law of the channel volume.
    Volume(f64),
    /// Tuning of every note, cents.
    Cents(f64),
    /// Transposition of later notes, semitones.
    Semitones(f64),
}

/// A message; values of 0…1 are MIDI's 0…127 unless stated otherwise.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum InputMessage {
    /// Note pressed.
    NoteOn {
        /// Channel 0…15.
        channel: u8,
        /// Note 0…127.
        note: u8,
        /// The host's id of the note.
        id: Option<i32>,
        /// Velocity, 0…1.
        velocity: f64,
    },
    /// Notes released.
    NoteOff {
        /// The addressed notes.
        to: Address,
        /// Velocity, 0…1.
        velocity: f64,
    },
    /// Notes ended at once, dampers down.
    Choke(Address),
    /// Pressure of notes.
    Pressure {
        /// The addressed notes.
        to: Address,
        /// Pressure, 0…1.
        value: f64,
    },
    /// Detuning of notes relative to their tuning.
    Tuning {
        /// The addressed notes.
        to: Address,
        /// Detuning, semitones.
        semitones: f64,
    },
    /// Standing detuning of a note of some channels, which its later presses have too.
    Retune {
        /// Channels by bits.
        channels: u16,
        /// Note 0…127.
        note: u8,
        /// Detuning, semitones.
        semitones: f64,
        /// Whether a sounding note follows.
        is_immediate: bool,
    },
    /// A setting of the whole instrument.
    Master(Master),
    /// Pressure of a channel's notes.
    ChannelPressure {
        /// Channel 0…15.
        channel: u8,
        /// Pressure, 0…1.
        value: f64,
    },
    /// Pitch bend.
    Bend {
        /// Channel 0…15.
        channel: u8,
        /// Bend, −1…1.
        value: f64,
    },
    /// Control change.
    Controller {
        /// Channel 0…15.
        channel: u8,
        /// Number 0…127.
        number: u8,
        /// Value, 0…1.
        value: f64,
    },
    /// A pedal's travel itself, whatever polarity is set and channels have sent.
    Pedal {
        /// Which pedal.
        pedal: Pedal,
        /// Travel, 0 up … 1 down.
        travel: f64,
    },
    /// An expression that a piano does not support: vibrato, brightness and the like.
    Unsupported,
}

/// The message with the exact value of the MIDI message that it was, if it was one.
pub(super) fn exact(message: &InputMessage) -> InputMessage {
    let mut exact = *message;
    match &mut exact {
        InputMessage::NoteOn { velocity: value, .. }
        | InputMessage::NoteOff { velocity: value, .. }
        | InputMessage::Pressure { value, .. }
        | InputMessage::ChannelPressure { value, .. }
        | InputMessage::Controller { value, .. } => *value = nearest(*value),
        InputMessage::Tuning { .. }
        | InputMessage::Retune { .. }
        | InputMessage::Master(_)
        | InputMessage::Bend { .. }
        | InputMessage::Pedal { .. }
        | InputMessage::Choke(_)
        | InputMessage::Unsupported => {}
    }
    exact
}

/// The 7-bit value (14-bit with CC 88) that differs from `value`, 0…1, by rounding only, or `value`.
fn nearest(value: f64) -> f64 {
    let steps = 128.0 * 127.0 * value;
    let near = steps.round();
    if (steps - near).abs() < 128.0 * EXACT { near / (128.0 * 127.0) } else { value }
}

pub(super) fn is_finite(message: &InputMessage) -> bool {
    match *message {
        InputMessage::NoteOn { velocity: value, .. }
        | InputMessage::Pressure { value, .. }
        | InputMessage::Tuning { semitones: value, .. }
        | InputMessage::Retune { semitones: value, .. }
        | InputMessage::Master(
            Master::Volume(value) | Master::Cents(value) | Master::Semitones(value),
        )
        | InputMessage::ChannelPressure { value, .. }
        | InputMessage::Bend { value, .. }
        | InputMessage::Pedal { travel: value, .. }
        | InputMessage::Controller { value, .. } => value.is_finite(),
        InputMessage::NoteOff { .. } | InputMessage::Choke(_) | InputMessage::Unsupported => true,
    }
}

/// Balance, 0…1, of a 7-bit pan with its middle at 64 (MIDI 1.0: 0 and 1 are both hard left).
pub(super) fn pan(value: f64) -> f64 {
    0.5 * ((127.0 * value - 64.0) / 63.0).max(-1.0) + 0.5
}

/// Bend, −1…1, of a 14-bit pitch bend of 0…1, with 8192 in the middle.
#[must_use]
pub fn bend(value: f64) -> f64 {
    let steps = floor_index((16_383.0 * value).round()).min(16_383) as f64 - 8192.0;
    steps / if steps < 0.0 { 8192.0 } else { 8191.0 }
}
