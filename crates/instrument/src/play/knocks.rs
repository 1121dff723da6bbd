//! Knocks that the events of an action make.

use crate::play::shank;
use touchback_action::{GRAVITY, KeyEvent};
use touchback_core::math::power::square;
use touchback_sound::Knock;

/// Speed of a jack that its spring turns back under the knuckle, m/s (chosen: 6 mm in 12 ms).
const JACK_BACK: f64 = 0.5;

/// The knock of `event` and its speed, m/s; `strike_speed` is that of the key's last strike, m/s. `None` for
/// an event that makes no knock.
#[must_use]
pub fn of_event(event: KeyEvent, strike_speed: f64) -> Option<(Knock, f64)> {
    match event {
        KeyEvent::KeyBottom { speed } => Some((Knock::KeyBed, speed)),
        KeyEvent::KeyRest { speed } => Some((Knock::KeyRest, speed)),
        KeyEvent::Reset { .. } => Some((Knock::Jack, JACK_BACK)),
        KeyEvent::Check { distance } => Some((Knock::Check, caught_speed(strike_speed, distance))),
        KeyEvent::DamperFall { speed } => Some((Knock::Damper, speed)),
        // The jack's end turns out about as fast as it threw the hammer.
        KeyEvent::Release { speed } => Some((Knock::Jack, speed)),
        KeyEvent::Strike { .. }
        | KeyEvent::Pluck { .. }
        | KeyEvent::Damper { .. }
        | KeyEvent::LetOffStart { .. }
        | KeyEvent::DamperLift { .. } => None,
    }
}

/// Speed, m/s, of a hammer that struck at `strike_speed` m/s when the check catches it `distance` m below
/// the string: its rebound and its fall. The event carries the distance alone.
pub(crate) fn caught_speed(strike_speed: f64, distance: f64) -> f64 {
    (square(shank::KEPT * strike_speed) + 2.0 * GRAVITY * distance.max(0.0)).sqrt()
}
