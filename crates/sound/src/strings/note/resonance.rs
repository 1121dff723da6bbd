//! The strings of one note as other notes drive them through the bridge, at a slower sample rate.
//!
//! The motion after a strike of the note itself is a state of its own; both motions add.

use num_complex::Complex64;

use super::ringing::gate_ratio;
use crate::signal::slow_rate::SlowRate;
use crate::strings::bank::{self, BridgeInput, LANES, ModeState};
use crate::strings::bridge_delay::BridgeDelay;
use crate::strings::poles::{self, Pole};
use touchback_core::math::cast::single;
use touchback_core::math::kernel::Kernel;
use touchback_core::math::power::square;

/// Highest partial that resonates with other notes, Hz: above, the driving strings decay before the
/// resonance has built up.
pub const HIGHEST_HZ: f64 = 2_200.0;
/// [`HIGHEST_HZ`] of strings without dampers: the blow itself moves the bridge near them, and all their
/// fundamentals resonate.
pub(crate) const HIGHEST_TOP_HZ: f64 = 4_500.0;

/// Modes below [`HIGHEST_HZ`] or [`HIGHEST_TOP_HZ`], all that the bridge drives.
pub struct Resonance {
    kernel: Kernel,
    modes: Vec<ModeState>,
    poles: Vec<Pole>,
    /// Response of the modes to a force on the bridge without delay.
    pulls: Vec<BridgeInput>,
    /// `pulls` turned forward by `lag`.
    drives: Vec<BridgeInput>,
    /// Samples per slow sample.
    factor: f64,
    /// Slow samples from a force to its effect here.
    lag: f32,
    /// Leading groups of lanes that still ring.
    active: usize,
    /// Leading groups of lanes that the bridge drives: now, and under economy.
    driven: usize,
    economical: usize,
    /// Force of the strings on the bridge on its way to other strings; `None` where it drives none.
    sent: Option<BridgeDelay>,
}

/// One mode in numbers of the full sample rate.
pub struct Resonating {
    /// Real part of the pole times the sample's length.
    pub decay: f64,
    /// Angle of the pole over a sample, rad.
    pub angle: f64,
    /// Addition of the resting damper to the decay.
    pub damp: f64,
    /// Force on the bridge per Re w, N/m.
    pub bridge: f32,
    /// w per force on the bridge, m/N.
    pub pull: Complex64,
}

impl Resonance {
    /// Silent, with space for `modes` modes, of which the first `few` are driven under economy; `is_mutual`
    /// strings drive others too.
    pub fn new(modes: usize, few: usize, is_mutual: bool, rate: &SlowRate, kernel: Kernel) -> Self {
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
            driven: groups,
            economical: few.div_ceil(LANES).min(groups),
            sent: is_mutual.then(|| BridgeDelay::new(rate)),
        }
    }

    /// Economy: only the lowest modes are driven; the others go on ringing.
    pub(crate) const fn economize(&mut self, is_on: bool) {
        self.driven = if is_on { self.economical } else { self.modes.len() };
    }

    /// Sets one mode.
    pub fn set(&mut self, index: usize, mode: &Resonating) {
        let (c, l) = (index / LANES, index % LANES);
        let pole = &mut self.poles[c];
        pole.shrink[l] = single(-libm::expm1(mode.decay * self.factor));
        pole.angle[l] = single(mode.angle * self.factor);
        pole.damp[l] = single(-libm::expm1(-mode.damp * self.factor));
        self.modes[c].bridge[l] = mode.bridge;
        let pull = &mut self.pulls[c];
        (pull.re[l], pull.im[l]) = (single(mode.pull.re), single(mode.pull.im));
    }

    /// Applies the pitch ratio `ratio` and the share `rest` of the resting damper to the poles.
    pub(crate) fn apply_poles(&mut self, rest: f32, ratio: f32) {
        poles::set_ringing(self.kernel, &mut self.modes, &self.poles, rest, ratio);
        poles::set_drives(self.kernel, &mut self.drives, &self.pulls, &self.poles, ratio, self.lag);
    }

    /// Silences all modes.
    pub fn reset(&mut self) {
        bank::clear(&mut self.modes);
        self.active = 0;
    }

    /// The bridge begins to move: all modes that it drives are simulated.
    pub fn wake(&mut self) {
        if !self.is_awake()
            && let Some(sent) = &mut self.sent
        {
            sent.reset();
        }
        self.active = self.active.max(self.driven);
    }

    /// Force of the strings on the bridge on its way to other strings; `None` while they are silent or where
    /// it drives none.
    pub fn sent(&self) -> Option<&BridgeDelay> {
        self.sent.as_ref().filter(|_| self.is_awake())
    }

    /// Whether a mode rings or is driven.
    pub const fn is_awake(&self) -> bool {
        self.active > 0
    }

    /// Silences groups of lanes below `gate` N, unless they are still `driven`.
    pub(crate) fn silence_below(&mut self, gate: f32, driven: bool) {
        bank::flush_denormals(&mut self.modes[..self.active]);
        while self.active > 0 && !(driven && self.active <= self.driven) {
            let last = self.active - 1..self.active;
            if bank::level(&self.modes[last.clone()]) >= square(gate_ratio(self.active) * gate) {
                break;
            }
            bank::clear(&mut self.modes[last]);
            self.active -= 1;
        }
    }

    /// Adds the force on the bridge over the next slow samples, N. `bridge`: force of other
    /// strings on the bridge, N; `None` where it does not reach these strings.
    pub fn process(&mut self, bridge: Option<&[f32]>, out: &mut [f32]) {
        let modes = &mut self.modes[..self.active];
        match bridge {
            Some(bridge) => {
                let (driven, free) = modes.split_at_mut(self.driven.min(modes.len()));
                bank::resound(self.kernel, driven, &self.drives, bridge, out);
                bank::ring(self.kernel, free, out);
            }
            None => bank::ring(self.kernel, modes, out),
        }
        if let Some(sent) = &mut self.sent {
            sent.begin();
            sent.add(1.0, out);
        }
    }
}
