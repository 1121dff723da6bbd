//! A finger pressing a key, to see what a stroke would be.

use super::{Row, Stroke};
use crate::action::grand::{pressing, rest};
use crate::action::interface::finger;
use crate::action::{Drive, Key, KeyEvent, STEP};

/// A finger pressing a key from rest.
pub(super) struct Press {
    key: Box<dyn Key>,
    /// Depth of the key bed, m.
    dip: f64,
    /// Finger speed, m/s, and its target, m.
    speed: f64,
    target: f64,
    /// Time since it began, s.
    pub(super) time: f64,
    bottomed: bool,
}

impl Press {
    /// With the finger speed that throws the hammer at `hammer_speed` m/s.
    pub(super) fn for_hammer(stroke: &Stroke, hammer_speed: f64) -> Self {
        let speed = match stroke.model.press() {
            Some(press) => press.finger(hammer_speed).0,
            None => {
                let fastest = pressing::FINGER[pressing::FINGER.len() - 1];
                let number = f64::from(stroke.key.number());
                pressing::finger_speed(number, hammer_speed).unwrap_or(fastest)
            }
        };
        Self::new(stroke, speed)
    }

    pub(super) fn new(stroke: &Stroke, speed: f64) -> Self {
        let mut key = stroke.model.clone();
        key.lay_to_rest();
        key.set_tray(rest::TRAY_DOWN);
        let dip = key.travel().map_or(stroke.spec.key.dip, |travel| travel.dip);
        Self { key, dip, speed, target: 0.0, time: 0.0, bottomed: false }
    }

    /// One step down, or up; whether the hammer met the string in it.
    pub(super) fn step(&mut self, down: bool) -> (Row, bool) {
        let start = self.target;
        let rest = self.dip + finger::HOLD;
        self.target = if !down {
            start - finger::RELEASE * STEP
        } else if self.bottomed {
            (start - self.speed * STEP).max(rest)
        } else {
            (start + self.speed * STEP).min(pressing::REACH)
        };
        let drive = if self.target > 0.0 {
            Drive::Finger([start.max(0.0), self.target])
        } else {
            Drive::Free
        };
        let (mut hit, mut bottomed) = (false, self.bottomed);
        self.key.step(drive, &mut |_, event| {
            hit |= matches!(event, KeyEvent::Strike { .. } | KeyEvent::Pluck { .. });
            bottomed |= matches!(event, KeyEvent::KeyBottom { .. });
        });
        self.time += STEP;
        self.bottomed = bottomed;
        (Row { time: self.time, saved: self.key.save(), view: self.key.readout(drive) }, hit)
    }
}
