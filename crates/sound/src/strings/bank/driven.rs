//! Modes that a force on one input drives and whose force reaches two zones of the board. Audio thread, except
//! `new`.

use std::f32::consts::FRAC_1_SQRT_2;
use std::f64::consts::TAU;
use std::ops::Range;

use num_complex::Complex64;

use super::{BLOCK, BridgeInput, LANES, ModeState};
use crate::strings::bridge::ZONES;
use touchback_core::math::cast::single;
use touchback_core::math::complex;
use touchback_core::math::kernel::Kernel;
use touchback_core::math::power::square;

/// Blocks in which what is below the gate fades out, about half a second: an end at once is 10 dB in a block.
const FADE: u16 = 400;

/// One mode.
#[derive(Clone, Copy, Debug)]
pub struct DrivenMode {
    /// Frequency, Hz.
    pub hz: f64,
    /// Decay rate, 1/s.
    pub sigma: f64,
    /// Change of the mode's complex state per force in one sample.
    pub drive: Complex64,
    /// Sign of its force on the board.
    pub sign: f32,
}

/// Modes of one input; all of them are at rest at first.
#[derive(Debug)]
pub struct DrivenModes {
    kernel: Kernel,
    modes: Vec<ModeState>,
    drives: Vec<BridgeInput>,
    /// Zones of the bridges between which the modes move the board.
    zones: Range<usize>,
    /// Blocks left until the modes rest: [`FADE`] of them while one is above the gate, 0 at rest.
    awake: u16,
}

impl DrivenModes {
    /// The modes `each` at `sample_rate` Hz; those that the rate cannot carry are left out. Allocates.
    #[must_use]
    pub fn new(
        sample_rate: f64,
        kernel: Kernel,
        zones: Range<usize>,
        each: impl ExactSizeIterator<Item = DrivenMode>,
    ) -> Self {
        let groups = each.len().div_ceil(LANES);
        let (mut modes, mut drives) =
            (vec![ModeState::default(); groups], vec![BridgeInput::default(); groups]);
        for (i, DrivenMode { hz, sigma, drive, sign }) in each.enumerate() {
            if hz > 0.45 * sample_rate {
                continue;
            }
            let pole = complex::exp(Complex64::new(-sigma, TAU * hz) / sample_rate);
            let (group, lane) = (i / LANES, i % LANES);
            let mode = &mut modes[group];
            (mode.pole_re[lane], mode.pole_im[lane]) = (single(pole.re), single(pole.im));
            mode.bridge[lane] = sign;
            (drives[group].re[lane], drives[group].im[lane]) = (single(drive.re), single(drive.im));
        }
        Self { kernel, modes, drives, zones, awake: 0 }
    }

    /// Sets all modes to rest.
    pub fn reset(&mut self) {
        super::clear(&mut self.modes);
        self.awake = 0;
    }

    /// Fades a block of `force` towards rest.
    fn fade(&mut self, force: &mut [f32; BLOCK]) {
        let step = 1.0 / (f32::from(FADE) * BLOCK as f32);
        let from = f32::from(self.awake) / f32::from(FADE);
        force.iter_mut().enumerate().for_each(|(i, x)| *x *= from - step * i as f32);
        self.awake -= 1;
        if self.awake == 0 {
            self.reset();
        }
    }

    /// Whether no mode moves.
    #[must_use]
    pub const fn is_silent(&self) -> bool {
        self.awake == 0
    }

    /// Advances by a block under the force `input`, N; adds the force on the board, N, to its `inputs`. Modes
    /// below `gate` N fade out and rest.
    pub fn process(&mut self, input: &[f32; BLOCK], gate: f32, inputs: &mut [[f32; BLOCK]; ZONES]) {
        let mut force = [0.0; BLOCK];
        if input.iter().any(|x| *x != 0.0) {
            self.awake = FADE;
            super::resound(self.kernel, &mut self.modes, &self.drives, input, &mut force);
        } else if self.awake > 0 {
            super::flush_denormals(&mut self.modes);
            super::ring(self.kernel, &mut self.modes, &mut force);
            if self.awake < FADE || super::level(&self.modes) < square(gate) {
                self.fade(&mut force);
            }
        } else {
            return;
        }
        for zone in &mut inputs[self.zones.clone()] {
            zone.iter_mut().zip(&force).for_each(|(sum, x)| *sum += FRAC_1_SQRT_2 * x);
        }
    }
}
