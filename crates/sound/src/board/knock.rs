//! Knocks: forces of the mechanism on the case.
//!
//! A *push* is a body of effective mass m arriving at v: it leaves m v of momentum over the time its
//! felt or wood takes, F = m v · (1 − cos)/T. A *ring* is a part that bends and springs back: a
//! modal mass m moving at v acts on its support with F = m ω v e^{−σt} sin ωt. A share of the force
//! reaches the board through key bed, rails, rim and frame, which have modes of their own (`case`). The
//! board radiates the sound, and strings clear of their dampers resonate with it. Audio thread.

mod case;

use std::f64::consts::{PI, TAU};

use crate::strings::bank::{self, BLOCK};
use crate::strings::bridge::PATHS;
use case::Case;
use touchback_core::math::cast::{floor_index, single};
use touchback_core::math::kernel::Kernel;
use touchback_core::math::random;

/// Largest number of simultaneous knocks; a new one replaces the weakest.
const MOST: usize = 96;

/// Kind of a knock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Knock {
    /// Key front on the key bed.
    KeyBed,
    /// Key back on its rest felt.
    KeyRest,
    /// Hammer caught by the backcheck.
    Check,
    /// Damper landing.
    Damper,
    /// Jack against its felts, leaving the knuckle or coming back under it.
    Jack,
    /// A quarter of the damper tray with its load: landing, or meeting the dampers.
    Tray,
    /// The hammer's shank swaying about its flange after a blow.
    Sway,
    /// The hammer's shank ringing, bent in itself.
    Ring,
    /// A falling finger meeting its key: the lower of the key's two modes.
    Finger,
    /// A falling finger meeting its key: the higher of the key's two modes.
    FingerTop,
}

/// Shape of a knock's force over time.
#[derive(Clone, Copy, PartialEq, Debug)]
enum KnockShape {
    /// One raised-cosine pulse of this length, s.
    Push(f64),
    /// A decaying sine of this frequency, Hz, and quality [`SHANK_QUALITY`].
    Ring(f64),
}

/// Frequencies of the shank, Hz: swaying as a whole, and bending [Askenfelt 1991].
pub const SHANK_HZ: [f64; 2] = [50.0, 250.0];

/// Quality of both modes of the shank (chosen: maple between two felt bushings decays in some eight
/// periods).
pub(crate) const SHANK_QUALITY: f64 = 12.0;

/// Modes of a key under a falling finger, Hz; they decay in 20 to 30 ms [Askenfelt 1991].
const FINGER_HZ: [f64; 2] = [290.0, 445.0];

/// Largest random variation of a knock's level, dB, and duration, octaves (chosen: no two contacts of
/// felt and bushings are equal, and equal knocks sound mechanical).
const VARIATION: [f64; 2] = [1.5, 0.12];

/// Force below which a ring ends, N: some −120 dBFS.
const SOFTEST: f64 = 1e-3;

/// Shape, effective mass, kg, and share of the force that reaches the board. Durations: pulse spectra
/// must cover the measured knock bands near 40-900 Hz [Askenfelt 1994]; masses: key front about 0.1 kg,
/// hammer 9 g, damper 30 g with 17 to a quarter of the tray, jack 5 g. The shares of the knocks
/// of a blow are fitted to the spectrum below the fundamental in the first 0.1 s of recorded grands;
/// the tray's is chosen so that its fastest fall is some 45 dB under a mezzo-forte
/// C4. The shank's sway moves the head's whole mass, its bending a third of it.
const fn law(knock: Knock) -> (KnockShape, f64, f64) {
    match knock {
        Knock::KeyBed => (KnockShape::Push(1.5e-3), 0.1, 0.021),
        Knock::KeyRest => (KnockShape::Push(4.0e-3), 0.1, 0.0105),
        Knock::Check => (KnockShape::Push(2.0e-3), 0.009, 0.035),
        Knock::Damper => (KnockShape::Push(5.0e-3), 0.03, 0.035),
        Knock::Jack => (KnockShape::Push(1.5e-3), 0.005, 0.0105),
        Knock::Tray => (KnockShape::Push(8.0e-3), 0.5, 0.0005),
        Knock::Sway => (KnockShape::Ring(SHANK_HZ[0]), 0.009, 0.038),
        Knock::Ring => (KnockShape::Ring(SHANK_HZ[1]), 0.003, 0.05),
        Knock::Finger => (KnockShape::Ring(FINGER_HZ[0]), 0.01, 0.03),
        Knock::FingerTop => (KnockShape::Ring(FINGER_HZ[1]), 0.01, 0.015),
    }
}

/// Factor on the level of knock number `count`, and change of its duration, octaves.
fn variation(count: u64) -> (f64, f64) {
    let [db, octaves] = [0, 1].map(|i| VARIATION[i] * random::of_pair(count, i as u64));
    (libm::pow(10.0, db / 20.0), octaves)
}

/// A knock in progress: its force is `level` − Re z while z turns, and shrinks for a ring.
#[derive(Clone, Copy, Debug)]
struct ActiveKnock {
    /// Mean force, N.
    level: f64,
    /// Present z, N.
    turning: [f64; 2],
    /// Factor on z per sample.
    step: [f64; 2],
    /// Samples still to come; the end does not depend on the blocks.
    left: usize,
    zone: [f32; 2],
    first: usize,
    /// Shares of the force on the paths to the strings.
    paths: [f32; PATHS],
}

impl ActiveKnock {
    /// Force of the next sample, N.
    fn next(&mut self) -> f64 {
        let ([re, im], [cos, sin]) = (self.turning, self.step);
        self.turning = [re * cos - im * sin, re * sin + im * cos];
        self.level - self.turning[0]
    }

    /// Largest force still to come, to a factor √2, N.
    const fn force(&self) -> f64 {
        self.level + self.turning[0].abs().max(self.turning[1].abs())
    }
}

/// All knocks in progress, and the case that they excite.
pub struct Knocks {
    sample_rate: f64,
    active: Vec<ActiveKnock>,
    case: Case,
    /// Number of knocks since the reset, which seeds their variation.
    count: u64,
}

/// First of the two zones of the board that the case moves, and their weight: the middle of the rim.
const CASE_ZONE: (usize, f32) = (1, std::f32::consts::FRAC_1_SQRT_2);

/// Shares of the case's force on the paths to the strings.
const CASE_PATHS: [f32; PATHS] =
    [std::f32::consts::FRAC_1_SQRT_2, std::f32::consts::FRAC_1_SQRT_2, 0.0];

impl Knocks {
    /// No knocks.
    #[must_use]
    pub fn new(sample_rate: f64) -> Self {
        let (active, case) = (Vec::with_capacity(MOST), Case::new(sample_rate));
        Self { sample_rate, active, case, count: 0 }
    }

    /// Ends all knocks.
    pub fn reset(&mut self) {
        self.active.clear();
        self.count = 0;
        self.case.clear();
    }

    /// Whether no knock sounds.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.active.is_empty() && self.case.is_silent()
    }

    /// Begins a knock at the zone `first` and the next with the weights `zone`, at the impact speed `speed`
    /// m/s; its force reaches the strings by the shares `paths`.
    pub fn begin(
        &mut self,
        knock: Knock,
        speed: f64,
        scale: f64,
        first: usize,
        zone: [f32; 2],
        paths: [f32; PATHS],
    ) {
        let (shape, mass, share) = law(knock);
        let (louder, octaves) = variation(self.count);
        self.count += 1;
        let momentum = scale * share * mass * speed * louder;
        let rate = self.sample_rate;
        let (level, turning, hz, keep, samples) = match shape {
            KnockShape::Push(usual) => {
                let duration = usual * libm::exp2(octaves);
                let mean = momentum / duration;
                (mean, [mean, 0.0], 1.0 / duration, 1.0, duration * rate)
            }
            KnockShape::Ring(hz) => {
                let (force, decay) = (momentum * TAU * hz, PI * hz / SHANK_QUALITY / rate);
                (0.0, [0.0, force], hz, libm::exp(-decay), libm::log(force / SOFTEST) / decay)
            }
        };
        let (sin, cos) = libm::sincos(TAU * hz / rate);
        let step = [keep * cos, keep * sin];
        let new =
            ActiveKnock { level, turning, step, left: floor_index(samples), zone, first, paths };
        self.case.expect(momentum, new.left);
        if self.active.len() < MOST {
            self.active.push(new);
            return;
        }
        let (mut weakest, mut least) = (0, f64::INFINITY);
        for (i, force) in self.active.iter().map(ActiveKnock::force).enumerate() {
            if force < least {
                (weakest, least) = (i, force);
            }
        }
        if least < new.force() {
            self.active[weakest] = new;
        }
    }

    /// Adds the next `len` samples to the board's `inputs` from sample `at` on, and to the force
    /// on each path of the `bridge`.
    pub fn process(
        &mut self,
        kernel: Kernel,
        inputs: &mut [[f32; BLOCK]],
        bridge: &mut [[f32; BLOCK]; PATHS],
        at: usize,
        len: usize,
    ) {
        let mut pushed = [0.0; BLOCK];
        for knock in &mut self.active {
            let sounding = len.min(knock.left);
            knock.left -= sounding;
            let mut forces = [0.0f32; BLOCK];
            for (force, pushed) in forces.iter_mut().zip(&mut pushed).take(sounding) {
                let exact = knock.next();
                *force = single(exact);
                *pushed += exact;
            }
            let (part, forces) = (at..at + sounding, &forces[..sounding]);
            for (zone, share) in inputs[knock.first..].iter_mut().zip(knock.zone) {
                bank::add_scaled(kernel, &mut zone[part.clone()], share, forces);
            }
            for (path, share) in bridge.iter_mut().zip(knock.paths) {
                bank::add_scaled(kernel, &mut path[part.clone()], share, forces);
            }
        }
        if !self.case.is_silent() {
            let mut forces = [0.0f32; BLOCK];
            for (force, pushed) in forces.iter_mut().zip(pushed).take(len) {
                *force = single(self.case.next(pushed));
            }
            let (part, forces) = (at..at + len, &forces[..len]);
            let (first, weight) = CASE_ZONE;
            for zone in inputs[first..].iter_mut().take(2) {
                bank::add_scaled(kernel, &mut zone[part.clone()], weight, forces);
            }
            for (path, share) in bridge.iter_mut().zip(CASE_PATHS) {
                bank::add_scaled(kernel, &mut path[part.clone()], share, forces);
            }
        }
        self.active.retain(|knock| knock.left > 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Force of one knock in portions of `portion` samples, N.
    fn force(knock: Knock, speed: f64, portion: usize) -> Vec<f32> {
        let mut knocks = Knocks::new(48_000.0);
        knocks.begin(knock, speed, 1.0, 0, [1.0, 0.0], [0.8, 0.6, 0.5]);
        let mut force = Vec::new();
        while !knocks.active.is_empty() {
            let (mut inputs, mut bridge) = ([[0.0; BLOCK]; 3], [[0.0; BLOCK]; PATHS]);
            knocks.process(Kernel::detect(), &mut inputs, &mut bridge, 0, portion);
            for i in 0..BLOCK {
                let (own, by_case) = (inputs[0][i], inputs[1][i] / CASE_ZONE.1);
                for ((path, share), of_case) in bridge.iter().zip([0.8, 0.6, 0.5]).zip(CASE_PATHS) {
                    let expected = share * own + of_case * by_case;
                    assert!((path[i] - expected).abs() < 1e-6 * (1.0 + expected.abs()));
                }
            }
            force.extend_from_slice(&inputs[0][..portion]);
        }
        force
    }

    #[test]
    fn a_push_leaves_its_momentum() {
        for knock in [Knock::KeyBed, Knock::Jack, Knock::Tray] {
            let (_, mass, share) = law(knock);
            let sum: f64 = force(knock, 0.5, 64).iter().map(|f| f64::from(*f)).sum();
            let (louder, _) = variation(0);
            let momentum = sum / 48_000.0 / (mass * share * 0.5 * louder);
            assert!((momentum - 1.0).abs() < 0.02, "{knock:?}: {momentum}");
        }
    }

    #[test]
    fn knocks_vary_and_are_the_same_after_a_reset() {
        let mut knocks = Knocks::new(48_000.0);
        let mut next = || {
            knocks.begin(Knock::KeyBed, 0.5, 1.0, 0, [1.0, 0.0], [0.5; PATHS]);
            knocks.active.pop().map(|knock| (knock.level, knock.left))
        };
        let [first, second, third] = std::array::from_fn(|_| next());
        assert!(first != second && second != third && first != third);
        knocks.reset();
        knocks.begin(Knock::KeyBed, 0.5, 1.0, 0, [1.0, 0.0], [0.5; PATHS]);
        assert_eq!(knocks.active.pop().map(|knock| (knock.level, knock.left)), first);
        for count in 0..1000 {
            let (louder, octaves) = variation(count);
            assert!((0.84..1.19).contains(&louder) && octaves.abs() <= VARIATION[1]);
        }
    }

    #[test]
    fn a_ring_has_its_pitch_and_decays() {
        let ring = force(Knock::Ring, 2.0, 64);
        let rising = ring.windows(2).filter(|w| w[0] < 0.0 && w[1] >= 0.0).count();
        let seconds = ring.len() as f64 / 48_000.0;
        assert!(
            (rising as f64 / seconds / SHANK_HZ[1] - 1.0).abs() < 0.05,
            "{rising} in {seconds}"
        );
        let peak = |part: &[f32]| part.iter().fold(0.0f32, |m, f| m.max(f.abs()));
        // Quality Q: e^−π a period over Q.
        let period = 192;
        let fall = f64::from(peak(&ring[period..2 * period]) / peak(&ring[..period]));
        assert!((fall - (-PI / SHANK_QUALITY).exp()).abs() < 0.01, "{fall}");
    }

    #[test]
    fn the_size_of_portions_does_not_change_the_force() {
        for knock in [Knock::Check, Knock::Sway] {
            let (whole, parts) = (force(knock, 1.0, 64), force(knock, 1.0, 1));
            assert!(whole.iter().zip(&parts).all(|(a, b)| a.to_bits() == b.to_bits()));
            // The end does not depend on the portion.
            assert!(whole[parts.len()..].iter().all(|force| *force == 0.0), "{knock:?}");
        }
    }
}
