//! Several keys result in SIMD lanes, by the same arithmetic as one key and so with the same bits.
//!
//! Any keys may form a pack. [`Lanes::advance`] takes substeps without events. A key with an event (a
//! transition, or the sign change of a guard) is left at the beginning of that substep, which
//! [`Lanes::substep`] takes for several such keys, or the caller for one key alone.

use std::any::Any;

use crate::STEP;
use crate::grand::equations::drive::{Causality, DriveNow};
use crate::grand::equations::evaluation::{self, Evaluation, GUARDS, INDICATORS};
use crate::grand::equations::held_friction::HeldFriction;
use crate::grand::equations::kinematics::Kinematics;
use crate::grand::equations::model::Grand;
use crate::grand::equations::phase::Phases;
use crate::grand::equations::precomputed::Precomputed;
use crate::grand::equations::step::STEPPER;
use crate::grand::key::assembly::Assembly;
use crate::grand::{Phase, STATES};
use touchback_core::episode::event::Event;
use touchback_core::episode::lane_step::{self, Configured, LaneModel, Rates, Start};
use touchback_core::episode::{Model, Progress, Room};
use touchback_core::math::cast::count;
use touchback_core::math::kernel::Kernel;
use touchback_core::math::lane_work::Work;
use touchback_core::math::real::{MOST_LANES, Mask, Real};

/// States of the keys of one pack: for each state an array over the lanes.
pub type States = [[f64; MOST_LANES]; STATES];

/// A step of the keys of one pack, by lane; the values of inactive lanes are ignored.
pub struct Pack<'a> {
    /// Index of the pack.
    pub which: usize,
    /// Bit set of the lanes to step, lane 0 in bit 0: all of one causality, and none with a rigid knuckle in
    /// [`Phase::Flank`] or [`Phase::Wedge`].
    pub active: u8,
    /// Causality of the drives of the active keys.
    pub causality: Causality,
    /// Submodel of each key.
    pub phases: &'a [Phase; MOST_LANES],
    /// Drive of each key at both ends of the step.
    pub inputs: &'a [[DriveNow; MOST_LANES]; 2],
    /// Progress of each key in this step.
    pub progress: &'a [Progress; MOST_LANES],
}

/// Result of [`Lanes::advance`]; lane 0 in bit 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepResult {
    /// Active keys whose step is complete; the other active keys have an event in their next substep.
    pub done: u8,
    /// Keys of `done` that move faster than the limit `slow`.
    pub moving: u8,
    /// Time since the beginning of the step that each key has reached, s.
    pub times: [f64; MOST_LANES],
    /// Number of substeps that each key has taken.
    pub substeps: [u32; MOST_LANES],
}

/// Result of [`Lanes::substep`]; lane 0 in bit 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Events {
    /// Active keys whose substep is taken; those of the other active keys are not finite.
    pub taken: u8,
    /// Time since the beginning of the step that each key has reached, s.
    pub times: [f64; MOST_LANES],
    /// The event at the end of the substep of each key.
    pub events: [Option<Event>; MOST_LANES],
}

/// Least number of keys for which a step in lanes is used: it costs about as much as two scalar steps.
const MIN_LANE_KEYS: u32 = 2;

/// Constants of the equations of all keys, packed for the registers of a kernel.
pub struct Lanes {
    kernel: Kernel,
    /// [`Packs`] of the kernel's number type.
    packs: Box<dyn Any + Send + Sync>,
}

/// Every pack; empty where the kernel has one lane.
type Packs<R> = Vec<Keys<R>>;

/// The keys of a pack.
#[derive(Clone)]
struct Keys<R: Real> {
    /// Constants of the equations.
    numbers: Precomputed<R>,
    /// Kinematics at the end of the last step, with which the next begins.
    known: Option<Configured<R, Kinematics<R>, STATES>>,
}

impl<R: Real> Keys<R> {
    const fn new(numbers: Precomputed<R>) -> Self {
        Self { numbers, known: None }
    }
}

/// The equations of motion of a pack during one step.
struct PackEquations<'a, R: Real> {
    numbers: &'a Precomputed<R>,
    phases: Phases<R>,
    inputs: [DriveNow<R>; 2],
}

impl<R: Real> PackEquations<'_, R> {
    #[inline(always)]
    fn input(&self, share: R) -> DriveNow<R> {
        self.inputs[0].toward(&self.inputs[1], share)
    }
}

impl<R: Real> Rates<R, STATES> for PackEquations<'_, R> {
    type Held = HeldFriction<R>;

    #[inline(always)]
    fn rates(&self, held: &HeldFriction<R>, share: R, x: &[R; STATES]) -> [R; STATES] {
        let n = self.numbers;
        let input = self.input(share);
        Evaluation::new(n, &self.phases, &input, x).with_friction(n, held, &input, x).rates(n, x)
    }
}

impl<R: Real> LaneModel<R, STATES, INDICATORS, GUARDS> for PackEquations<'_, R> {
    type Configuration = Kinematics<R>;

    #[inline(always)]
    fn configuration(&self, x: &[R; STATES]) -> Kinematics<R> {
        Kinematics::at(self.numbers, &self.phases, x)
    }

    #[inline(always)]
    fn begin(
        &self,
        configuration: &Kinematics<R>,
        share: R,
        x: &[R; STATES],
        room: &Room<R>,
    ) -> (R, HeldFriction<R>, [R; STATES]) {
        let n = self.numbers;
        let input = self.input(share);
        let free = Evaluation::at(n, &self.phases, configuration, &input, x);
        let length = room.length(free.max_substep(n, x, room.grid));
        let held = free.friction(n, &input, x, length);
        (length, held, free.with_friction(n, &held, &input, x).rates(n, x))
    }

    #[inline(always)]
    fn event_functions(
        &self,
        configuration: &Kinematics<R>,
        x: &[R; STATES],
    ) -> ([R; INDICATORS], [R; GUARDS]) {
        evaluation::event_functions(self.numbers, &self.phases, configuration, x)
    }
}

/// Distance of a state from zero below which it counts as zero at the beginning of a substep.
const EPSILON: f64 = <Grand as Model<STATES, INDICATORS, GUARDS>>::EPSILON;

/// Equations and start of the keys of `pack`, whose states are `x`.
#[inline(always)]
fn gather<'a, R: Real>(
    numbers: &'a Precomputed<R>,
    pack: &Pack,
    x: &States,
) -> (PackEquations<'a, R>, Start<R, STATES, GUARDS>) {
    let equations = PackEquations {
        numbers,
        phases: Phases::gather(&pack.phases[..R::LANES]),
        inputs: [
            DriveNow::gather(pack.causality, &pack.inputs[0]),
            DriveNow::gather(pack.causality, &pack.inputs[1]),
        ],
    };
    let mut start = Start {
        x: [R::of(0.0); STATES],
        done: R::from_lanes(|lane| pack.progress[lane].done),
        passed: [R::Mask::none(); GUARDS],
    };
    for (start, x) in start.x.iter_mut().zip(x) {
        *start = R::from_lanes(|lane| x[lane]);
    }
    for (lane, progress) in pack.progress.iter().enumerate().take(R::LANES) {
        if let Some(guard) = progress.passed {
            start.passed[guard] = start.passed[guard] | R::Mask::from_bits(1 << lane);
        }
    }
    (equations, start)
}

/// Writes the states `end` of the lanes of `active` to `x`; returns the lanes whose states are finite. The
/// others are discarded; the scalar step repeats their substeps.
#[inline(always)]
fn put_finite<R: Real>(active: R::Mask, end: &[R; STATES], x: &mut States) -> R::Mask {
    let mut finite = active;
    for value in end {
        finite = finite & value.abs().lt(R::of(f64::INFINITY));
    }
    for s in 0..STATES {
        let mut ends = [0.0; MOST_LANES];
        end[s].store(&mut ends);
        for lane in (0..R::LANES).filter(|lane| finite.bits() & (1 << lane) != 0) {
            x[s][lane] = ends[lane];
        }
    }
    finite
}

/// [`Lanes::substep`] for the number type `R`.
#[inline(always)]
fn substep<R: Real>(numbers: &Precomputed<R>, pack: &Pack, x: &mut States) -> Events {
    let (equations, start) = gather(numbers, pack, x);
    let active = R::Mask::from_bits(pack.active);
    let tolerance = STEPPER.tolerance;
    let located = lane_step::substep(&equations, &start, STEP, EPSILON, tolerance, active);
    let finite = put_finite(active, &located.x, x);
    let mut result =
        Events { taken: finite.bits(), times: [STEP; MOST_LANES], events: located.events };
    located.done.store(&mut result.times);
    result
}

/// [`Lanes::advance`] for the number type `R`.
#[inline(always)]
fn advance<R: Real>(keys: &mut Keys<R>, pack: &Pack, x: &mut States, slow: f64) -> StepResult {
    let Keys { numbers, known } = keys;
    let numbers = &*numbers;
    if numbers.is_rigid() {
        // Rigid constraints guide the jack differently in each submodel.
        *known = None;
    }
    let (equations, start) = gather(numbers, pack, x);
    let active = R::Mask::from_bits(pack.active);
    let (end, times, substeps) =
        lane_step::advance(&equations, &start, STEP, EPSILON, active, known);
    let finite = put_finite(active, &end, x);
    let times = R::select(finite, times, start.done);
    let done = active & finite & times.ge(R::of(STEP));
    let moving = evaluation::fastest(numbers, &end).gt(R::of(slow));
    let mut result = StepResult {
        done: done.bits(),
        moving: (done & moving).bits(),
        times: [STEP; MOST_LANES],
        substeps: [0; MOST_LANES],
    };
    times.store(&mut result.times);
    let mut counts = [0.0; MOST_LANES];
    substeps.store(&mut counts);
    result.substeps = counts.map(count);
    result
}

/// Allocates the packs for a number of keys, filled with the constants of one key.
struct Allocate<'a> {
    keys: usize,
    initial: &'a Assembly,
}

impl Work for Allocate<'_> {
    type Out = Box<dyn Any + Send + Sync>;

    #[inline(always)]
    fn run<R: Real>(self) -> Self::Out {
        let packs = if R::LANES > 1 { self.keys.div_ceil(R::LANES) } else { 0 };
        // One by one: a pack has 18 kB, of which copies would stand on the stack.
        let pack = |_| Keys::new(Precomputed::gather(|_| &self.initial.grand.numbers));
        let packs: Packs<R> = (0..packs).map(pack).collect();
        Box::new(packs)
    }
}

/// Work of [`Lanes::refresh`].
struct Refresh<'a> {
    packs: &'a mut (dyn Any + Send + Sync),
    which: usize,
    keys: [&'a Assembly; MOST_LANES],
}

impl Work for Refresh<'_> {
    type Out = ();

    #[inline(always)]
    fn run<R: Real>(self) {
        if let Some(packs) = self.packs.downcast_mut::<Packs<R>>()
            && let Some(keys) = packs.get_mut(self.which)
        {
            *keys = Keys::new(Precomputed::gather(|lane| &self.keys[lane].grand.numbers));
        }
    }
}

/// Work of [`Lanes::advance`].
struct Advance<'a> {
    packs: &'a mut (dyn Any + Send + Sync),
    pack: &'a Pack<'a>,
    x: &'a mut States,
    slow: f64,
}

impl Work for Advance<'_> {
    type Out = StepResult;

    #[inline(always)]
    fn run<R: Real>(self) -> StepResult {
        let packs = self.packs.downcast_mut::<Packs<R>>();
        match packs.and_then(|packs| packs.get_mut(self.pack.which)) {
            Some(keys) => advance(keys, self.pack, self.x, self.slow),
            None => StepResult::default(),
        }
    }
}

/// Work of [`Lanes::substep`].
struct Substep<'a> {
    packs: &'a (dyn Any + Send + Sync),
    pack: &'a Pack<'a>,
    x: &'a mut States,
}

impl Work for Substep<'_> {
    type Out = Events;

    #[inline(always)]
    fn run<R: Real>(self) -> Events {
        let packs = self.packs.downcast_ref::<Packs<R>>();
        match packs.and_then(|packs| packs.get(self.pack.which)) {
            Some(keys) => substep(&keys.numbers, self.pack, self.x),
            None => Events::default(),
        }
    }
}

impl Lanes {
    /// Lanes of `kernel` for `keys` keys, with the constants of the key `initial` until
    /// [`Self::refresh`]. Allocates; no other method does.
    #[must_use]
    pub fn new(kernel: Kernel, keys: usize, initial: &Assembly) -> Self {
        Self { kernel, packs: kernel.run(Allocate { keys, initial }) }
    }

    /// Number of keys in a pack; 1 where the kernel has one lane.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.kernel.lanes()
    }

    /// Whether a step of the keys `active` in lanes is faster than scalar steps.
    #[must_use]
    pub(crate) const fn is_faster_for(&self, active: u8) -> bool {
        self.width() > 1 && active.count_ones() >= MIN_LANE_KEYS
    }

    /// Gathers the constants of pack `which`, whose lanes hold `keys`.
    pub fn refresh(&mut self, which: usize, keys: [&Assembly; MOST_LANES]) {
        self.kernel.run(Refresh { packs: self.packs.as_mut(), which, keys });
    }

    /// Advances the states `x` of the keys of `pack` to the end of the step, or to the beginning of the
    /// substep in which an event occurs. Keys faster than `slow` (rad/s; m/s for the damper) are reported.
    pub fn advance(&mut self, pack: &Pack, x: &mut States, slow: f64) -> StepResult {
        self.kernel.run(Advance { packs: self.packs.as_mut(), pack, x, slow })
    }

    /// Takes one substep of the keys of `pack`, which ends at the first event in it; the caller applies the
    /// events.
    pub fn substep(&self, pack: &Pack, x: &mut States) -> Events {
        self.kernel.run(Substep { packs: self.packs.as_ref(), pack, x })
    }
}
