//! The pressed touch, inverted: which force of a hand's muscle sends the hammer how fast.
//!
//! A [hand](crate::action::interface::hand) at rest on the resting key presses it; the hammer speed
//! its muscle's force gives was simulated in the standard regulation: `touchback lab fit` prints the
//! table and `tests/piano/keyboard.rs` holds it to the action.

/// Forces of the table, N.
pub const FORCE: [f64; 12] = [2.0, 2.3, 2.9, 3.8, 5.2, 7.6, 12.0, 20.0, 35.0, 60.0, 110.0, 220.0];

/// Hammer speeds, m/s, by key number, one for each force.
pub const HAMMER: [(f64, [f64; 12]); 5] = [
    (1.0, [0.12, 0.23, 0.39, 0.57, 0.78, 1.04, 1.42, 1.93, 2.57, 3.23, 3.99, 4.91]),
    (22.0, [0.15, 0.25, 0.40, 0.58, 0.80, 1.06, 1.43, 1.95, 2.60, 3.27, 4.05, 4.98]),
    (40.0, [0.17, 0.26, 0.42, 0.60, 0.81, 1.07, 1.45, 1.97, 2.63, 3.32, 4.12, 5.08]),
    (64.0, [0.20, 0.29, 0.44, 0.62, 0.84, 1.11, 1.48, 2.01, 2.69, 3.41, 4.25, 5.26]),
    (88.0, [0.30, 0.38, 0.51, 0.69, 0.91, 1.20, 1.60, 2.18, 2.94, 3.75, 4.70, 5.82]),
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
