//! Imposed motions of the key front, whose speed is continuous.
//!
//! A motion that is known at the ends of a step by position and speed is a [`Cubic`]; one that is known by
//! positions alone, which arrive one by one, is a [`Trajectory`].

use super::constants::STEP;
use super::port::Drive;

/// A motion with depths and speeds given at both ends: a cubic in time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cubic {
    /// Depths at begin and end, m.
    pub depth: [f64; 2],
    /// Speeds at begin and end, m/s.
    pub speed: [f64; 2],
    /// Duration, s.
    pub seconds: f64,
}

impl Cubic {
    /// Depth, m, and speed, m/s, at `time` s after the begin.
    #[must_use]
    pub fn at(&self, time: f64) -> [f64; 2] {
        let [a, b] = self.accelerations();
        let [x, v] = [self.depth[0], self.speed[0]];
        let jerk = (b - a) / self.seconds;
        let speed = v + time * (a + 0.5 * time * jerk);
        [x + time * (v + time * (0.5 * a + time * jerk / 6.0)), speed]
    }

    /// Accelerations at begin and end, m/s²; linear in between.
    #[must_use]
    pub fn accelerations(&self) -> [f64; 2] {
        let ([x0, x1], [v0, v1], h) = (self.depth, self.speed, self.seconds);
        let mean = (x1 - x0) / h;
        [(6.0 * mean - 4.0 * v0 - 2.0 * v1) / h, (4.0 * v1 + 2.0 * v0 - 6.0 * mean) / h]
    }

    /// Whether the speed keeps its sign: false also near a reversal.
    fn keeps_direction(&self) -> bool {
        let ([x0, x1], [v0, v1]) = (self.depth, self.speed);
        // Bernstein coefficients of the speed, between which it lies.
        let middle = 3.0 * (x1 - x0) / self.seconds - v0 - v1;
        let (least, most) = (v0.min(v1).min(middle), v0.max(v1).max(middle));
        least >= 0.0 || most <= 0.0
    }
}

/// Longest time between two positions that are joined by a cubic, s; over a longer one the motion is a straight
/// line (chosen: position sensors and recordings have more than 200 positions a second, drawn lines have fewer).
pub const SAMPLED: f64 = 5e-3;
/// Half of the time in which a straight motion takes up the speed of the next, s (chosen: as quick as a finger).
pub const ROUNDED: f64 = 1e-3;
/// Distance by which a motion may leave the range of the positions that it joins, m (chosen: less than the
/// resolution of sensors).
const BEYOND: f64 = 10e-6;

/// `speed` m/s at an end of a cubic over `seconds` whose mean speed is `mean` m/s, limited so that the cubic
/// leaves the range of its ends by 10 µm at most.
#[must_use]
pub fn limited(speed: f64, mean: f64, seconds: f64) -> f64 {
    // The cubic that begins at rest and ends at `speed` where it began leaves its ends by 4/27 · speed · time.
    let beyond = BEYOND * 6.75 / seconds;
    speed.clamp((3.0 * mean).min(0.0) - beyond, (3.0 * mean).max(0.0) + beyond)
}

/// A motion through positions that arrive one by one.
///
/// The speed at a position is that of the parabola through it and the two before: exact for a constant
/// acceleration, and without memory of older positions. Over more than [`SAMPLED`] s the motion is a straight
/// line, whose speed is taken up within twice [`ROUNDED`] s.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Trajectory {
    depth: f64,
    speed: f64,
    /// Mean speed to the last position, m/s, and its duration, s.
    mean: f64,
    seconds: f64,
}

impl Trajectory {
    /// A motion that begins at the depth `depth` m with the speed `speed` m/s.
    #[must_use]
    pub const fn at(depth: f64, speed: f64) -> Self {
        Self { depth, speed, mean: speed, seconds: STEP }
    }

    /// Depth, m, and speed, m/s, at the last position.
    #[must_use]
    pub const fn end(&self) -> [f64; 2] {
        [self.depth, self.speed]
    }

    /// Goes to `depth` m in `seconds`.
    pub fn reach(&mut self, depth: f64, seconds: f64) -> Way {
        let from = [self.depth, self.speed];
        let mean = (depth - self.depth) / seconds;
        let is_sampled = seconds <= SAMPLED;
        let speed = if is_sampled {
            let before = self.seconds.min(SAMPLED);
            let bend = (mean - self.mean) * seconds / (seconds + before);
            limited(mean + bend, mean, seconds)
        } else {
            mean
        };
        *self = Self { depth, speed, mean, seconds };
        let (taken, line) = if is_sampled { (seconds, 0.0) } else { (2.0 * ROUNDED, mean) };
        let until = if is_sampled { depth } else { from[0] + mean * taken };
        let first = Cubic { depth: [from[0], until], speed: [from[1], speed], seconds: taken };
        Way { first, line, seconds }
    }

    /// The drive of one step to `depth` m.
    pub fn step(&mut self, depth: f64) -> Drive {
        let from = self.end();
        self.reach(depth, STEP);
        Drive::between(from, self.end())
    }
}

/// The motion of a [`Trajectory`] from one position to the next: a cubic, and a straight line after it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Way {
    first: Cubic,
    /// Speed after the cubic, m/s.
    line: f64,
    /// Duration, s.
    pub seconds: f64,
}

impl Way {
    /// Depth, m, and speed, m/s, at `time` s after the begin, at most the duration.
    #[must_use]
    pub fn at(&self, time: f64) -> [f64; 2] {
        let after = time - self.first.seconds;
        if after <= 0.0 {
            return self.first.at(time);
        }
        [self.first.depth[1] + self.line * after, self.line]
    }
}

/// Whether `to`, a depth, m, and a speed, m/s, does not continue `from` but for rounding.
pub(crate) fn is_jump(from: [f64; 2], to: [f64; 2]) -> bool {
    !((to[0] - from[0]).abs() < 1e-12 && (to[1] - from[1]).abs() < 1e-9)
}

/// Least travel of a step whose work gives the force, m: the rounding of the work counts for 10⁻⁷ N.
const LEAST_TRAVEL: f64 = 1e-10;

/// Force that answers the imposed motion `drive` of a step, N: its `work`, J, over the travel from `before`, m. Where
/// the key stands or turns, the work says nothing, and the force is the mean of those `at_ends` of the step. NaN
/// unless the motion is imposed.
pub fn answer(drive: Drive, before: f64, work: f64, at_ends: impl FnOnce() -> [f64; 2]) -> f64 {
    let Drive::Motion { depth, speed } = drive else { return f64::NAN };
    let travel = depth[1] - before;
    let is_one_way = Cubic { depth, speed, seconds: STEP }.keeps_direction();
    if is_one_way && travel.abs() > LEAST_TRAVEL {
        return work / travel;
    }
    let [begin, end] = at_ends();
    0.5 * (begin + end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_meets_its_ends_and_accelerates_linearly() {
        let cubic = Cubic { depth: [1e-3, 4e-3], speed: [0.1, -0.2], seconds: 0.02 };
        for (time, end) in [(0.0, 0), (0.02, 1)] {
            let [depth, speed] = cubic.at(time);
            assert!((depth - cubic.depth[end]).abs() < 1e-15);
            assert!((speed - cubic.speed[end]).abs() < 1e-13);
        }
        let [a, b] = cubic.accelerations();
        let gain = 0.5 * (a + b) * cubic.seconds;
        assert!((gain - (cubic.speed[1] - cubic.speed[0])).abs() < 1e-13);
    }

    /// Positions of a constant acceleration, whatever their distance in time.
    #[test]
    fn positions_of_a_constant_acceleration_give_its_speed() {
        let (mut motion, mut time) = (Trajectory::at(0.0, 0.0), 0.0);
        for (i, seconds) in [1e-3, 1e-3, 2e-3, 5e-4, 4e-3].into_iter().enumerate() {
            time += seconds;
            motion.reach(3.0 * time * time, seconds);
            if i > 0 {
                assert!((motion.end()[1] - 6.0 * time).abs() < 1e-12, "{i}");
            }
        }
    }

    #[test]
    fn drawn_lines_stay_lines_and_their_corners_are_rounded() {
        let mut motion = Trajectory::at(0.0, 0.0);
        let down = motion.reach(8e-3, 0.08);
        let stop = motion.reach(8e-3, 0.2);
        assert_eq!(down.at(0.0), [0.0, 0.0]);
        let [depth, speed] = down.at(0.04);
        assert!((depth - 4e-3).abs() < 1e-15 && (speed - 0.1).abs() < 1e-15);
        let deepest = (0..200).map(|i| stop.at(f64::from(i) * 1e-5)[0]).fold(0.0, f64::max);
        assert!(deepest < 8e-3 + 31e-6, "{deepest}");
        assert_eq!(stop.at(0.1), [8e-3, 0.0]);
    }

    /// White noise of 1 µm in the positions must not grow.
    #[test]
    fn noise_in_the_positions_does_not_grow() {
        let mut motion = Trajectory::at(0.0, 0.0);
        let mut random = touchback_core::math::random::Random::new(7);
        let mut fastest = 0.0f64;
        for _ in 0..10_000 {
            motion.step(1e-6 * (random.share() - 0.5));
            fastest = fastest.max(motion.end()[1].abs());
        }
        assert!(fastest < 4e-6 / STEP, "{fastest} m/s");
    }
}
