//! Imposed motion through the points of a table, whose speed is continuous.

use touchback_action::interface::trajectory::{Cubic, ROUNDED, SAMPLED, limited};

/// A motion of the key front: cubics one after another, still before the first and after the last.
///
/// Points at most [`SAMPLED`] s apart are joined by a cubic spline, the smoothest curve through them; it leaves the
/// range of two neighbours by 10 µm at most. Points further apart are joined by straight lines, whose speed changes
/// within [`ROUNDED`] s about the points.
#[derive(Clone, PartialEq, Debug)]
pub struct Motion {
    /// Time, s, depth, m, and speed, m/s, where two cubics meet.
    knots: Vec<[f64; 3]>,
}

impl Motion {
    /// The motion through `points`, each a time, s, and a depth, m.
    pub fn through(points: &[(f64, f64)]) -> Self {
        let mut knots = Vec::with_capacity(points.len());
        let is_line = |i: usize| points[i + 1].0 - points[i].0 > SAMPLED;
        let slope = |i: usize| (points[i + 1].1 - points[i].1) / (points[i + 1].0 - points[i].0);
        let last = points.len().saturating_sub(1);
        let mut begin = 0;
        while begin < last {
            if is_line(begin) {
                let ((from, x), (to, y), v) = (points[begin], points[begin + 1], slope(begin));
                // A line that begins or ends at rest, or beside a spline, meets its point.
                if begin == 0 {
                    knots.push([from, x, 0.0]);
                }
                knots.push([from + ROUNDED, x + v * ROUNDED, v]);
                knots.push([to - ROUNDED, y - v * ROUNDED, v]);
                if begin + 1 == last {
                    knots.push([to, y, 0.0]);
                }
                begin += 1;
                continue;
            }
            let end = (begin..last).find(|i| is_line(*i)).unwrap_or(last);
            let first = if begin == 0 { 0.0 } else { slope(begin - 1) };
            let final_speed = if end == last { None } else { Some(slope(end)) };
            let part = &points[begin..=end];
            let speeds = spline(part, first, final_speed);
            knots.extend(part.iter().zip(speeds).map(|((t, x), v)| [*t, *x, v]));
            begin = end;
        }
        if knots.is_empty() {
            knots.extend(points.iter().map(|(t, x)| [*t, *x, 0.0]));
        }
        Self { knots }
    }

    /// A straight line between two points, each a time, s, and a depth, m, from rest to rest.
    pub fn line([from, x]: [f64; 2], [to, y]: [f64; 2]) -> Self {
        let mut knots = vec![[from, x, 0.0]];
        let rounded = 2.0 * ROUNDED;
        if to - from > 2.0 * rounded {
            let v = (y - x) / (to - from - rounded);
            knots.push([from + rounded, x + v * ROUNDED, v]);
            knots.push([to - rounded, y - v * ROUNDED, v]);
        }
        if to > from {
            knots.push([to, y, 0.0]);
        }
        Self { knots }
    }

    /// The motion through `points`, each a time, s, a depth, m, and a speed, m/s.
    pub const fn of(points: Vec<[f64; 3]>) -> Self {
        Self { knots: points }
    }

    /// Depth, m, and speed, m/s, at `time` s.
    pub fn at(&self, time: f64) -> [f64; 2] {
        let next = self.knots.partition_point(|knot| knot[0] <= time);
        let (before, after) = (next.checked_sub(1), self.knots.get(next));
        match (before.map(|i| self.knots[i]), after) {
            (Some([from, x, v]), Some([to, y, w])) => {
                let cubic = Cubic { depth: [x, *y], speed: [v, *w], seconds: to - from };
                cubic.at(time - from)
            }
            (Some([_, x, v]), None) => [x, if time > self.end() { 0.0 } else { v }],
            (None, after) => [after.map_or(0.0, |knot| knot[1]), 0.0],
        }
    }

    fn end(&self) -> f64 {
        self.knots.last().map_or(0.0, |knot| knot[0])
    }
}

/// Speeds, m/s, of the cubic spline through `points` that begins at the speed `first` and ends at `last`; with a free
/// end where that is none.
fn spline(points: &[(f64, f64)], first: f64, last: Option<f64>) -> Vec<f64> {
    let n = points.len();
    let span = |i: usize| points[i + 1].0 - points[i].0;
    let mean = |i: usize| (points[i + 1].1 - points[i].1) / span(i);
    // Equal accelerations on both sides of a point: three speeds in a row; eliminated downward, solved upward.
    let (mut shares, mut speeds) = (vec![0.0; n], vec![first; n]);
    for i in 1..n {
        let before = 1.0 / span(i - 1);
        let (own, after, right) = if i + 1 < n {
            let after = 1.0 / span(i);
            (2.0 * (before + after), after, 3.0 * (mean(i - 1) * before + mean(i) * after))
        } else if let Some(last) = last {
            speeds[i] = last;
            continue;
        } else {
            (2.0 * before, 0.0, 3.0 * mean(i - 1) * before)
        };
        let pivot = own - before * shares[i - 1];
        shares[i] = after / pivot;
        speeds[i] = (right - before * speeds[i - 1]) / pivot;
    }
    for i in (1..n - 1).rev() {
        speeds[i] -= shares[i] * speeds[i + 1];
    }
    for (i, speed) in speeds.iter_mut().enumerate().skip(1) {
        *speed = limited(*speed, mean(i - 1), span(i - 1));
        if i + 1 < n {
            *speed = limited(*speed, mean(i), span(i));
        }
    }
    speeds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sampled_motion_has_its_own_speed_between_the_samples() {
        let (rate, size) = (std::f64::consts::TAU * 10.0, 2e-3);
        let path = |t: f64| size * (1.0 - (rate * t).cos());
        let points: Vec<(f64, f64)> =
            (0..200).map(|i| 1e-3 * f64::from(i)).map(|t| (t, path(t))).collect();
        let motion = Motion::through(&points);
        for i in 0..1900 {
            let time = 1e-4 * f64::from(i) + 1e-3;
            let [depth, speed] = motion.at(time);
            assert!((depth - path(time)).abs() < 1e-9, "{time}");
            assert!((speed - size * rate * (rate * time).sin()).abs() < 2e-6, "{time}");
        }
    }

    #[test]
    fn drawn_lines_stay_lines_with_rounded_corners() {
        let motion = Motion::through(&[(0.0, 0.0), (0.1, 0.0), (0.2, 0.01), (1.0, 0.01)]);
        assert_eq!(motion.at(0.05), [0.0, 0.0]);
        let [depth, speed] = motion.at(0.15);
        assert!((depth - 5e-3).abs() < 1e-15 && (speed - 0.1).abs() < 1e-15);
        assert_eq!(motion.at(0.5), [0.01, 0.0]);
        let depths = (0..1000).map(|i| motion.at(1e-3 * f64::from(i))[0]);
        assert!(depths.into_iter().all(|depth| (-1e-15..=0.01 + 1e-15).contains(&depth)));
    }

    /// A spline swings beyond a sudden stop of the points.
    #[test]
    fn a_motion_stays_within_its_points() {
        let points: Vec<(f64, f64)> =
            (0..40).map(|i| (1e-3 * f64::from(i), if i < 20 { 0.0 } else { 5e-3 })).collect();
        let motion = Motion::through(&points);
        for i in 0..4000 {
            let depth = motion.at(1e-5 * f64::from(i))[0];
            assert!((-21e-6..5.021e-3).contains(&depth), "{depth}");
        }
    }
}
