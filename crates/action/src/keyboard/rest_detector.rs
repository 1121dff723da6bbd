//! When a key that is left alone has come to a stop.

use crate::grand::state;

/// Fastest speed of a key (rad/s; m/s for the damper) below which nothing moves: at the key front 0.02 mm/s.
pub(super) const STILL_SPEED: f64 = 1e-4;

/// Steps without motion after which a key counts as still: 25 ms.
const STILL_STEPS: u16 = 200;

/// Speeds (rad/s; m/s for the damper) of a key that may only be creeping: what friction holds
/// against a felt can tremble within each step without getting anywhere.
const CREEP_SPEED: f64 = 0.05;

/// Steps over which creeping is told from moving: half a second.
const CREEP_STEPS: u16 = 4_000;

/// Way (rad; m for the damper) in that time below which a key stands: at the crown 7 µm.
const CREEP_WAY: f64 = 5e-5;

/// Places and speeds of the parts that can move.
const PARTS: [(usize, usize); 5] = [
    (state::KEY, state::KEY_SPEED),
    (state::HAMMER, state::HAMMER_SPEED),
    (state::LEVER, state::LEVER_SPEED),
    (state::DAMPER, state::DAMPER_SPEED),
    (state::JACK, state::JACK_SPEED),
];

/// What is to be said of a key after a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// It moves, or has not been watched long enough.
    Moves,
    /// It has come to rest.
    Rests,
    /// It trembles where it is.
    Creeping,
}

/// How long one key has not moved, or has got nowhere.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct RestDetector {
    quiet: u16,
    slow: u16,
    /// Where the parts were when `slow` began to count.
    from: [f64; PARTS.len()],
}

impl RestDetector {
    /// One more step of a key left alone that `moves` or does not; `x` gives its states by index.
    pub(super) fn after_step(&mut self, moves: bool, x: impl Fn(usize) -> f64) -> Verdict {
        if moves {
            self.quiet = 0;
            return if self.gets_nowhere(x) { Verdict::Creeping } else { Verdict::Moves };
        }
        self.quiet += 1;
        if self.quiet >= STILL_STEPS { Verdict::Rests } else { Verdict::Moves }
    }

    fn gets_nowhere(&mut self, x: impl Fn(usize) -> f64) -> bool {
        let is_fast = PARTS.iter().any(|&(_, speed)| x(speed).abs() > CREEP_SPEED);
        if is_fast || self.slow == 0 {
            self.from = PARTS.map(|(place, _)| x(place));
        }
        self.slow = if is_fast { 0 } else { self.slow + 1 };
        if self.slow <= CREEP_STEPS {
            return false;
        }
        self.slow = 0;
        PARTS.iter().zip(self.from).all(|(&(place, _), from)| (x(place) - from).abs() < CREEP_WAY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_rests_after_a_while_without_motion_and_motion_begins_it_anew() {
        let mut key = RestDetector::default();
        for _ in 1..STILL_STEPS {
            assert_eq!(key.after_step(false, |_| 0.0), Verdict::Moves);
        }
        assert_eq!(key.after_step(true, |_| 1.0), Verdict::Moves);
        for _ in 1..STILL_STEPS {
            assert_eq!(key.after_step(false, |_| 0.0), Verdict::Moves);
        }
        assert_eq!(key.after_step(false, |_| 0.0), Verdict::Rests);
    }

    #[test]
    fn trembling_on_the_spot_is_told_from_creeping_away_and_from_swinging() {
        let after = |speed: f64, way: f64| {
            let mut key = RestDetector::default();
            (0..=CREEP_STEPS)
                .map(|i| {
                    let place = way * f64::from(i) / f64::from(CREEP_STEPS);
                    let is_speed = |s: usize| PARTS.iter().any(|p| p.1 == s);
                    key.after_step(true, |s| if is_speed(s) { speed } else { place })
                })
                .find(|v| *v != Verdict::Moves)
        };
        assert_eq!(after(0.02, 1e-5), Some(Verdict::Creeping));
        assert_eq!(after(0.02, 1e-4), None);
        assert_eq!(after(0.2, 0.0), None);
    }
}
