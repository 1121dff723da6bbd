//! Events by their kind.

use touchback_action::{EventKind, KeyEvent};

/// The event of this kind with this value.
pub(crate) fn event(kind: EventKind, value: f64) -> KeyEvent {
    match kind {
        EventKind::LetOffStart => KeyEvent::LetOffStart { depth: value },
        EventKind::Release => KeyEvent::Release { speed: value },
        EventKind::Strike => KeyEvent::Strike { speed: value },
        EventKind::Pluck => KeyEvent::Pluck { displacement: value },
        EventKind::Check => KeyEvent::Check { distance: value },
        EventKind::Reset => KeyEvent::Reset { depth: value },
        EventKind::KeyBottom => KeyEvent::KeyBottom { speed: value },
        EventKind::DamperLift => KeyEvent::DamperLift { depth: value },
        EventKind::DamperFall => KeyEvent::DamperFall { speed: value },
        EventKind::KeyRest => KeyEvent::KeyRest { speed: value },
        EventKind::Damper => KeyEvent::Damper { lift: value },
    }
}
