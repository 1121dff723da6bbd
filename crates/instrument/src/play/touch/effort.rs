//! Effort of a finger for a hammer speed, on any action.

use crate::play::engine_traits::Keys;
use crate::play::touch::finger::{grand_press, struck_effort};
use touchback_action::interface::press::Effort;
use touchback_core::math::compass::KeyNumber;

/// Hammer speed that every press reaches, m/s (forte is 4 to 5 m/s).
const EASY: f64 = 1.0;
/// Number of bisections between [`EASY`] and a speed out of reach: gives the fastest press to 0.2 %.
const HALVINGS: usize = 12;

/// Effort on `key` for a hammer speed, m/s: a press, or beyond the fastest press its extrapolation.
/// `dip`: depth of the grand's key bed, m.
pub(crate) fn of(keys: &impl Keys, dip: f64, key: KeyNumber, hammer_speed: f64) -> Effort {
    let pressed = |speed| {
        keys.pressing(key, speed).filter(|effort| {
            let (Effort::Muscle(value) | Effort::Even(value)) = *effort;
            value.is_finite() && value > 0.0
        })
    };
    if let Some(effort) = pressed(hammer_speed) {
        return effort;
    }
    let mut strongest = None;
    if hammer_speed > EASY
        && let Some(effort) = pressed(EASY)
    {
        strongest = Some((EASY, effort));
        let (mut low, mut high) = (EASY, hammer_speed);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            match pressed(middle) {
                Some(effort) => {
                    strongest = Some((middle, effort));
                    low = middle;
                }
                None => high = middle,
            }
        }
    }
    let press = keys.press(key).unwrap_or_else(|| grand_press(key, dip));
    struck_effort(&press, hammer_speed, strongest)
}
