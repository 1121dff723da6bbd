//! The pressed touch, inverted: which finger speed sends the hammer how fast.
//!
//! A finger target moves from the key's rest at constant speed through a one-sided spring
//! (500 N/m, 0.5 N·s/m); the hammer speed it gives was simulated in the standard regulation.

/// Finger speeds of the table, m/s.
const FINGER: [f64; 9] = [0.03, 0.05, 0.08, 0.12, 0.2, 0.3, 0.45, 0.7, 1.0];

/// Hammer speeds, m/s, by key number.
const HAMMER: [(f64, [f64; 9]); 1] =
    [(40.0, [0.2, 0.4, 0.7, 1.1, 1.6, 2.2, 2.9, 3.7, 4.3])];

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
