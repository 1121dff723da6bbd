//! The five submodels: which of the two switchable constraints hold, and what carries the jack.

/// The submodel that governs.
///
/// S2 is the jack toe on the let-off button, S3 the jack head under the knuckle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Phase {
    /// A: S3 on, S2 off. The jack stands on its stop and drives the knuckle.
    #[serde(rename = "A")]
    Acceleration,
    /// B: S2 and S3 on. The button turns the jack out from under the knuckle.
    #[serde(rename = "B")]
    LetOff,
    /// C: S2 on, S3 off. The hammer is free; the button carries the jack.
    #[serde(rename = "C")]
    Catch,
    /// D: both off. The jack is home on its stop.
    #[serde(rename = "D")]
    Return,
    /// E: both off; the jack, on its way home, leans on the knuckle's flank.
    #[serde(rename = "E")]
    Flank,
}

impl Phase {
    /// The thesis's letter, and E for the fifth.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::Acceleration => 'A',
            Self::LetOff => 'B',
            Self::Catch => 'C',
            Self::Return => 'D',
            Self::Flank => 'E',
        }
    }

    /// The jack bears on the knuckle (S3).
    #[must_use]
    pub const fn jack_drives(self) -> bool {
        matches!(self, Self::Acceleration | Self::LetOff)
    }
}
