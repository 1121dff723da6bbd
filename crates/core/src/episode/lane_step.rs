//! One step of several systems side by side, as far as nothing happens inside it.
//!
//! The same operations in the same order as [`super::Stepper`] takes while no indicator and no
//! guard changes sign; lanes in which one does stop before the part in which it does, to take that
//! part alone.

use super::rk4::{self, Slope};
use crate::math::real::{Mask, Real};

/// x' of several systems during one step of the grid, one in each lane; times are shares (0…1) of
/// that step.
pub trait Rates<R: Real, const N: usize> {
    /// What is found at the start of a (sub)step and held through it.
    type Held: Copy;

    /// x' a share `share` of the grid step from its beginning.
    fn rates(&self, held: &Self::Held, share: R, x: &[R; N]) -> [R; N];
}

/// What a step without events needs besides rates.
pub trait Smooth<R: Real, const N: usize, const G: usize, const S: usize>: Rates<R, N> {
    /// What rates and surfaces at one state share: the configuration.
    type Place: Copy;

    /// The configuration at `x`.
    fn place(&self, x: &[R; N]) -> Self::Place;

    /// Held quantities and x' at the start of a (sub)step of `dt` s.
    fn begin(&self, place: &Self::Place, share: R, x: &[R; N], dt: R) -> (Self::Held, [R; N]);

    /// Indicators and guards.
    fn event_functions(&self, place: &Self::Place, x: &[R; N]) -> ([R; G], [R; S]);

    /// Longest (sub)step from `x` on within a step of `h` s, s.
    fn max_substep(&self, x: &[R; N], h: R) -> R;
}

/// One (sub)step: where it begins and how long it lasts, as shares of the step of the grid.
struct SubStep<'a, R, L, H> {
    law: &'a L,
    held: &'a H,
    from: R,
    span: R,
}

impl<R: Real, L: Rates<R, N>, const N: usize> Slope<R, N> for SubStep<'_, R, L, L::Held> {
    #[inline(always)]
    fn at(&self, s: R, x: &[R; N]) -> [R; N] {
        self.law.rates(self.held, self.from + s * self.span, x)
    }
}

/// Where each lane begins.
pub struct Start<R: Real, const N: usize, const S: usize> {
    /// Its state.
    pub x: [R; N],
    /// Time since the step's beginning, s.
    pub done: R,
    /// Lanes in which a guard is passed just there: see [`super::Progress::passed`].
    pub passed: [R::Mask; S],
}

/// What is left of one step of `h` s in the lanes of `active`, as far as nothing happens: state and
/// time since the step's beginning, s, where each lane has come to.
#[inline(always)]
pub fn advance<R, L, const N: usize, const G: usize, const S: usize>(
    law: &L,
    start: &Start<R, N, S>,
    h: f64,
    epsilon: f64,
    active: R::Mask,
) -> ([R; N], R)
where
    R: Real,
    L: Smooth<R, N, G, S>,
{
    let h = R::of(h);
    let Start { mut x, mut done, passed } = *start;
    let mut going = active;
    let mut place = law.place(&x);
    let mut before = law.event_functions(&place, &x);
    for (guard, passed) in before.1.iter_mut().zip(passed) {
        *guard = R::select(passed, R::of(0.0), *guard);
    }
    loop {
        let grid = law.max_substep(&x, h);
        let left = h - done;
        let last = left.lt(R::of(1.000_001) * grid);
        // Lanes that are done repeat a step whose result is discarded.
        let part = R::select(going, R::select(last, left, grid), h);
        let (from, span) = (done / h, part / h);
        let (held, rate) = law.begin(&place, from, &x, part);
        let end = rk4::step(&rate, &SubStep { law, held: &held, from, span }, &x, part);
        // For lanes that are done, place and surfaces belong to another state and are not used.
        place = law.place(&end);
        let after = law.event_functions(&place, &end);
        going = going & !changes(&before, &after, epsilon);
        for i in 0..N {
            x[i] = R::select(going, end[i], x[i]);
        }
        before = after;
        let now = R::select(left.le(part), h, done + part);
        done = R::select(going, now, done);
        going = going & done.lt(h);
        if !going.any() {
            return (x, done);
        }
    }
}

/// Lanes in which an indicator is due or crossing, or a guard crosses.
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
        any = any | (b.gt(above) & a.le(zero)) | (b.lt(below) & a.ge(zero));
    }
    any
}
