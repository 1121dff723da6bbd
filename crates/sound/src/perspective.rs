//! Position of the listener.

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

impl Perspective {
    /// All perspectives, in the order of their pairs of [`microphones`](crate::microphones).
    pub const ALL: [Self; 3] = [Self::Player, Self::Audience, Self::Near];

    /// Index of the perspective's pair of microphones.
    #[must_use]
    pub const fn pair(self) -> usize {
        self as usize
    }
}
