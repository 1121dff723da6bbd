//! The pressed touch: muscle force of a hand as a function of hammer speed.
//!
//! A [hand](crate::interface::hand) at rest on the resting key presses it. The hammer speed for each force
//! of its muscle was simulated in the standard regulation: `touchback lab fit` prints the table, and
//! `crates/instrument/tests/piano/keyboard.rs` checks it against the action.

/// Muscle forces of the table, N.
pub const FORCE: [f64; 15] =
    [2.0, 2.15, 2.3, 2.6, 2.9, 3.35, 3.8, 5.2, 7.6, 12.0, 20.0, 35.0, 60.0, 110.0, 220.0];

/// Hammer speeds, m/s, for each of [`FORCE`], by key number. The last key with a damper is 68.
pub const HAMMER: [(f64, [f64; FORCE.len()]); 6] = [
    (
        1.0,
        [
            0.039, 0.097, 0.132, 0.187, 0.235, 0.305, 0.377, 0.587, 0.875, 1.246, 1.713, 2.302,
            2.909, 3.625, 4.511,
        ],
    ),
    (
        22.0,
        [
            0.065, 0.109, 0.140, 0.193, 0.239, 0.309, 0.381, 0.591, 0.880, 1.254, 1.725, 2.322,
            2.941, 3.671, 4.574,
        ],
    ),
    (
        40.0,
        [
            0.080, 0.117, 0.146, 0.195, 0.240, 0.310, 0.382, 0.594, 0.883, 1.260, 1.734, 2.340,
            2.971, 3.718, 4.644,
        ],
    ),
    (
        68.0,
        [
            0.092, 0.121, 0.144, 0.185, 0.231, 0.303, 0.377, 0.593, 0.882, 1.260, 1.741, 2.358,
            3.015, 3.800, 4.781,
        ],
    ),
    (
        69.0,
        [
            0.140, 0.161, 0.182, 0.228, 0.277, 0.350, 0.424, 0.638, 0.919, 1.310, 1.828, 2.480,
            3.164, 3.994, 5.014,
        ],
    ),
    (
        88.0,
        [
            0.111, 0.126, 0.143, 0.189, 0.244, 0.326, 0.403, 0.621, 0.907, 1.284, 1.806, 2.475,
            3.185, 4.050, 5.129,
        ],
    ),
];

/// Muscle force, N, for `hammer_speed` m/s at key `number`; `None` above the highest speed of the table.
/// Below the lowest speed it is the least force, which still strikes.
#[must_use]
pub fn force(number: f64, hammer_speed: f64) -> Option<f64> {
    let upper = HAMMER.partition_point(|row| row.0 < number).min(HAMMER.len() - 1);
    let lower = upper.saturating_sub(1);
    let (a, b) = (&HAMMER[lower], &HAMMER[upper]);
    let share = if b.0 > a.0 { ((number - a.0) / (b.0 - a.0)).clamp(0.0, 1.0) } else { 0.0 };
    let speed = |i: usize| a.1[i] + (b.1[i] - a.1[i]) * share;
    let last = FORCE.len() - 1;
    if hammer_speed <= speed(0) {
        return Some(FORCE[0]);
    }
    if hammer_speed > speed(last) || hammer_speed.is_nan() {
        return None;
    }
    let i = (1..last).find(|&i| hammer_speed <= speed(i)).unwrap_or(last);
    let share = libm::log(hammer_speed / speed(i - 1)) / libm::log(speed(i) / speed(i - 1));
    Some(FORCE[i - 1] * libm::pow(FORCE[i] / FORCE[i - 1], share))
}
