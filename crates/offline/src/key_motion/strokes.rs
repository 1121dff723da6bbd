//! Strokes of keys in recorded motion, and their figures.
//!
//! A stroke begins when a key passes `TOUCHED` downward and ends when it passes it upward. It counts if it
//! passes its let-off. Speeds and acceleration are those of the parabola through the depths of 2 `WINDOW`
//! round the instant, of which no depth in the key bed counts.

use super::KeyMotion;
use touchback_action::ActionSettings;
use touchback_action::grand::design::concert::Design;
use touchback_core::math::compass::KeyNumber;

/// Depth from which a key is touched, m (chosen: five times the noise of optical sensors of 0.01 mm and the
/// slack of a rest felt).
const TOUCHED: f64 = 0.5e-3;

/// Depth at which the damper of a rising key meets its string, m: half of the usual dip.
const DAMPED: f64 = 5e-3;

/// Half the time over which speed and acceleration are fitted, s (chosen: eleven samples at 1 ms, whose
/// rounding to 0.01 mm leaves 0.2 m/s² of the acceleration).
const WINDOW: f64 = 5e-3;

/// Distance from the largest depth at which the bed stops the key, m (chosen: the bed's felt).
const BED: f64 = 0.4e-3;

/// Figures of a stroke; SI units.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stroke {
    /// Key.
    pub key: KeyNumber,
    /// Time of the first touch, s.
    pub begin: f64,
    /// Time at let-off, s.
    pub let_off: f64,
    /// Speed of the key front at let-off, m/s.
    pub speed: f64,
    /// Its acceleration there, m/s².
    pub acceleration: f64,
    /// Largest depth, m.
    pub dip: f64,
    /// Upward speed at which the damper meets the string, m/s; NaN if the take ends before.
    pub release: f64,
    /// Time at which the damper meets the string, s; NaN if the take ends before.
    pub damped: f64,
    /// Time by which the stroke before outlasts this one's let-off, s; negative for a gap, NaN for the first.
    pub overlap: f64,
}

/// Depth of the key front at let-off of `key` in the standard regulation, m.
fn let_off_depth(key: KeyNumber) -> f64 {
    Design::new(key).build(&ActionSettings::default()).regulated.let_off_depth
}

/// All strokes of `motion`, in the order of their let-off.
#[must_use]
pub fn strokes(motion: &KeyMotion) -> Vec<Stroke> {
    let mut found = Vec::new();
    for (key, depths) in &motion.keys {
        of_key(*key, &motion.times, depths, &mut found);
    }
    found.sort_by(|a, b| a.let_off.total_cmp(&b.let_off));
    for i in 1..found.len() {
        let before = found[i - 1].damped;
        found[i].overlap = before - found[i].let_off;
    }
    found
}

fn of_key(key: KeyNumber, times: &[f64], depths: &[f64], found: &mut Vec<Stroke>) {
    let escapement = let_off_depth(key);
    let mut row = 1;
    while row < depths.len() {
        if !(depths[row - 1] < TOUCHED && depths[row] >= TOUCHED) {
            row += 1;
            continue;
        }
        let from = row - 1;
        let end = (row..depths.len()).find(|i| depths[*i] < TOUCHED).unwrap_or(depths.len());
        row = end.max(row + 1);
        let range = from..end;
        let down = |depth: f64| {
            let passes = |i: &usize| depths[i - 1] < depth && depths[*i] >= depth;
            (range.start + 1..range.end).find(passes).map(|i| crossing(times, depths, i, depth))
        };
        let (Some(begin), Some(let_off)) = (down(TOUCHED), down(escapement)) else { continue };
        let last = (range.start + 1..(end + 1).min(depths.len()))
            .rev()
            .find(|i| depths[i - 1] >= DAMPED && depths[*i] < DAMPED);
        let damped = last.map_or(f64::NAN, |i| crossing(times, depths, i, DAMPED));
        let dip = depths[range.clone()].iter().fold(0.0f64, |most, depth| most.max(*depth));
        let bed =
            range.clone().find(|i| depths[*i] > dip - BED).map_or(f64::INFINITY, |i| times[i]);
        let [speed, acceleration] = fitted(times, depths, let_off, bed);
        let [rise, _] = match damped.is_nan() {
            true => [f64::NAN; 2],
            false => fitted(times, depths, damped, f64::INFINITY),
        };
        found.push(Stroke {
            key,
            begin,
            let_off,
            speed,
            acceleration,
            dip,
            release: -rise,
            damped,
            overlap: f64::NAN,
        });
    }
}

/// Time at which the line to row `i` passes `depth`, s.
fn crossing(times: &[f64], depths: &[f64], i: usize, depth: f64) -> f64 {
    let share = (depth - depths[i - 1]) / (depths[i] - depths[i - 1]);
    times[i - 1] + share * (times[i] - times[i - 1])
}

/// Speed and acceleration at `time` by a parabola through the rows of 2 [`WINDOW`] round it, before time
/// `until`, at least three; NaN with fewer.
fn fitted(times: &[f64], depths: &[f64], time: f64, until: f64) -> [f64; 2] {
    let last = (time + WINDOW).min(until.max(time));
    let mut from = times.partition_point(|t| *t < last - 2.0 * WINDOW);
    let mut to = times.partition_point(|t| *t <= last && *t < until);
    if to.saturating_sub(from) < 3 {
        from = from.saturating_sub(1);
        to = (from + 3).min(times.len());
    }
    if to - from < 3 {
        return [f64::NAN; 2];
    }
    // Normal equations of x = a + b s + c s², s in units of the window.
    let mut sums = [0.0; 5];
    let mut right = [0.0; 3];
    for (t, x) in times[from..to].iter().zip(&depths[from..to]) {
        let s = (t - time) / WINDOW;
        let powers = [1.0, s, s * s, s * s * s, s * s * s * s];
        sums.iter_mut().zip(powers).for_each(|(sum, power)| *sum += power);
        right.iter_mut().zip(powers).for_each(|(sum, power)| *sum += power * x);
    }
    let matrix = nalgebra::Matrix3::from_fn(|i, j| sums[i + j]);
    let solved = matrix.lu().solve(&nalgebra::Vector3::from(right));
    solved.map_or([f64::NAN; 2], |x| [x[1] / WINDOW, 2.0 * x[2] / (WINDOW * WINDOW)])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two keys at 1 ms and 0.01 mm: C4 accelerates at 4 m/s² to its bed and rises at 0.1 m/s, D4 begins while
    /// C4 is held.
    fn take() -> KeyMotion {
        let depth = |t: f64, begin: f64, end: f64| {
            let down = 2.0 * (t - begin).max(0.0).powi(2);
            let up = 0.01 - 0.1 * (t - end).max(0.0);
            1e3 * down.min(0.01).min(up).max(0.0)
        };
        let mut text = String::from("t_ms,C4,D4\n");
        for row in 0..1000 {
            let t = 1e-3 * f64::from(row);
            text += &format!("{row},{:.2},{:.2}\n", depth(t, 0.1, 0.5), depth(t, 0.4, 0.8));
        }
        KeyMotion::read("k.csv", text.as_bytes()).unwrap()
    }

    #[test]
    fn figures_of_strokes_are_those_of_the_motion() {
        let found = strokes(&take());
        assert_eq!(found.len(), 2);
        for (stroke, begin) in found.iter().zip([0.1, 0.4]) {
            let depth = let_off_depth(stroke.key);
            let exact = begin + (depth / 2.0).sqrt();
            assert!((stroke.let_off - exact).abs() < 1e-4);
            assert!((stroke.speed - 4.0 * (exact - begin)).abs() < 5e-3, "{}", stroke.speed);
            assert!((stroke.acceleration - 4.0).abs() < 0.5, "{}", stroke.acceleration);
            assert!((stroke.dip - 0.01).abs() < 1e-5 && (stroke.release - 0.1).abs() < 2e-3);
        }
        // C4's damper falls at 0.55 s.
        let overlap = 0.55 - found[1].let_off;
        assert!(found[0].overlap.is_nan() && (found[1].overlap - overlap).abs() < 1e-3);
    }

    #[test]
    fn keys_that_do_not_reach_let_off_and_rest_are_no_strokes() {
        let motion =
            KeyMotion::read("k.csv", b"t_s,C4,E4\n0,0,0.2\n0.1,5,0.2\n0.2,0,0.2\n").unwrap();
        assert_eq!(strokes(&motion), []);
    }
}
