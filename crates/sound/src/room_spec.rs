//! Settings of a room, as the room itself takes them.

/// Settings of a room.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RoomSpec {
    /// Level at which sound is sent into it, amplitude: that of the reverberation against the direct
    /// sound at the player's.
    pub level: f64,
    /// Level at which the reverberation is heard, over the player's.
    pub heard: f64,
    /// Length, m.
    pub size: f64,
    /// Decay time of low frequencies for 60 dB, s.
    pub time: f64,
}
