//! The pressed touch, inverted: which finger speed sends the hammer how fast.
//!
//! A finger target moves from the key's rest at constant speed through a one-sided spring
//! (500 N/m, 0.5 N·s/m); the hammer speed it gives was simulated in the standard regulation, and
//! `tests/keyboard.rs` holds the table to the action.

/// Finger speeds of the table, m/s.
pub const FINGER: [f64; 12] = [0.065, 0.07, 0.08, 0.1, 0.12, 0.15, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0];

/// How far the table's finger target goes, m: past the key bed, up to 25 N of static force.
pub const REACH: f64 = 0.05;

/// Hammer speeds, m/s, by key number, one for each finger speed.
pub const HAMMER: [(f64, [f64; 12]); 5] = [
    (1.0, [0.40, 0.52, 0.67, 0.91, 1.09, 1.32, 1.61, 2.02, 2.42, 2.73, 3.05, 3.32]),
    (22.0, [0.38, 0.51, 0.67, 0.91, 1.10, 1.34, 1.64, 2.06, 2.48, 2.79, 3.13, 3.41]),
    (40.0, [0.35, 0.48, 0.66, 0.92, 1.12, 1.36, 1.67, 2.11, 2.55, 2.88, 3.22, 3.51]),
    (64.0, [0.22, 0.39, 0.61, 0.92, 1.14, 1.40, 1.74, 2.22, 2.70, 3.05, 3.42, 3.73]),
    (88.0, [0.20, 0.39, 0.66, 1.02, 1.29, 1.59, 1.97, 2.52, 3.10, 3.54, 4.00, 4.38]),
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
