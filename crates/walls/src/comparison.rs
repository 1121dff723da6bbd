//! Every wall under the same conditions: the largest stiffness at which a pressed device comes to
//! rest.
//!
//! An empirical test, not a proof of stability: the device hits the wall at several speeds, pressed by a
//! constant force; at the end it must be at rest, or its motion must halve in 2 s. A wave junction gets its
//! best impedance; its stiffness is that rendered through the line.

pub mod wave;

use crate::bench::{SampledLoop, Speed};
use crate::finger::Adaptive;
use touchback_haptics::wall::sampled::controller::{
    Controller, Deadbeat, Hysteresis, Placement, Prediction, Standard,
};
use touchback_haptics::wall::sampled::plant::{FINGER, Motion, Plant};

/// The device of the comparison: 0.1 kg, 0.5 N·s/m, pressed by 1 N.
pub const DEVICE: Plant = Plant { mass: 0.1, damping: 0.5, stiffness: 0.0, bias: 1.0 };

/// Wall damping of the damped contenders, N·s/m [chosen: four times the device's].
pub const DAMPING: f64 = 2.0;

/// A way to render a wall.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contender {
    /// A sampled spring.
    Standard,
    /// A sampled spring with a sampled damper of [`DAMPING`].
    Damped,
    /// A sampled spring with the damper K (T/2 + delay), which takes out the energy that hold and delay bring in: to a slow
    /// hand as undamped as the prediction.
    DampedByLag,
    /// A spring that is 30 % softer on the way out.
    Hysteresis,
    /// Prediction by half a sample plus the delay, with known device and finger.
    Prediction,
    /// Prediction with the running estimate of device and finger; only the device is known beforehand.
    Learning,
    /// Poles placed for the plant without delay.
    Placement,
    /// Placed poles with [`DAMPING`] in the target.
    PlacementDamped,
    /// Placed poles and deadbeat ends of contacts, without delay.
    Deadbeat,
    /// Wave junction with its damper sampled once per period.
    Wave,
    /// Wave junction with its damper in the device, sampled eight times per period.
    WaveInDevice,
}

impl Contender {
    /// All contenders.
    pub const ALL: [Self; 11] = [
        Self::Standard,
        Self::Damped,
        Self::DampedByLag,
        Self::Hysteresis,
        Self::Prediction,
        Self::Learning,
        Self::Placement,
        Self::PlacementDamped,
        Self::Deadbeat,
        Self::Wave,
        Self::WaveInDevice,
    ];

    /// Name for tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Damped => "damped",
            Self::DampedByLag => "damped by its lag",
            Self::Hysteresis => "hysteresis",
            Self::Prediction => "prediction",
            Self::Learning => "prediction, learning",
            Self::Placement => "placed poles",
            Self::PlacementDamped => "placed poles, damped",
            Self::Deadbeat => "deadbeat",
            Self::Wave => "wave junction",
            Self::WaveInDevice => "wave, damper in device",
        }
    }
}

/// Conditions of a comparison.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Conditions {
    /// T, s.
    pub period: f64,
    /// Delay of the force, whole periods (for a wave, both directions together).
    pub delay: usize,
    /// Whether [`FINGER`] holds the device.
    pub has_finger: bool,
    /// Whether an encoder of 2 µm and a differenced, filtered (200 Hz) velocity replace true values.
    pub is_measured: bool,
}

/// Approach speeds, m/s, length of a run, s, largest motion at rest, m peak to peak, and the ratio to the
/// motion 2 s earlier that also counts as coming to rest.
const SPEEDS: [f64; 3] = [0.03, 0.12, 0.4];
const SECONDS: f64 = 5.0;
const REST: f64 = 50e-6;

/// First stiffness, N/m, and ratio of each tried stiffness to the previous one.
const FIRST: f64 = 20.0;
const RATIO: f64 = 1.1;
/// Ratio of tried stiffnesses for a wave junction, whose rendered stiffness the line limits.
const WAVE_RATIO: f64 = 1.5;
const LAST: f64 = 1e5;

/// Peak-to-peak motion in two intervals of a run: 0.4 to 0.6, and 0.8 to 1 of its length.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Swings {
    samples: usize,
    spans: [(f64, f64); 2],
    is_lost: bool,
}

impl Swings {
    fn new(samples: usize) -> Self {
        Self { samples, spans: [(f64::MAX, f64::MIN); 2], is_lost: false }
    }

    /// Adds the position at the end of a sample, m; `false` if the plant is more than 1 m away.
    fn see(&mut self, index: usize, x: f64) -> bool {
        let fifth = 5 * index / self.samples;
        if fifth == 2 || fifth == 4 {
            let (low, high) = &mut self.spans[fifth / 2 - 1];
            (*low, *high) = (low.min(x), high.max(x));
        }
        self.is_lost |= x.is_nan() || x.abs() > 1.0;
        !self.is_lost
    }

    fn found(&self) -> [f64; 2] {
        if self.is_lost { [0.0, f64::INFINITY] } else { self.spans.map(|(low, high)| high - low) }
    }
}

impl Conditions {
    /// The device, with the finger if it is held.
    #[must_use]
    pub fn plant(&self) -> Plant {
        if self.has_finger { DEVICE.with(FINGER) } else { DEVICE }
    }

    fn wall(&self, contender: Contender, k: f64) -> Option<Box<dyn Controller>> {
        let (plant, t) = (self.plant(), self.period);
        let late = f64::from(u32::try_from(self.delay).ok()?) * t;
        Some(match contender {
            Contender::Standard => Box::new(Standard { stiffness: k, damping: 0.0 }),
            Contender::Damped => Box::new(Standard { stiffness: k, damping: DAMPING }),
            Contender::DampedByLag => {
                Box::new(Standard { stiffness: k, damping: k * (0.5 * t + late) })
            }
            Contender::Hysteresis => Box::new(Hysteresis { stiffness: k, loss: 0.3 }),
            Contender::Prediction => Box::new(Prediction::new(&plant, k, 0.0, t, late)),
            Contender::Learning => {
                Box::new(Adaptive::new(&DEVICE, DEVICE.mass, k, 0.0, t, self.delay))
            }
            Contender::Placement => Box::new(Placement::new(&plant, k, 0.0, t)?),
            Contender::PlacementDamped => Box::new(Placement::new(&plant, k, DAMPING, t)?),
            Contender::Deadbeat => Box::new(Deadbeat::new(&plant, k, 0.0, t)?),
            Contender::Wave | Contender::WaveInDevice => return None,
        })
    }

    /// Whether the `swings` (earlier, at the end) of a run come to rest from every start.
    fn rests(&self, mut swings: impl FnMut(Motion, usize) -> [f64; 2]) -> bool {
        let samples = touchback_core::math::cast::floor_index(SECONDS / self.period);
        SPEEDS.iter().all(|speed| {
            let [before, end] = swings([-1e-3, *speed], samples);
            end < REST || end < 0.5 * before
        })
    }

    fn holds(&self, contender: Contender, k: f64) -> bool {
        let bench = SampledLoop {
            plant: self.plant(),
            period: self.period,
            delay: self.delay,
            count: if self.is_measured { 2e-6 } else { 0.0 },
            speed: if self.is_measured { Speed::Filtered(200.0) } else { Speed::True },
        };
        self.wall(contender, k).is_some_and(|mut wall| {
            self.rests(|start, samples| {
                wall.reset();
                let mut seen = Swings::new(samples);
                bench.run(wall.as_mut(), start, samples, |tick| seen.see(tick.index, tick.end[0]));
                seen.found()
            })
        })
    }

    /// The largest stiffness, N/m, up to which all stiffnesses of a grid come to rest; 0 if the softest does not,
    /// 10⁵ if all do.
    #[must_use]
    pub fn stiffest(&self, contender: Contender) -> f64 {
        let climb = |step: f64, holds: &dyn Fn(f64) -> bool| {
            let (mut found, mut k) = (0.0, FIRST);
            while k < LAST && holds(k) {
                (found, k) = (k, k * step);
            }
            if k < LAST { found } else { LAST }
        };
        let ratio = match contender {
            Contender::Wave => 1,
            Contender::WaveInDevice => 8,
            _ => return climb(RATIO, &|k| self.holds(contender, k)),
        };
        wave::IMPEDANCES
            .iter()
            .map(|z| {
                let link = wave::DelayedWave { conditions: *self, impedance: *z, ratio };
                let most = climb(WAVE_RATIO, &|k| self.rests(|start, n| link.swings(k, start, n)));
                link.felt(most)
            })
            .fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[ignore = "long: `.ci/run` runs it"]
    fn limits_without_delay_and_encoder_agree_with_the_law() {
        let conditions =
            Conditions { period: 1e-3, delay: 0, has_finger: false, is_measured: false };
        let standard = conditions.stiffest(Contender::Standard);
        // Motion halves in two seconds while (b − KT/2)/2m > ln 2/2 s.
        let law = 2.0 * (0.5 - 0.1 * 2.0f64.ln()) / 1e-3;
        assert!(standard <= law && standard * RATIO > law, "{standard} {law}");
        let predicted = conditions.stiffest(Contender::Prediction);
        assert!(predicted > 5.0 * standard, "{predicted}");
        let held = Conditions { has_finger: true, ..conditions };
        assert!(held.stiffest(Contender::Standard) > 5.0 * standard);
    }
}
