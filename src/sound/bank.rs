//! Ringing modes in fixed lanes, and the loops over them.
//!
//! A mode is a one-pole complex filter with the state w, m: each sample w ← p w + b F, p =
//! e^{λ/rate} its pole, F a force, N, and b the mode's response to it, m/N. The pole is kept as its
//! distance from 1, p = 1 − decay + i rotation, so that slow decays and low pitches keep full
//! precision in single precision. Output is the force on the bridge, Σ bridge·Re w. The order of
//! every sum is fixed and no multiply is fused, so all kernels give the same bits. Audio thread.

#![allow(
    clippy::needless_range_loop,
    reason = "one lane index over several arrays is what becomes a register"
)]

use crate::math::kernel::Kernel;

/// Modes side by side.
pub const LANES: usize = 16;

/// Samples between control steps; also the most samples one call may ring.
pub const BLOCK: usize = 64;

/// Samples whose sums are held at once.
const PART: usize = 16;

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
    /// 1 − Re p over one sample.
    pub decay: Lane,
    /// Im p over one sample.
    pub rotation: Lane,
    /// Force on the bridge per Re w, N/m.
    pub bridge: Lane,
}

/// Pole, shape and input gain of the same modes in steps of the hammer's contact, which may be
/// shorter than a sample.
#[repr(C, align(64))]
#[derive(Clone, Copy, Default, Debug)]
pub struct ContactCoupling {
    /// 1 − Re p over one contact step.
    pub decay: Lane,
    /// Im p over one contact step.
    pub rotation: Lane,
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
fn turned(re: f32, im: f32, fall: f32, turn: f32) -> (f32, f32) {
    (re - (fall * re + turn * im), im + (turn * re - fall * im))
}

/// Defines a loop once and compiles it for every kernel.
macro_rules! kernels {
    ($(#[$doc:meta])* $name:ident, $body:ident, $avx2:ident, $avx512:ident,
     ($($arg:ident: $type:ty),*) $(-> $out:ty)?) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        fn $avx2($($arg: $type),*) $(-> $out)? {
            $body($($arg),*)
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f")]
        fn $avx512($($arg: $type),*) $(-> $out)? {
            $body($($arg),*)
        }

        $(#[$doc])*
        pub fn $name(kernel: Kernel, $($arg: $type),*) $(-> $out)? {
            match kernel {
                Kernel::Plain => $body($($arg),*),
                #[cfg(target_arch = "x86_64")]
                // SAFETY: the kernel says that the machine has the instructions.
                Kernel::Avx2(_) => unsafe { $avx2($($arg),*) },
                #[cfg(target_arch = "x86_64")]
                // SAFETY: as above.
                Kernel::Avx512(_) => unsafe { $avx512($($arg),*) },
                // The build itself assumes NEON on this architecture.
                #[cfg(target_arch = "aarch64")]
                Kernel::Neon => $body($($arg),*),
            }
        }
    };
}
pub(super) use kernels;

kernels! {
    /// Lets modes ring for `out.len()` samples and adds their force on the bridge.
    ring, ring_body, ring_avx2, ring_avx512, (modes: &mut [ModeState], out: &mut [f32])
}

#[inline(always)]
fn ring_body(modes: &mut [ModeState], out: &mut [f32]) {
    if modes.is_empty() {
        return;
    }
    for part in out.chunks_mut(PART) {
        ring_part(modes, part);
    }
}

#[inline(always)]
fn ring_part(modes: &mut [ModeState], out: &mut [f32]) {
    let mut sums = [[0.0; LANES]; PART];
    let sums = &mut sums[..out.len().min(PART)];
    // Two groups at a time: one alone would wait for its own result of the sample before.
    let mut pairs = modes.chunks_exact_mut(2);
    for pair in &mut pairs {
        let [one, two] = pair else { continue };
        let (mut re, mut im) = (one.re, one.im);
        let (mut re2, mut im2) = (two.re, two.im);
        for sum in sums.iter_mut() {
            for l in 0..LANES {
                (re[l], im[l]) = turned(re[l], im[l], one.decay[l], one.rotation[l]);
                (re2[l], im2[l]) = turned(re2[l], im2[l], two.decay[l], two.rotation[l]);
                sum[l] = (sum[l] + one.bridge[l] * re[l]) + two.bridge[l] * re2[l];
            }
        }
        (one.re, one.im) = (re, im);
        (two.re, two.im) = (re2, im2);
    }
    for mode in pairs.into_remainder() {
        let (mut re, mut im) = (mode.re, mode.im);
        for sum in sums.iter_mut() {
            for l in 0..LANES {
                (re[l], im[l]) = turned(re[l], im[l], mode.decay[l], mode.rotation[l]);
                sum[l] += mode.bridge[l] * re[l];
            }
        }
        (mode.re, mode.im) = (re, im);
    }
    for (out, sum) in out.iter_mut().zip(sums) {
        *out += total(sum);
    }
}

kernels! {
    /// Like [`ring`], driven by the force of other strings on the bridge, sample by sample.
    resound, resound_body, resound_avx2, resound_avx512,
    (modes: &mut [ModeState], drives: &[BridgeInput], input: &[f32], out: &mut [f32])
}

#[inline(always)]
fn resound_body(modes: &mut [ModeState], drives: &[BridgeInput], input: &[f32], out: &mut [f32]) {
    if modes.is_empty() {
        return;
    }
    for (part, input) in out.chunks_mut(PART).zip(input.chunks(PART)) {
        resound_part(modes, drives, input, part);
    }
}

#[inline(always)]
fn resound_part(modes: &mut [ModeState], drives: &[BridgeInput], input: &[f32], out: &mut [f32]) {
    let mut sums = [[0.0; LANES]; PART];
    let sums = &mut sums[..out.len().min(PART)];
    let mut pairs = modes.chunks_exact_mut(2);
    let mut pair_drives = drives.chunks_exact(2);
    for (pair, drive) in (&mut pairs).zip(&mut pair_drives) {
        let ([one, two], [pull, pull2]) = (pair, drive) else { continue };
        let (mut re, mut im) = (one.re, one.im);
        let (mut re2, mut im2) = (two.re, two.im);
        for (sum, &force) in sums.iter_mut().zip(input) {
            for l in 0..LANES {
                (re[l], im[l]) = turned(re[l], im[l], one.decay[l], one.rotation[l]);
                (re2[l], im2[l]) = turned(re2[l], im2[l], two.decay[l], two.rotation[l]);
                re[l] += pull.re[l] * force;
                im[l] += pull.im[l] * force;
                re2[l] += pull2.re[l] * force;
                im2[l] += pull2.im[l] * force;
                sum[l] = (sum[l] + one.bridge[l] * re[l]) + two.bridge[l] * re2[l];
            }
        }
        (one.re, one.im) = (re, im);
        (two.re, two.im) = (re2, im2);
    }
    for (mode, drive) in pairs.into_remainder().iter_mut().zip(pair_drives.remainder()) {
        let (mut re, mut im) = (mode.re, mode.im);
        for (sum, &force) in sums.iter_mut().zip(input) {
            for l in 0..LANES {
                (re[l], im[l]) = turned(re[l], im[l], mode.decay[l], mode.rotation[l]);
                re[l] += drive.re[l] * force;
                im[l] += drive.im[l] * force;
                sum[l] += mode.bridge[l] * re[l];
            }
        }
        (mode.re, mode.im) = (re, im);
    }
    for (out, sum) in out.iter_mut().zip(sums) {
        *out += total(sum);
    }
}

kernels! {
    /// Adds what a constant `force` did over the contact step before, then turns the modes by one
    /// contact step; returns the displacement under the hammer, m.
    advance, advance_body, advance_avx2, advance_avx512, (modes: &mut [ModeState], touch: &[ContactCoupling], force: f32) -> f32
}

#[inline(always)]
fn advance_body(modes: &mut [ModeState], touch: &[ContactCoupling], force: f32) -> f32 {
    let mut sum = [0.0; LANES];
    for (mode, touch) in modes.iter_mut().zip(touch) {
        for l in 0..LANES {
            let re = mode.re[l] + touch.push_re[l] * force;
            let im = mode.im[l] + touch.push_im[l] * force;
            (mode.re[l], mode.im[l]) = turned(re, im, touch.decay[l], touch.rotation[l]);
            sum[l] += touch.shape[l] * mode.re[l];
        }
    }
    total(&sum)
}

kernels! {
    /// Adds what a constant `force` did over the contact step before, ending the sample; returns
    /// the force on the bridge, N.
    end_contact, end_contact_body, end_contact_avx2, end_contact_avx512,
    (modes: &mut [ModeState], touch: &[ContactCoupling], force: f32) -> f32
}

#[inline(always)]
fn end_contact_body(modes: &mut [ModeState], touch: &[ContactCoupling], force: f32) -> f32 {
    let mut sum = [0.0; LANES];
    for (mode, touch) in modes.iter_mut().zip(touch) {
        for l in 0..LANES {
            mode.re[l] += touch.push_re[l] * force;
            mode.im[l] += touch.push_im[l] * force;
            sum[l] += mode.bridge[l] * mode.re[l];
        }
    }
    total(&sum)
}

kernels! {
    /// Lets modes ring for one sample; returns force on the bridge, N, and displacement under the
    /// hammer, m.
    coast, coast_body, coast_avx2, coast_avx512, (modes: &mut [ModeState], touch: &[ContactCoupling]) -> (f32, f32)
}

#[inline(always)]
fn coast_body(modes: &mut [ModeState], touch: &[ContactCoupling]) -> (f32, f32) {
    let (mut force, mut place) = ([0.0; LANES], [0.0; LANES]);
    for (mode, touch) in modes.iter_mut().zip(touch) {
        for l in 0..LANES {
            (mode.re[l], mode.im[l]) =
                turned(mode.re[l], mode.im[l], mode.decay[l], mode.rotation[l]);
            force[l] += mode.bridge[l] * mode.re[l];
            place[l] += touch.shape[l] * mode.re[l];
        }
    }
    (total(&force), total(&place))
}

/// Turns modes back by `steps` samples; silent ones stay.
pub fn turn_back(modes: &mut [ModeState], steps: usize) {
    for mode in modes {
        for l in 0..LANES {
            let (kept, turn) = (1.0 - mode.decay[l], mode.rotation[l]);
            let square = kept * kept + turn * turn;
            if square > 0.0 {
                let (fall, turn) = (1.0 - kept / square, -turn / square);
                for _ in 0..steps {
                    (mode.re[l], mode.im[l]) = turned(mode.re[l], mode.im[l], fall, turn);
                }
            }
        }
    }
}

/// Displacement under the hammer, m.
#[must_use]
pub fn displacement(modes: &[ModeState], touch: &[ContactCoupling]) -> f32 {
    let mut sum = [0.0; LANES];
    for (mode, touch) in modes.iter().zip(touch) {
        for l in 0..LANES {
            sum[l] += touch.shape[l] * mode.re[l];
        }
    }
    total(&sum)
}

/// Largest displacement under the hammer that the free modes can reach, m.
#[must_use]
pub fn reach(modes: &[ModeState], touch: &[ContactCoupling]) -> f32 {
    let mut sum = [0.0; LANES];
    for (mode, touch) in modes.iter().zip(touch) {
        for l in 0..LANES {
            sum[l] += touch.shape[l].abs() * (mode.re[l].powi(2) + mode.im[l].powi(2)).sqrt();
        }
    }
    total(&sum)
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

/// Multiplies every mode once by `keep`, lane by lane.
pub fn shorten(modes: &mut [ModeState], keep: impl Fn(usize, usize) -> f32) {
    for (c, mode) in modes.iter_mut().enumerate() {
        for l in 0..LANES {
            let keep = keep(c, l);
            mode.re[l] *= keep;
            mode.im[l] *= keep;
        }
    }
}

/// Sets states below 1e-18 m to 0, long before they are denormal.
pub fn settle(modes: &mut [ModeState]) {
    for mode in modes {
        for x in mode.re.iter_mut().chain(&mut mode.im) {
            if x.abs() < 1e-18 {
                *x = 0.0;
            }
        }
    }
}

/// Sets all states to 0.
pub fn still(modes: &mut [ModeState]) {
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
                    decay: lane(1e-5, 1e-4),
                    rotation: lane(3e-3, 1e-2),
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
    fn a_mode_turns_by_its_pole() {
        let mut mode = ModeState::default();
        let (angle, decay): (f64, f64) = (0.1, 1e-5);
        mode.re[3] = 1.0;
        mode.decay[3] = crate::math::cast::single(1.0 - (-decay).exp() * angle.cos());
        mode.rotation[3] = crate::math::cast::single((-decay).exp() * angle.sin());
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
