//! What can be felt through the junction of a haptic keyboard, and the key of each.
//!
//! The junction pushes with f − Z·v ([`Drive::Wave`](touchback_action::Drive::Wave)), where f = √(2Z)·u
//! is held for a step and v is the key's own speed at every moment inside it. As ∫v² dt ≥ v̄²·T, the
//! key gets no more work than the waves bring.

use super::bench_load::BenchLoad;
use super::walls::{self, Walled};
use touchback_action::catalogue::Model;
use touchback_action::grand::GrandKey;
use touchback_action::interface::key::{DynamicsCompensation, Key, LIGHTEST};
use touchback_action::{ActionKind, ActionSettings, STEP};
use touchback_core::math::compass::KeyNumber;
use touchback_device::message::IMPEDANCE;

// The largest impedance that a keyboard can name, against the lightest key: 1.8 of 2.78.
const _: () = assert!(255.0 * IMPEDANCE * STEP / LIGHTEST < 2.0);

/// Actions that can be felt through a haptic keyboard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// One of those that can be played.
    Played(ActionKind),
    /// The load of the acceptance measurements: a lever and a hammer on a spring.
    Bench,
    /// A stiff wall at half depth.
    Wall,
    /// The same wall, sampled.
    Walled(walls::WallKind),
}

impl Default for Action {
    fn default() -> Self {
        Self::GRAND
    }
}

impl Action {
    /// The grand action.
    pub const GRAND: Self = Self::Played(ActionKind::Grand);

    /// All of them: those that notes can play, the load and the wall, its controllers.
    pub const ALL: [Self; ActionKind::COUNT + 2 + walls::WallKind::ALL.len()] = {
        let mut all = [Self::Bench; ActionKind::COUNT + 2 + walls::WallKind::ALL.len()];
        let mut i = 0;
        while i < ActionKind::COUNT {
            all[i] = Self::Played(ActionKind::ALL[i]);
            i += 1;
        }
        all[i + 1] = Self::Wall;
        let mut wall = 0;
        while wall < walls::WallKind::ALL.len() {
            all[i + 2 + wall] = Self::Walled(walls::WallKind::ALL[wall]);
            wall += 1;
        }
        all
    };

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Played(kind) => kind.name(),
            Self::Bench => "bench-load",
            Self::Wall => "wall",
            Self::Walled(kind) => kind.name(),
        }
    }

    /// `key` of it at rest with `settings`, relieved of what is `brought`; and what could not be
    /// taken off. Allocates.
    #[must_use]
    pub fn key(
        self,
        key: KeyNumber,
        settings: &ActionSettings,
        brought: &DynamicsCompensation,
    ) -> (Box<dyn Key>, DynamicsCompensation) {
        let mut made: Box<dyn Key> = match self {
            // Unlike a model from a file it knows its screws.
            Self::Played(ActionKind::Grand) => Box::new(GrandKey::new(key, settings)),
            Self::Played(kind) => Model::of(kind, key, settings).start(),
            Self::Bench => Box::new(BenchLoad::BENCH),
            Self::Wall => Box::new(BenchLoad::WALL),
            Self::Walled(kind) => Box::new(Walled::new(kind)),
        };
        made.regulate(settings);
        let left = made.compensate(brought);
        made.reset_to_rest();
        (made, left)
    }

    /// A wall is what is to be felt: the keyboard renders no bed before it.
    #[must_use]
    pub const fn is_wall(self) -> bool {
        matches!(self, Self::Wall | Self::Walled(_))
    }

    /// The action of a name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|a| a.name() == name)
    }
}

#[cfg(test)]
mod tests;
