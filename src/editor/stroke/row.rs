//! One step of a stroke, and where strokes come from.

use touchback_action::interface::key::Saved;
use touchback_action::{Drive, Readout};

/// Where a stroke comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Every step as it was played.
    Played,
    /// Played from the strike on; the way up to it as a pressing hand makes
    /// it, because an immediate note begins at the string.
    PlayedFromStrike,
    /// Every step as it was felt on a motorized keyboard.
    Felt,
    /// Computed: a hand pressing.
    Computed,
}

impl Origin {
    /// What to tell the player.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::Played => "as played",
            Self::PlayedFromStrike => {
                "as played from the strike on; reconstructed before it, as a finger presses"
            }
            Self::Felt => "as felt on the motorized keyboard",
            Self::Computed => "computed: a hand pressing",
        }
    }
}

/// One action step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Row {
    /// End of the step, s; 0 at the first strike, or where the stroke begins if it has none.
    pub time: f64,
    /// Submodel and states of the key.
    pub saved: Saved,
    /// What drove the key.
    pub drive: Drive,
    /// Everything that follows from it.
    pub view: Readout,
}

/// Highest that a leaving finger is drawn over its key, m.
const GONE: f64 = 0.02;

impl Row {
    /// How far the finger is above the key, m, if it is near.
    #[must_use]
    pub fn finger(&self) -> Option<f64> {
        match self.drive {
            Drive::Free | Drive::Manipulandum(_) => None,
            Drive::Finger([_, target]) => {
                let gap = (self.view.key - target).max(0.0);
                (gap < GONE).then_some(gap)
            }
            Drive::Force(_) | Drive::Wave { .. } => (self.view.key_force > 0.0).then_some(0.0),
            Drive::Motion(_) => Some(0.0),
        }
    }
}
