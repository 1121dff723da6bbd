//! A hand that presses a key, for computed strokes.

use super::{Row, Stroke};
use touchback_action::grand::{key::pressing, key::rest};
use touchback_action::interface::finger;
use touchback_action::interface::press::{Effort, Travel};
use touchback_action::{Drive, Key, KeyEvent, STEP};
use touchback_instrument::play::touch::finger::{KeyReading, NoteFinger, grand_travel};

/// A finger on a key at rest.
pub(super) struct Press {
    key: Box<dyn Key>,
    travel: Travel,
    finger: NoteFinger,
    effort: Effort,
    drive: Drive,
    /// Time since the beginning, s.
    pub(super) time: f64,
}

impl Press {
    /// A press that throws the hammer at `hammer_speed` m/s, or as fast as pressing can.
    pub(super) fn for_hammer(stroke: &Stroke, hammer_speed: f64) -> Self {
        let effort = stroke.model.press().map_or_else(
            || {
                let strongest = pressing::FORCE[pressing::FORCE.len() - 1];
                let number = f64::from(stroke.key.number());
                Effort::Muscle(pressing::force(number, hammer_speed).unwrap_or(strongest))
            },
            |press| press.effort(hammer_speed),
        );
        Self::new(stroke, effort)
    }

    pub(super) fn new(stroke: &Stroke, effort: Effort) -> Self {
        let mut key = stroke.model.clone();
        key.reset_to_rest();
        key.set_tray(rest::TRAY_DOWN);
        let travel = key.travel().unwrap_or_else(|| grand_travel(stroke.spec.key.dip));
        let mut finger = NoteFinger::AWAY;
        finger.press(0.0, effort, 0.0);
        Self { key, travel, finger, effort, drive: Drive::Free, time: 0.0 }
    }

    /// Repeats the press from the key's current position.
    pub(super) fn again(&mut self) {
        self.finger.press(self.key.front()[0], self.effort, 0.0);
    }

    /// Depth of the key's bed, m.
    pub(super) const fn dip(&self) -> f64 {
        self.travel.dip
    }

    /// Lifts the finger off the key.
    pub(super) fn release(&mut self) {
        self.finger.release(self.key.front()[0], finger::RELEASE, 0.0);
    }

    /// Computes one step; returns its row and whether the hammer met the string.
    pub(super) fn step(&mut self) -> (Row, bool) {
        let reading = KeyReading { front: self.key.front(), travel: self.travel };
        self.drive = self.finger.next(reading).unwrap_or_else(|| self.drive.held());
        let (mut hit, mut bottomed) = (false, false);
        self.key.step(self.drive, &mut |_, event| {
            hit |= matches!(event, KeyEvent::Strike { .. } | KeyEvent::Pluck { .. });
            bottomed |= matches!(event, KeyEvent::KeyBottom { .. });
        });
        if bottomed {
            self.finger.bottom();
        }
        self.time += STEP;
        let (time, drive) = (self.time, self.drive);
        let (saved, view) = (self.key.save(), self.key.readout(drive));
        (Row { time, saved, drive, view }, hit)
    }
}
