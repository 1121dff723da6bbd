//! Modes under a hammer: contact steps, and the displacement under the hammer.
#![allow(
    clippy::needless_range_loop,
    reason = "one lane index over several arrays is what becomes a register"
)]

use super::{ContactCoupling, LANES, ModeState, kernels, total, turned};
use touchback_core::math::kernel::Kernel;
use touchback_core::math::power::square;

kernels! {
    /// Adds the effect of a constant `force` over the contact step before, then advances the modes by one
    /// contact step. Returns the displacement under the hammer, m.
    advance, advance_body, advance_avx2, advance_avx512, (modes: &mut [ModeState], coupling: &[ContactCoupling], force: f32) -> f32
}

#[inline(always)]
fn advance_body(modes: &mut [ModeState], coupling: &[ContactCoupling], force: f32) -> f32 {
    let mut sum = [0.0; LANES];
    for (mode, coupling) in modes.iter_mut().zip(coupling) {
        for l in 0..LANES {
            let re = mode.re[l] + coupling.push_re[l] * force;
            let im = mode.im[l] + coupling.push_im[l] * force;
            (mode.re[l], mode.im[l]) = turned(re, im, coupling.pole_re[l], coupling.pole_im[l]);
            sum[l] += coupling.shape[l] * mode.re[l];
        }
    }
    total(&sum)
}

kernels! {
    /// Adds the effect of a constant `force` over the contact step before, which ends the sample. Returns
    /// the force on the bridge, N.
    end_contact, end_contact_body, end_contact_avx2, end_contact_avx512,
    (modes: &mut [ModeState], coupling: &[ContactCoupling], force: f32) -> f32
}

#[inline(always)]
fn end_contact_body(modes: &mut [ModeState], coupling: &[ContactCoupling], force: f32) -> f32 {
    let mut sum = [0.0; LANES];
    for (mode, coupling) in modes.iter_mut().zip(coupling) {
        for l in 0..LANES {
            mode.re[l] += coupling.push_re[l] * force;
            mode.im[l] += coupling.push_im[l] * force;
            sum[l] += mode.bridge[l] * mode.re[l];
        }
    }
    total(&sum)
}

kernels! {
    /// Advances free modes by one sample. Returns the force on the bridge, N, and the displacement under
    /// the hammer, m.
    coast, coast_body, coast_avx2, coast_avx512, (modes: &mut [ModeState], coupling: &[ContactCoupling]) -> (f32, f32)
}

#[inline(always)]
fn coast_body(modes: &mut [ModeState], coupling: &[ContactCoupling]) -> (f32, f32) {
    let (mut force, mut displacement) = ([0.0; LANES], [0.0; LANES]);
    for (mode, coupling) in modes.iter_mut().zip(coupling) {
        for l in 0..LANES {
            (mode.re[l], mode.im[l]) =
                turned(mode.re[l], mode.im[l], mode.pole_re[l], mode.pole_im[l]);
            force[l] += mode.bridge[l] * mode.re[l];
            displacement[l] += coupling.shape[l] * mode.re[l];
        }
    }
    (total(&force), total(&displacement))
}

/// Displacement under the hammer, m.
#[must_use]
pub fn displacement(modes: &[ModeState], coupling: &[ContactCoupling]) -> f32 {
    let mut sum = [0.0; LANES];
    for (mode, coupling) in modes.iter().zip(coupling) {
        for l in 0..LANES {
            sum[l] += coupling.shape[l] * mode.re[l];
        }
    }
    total(&sum)
}

/// Largest displacement under the hammer that the free modes can reach, m.
#[must_use]
pub fn reach(modes: &[ModeState], coupling: &[ContactCoupling]) -> f32 {
    let mut sum = [0.0; LANES];
    for (mode, coupling) in modes.iter().zip(coupling) {
        for l in 0..LANES {
            sum[l] += coupling.shape[l].abs() * (square(mode.re[l]) + square(mode.im[l])).sqrt();
        }
    }
    total(&sum)
}
