//! Actions that a haptic keyboard can render, and their simulated keys.
//!
//! The junction drives a key with f − Z·v ([`Drive::Wave`](touchback_action::Drive::Wave)), N: f = √(2Z)·u is
//! constant over a step, v is the key's speed at every moment of the step. Because ∫v² dt ≥ v̄²·T, the key
//! receives no more work than the waves carry.

use crate::keyboard::bench_load::BenchLoad;
use crate::wall::action::{self, WallNumbers, Walled};
use touchback_action::interface::key::{DynamicsCompensation, Key, LIGHTEST};
use touchback_action::{ActionKind, ActionSettings, STEP};
use touchback_core::math::compass::KeyNumber;
use touchback_device::message::IMPEDANCE;
use touchback_models::catalogue;

// Stability: the largest impedance on the wire times the step over the lightest mass is below 2.
const _: () = assert!(255.0 * IMPEDANCE * STEP / LIGHTEST < 2.0);

/// An action that a haptic keyboard can render.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// An action that can also be played by notes.
    Played(ActionKind),
    /// The load of the acceptance measurements: a lever and a hammer on a spring.
    Bench,
    /// A stiff wall at a depth of 5 mm, in continuous time.
    Wall,
    /// The same wall as a sampled controller.
    Walled(action::WallKind, WallNumbers),
}

impl Default for Action {
    fn default() -> Self {
        Self::GRAND
    }
}

impl Action {
    /// The grand action.
    pub const GRAND: Self = Self::Played(ActionKind::Grand);

    /// All actions: those that notes can play, bench load, wall, sampled walls.
    pub const ALL: [Self; ActionKind::COUNT + 2 + action::WallKind::ALL.len()] = {
        let mut all = [Self::Bench; ActionKind::COUNT + 2 + action::WallKind::ALL.len()];
        let mut i = 0;
        while i < ActionKind::COUNT {
            all[i] = Self::Played(ActionKind::ALL[i]);
            i += 1;
        }
        all[i + 1] = Self::Wall;
        let mut wall = 0;
        while wall < action::WallKind::ALL.len() {
            all[i + 2 + wall] = Self::Walled(action::WallKind::ALL[wall], WallNumbers::USUAL);
            wall += 1;
        }
        all
    };

    /// Name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Played(kind) => kind.name(),
            Self::Bench => "bench-load",
            Self::Wall => "wall",
            Self::Walled(kind, _) => kind.name(),
        }
    }

    /// Creates the simulated `key` at rest with `settings`, less the `compensation`. Also returns the part of
    /// `compensation` that could not be deducted. Allocates.
    #[must_use]
    pub fn key(
        self,
        key: KeyNumber,
        settings: &ActionSettings,
        compensation: &DynamicsCompensation,
    ) -> (Box<dyn Key>, DynamicsCompensation) {
        let mut simulated: Box<dyn Key> = match self {
            Self::Played(kind) => catalogue::rendered(kind, key, settings),
            Self::Bench => Box::new(BenchLoad::BENCH),
            Self::Wall => Box::new(BenchLoad::WALL),
            Self::Walled(kind, numbers) => Box::new(Walled::new(kind, numbers)),
        };
        simulated.regulate(settings);
        let residual = simulated.compensate(compensation);
        simulated.reset_to_rest();
        (simulated, residual)
    }

    /// The action is a wall, so that the keyboard must not render a bed in front of it.
    #[must_use]
    pub(crate) const fn is_wall(self) -> bool {
        matches!(self, Self::Wall | Self::Walled(..))
    }

    /// Whether keys of this action with the settings `before` need only be regulated for the settings `after`: another
    /// mechanism of a file has other keys.
    pub(crate) fn keeps_keys(self, before: &ActionSettings, after: &ActionSettings) -> bool {
        self != Self::Played(ActionKind::File) || before.mechanism == after.mechanism
    }

    /// The action with this name, and of a sampled wall with numbers, such as `wall-standard:k=2000,t=0.002`.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::read(name).and_then(Result::ok)
    }

    /// As [`Action::of`], with a sentence on what is wrong with the numbers.
    #[must_use]
    pub fn read(text: &str) -> Option<Result<Self, String>> {
        let (name, numbers) = text.split_once(':').map_or((text, None), |(n, of)| (n, Some(of)));
        let action = Self::ALL.into_iter().find(|a| a.name().eq_ignore_ascii_case(name))?;
        match (action, numbers) {
            (_, None) => Some(Ok(action)),
            (Self::Walled(kind, _), Some(numbers)) => {
                Some(numbers.parse().map(|numbers| Self::Walled(kind, numbers)))
            }
            (_, Some(_)) => Some(Err(format!("{name}: the sampled walls alone have numbers"))),
        }
    }
}

/// The name, with the numbers of a sampled wall where they are not the usual ones.
impl std::fmt::Display for Action {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Walled(kind, numbers) if *numbers != WallNumbers::USUAL => {
                write!(f, "{}:{numbers}", kind.name())
            }
            _ => f.write_str(self.name()),
        }
    }
}

#[cfg(test)]
mod tests;
