//! The press of a key as one mass: effort of a finger for a given hammer speed.
//!
//! Until the hammer leaves it, the key is one mass M at its front, at depth s, pressed by the tip of a
//! [`hand`] at depth x: M s̈ = k (x − s) + b (ẋ − ṡ), m ẍ = F a(t) − c ẋ − M s̈. For one time constant τ of
//! the activation a, both are linear in F, so that the ratio of the key's speed to its depth is a function of
//! time alone, which falls from ∞. The time at which this ratio equals that of the required speed (hammer
//! speed over lever ratio) to the depth of release gives F. The hand's τ falls with F: the two are found
//! together, by the secant method.
//!
//! A finger that presses *evenly* is the spring k of the port with a target that moves at constant speed v:
//! with θ = t √(k/M) the key is at the depth d = v √(M/k) (θ − sin θ) and moves at v (1 − cos θ). The key
//! speed at d gives θ and v; the target is then at d θ/(θ − sin θ). Beyond θ = π the key oscillates about
//! the motion of the finger, with a speed of at most 2 v.

use crate::interface::constants::GRAVITY;
use crate::interface::finger;
use crate::interface::hand::{self, PRESSING};

/// What a key excites.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Voice {
    /// Strings, by a hammer.
    Hammer,
    /// Strings, by a plectrum that lets them go from a displacement, m.
    Plectrum(f64),
    /// A rod, by a hammer of a mass, kg.
    Rod(f64),
    /// A pipe, by wind.
    Pipe,
}

/// Mechanics of a key as a press meets it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Press {
    /// Effective mass at the key front, including the hammer's, kg.
    pub mass: f64,
    /// Ratio of hammer speed to key speed.
    pub ratio: f64,
    /// Key depth at which the hammer leaves, m.
    pub throw: f64,
    /// Height of the hammer's free flight to the string, m.
    pub flight: f64,
    /// Whether a bed stops the key. Without a bed a hand would push the key far beyond the depth of release.
    pub has_bed: bool,
}

/// Effort of a finger in a press.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Effort {
    /// Force of the muscle of a [`hand::Hand`], N.
    Muscle(f64),
    /// Constant speed of the target of the port's finger, m/s.
    Even(f64),
}

/// Integration step h of a press by a muscle, s: a fifth of a radian of the oscillation of the lightest key
/// on the fingertip.
const PRESS_STEP: f64 = 1.25e-3;
/// Longest press, s.
const LONGEST: f64 = 0.5;
/// Relative error of a muscle's force.
const ACCURACY: f64 = 1e-6;
/// Largest number of time constants that are tried.
const TRIALS: usize = 20;

/// A hand with a muscle force of 1 N on one mass.
#[derive(Clone, Copy, Debug)]
struct UnitPress {
    /// Mass of the key, kg.
    mass: f64,
    /// Time constant τ of the activation, s.
    rise: f64,
    /// e^(−h/2τ) for h = [`PRESS_STEP`].
    half_decay: f64,
    time: f64,
    /// e^(−t/τ).
    decay: f64,
    /// Depth, m, and speed, m/s, of the hand, then of the key.
    x: [f64; 4],
}

impl UnitPress {
    fn at_rest(mass: f64, rise: f64) -> Self {
        let half_decay = libm::exp(-0.5 * PRESS_STEP / rise);
        Self { mass, rise, half_decay, time: 0.0, decay: 1.0, x: [0.0; 4] }
    }

    /// Force of the tip, N.
    fn tip(&self) -> f64 {
        let [hand, hand_speed, key, key_speed] = self.x;
        PRESSING.stiffness * (hand - key) + PRESSING.damping * (hand_speed - key_speed)
    }

    fn rates(&self) -> [f64; 4] {
        let [_, hand_speed, _, key_speed] = self.x;
        let (push, tip) = (1.0 - (1.0 + self.time / self.rise) * self.decay, self.tip());
        let acceleration = (push - PRESSING.drag * hand_speed - tip) / PRESSING.mass;
        [hand_speed, acceleration, key_speed, tip / self.mass]
    }

    /// Advanced by `h` s at the rates `rates`.
    fn advanced(&self, h: f64, decay: f64, rates: [f64; 4]) -> Self {
        let x = std::array::from_fn(|i| self.x[i] + h * rates[i]);
        Self { time: self.time + h, decay: self.decay * decay, x, ..*self }
    }

    /// Advanced by one step, by the midpoint rule.
    fn step(&self) -> Self {
        let half = self.advanced(0.5 * PRESS_STEP, self.half_decay, self.rates());
        self.advanced(PRESS_STEP, self.half_decay * self.half_decay, half.rates())
    }
}

impl Press {
    /// Speed at which the hammer must leave the key to reach the string at `hammer_speed`, m/s.
    fn launch_speed(&self, hammer_speed: f64) -> f64 {
        (hammer_speed * hammer_speed + 2.0 * GRAVITY * self.flight).sqrt()
    }

    /// Effort that gives the hammer the speed `hammer_speed` m/s at the string.
    #[must_use]
    pub fn effort(&self, hammer_speed: f64) -> Effort {
        if self.has_bed {
            Effort::Muscle(self.muscle(hammer_speed))
        } else {
            Effort::Even(self.even(hammer_speed))
        }
    }

    /// Force of the fingertip, N, when a press leaves the hammer that reaches the string at `hammer_speed` m/s.
    ///
    /// The muscle's time constant is the shortest. From 3 N on, the force differs by less than 0.3 % from that
    /// with the time constant of [`Self::muscle`], below by less than 0.15 N; that takes four to ten times as long
    /// to find.
    #[must_use]
    pub fn tip(&self, hammer_speed: f64) -> f64 {
        self.muscle_rising_in(hand::rise(f64::INFINITY), hammer_speed)[1]
    }

    /// Force of a hand's muscle, N, that gives the hammer the speed `hammer_speed` m/s.
    #[must_use]
    pub fn muscle(&self, hammer_speed: f64) -> f64 {
        // Force that the time constant of a muscle of `force` N asks for, and the error of `force`, N.
        let trial = |force: f64| {
            let [found, _] = self.muscle_rising_in(hand::rise(force), hammer_speed);
            (force, found, force - found)
        };
        let mut before = trial(self.muscle_rising_in(hand::rise(f64::INFINITY), hammer_speed)[0]);
        let mut last = trial(before.1);
        for _ in 0..TRIALS {
            if last.2.abs() <= ACCURACY * last.0 || last.2 == before.2 {
                break;
            }
            let force = last.0 - last.2 * (last.0 - before.0) / (last.2 - before.2);
            (before, last) = (last, trial(force));
        }
        last.1
    }

    /// Forces of muscle and fingertip, N, as [`Self::muscle`] and [`Self::tip`], for a muscle whose activation has
    /// the time constant `rise` s.
    fn muscle_rising_in(&self, rise: f64, hammer_speed: f64) -> [f64; 2] {
        let speed = self.launch_speed(hammer_speed) / self.ratio;
        // Positive while the ratio of speed to depth is above the required one.
        let excess = |unit: &UnitPress| unit.x[3] * self.throw - speed * unit.x[2];
        let mut before = UnitPress::at_rest(self.mass, rise).step();
        let mut unit = before.step();
        while excess(&unit) > 0.0 && unit.time < LONGEST {
            before = unit;
            unit = unit.step();
        }
        let (late, early) = (excess(&unit), excess(&before));
        let share = if early > late { (early / (early - late)).clamp(0.0, 1.0) } else { 1.0 };
        let between = |a: f64, b: f64| a + share * (b - a);
        let force = speed / between(before.x[3], unit.x[3]);
        [force, force * between(before.tip(), unit.tip()).max(0.0)]
    }

    /// Time in which `effort` presses the key by `distance` m from rest, s.
    #[must_use]
    pub fn time(&self, effort: Effort, distance: f64) -> f64 {
        self.time_rising_in(hand::rise, effort, distance)
    }

    /// As [`Self::time`], for a finger that repeats: it is in motion, and its muscle rises as fast as that of a
    /// struck touch.
    #[must_use]
    pub fn repeat_time(&self, effort: Effort, distance: f64) -> f64 {
        self.time_rising_in(|_| hand::FOLLOWING_RISE, effort, distance)
    }

    /// As [`Self::time`], for muscles whose time constant, s, is `rise` of their force, N.
    fn time_rising_in(&self, rise: impl Fn(f64) -> f64, effort: Effort, distance: f64) -> f64 {
        match effort {
            Effort::Even(speed) => distance / speed,
            Effort::Muscle(force) => {
                let mut unit = UnitPress::at_rest(self.mass, rise(force));
                while unit.time < LONGEST && unit.x[2] * force < distance {
                    unit = unit.step();
                }
                unit.time
            }
        }
    }

    /// Speed of a finger's target, m/s, that gives the hammer the speed `hammer_speed` m/s.
    #[must_use]
    pub fn even(&self, hammer_speed: f64) -> f64 {
        let angular_frequency = (finger::STIFFNESS / self.mass).sqrt();
        let scale = (angular_frequency * self.throw).max(1e-6);
        let launch = self.launch_speed(hammer_speed);
        let ratio = launch / self.ratio / scale;
        if ratio < std::f64::consts::FRAC_2_PI {
            return 0.5 * launch / self.ratio;
        }
        // (1 − cos θ)/(θ − sin θ) falls from ∞ at 0 to 2/π at π.
        let (mut low, mut high) = (1e-3_f64, std::f64::consts::PI);
        for _ in 0..50 {
            let theta = 0.5 * (low + high);
            if (1.0 - libm::cos(theta)) / (theta - libm::sin(theta)) > ratio {
                low = theta;
            } else {
                high = theta;
            }
        }
        scale / (low - libm::sin(low))
    }
}

/// Travel of a key at its front, m.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Travel {
    /// Depth of the key bed.
    pub dip: f64,
    /// Depth at or above which the key can be played again.
    pub repeat_depth: f64,
    /// How far beyond the bed the target of a finger is that holds the key: its force over [`finger::STIFFNESS`].
    pub hold: f64,
}

impl Travel {
    /// A key of this dip that rises by the usual share to be played again.
    #[must_use]
    pub const fn of(dip: f64) -> Self {
        Self { dip, repeat_depth: finger::RISEN * dip, hold: finger::HOLD }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tip_presses_as_with_the_time_constant_of_the_found_muscle() {
        for mass in [0.1, 0.175, 0.35, 0.5] {
            for throw in [6e-3, 9e-3, 11e-3] {
                let press = Press { mass, ratio: 5.0, throw, flight: 0.0, has_bed: true };
                for speed in [0.1, 0.3, 0.5, 1.0, 1.4, 2.0, 3.0, 5.0, 7.0] {
                    let rise = hand::rise(press.muscle(speed));
                    let [_, exact] = press.muscle_rising_in(rise, speed);
                    let error = (press.tip(speed) - exact).abs();
                    let most = if exact < 3.0 { 0.15 } else { 3e-3 * exact };
                    assert!(error < most, "{press:?} {speed} m/s: {error} N");
                }
            }
        }
    }
}
