//! A press as one mass under the finger's spring: what a finger must do for a hammer speed.
//!
//! The key before the hammer leaves it is one mass M at its front, the finger the port's spring k:
//! with θ = t √(k/M), the target at speed v takes the key to depth d = v √(M/k) (θ − sin θ), where
//! it moves at v (1 − cos θ). Given the key speed (hammer speed over ratio) at d this gives θ and v;
//! the target then stands at d θ/(θ − sin θ). Beyond θ = π the key swings about the finger's own
//! motion, 2 v at most.

use crate::action::grand::spec::GRAVITY;
use crate::action::interface::finger;

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
}

impl Press {
    /// Speed of a finger target, m/s, that throws a hammer at `hammer_speed` m/s, and its depth as
    /// the hammer leaves, m.
    #[must_use]
    pub fn finger(&self, hammer_speed: f64) -> (f64, f64) {
        let per_length = (finger::STIFFNESS / self.mass).sqrt();
        let scale = (per_length * self.throw).max(1e-6);
        let thrown = (hammer_speed * hammer_speed + 2.0 * GRAVITY * self.flight).sqrt();
        let sought = thrown / self.ratio / scale;
        if sought < std::f64::consts::FRAC_2_PI {
            return (0.5 * thrown / self.ratio, self.throw);
        }
        // (1 − cos θ)/(θ − sin θ) falls from ∞ at 0 to 2/π at π.
        let (mut low, mut high) = (1e-3_f64, std::f64::consts::PI);
        for _ in 0..50 {
            let theta = 0.5 * (low + high);
            if (1.0 - theta.cos()) / (theta - theta.sin()) > sought {
                low = theta;
            } else {
                high = theta;
            }
        }
        let speed = scale / (low - low.sin());
        (speed, speed * low / per_length)
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
