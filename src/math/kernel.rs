//! Which instructions a loop over lanes was compiled for, chosen when the program runs.

use arrayvec::ArrayVec;

/// Instructions the loops were compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kernel {
    /// Whatever the build assumes.
    Plain,
    /// Registers of 256 bits.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Registers of 512 bits, and twice as many.
    #[cfg(target_arch = "x86_64")]
    Avx512,
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
            if std::arch::is_x86_feature_detected!("avx2") {
                kernels.push(Self::Avx2);
            }
            if std::arch::is_x86_feature_detected!("avx512f") {
                kernels.push(Self::Avx512);
            }
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
}
