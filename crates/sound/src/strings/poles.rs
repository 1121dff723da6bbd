//! Present poles of the modes: bent in pitch, and under a damper.
//!
//! A mode's pole is stored as radius and angle over one sample; the present pole is computed from these,
//! the damper's share and the bend. All sums are in single precision in a fixed order, so that every
//! kernel gives the same bits; a pitch is right to 0.001 cents.
#![allow(
    clippy::needless_range_loop,
    reason = "one lane index over several arrays is what becomes a register"
)]

use std::f32::consts::{PI, TAU};

use num_complex::Complex64;

use crate::strings::bank::{BridgeInput, ContactCoupling, LANES, Lane, ModeState, kernels};
use touchback_core::math::complex::polar;
use touchback_core::math::kernel::Kernel;
use touchback_core::math::power::square;

/// Angle over one sample above which a mode is silent instead of folding back (0.98 π), rad.
pub const HIGHEST: f32 = 0.98 * PI;

/// Least distance of a radius from 1: the spacing of numbers just below 1, twice the rounding error.
const LEAST: f32 = f32::EPSILON / 2.0;

/// The poles of sixteen undamped modes in tune, and the damper's effect on them.
#[repr(C, align(64))]
#[derive(Clone, Copy, Default, Debug)]
pub struct Pole {
    /// 1 − radius over one sample.
    pub shrink: Lane,
    /// 1 − radius over one contact step.
    pub step_shrink: Lane,
    /// Angle over one sample, rad.
    pub angle: Lane,
    /// 1 − the factor by which the resting damper shortens w each sample.
    pub damp: Lane,
}

/// Sine and cosine of x in −π/2…π/2 to a few units of the last digit: Taylor series.
#[inline(always)]
fn sine_cosine(x: f32) -> (f32, f32) {
    let s = x * x;
    let sine = x
        * (1.0
            + s * (-1.0 / 6.0
                + s * (1.0 / 120.0
                    + s * (-1.0 / 5040.0 + s * (1.0 / 362_880.0 - s / 39_916_800.0)))));
    let cosine = 1.0
        + s * (-0.5
            + s * (1.0 / 24.0
                + s * (-1.0 / 720.0
                    + s * (1.0 / 40_320.0 + s * (-1.0 / 3_628_800.0 + s / 479_001_600.0)))));
    (sine, cosine)
}

/// The complex number of this angle (0…π) and the radius 1 − `shrink`, below 1 under any rounding.
#[inline(always)]
fn pole_of(angle: f32, shrink: f32) -> (f32, f32) {
    let (sine, cosine) = sine_cosine(0.5 * angle);
    let shrink = shrink.max(LEAST);
    let radius = 1.0 - shrink;
    (1.0 - (2.0 * radius * sine * sine + shrink), 2.0 * radius * sine * cosine)
}

kernels! {
    /// Sets the ringing poles for the share `rest` (0 clear … 1 resting) of the damper and for
    /// frequencies `ratio` times those in tune.
    set_ringing, set_ringing_body, set_ringing_avx2, set_ringing_avx512,
    (modes: &mut [ModeState], poles: &[Pole], rest: f32, ratio: f32)
}

#[inline(always)]
fn set_ringing_body(modes: &mut [ModeState], poles: &[Pole], rest: f32, ratio: f32) {
    for (mode, pole) in modes.iter_mut().zip(poles) {
        for l in 0..LANES {
            let angle = ratio * pole.angle[l];
            let loss = rest * pole.damp[l];
            let shrink = pole.shrink[l] + loss - pole.shrink[l] * loss;
            let (re, im) = pole_of(angle.min(PI), shrink);
            let is_in_band = angle < HIGHEST;
            mode.pole_re[l] = if is_in_band { re } else { 0.0 };
            mode.pole_im[l] = if is_in_band { im } else { 0.0 };
        }
    }
}

kernels! {
    /// Sets the poles of contact steps, `share` of a sample long.
    set_contact, set_contact_body, set_contact_avx2, set_contact_avx512,
    (couplings: &mut [ContactCoupling], poles: &[Pole], share: f32, ratio: f32)
}

#[inline(always)]
fn set_contact_body(couplings: &mut [ContactCoupling], poles: &[Pole], share: f32, ratio: f32) {
    for (coupling, pole) in couplings.iter_mut().zip(poles) {
        for l in 0..LANES {
            let angle = share * (ratio * pole.angle[l]);
            let (re, im) = pole_of(angle.min(PI), pole.step_shrink[l]);
            let is_in_band = angle < HIGHEST;
            coupling.pole_re[l] = if is_in_band { re } else { 0.0 };
            coupling.pole_im[l] = if is_in_band { im } else { 0.0 };
        }
    }
}

/// Response of a mode bent to `ratio` times its frequency to a constant force over one contact step,
/// `share` of a sample long, over the response in tune; `angle` is the mode's angle in tune over one
/// sample.
///
/// A force F on a mass m gives w = F (e^(iθ) − 1)/(m (iω)²): stretching a string does not change its mass.
/// Without this factor a bent string's inertia at the hammer would not match its mass.
#[must_use]
pub(crate) fn bent_blow(angle: f32, share: f32, ratio: f32) -> Complex64 {
    if ratio == 1.0 || angle <= 0.0 {
        return Complex64::ONE;
    }
    let bent = ratio * angle;
    if share * bent >= HIGHEST {
        return Complex64::ZERO;
    }
    let [half, bent] = [angle, bent].map(|angle| 0.5 * f64::from(share) * f64::from(angle));
    let size = libm::sin(bent) / (libm::sin(half) * square(f64::from(ratio)));
    polar(size, bent - half)
}

kernels! {
    /// Turns the responses to the bridge forward by each mode's angle over `lag` samples, so that a
    /// force that arrives so late meets the mode in the phase without delay.
    set_drives, set_drives_body, set_drives_avx2, set_drives_avx512,
    (drives: &mut [BridgeInput], pulls: &[BridgeInput], poles: &[Pole], ratio: f32, lag: f32)
}

#[inline(always)]
fn set_drives_body(
    drives: &mut [BridgeInput],
    pulls: &[BridgeInput],
    poles: &[Pole],
    ratio: f32,
    lag: f32,
) {
    for ((drive, pull), pole) in drives.iter_mut().zip(pulls).zip(poles) {
        for l in 0..LANES {
            let turns = ratio * pole.angle[l] * (lag / TAU);
            let (sine, cosine) = sine_cosine(PI * (turns - (turns + 0.5).floor()));
            let (im, re) = (2.0 * sine * cosine, 1.0 - 2.0 * sine * sine);
            drive.re[l] = re * pull.re[l] - im * pull.im[l];
            drive.im[l] = re * pull.im[l] + im * pull.re[l];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_core::math::cast::single;

    #[test]
    fn a_bent_pole_has_the_bent_frequency() {
        let angles: [f64; LANES] = std::array::from_fn(|l| 0.0036 * (0.438 * l as f64).exp());
        let mut pole = Pole { angle: angles.map(single), ..Pole::default() };
        pole.shrink = [1e-5; LANES];
        pole.damp = [1e-3; LANES];
        for ratio in [0.5, 0.94, 1.0, 1.06, 2.0] {
            let mut mode = [ModeState::default()];
            set_ringing(Kernel::detect(), &mut mode, &[pole], 0.5, single(ratio));
            for (l, angle) in angles.iter().enumerate() {
                let (re, im) = (f64::from(mode[0].pole_re[l]), f64::from(mode[0].pole_im[l]));
                let exact = ratio * angle;
                if exact > 0.97 * std::f64::consts::PI {
                    continue;
                }
                let found = im.atan2(re);
                let cents = 1200.0 * (found / exact).log2();
                assert!(cents.abs() < 2e-3, "{exact} rad: {cents} cents");
                let radius = re.hypot(im);
                let expected = (1.0 - 1e-5) * (1.0 - 0.5e-3);
                assert!((radius - expected).abs() < 4e-7, "{exact} rad: {radius}");
            }
        }
    }

    #[test]
    fn a_pull_is_turned_by_its_lag() {
        let pole = Pole { angle: [0.4; LANES], ..Pole::default() };
        let pull = BridgeInput { re: [1.0; LANES], im: [0.0; LANES] };
        let mut drive = [BridgeInput::default()];
        set_drives(Kernel::Plain, &mut drive, &[pull], &[pole], 1.01, 64.5);
        let exact: f64 = 0.4 * 1.01 * 64.5;
        assert!((f64::from(drive[0].re[3]) - exact.cos()).abs() < 1e-5);
        assert!((f64::from(drive[0].im[3]) - exact.sin()).abs() < 1e-5);
    }
}
