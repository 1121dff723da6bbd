//! Vibration of the strings, added to the force on their key. Off by default.
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
//! with o in octaves above A0 and m the moving mass of the keyboard's key, kg; the fall over the compass, 1/n and
//! τ = 1.5 s are chosen. The added force is not passive but bounded: it decays with 50 ms under the damper and is
//! subject to every limit. It enters the command alone; its effect comes back as a wave and is logged with it.

use touchback_action::{KeyEvent, STEP};
use touchback_core::math::compass::KeyNumber;

/// Largest displacement, m.
const MAX_DISPLACEMENT: f64 = 80e-6;
/// Hammer speed of the largest displacement, m/s.
const HARDEST: f64 = 5.0;
/// Upper limit of the partials' frequencies, Hz.
const TOP: f64 = 500.0;
/// Time constants of the decay, s: free, and under the damper.
const DECAY: [f64; 2] = [1.5, 0.05];
/// Largest force, N.
const FORCE: f64 = 1.0;
/// Displacement below which the vibration has ended, m.
const ENDED: f64 = 0.1e-6;

/// Vibration of the strings of one key.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct StringVibration {
    /// Time since the strike, s.
    time: f64,
    /// Present sum of the amplitudes, m.
    displacement: f64,
    is_damped: bool,
}

impl StringVibration {
    /// An event of `key`: a strike begins a vibration, a falling damper damps it.
    pub fn on_event(&mut self, key: KeyNumber, event: KeyEvent) {
        match event {
            KeyEvent::Strike { speed } => {
                let octaves = f64::from(key.number() - 1) / 12.0;
                let displacement = MAX_DISPLACEMENT
                    * (speed / HARDEST).clamp(0.0, 1.0)
                    * libm::exp2(-0.5 * octaves);
                *self = Self { time: 0.0, displacement, is_damped: false };
            }
            KeyEvent::DamperFall { .. } => self.is_damped = true,
            _ => {}
        }
    }

    /// Ends the vibration.
    pub const fn end(&mut self) {
        self.displacement = 0.0;
    }

    /// Advances by `steps`. Returns the force, N, on a key of `mass` kg.
    pub fn force(&mut self, key: KeyNumber, mass: f64, steps: u64) -> f64 {
        if self.displacement < ENDED {
            self.displacement = 0.0;
            return 0.0;
        }
        let passed = super::seconds(steps).max(STEP);
        self.time += passed;
        self.displacement *= libm::exp(-passed / DECAY[usize::from(self.is_damped)]);
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
        (mass * self.displacement * sum / shares).clamp(-FORCE, FORCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_force_is_bounded_decays_and_is_damped() {
        let bass = KeyNumber::from_midi(33).unwrap();
        let run = |speed: f64, damped: bool| {
            let mut strings = StringVibration::default();
            assert_eq!(strings.force(bass, 0.05, 8), 0.0);
            strings.on_event(bass, KeyEvent::Strike { speed });
            let first: f64 =
                (0..100).map(|_| strings.force(bass, 0.05, 8).abs()).fold(0.0, f64::max);
            if damped {
                strings.on_event(bass, KeyEvent::DamperFall { speed: 0.1 });
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
        // C8 has no partial below 500 Hz.
        let mut top = StringVibration::default();
        let key = KeyNumber::from_midi(108).unwrap();
        top.on_event(key, KeyEvent::Strike { speed: 5.0 });
        assert_eq!(top.force(key, 0.05, 8), 0.0);
    }

    /// The law at the head of this file, for keys and strikes over the whole compass.
    #[test]
    fn the_force_is_the_documented_sum_of_partials() {
        let mass = 1e-3;
        for key in [1u8, 2, 13, 28, 52, 88] {
            let f = 27.5 * (f64::from(key - 1) / 12.0).exp2();
            let partials: Vec<f64> =
                (1..=18u8).map(f64::from).take_while(|n| n * f < 500.0).collect();
            let whole: f64 = partials.iter().map(|n| 1.0 / n).sum();
            let number = KeyNumber::from_number(key).unwrap();
            for (speed, share) in [(5.0, 1.0), (1.25, 0.25), (80.0, 1.0)] {
                let mut strings = StringVibration::default();
                strings.on_event(number, KeyEvent::Strike { speed });
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
