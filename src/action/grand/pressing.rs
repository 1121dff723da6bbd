//! The pressed touch, inverted: which force of a hand's muscle sends the hammer how fast.
//!
//! A [hand](crate::action::interface::hand) at rest on the resting key presses it; the hammer speed
//! its muscle's force gives was simulated in the standard regulation: `touchback lab fit` prints the
//! table and `tests/piano/keyboard.rs` holds it to the action.

/// Forces of the table, N.
pub const FORCE: [f64; 12] = [2.0, 2.3, 2.9, 3.8, 5.2, 7.6, 12.0, 20.0, 35.0, 60.0, 110.0, 220.0];

/// Hammer speeds, m/s, by key number, one for each force.
pub const HAMMER: [(f64, [f64; 12]); 5] = [
    (1.0, [0.13, 0.21, 0.35, 0.52, 0.73, 1.00, 1.41, 1.95, 2.61, 3.26, 4.01, 4.91]),
    (22.0, [0.14, 0.22, 0.35, 0.53, 0.74, 1.01, 1.42, 1.97, 2.64, 3.30, 4.07, 4.98]),
    (40.0, [0.14, 0.22, 0.36, 0.53, 0.75, 1.01, 1.42, 1.98, 2.67, 3.35, 4.14, 5.07]),
    (64.0, [0.14, 0.22, 0.36, 0.53, 0.75, 1.02, 1.42, 1.99, 2.70, 3.42, 4.25, 5.24]),
    (88.0, [0.17, 0.26, 0.38, 0.56, 0.79, 1.05, 1.48, 2.11, 2.90, 3.69, 4.62, 5.72]),
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
