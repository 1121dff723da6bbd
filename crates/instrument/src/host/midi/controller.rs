//! Controller numbers of MIDI 1.0, table 3, and CA-031.

/// Channel volume.
pub(crate) const VOLUME: u8 = 7;
/// Pan; the balance of a stereo instrument.
pub(crate) const PAN: u8 = 10;
/// Expression, the share of the channel volume.
pub(crate) const EXPRESSION: u8 = 11;
/// Finer part of the velocity of the next note, or of the key sensor's message before it, from Disklavier
/// Pro pianos.
pub const FINE_VELOCITY: u8 = 16;
/// Speed at the key sensor of Disklavier Pro pianos.
pub(crate) const KEY_SENSOR: u8 = 81;
/// Sustain pedal.
pub const SUSTAIN: u8 = 64;
/// Sostenuto pedal.
pub const SOSTENUTO: u8 = 66;
/// Soft pedal.
pub const UNA_CORDA: u8 = 67;
/// Finer part of the next note's velocity.
pub const VELOCITY_PREFIX: u8 = 88;
/// Every sound ends.
pub const ALL_SOUND_OFF: u8 = 120;
/// Controllers to their defaults.
pub const RESET: u8 = 121;
/// Every note ends; the four mode messages above it imply the same.
pub const ALL_NOTES_OFF: u8 = 123;
/// The last mode message.
pub(crate) const POLY_MODE: u8 = 127;

/// Coarse and fine part of a registered parameter's value.
pub const DATA: [u8; 2] = [6, 38];
/// One step more, and one less, of a registered parameter's value.
pub const STEP: [u8; 2] = [96, 97];
/// Number of another maker's parameter: fine and coarse part.
pub(crate) const OTHER_PARAMETER: [u8; 2] = [98, 99];
/// Number of a registered parameter: fine and coarse part.
pub(crate) const PARAMETER: [u8; 2] = [100, 101];

/// Controllers that select a registered parameter and enter its value, in the order in which they act.
pub const SETUP: [u8; 8] = [
    OTHER_PARAMETER[1],
    OTHER_PARAMETER[0],
    PARAMETER[1],
    PARAMETER[0],
    DATA[0],
    DATA[1],
    STEP[0],
    STEP[1],
];

/// Whether the piano reads a controller: one that it plays by, or one that sets up its channel.
#[must_use]
pub fn is_read(number: u8) -> bool {
    is_heard(number) || SETUP.contains(&number) || matches!(number, FINE_VELOCITY | KEY_SENSOR)
}

/// Whether the piano plays by a controller, which then moves no parameter.
#[must_use]
pub const fn is_heard(number: u8) -> bool {
    matches!(
        number,
        VOLUME
            | PAN
            | EXPRESSION
            | SUSTAIN
            | SOSTENUTO
            | UNA_CORDA
            | VELOCITY_PREFIX
            | ALL_SOUND_OFF
            | RESET
            | ALL_NOTES_OFF..=POLY_MODE
    )
}
