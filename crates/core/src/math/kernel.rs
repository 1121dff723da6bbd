//! The instruction set of loops over lanes, selected at run time.

use arrayvec::ArrayVec;

use crate::math::lane_work::Work;
#[cfg(target_arch = "x86_64")]
use crate::math::lane_work::{Avx2Token, Avx512Token};
#[cfg(target_arch = "x86_64")]
use crate::math::lanes;
#[cfg(target_arch = "aarch64")]
use crate::math::neon::Two;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use crate::math::simd128::Two;
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
    /// Registers of 128 bits of WebAssembly.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
}

impl Kernel {
    /// The kernels this machine can run, slowest first.
    #[must_use]
    pub fn available() -> ArrayVec<Self, 4> {
        #[allow(unused_mut, reason = "some machines have no other kernel")]
        let mut kernels = ArrayVec::from_iter([Self::Plain]);
        #[cfg(target_arch = "x86_64")]
        {
            kernels.push(Self::Sse2);
            kernels.extend(Avx2Token::detect().map(Self::Avx2));
            kernels.extend(Avx512Token::detect().map(Self::Avx512));
        }
        #[cfg(target_arch = "aarch64")]
        kernels.push(Self::Neon);
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        kernels.push(Self::Simd128);
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
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128 => 2,
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
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128 => work.run::<Two>(),
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
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128 => "Simd128",
        })
    }
}

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use super::Two;
    use crate::math::real::{Mask as _, Real};

    #[test]
    fn two_lanes_give_the_bits_of_scalar_operations() {
        let numbers = [0.0, -0.0, 1.5, -2.25, f64::INFINITY, f64::NAN, 1e-310, 3.0];
        for a in numbers {
            for b in numbers {
                let (x, y) = (Two::load(&[a, b]), Two::load(&[b, a]));
                let mut out = [0.0; 2];
                for (got, expected) in [
                    (x + y, a + b),
                    (x - y, a - b),
                    (x * y, a * b),
                    (x / y, a / b),
                    (x.max(y), <f64 as Real>::max(a, b)),
                    (x.min(y), <f64 as Real>::min(a, b)),
                    (-x, -a),
                    (Real::abs(x), a.abs()),
                    (Real::sqrt(x), a.sqrt()),
                ] {
                    got.store(&mut out);
                    let is_nan = expected.is_nan() && out[0].is_nan();
                    assert!(out[0].to_bits() == expected.to_bits() || is_nan);
                }
                assert_eq!(x.lt(y).bits(), u8::from(a < b) | (u8::from(b < a) << 1));
                assert_eq!(x.le(y).bits(), u8::from(a <= b) | (u8::from(b <= a) << 1));
            }
        }
        for bits in 0..4 {
            let mask = <Two as Real>::Mask::from_bits(bits);
            assert_eq!((mask.bits(), (!mask).bits(), mask.any()), (bits, !bits & 3, bits != 0));
        }
    }
}
