//! Modes in fixed lanes, and the loops over them.
//!
//! A mode is a one-pole complex filter with the state w, m: each sample w ← p w + b F, p =
//! e^{λ/rate} its pole, F a force, N, and b the mode's response to the force, m/N. In single precision
//! the decay is right to 3e-8 a sample, 0.3 % of the slowest decay at the slow rate, and the pitch exact.
//! Output is the force on the bridge, Σ bridge·Re w. The order of every sum is fixed and no multiply is
//! fused, so all kernels give the same bits. Audio thread.

#![allow(
    clippy::needless_range_loop,
    reason = "one lane index over several arrays is what becomes a register"
)]

mod contact;
mod driven;
mod ring;
mod totals;

use touchback_core::math::kernel::Kernel;

/// Modes side by side.
pub const LANES: usize = 16;

/// Samples between control steps; also the most samples that one call may render.
pub const BLOCK: usize = 64;

/// One value for each lane.
pub type Lane = [f32; LANES];

/// State, pole and output gain of sixteen modes.
#[repr(C, align(64))]
#[derive(Clone, Copy, Default, Debug)]
pub struct ModeState {
    /// Real part of w, m.
    pub re: Lane,
    /// Imaginary part of w, m.
    pub im: Lane,
    /// Re p over one sample.
    pub pole_re: Lane,
    /// Im p over one sample.
    pub pole_im: Lane,
    /// Force on the bridge per Re w, N/m.
    pub bridge: Lane,
}

/// Pole, shape and input gain of sixteen modes in steps of the hammer's contact, which may be
/// shorter than a sample.
#[repr(C, align(64))]
#[derive(Clone, Copy, Default, Debug)]
pub struct ContactCoupling {
    /// Re p over one contact step.
    pub pole_re: Lane,
    /// Im p over one contact step.
    pub pole_im: Lane,
    /// Displacement under the hammer per Re w.
    pub shape: Lane,
    /// Re w per constant force over one step, m/N.
    pub push_re: Lane,
    /// Im w per constant force over one step, m/N.
    pub push_im: Lane,
}

/// Input gain of sixteen modes for a force on the bridge.
#[repr(C, align(64))]
#[derive(Clone, Copy, Default, Debug)]
pub struct BridgeInput {
    /// Re w per force of the other strings on the bridge over one sample, m/N.
    pub re: Lane,
    /// Im w per force of the other strings on the bridge over one sample, m/N.
    pub im: Lane,
}

/// Sum of the lanes, always in the same order.
#[inline(always)]
pub fn total(lane: &Lane) -> f32 {
    let a: [f32; 8] = std::array::from_fn(|i| lane[i] + lane[i + 8]);
    let b: [f32; 4] = std::array::from_fn(|i| a[i] + a[i + 4]);
    (b[0] + b[2]) + (b[1] + b[3])
}

#[inline(always)]
fn turned(re: f32, im: f32, pole_re: f32, pole_im: f32) -> (f32, f32) {
    (pole_re * re - pole_im * im, pole_re * im + pole_im * re)
}

/// Defines a loop once and compiles it for every kernel; three bodies where they differ in how much is
/// held in registers at once (without special instructions, AVX2, AVX-512).
macro_rules! kernels {
    ($(#[$doc:meta])* $name:ident, $body:ident, $avx2:ident, $avx512:ident, $args:tt $(-> $out:ty)?) => {
        $crate::strings::bank::kernels! {
            $(#[$doc])* $name, [$body, $body, $body], $avx2, $avx512, $args $(-> $out)?
        }
    };
    ($(#[$doc:meta])* $name:ident, [$plain:path, $four:path, $eight:path], $avx2:ident, $avx512:ident,
     ($($arg:ident: $type:ty),*) $(-> $out:ty)?) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        fn $avx2($($arg: $type),*) $(-> $out)? {
            $four($($arg),*)
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f")]
        fn $avx512($($arg: $type),*) $(-> $out)? {
            $eight($($arg),*)
        }

        $(#[$doc])*
        pub fn $name(kernel: Kernel, $($arg: $type),*) $(-> $out)? {
            match kernel {
                Kernel::Plain => $plain($($arg),*),
                // The build itself assumes SSE2 on this architecture.
                #[cfg(target_arch = "x86_64")]
                Kernel::Sse2 => $plain($($arg),*),
                #[cfg(target_arch = "x86_64")]
                // SAFETY: the token proves that the machine has AVX2.
                Kernel::Avx2(_) => unsafe { $avx2($($arg),*) },
                #[cfg(target_arch = "x86_64")]
                // SAFETY: the token proves that the machine has AVX-512F.
                Kernel::Avx512(_) => unsafe { $avx512($($arg),*) },
                // The build itself assumes NEON on this architecture.
                #[cfg(target_arch = "aarch64")]
                Kernel::Neon => $plain($($arg),*),
                // The build itself assumes these registers.
                #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
                Kernel::Simd128 => $plain($($arg),*),
            }
        }
    };
}
pub use contact::{advance, coast, displacement, end_contact, reach};
pub use driven::{DrivenMode, DrivenModes};
pub(crate) use kernels;
pub(crate) use ring::{resound, ring};

kernels! {
    /// Adds `share` times `x` to `sum` (equal lengths).
    add_scaled, add_scaled_body, add_scaled_avx2, add_scaled_avx512, (sum: &mut [f32], share: f32, x: &[f32])
}

#[inline(always)]
fn add_scaled_body(sum: &mut [f32], share: f32, x: &[f32]) {
    sum.iter_mut().zip(x).for_each(|(sum, x)| *sum += share * x);
}

/// Turns modes back by `steps` samples; silent modes stay as they are.
pub(crate) fn turn_back(modes: &mut [ModeState], steps: usize) {
    for mode in modes {
        for l in 0..LANES {
            let (pole_re, pole_im) = (mode.pole_re[l], mode.pole_im[l]);
            let square = pole_re * pole_re + pole_im * pole_im;
            if square > 0.0 {
                let (inv_re, inv_im) = (pole_re / square, -pole_im / square);
                for _ in 0..steps {
                    (mode.re[l], mode.im[l]) = turned(mode.re[l], mode.im[l], inv_re, inv_im);
                }
            }
        }
    }
}

/// Sum of squared bridge-force amplitudes, N².
#[must_use]
pub fn level(modes: &[ModeState]) -> f32 {
    let mut sum = [0.0; LANES];
    for mode in modes {
        for l in 0..LANES {
            let (a, b) = (mode.bridge[l] * mode.re[l], mode.bridge[l] * mode.im[l]);
            sum[l] += a * a + b * b;
        }
    }
    total(&sum)
}

/// Multiplies every mode once by `factor` of its group and lane.
pub fn scale(modes: &mut [ModeState], factor: impl Fn(usize, usize) -> f32) {
    for (c, mode) in modes.iter_mut().enumerate() {
        for l in 0..LANES {
            let factor = factor(c, l);
            mode.re[l] *= factor;
            mode.im[l] *= factor;
        }
    }
}

/// Sets states below 1e-18 m to 0, far above denormals.
pub(crate) fn flush_denormals(modes: &mut [ModeState]) {
    for mode in modes {
        flush_below(1e-18, &mut mode.re);
        flush_below(1e-18, &mut mode.im);
    }
}

/// Sets `values` below `least` to 0; all are written, which makes registers of them.
pub(crate) fn flush_below(least: f32, values: &mut [f32]) {
    for x in values {
        *x = if x.abs() < least { 0.0 } else { *x };
    }
}

/// Sets all states to 0.
pub fn clear(modes: &mut [ModeState]) {
    for mode in modes {
        mode.re = [0.0; LANES];
        mode.im = [0.0; LANES];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modes() -> Vec<ModeState> {
        (0..5)
            .map(|i| {
                let lane = |a: f32, b: f32| -> Lane {
                    std::array::from_fn(|l| a + b * (i * LANES + l) as f32)
                };
                ModeState {
                    re: lane(1e-3, -2e-5),
                    im: lane(-3e-4, 1e-5),
                    pole_re: lane(0.999, -1e-4),
                    pole_im: lane(3e-3, 1e-2),
                    bridge: lane(3e3, 2e3),
                }
            })
            .collect()
    }

    #[test]
    fn every_kernel_gives_the_same_bits_in_any_portions() {
        let (mut a, mut b) = (modes(), modes());
        let (mut whole, mut parts) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
        ring(Kernel::Plain, &mut a, &mut whole);
        for part in parts.chunks_mut(7) {
            ring(Kernel::detect(), &mut b, part);
        }
        assert!(whole.iter().zip(&parts).all(|(x, y)| x.to_bits() == y.to_bits()));
    }

    #[test]
    fn a_mode_oscillates_and_decays_by_its_pole() {
        let mut mode = ModeState::default();
        let (angle, decay): (f64, f64) = (0.1, 1e-5);
        mode.re[3] = 1.0;
        mode.pole_re[3] = touchback_core::math::cast::single((-decay).exp() * angle.cos());
        mode.pole_im[3] = touchback_core::math::cast::single((-decay).exp() * angle.sin());
        mode.bridge[3] = 1.0;
        let mut out = [0.0; 1];
        for n in 1..=20_000 {
            out[0] = 0.0;
            ring(Kernel::detect(), std::slice::from_mut(&mut mode), &mut out);
            let n = f64::from(n);
            let exact = (-decay * n).exp() * (angle * n).cos();
            assert!((f64::from(out[0]) - exact).abs() < 2e-4, "{n}: {} {exact}", out[0]);
        }
    }
}
