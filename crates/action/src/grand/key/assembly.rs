//! One assembled key of the grand: all its constants while it plays.

use crate::grand::design::concert::Built;
use crate::grand::design::regulation::Regulated;
use crate::grand::design::spec::Spec;
use crate::grand::equations::drive::DriveNow;
use crate::grand::equations::energy;
use crate::grand::equations::evaluation::{self, Evaluation};
use crate::grand::equations::kinematics::Kinematics;
use crate::grand::key::readout::{elements_of, readout};
use crate::grand::key::{construct, rest};
use crate::grand::{Grand, Phase, STATES, state};
use crate::interface::elements::Elements;
use crate::interface::trajectory;
use crate::{Drive, Readout, STEP};
use touchback_core::episode::State;

/// Phase and integrated states of one key.
pub type GrandState = State<Phase, STATES>;

/// The specification of a regulated key and the model built from it.
#[derive(Clone, Debug)]
pub struct Assembly {
    /// Dimensions, masses, springs, felts and screws.
    pub spec: Spec,
    /// Rest angles and let-off depth.
    pub regulated: Regulated,
    /// The equations with their precomputed constants.
    pub grand: Grand,
}

impl Assembly {
    /// The assembly of the key `built`.
    #[must_use]
    pub fn new(built: Built) -> Self {
        let Built { spec, regulated } = built;
        Self { spec, regulated, grand: Grand::new(&spec) }
    }

    /// The rest pose of the untouched key with the damper tray down.
    #[must_use]
    pub fn rest(&self) -> GrandState {
        let mut search = self.begin_rest_search();
        loop {
            if let Some(found) = self.step_rest_search(&mut search) {
                return found;
            }
        }
    }

    /// Begins the search for the rest pose, which [`Self::step_rest_search`] takes step by step.
    #[must_use]
    pub(crate) fn begin_rest_search(&self) -> rest::Search {
        rest::Search::new(&self.spec, &self.regulated.rest)
    }

    /// Takes one step of `search`; the rest pose once it is found.
    pub(crate) fn step_rest_search(&self, search: &mut rest::Search) -> Option<GrandState> {
        search.step(&self.spec, &self.grand)
    }

    /// The state at which the hammer meets the string at `speed` m/s; see [`construct::strike`].
    #[must_use]
    pub fn strike(&self, speed: f64) -> Option<GrandState> {
        construct::strike(&self.spec, &self.grand.numbers, &self.regulated, speed)
    }

    /// The state at which the key, rising at `speed` m/s at the front, lets the damper begin to meet the string.
    #[must_use]
    pub fn release(&self, speed: f64) -> GrandState {
        construct::release(&self.spec, &self.grand.numbers, &self.regulated, speed)
    }

    /// Depth of the key front, m, and its speed, m/s.
    #[must_use]
    pub fn front(&self, x: &[f64; STATES]) -> [f64; 2] {
        let front = self.spec.key.front;
        [self.spec.key.depth(x[state::KEY]), front * x[state::KEY_SPEED]]
    }

    /// Height of the hammer's crown above the string, m, and its speed, m/s.
    #[must_use]
    pub fn hammer(&self, x: &[f64; STATES]) -> [f64; 2] {
        let crown = self.spec.hammer.crown;
        [crown * x[state::HAMMER], crown * x[state::HAMMER_SPEED]]
    }

    /// Highest speed of the parts, rad/s (m/s of the damper).
    #[must_use]
    pub fn fastest(&self, x: &[f64; STATES]) -> f64 {
        evaluation::fastest(&self.grand.numbers, x)
    }

    /// Kinetic and potential energy, J, with the damper tray at `tray` m.
    #[must_use]
    pub fn energy(&self, running: &GrandState, tray: f64) -> f64 {
        let (n, x) = (&self.grand.numbers, &running.x);
        energy::total(n, running.phase, &Kinematics::at(n, &running.phase.into(), x), x, tray)
    }

    /// Lift of a damper at `height` m, 0 (on the string) … 1 (clear); 1 for a key without damper.
    #[must_use]
    pub fn damper_lift(&self, height: f64) -> f64 {
        self.spec.damper.lift(height)
    }

    /// Acceleration of the key front under `drive`, m/s², with the damper tray at `tray` m.
    #[must_use]
    pub fn front_acceleration(&self, running: &GrandState, drive: Drive, tray: f64) -> f64 {
        let (n, x, input) = (&self.grand.numbers, &running.x, DriveNow::at_end(drive, tray));
        let free = Evaluation::new(n, &running.phase.into(), &input, x);
        let held = free.friction(n, &input, x, STEP);
        n.key.front * free.with_friction(n, &held, &input, x).acceleration[0]
    }

    /// Readings at the end of a step driven by `drive`, with the damper tray at `tray` m.
    #[must_use]
    pub fn readout(&self, running: &GrandState, drive: Drive, tray: f64) -> Readout {
        readout(&self.grand.numbers, running, &DriveNow::at_end(drive, tray))
    }

    /// Force that answers a step under `drive` from the state `before` to `after`, N; NaN unless the motion is
    /// imposed.
    #[must_use]
    pub(crate) fn answer(
        &self,
        drive: Drive,
        before: &GrandState,
        after: &GrandState,
        tray: f64,
    ) -> f64 {
        let work = after.x[state::WORK] - before.x[state::WORK];
        let depth = self.front(&before.x)[0];
        let force = |at: &GrandState| self.readout(at, drive, tray).key_force;
        trajectory::answer(drive, depth, work, || [before, after].map(force))
    }

    /// Force and dissipated power of every element, as [`Self::readout`].
    #[must_use]
    pub fn elements(&self, running: &GrandState, drive: Drive, tray: f64) -> Elements {
        elements_of(&self.grand.numbers, running, &DriveNow::at_end(drive, tray))
    }
}
