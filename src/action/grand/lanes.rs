//! Several keys stepped side by side: the same arithmetic as one alone, so the same bits.
//!
//! Key i always sits in lane i mod [`Lanes::width`] of its block. A step in which nothing happens
//! to a key is taken in lanes, substeps included; a key to which something happens (a transition, a
//! contact that opens or closes) is left as it was, to take the step alone.

use std::any::Any;

use super::assembly::Assembly;
use super::drive::{Causality, DriveNow};
use super::kinematics::Kinematics;
use super::model::Grand;
use super::moment::{self, GUARDS, Held, INDICATORS, Moment};
use super::phase::Phases;
use super::precomputed::Precomputed;
use super::{Phase, STATES, state};
use crate::action::STEP;
use crate::episode::Model;
use crate::episode::lane_step::{self, Rates, Smooth};
use crate::math::compass::KEYS;
use crate::math::kernel::{Kernel, Work};
use crate::math::real::{MOST_LANES, Mask, Real};

/// State of all keys: one array over the keys for each state.
pub type States = [[f64; KEYS]; STATES];

/// Keys of one block and what drives them.
pub struct Block<'a> {
    /// First key's index.
    pub first: usize,
    /// Keys to step, lane 0 lowest; none of them in [`Phase::Flank`], all of one causality.
    pub active: u8,
    /// What is given of them.
    pub causality: Causality,
    /// Submodels of all keys of the keyboard.
    pub phases: &'a [Phase; KEYS],
    /// What drives each key of the block, at both ends of the step.
    pub inputs: &'a [[DriveNow; MOST_LANES]; 2],
}

/// What became of a block.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stepped {
    /// Keys that took the step; the other active ones stand where they stood.
    pub done: u8,
    /// Of these, the keys that move faster than `slow`.
    pub moving: u8,
}

/// The numbers of all keys as the registers of a kernel hold them.
pub struct Lanes {
    kernel: Kernel,
    /// [`Blocks`] of the kernel's own type of number.
    blocks: Box<dyn Any + Send + Sync>,
}

/// The numbers of the keys of every block; none where every key steps alone.
type Blocks<R> = Vec<Precomputed<R>>;

/// The equations of a block during one step.
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
    type Held = Held<R>;

    #[inline(always)]
    fn rates(&self, held: &Held<R>, share: R, x: &[R; STATES]) -> [R; STATES] {
        let n = self.numbers;
        let input = self.input(share);
        Moment::new(n, &self.phases, &input, x).with(n, held, &input, x).rates(n, x)
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
    ) -> (Held<R>, [R; STATES]) {
        let n = self.numbers;
        let input = self.input(share);
        let free = Moment::at(n, &self.phases, place, &input, x);
        let held = free.friction(n, &input, dt);
        (held, free.with(n, &held, &input, x).rates(n, x))
    }

    #[inline(always)]
    fn surfaces(&self, place: &Kinematics<R>, x: &[R; STATES]) -> ([R; INDICATORS], [R; GUARDS]) {
        moment::surfaces(self.numbers, &self.phases, place, x)
    }

    #[inline(always)]
    fn longest_part(&self, x: &[R; STATES], h: R) -> R {
        moment::longest_part(self.numbers, x, h)
    }
}

/// One step of a block; see [`Lanes::advance`].
#[inline(always)]
fn advance<R: Real>(numbers: &Precomputed<R>, block: &Block, x: &mut States, slow: f64) -> Stepped {
    let first = block.first;
    let law = Law {
        numbers,
        phases: Phases::gather(&block.phases[first..first + R::LANES]),
        inputs: [
            DriveNow::gather(block.causality, &block.inputs[0]),
            DriveNow::gather(block.causality, &block.inputs[1]),
        ],
    };
    let mut start = [R::of(0.0); STATES];
    for s in 0..STATES {
        start[s] = R::load(&x[s][first..]);
    }
    let active = R::Mask::from_bits(block.active);
    let epsilon = <Grand as Model<STATES, INDICATORS, GUARDS>>::EPSILON;
    let (end, happened) = lane_step::advance(&law, &start, STEP, epsilon, active);
    let mut done = active & !happened;
    for value in &end {
        // What is not finite is the lone step's to deal with.
        done = done & value.abs().lt(R::of(f64::INFINITY));
    }
    for s in 0..STATES {
        R::select(done, end[s], start[s]).store(&mut x[s][first..]);
    }
    let slow = R::of(slow);
    let moving = end[state::KEY_SPEED].abs().gt(slow)
        | end[state::HAMMER_SPEED].abs().gt(slow)
        | end[state::LEVER_SPEED].abs().gt(slow)
        | end[state::DAMPER_SPEED].abs().gt(slow);
    Stepped { done: done.bits(), moving: (done & moving).bits() }
}

#[inline(always)]
fn gather<R: Real>(keys: &[Assembly]) -> Precomputed<R> {
    Precomputed::gather(|lane| &keys[lane].grand.numbers)
}

/// Makes the [`Blocks`] of these keys.
struct Gather<'a>(&'a [Assembly]);

impl Work for Gather<'_> {
    type Out = Box<dyn Any + Send + Sync>;

    #[inline(always)]
    fn run<R: Real>(self) -> Self::Out {
        let mut blocks: Blocks<R> = Vec::with_capacity(self.0.len() / R::LANES);
        for keys in self.0.chunks(R::LANES) {
            blocks.push(gather(keys));
        }
        Box::new(blocks)
    }
}

/// See [`Lanes::refresh`].
struct Refresh<'a> {
    blocks: &'a mut (dyn Any + Send + Sync),
    first: usize,
    keys: &'a [Assembly],
}

impl Work for Refresh<'_> {
    type Out = ();

    #[inline(always)]
    fn run<R: Real>(self) {
        if let Some(blocks) = self.blocks.downcast_mut::<Blocks<R>>()
            && let Some(numbers) = blocks.get_mut(self.first / R::LANES)
        {
            *numbers = gather(self.keys);
        }
    }
}

/// See [`Lanes::advance`].
struct Advance<'a> {
    blocks: &'a (dyn Any + Send + Sync),
    block: &'a Block<'a>,
    x: &'a mut States,
    slow: f64,
}

impl Work for Advance<'_> {
    type Out = Stepped;

    #[inline(always)]
    fn run<R: Real>(self) -> Stepped {
        let blocks = self.blocks.downcast_ref::<Blocks<R>>();
        match blocks.and_then(|blocks| blocks.get(self.block.first / R::LANES)) {
            Some(numbers) => advance(numbers, self.block, self.x, self.slow),
            None => Stepped::default(),
        }
    }
}

impl Lanes {
    /// Lanes of `kernel` over `keys`. Allocates; nothing else here does.
    #[must_use]
    pub fn new(kernel: Kernel, keys: &[Assembly; KEYS]) -> Self {
        let keys = if kernel == Kernel::Plain { &[][..] } else { &keys[..] };
        Self { kernel, blocks: kernel.run(Gather(keys)) }
    }

    /// Keys a block; 1 where every key steps alone.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.kernel.lanes()
    }

    /// Takes up the numbers of the block whose keys are `keys`.
    pub fn refresh(&mut self, first: usize, keys: &[Assembly]) {
        self.kernel.run(Refresh { blocks: self.blocks.as_mut(), first, keys });
    }

    /// One step of the keys of `block`; those to which nothing happens take it.
    pub fn advance(&self, block: &Block, x: &mut States, slow: f64) -> Stepped {
        self.kernel.run(Advance { blocks: self.blocks.as_ref(), block, x, slow })
    }
}
