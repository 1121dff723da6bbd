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
            0.124, 0.167, 0.206, 0.277, 0.345, 0.437, 0.519, 0.730, 1.007, 1.418, 1.967, 2.633,
            3.279, 4.043, 4.908,
        ],
    ),
    (
        22.0,
        [
            0.132, 0.175, 0.213, 0.284, 0.350, 0.442, 0.525, 0.735, 1.013, 1.428, 1.986, 2.662,
            3.323, 4.101, 4.994,
        ],
    ),
    (
        40.0,
        [
            0.136, 0.179, 0.218, 0.287, 0.353, 0.446, 0.529, 0.740, 1.017, 1.434, 2.001, 2.691,
            3.369, 4.167, 5.095,
        ],
    ),
    (
        68.0,
        [
            0.125, 0.173, 0.215, 0.286, 0.351, 0.444, 0.530, 0.748, 1.018, 1.427, 2.011, 2.734,
            3.455, 4.293, 5.307,
        ],
    ),
    (
        69.0,
        [
            0.199, 0.240, 0.275, 0.338, 0.398, 0.491, 0.578, 0.788, 1.062, 1.511, 2.134, 2.882,
            3.625, 4.498, 5.534,
        ],
    ),
    (
        88.0,
        [
            0.163, 0.213, 0.256, 0.325, 0.384, 0.473, 0.563, 0.788, 1.051, 1.478, 2.113, 2.901,
            3.687, 4.607, 5.660,
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
