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
            0.033, 0.094, 0.129, 0.182, 0.233, 0.310, 0.386, 0.593, 0.880, 1.245, 1.709, 2.283,
            2.869, 3.572, 4.432,
        ],
    ),
    (
        22.0,
        [
            0.060, 0.105, 0.136, 0.187, 0.238, 0.315, 0.391, 0.598, 0.885, 1.253, 1.721, 2.303,
            2.900, 3.616, 4.498,
        ],
    ),
    (
        40.0,
        [
            0.078, 0.114, 0.140, 0.191, 0.243, 0.321, 0.397, 0.604, 0.890, 1.260, 1.731, 2.322,
            2.931, 3.662, 4.570,
        ],
    ),
    (
        68.0,
        [
            0.082, 0.107, 0.133, 0.191, 0.247, 0.324, 0.398, 0.608, 0.894, 1.266, 1.739, 2.342,
            2.981, 3.743, 4.699,
        ],
    ),
    (
        69.0,
        [
            0.128, 0.158, 0.189, 0.246, 0.298, 0.372, 0.443, 0.651, 0.930, 1.315, 1.827, 2.462,
            3.128, 3.938, 4.933,
        ],
    ),
    (
        88.0,
        [
            0.067, 0.109, 0.150, 0.218, 0.275, 0.352, 0.426, 0.639, 0.921, 1.298, 1.812, 2.467,
            3.158, 3.996, 5.047,
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
