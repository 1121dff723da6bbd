//! Which instructions a loop over lanes was compiled for, chosen when the program runs.

use arrayvec::ArrayVec;

use crate::math::lane_work::Work;
#[cfg(target_arch = "x86_64")]
use crate::math::lane_work::{Avx2Token, Avx512Token};
#[cfg(target_arch = "x86_64")]
use crate::math::lanes;
#[cfg(target_arch = "aarch64")]
use crate::math::neon::Two;

/// Instructions the loops were compiled for; one that is there can be run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// Whatever the build assumes.
    Plain,
    /// Registers of 256 bits.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2Token),
    /// Registers of 512 bits, and twice as many.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512Token),
    /// Registers of 128 bits, which every 64-bit ARM processor has.
    #[cfg(target_arch = "aarch64")]
    Neon,
}

impl Kernel {
    /// The kernels this machine can run, slowest first.
    #[must_use]
    pub fn available() -> ArrayVec<Self, 3> {
        let mut kernels = ArrayVec::from_iter([Self::Plain]);
        #[cfg(target_arch = "x86_64")]
        {
            kernels.extend(Avx2Token::detect().map(Self::Avx2));
            kernels.extend(Avx512Token::detect().map(Self::Avx512));
        }
        #[cfg(target_arch = "aarch64")]
        kernels.push(Self::Neon);
        kernels
    }

    /// The best kernel of this machine.
    #[must_use]
    pub fn detect() -> Self {
        Self::available().last().copied().unwrap_or(Self::Plain)
    }

    /// Numbers of double precision in a register; 1 for [`Kernel::Plain`].
    #[must_use]
    pub const fn lanes(self) -> usize {
        match self {
            Self::Plain => 1,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => 4,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => 8,
            #[cfg(target_arch = "aarch64")]
            Self::Neon => 2,
        }
    }

    /// Does `work` over this kernel's registers of [`Kernel::lanes`] numbers. Their types are met
    /// nowhere else, so nothing can use instructions that were not asked for.
    #[inline]
    pub fn run<W: Work>(self, work: W) -> W::Out {
        match self {
            Self::Plain => work.run::<f64>(),
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
            Self::Avx2(_) => "Avx2",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => "Avx512",
            #[cfg(target_arch = "aarch64")]
            Self::Neon => "Neon",
        })
    }
}
