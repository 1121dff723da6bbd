//! Position of the listener.

use touchback_core::math::setting::choice;

/// Position of the listener.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Perspective {
    /// At the keys: bass on the left, treble on the right.
    #[default]
    Player,
    /// Before the open lid, which reflects the sound: keyboard on the left.
    Audience,
    /// Over the strings: wide, and almost without room.
    Near,
}

choice!(Perspective: Player "Player", Audience "Audience", Near "Near");

impl Perspective {
    /// Index of the perspective's pair of [`microphones`](crate::board::microphones).
    #[must_use]
    pub const fn pair(self) -> usize {
        self as usize
    }
}
