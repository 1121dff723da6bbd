//! Several keys stepped side by side: the same arithmetic as one alone, so the same bits.
//!
//! Any keys may form a pack. As long as nothing happens to a key its step is taken in lanes, part
//! by part; a key to which something happens (a transition, a contact that opens or closes) is left
//! where that part begins, to take it alone.

use std::any::Any;

use crate::STEP;
use crate::grand::equations::drive::{Causality, DriveNow};
use crate::grand::equations::evaluation::{self, Evaluation, GUARDS, INDICATORS};
use crate::grand::equations::held_friction::HeldFriction;
use crate::grand::equations::kinematics::Kinematics;
use crate::grand::equations::model::Grand;
use crate::grand::equations::phase::Phases;
use crate::grand::equations::precomputed::Precomputed;
use crate::grand::key::assembly::Assembly;
use crate::grand::{Phase, STATES};
use touchback_core::episode::lane_step::{self, Rates, Smooth, Start};
use touchback_core::episode::{Model, Progress};
use touchback_core::math::kernel::Kernel;
use touchback_core::math::lane_work::Work;
use touchback_core::math::real::{MOST_LANES, Mask, Real};

/// State of the keys of one pack: one array over the lanes for each state.
pub type States = [[f64; MOST_LANES]; STATES];

/// Keys of one pack and what drives them, by lane; what lanes have that are not active means nothing.
pub struct Pack<'a> {
    /// Which pack.
    pub which: usize,
    /// Keys to step, lane 0 lowest; none of them with a rigid knuckle in [`Phase::Flank`], all of one
    /// causality.
    pub active: u8,
    /// What is given of them.
    pub causality: Causality,
    /// Submodel of each.
    pub phases: &'a [Phase; MOST_LANES],
    /// What drives each, at both ends of the step.
    pub inputs: &'a [[DriveNow; MOST_LANES]; 2],
    /// How far each has come in this step.
    pub progress: &'a [Progress; MOST_LANES],
}

/// What became of a pack, by lane.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stepped {
    /// Keys whose step is whole; something happens to the other active ones in the part to come.
    pub done: u8,
    /// Of these, the keys that move faster than `slow`.
    pub moving: u8,
    /// Time since the step's beginning to which each key has come, s.
    pub times: [f64; MOST_LANES],
}

/// Keys from which on lanes are worth it: they cost about as much as two lone steps.
const TOGETHER: u32 = 2;

/// The numbers of all keys as the registers of a kernel hold them.
pub struct Lanes {
    kernel: Kernel,
    /// [`Packs`] of the kernel's own type of number.
    packs: Box<dyn Any + Send + Sync>,
}

/// The numbers of the keys of every pack; none where every key steps alone.
type Packs<R> = Vec<Precomputed<R>>;

/// The equations of a pack during one step.
struct Law<'a, R: Real> {
    numbers: &'a Precomputed<R>,
    phases: Phases<R>,
    inputs: [DriveNow<R>; 2],
}

impl<R: Real> Law<'_, R> {
    #[inline(always)]
    fn input(&self, share: R) -> DriveNow<R> {
        self.inputs[0].toward(&self.inputs[1], share)
    }
}

impl<R: Real> Rates<R, STATES> for Law<'_, R> {
    type Held = HeldFriction<R>;

    #[inline(always)]
    fn rates(&self, held: &HeldFriction<R>, share: R, x: &[R; STATES]) -> [R; STATES] {
        let n = self.numbers;
        let input = self.input(share);
        Evaluation::new(n, &self.phases, &input, x).with(n, held, &input, x).rates(n, x)
    }
}

impl<R: Real> Smooth<R, STATES, INDICATORS, GUARDS> for Law<'_, R> {
    type Place = Kinematics<R>;

    #[inline(always)]
    fn place(&self, x: &[R; STATES]) -> Kinematics<R> {
        Kinematics::at(self.numbers, &self.phases, x)
    }

    #[inline(always)]
    fn begin(
        &self,
        place: &Kinematics<R>,
        share: R,
        x: &[R; STATES],
        dt: R,
    ) -> (HeldFriction<R>, [R; STATES]) {
        let n = self.numbers;
        let input = self.input(share);
        let free = Evaluation::at(n, &self.phases, place, &input, x);
        let held = free.friction(n, &input, x, dt);
        (held, free.with(n, &held, &input, x).rates(n, x))
    }

    #[inline(always)]
    fn event_functions(
        &self,
        place: &Kinematics<R>,
        x: &[R; STATES],
    ) -> ([R; INDICATORS], [R; GUARDS]) {
        evaluation::event_functions(self.numbers, &self.phases, place, x)
    }

    #[inline(always)]
    fn max_substep(&self, x: &[R; STATES], h: R) -> R {
        evaluation::max_substep(self.numbers, x, h)
    }
}

/// One step of a pack; see [`Lanes::advance`].
#[inline(always)]
fn advance<R: Real>(numbers: &Precomputed<R>, pack: &Pack, x: &mut States, slow: f64) -> Stepped {
    let law = Law {
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
    for (start, x) in start.x.iter_mut().zip(&*x) {
        *start = R::from_lanes(|lane| x[lane]);
    }
    for (lane, progress) in pack.progress.iter().enumerate().take(R::LANES) {
        if let Some(guard) = progress.passed {
            start.passed[guard] = start.passed[guard] | R::Mask::from_bits(1 << lane);
        }
    }
    let active = R::Mask::from_bits(pack.active);
    let epsilon = <Grand as Model<STATES, INDICATORS, GUARDS>>::EPSILON;
    let (end, times) = lane_step::advance(&law, &start, STEP, epsilon, active);
    let mut finite = active;
    for value in &end {
        // What is not finite is the lone step's to deal with: it begins again where this did.
        finite = finite & value.abs().lt(R::of(f64::INFINITY));
    }
    let times = R::select(finite, times, start.done);
    for s in 0..STATES {
        let mut ends = [0.0; MOST_LANES];
        end[s].store(&mut ends);
        for lane in (0..R::LANES).filter(|lane| finite.bits() & (1 << lane) != 0) {
            x[s][lane] = ends[lane];
        }
    }
    let done = active & finite & times.ge(R::of(STEP));
    let moving = evaluation::fastest(numbers, &end).gt(R::of(slow));
    let mut stepped =
        Stepped { done: done.bits(), moving: (done & moving).bits(), times: [STEP; MOST_LANES] };
    times.store(&mut stepped.times);
    stepped
}

/// Room for packs that hold a number of keys, filled with the numbers of one.
struct Room<'a>(usize, &'a Assembly);

impl Work for Room<'_> {
    type Out = Box<dyn Any + Send + Sync>;

    #[inline(always)]
    fn run<R: Real>(self) -> Self::Out {
        let packs = if R::LANES > 1 { self.0.div_ceil(R::LANES) } else { 0 };
        let numbers: Precomputed<R> = Precomputed::gather(|_| &self.1.grand.numbers);
        Box::new(vec![numbers; packs])
    }
}

/// See [`Lanes::refresh`].
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
            && let Some(numbers) = packs.get_mut(self.which)
        {
            *numbers = Precomputed::gather(|lane| &self.keys[lane].grand.numbers);
        }
    }
}

/// See [`Lanes::advance`].
struct Advance<'a> {
    packs: &'a (dyn Any + Send + Sync),
    pack: &'a Pack<'a>,
    x: &'a mut States,
    slow: f64,
}

impl Work for Advance<'_> {
    type Out = Stepped;

    #[inline(always)]
    fn run<R: Real>(self) -> Stepped {
        let packs = self.packs.downcast_ref::<Packs<R>>();
        match packs.and_then(|packs| packs.get(self.pack.which)) {
            Some(numbers) => advance(numbers, self.pack, self.x, self.slow),
            None => Stepped::default(),
        }
    }
}

impl Lanes {
    /// Lanes of `kernel` for a number of `keys`, with the numbers of `any` key until others come.
    /// Allocates; nothing else here does.
    #[must_use]
    pub fn new(kernel: Kernel, keys: usize, any: &Assembly) -> Self {
        Self { kernel, packs: kernel.run(Room(keys, any)) }
    }

    /// Keys a pack; 1 where every key steps alone.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.kernel.lanes()
    }

    /// Whether the keys of `active` are quicker side by side than each alone.
    #[must_use]
    pub const fn are_worth(&self, active: u8) -> bool {
        self.width() > 1 && active.count_ones() >= TOGETHER
    }

    /// Takes up the numbers of pack `which`, whose lanes hold `keys`.
    pub fn refresh(&mut self, which: usize, keys: [&Assembly; MOST_LANES]) {
        self.kernel.run(Refresh { packs: self.packs.as_mut(), which, keys });
    }

    /// The step of the keys of `pack`, as far as nothing happens to them.
    pub fn advance(&self, pack: &Pack, x: &mut States, slow: f64) -> Stepped {
        self.kernel.run(Advance { packs: self.packs.as_ref(), pack, x, slow })
    }
}
