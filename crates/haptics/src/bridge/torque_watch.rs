//! Whether a motor gives the force that it was told, in time.
//!
//! The force that the command asks for and the one that the controller reports do the same work but for the lag of the
//! current. A motor that obeys late gives a key energy that the command would have taken from it: the device's own
//! guard, which counts the commanded force, does not see it.

use super::{KeyCommand, KeyReading};

/// Work beyond that of the commands at which force ends, J: in strokes at 5 N a motor in time stays below a third of it
/// (`strokes_for_minutes`).
const LARGEST: f64 = 5e-3;
/// Time constant with which the work is forgotten, s (chosen: some periods of a key that bounces).
const MEMORY: f64 = 0.2;

/// Watch over one key's motor.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct TorqueWatch {
    /// Position, m, and reported force, N, at the last report of a force.
    last: Option<(f64, f64)>,
    /// Time since then, s.
    time: f64,
    /// Work beyond that of the commands, J.
    work: f64,
    is_late: bool,
}

impl TorqueWatch {
    /// Counts a reading `time` s after the last, under `command` since then. Returns whether the motor is too late; it
    /// stays so until it is off.
    pub fn note(&mut self, command: &KeyCommand, reading: &KeyReading, time: f64) -> bool {
        if !command.is_on {
            *self = Self::default();
            return false;
        }
        self.time += time;
        let Some(force) = reading.force else { return self.is_late };
        if let Some((position, before)) = self.last {
            let moved = reading.position - position;
            let told = command.damping * moved / self.time + command.feed_forward;
            let told = told.clamp(-command.largest, command.largest);
            self.work *= libm::exp(-self.time / MEMORY);
            self.work += (told - 0.5 * (before + force)) * moved;
            self.is_late |= self.work > LARGEST;
        }
        (self.last, self.time) = (Some((reading.position, force)), 0.0);
        self.is_late
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A key that goes to and fro 30 times a second by 4 mm, whose motor obeys a damping of 5 N·s/m `late` s late.
    fn is_late(late: f64) -> bool {
        let command = KeyCommand { is_on: true, damping: 5.0, feed_forward: 0.0, largest: 5.0 };
        let omega = std::f64::consts::TAU * 30.0;
        let mut watch = TorqueWatch::default();
        (0..1000).any(|n| {
            let t = f64::from(n) * 1e-3;
            let force = 5.0 * 2e-3 * omega * libm::cos(omega * (t - late));
            let position = 2e-3 * libm::sin(omega * t);
            watch.note(&command, &KeyReading { position, faults: 0, force: Some(force) }, 1e-3)
        })
    }

    #[test]
    fn a_motor_that_obeys_two_milliseconds_late_is_found_and_one_in_time_is_not() {
        assert!(!is_late(0.0) && !is_late(0.3e-3) && is_late(2e-3) && is_late(4e-3));
    }

    #[test]
    fn a_motor_that_was_late_is_late_until_it_is_off() {
        let mut watch = TorqueWatch { is_late: true, ..TorqueWatch::default() };
        let on = KeyCommand { is_on: true, ..KeyCommand::default() };
        assert!(watch.note(&on, &KeyReading::default(), 1e-3));
        assert!(!watch.note(&KeyCommand::default(), &KeyReading::default(), 1e-3));
        assert!(!watch.note(&on, &KeyReading::default(), 1e-3));
    }
}
