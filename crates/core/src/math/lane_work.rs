//! Computations over vector registers, and tokens that prove the machine has the instructions.

use crate::math::real::Real;

/// Proof that this machine has AVX2; only [`Avx2Token::detect`] makes one.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Avx2Token(());

#[cfg(target_arch = "x86_64")]
impl Avx2Token {
    /// The token, if this machine has AVX2.
    #[must_use]
    pub fn detect() -> Option<Self> {
        std::arch::is_x86_feature_detected!("avx2").then_some(Self(()))
    }
}

/// Proof that this machine has AVX-512F; only [`Avx512Token::detect`] makes one.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Avx512Token(());

#[cfg(target_arch = "x86_64")]
impl Avx512Token {
    /// The token, if this machine has AVX-512F.
    #[must_use]
    pub fn detect() -> Option<Self> {
        std::arch::is_x86_feature_detected!("avx512f").then_some(Self(()))
    }
}

/// A computation over the registers of a kernel; see [`Kernel::run`](crate::math::kernel::Kernel::run).
pub trait Work {
    /// Result of the computation.
    type Out;

    /// Runs the computation. Implementations must be inlined, so that they are compiled for the kernel's
    /// instructions.
    fn run<R: Real>(self) -> Self::Out;
}
