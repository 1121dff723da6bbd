//! Several keys stepped side by side: the same arithmetic as one alone, so the same bits.
//!
//! Key i always sits in lane i mod [`Lanes::width`] of its block. A step in which nothing happens
//! to a key is taken in lanes, substeps included; a key to which something happens (a transition, a
//! contact that opens or closes) is left as it was, to take the step alone.

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
use crate::math::kernel::Kernel;
#[cfg(target_arch = "x86_64")]
use crate::math::lanes::{Eight, Four};
#[cfg(target_arch = "aarch64")]
use crate::math::neon::Two;
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

/// The numbers of all keys as the machine's registers hold them.
pub enum Lanes {
    /// No registers: every key steps alone.
    Plain,
    /// Four keys a block.
    #[cfg(target_arch = "x86_64")]
    Avx2(Box<[Precomputed<Four>]>),
    /// Eight keys a block.
    #[cfg(target_arch = "x86_64")]
    Avx512(Box<[Precomputed<Eight>]>),
    /// Two keys a block.
    #[cfg(target_arch = "aarch64")]
    Neon(Box<[Precomputed<Two>]>),
}

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

/// The functions above compiled for one set of instructions.
#[cfg(target_arch = "x86_64")]
macro_rules! kernel {
    ($feature:literal, $real:ident, $advance:ident, $gather:ident) => {
        #[target_feature(enable = $feature)]
        fn $advance(n: &Precomputed<$real>, block: &Block, x: &mut States, slow: f64) -> Stepped {
            advance(n, block, x, slow)
        }

        #[target_feature(enable = $feature)]
        fn $gather(keys: &[Assembly]) -> Precomputed<$real> {
            gather(keys)
        }
    };
}

#[cfg(target_arch = "x86_64")]
kernel!("avx2", Four, advance_avx2, gather_avx2);
#[cfg(target_arch = "x86_64")]
kernel!("avx512f", Eight, advance_avx512, gather_avx512);

impl Lanes {
    /// Lanes of `kernel` over `keys`, which must be one that [`Kernel::available`] names.
    #[must_use]
    pub fn new(kernel: Kernel, keys: &[Assembly; KEYS]) -> Self {
        if !Kernel::available().contains(&kernel) {
            return Self::Plain;
        }
        match kernel {
            Kernel::Plain => Self::Plain,
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => {
                // SAFETY: the machine has the instructions: asked above.
                let block = |keys: &[Assembly]| unsafe { gather_avx2(keys) };
                Self::Avx2(keys.chunks(Four::LANES).map(block).collect())
            }
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => {
                // SAFETY: the machine has the instructions: asked above.
                let block = |keys: &[Assembly]| unsafe { gather_avx512(keys) };
                Self::Avx512(keys.chunks(Eight::LANES).map(block).collect())
            }
            #[cfg(target_arch = "aarch64")]
            Kernel::Neon => Self::Neon(keys.chunks(Two::LANES).map(gather::<Two>).collect()),
        }
    }

    /// Keys a block; 1 where every key steps alone.
    #[must_use]
    pub const fn width(&self) -> usize {
        match self {
            Self::Plain => 1,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => Four::LANES,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => Eight::LANES,
            #[cfg(target_arch = "aarch64")]
            Self::Neon(_) => Two::LANES,
        }
    }

    /// Takes up the numbers of the block whose keys are `keys`.
    pub fn refresh(&mut self, first: usize, keys: &[Assembly]) {
        let width = self.width();
        match self {
            Self::Plain => {}
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Avx2` is only made where the machine has it.
            Self::Avx2(blocks) => blocks[first / width] = unsafe { gather_avx2(keys) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Avx512` is only made where the machine has it.
            Self::Avx512(blocks) => blocks[first / width] = unsafe { gather_avx512(keys) },
            #[cfg(target_arch = "aarch64")]
            Self::Neon(blocks) => blocks[first / width] = gather(keys),
        }
    }

    /// One step of the keys of `block`; those to which nothing happens take it.
    pub fn advance(&self, block: &Block, x: &mut States, slow: f64) -> Stepped {
        match self {
            Self::Plain => Stepped { done: 0, moving: 0 },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Avx2` is only made where the machine has it.
            Self::Avx2(blocks) => unsafe {
                advance_avx2(&blocks[block.first / Four::LANES], block, x, slow)
            },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Avx512` is only made where the machine has it.
            Self::Avx512(blocks) => unsafe {
                advance_avx512(&blocks[block.first / Eight::LANES], block, x, slow)
            },
            #[cfg(target_arch = "aarch64")]
            Self::Neon(blocks) => advance(&blocks[block.first / Two::LANES], block, x, slow),
        }
    }
}
