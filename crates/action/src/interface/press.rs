//! A press as one mass: what a finger must do for a hammer speed.
//!
//! The key before the hammer leaves it is one mass M at its front, at s, pressed by the tip of a
//! [`hand`] at x: M s̈ = k (x − s) + b (ẋ − ṡ), m ẍ = F a(t) − c ẋ − M s̈. Both are linear in F, so
//! the ratio of the key's speed to its depth is a function of time alone that falls from ∞. The time
//! at which it is the wanted speed (hammer speed over ratio) over the wanted depth gives F.
//!
//! A finger pressing *evenly* is the port's spring k whose target moves at constant speed v: with
//! θ = t √(k/M) the key is at depth d = v √(M/k) (θ − sin θ), where it moves at v (1 − cos θ). Given
//! the key speed at d this gives θ and v; the target then stands at d θ/(θ − sin θ). Beyond θ = π
//! the key swings about the finger's own motion, 2 v at most.

use crate::grand::design::spec::GRAVITY;
use crate::interface::{finger, hand};

/// What a press meets.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Press {
    /// Mass at the key front, the hammer's share included, kg.
    pub mass: f64,
    /// Hammer speed over key speed.
    pub ratio: f64,
    /// Key depth at which the hammer leaves, m.
    pub throw: f64,
    /// How high the hammer then flies against its weight to the string, m.
    pub flight: f64,
    /// Whether a bed stops the key; without one a hand would carry it far beyond.
    pub has_bed: bool,
}

/// What a finger does in a press.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Effort {
    /// The muscle of a [`hand::Hand`]: its force, N.
    Muscle(f64),
    /// A target of the port's finger moving at constant speed: m/s.
    Even(f64),
}

/// Step of the press under a muscle, s: a fifth of a radian of the lightest key on the fingertip.
const MARCH: f64 = hand::RISE / 20.0;
/// e^(−h/2τ) for that step.
const HALF_DECAY: f64 = 0.975_309_912_028_332_6;
/// Longest press considered, s.
const LONGEST: f64 = 0.5;

/// A hand of 1 N on one mass.
#[derive(Clone, Copy, Debug)]
struct UnitPress {
    time: f64,
    /// e^(−t/τ).
    decay: f64,
    /// Depth and speed of hand and key, m and m/s.
    x: [f64; 4],
}

impl UnitPress {
    const REST: Self = Self { time: 0.0, decay: 1.0, x: [0.0; 4] };

    /// Force of the tip, N.
    fn tip(&self) -> f64 {
        let [hand, hand_speed, key, key_speed] = self.x;
        hand::STIFFNESS * (hand - key) + hand::DAMPING * (hand_speed - key_speed)
    }

    fn rates(&self, mass: f64) -> [f64; 4] {
        let [_, hand_speed, _, key_speed] = self.x;
        let (push, tip) = (1.0 - (1.0 + self.time / hand::RISE) * self.decay, self.tip());
        [hand_speed, (push - hand::DRAG * hand_speed - tip) / hand::MASS, key_speed, tip / mass]
    }

    /// On by `h` s at these rates.
    fn at(&self, h: f64, decay: f64, rates: [f64; 4]) -> Self {
        let x = std::array::from_fn(|i| self.x[i] + h * rates[i]);
        Self { time: self.time + h, decay: self.decay * decay, x }
    }

    /// On by one step, by the midpoint rule.
    fn step(&self, mass: f64) -> Self {
        let half = self.at(0.5 * MARCH, HALF_DECAY, self.rates(mass));
        self.at(MARCH, HALF_DECAY * HALF_DECAY, half.rates(mass))
    }
}

impl Press {
    /// Speed at which the hammer must leave, m/s, to arrive at `hammer_speed`.
    fn thrown(&self, hammer_speed: f64) -> f64 {
        (hammer_speed * hammer_speed + 2.0 * GRAVITY * self.flight).sqrt()
    }

    /// What throws a hammer at `hammer_speed` m/s.
    #[must_use]
    pub fn effort(&self, hammer_speed: f64) -> Effort {
        if self.has_bed {
            Effort::Muscle(self.muscle(hammer_speed)[0])
        } else {
            Effort::Even(self.even(hammer_speed))
        }
    }

    /// Force of a hand's muscle, N, that throws a hammer at `hammer_speed` m/s, and that of its
    /// fingertip as the hammer leaves, N.
    #[must_use]
    pub fn muscle(&self, hammer_speed: f64) -> [f64; 2] {
        let speed = self.thrown(hammer_speed) / self.ratio;
        // Positive as long as the key is too fast for its depth.
        let ahead = |unit: &UnitPress| unit.x[3] * self.throw - speed * unit.x[2];
        let mut before = UnitPress::REST.step(self.mass);
        let mut unit = before.step(self.mass);
        while ahead(&unit) > 0.0 && unit.time < LONGEST {
            before = unit;
            unit = unit.step(self.mass);
        }
        let (late, early) = (ahead(&unit), ahead(&before));
        let share = if early > late { (early / (early - late)).clamp(0.0, 1.0) } else { 1.0 };
        let between = |a: f64, b: f64| a + share * (b - a);
        let force = speed / between(before.x[3], unit.x[3]);
        [force, force * between(before.tip(), unit.tip()).max(0.0)]
    }

    /// Time, s, that `effort` takes to press the key by `distance` m from rest.
    #[must_use]
    pub fn time(&self, effort: Effort, distance: f64) -> f64 {
        match effort {
            Effort::Even(speed) => distance / speed,
            Effort::Muscle(force) => {
                let mut unit = UnitPress::REST;
                while unit.time < LONGEST && unit.x[2] * force < distance {
                    unit = unit.step(self.mass);
                }
                unit.time
            }
        }
    }

    /// Speed of a finger target, m/s, that throws a hammer at `hammer_speed` m/s.
    #[must_use]
    pub fn even(&self, hammer_speed: f64) -> f64 {
        let per_length = (finger::STIFFNESS / self.mass).sqrt();
        let scale = (per_length * self.throw).max(1e-6);
        let thrown = self.thrown(hammer_speed);
        let sought = thrown / self.ratio / scale;
        if sought < std::f64::consts::FRAC_2_PI {
            return 0.5 * thrown / self.ratio;
        }
        // (1 − cos θ)/(θ − sin θ) falls from ∞ at 0 to 2/π at π.
        let (mut low, mut high) = (1e-3_f64, std::f64::consts::PI);
        for _ in 0..50 {
            let theta = 0.5 * (low + high);
            if (1.0 - libm::cos(theta)) / (theta - libm::sin(theta)) > sought {
                low = theta;
            } else {
                high = theta;
            }
        }
        scale / (low - libm::sin(low))
    }
}

/// How far a key goes, m at its front.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Travel {
    /// To its bed.
    pub dip: f64,
    /// Depth at or above which it can be played again.
    pub again: f64,
}
