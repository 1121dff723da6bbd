//! One step of a stroke, and the origins of strokes.

use touchback_action::interface::key::SavedState;
use touchback_action::{Drive, Readout};

/// The origin of a stroke.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Every step as it was played.
    Played,
    /// Played from the strike on. The rows before the strike are computed by a pressing hand, because an
    /// immediate note begins with the hammer at the string.
    PlayedFromStrike,
    /// Every step as it was played on a motorized keyboard.
    Haptic,
    /// Computed by a pressing hand.
    Computed,
}

impl Origin {
    /// Description for the user.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::Played => "as played",
            Self::PlayedFromStrike => {
                "as played from the strike on; reconstructed before it, as a finger presses"
            }
            Self::Haptic => "as played on the motorized keyboard",
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
    pub saved: SavedState,
    /// The key's drive.
    pub drive: Drive,
    /// All quantities that follow from the state.
    pub view: Readout,
}

/// Greatest drawn distance of a leaving finger above its key, m.
const GONE: f64 = 0.02;

impl Row {
    /// Distance of the finger above the key, m, if it is near.
    #[must_use]
    pub fn finger(&self) -> Option<f64> {
        match self.drive {
            Drive::Free | Drive::Manipulandum(_) => None,
            Drive::Finger([_, target]) => {
                let gap = (self.view.key - target).max(0.0);
                (gap < GONE).then_some(gap)
            }
            Drive::Force(_) | Drive::Wave { .. } => (self.view.key_force > 0.0).then_some(0.0),
            Drive::Motion { .. } => Some(0.0),
        }
    }
}
