//! The strings of one note that others set moving through the bridge, at a slower sample rate.
//!
//! What a string was struck with rings beside this: their motions add.

use super::share;
use crate::bank::{self, BridgeInput, LANES, ModeState};
use crate::poles::{self, Pole};
use crate::slow_rate::SlowRate;
use touchback_core::math::cast::single;
use touchback_core::math::kernel::Kernel;
use touchback_core::math::power::square;

/// Highest partial that resounds with other notes, Hz: above, the driving strings decay before it
/// has built up. Strings without dampers, near which the blow itself shakes the bridge, resound with
/// all their fundamentals.
pub const HIGHEST_HZ: f64 = 2_200.0;
pub const HIGHEST_TOP_HZ: f64 = 4_500.0;

/// Modes below [`HIGHEST_HZ`] or [`HIGHEST_TOP_HZ`], all that the bridge drives.
pub struct Resonance {
    kernel: Kernel,
    modes: Vec<ModeState>,
    poles: Vec<Pole>,
    /// What a force on the bridge does to the modes at once, and when it arrives here.
    pulls: Vec<BridgeInput>,
    drives: Vec<BridgeInput>,
    /// Samples to a slow sample, and slow samples from a force to its effect here.
    factor: f64,
    lag: f32,
    /// Leading groups of lanes that still ring.
    active: usize,
}

/// One mode as the voicing has it, of the full sample rate's numbers.
pub struct Resonating {
    /// Real part of the pole times the sample's length, and its angle over a sample, rad.
    pub decay: f64,
    pub angle: f64,
    /// What the resting damper adds to the decay.
    pub damp: f64,
    /// Force on the bridge per Re w, N/m.
    pub bridge: f32,
    /// w per force on the bridge, m/N, real and imaginary part.
    pub pull: (f32, f32),
}

impl Resonance {
    /// Room for `modes` modes, all silent.
    pub fn new(modes: usize, rate: &SlowRate, kernel: Kernel) -> Self {
        let groups = modes.div_ceil(LANES);
        Self {
            kernel,
            modes: vec![ModeState::default(); groups],
            poles: vec![Pole::default(); groups],
            pulls: vec![BridgeInput::default(); groups],
            drives: vec![BridgeInput::default(); groups],
            factor: rate.factor() as f64,
            lag: rate.lag() as f32 / rate.factor() as f32,
            active: 0,
        }
    }

    /// Takes over one mode of a new settings.
    pub fn set(&mut self, index: usize, mode: &Resonating) {
        let (c, l) = (index / LANES, index % LANES);
        let pole = &mut self.poles[c];
        pole.shrink[l] = single(-libm::expm1(mode.decay * self.factor));
        pole.angle[l] = single(mode.angle * self.factor);
        pole.damp[l] = single(-libm::expm1(-mode.damp * self.factor));
        self.modes[c].bridge[l] = mode.bridge;
        (self.pulls[c].re[l], self.pulls[c].im[l]) = mode.pull;
    }

    /// Shows the poles bent to `ratio` under the share `rest` of the damper.
    pub fn apply_poles(&mut self, rest: f32, ratio: f32) {
        poles::set_ringing(self.kernel, &mut self.modes, &self.poles, rest, ratio);
        poles::set_drives(self.kernel, &mut self.drives, &self.pulls, &self.poles, ratio, self.lag);
    }

    /// Silences all modes.
    pub fn reset(&mut self) {
        bank::clear(&mut self.modes);
        self.active = 0;
    }

    /// The bridge begins to move: all modes answer.
    pub const fn wake(&mut self) {
        self.active = self.modes.len();
    }

    /// Some mode rings or is set moving.
    pub const fn is_awake(&self) -> bool {
        self.active > 0
    }

    /// Groups of lanes below `gate` N fall silent, all but those that are still `driven`.
    pub fn look(&mut self, gate: f32, driven: bool) {
        bank::flush_denormals(&mut self.modes[..self.active]);
        while self.active > 0 && !driven {
            let last = self.active - 1..self.active;
            if bank::level(&self.modes[last.clone()]) >= square(share(self.active) * gate) {
                break;
            }
            bank::clear(&mut self.modes[last]);
            self.active -= 1;
        }
    }

    /// Adds the force on the bridge over the next slow samples, N, while `bridge` is the force of
    /// the struck strings on it; `None` where they cannot reach these.
    pub fn process(&mut self, bridge: Option<&[f32]>, out: &mut [f32]) {
        let rings = &mut self.modes[..self.active];
        match bridge {
            Some(bridge) => bank::resound(self.kernel, rings, &self.drives, bridge, out),
            None => bank::ring(self.kernel, rings, out),
        }
    }
}
