//! The strings' vibration, fed back to a felt key: off unless it is asked for.
//!
//! Keys of grands move with their strings by at most 80 µm, most of it below 500 Hz [Flückiger 2018];
//! players feel it up to D5 and prefer an instrument that has it [Fontana 2017]. Here, after a strike of
//! v m/s, with the partials n·f below 500 Hz,
//!
//! ```text
//! x(t) = Σ aₙ·e^(−t/τ)·sin(2π·n·f·t),   Σ aₙ = 80 µm·min(1, v/5)·2^(−o/2),   aₙ ∝ 1/n
//! F(t) = m·Σ (2π·n·f)²·xₙ,   at most 1 N
//! ```
//!
//! o octaves above A0, m the keyboard's own moving mass; the fall over the compass, 1/n and τ = 1.5 s are
//! chosen. What it adds is not passive, but bounded: it ends with the damper and is inside every limit.
//! It enters the command alone; what comes of it comes back as a wave and is in the log like any other.

use touchback_action::{KeyEvent, STEP};
use touchback_core::math::compass::KeyNumber;

/// Largest displacement, m.
const WAY: f64 = 80e-6;
/// Strike that makes it, m/s.
const HARDEST: f64 = 5.0;
/// Partials lie below, Hz.
const TOP: f64 = 500.0;
/// Decay, s: of the strings, and under the damper.
const DECAY: [f64; 2] = [1.5, 0.05];
/// Largest force, N.
const FORCE: f64 = 1.0;
/// Displacement below which it has ended, m.
const ENDED: f64 = 0.1e-6;

/// What one key's strings do to it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct StringVibration {
    /// Time since the strike, s.
    time: f64,
    /// Sum of the amplitudes now, m.
    way: f64,
    is_damped: bool,
}

impl StringVibration {
    /// Something happened to `key`.
    pub fn hear(&mut self, key: KeyNumber, event: KeyEvent) {
        match event {
            KeyEvent::Strike { speed } => {
                let octaves = f64::from(key.number() - 1) / 12.0;
                let way = WAY * (speed / HARDEST).clamp(0.0, 1.0) * libm::exp2(-0.5 * octaves);
                *self = Self { time: 0.0, way, is_damped: false };
            }
            KeyEvent::DamperFall { .. } => self.is_damped = true,
            _ => {}
        }
    }

    /// Nothing vibrates.
    pub const fn end(&mut self) {
        self.way = 0.0;
    }

    /// Goes on by `steps`; the force, N, on a key of `mass` kg.
    pub fn force(&mut self, key: KeyNumber, mass: f64, steps: u64) -> f64 {
        if self.way < ENDED {
            self.way = 0.0;
            return 0.0;
        }
        let passed = super::seconds(steps).max(STEP);
        self.time += passed;
        self.way *= libm::exp(-passed / DECAY[usize::from(self.is_damped)]);
        let pitch = 440.0 * libm::exp2(f64::from(key.number()) / 12.0 - 49.0 / 12.0);
        let (mut sum, mut shares) = (0.0, 0.0);
        for n in 1..=18u32 {
            let n = f64::from(n);
            if n * pitch >= TOP {
                break;
            }
            let w = std::f64::consts::TAU * n * pitch;
            shares += 1.0 / n;
            sum += w * w * libm::sin(w * self.time) / n;
        }
        if shares == 0.0 {
            return 0.0;
        }
        (mass * self.way * sum / shares).clamp(-FORCE, FORCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_bounded_dies_away_and_is_damped() {
        let bass = KeyNumber::from_midi(33).unwrap();
        let run = |speed: f64, damped: bool| {
            let mut strings = StringVibration::default();
            assert_eq!(strings.force(bass, 0.05, 8), 0.0);
            strings.hear(bass, KeyEvent::Strike { speed });
            let first: f64 =
                (0..100).map(|_| strings.force(bass, 0.05, 8).abs()).fold(0.0, f64::max);
            if damped {
                strings.hear(bass, KeyEvent::DamperFall { speed: 0.1 });
            }
            (0..400).for_each(|_| _ = strings.force(bass, 0.05, 8));
            let last: f64 =
                (0..100).map(|_| strings.force(bass, 0.05, 8).abs()).fold(0.0, f64::max);
            (first, last)
        };
        let ((soft, _), (hard, later), (_, damped)) =
            (run(0.5, false), run(50.0, false), run(5.0, true));
        assert!(soft > 0.01 && soft < hard && hard <= FORCE, "{soft} {hard}");
        assert!(later > 0.1 * hard && later <= hard && damped < 0.01 * hard, "{later} {damped}");
        // The fundamental of C8 lies above what a hand feels.
        let mut top = StringVibration::default();
        let key = KeyNumber::from_midi(108).unwrap();
        top.hear(key, KeyEvent::Strike { speed: 5.0 });
        assert_eq!(top.force(key, 0.05, 8), 0.0);
    }
    /// The law at the head of this file, written out, for keys and strikes all over the compass.
    #[test]
    fn the_force_is_the_documented_sum_of_partials() {
        let mass = 1e-3;
        for key in [1u8, 2, 13, 28, 52, 88] {
            let f = 27.5 * (f64::from(key - 1) / 12.0).exp2();
            let partials: Vec<f64> =
                (1..=18u8).map(f64::from).take_while(|n| n * f < 500.0).collect();
            let whole: f64 = partials.iter().map(|n| 1.0 / n).sum();
            let number = KeyNumber::from_index(usize::from(key) - 1).unwrap();
            for (speed, share) in [(5.0, 1.0), (1.25, 0.25), (80.0, 1.0)] {
                let mut strings = StringVibration::default();
                strings.hear(number, KeyEvent::Strike { speed });
                let octaves = f64::from(key - 1) / 12.0;
                let way = 80e-6 * share / octaves.exp2().sqrt();
                for slot in 1..=40u8 {
                    let t = 1e-3 * f64::from(slot);
                    let sum: f64 = partials
                        .iter()
                        .map(|n| {
                            let w = 2.0 * std::f64::consts::PI * n * f;
                            w * w * (way / n / whole) * (-t / 1.5).exp() * (w * t).sin()
                        })
                        .sum();
                    let force = strings.force(number, mass, 8);
                    let expected = if partials.is_empty() { 0.0 } else { mass * sum };
                    assert!((force - expected).abs() < 1e-9, "{key} {speed} {t}: {force}");
                }
            }
        }
    }
}
