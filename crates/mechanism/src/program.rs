//! A flat program that computes formulas: runs of one operation after another on a file of registers, without allocation.
//!
//! Sums, differences and products are one operation, a b ± c d, on registers that may hold 0 and 1: long runs of it need
//! no choice of what to do next, which costs a processor more than the arithmetic.

use crate::graph::{Binary, Unary};
use touchback_core::math::trig::direction;
use touchback_core::mech::felt::Felt;

/// Number of registers: a power of two, so that a masked index needs no check.
pub(crate) const REGISTERS: usize = 4096;
const MASK: usize = REGISTERS - 1;

/// Registers of the states, x₀ to x₂₅.
pub(crate) const STATES: usize = 26;
/// Register of the drive: its force, N, or acceleration, m/s².
pub(crate) const DRIVE: u16 = 26;
/// Register of the port's own mass at the key front, kg.
pub(crate) const FRONT: u16 = 27;
/// Register that is 1 under an imposed motion, else 0.
pub(crate) const IMPOSED: u16 = 28;
/// Register of the speed of a note, m/s.
pub(crate) const NOTE_SPEED: u16 = 29;
/// Register of the depth of a rising key, m.
pub(crate) const NOTE_DEPTH: u16 = 30;
/// First of the registers of held friction, a generalized force for each coordinate.
pub(crate) const HELD: u16 = 32;
/// First register of results.
pub(crate) const FIRST: usize = 48;
/// First register of results that outlast other programs.
pub(crate) const LASTING: usize = REGISTERS / 2;

/// The registers of one key.
pub(crate) type Registers = Box<[f64; REGISTERS]>;

/// Registers at 0.
pub(crate) fn registers() -> Registers {
    Box::new([0.0; REGISTERS])
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Code {
    /// a b + c d, or a b − c d.
    Linear,
    Unary(Unary),
    Binary(Binary),
    /// Cosine, and sine in the next register.
    Direction,
    Choose,
    /// Force of felt c at a, b, and loss in the next register.
    Contact,
    Energy,
}

impl Code {
    /// Number of results.
    pub(crate) const fn results(self) -> usize {
        match self {
            Self::Direction | Self::Contact => 2,
            _ => 1,
        }
    }
}

/// Registers of an operation, 16 bits each, and the sign of the second product of a linear one in the highest bit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation(u64);

impl Operation {
    const SIGN: u64 = 1 << 63;

    pub(crate) fn new(from: [u16; 4], is_difference: bool) -> Self {
        let packed = (0..).step_by(16).zip(from).map(|(shift, part)| u64::from(part) << shift);
        let sign = if is_difference { Self::SIGN } else { 0 };
        Self(packed.fold(sign, |all, part| all | part))
    }

    #[expect(clippy::cast_possible_truncation, reason = "the mask takes the lowest bits")]
    #[inline(always)]
    fn at<const PART: usize>(self) -> usize {
        (self.0 >> (16 * PART)) as usize & MASK
    }
}

/// Operations in runs of one code, and the registers of the results.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub(crate) runs: Box<[(Code, u16)]>,
    pub(crate) operations: Box<[Operation]>,
    pub(crate) outputs: Box<[u16]>,
    /// First register of results.
    pub(crate) first: usize,
    /// Runs, operations and results that do not depend on held friction: they come first.
    pub(crate) early: [usize; 3],
}

impl Program {
    /// Computes the results.
    #[inline]
    pub(crate) fn run(&self, felts: &[Felt], r: &mut [f64; REGISTERS]) {
        self.run_from([0; 3], felts, r);
    }

    /// Computes anew what depends on held friction, after [`Self::run`] at the same states.
    pub(crate) fn run_held(&self, felts: &[Felt], r: &mut [f64; REGISTERS]) {
        self.run_from(self.early, felts, r);
    }

    fn run_from(&self, from: [usize; 3], felts: &[Felt], r: &mut [f64; REGISTERS]) {
        let mut to = self.first + from[2];
        let mut rest = self.operations.get(from[1]..).unwrap_or_default();
        for (code, count) in self.runs.get(from[0]..).unwrap_or_default() {
            let operations;
            (operations, rest) = rest.split_at(usize::from(*count).min(rest.len()));
            match *code {
                Code::Linear => {
                    for o in operations {
                        let first = r[o.at::<0>()] * r[o.at::<1>()];
                        let second = r[o.at::<2>()] * r[o.at::<3>()];
                        let signed = f64::from_bits(second.to_bits() ^ (o.0 & Operation::SIGN));
                        r[to & MASK] = first + signed;
                        to += 1;
                    }
                }
                Code::Unary(unary) => {
                    for o in operations {
                        r[to & MASK] = unary.at(r[o.at::<0>()]);
                        to += 1;
                    }
                }
                Code::Binary(Binary::Div) => {
                    for o in operations {
                        r[to & MASK] = r[o.at::<0>()] / r[o.at::<1>()];
                        to += 1;
                    }
                }
                Code::Binary(binary) => {
                    for o in operations {
                        r[to & MASK] = binary.at(r[o.at::<0>()], r[o.at::<1>()]);
                        to += 1;
                    }
                }
                Code::Choose => {
                    for o in operations {
                        let at = if r[o.at::<0>()] > 0.0 { o.at::<1>() } else { o.at::<2>() };
                        r[to & MASK] = r[at];
                        to += 1;
                    }
                }
                Code::Direction => {
                    for o in operations {
                        let [cosine, sine] = turned(r[o.at::<0>()]);
                        (r[to & MASK], r[(to + 1) & MASK]) = (cosine, sine);
                        to += 2;
                    }
                }
                Code::Contact => {
                    for o in operations {
                        let felt = &felts[o.at::<2>()];
                        let contact = felt.contact(r[o.at::<0>()], r[o.at::<1>()]);
                        (r[to & MASK], r[(to + 1) & MASK]) = (contact.force, contact.loss);
                        to += 2;
                    }
                }
                Code::Energy => {
                    for o in operations {
                        r[to & MASK] = felts[o.at::<2>()].energy(r[o.at::<0>()]);
                        to += 1;
                    }
                }
            }
        }
    }

    /// Result `index` of the last run.
    #[inline]
    pub(crate) fn result(&self, index: usize, r: &[f64; REGISTERS]) -> f64 {
        r[usize::from(self.outputs[index]) & MASK]
    }

    /// Copies the results from `first` on of the last run.
    #[inline]
    pub(crate) fn results(&self, first: usize, r: &[f64; REGISTERS], to: &mut [f64]) {
        for (value, output) in to.iter_mut().zip(self.outputs.iter().skip(first)) {
            *value = r[usize::from(*output) & MASK];
        }
    }
}

/// Cosine and sine.
#[inline]
fn turned(angle: f64) -> [f64; 2] {
    if angle.abs() <= 1.0 {
        let v = direction(angle);
        return [v.x, v.y];
    }
    let (sine, cosine) = libm::sincos(angle);
    [cosine, sine]
}
