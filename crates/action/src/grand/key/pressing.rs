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
            0.073, 0.113, 0.143, 0.194, 0.246, 0.321, 0.395, 0.600, 0.883, 1.247, 1.708, 2.281,
            2.869, 3.573, 4.435,
        ],
    ),
    (
        22.0,
        [
            0.085, 0.120, 0.147, 0.199, 0.250, 0.326, 0.400, 0.605, 0.888, 1.255, 1.720, 2.301,
            2.900, 3.617, 4.500,
        ],
    ),
    (
        40.0,
        [
            0.091, 0.122, 0.147, 0.200, 0.253, 0.328, 0.402, 0.608, 0.892, 1.261, 1.730, 2.319,
            2.931, 3.663, 4.571,
        ],
    ),
    (
        68.0,
        [
            0.083, 0.107, 0.134, 0.192, 0.247, 0.325, 0.399, 0.609, 0.894, 1.266, 1.739, 2.342,
            2.981, 3.743, 4.699,
        ],
    ),
    (
        69.0,
        [
            0.129, 0.159, 0.189, 0.246, 0.298, 0.372, 0.444, 0.651, 0.930, 1.315, 1.827, 2.461,
            3.129, 3.938, 4.933,
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
