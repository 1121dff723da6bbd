//! The five submodels: which of the two switchable constraints hold, and what carries the jack.

use crate::grand::equations::precomputed::Precomputed;
use touchback_core::math::real::{Mask, Real};

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
    /// All of them, in the order in which they are numbered.
    pub const ALL: [Self; 5] =
        [Self::Acceleration, Self::LetOff, Self::Catch, Self::Return, Self::Flank];

    /// Its place in [`Self::ALL`].
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Names of all, the thesis's letters and E.
    pub const NAMES: [&str; 5] = ["A", "B", "C", "D", "E"];

    /// Its name, of [`Self::NAMES`]: the thesis's letter, and E for the fifth.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Acceleration => "A",
            Self::LetOff => "B",
            Self::Catch => "C",
            Self::Return => "D",
            Self::Flank => "E",
        }
    }

    /// The same as a character.
    #[must_use]
    pub const fn letter(self) -> char {
        self.name().as_bytes()[0] as char
    }

    /// The jack bears on the knuckle (S3).
    #[must_use]
    pub const fn jack_drives(self) -> bool {
        matches!(self, Self::Acceleration | Self::LetOff)
    }

    /// The button carries the jack (S2).
    #[must_use]
    pub const fn on_button(self) -> bool {
        matches!(self, Self::LetOff | Self::Catch)
    }
}

/// The submodel of each lane, as the constraints that hold there.
#[derive(Clone, Copy, Debug)]
pub struct Phases<R: Real> {
    /// S3: the jack bears on the knuckle.
    pub jack_drives: R::Mask,
    /// S2: the button carries the jack.
    pub on_button: R::Mask,
    /// The knuckle's flank carries the jack; of a rigid knuckle never with several lanes.
    pub on_flank: R::Mask,
}

impl From<Phase> for Phases<f64> {
    #[inline(always)]
    fn from(phase: Phase) -> Self {
        Self {
            jack_drives: phase.jack_drives(),
            on_button: phase.on_button(),
            on_flank: phase == Phase::Flank,
        }
    }
}

impl<R: Real> Phases<R> {
    /// Where the jack may bear on the knuckle: wherever it touches, or, of a rigid one, where S3
    /// holds.
    #[inline(always)]
    #[must_use]
    pub fn jack_bears(&self, n: &Precomputed<R>) -> R::Mask {
        if n.is_rigid() { self.jack_drives } else { !R::Mask::none() }
    }

    /// The phases of several keys side by side.
    #[inline(always)]
    #[must_use]
    pub fn gather(phases: &[Phase]) -> Self {
        let (mut jack_drives, mut on_button, mut on_flank) = (0u8, 0u8, 0u8);
        for (lane, phase) in phases.iter().enumerate() {
            jack_drives |= u8::from(phase.jack_drives()) << lane;
            on_button |= u8::from(phase.on_button()) << lane;
            on_flank |= u8::from(*phase == Phase::Flank) << lane;
        }
        Self {
            jack_drives: R::Mask::from_bits(jack_drives),
            on_button: R::Mask::from_bits(on_button),
            on_flank: R::Mask::from_bits(on_flank),
        }
    }
}
