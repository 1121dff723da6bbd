//! The instruction set of loops over lanes, selected at run time.

use arrayvec::ArrayVec;

use crate::math::lane_work::Work;
#[cfg(target_arch = "x86_64")]
use crate::math::lane_work::{Avx2Token, Avx512Token};
#[cfg(target_arch = "x86_64")]
use crate::math::lanes;
#[cfg(target_arch = "aarch64")]
use crate::math::neon::Two;
#[cfg(target_arch = "x86_64")]
use crate::math::sse2::Two;

/// An instruction set that loops were compiled for. A value of this type proves that the machine has it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// Scalar code for the target of the build.
    Plain,
    /// SSE2: registers of 128 bits, which every 64-bit x86 processor has.
    #[cfg(target_arch = "x86_64")]
    Sse2,
    /// AVX2: registers of 256 bits.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2Token),
    /// AVX-512: registers of 512 bits, and twice as many.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512Token),
    /// NEON: registers of 128 bits, which every 64-bit ARM processor has.
    #[cfg(target_arch = "aarch64")]
    Neon,
}

impl Kernel {
    /// The kernels this machine can run, slowest first.
    #[must_use]
    pub fn available() -> ArrayVec<Self, 4> {
        let mut kernels = ArrayVec::from_iter([Self::Plain]);
        #[cfg(target_arch = "x86_64")]
        {
            kernels.push(Self::Sse2);
            kernels.extend(Avx2Token::detect().map(Self::Avx2));
            kernels.extend(Avx512Token::detect().map(Self::Avx512));
        }
        #[cfg(target_arch = "aarch64")]
        kernels.push(Self::Neon);
        kernels
    }

    /// The fastest kernel of this machine.
    #[must_use]
    pub fn detect() -> Self {
        Self::available().last().copied().unwrap_or(Self::Plain)
    }

    /// Number of `f64` in a register; 1 for [`Kernel::Plain`].
    #[must_use]
    pub const fn lanes(self) -> usize {
        match self {
            Self::Plain => 1,
            #[cfg(target_arch = "x86_64")]
            Self::Sse2 => 2,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => 4,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => 8,
            #[cfg(target_arch = "aarch64")]
            Self::Neon => 2,
        }
    }

    /// Runs `work` with this kernel's number type of [`Kernel::lanes`] lanes. These types are used nowhere
    /// else, so that no other code can contain the kernel's instructions.
    #[inline]
    pub fn run<W: Work>(self, work: W) -> W::Out {
        match self {
            Self::Plain => work.run::<f64>(),
            #[cfg(target_arch = "x86_64")]
            Self::Sse2 => work.run::<Two>(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(proof) => lanes::avx2(proof, work),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(proof) => lanes::avx512(proof, work),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => work.run::<Two>(),
        }
    }
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Plain => "Plain",
            #[cfg(target_arch = "x86_64")]
            Self::Sse2 => "Sse2",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => "Avx2",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => "Avx512",
            #[cfg(target_arch = "aarch64")]
            Self::Neon => "Neon",
        })
    }
}
