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
            0.076, 0.113, 0.141, 0.186, 0.234, 0.314, 0.392, 0.614, 0.923, 1.265, 1.714, 2.283,
            2.869, 3.573, 4.435,
        ],
    ),
    (
        22.0,
        [
            0.087, 0.120, 0.145, 0.190, 0.239, 0.319, 0.397, 0.619, 0.929, 1.273, 1.727, 2.303,
            2.900, 3.617, 4.500,
        ],
    ),
    (
        40.0,
        [
            0.093, 0.122, 0.145, 0.192, 0.241, 0.321, 0.399, 0.622, 0.933, 1.279, 1.737, 2.321,
            2.931, 3.663, 4.571,
        ],
    ),
    (
        68.0,
        [
            0.084, 0.107, 0.132, 0.182, 0.235, 0.317, 0.395, 0.623, 0.936, 1.285, 1.745, 2.343,
            2.981, 3.743, 4.699,
        ],
    ),
    (
        69.0,
        [
            0.130, 0.159, 0.187, 0.236, 0.286, 0.364, 0.440, 0.666, 0.973, 1.335, 1.834, 2.463,
            3.129, 3.938, 4.933,
        ],
    ),
    (
        88.0,
        [
            0.070, 0.109, 0.147, 0.206, 0.261, 0.344, 0.422, 0.656, 0.963, 1.318, 1.820, 2.469,
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
