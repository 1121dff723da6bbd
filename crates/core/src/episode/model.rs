//! The interface of a model.

/// A driving input that can be interpolated inside a step.
pub trait Input: Copy {
    /// The value a share `s` (0…1) of the way from `self` to `end`.
    fn lerp(&self, end: &Self, s: f64) -> Self;
}

impl Input for () {
    fn lerp(&self, _end: &Self, _s: f64) -> Self {}
}

impl Input for f64 {
    #[inline]
    fn lerp(&self, end: &Self, s: f64) -> Self {
        self + (end - self) * s
    }
}

/// A model of `N` states with at most `G` transitions out of a phase and `S` guards.
///
/// Unused indicators and guards are `f64::INFINITY`.
pub trait Model<const N: usize, const G: usize, const S: usize> {
    /// What drives the model.
    type Input: Input;
    /// Which submodel governs.
    type Phase: Copy + PartialEq;
    /// What is found once at the start of a (sub)step and held through it, such as friction.
    type Held: Copy;

    /// Values within this distance of zero count as zero when an indicator or guard is armed.
    const EPSILON: f64 = 1e-12;

    /// x' of the phase.
    fn rates(
        &self,
        phase: Self::Phase,
        held: &Self::Held,
        input: &Self::Input,
        x: &[f64; N],
    ) -> [f64; N];

    /// Indicators (positive while the phase holds, in the fixed order in which ties are decided)
    /// and guards (their sign changes split the step but switch nothing).
    fn event_functions(
        &self,
        phase: Self::Phase,
        input: &Self::Input,
        x: &[f64; N],
    ) -> ([f64; G], [f64; S]);

    /// Applies the transition of indicator `index` to the state and names the next phase.
    fn transition(
        &self,
        phase: Self::Phase,
        index: usize,
        input: &Self::Input,
        x: &mut [f64; N],
    ) -> Self::Phase;

    /// What is held through the (sub)step of length `dt` s that begins at `x`.
    fn hold(&self, phase: Self::Phase, input: &Self::Input, x: &[f64; N], dt: f64) -> Self::Held;

    /// What a (sub)step of length `dt` s that begins at `x` needs at its beginning; a model whose
    /// rates, surfaces and friction share work does it once here.
    #[inline]
    fn begin(
        &self,
        phase: Self::Phase,
        input: &Self::Input,
        x: &[f64; N],
        dt: f64,
    ) -> Begin<Self::Held, N, G, S> {
        let held = self.hold(phase, input, x, dt);
        let rates = self.rates(phase, &held, input, x);
        Begin { held, rates, surfaces: self.event_functions(phase, input, x) }
    }

    /// Longest (sub)step from `x` on within a step of `h` s, s. A model that knows of an instant
    /// that no (sub)step should straddle ends it there.
    fn max_substep(&self, phase: Self::Phase, x: &[f64; N], h: f64) -> f64;
}

/// The beginning of a (sub)step.
#[derive(Clone, Copy, Debug)]
pub struct Begin<H, const N: usize, const G: usize, const S: usize> {
    /// Quantities held through the (sub)step, such as friction.
    pub held: H,
    /// x' at its beginning.
    pub rates: [f64; N],
    /// Indicators and guards at its beginning.
    pub surfaces: ([f64; G], [f64; S]),
}

/// Is told of everything that splits a step.
pub trait Observer<P, const N: usize> {
    /// A transition at `t` s after the step's beginning; `before` and `after` are the states.
    fn transition(&mut self, t: f64, from: P, to: P, before: &[f64; N], after: &[f64; N]);
    /// Guard `index` changed sign at `t`; `rising` when it went from negative to positive.
    fn guard(&mut self, t: f64, index: usize, rising: bool, x: &[f64; N]);
}

/// An observer that does nothing.
pub struct Quiet;

impl<P, const N: usize> Observer<P, N> for Quiet {
    fn transition(&mut self, _: f64, _: P, _: P, _: &[f64; N], _: &[f64; N]) {}
    fn guard(&mut self, _: f64, _: usize, _: bool, _: &[f64; N]) {}
}
