//! One step of several systems in parallel lanes, up to the first event of each.
//!
//! While no indicator and no guard changes sign, a lane performs the same operations in the same order
//! as [`super::Stepper`]. A lane in which one changes sign stops before that substep, which the caller
//! then takes with the scalar [`super::Stepper`].

use super::model::Room;
use super::rk4::{self, Slope};
use crate::math::real::{Mask, Real};

/// x' of several systems, one in each lane, during one step of the grid. Times are shares (0…1) of the
/// grid step.
pub trait Rates<R: Real, const N: usize> {
    /// Quantities computed at the start of a (sub)step and held constant through it, such as friction.
    type Held: Copy;

    /// x' at the share `share` of the grid step.
    fn rates(&self, held: &Self::Held, share: R, x: &[R; N]) -> [R; N];
}

/// The functions besides [`Rates`] that a step without transitions needs.
pub trait LaneModel<R: Real, const N: usize, const G: usize, const S: usize>: Rates<R, N> {
    /// Intermediate results of a state that rates and event functions share: its configuration.
    type Configuration: Copy;

    /// The configuration at `x`.
    fn configuration(&self, x: &[R; N]) -> Self::Configuration;

    /// Length, s, held quantities and x' of the (sub)step that begins at the share `share` of the grid step.
    fn begin(
        &self,
        configuration: &Self::Configuration,
        share: R,
        x: &[R; N],
        room: &Room<R>,
    ) -> (R, Self::Held, [R; N]);

    /// Indicators and guards.
    fn event_functions(&self, configuration: &Self::Configuration, x: &[R; N]) -> ([R; G], [R; S]);
}

/// One (sub)step: its beginning and its length, as shares of the grid step.
struct SubStep<'a, R, L, H> {
    model: &'a L,
    held: &'a H,
    from: R,
    span: R,
}

impl<R: Real, L: Rates<R, N>, const N: usize> Slope<R, N> for SubStep<'_, R, L, L::Held> {
    #[inline(always)]
    fn at(&self, s: R, x: &[R; N]) -> [R; N] {
        self.model.rates(self.held, self.from + s * self.span, x)
    }
}

/// State and time of each lane when a step begins or continues.
pub struct Start<R: Real, const N: usize, const S: usize> {
    /// States.
    pub x: [R; N],
    /// Time since the beginning of the grid step, s.
    pub done: R,
    /// For each guard, the lanes whose substep begins at its sign change: see [`super::Progress::passed`].
    pub passed: [R::Mask; S],
}

/// A configuration that the model has computed, and its states.
#[derive(Clone, Copy, Debug)]
pub struct Configured<R, C, const N: usize> {
    /// States.
    pub x: [R; N],
    /// Configuration at these states.
    pub configuration: C,
}

impl<R: Real, C, const N: usize> Configured<R, C, N> {
    /// Whether the states are `x` in all lanes of `active`.
    #[inline(always)]
    fn is_at(&self, x: &[R; N], active: R::Mask) -> bool {
        let mut same = !R::Mask::none();
        for (known, x) in self.x.iter().zip(x) {
            same = same & known.ge(*x) & known.le(*x);
        }
        (same | !active).all()
    }
}

/// Advances the lanes of `active` from `start` to the end of the grid step of `h` s, or to the beginning
/// of the substep in which an event occurs. Returns the states and the times since the beginning of the
/// grid step, s. `known` is the last configuration of the same model; it saves computing it again where a
/// step begins with the states that ended the last, and is replaced.
#[inline(always)]
pub fn advance<R, L, const N: usize, const G: usize, const S: usize>(
    model: &L,
    start: &Start<R, N, S>,
    h: f64,
    epsilon: f64,
    active: R::Mask,
    known: &mut Option<Configured<R, L::Configuration, N>>,
) -> ([R; N], R)
where
    R: Real,
    L: LaneModel<R, N, G, S>,
{
    let h = R::of(h);
    let Start { mut x, mut done, passed } = *start;
    let mut advancing = active;
    let mut configuration = match known {
        Some(known) if known.is_at(&x, active) => known.configuration,
        _ => model.configuration(&x),
    };
    let mut before = model.event_functions(&configuration, &x);
    for (guard, passed) in before.1.iter_mut().zip(passed) {
        *guard = R::select(passed, R::of(0.0), *guard);
    }
    loop {
        // Lanes that are done repeat a step whose result is discarded.
        let left = R::select(advancing, h - done, h);
        let from = done / h;
        let (dt, held, rate) = model.begin(&configuration, from, &x, &Room { grid: h, left });
        let span = dt / h;
        let end = rk4::step(&rate, &SubStep { model, held: &held, from, span }, &x, dt);
        // In finished lanes, `configuration` and `after` belong to a discarded state and are not used.
        configuration = model.configuration(&end);
        let after = model.event_functions(&configuration, &end);
        advancing = advancing & !changes(&before, &after, epsilon);
        for i in 0..N {
            x[i] = R::select(advancing, end[i], x[i]);
        }
        before = after;
        let now = R::select(left.le(dt), h, done + dt);
        done = R::select(advancing, now, done);
        advancing = advancing & done.lt(h);
        if !advancing.any() {
            *known = Some(Configured { x: end, configuration });
            return (x, done);
        }
    }
}

/// Lanes in which an indicator is overdue or reaches zero, or a guard changes sign.
#[inline(always)]
fn changes<R: Real, const G: usize, const S: usize>(
    before: &([R; G], [R; S]),
    after: &([R; G], [R; S]),
    epsilon: f64,
) -> R::Mask {
    let (zero, above, below) = (R::of(0.0), R::of(epsilon), R::of(-epsilon));
    let mut any = R::Mask::none();
    for i in 0..G {
        let (b, a) = (before.0[i], after.0[i]);
        any = any | (b.gt(zero) & a.le(zero)) | (b.le(zero) & a.lt(below));
    }
    for i in 0..S {
        let (b, a) = (before.1[i], after.1[i]);
        any = any | (b.gt(above) & a.le(above)) | (b.lt(below) & a.ge(below));
    }
    any
}
