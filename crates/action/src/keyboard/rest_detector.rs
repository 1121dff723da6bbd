//! Detection of keys that have come to rest under a constant drive.

use crate::grand::state;

/// Speed (rad/s; m/s for the damper) below which a part counts as at rest: 0.02 mm/s at the key front.
pub(super) const STILL_SPEED: f64 = 1e-4;

/// Steps without motion after which a key is at rest: 25 ms.
const STILL_STEPS: u16 = 200;

/// Largest speed (rad/s; m/s for the damper) of a key that may be creeping: parts held by friction against
/// a felt can oscillate within each step without net displacement.
const CREEP_SPEED: f64 = 0.05;

/// Steps over which creeping is distinguished from moving: half a second.
const CREEP_STEPS: u16 = 4_000;

/// Displacement (rad; m for the damper) over [`CREEP_STEPS`] below which a key is creeping: 7 µm at the
/// crown.
const CREEP_DISTANCE: f64 = 5e-5;

/// State indices of position and speed of the parts.
const PARTS: [(usize, usize); 5] = [
    (state::KEY, state::KEY_SPEED),
    (state::HAMMER, state::HAMMER_SPEED),
    (state::LEVER, state::LEVER_SPEED),
    (state::DAMPER, state::DAMPER_SPEED),
    (state::JACK, state::JACK_SPEED),
];

/// State of a key after a step under a constant drive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RestState {
    /// Moving, or not observed long enough.
    Moving,
    /// At rest.
    AtRest,
    /// Oscillating without net displacement.
    Creeping,
}

/// Counters of the steps for which a key has not moved, or has moved without net displacement.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct RestDetector {
    /// Steps without motion.
    quiet: u16,
    /// Steps below [`CREEP_SPEED`].
    slow: u16,
    /// Positions of the parts when `slow` was 0.
    from: [f64; PARTS.len()],
}

impl RestDetector {
    /// Counts one step of a key under a constant drive; `x` returns its states by index.
    pub(super) fn after_step(&mut self, moves: bool, x: impl Fn(usize) -> f64) -> RestState {
        if moves {
            self.quiet = 0;
            return if self.is_creeping(x) { RestState::Creeping } else { RestState::Moving };
        }
        self.quiet += 1;
        if self.quiet >= STILL_STEPS { RestState::AtRest } else { RestState::Moving }
    }

    fn is_creeping(&mut self, x: impl Fn(usize) -> f64) -> bool {
        let is_fast = PARTS.iter().any(|&(_, speed)| x(speed).abs() > CREEP_SPEED);
        if is_fast || self.slow == 0 {
            self.from = PARTS.map(|(position, _)| x(position));
        }
        self.slow = if is_fast { 0 } else { self.slow + 1 };
        if self.slow <= CREEP_STEPS {
            return false;
        }
        self.slow = 0;
        let mut distances = PARTS.iter().zip(self.from).map(|(&(i, _), from)| (x(i) - from).abs());
        distances.all(|distance| distance < CREEP_DISTANCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_at_rest_after_200_steps_without_motion() {
        let mut key = RestDetector::default();
        for _ in 1..STILL_STEPS {
            assert_eq!(key.after_step(false, |_| 0.0), RestState::Moving);
        }
        assert_eq!(key.after_step(true, |_| 1.0), RestState::Moving);
        for _ in 1..STILL_STEPS {
            assert_eq!(key.after_step(false, |_| 0.0), RestState::Moving);
        }
        assert_eq!(key.after_step(false, |_| 0.0), RestState::AtRest);
    }

    #[test]
    fn only_a_slow_oscillation_without_net_displacement_is_creeping() {
        let after = |speed: f64, distance: f64| {
            let mut key = RestDetector::default();
            (0..=CREEP_STEPS)
                .map(|i| {
                    let position = distance * f64::from(i) / f64::from(CREEP_STEPS);
                    let is_speed = |s: usize| PARTS.iter().any(|p| p.1 == s);
                    key.after_step(true, |s| if is_speed(s) { speed } else { position })
                })
                .find(|v| *v != RestState::Moving)
        };
        assert_eq!(after(0.02, 1e-5), Some(RestState::Creeping));
        assert_eq!(after(0.02, 1e-4), None);
        assert_eq!(after(0.2, 0.0), None);
    }
}
