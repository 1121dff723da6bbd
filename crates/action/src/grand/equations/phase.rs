//! The submodels: which of the two switchable constraints hold, and which part supports the jack.

use crate::grand::equations::precomputed::Precomputed;
use crate::interface::graph::{Graph, transition};
use touchback_core::math::real::{Mask, Real};

/// A submodel of the grand action.
///
/// Constraint S2 is the jack's toe on the let-off button, S3 the jack's head under the knuckle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Phase {
    /// A: S3 on, S2 off. The jack is on its stop and drives the knuckle.
    #[serde(rename = "A")]
    Acceleration,
    /// B: S2 and S3 on. The button turns the jack out from under the knuckle.
    #[serde(rename = "B")]
    LetOff,
    /// C: S2 on, S3 off. The hammer is free; the button holds the jack.
    #[serde(rename = "C")]
    Catch,
    /// D: both off. The jack is back on its stop.
    #[serde(rename = "D")]
    Return,
    /// E: both off. The returning jack leans on the knuckle's flank.
    #[serde(rename = "E")]
    Flank,
    /// F: S2 on, and a straight knuckle's flank on the jack's head: the jack is held between button and flank.
    #[serde(rename = "F")]
    Wedge,
}

impl Phase {
    /// All phases in the order of [`Self::number`].
    pub const ALL: [Self; 6] =
        [Self::Acceleration, Self::LetOff, Self::Catch, Self::Return, Self::Flank, Self::Wedge];

    /// Index in [`Self::ALL`].
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Names in the order of [`Self::ALL`]: the letters A to D of the thesis, E and F.
    pub const NAMES: [&str; 6] = ["A", "B", "C", "D", "E", "F"];

    /// The submodels and their transitions.
    pub const GRAPH: Graph<'static> = Graph {
        submodels: &Self::NAMES,
        transitions: &[
            transition(0, 1, "toe meets the button"),
            transition(0, 3, "head leaves the knuckle"),
            transition(1, 0, "jack back on its stop"),
            transition(1, 2, "head leaves the knuckle"),
            transition(1, 4, "jack leans on the flank"),
            transition(2, 3, "jack back on its stop"),
            transition(2, 1, "knuckle on the head"),
            transition(2, 4, "flank meets the jack"),
            transition(2, 5, "flank meets the held jack"),
            transition(3, 2, "toe meets the button"),
            transition(3, 0, "head meets the knuckle"),
            transition(4, 0, "jack back on its stop"),
            transition(4, 1, "head flat under the knuckle"),
            transition(4, 2, "flank leaves the jack"),
            transition(4, 3, "flank leaves, jack on its stop"),
            transition(4, 5, "toe meets the button"),
            transition(5, 2, "flank leaves the jack"),
            transition(5, 3, "button and flank leave"),
            transition(5, 4, "toe leaves the button"),
        ],
    };

    /// Name of the phase, from [`Self::NAMES`].
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// Name of the phase as a character.
    #[must_use]
    pub const fn letter(self) -> char {
        self.name().as_bytes()[0] as char
    }

    /// Whether S3 holds: the jack bears on the knuckle.
    #[must_use]
    pub const fn jack_drives(self) -> bool {
        matches!(self, Self::Acceleration | Self::LetOff)
    }

    /// Whether S2 holds: the button guides the jack.
    #[must_use]
    pub const fn on_button(self) -> bool {
        matches!(self, Self::LetOff | Self::Catch | Self::Wedge)
    }
}

/// The constraints that hold in the submodel of each lane.
#[derive(Clone, Copy, Debug)]
pub struct Phases<R: Real> {
    /// S3: the jack bears on the knuckle.
    pub jack_drives: R::Mask,
    /// S2: the button guides the jack.
    pub on_button: R::Mask,
    /// The knuckle's flank guides the jack; never set in several lanes with a rigid knuckle.
    pub on_flank: R::Mask,
    /// Button and flank hold the jack between them; never set in several lanes.
    pub wedged: R::Mask,
}

impl From<Phase> for Phases<f64> {
    #[inline(always)]
    fn from(phase: Phase) -> Self {
        Self {
            jack_drives: phase.jack_drives(),
            on_button: phase.on_button(),
            on_flank: phase == Phase::Flank,
            wedged: phase == Phase::Wedge,
        }
    }
}

impl<R: Real> Phases<R> {
    /// Lanes in which the jack may bear on the knuckle: all, or with a rigid knuckle those in which S3 holds.
    #[inline(always)]
    #[must_use]
    pub(crate) fn jack_bears(&self, n: &Precomputed<R>) -> R::Mask {
        if n.is_rigid() { self.jack_drives } else { !R::Mask::none() }
    }

    /// The phases of several keys, one in each lane.
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
            wedged: R::Mask::none(),
        }
    }
}
