//! Free modes, and modes driven by a force on the bridge.
#![allow(
    clippy::needless_range_loop,
    reason = "one lane index over several arrays is what becomes a register"
)]

use super::{BridgeInput, LANES, Lane, ModeState, kernels, totals, turned};
use touchback_core::math::kernel::Kernel;

/// Samples whose sums are buffered, and those of a block at a slow sample rate: sums that are not needed take time to
/// clear.
const PART: usize = 32;
const SHORT: usize = 16;

/// Advances modes by `out.len()` samples and adds their force on the bridge, N.
pub fn ring(kernel: Kernel, modes: &mut [ModeState], out: &mut [f32]) {
    match out.len() {
        _ if modes.is_empty() => {}
        ..=SHORT => ring_part::<SHORT>(kernel, modes, out),
        _ => out.chunks_mut(PART).for_each(|out| ring_part::<PART>(kernel, modes, out)),
    }
}

fn ring_part<const N: usize>(kernel: Kernel, modes: &mut [ModeState], out: &mut [f32]) {
    let mut sums = [[0.0; LANES]; N];
    let sums = &mut sums[..out.len()];
    ring_lanes(kernel, modes, sums);
    totals::add(kernel, sums, out);
}

/// Like [`ring`], driven by the force of other strings on the bridge, sample by sample.
pub(crate) fn resound(
    kernel: Kernel,
    modes: &mut [ModeState],
    drives: &[BridgeInput],
    input: &[f32],
    out: &mut [f32],
) {
    if modes.is_empty() {
        return;
    }
    for (out, input) in out.chunks_mut(SHORT).zip(input.chunks(SHORT)) {
        let mut sums = [[0.0; LANES]; SHORT];
        let sums = &mut sums[..out.len()];
        resound_lanes(kernel, modes, drives, input, sums);
        totals::add(kernel, sums, out);
    }
}

kernels! {
    /// Adds the modes' forces over the next `sums.len()` samples lane by lane.
    ring_lanes, [ring_in_turn::<2>, ring_in_turn::<2>, ring_in_turn::<4>], ring_avx2, ring_avx512,
    (modes: &mut [ModeState], sums: &mut [Lane])
}

/// `N` groups of lanes at a time, as the registers hold them: a single group would wait for its own
/// result of the sample before.
#[inline(always)]
fn ring_in_turn<const N: usize>(modes: &mut [ModeState], sums: &mut [Lane]) {
    let (several, single) = modes.as_chunks_mut::<N>();
    several.iter_mut().for_each(|groups| ring_groups(groups, sums));
    single.iter_mut().for_each(|group| ring_groups(std::array::from_mut(group), sums));
}

#[inline(always)]
fn ring_groups<const N: usize>(modes: &mut [ModeState; N], sums: &mut [Lane]) {
    let (mut re, mut im) = (modes.each_ref().map(|m| m.re), modes.each_ref().map(|m| m.im));
    for sum in sums {
        for l in 0..LANES {
            for (g, m) in modes.iter().enumerate() {
                (re[g][l], im[g][l]) = turned(re[g][l], im[g][l], m.pole_re[l], m.pole_im[l]);
                sum[l] += m.bridge[l] * re[g][l];
            }
        }
    }
    for (g, m) in modes.iter_mut().enumerate() {
        (m.re, m.im) = (re[g], im[g]);
    }
}

kernels! {
    /// Like [`ring_lanes`], driven by `input`.
    resound_lanes, [resound_in_turn::<2>, resound_in_turn::<2>, resound_in_turn::<4>], resound_avx2, resound_avx512,
    (modes: &mut [ModeState], drives: &[BridgeInput], input: &[f32], sums: &mut [Lane])
}

#[inline(always)]
fn resound_in_turn<const N: usize>(
    modes: &mut [ModeState],
    drives: &[BridgeInput],
    input: &[f32],
    sums: &mut [Lane],
) {
    let (several_drives, single_drives) = drives[..modes.len()].as_chunks::<N>();
    let (several, single) = modes.as_chunks_mut::<N>();
    for (groups, drives) in several.iter_mut().zip(several_drives) {
        resound_groups(groups, drives, input, sums);
    }
    for (group, drive) in single.iter_mut().zip(single_drives) {
        resound_groups(std::array::from_mut(group), std::array::from_ref(drive), input, sums);
    }
}

#[inline(always)]
fn resound_groups<const N: usize>(
    modes: &mut [ModeState; N],
    drives: &[BridgeInput; N],
    input: &[f32],
    sums: &mut [Lane],
) {
    let (mut re, mut im) = (modes.each_ref().map(|m| m.re), modes.each_ref().map(|m| m.im));
    for (sum, &force) in sums.iter_mut().zip(input) {
        for l in 0..LANES {
            for (g, (m, drive)) in modes.iter().zip(drives).enumerate() {
                (re[g][l], im[g][l]) = turned(re[g][l], im[g][l], m.pole_re[l], m.pole_im[l]);
                re[g][l] += drive.re[l] * force;
                im[g][l] += drive.im[l] * force;
                sum[l] += m.bridge[l] * re[g][l];
            }
        }
    }
    for (g, m) in modes.iter_mut().enumerate() {
        (m.re, m.im) = (re[g], im[g]);
    }
}
