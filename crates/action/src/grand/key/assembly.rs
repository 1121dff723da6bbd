//! One key of the grand put together: everything of it that does not move while it plays.

use crate::grand::design::concert::Built;
use crate::grand::design::regulation::Regulated;
use crate::grand::design::spec::Spec;
use crate::grand::equations::drive::DriveNow;
use crate::grand::equations::evaluation;
use crate::grand::key::readout::readout;
use crate::grand::key::{construct, rest};
use crate::grand::{Grand, Phase, STATES, state};
use crate::{Drive, Readout};
use touchback_core::episode::State;

/// Submodel and integrated states of one key.
pub type GrandState = State<Phase, STATES>;

/// A key's parts as regulated, and its equations over them.
#[derive(Clone, Debug)]
pub struct Assembly {
    /// Its numbers.
    pub spec: Spec,
    /// Where it rests and lets off.
    pub regulated: Regulated,
    /// The equations, with all that follows from the numbers worked out.
    pub grand: Grand,
}

impl Assembly {
    /// Of `built`.
    #[must_use]
    pub fn new(built: Built) -> Self {
        let Built { spec, regulated } = built;
        Self { spec, regulated, grand: Grand::new(&spec) }
    }

    /// Where it comes to rest, untouched, the damper tray down.
    #[must_use]
    pub fn rest(&self) -> GrandState {
        let mut search = self.search_rest();
        loop {
            if let Some(found) = self.settle(&mut search) {
                return found;
            }
        }
    }

    /// The search for that pose, to be taken step by step.
    #[must_use]
    pub fn search_rest(&self) -> rest::Search {
        rest::Search::new(&self.spec, &self.regulated.rest)
    }

    /// One step of its `search`; the pose once it is found.
    pub fn settle(&self, search: &mut rest::Search) -> Option<GrandState> {
        search.step(&self.spec, &self.grand)
    }

    /// The moment at which its hammer meets the string at `speed` m/s; see [`construct::strike`].
    #[must_use]
    pub fn strike(&self, speed: f64) -> Option<GrandState> {
        construct::strike(&self.spec, &self.regulated, speed)
    }

    /// The moment at which its key, rising at `speed` m/s at the front, lets the damper down on the
    /// string.
    #[must_use]
    pub fn release(&self, speed: f64) -> GrandState {
        construct::release(&self.spec, &self.regulated, speed)
    }

    /// Depth of the key front, m, and its speed, m/s.
    #[must_use]
    pub fn front(&self, x: &[f64; STATES]) -> [f64; 2] {
        let front = self.spec.key.front;
        [self.spec.key.depth(x[state::KEY]), front * x[state::KEY_SPEED]]
    }

    /// Hammer's crown above the string, m, and its speed, m/s.
    #[must_use]
    pub fn hammer(&self, x: &[f64; STATES]) -> [f64; 2] {
        let crown = self.spec.hammer.crown;
        [crown * x[state::HAMMER], crown * x[state::HAMMER_SPEED]]
    }

    /// Fastest speed of any part, rad/s, of the damper m/s.
    #[must_use]
    pub fn fastest(&self, x: &[f64; STATES]) -> f64 {
        evaluation::fastest(&self.grand.numbers, x)
    }

    /// How far a damper at `height` m is off its string, 0 (resting) … 1 (clear); 1 where there is
    /// none.
    #[must_use]
    pub fn damper_lift(&self, height: f64) -> f64 {
        self.spec.damper.lift(height)
    }

    /// What it shows at the end of a step driven by `drive`, the damper tray at `tray` m.
    #[must_use]
    pub fn readout(&self, running: &GrandState, drive: Drive, tray: f64) -> Readout {
        readout(&self.grand.numbers, running, &DriveNow::ends(drive, [tray; 2])[1])
    }
}
