//! The interface between a model, its observer and the engine.

use crate::math::real::Real;

/// A driving input that can be interpolated inside a step.
pub trait Input: Copy {
    /// Linear interpolation: `self` at s = 0, `end` at s = 1.
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
    /// Driving input.
    type Input: Input;
    /// Identifier of a submodel.
    type Phase: Copy + PartialEq;
    /// Quantities computed at the start of a (sub)step and held constant through it, such as friction.
    type Held: Copy;

    /// Guards and indicators within this distance of zero at the start of a substep count as zero.
    const EPSILON: f64 = 1e-12;

    /// x' in `phase`.
    fn rates(
        &self,
        phase: Self::Phase,
        held: &Self::Held,
        input: &Self::Input,
        x: &[f64; N],
    ) -> [f64; N];

    /// Indicators and guards. An indicator is positive while the phase holds; of two that reach zero
    /// together the first decides. The sign change of a guard splits the step without a transition.
    fn event_functions(
        &self,
        phase: Self::Phase,
        input: &Self::Input,
        x: &[f64; N],
    ) -> ([f64; G], [f64; S]);

    /// Applies the transition of indicator `index` to the state `x` and returns the next phase.
    fn transition(
        &self,
        phase: Self::Phase,
        index: usize,
        input: &Self::Input,
        x: &mut [f64; N],
    ) -> Self::Phase;

    /// Quantities held constant through the (sub)step of length `dt` s that begins at `x`.
    fn hold(&self, phase: Self::Phase, input: &Self::Input, x: &[f64; N], dt: f64) -> Self::Held;

    /// Length, held quantities, rates and event functions of the (sub)step that begins at `x`. A model in
    /// which they share intermediate results overrides this to compute those once.
    #[inline]
    fn begin(
        &self,
        phase: Self::Phase,
        input: &Self::Input,
        x: &[f64; N],
        room: &Room,
    ) -> Begin<Self::Held, N, G, S> {
        let length = room.length(self.max_substep(phase, x, room.grid));
        let held = self.hold(phase, input, x, length);
        let rates = self.rates(phase, &held, input, x);
        Begin { length, held, rates, event_functions: self.event_functions(phase, input, x) }
    }

    /// Longest (sub)step that may begin at `x` within a grid step of `h` s, s; used by the provided
    /// [`Self::begin`]. A model shortens it to end a substep at a predictable discontinuity.
    #[inline]
    fn max_substep(&self, _phase: Self::Phase, _x: &[f64; N], h: f64) -> f64 {
        h
    }
}

/// The time that a (sub)step may take.
#[derive(Clone, Copy, Debug)]
pub struct Room<R = f64> {
    /// Length of the grid step, s.
    pub grid: R,
    /// Time to the end of the grid step, s.
    pub left: R,
}

impl<R: Real> Room<R> {
    /// Length, s, of a (sub)step of at most `longest` s. A remainder due to rounding is added to the last
    /// substep.
    #[inline(always)]
    #[must_use]
    pub fn length(&self, longest: R) -> R {
        R::select(self.left.lt(R::of(1.000_001) * longest), self.left, longest)
    }
}

/// The beginning of a (sub)step.
#[derive(Clone, Copy, Debug)]
pub struct Begin<H, const N: usize, const G: usize, const S: usize> {
    /// Length of the (sub)step, s.
    pub length: f64,
    /// Quantities held constant through the (sub)step, such as friction.
    pub held: H,
    /// x' at the beginning.
    pub rates: [f64; N],
    /// Indicators and guards at the beginning.
    pub event_functions: ([f64; G], [f64; S]),
}

/// Receives every transition and every sign change of a guard.
pub trait Observer<P, const N: usize> {
    /// A transition `t` s after the beginning of the grid step, from the state `before` to `after`.
    fn transition(&mut self, t: f64, from: P, to: P, before: &[f64; N], after: &[f64; N]);
    /// Guard `index` changed sign `t` s after the beginning of the grid step, at the state `x`; `rising` if
    /// from negative to positive.
    fn guard(&mut self, t: f64, index: usize, rising: bool, x: &[f64; N]);
}

/// An observer that ignores every event.
pub struct IgnoreEvents;

impl<P, const N: usize> Observer<P, N> for IgnoreEvents {
    fn transition(&mut self, _: f64, _: P, _: P, _: &[f64; N], _: &[f64; N]) {}
    fn guard(&mut self, _: f64, _: usize, _: bool, _: &[f64; N]) {}
}
