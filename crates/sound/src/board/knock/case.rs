//! The case: key bed, rim and frame, which ring in modes of their own after a knock.
//!
//! The output of a mode under a force F is g ω ∫ F(t − s) e^{−σs} sin ωs ds. Audio thread.

use std::f64::consts::{PI, TAU};

use super::SOFTEST;
use touchback_core::math::cast::floor_index;

/// Frequency, Hz, and gain g of each mode. Frequencies: the modes of body and key bed
/// [Askenfelt 1994]. Gains and quality are fitted to the ringing of two recorded grands below 400 Hz
/// (`touchback lab recorded`).
const MODES: [(f64, f64); 3] = [(38.0, 3.75), (100.0, 0.43), (250.0, 0.3)];
const QUALITY: f64 = 12.0;

/// One mode of the case.
#[derive(Clone, Copy, Default, Debug)]
struct CaseMode {
    /// ∫ F e^{(iω − σ)s} ds, N·s.
    swing: [f64; 2],
    /// Factor on `swing` per sample.
    step: [f64; 2],
    /// g ω, 1/s.
    gain: f64,
}

/// The case of one piano.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    sample_rate: f64,
    modes: [CaseMode; MODES.len()],
    /// Samples until the force of all modes is below [`SOFTEST`]; the end does not depend on the blocks.
    left: usize,
}

impl Case {
    pub(super) fn new(sample_rate: f64) -> Self {
        let modes = MODES.map(|(hz, gain)| {
            let keep = libm::exp(-PI * hz / QUALITY / sample_rate);
            let (sin, cos) = libm::sincos(TAU * hz / sample_rate);
            CaseMode { swing: [0.0; 2], step: [keep * cos, keep * sin], gain: gain * TAU * hz }
        });
        Self { sample_rate, modes, left: 0 }
    }

    /// Sets all modes to rest.
    pub(super) fn clear(&mut self) {
        self.modes.iter_mut().for_each(|mode| mode.swing = [0.0; 2]);
        self.left = 0;
    }

    pub(super) const fn is_silent(&self) -> bool {
        self.left == 0
    }

    /// Announces a knock of at most `momentum` N·s within the next `samples`.
    pub(super) fn expect(&mut self, momentum: f64, samples: usize) {
        let most =
            |mode: &CaseMode| mode.gain * (libm::hypot(mode.swing[0], mode.swing[1]) + momentum);
        let force: f64 = self.modes.iter().map(most).sum();
        // The lowest mode rings longest.
        let decay = PI * MODES[0].0 / QUALITY / self.sample_rate;
        let rings = floor_index(libm::log(force / SOFTEST).max(0.0) / decay);
        self.left = self.left.max(samples + rings);
    }

    /// Force of the case, N, in one sample under `force` N.
    pub(super) fn next(&mut self, force: f64) -> f64 {
        if self.left == 0 {
            return 0.0;
        }
        let mut sum = 0.0;
        for CaseMode { swing, step, gain } in &mut self.modes {
            let [re, im] = *swing;
            let re = re + force / self.sample_rate;
            *swing = [re * step[0] - im * step[1], re * step[1] + im * step[0]];
            sum += *gain * swing[1];
        }
        self.left -= 1;
        if self.left == 0 {
            self.clear();
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_case_rings_in_its_modes_and_ends() {
        let rate = 48_000.0;
        let mut case = Case::new(rate);
        assert!(case.is_silent() && case.next(1.0) == 0.0);
        let momentum = 1e-3;
        case.expect(momentum, 1);
        let mut force = vec![case.next(momentum * rate)];
        while !case.is_silent() {
            force.push(case.next(0.0));
        }
        // All modes sound at first, the lowest alone later.
        let peak = force.iter().fold(0.0, |most: f64, f| most.max(f.abs()));
        let most: f64 = MODES.iter().map(|(hz, gain)| gain * TAU * hz * momentum).sum();
        assert!(peak < most && peak > 0.4 * most, "{peak} of {most}");
        let late = &force[floor_index(0.3 * rate)..];
        let rising = late.windows(2).filter(|w| w[0] < 0.0 && w[1] >= 0.0).count();
        let hz = rising as f64 / (late.len() as f64 / rate);
        assert!((hz / MODES[0].0 - 1.0).abs() < 0.1, "{hz} Hz");
        let last = &force[force.len() - 480..];
        assert!(last.iter().all(|f| f.abs() <= SOFTEST), "{last:?}");
    }
}
