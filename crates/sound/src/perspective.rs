//! Where the listener sits.

/// Where the listener sits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Perspective {
    /// At the keys: bass on the left, treble on the right.
    #[default]
    Player,
    /// Before the open lid, which sends back what it receives: keyboard on the left.
    Audience,
    /// Over the strings: wide, and next to no room.
    Near,
}

impl Perspective {
    /// All, in the order of their pairs of [`microphones`](crate::microphones).
    pub const ALL: [Self; 3] = [Self::Player, Self::Audience, Self::Near];

    /// Index of its pair of microphones.
    #[must_use]
    pub const fn pair(self) -> usize {
        self as usize
    }
}
