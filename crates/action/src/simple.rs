//! The smaller actions: one lever under the finger, and what it moves.
//!
//! All share one layout: state 0 is the depth of the key front, m, state 1 its speed, the last two
//! are work done by the drive and energy dissipated, J.

pub mod ball;
pub mod drive_input;
pub mod harpsichord;
pub mod model_a;
pub mod model_b;
pub mod note_interface;
pub mod parts;
pub mod simplified;
pub mod slider;
pub mod viennese;

use std::fmt::Debug;

use super::interface::key::{DynamicsCompensation, Key, LIGHTEST, OnEvent, Saved};
use super::interface::pose::Pose;
use super::interface::press::{Press, Travel};
use super::{Drive, KeyEvent, Readout, STEP};
use drive_input::DriveInput;
use note_interface::Playing;
use touchback_core::episode::{Model, Observer, State, Stepper};

/// Index of the key front's depth, m, in every smaller action's state.
pub const KEY: usize = 0;
/// Index of its speed, m/s.
pub const KEY_SPEED: usize = 1;

/// What the equations of a smaller action say at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation<const BODIES: usize, const ELEMENTS: usize> {
    /// Force of the drive on the key front (F_KU), N.
    pub drive: f64,
    /// Force between key and hammer (F_KH; plectrum and string, notch and beak, paddle and ball), N;
    /// positive presses.
    pub contact: f64,
    /// Accelerations of the bodies in the order of the states, m/s² or rad/s².
    pub acceleration: [f64; BODIES],
    /// Power that each of the action's elements turns into heat, W.
    pub losses: [f64; ELEMENTS],
}

/// What a smaller action adds to its equations. `N` states in the common layout.
pub trait SimpleAction<const N: usize, const G: usize, const S: usize>:
    Model<N, G, S, Input = DriveInput, Phase: Debug + Send + 'static> + Copy + Debug + Send + 'static
{
    /// Its submodels, in the order in which they are numbered.
    const PHASES: &'static [Self::Phase];

    /// Indices of the speeds among its states.
    const SPEEDS: &'static [usize];

    /// Mass of the key as its front feels it, kg, that can be taken off; and where it is kept.
    fn front_mass(&mut self) -> (&mut f64, f64);

    /// At rest, untouched.
    fn rest(&self) -> State<Self::Phase, N>;

    /// What it shows.
    fn readout(&self, phase: Self::Phase, input: &DriveInput, x: &[f64; N]) -> Readout;

    /// Where its parts are.
    fn pose(&self, phase: Self::Phase, x: &[f64; N]) -> Pose;

    /// The event that a change of submodel is, if any.
    fn switched(&self, from: Self::Phase, to: Self::Phase, before: &[f64; N]) -> Option<KeyEvent>;

    /// The event that guard `index` is, if any.
    fn passed(&self, index: usize, rising: bool, x: &[f64; N]) -> Option<KeyEvent>;

    /// Puts the key where and at what speed an imposed motion has it, at the beginning of a step
    /// of `h` s.
    fn impose(&self, _phase: Self::Phase, x: &mut [f64; N], depth: f64, speed: f64, _h: f64) {
        (x[KEY], x[KEY_SPEED]) = (depth, speed);
    }
}

/// One key of a smaller action: its numbers and its state.
#[derive(Clone, Debug)]
pub struct Running<M: SimpleAction<N, G, S>, const N: usize, const G: usize, const S: usize> {
    /// Its numbers.
    pub spec: M,
    /// Inertia of the key before anything was taken off.
    inertia: f64,
    /// How it stands.
    pub state: State<M::Phase, N>,
}

impl<M: SimpleAction<N, G, S>, const N: usize, const G: usize, const S: usize> Running<M, N, G, S> {
    /// At rest.
    #[must_use]
    pub fn new(mut spec: M) -> Self {
        let inertia = *spec.front_mass().0;
        Self { state: spec.rest(), spec, inertia }
    }

    /// Advances by `stepper`'s step, `inputs` at its ends.
    pub fn advance(&mut self, stepper: &Stepper, inputs: &[DriveInput; 2], hear: &mut OnEvent<'_>) {
        if let DriveInput::Motion(depth, speed) = inputs[0] {
            // The jump in speed that a corner of the imposed motion asks for is work too.
            let energy = |state: &State<M::Phase, N>| {
                let shown = self.spec.readout(state.phase, &inputs[0], &state.x);
                shown.kinetic + shown.potential
            };
            let before = energy(&self.state);
            self.spec.impose(self.state.phase, &mut self.state.x, depth, speed, stepper.h);
            self.state.x[N - 2] += energy(&self.state) - before;
        }
        let mut translator = Translator::<M, N, G, S> { spec: &self.spec, hear };
        stepper.advance(&self.spec, &mut self.state, inputs, &mut translator);
    }
}

impl<M, const N: usize, const G: usize, const S: usize> Key for Running<M, N, G, S>
where
    M: Playing<N, G, S>,
{
    fn step(&mut self, drive: Drive, hear: &mut OnEvent<'_>) {
        self.advance(&Stepper::new(STEP), &DriveInput::ends(drive), hear);
    }

    fn readout(&self, drive: Drive) -> Readout {
        self.spec.readout(self.state.phase, &DriveInput::ends(drive)[1], &self.state.x)
    }

    fn front(&self) -> [f64; 2] {
        [self.state.x[KEY], self.state.x[KEY_SPEED]]
    }

    fn fastest(&self) -> f64 {
        M::SPEEDS.iter().map(|&i| self.state.x[i].abs()).fold(0.0, f64::max)
    }

    fn work(&self) -> f64 {
        self.state.x[N - 2]
    }

    fn damper_lift(&self) -> f64 {
        self.spec.damper(&self.state.x)
    }

    fn reset_to_rest(&mut self) {
        self.state = self.spec.rest();
    }

    fn save(&self) -> Saved {
        let phase = (0u8..).zip(M::PHASES).find(|(_, p)| **p == self.state.phase);
        Saved::new(phase.map_or(0, |(i, _)| i), &self.state.x)
    }

    fn adopt(&mut self, saved: &Saved) {
        if let Some(phase) = M::PHASES.get(usize::from(saved.phase)) {
            self.state.phase = *phase;
        }
        self.state.x = saved.states();
    }

    fn pose(&self) -> Pose {
        self.spec.pose(self.state.phase, &self.state.x)
    }

    fn duplicate(&self) -> Box<dyn Key> {
        Box::new(self.clone())
    }

    /// Its mass alone: no smaller action has friction or a bed of its own to give.
    fn compensate(&mut self, brought: &DynamicsCompensation) -> DynamicsCompensation {
        let own = self.inertia;
        let (inertia, arm) = self.spec.front_mass();
        *inertia = (own - brought.mass * arm).max(LIGHTEST * arm);
        let taken = (own - *inertia) / arm;
        DynamicsCompensation { mass: brought.mass - taken, ..*brought }
    }

    fn strike(&mut self, speed: f64) -> bool {
        self.state = self.spec.struck(speed);
        true
    }

    fn release(&mut self, speed: f64) {
        self.state = self.spec.rising(self.spec.damper_depth(), speed);
    }

    fn travel(&self) -> Option<Travel> {
        Some(self.spec.travel())
    }

    fn press(&self) -> Option<Press> {
        Some(self.spec.press())
    }

    fn plucks(&self) -> Option<f64> {
        self.spec.plucks()
    }
}

/// Turns transitions and guards into events.
struct Translator<'a, 'b, M, const N: usize, const G: usize, const S: usize> {
    spec: &'a M,
    hear: &'a mut OnEvent<'b>,
}

impl<M: SimpleAction<N, G, S>, const N: usize, const G: usize, const S: usize> Observer<M::Phase, N>
    for Translator<'_, '_, M, N, G, S>
{
    fn transition(
        &mut self,
        t: f64,
        from: M::Phase,
        to: M::Phase,
        before: &[f64; N],
        _: &[f64; N],
    ) {
        if let Some(event) = self.spec.switched(from, to, before) {
            (self.hear)(t, event);
        }
    }

    fn guard(&mut self, t: f64, index: usize, rising: bool, x: &[f64; N]) {
        if let Some(event) = self.spec.passed(index, rising, x) {
            (self.hear)(t, event);
        }
    }
}
