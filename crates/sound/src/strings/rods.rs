//! Steel rods of a toy piano, one for each key: clamped at one end, struck near it, and heard through the board to
//! which they are clamped.
//!
//! A rod of the length L, mass m and flexural rigidity EI has modes of the shape φ (βx) with βL = 1.875, 4.694, 7.855 … and
//! frequencies as β² [Fletcher 1998, § 2.16]. A blow F at x moves mode k by q̈ + 2 α q̇ + ω² q = F φ(x)/m, and the
//! mode acts on the clamp with EI φ‴(0) q = 2 σ m ω² q/(βL). Until they are struck, rods cost nothing. Audio thread, except
//! `new`.

use std::f64::consts::{PI, TAU};

use num_complex::{Complex32, Complex64};

use crate::strings::bank::BLOCK;
use crate::strings::bridge::{Place, ZONES};
use touchback_core::math::cast::single;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::complex::exp;

/// βL and σ of the modes.
const MODES: [(f64, f64); 6] = [
    (1.875_104, 0.734_096),
    (4.694_091, 1.018_467),
    (7.854_757, 0.999_224),
    (10.995_541, 1.000_034),
    (14.137_168, 0.999_999),
    (17.278_760, 1.0),
];

/// Place of the blow, as a share of the length from the clamp (chosen).
const STRUCK: f64 = 0.2;

/// Diameter of a rod, m (chosen), speed of longitudinal waves in steel, m/s, and its density, kg/m³.
const DIAMETER: f64 = 3.5e-3;
const WAVE_SPEED: f64 = 5050.0;
const DENSITY: f64 = 7850.0;

/// Loss to the board, 1/s, and quality of the steel (chosen: C4 falls by 60 dB in some 4 s).
const BOARD_LOSS: f64 = 1.0;
const QUALITY: f64 = 1000.0;

/// Additional loss under a damper, 1/s (chosen: that of a piano's middle octaves).
const DAMPED_LOSS: f64 = 40.0;

/// Time of the hammer at a rod of 262 Hz, s, which falls with the root of the frequency, and speed at which the hammer
/// leaves over that of its arrival (chosen: hard plastic on steel).
const CONTACT: f64 = 0.4e-3;
const RESTITUTION: f64 = 0.5;

/// Force on the clamp below which a rod ends, N: some −100 dBFS.
const GATE: f32 = 0.0125;

/// A mode: its displacement is the imaginary part of `state`.
#[derive(Clone, Copy, Debug, Default)]
struct Mode {
    state: Complex32,
    step: Complex32,
    /// Change of the state by a newton in a sample, and force on the clamp per metre, N/m.
    drive: f32,
    force: f32,
}

/// A rod.
#[derive(Clone, Copy, Debug)]
struct Rod {
    modes: [Mode; MODES.len()],
    place: Place,
    /// Half the largest force of the blow, N, its angle in the present sample, rad, and a sample's angle.
    blow: f64,
    angle: f64,
    turn: f64,
    is_ringing: bool,
}

/// All rods, at one sample rate.
pub(crate) struct Rods {
    rate: f64,
    rods: Vec<Rod>,
    /// Lift of each damper, 0…1: as set last, and in the present block.
    targets: [f64; KEYS],
    lifts: [f64; KEYS],
    /// Amplitude of each mode at the place of the blow.
    shapes: [f64; MODES.len()],
    ringing: usize,
}

impl Rods {
    /// Silent rods at `places`. Allocates.
    pub(crate) fn new(rate: f64, places: &[Place]) -> Self {
        let rod = |place: &Place| Rod {
            modes: [Mode::default(); MODES.len()],
            place: *place,
            blow: 0.0,
            angle: TAU,
            turn: 0.0,
            is_ringing: false,
        };
        let shapes = MODES.map(|(beta, sigma)| {
            let x = beta * STRUCK;
            libm::cosh(x) - libm::cos(x) - sigma * (libm::sinh(x) - libm::sin(x))
        });
        let rods = places.iter().map(rod).collect();
        Self { rate, rods, targets: [0.0; KEYS], lifts: [0.0; KEYS], shapes, ringing: 0 }
    }

    /// Silences everything, dampers at rest.
    pub(crate) fn reset(&mut self) {
        self.rods.iter_mut().for_each(Rod::silence);
        (self.targets, self.lifts, self.ringing) = ([0.0; KEYS], [0.0; KEYS], 0);
    }

    /// Whether no rod rings.
    pub(crate) const fn is_silent(&self) -> bool {
        self.ringing == 0
    }

    /// Sets the lift of the damper of `key`.
    pub(crate) fn damper(&mut self, key: KeyNumber, lift: f64) {
        self.targets[key.index()] = lift.clamp(0.0, 1.0);
    }

    /// A hammer of `mass` kg meets the rod of `key`, of `hz`, at `speed` m/s, `delay` samples from now.
    pub(crate) fn strike(&mut self, key: KeyNumber, hz: f64, mass: f64, speed: f64, delay: f64) {
        self.lifts[key.index()] = self.targets[key.index()];
        let rod = &mut self.rods[key.index()];
        // Radius of gyration a quarter of the diameter.
        let length = (MODES[0].0 * MODES[0].0 * 0.25 * DIAMETER * WAVE_SPEED / (TAU * hz)).sqrt();
        let rod_mass = DENSITY * 0.25 * PI * DIAMETER * DIAMETER * length;
        for (mode, ((beta, sigma), shape)) in
            rod.modes.iter_mut().zip(MODES.iter().zip(self.shapes))
        {
            let ratio = beta / MODES[0].0;
            let omega = TAU * hz * ratio * ratio;
            if omega > 0.45 * TAU * self.rate {
                (mode.drive, mode.force) = (0.0, 0.0);
                continue;
            }
            let loss = BOARD_LOSS + 0.5 * omega / QUALITY;
            let step = exp(Complex64::new(-loss, omega) / self.rate);
            mode.step = Complex32::new(single(step.re), single(step.im));
            mode.drive = single(shape / (rod_mass * omega * self.rate));
            mode.force = single(2.0 * sigma * rod_mass * omega * omega / beta);
        }
        let contact = (CONTACT * (262.0 / hz).sqrt()).max(1.0 / self.rate);
        rod.blow = (1.0 + RESTITUTION) * mass * speed / contact;
        rod.turn = TAU / (contact * self.rate);
        rod.angle = rod.turn * (1.0 - delay);
        self.ringing += usize::from(!std::mem::replace(&mut rod.is_ringing, true));
    }

    /// Control work at a block's beginning: dampers arrive, rods that have faded end.
    pub(crate) fn begin_block(&mut self) {
        self.lifts = self.targets;
        if self.is_silent() {
            return;
        }
        for rod in self.rods.iter_mut().filter(|rod| rod.is_ringing) {
            let force = |mode: &Mode| mode.force * (mode.state.re.abs() + mode.state.im.abs());
            let sum: f32 = rod.modes.iter().map(force).sum();
            if rod.angle >= TAU && (sum <= GATE || sum.is_nan()) {
                rod.silence();
                self.ringing -= 1;
            }
        }
    }

    /// Adds the next `len` samples of the forces on the board to its `inputs` from sample `at` on, N.
    pub(crate) fn process(&mut self, inputs: &mut [[f32; BLOCK]; ZONES], at: usize, len: usize) {
        for (rod, lift) in self.rods.iter_mut().zip(self.lifts).filter(|(rod, _)| rod.is_ringing) {
            let kept =
                if lift < 1.0 { libm::exp((lift - 1.0) * DAMPED_LOSS / self.rate) } else { 1.0 };
            let kept = single(kept);
            let Place { first, weights } = rod.place;
            let [near, far] = &mut inputs[first..first + 2] else { continue };
            for (near, far) in near[at..at + len].iter_mut().zip(&mut far[at..at + len]) {
                let force = rod.next(kept);
                *near += weights[0] * force;
                *far += weights[1] * force;
            }
        }
    }
}

impl Rod {
    fn silence(&mut self) {
        self.modes.iter_mut().for_each(|mode| mode.state = Complex32::ZERO);
        (self.angle, self.is_ringing) = (TAU, false);
    }

    /// Force on the clamp in the next sample, N; a damper leaves the share `kept` of the motion.
    fn next(&mut self, kept: f32) -> f32 {
        let blow = if self.angle < TAU { self.blow * (1.0 - libm::cos(self.angle)) } else { 0.0 };
        self.angle += self.turn;
        let blow = single(blow);
        let mut force = 0.0;
        for mode in &mut self.modes {
            mode.state = mode.step * (kept * mode.state + mode.drive * blow);
            force += mode.force * mode.state.im;
        }
        force
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strings::bridge;

    const RATE: f64 = 48_000.0;

    /// Force of a rod of 262 Hz in portions of `portion` samples; its damper falls after `held` samples.
    fn force(portion: usize, held: usize) -> Vec<f64> {
        let key = KeyNumber::from_index(39).unwrap();
        let places: Vec<Place> = KeyNumber::all().map(bridge::place).collect();
        let mut rods = Rods::new(RATE, &places);
        rods.damper(key, 1.0);
        rods.strike(key, 262.0, 3e-3, 2.0, 0.3);
        let Place { first, weights } = places[key.index()];
        let mut out = Vec::new();
        while !rods.is_silent() {
            if out.len() >= held {
                rods.damper(key, 0.0);
            }
            rods.begin_block();
            let mut inputs = [[0.0; BLOCK]; ZONES];
            (0..BLOCK / portion).for_each(|i| rods.process(&mut inputs, i * portion, portion));
            out.extend(inputs[first].iter().map(|x| f64::from(*x / weights[0])));
            assert!(out.len() < 40 * 48_000, "the rod rings on");
        }
        out
    }

    fn amplitude(part: &[f64], hz: f64) -> f64 {
        let n = part.len() as f64;
        let (mut re, mut im) = (0.0, 0.0);
        for (i, x) in part.iter().enumerate() {
            let window = 1.0 - (TAU * i as f64 / n).cos();
            re += window * x * (TAU * hz * i as f64 / RATE).cos();
            im += window * x * (TAU * hz * i as f64 / RATE).sin();
        }
        2.0 * re.hypot(im) / n
    }

    #[test]
    fn a_rod_has_the_partials_of_a_clamped_bar_and_dies_away() {
        let force = force(BLOCK, usize::MAX);
        let early = &force[2_000..14_000];
        let first = amplitude(early, 262.0);
        for ratio in [6.267, 17.547] {
            let [line, beside] = [1.0, 1.06].map(|off| amplitude(early, off * 262.0 * ratio));
            assert!(line > 0.1 * first && line > 20.0 * beside, "{ratio}: {line} of {first}");
        }
        // 60 dB: α = 1 + πf/1000.
        let late = amplitude(&force[50_000..62_000], 262.0);
        let alpha = (first / late).ln();
        assert!((alpha - 1.823).abs() < 0.02, "{alpha}/s");
    }

    #[test]
    fn a_damper_stops_a_rod_and_portions_do_not_change_it() {
        let [free, damped] = [usize::MAX, 9_600].map(|held| force(BLOCK, held).len());
        assert!(damped < 30_000 && free > 100_000, "{damped} of {free}");
        let [whole, parts] = [BLOCK, 1].map(|portion| force(portion, 9_600));
        assert!(whole.iter().zip(&parts).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
}
