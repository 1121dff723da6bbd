//! The pressed touch, inverted: which finger speed sends the hammer how fast.
//!
//! A finger target moves from the key's rest at constant speed through a one-sided spring
//! (500 N/m, 0.5 N·s/m); the hammer speed it gives was simulated in the standard regulation, and
//! `touchback lab fit` prints the table and `tests/piano/keyboard.rs` holds it to the action.

/// Finger speeds of the table, m/s.
pub const FINGER: [f64; 12] = [0.075, 0.08, 0.09, 0.1, 0.12, 0.15, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0];

/// How far the table's finger target goes, m: past the key bed, up to 25 N of static force.
pub const REACH: f64 = 0.05;

/// Hammer speeds, m/s, by key number, one for each finger speed.
pub const HAMMER: [(f64, [f64; 12]); 5] = [
    (1.0, [0.46, 0.55, 0.70, 0.82, 1.01, 1.21, 1.47, 1.85, 2.26, 2.57, 2.90, 3.17]),
    (22.0, [0.45, 0.54, 0.70, 0.82, 1.02, 1.23, 1.50, 1.89, 2.31, 2.63, 2.97, 3.25]),
    (40.0, [0.42, 0.52, 0.69, 0.82, 1.03, 1.26, 1.54, 1.94, 2.37, 2.70, 3.06, 3.34]),
    (64.0, [0.33, 0.45, 0.65, 0.80, 1.04, 1.29, 1.60, 2.03, 2.50, 2.86, 3.24, 3.55]),
    (88.0, [0.32, 0.47, 0.71, 0.89, 1.17, 1.49, 1.89, 2.43, 3.00, 3.42, 3.87, 4.24]),
];

/// Finger speed, m/s, for a hammer speed at key `number`; `None` above what pressing reaches.
/// Below the table the softest press that still strikes is returned.
#[must_use]
pub fn finger_speed(number: f64, hammer_speed: f64) -> Option<f64> {
    let upper = HAMMER.partition_point(|row| row.0 < number).min(HAMMER.len() - 1);
    let lower = upper.saturating_sub(1);
    let (a, b) = (&HAMMER[lower], &HAMMER[upper]);
    let share = if b.0 > a.0 { ((number - a.0) / (b.0 - a.0)).clamp(0.0, 1.0) } else { 0.0 };
    let speed = |i: usize| a.1[i] + (b.1[i] - a.1[i]) * share;
    let last = FINGER.len() - 1;
    if hammer_speed <= speed(0) {
        return Some(FINGER[0]);
    }
    if hammer_speed > speed(last) || hammer_speed.is_nan() {
        return None;
    }
    let i = (1..last).find(|&i| hammer_speed <= speed(i)).unwrap_or(last);
    let share = (hammer_speed / speed(i - 1)).ln() / (speed(i) / speed(i - 1)).ln();
    Some(FINGER[i - 1] * (FINGER[i] / FINGER[i - 1]).powf(share))
}
