//! The messages of hosts and files.

/// A value within this distance of a 7-bit step, in steps, is taken as that step: hosts carry
/// values in single precision and divide by 127 in different ways, and all must give the same
/// samples.
pub(super) const EXACT: f64 = 2e-5;

/// Which notes a message means; what is not given means any.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Address {
    /// Channel 0…15.
    pub channel: Option<u8>,
    /// Note 0…127; goes before `id`.
    pub note: Option<u8>,
    /// The host's own number of a note.
    pub id: Option<i32>,
}

impl Address {
    /// One note of one channel.
    #[must_use]
    pub const fn note(channel: u8, note: u8) -> Self {
        Self { channel: Some(channel), note: Some(note), id: None }
    }
}

/// A message; values 0…1 as MIDI's 0…127 unless said otherwise.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum InputMessage {
    /// Note pressed.
    NoteOn {
        /// Channel 0…15.
        channel: u8,
        /// Note 0…127.
        note: u8,
        /// The host's own number of it.
        id: Option<i32>,
        /// Velocity, 0…1.
        velocity: f64,
    },
    /// Notes released.
    NoteOff {
        /// The notes meant.
        to: Address,
        /// Velocity, 0…1.
        velocity: f64,
    },
    /// Notes ended at once, dampers down.
    Choke(Address),
    /// Pressure of notes.
    Pressure {
        /// The notes meant.
        to: Address,
        /// Pressure, 0…1.
        value: f64,
    },
    /// Pitch of notes against their own.
    Tuning {
        /// The notes meant.
        to: Address,
        /// Detuning, semitones.
        semitones: f64,
    },
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
    /// An expression that a piano has no use for: vibrato, brightness and their like.
    Unsupported,
}

/// The message with the value that it had as a MIDI message, if it was one.
pub(super) fn exact(message: &InputMessage) -> InputMessage {
    let mut exact = *message;
    match &mut exact {
        InputMessage::NoteOn { velocity: value, .. }
        | InputMessage::NoteOff { velocity: value, .. }
        | InputMessage::Pressure { value, .. }
        | InputMessage::ChannelPressure { value, .. }
        | InputMessage::Controller { value, .. } => *value = nearest(*value),
        InputMessage::Tuning { .. }
        | InputMessage::Bend { .. }
        | InputMessage::Choke(_)
        | InputMessage::Unsupported => {}
    }
    exact
}

/// The 7-bit value (14-bit with CC 88) that `value`, 0…1, is but for rounding, or `value`.
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
        | InputMessage::ChannelPressure { value, .. }
        | InputMessage::Bend { value, .. }
        | InputMessage::Controller { value, .. } => value.is_finite(),
        InputMessage::NoteOff { .. } | InputMessage::Choke(_) | InputMessage::Unsupported => true,
    }
}
