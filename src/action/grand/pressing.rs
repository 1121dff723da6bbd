//! The pressed touch, inverted: which force of a hand's muscle sends the hammer how fast.
//!
//! A [hand](crate::action::interface::hand) at rest on the resting key presses it; the hammer speed
//! its muscle's force gives was simulated in the standard regulation: `touchback lab fit` prints the
//! table and `tests/piano/keyboard.rs` holds it to the action.

/// Forces of the table, N.
pub const FORCE: [f64; 15] =
    [2.0, 2.15, 2.3, 2.6, 2.9, 3.35, 3.8, 5.2, 7.6, 12.0, 20.0, 35.0, 60.0, 110.0, 220.0];

/// Hammer speeds, m/s, by key number, one for each force. The last damper ends at key 68.
pub const HAMMER: [(f64, [f64; FORCE.len()]); 6] = [
    (
        1.0,
        [
            0.129, 0.171, 0.210, 0.281, 0.347, 0.438, 0.522, 0.734, 1.004, 1.407, 1.949, 2.612,
            3.261, 4.014, 4.908,
        ],
    ),
    (
        22.0,
        [
            0.137, 0.179, 0.217, 0.287, 0.353, 0.444, 0.527, 0.740, 1.010, 1.417, 1.967, 2.641,
            3.302, 4.070, 4.984,
        ],
    ),
    (
        40.0,
        [
            0.141, 0.183, 0.222, 0.291, 0.356, 0.447, 0.532, 0.745, 1.015, 1.422, 1.982, 2.668,
            3.348, 4.135, 5.074,
        ],
    ),
    (
        68.0,
        [
            0.133, 0.179, 0.220, 0.292, 0.355, 0.446, 0.533, 0.756, 1.018, 1.416, 1.990, 2.708,
            3.436, 4.272, 5.273,
        ],
    ),
    (
        69.0,
        [
            0.200, 0.240, 0.276, 0.338, 0.399, 0.491, 0.578, 0.788, 1.060, 1.507, 2.127, 2.876,
            3.620, 4.483, 5.510,
        ],
    ),
    (
        88.0,
        [
            0.167, 0.216, 0.258, 0.326, 0.385, 0.473, 0.563, 0.788, 1.052, 1.475, 2.109, 2.896,
            3.692, 4.616, 5.725,
        ],
    ),
];

/// Force, N, for a hammer speed at key `number`; `None` above what pressing reaches.
/// Below the table the softest press that still strikes is returned.
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
    let share = (hammer_speed / speed(i - 1)).ln() / (speed(i) / speed(i - 1)).ln();
    Some(FORCE[i - 1] * (FORCE[i] / FORCE[i - 1]).powf(share))
}
