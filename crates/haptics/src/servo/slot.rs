//! One reported interval of a key: what the keyboard said, and under which junction.

use super::seconds;
use touchback_action::interface::slew::Slew;
use touchback_device::message::{KeyState, POSITION};

/// How the keyboard and the simulated key are joined in a slot.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Join {
    /// By waves, at an impedance.
    Wave(f64),
    /// The keyboard gives force, by a virtual coupling.
    Coupled,
    /// The keyboard gives none; the simulated key follows its position.
    Followed,
}

/// One reported interval.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'a> {
    /// Steps that had begun before it.
    pub before: u64,
    /// Steps that have begun when it ends.
    pub after: u64,
    /// What the keyboard said.
    pub report: &'a KeyState,
    /// The junction.
    pub join: Join,
    /// The regulation, which may be on its way.
    pub settings: &'a Slew,
    /// Force may be commanded.
    pub is_live: bool,
    /// A key that has not shown that its motor is right may be pushed now.
    pub may_push: bool,
    /// Steps from a state to its answer's play-out.
    pub lead: u64,
    /// Step of the sensors, m.
    pub sensor_step: f64,
    /// The keyboard's energy guard has acted.
    pub is_guarded: bool,
}

impl Slot<'_> {
    /// How many.
    pub const fn steps(&self) -> u64 {
        self.after - self.before
    }

    /// How long it is, s.
    pub fn time(&self) -> f64 {
        seconds(self.steps())
    }

    /// Depth of the key at its end, m.
    pub fn depth(&self) -> f64 {
        f64::from(self.report.x) * POSITION
    }
}
