//! One step of several systems in parallel lanes.
//!
//! A lane performs the same operations in the same order as [`super::Stepper`]. [`advance`] takes substeps
//! while no indicator and no guard changes sign; a lane in which one changes sign stops before that substep.
//! [`substep`] takes that substep and locates the event of every lane; the caller then applies it by
//! [`super::Stepper::take`].

use super::event::{Event, EventSearch, overdue};
use super::model::Room;
use super::rk4::{self, Interpolant, Slope};
use crate::math::real::{MOST_LANES, Mask, Real};

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
/// of the substep in which an event occurs. Returns the states, the times since the beginning of the
/// grid step, s, and the numbers of substeps. `known` is the last configuration of the same model; it saves computing it again where a
/// step begins with the states that ended the last, and is replaced.
#[inline(always)]
pub fn advance<R, L, const N: usize, const G: usize, const S: usize>(
    model: &L,
    start: &Start<R, N, S>,
    h: f64,
    epsilon: f64,
    active: R::Mask,
    known: &mut Option<Configured<R, L::Configuration, N>>,
) -> ([R; N], R, R)
where
    R: Real,
    L: LaneModel<R, N, G, S>,
{
    let (h, one) = (R::of(h), R::of(1.0));
    let Start { mut x, mut done, passed } = *start;
    let mut substeps = R::of(0.0);
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
        substeps = R::select(advancing, substeps + one, substeps);
        before = after;
        let now = R::select(left.le(dt), h, done + dt);
        done = R::select(advancing, now, done);
        advancing = advancing & done.lt(h);
        if !advancing.any() {
            *known = Some(Configured { x: end, configuration });
            return (x, done, substeps);
        }
    }
}

/// The end of a substep in every lane, from [`substep`].
#[derive(Clone, Copy, Debug)]
pub struct Located<R, const N: usize> {
    /// States.
    pub x: [R; N],
    /// Time since the beginning of the grid step, s.
    pub done: R,
    /// The event that ends the substep.
    pub events: [Option<Event>; MOST_LANES],
}

/// Takes one substep of the lanes of `active`, which ends at the first event in it. An indicator that is
/// overdue ends it where it begins. The lanes evaluate their own trial points side by side, so that no lane
/// changes the result of another.
#[inline(always)]
pub fn substep<R, L, const N: usize, const G: usize, const S: usize>(
    model: &L,
    start: &Start<R, N, S>,
    h: f64,
    epsilon: f64,
    tolerance: f64,
    active: R::Mask,
) -> Located<R, N>
where
    R: Real,
    L: LaneModel<R, N, G, S>,
{
    let grid = R::of(h);
    let Start { x, done, passed } = *start;
    let configuration = model.configuration(&x);
    let mut before = model.event_functions(&configuration, &x);
    for (guard, passed) in before.1.iter_mut().zip(passed) {
        *guard = R::select(passed, R::of(0.0), *guard);
    }
    let left = R::select(active, grid - done, grid);
    let from = done / grid;
    let (dt, held, rate) = model.begin(&configuration, from, &x, &Room { grid, left });
    let mut events = [None; MOST_LANES];
    let mut shares = [1.0; MOST_LANES];
    let (mut end, mut length) = (x, dt);
    // A loop instead of two calls, so that the equations of motion are inlined once: first the whole
    // substep, then the part up to the event.
    for is_part in [false, true] {
        let span = length / grid;
        let reached = rk4::step(&rate, &SubStep { model, held: &held, from, span }, &x, length);
        if is_part {
            end = select(R::load(&shares).lt(R::of(1.0)), &reached, &end);
            break;
        }
        end = reached;
        let after = model.event_functions(&model.configuration(&end), &end);
        let (befores, afters) = (by_lane(&before), by_lane(&after));
        let end_rate = model.rates(&held, (done + dt) / grid, &end);
        let curve = Interpolant { h: dt, start: (&x, &rate), end: (&end, &end_rate) };
        let mut searches: [Option<EventSearch<G, S>>; MOST_LANES] = [const { None }; MOST_LANES];
        for lane in (0..R::LANES).filter(|lane| active.bits() & (1 << lane) != 0) {
            let (before, after) = (befores[lane], afters[lane]);
            if let Some(index) = overdue(&before.0, &after.0, epsilon) {
                (shares[lane], events[lane]) = (0.0, Some(Event::Indicator(index)));
            } else {
                searches[lane] = Some(EventSearch::new(before, after, epsilon, true, true));
            }
        }
        loop {
            let mut points = [1.0; MOST_LANES];
            let mut open = 0u8;
            for (lane, search) in searches.iter_mut().enumerate() {
                if let Some(point) = search.as_mut().and_then(|s| s.next_point(tolerance)) {
                    points[lane] = point;
                    open |= 1 << lane;
                }
            }
            if open == 0 {
                break;
            }
            let trial = curve.at(R::load(&points));
            let found = by_lane(&model.event_functions(&model.configuration(&trial), &trial));
            for (lane, search) in searches.iter_mut().enumerate() {
                if let Some(search) = search.as_mut().filter(|_| open & (1 << lane) != 0) {
                    search.put(&found[lane]);
                }
            }
        }
        for (lane, search) in searches.iter().enumerate() {
            if let Some(search) = search {
                (shares[lane], events[lane]) = search.found();
            }
        }
        length = R::load(&shares) * dt;
    }
    let share = R::load(&shares);
    let none = share.le(R::of(0.0));
    let is_short = share.lt(R::of(1.0)) | (done + dt).lt(grid);
    let has_event = R::Mask::from_bits(
        (0..R::LANES).filter(|lane| events[*lane].is_some()).fold(0, |bits, lane| bits | 1 << lane),
    );
    // Without an event the substep ends as in `advance`.
    let whole = R::select(left.le(dt), grid, done + dt);
    let ended = R::select(has_event, R::select(is_short, done + length, grid), whole);
    Located { x: select(none, &x, &end), done: R::select(none, done, ended), events }
}

/// `yes` in the lanes of `mask`, else `no`.
#[inline(always)]
fn select<R: Real, const N: usize>(mask: R::Mask, yes: &[R; N], no: &[R; N]) -> [R; N] {
    let mut x = *no;
    for i in 0..N {
        x[i] = R::select(mask, yes[i], no[i]);
    }
    x
}

/// Indicators and guards of each lane.
#[inline(always)]
fn by_lane<R: Real, const G: usize, const S: usize>(
    functions: &([R; G], [R; S]),
) -> [([f64; G], [f64; S]); MOST_LANES] {
    let mut lanes = [([0.0; G], [0.0; S]); MOST_LANES];
    let mut values = [0.0; MOST_LANES];
    for i in 0..G {
        functions.0[i].store(&mut values);
        lanes.iter_mut().zip(values).for_each(|(lane, value)| lane.0[i] = value);
    }
    for i in 0..S {
        functions.1[i].store(&mut values);
        lanes.iter_mut().zip(values).for_each(|(lane, value)| lane.1[i] = value);
    }
    lanes
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
