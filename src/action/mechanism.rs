//! What every action has in common: it is stepped through its port, heard, read and drawn.
//!
//! The smaller actions share one layout: state 0 is the depth of the key front, m, state 1 its
//! speed, the last two are work done by the drive and energy dissipated, J.

use super::drive_input::DriveInput;
use super::grand::spec::SpecError;
use super::pose::Pose;
use super::readout::Readout;
use super::{Drive, KeyEvent, STEP};
use crate::episode::{Model, Observer, State, Stepper};
use crate::mech::felt;

/// Index of the key front's depth, m, in every smaller action's state.
pub const KEY: usize = 0;
/// Index of its speed, m/s.
pub const KEY_SPEED: usize = 1;

/// Hears of an event, and of its seconds after the step's beginning.
pub type Hear<'a> = dyn FnMut(f64, KeyEvent) + 'a;

/// The states and the submodel of a key, as numbers that can be kept and sent.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Saved {
    /// Place of the submodel among the action's own.
    pub phase: u8,
    /// Its states, as many as it has.
    pub x: [f64; SAVED],
}

impl Saved {
    /// The phase and the bits of the states: for files and fingerprints.
    #[must_use]
    pub fn bits(&self) -> [u64; SAVED + 1] {
        let mut bits = [u64::from(self.phase); SAVED + 1];
        bits[1..].iter_mut().zip(self.x).for_each(|(b, x)| *b = x.to_bits());
        bits
    }

    /// The inverse of [`Saved::bits`].
    #[must_use]
    pub fn of(bits: &[u64; SAVED + 1]) -> Self {
        let phase = u8::try_from(bits[0]).unwrap_or(0);
        Self { phase, x: std::array::from_fn(|i| f64::from_bits(bits[i + 1])) }
    }
}

/// Most states that an action may have.
pub const SAVED: usize = 10;

/// One key of any action. Stepping and reading never allocate; a pose does.
pub trait Mechanism: Send {
    /// Advances by one action step under `drive`.
    fn step(&mut self, drive: Drive, hear: &mut Hear<'_>);
    /// How it stands, driven by `drive`.
    fn view(&self, drive: Drive) -> Readout;
    /// Depth, m, and speed, m/s, of the key front.
    fn key(&self) -> [f64; 2];
    /// Back to rest.
    fn reset(&mut self);
    /// Where its parts are.
    fn pose(&self) -> Pose;
}

/// A key of a smaller action, as a keyboard with motors feels it.
pub trait Felt: Mechanism {
    /// Takes `mass` kg off the key front, counted from what it had at first, leaving it `least`;
    /// what could be taken.
    fn relieve(&mut self, mass: f64, least: f64) -> f64;
    /// Work of the drive since the start, J.
    fn work(&self) -> f64;
    /// The largest of its speeds, m/s and rad/s.
    fn fastest(&self) -> f64;
    /// What changes while it runs.
    fn save(&self) -> Saved;
    /// Takes up a saved state of the same action.
    fn adopt(&mut self, saved: &Saved);
    /// Another such key, standing alike. Allocates.
    fn duplicate(&self) -> Box<dyn Felt>;
}

/// What a smaller action adds to its equations. `N` states in the common layout.
pub trait Lever<const N: usize, const G: usize, const S: usize>:
    Model<N, G, S, Input = DriveInput, Phase: 'static> + Copy
{
    /// Its submodels, in the order in which they are numbered.
    const PHASES: &'static [Self::Phase];

    /// Indices of the speeds among its states.
    const SPEEDS: &'static [usize];

    /// Mass of the key as its front feels it, kg, that can be taken off; and where it is kept.
    fn front_mass(&mut self) -> (&mut f64, f64);

    /// At rest, untouched.
    fn rest(&self) -> State<Self::Phase, N>;

    /// How it stands.
    fn view(&self, phase: Self::Phase, input: &DriveInput, x: &[f64; N]) -> Readout;

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
pub struct Running<M: Lever<N, G, S>, const N: usize, const G: usize, const S: usize> {
    /// Its numbers.
    pub spec: M,
    /// Inertia of the key before anything was taken off.
    inertia: f64,
    /// How it stands.
    pub state: State<M::Phase, N>,
}

impl<M: Lever<N, G, S>, const N: usize, const G: usize, const S: usize> Running<M, N, G, S> {
    /// At rest.
    #[must_use]
    pub fn new(mut spec: M) -> Self {
        let inertia = *spec.front_mass().0;
        Self { state: spec.rest(), spec, inertia }
    }

    /// Advances by `stepper`'s step, `inputs` at its ends.
    pub fn advance(&mut self, stepper: &Stepper, inputs: &[DriveInput; 2], hear: &mut Hear<'_>) {
        if let DriveInput::Motion(depth, speed) = inputs[0] {
            // The jump in speed that a corner of the imposed motion asks for is work too.
            let energy = |state: &State<M::Phase, N>| {
                let view = self.spec.view(state.phase, &inputs[0], &state.x);
                view.kinetic + view.potential
            };
            let before = energy(&self.state);
            self.spec.impose(self.state.phase, &mut self.state.x, depth, speed, stepper.h);
            self.state.x[N - 2] += energy(&self.state) - before;
        }
        let mut translator = Translator::<M, N, G, S> { spec: &self.spec, hear };
        stepper.advance(&self.spec, &mut self.state, inputs, &mut translator);
    }
}

impl<M, const N: usize, const G: usize, const S: usize> Mechanism for Running<M, N, G, S>
where
    M: Lever<N, G, S> + Send,
    M::Phase: Send,
{
    fn step(&mut self, drive: Drive, hear: &mut Hear<'_>) {
        self.advance(&Stepper::new(STEP), &DriveInput::ends(drive), hear);
    }

    fn view(&self, drive: Drive) -> Readout {
        self.spec.view(self.state.phase, &DriveInput::ends(drive)[1], &self.state.x)
    }

    fn key(&self) -> [f64; 2] {
        [self.state.x[KEY], self.state.x[KEY_SPEED]]
    }

    fn reset(&mut self) {
        self.state = self.spec.rest();
    }

    fn pose(&self) -> Pose {
        self.spec.pose(self.state.phase, &self.state.x)
    }
}

impl<M, const N: usize, const G: usize, const S: usize> Felt for Running<M, N, G, S>
where
    M: Lever<N, G, S> + Send + 'static,
    M::Phase: Send,
{
    fn relieve(&mut self, mass: f64, least: f64) -> f64 {
        let own = self.inertia;
        let (inertia, arm) = self.spec.front_mass();
        *inertia = (own - mass * arm).max(least * arm);
        (own - *inertia) / arm
    }

    fn work(&self) -> f64 {
        self.state.x[N - 2]
    }

    fn fastest(&self) -> f64 {
        M::SPEEDS.iter().map(|&i| self.state.x[i].abs()).fold(0.0, f64::max)
    }

    fn save(&self) -> Saved {
        let phase = (0u8..).zip(M::PHASES).find(|(_, p)| **p == self.state.phase);
        let mut saved = Saved { phase: phase.map_or(0, |(i, _)| i), ..Saved::default() };
        saved.x.iter_mut().zip(self.state.x).for_each(|(to, from)| *to = from);
        saved
    }

    fn adopt(&mut self, saved: &Saved) {
        if let Some(phase) = M::PHASES.get(usize::from(saved.phase)) {
            self.state.phase = *phase;
        }
        self.state.x.iter_mut().zip(saved.x).for_each(|(to, from)| *to = from);
    }

    fn duplicate(&self) -> Box<dyn Felt> {
        Box::new(self.clone())
    }
}

/// Turns transitions and guards into events.
struct Translator<'a, 'b, M, const N: usize, const G: usize, const S: usize> {
    spec: &'a M,
    hear: &'a mut Hear<'b>,
}

impl<M: Lever<N, G, S>, const N: usize, const G: usize, const S: usize> Observer<M::Phase, N>
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

/// Parts, a power of two, into which a step is cut while `mass` kg moving at `speed` m/s presses
/// `felt` by `depth` m: no more than 0.2 rad of the stiffest moment a part.
#[must_use]
pub fn contact_parts(felt: &felt::Felt, mass: f64, depth: f64, speed: f64) -> u32 {
    if depth < 0.0 || (depth == 0.0 && speed <= 0.0) {
        return 1;
    }
    let held = 0.5 * mass * speed * speed + felt.energy(depth);
    let p = felt.exponent + 1.0;
    let deepest = (p * held / felt.stiffness).powf(1.0 / p);
    let rate = (felt.tangent(deepest) / mass).sqrt();
    let mut parts = 1;
    while parts < 32 && rate * STEP > 0.2 * f64::from(parts) {
        parts *= 2;
    }
    parts
}

/// Key-front depth that counts as returned, m (chosen: a third of a millimetre).
pub const REST_DEPTH: f64 = 0.3e-3;

/// Checks a model's numbers: `positive` ones, and felts.
///
/// # Errors
/// The first that cannot be used.
pub fn check(
    positive: &[(&'static str, f64)],
    felts: &[(&'static str, &felt::Felt)],
) -> Result<(), SpecError> {
    for &(name, value) in positive {
        if !(value.is_finite() && value > 0.0) {
            return Err(SpecError::Value { name, value, must: "finite and above zero" });
        }
    }
    for &(name, felt) in felts {
        let sound = felt.stiffness.is_finite()
            && felt.stiffness > 0.0
            && (1.0..=6.0).contains(&felt.exponent)
            && felt.damping.is_finite()
            && felt.damping >= 0.0
            && (0.0..1.0).contains(&felt.hysteresis);
        if !sound {
            let must = "a felt with stiffness > 0, damping ≥ 0, exponent 1…6, hysteresis 0…1";
            return Err(SpecError::Value { name, value: felt.stiffness, must });
        }
    }
    Ok(())
}
