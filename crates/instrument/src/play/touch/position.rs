//! A key that follows positions sent to it: polyphonic key pressure as key depth, or recorded motion.
//!
//! Recorded motion is followed from position to position at continuous speed ([`Trajectory`]). For key pressure:
//!
//! A sensing keyboard sends some hundred positions a second in 128 steps, 0.08 mm of a key each. The
//! key front follows them through two equal first-order lags (critically damped), x″ + 2x′/τ +
//! (x − p)/τ² = 0, solved exactly over each step with p constant: a key moving steadily is followed
//! at its own speed, 2τ = 6 ms late, and one step of 0.08 mm moves it at 10 mm/s at most, a tenth of
//! the slowest playing.

use touchback_action::interface::trajectory::{Trajectory, Way};
use touchback_action::{Drive, STEP};

/// Time constant τ, s (chosen).
const LAG: f64 = 3e-3;
/// Delay of a key that moves steadily, s.
pub const LATE: f64 = 2.0 * LAG;
/// Depth of a full value in the key-bed felt, m: under a resting finger's weight of some newton
/// (chosen).
pub const INTO_BED: f64 = 1e-4;
/// Distance, m, and speed times [`LAG`], m, below which the key has arrived.
const ARRIVED: f64 = 1e-6;

/// Motion of one key that follows positions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Position {
    depth: f64,
    speed: f64,
    /// Share of the dip last sent.
    target: f64,
    recorded: Option<Recorded>,
}

/// Recorded motion.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Recorded {
    motion: Trajectory,
    way: Way,
    /// Time on the way, s.
    time: f64,
}

impl Position {
    /// A key at `depth` m without a position.
    pub const fn at(depth: f64) -> Self {
        Self { depth, speed: 0.0, target: 0.0, recorded: None }
    }

    /// Sets the depth, m, that the key is to reach in `seconds`.
    pub(crate) fn send_depth(&mut self, to: f64, seconds: f64) {
        let mut motion = Trajectory::at(self.depth, self.speed);
        let mut time = 0.0;
        if let Some(before) = self.recorded {
            // A way may end inside a step; the next begins there.
            let late = before.time - before.way.seconds;
            if late.abs() < STEP {
                (motion, time) = (before.motion, late);
            }
        }
        let way = motion.reach(to.max(0.0), seconds);
        self.recorded = Some(Recorded { motion, way, time });
    }

    /// Whether the key follows recorded motion.
    pub const fn is_recorded(&self) -> bool {
        self.recorded.is_some()
    }

    /// Sets the position to be followed, share of the dip.
    pub const fn send(&mut self, share: f64) {
        self.target = share.clamp(0.0, 1.0);
        self.recorded = None;
    }

    /// Whether the key has been let up.
    pub const fn is_up(&self) -> bool {
        match self.recorded {
            Some(recorded) => recorded.motion.end()[0] <= 0.0,
            None => self.target <= 0.0,
        }
    }

    /// Drive of the key during the coming step, and whether the key has arrived at its position: then it
    /// needs no other drive before the next position, and a key let up is free.
    pub fn next(&mut self, dip: f64) -> (Drive, bool) {
        let Some(recorded) = &mut self.recorded else { return self.follow(dip) };
        let start = [self.depth, self.speed];
        recorded.time += STEP;
        let to = recorded.motion.end()[0];
        // A way goes on to the end of the step in which it ends; then the key stands.
        let arrives = recorded.time - recorded.way.seconds > (1.0 - 1e-9) * STEP;
        let end = if arrives { [to, 0.0] } else { recorded.way.at(recorded.time) };
        [self.depth, self.speed] = end;
        match arrives && start == end {
            true if to <= 0.0 => (Drive::Free, true),
            stays => (Drive::between(start, end), stays),
        }
    }

    /// [`Self::next`] for key pressure.
    fn follow(&mut self, dip: f64) -> (Drive, bool) {
        let target = if self.is_up() { 0.0 } else { self.target * (dip + INTO_BED) };
        let (start, begun) = (self.depth, [self.depth, self.speed]);
        let rate = 1.0 / LAG;
        let fade = libm::exp(-STEP * rate);
        let away = start - target;
        let slope = self.speed + rate * away;
        self.depth = target + (away + slope * STEP) * fade;
        self.speed = (self.speed - rate * slope * STEP) * fade;
        let arrived = (self.depth - target).abs() < ARRIVED && (self.speed * LAG).abs() < ARRIVED;
        if arrived {
            (self.depth, self.speed) = (target, 0.0);
            if self.is_up() {
                return (Drive::Free, true);
            }
        }
        (Drive::between(begun, [self.depth, self.speed]), arrived)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIP: f64 = 0.01;

    #[test]
    fn a_steady_motion_is_followed_at_its_speed_with_a_delay_of_6_ms() {
        let mut key = Position::at(0.0);
        let speed = 0.05;
        let mut last = 0.0;
        for step in 1..=1200_u32 {
            let time = f64::from(step) * STEP;
            key.send(speed * time / (DIP + INTO_BED));
            let (drive, _) = key.next(DIP);
            let Drive::Motion { depth: [start, end], .. } = drive else { panic!("{drive:?}") };
            assert_eq!(start, last, "no gap");
            last = end;
            if time > 0.04 {
                assert!(((end - start) / STEP / speed - 1.0).abs() < 0.01);
                // A value holds for a whole step.
                let late = time - end / speed;
                assert!((late - 2.0 * LAG).abs() < 1.1 * STEP, "{late}");
            }
        }
    }

    #[test]
    fn recorded_motion_is_followed_at_continuous_speed() {
        let mut key = Position::at(0.0);
        let mut last = [0.0; 2];
        for row in 1..=40_u32 {
            let depth = 2.5e-4 * f64::from(row);
            key.send_depth(depth, 1e-3);
            for step in 1..=8_u32 {
                let (drive, arrived) = key.next(DIP);
                let Drive::Motion { depth: x, speed: v } = drive else { panic!("{drive:?}") };
                assert!([x[0], v[0]] == last && !arrived);
                last = [x[1], v[1]];
                // After the first rows the speed is even.
                let exact = depth - 2.5e-4 * (1.0 - f64::from(step) / 8.0);
                assert!(row < 3 || (x[1] - exact).abs() < 1e-15 && (v[1] - 0.25).abs() < 1e-12);
            }
        }
        let stands = Drive::between([0.01, last[1]], [0.01, 0.0]);
        assert_eq!(key.next(DIP), (stands, false));
        assert_eq!(key.next(DIP), (Drive::line([0.01; 2]), true), "held");
        key.send_depth(-1e-5, 1e-3);
        let up = (0..20).map(|_| key.next(DIP)).find(|(_, arrived)| *arrived);
        assert!(key.is_up() && up == Some((Drive::Free, true)));
    }

    #[test]
    fn a_key_arrives_without_overshoot_and_is_free_when_up() {
        let mut key = Position::at(0.0);
        key.send(1.0);
        let mut steps = 0;
        loop {
            let (drive, arrived) = key.next(DIP);
            let Drive::Motion { depth: [start, end], .. } = drive else { panic!("{drive:?}") };
            assert!(end >= start && end <= DIP + INTO_BED);
            steps += 1;
            if arrived {
                break;
            }
        }
        assert!((0.02..0.06).contains(&(f64::from(steps) * STEP)), "{steps}");
        key.send(0.0);
        let last = (0..1000).map(|_| key.next(DIP)).find(|(_, arrived)| *arrived);
        assert_eq!(last, Some((Drive::Free, true)));
    }
}
