//! Settings of a room in its own terms.

/// Settings of a room.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RoomSpec {
    /// Level at which sound is sent into the room, amplitude: that of the reverberation relative to the
    /// direct sound at the player's microphones.
    pub level: f64,
    /// Level of the reverberation at the chosen microphones over that at the player's, amplitude.
    pub return_level: f64,
    /// Length of the room, m.
    pub size: f64,
    /// Decay time of low frequencies for 60 dB, s.
    pub time: f64,
}
