//! The simple actions: a key that is one lever, and the body that it moves.
//!
//! Their states share one layout: state 0 is the depth of the key front, m, state 1 its speed, m/s; the last
//! two are the work done by the drive and the energy dissipated, J.

pub mod ball;
pub mod drive_input;
pub mod harpsichord;
pub mod model_a;
pub mod model_b;
pub mod note_interface;
pub mod simplified;
pub mod slider;
pub mod substeps;
pub mod viennese;

use std::fmt::Debug;

use super::interface::elements::Elements;
use super::interface::graph::Graph;
use super::interface::key::{DynamicsCompensation, Key, LIGHTEST, OnEvent, SavedState};
use super::interface::pose::Pose;
use super::interface::press::{Press, Travel, Voice};
use super::interface::trajectory::{self, is_jump};
use super::{Drive, KeyEvent, Readout, STEP};
use drive_input::DriveInput;
use note_interface::Playing;
use touchback_core::episode::{Input, Model, Observer, State, Stepper};
use touchback_core::mech::felt::Contact;

/// State index of the depth of the key front, m, in every simple action.
pub const KEY: usize = 0;
/// State index of the speed of the key front, m/s.
pub const KEY_SPEED: usize = 1;

/// Forces and accelerations of a simple action at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation<const BODIES: usize, const ELEMENTS: usize> {
    /// Force of the drive on the key front (F_KU), N.
    pub drive: f64,
    /// Force between key and hammer (F_KH; plectrum and string, notch and beak, paddle and ball), N;
    /// positive presses.
    pub contact: f64,
    /// Accelerations of the bodies in the order of the states, m/s² or rad/s².
    pub acceleration: [f64; BODIES],
    /// Force and dissipated power of each of the action's elements.
    pub elements: [Contact; ELEMENTS],
}

impl<const BODIES: usize, const ELEMENTS: usize> Evaluation<BODIES, ELEMENTS> {
    /// Dissipated power, W.
    #[must_use]
    pub fn loss(&self) -> f64 {
        self.elements.iter().map(|element| element.loss).sum()
    }
}

/// A simple action: a [`Model`] with `N` states in the common layout, with readings and events.
pub trait SimpleAction<const N: usize, const G: usize, const S: usize>:
    Model<N, G, S, Input = DriveInput, Phase: Debug + Send + 'static> + Clone + Debug + Send + 'static
{
    /// Submodels, in the order of their numbers in [`SavedState::phase`].
    const PHASES: &'static [Self::Phase];

    /// State indices of the speeds.
    const SPEEDS: &'static [usize];

    /// Names of the submodels, in the order of [`Self::PHASES`], and their transitions.
    fn graph(&self) -> Graph<'_>;

    /// The field that holds the inertia of the key, kg·m² or kg, and its value per mass at the front, m² or
    /// 1: the part that a compensation reduces.
    fn front_mass(&mut self) -> (&mut f64, f64);

    /// Rest pose, untouched.
    fn rest(&self) -> State<Self::Phase, N>;

    /// Readings at `x` in `phase`.
    fn readout(&self, phase: Self::Phase, input: &DriveInput, x: &[f64; N]) -> Readout;

    /// Force and dissipated power of every element at `x` in `phase`.
    fn elements(&self, phase: Self::Phase, input: &DriveInput, x: &[f64; N]) -> Elements;

    /// Positions of the parts at `x` in `phase`.
    fn pose(&self, phase: Self::Phase, x: &[f64; N]) -> Pose;

    /// The event of a transition, if any.
    fn switched(&self, from: Self::Phase, to: Self::Phase, before: &[f64; N]) -> Option<KeyEvent>;

    /// The event of a sign change of guard `index`, if any.
    fn passed(&self, index: usize, rising: bool, x: &[f64; N]) -> Option<KeyEvent>;

    /// Sets depth, m, and speed, m/s, of the key to those of an imposed motion, at the beginning of a step.
    fn impose(&self, _phase: Self::Phase, x: &mut [f64; N], [depth, speed]: [f64; 2]) {
        (x[KEY], x[KEY_SPEED]) = (depth, speed);
    }
}

/// One key of a simple action: specification and state.
#[derive(Clone, Debug)]
pub struct ActionKey<M: SimpleAction<N, G, S>, const N: usize, const G: usize, const S: usize> {
    /// Specification of the key.
    pub spec: M,
    /// Inertia of the key without compensation.
    inertia: f64,
    /// Steps of integration in an action step.
    parts: u32,
    /// Phase and states.
    pub state: State<M::Phase, N>,
    /// Force that answered the imposed motion of the last step, N; NaN without one.
    answer: f64,
}

impl<M: SimpleAction<N, G, S>, const N: usize, const G: usize, const S: usize>
    ActionKey<M, N, G, S>
{
    /// The key `spec` at rest.
    #[must_use]
    pub fn new(mut spec: M) -> Self {
        let inertia = *spec.front_mass().0;
        Self { state: spec.rest(), spec, inertia, parts: 1, answer: f64::NAN }
    }

    /// Advances by one step of `stepper`, with the drives `inputs` at both ends.
    pub fn advance(
        &mut self,
        stepper: &Stepper,
        inputs: &[DriveInput; 2],
        on_event: &mut OnEvent<'_>,
    ) {
        self.impose(&inputs[0]);
        self.integrate(stepper, inputs, on_event);
    }

    /// Takes over depth and speed of an imposed motion at the beginning of a step.
    fn impose(&mut self, input: &DriveInput) {
        let DriveInput::Motion { from, .. } = *input else { return };
        let energy = |state: &State<M::Phase, N>| {
            let readout = self.spec.readout(state.phase, input, &state.x);
            readout.kinetic + readout.potential
        };
        // A jump changes the energy: the change is work of the drive.
        let x = &self.state.x;
        let before = is_jump([x[KEY], x[KEY_SPEED]], from).then(|| energy(&self.state));
        self.spec.impose(self.state.phase, &mut self.state.x, from);
        if let Some(before) = before {
            self.state.x[N - 2] += energy(&self.state) - before;
        }
    }

    fn integrate(
        &mut self,
        stepper: &Stepper,
        inputs: &[DriveInput; 2],
        on_event: &mut OnEvent<'_>,
    ) {
        let mut translator = Translator::<M, N, G, S> { spec: &self.spec, on_event };
        stepper.advance(&self.spec, &mut self.state, inputs, &mut translator);
    }

    /// Readings in the state `at` of a step driven by `drive`.
    fn read(&self, at: &State<M::Phase, N>, drive: Drive) -> Readout {
        self.spec.readout(at.phase, &DriveInput::at_end(drive), &at.x)
    }
}

impl<M, const N: usize, const G: usize, const S: usize> Key for ActionKey<M, N, G, S>
where
    M: Playing<N, G, S>,
{
    fn step(&mut self, drive: Drive, on_event: &mut OnEvent<'_>) {
        let ends = DriveInput::ends(drive);
        let (depth, work) = (self.state.x[KEY], self.work());
        self.impose(&ends[0]);
        let begin = self.state;
        if self.parts <= 1 {
            self.integrate(&Stepper::new(STEP), &ends, on_event);
        } else {
            let stepper = Stepper::new(STEP / f64::from(self.parts));
            for part in 0..self.parts {
                let at =
                    |part: u32| ends[0].lerp(&ends[1], f64::from(part) / f64::from(self.parts));
                let (inputs, begin) = ([at(part), at(part + 1)], f64::from(part) * stepper.h);
                self.integrate(&stepper, &inputs, &mut |offset, event| {
                    on_event(begin + offset, event);
                });
            }
        }
        let work = self.work() - work;
        self.answer = trajectory::answer(drive, depth, work, || {
            [&begin, &self.state].map(|at| self.read(at, drive).key_force)
        });
    }

    fn refine(&mut self, parts: u32) {
        self.parts = parts.max(1);
    }

    fn readout(&self, drive: Drive) -> Readout {
        let mut readout = self.read(&self.state, drive);
        if drive.is_motion() && self.answer.is_finite() {
            readout.key_force = self.answer;
        }
        readout
    }

    fn elements(&self, drive: Drive) -> Elements {
        self.spec.elements(self.state.phase, &DriveInput::at_end(drive), &self.state.x)
    }

    fn graph(&self) -> Graph<'_> {
        self.spec.graph()
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

    fn ports(&self) -> [f64; 2] {
        self.spec.ports(&self.state.x)
    }

    fn reset_to_rest(&mut self) {
        self.state = self.spec.rest();
    }

    fn save(&self) -> SavedState {
        let phase = (0u8..).zip(M::PHASES).find(|(_, p)| **p == self.state.phase);
        SavedState::new(phase.map_or(0, |(i, _)| i), &self.state.x)
    }

    fn adopt(&mut self, saved: &SavedState) {
        if let Some(phase) = M::PHASES.get(usize::from(saved.phase)) {
            self.state.phase = *phase;
        }
        self.state.x = saved.states();
        self.answer = f64::NAN;
    }

    fn pose(&self) -> Pose {
        self.spec.pose(self.state.phase, &self.state.x)
    }

    fn duplicate(&self) -> Box<dyn Key> {
        Box::new(self.clone())
    }

    /// Subtracts the mass alone: weight, friction and bed of a simple action are not compensated.
    fn compensate(&mut self, device: &DynamicsCompensation) -> DynamicsCompensation {
        let own = self.inertia;
        let (inertia, per_mass) = self.spec.front_mass();
        *inertia = (own - device.mass * per_mass).max(LIGHTEST * per_mass);
        let subtracted = (own - *inertia) / per_mass;
        DynamicsCompensation { mass: device.mass - subtracted, ..*device }
    }

    fn strike(&mut self, speed: f64) -> bool {
        if self.spec.constructs() {
            self.state = self.spec.struck(speed);
        }
        self.spec.constructs()
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

    fn voice(&self) -> Voice {
        self.spec.voice()
    }
}

/// Translates transitions and guards into events.
struct Translator<'a, 'b, M, const N: usize, const G: usize, const S: usize> {
    spec: &'a M,
    on_event: &'a mut OnEvent<'b>,
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
            (self.on_event)(t, event);
        }
    }

    fn guard(&mut self, t: f64, index: usize, rising: bool, x: &[f64; N]) {
        if let Some(event) = self.spec.passed(index, rising, x) {
            (self.on_event)(t, event);
        }
    }
}
