//! Keys that follow positions: key pressure as key depth, or recorded motion.
//!
//! From the first position above 0 until it has been let up, a key follows positions alone; notes of that
//! key are counted and strike nothing, so that a keyboard may send both. The action decides whether
//! a strike follows, as under a finger.

use super::Piano;
use crate::play::engine_traits::{Keys, Strings};
use crate::play::touch::finger::NoteFinger;
use crate::play::touch::position::Position;
use crate::settings::KeyPressure;
use touchback_action::interface::finger::HOLD;
use touchback_core::math::compass::KeyNumber;

impl<K: Keys, S: Strings> Piano<K, S> {
    /// A position for `key`, share of its dip.
    pub(super) fn position(&mut self, key: KeyNumber, share: f64) {
        match self.settings.touch.key_pressure {
            KeyPressure::Ignored => self.report.counts.aftertouch += 1,
            KeyPressure::Position => {
                self.follow_position(key, share <= 0.0, |position| position.send(share));
            }
            KeyPressure::Force => {
                if self.fingers.of_mut(key).deepen(HOLD * share.clamp(0.0, 1.0)) {
                    self.mechanism.keys.touch(key);
                    self.fingers.moving.insert(key);
                }
            }
        }
    }

    /// Recorded motion of `key` to `depth` m in `seconds`.
    pub(super) fn motion(&mut self, key: KeyNumber, depth: f64, seconds: f64) {
        if seconds > 0.0 {
            let send = |position: &mut Position| position.send_depth(depth, seconds);
            self.follow_position(key, depth <= 0.0, send);
        }
    }

    /// Lets `key` follow what `send` sends, unless it `is_up` and does not follow positions.
    fn follow_position(&mut self, key: KeyNumber, is_up: bool, send: impl FnOnce(&mut Position)) {
        let (fingers, mechanism) = (&mut *self.fingers, &mut *self.mechanism);
        if !fingers.positioned.contains(key) {
            if is_up {
                return;
            }
            self.deferral.end(key);
            fingers.positioned.insert(key);
            self.report.trace.touch(key);
            mechanism.keys.touch(key);
            fingers.positions[key.index()] = Position::at(mechanism.keys.key_depth(key));
            *fingers.of_mut(key) = NoteFinger::AWAY;
            fingers.moving.remove(key);
            self.report.counts.silent_presses += fingers.held_notes.begin(key);
        }
        mechanism.dampers.played(key);
        send(&mut fingers.positions[key.index()]);
        fingers.following.insert(key);
    }

    /// Moves the keys that follow positions through the coming step.
    pub(super) fn follow_positions(&mut self) {
        let (fingers, mechanism) = (&mut *self.fingers, &mut *self.mechanism);
        for key in fingers.following.iter() {
            let dip = mechanism.travel(key, &self.settings.action).dip;
            let position = &mut fingers.positions[key.index()];
            let (drive, arrived) = position.next(dip);
            mechanism.keys.drive(key, drive);
            if !arrived {
                continue;
            }
            fingers.following.remove(key);
            if position.is_up() {
                fingers.positioned.remove(key);
                fingers.held_notes.close(key, self.time.clock.step());
            }
        }
    }

    /// Lets up every key that follows positions.
    pub(super) fn release_positions(&mut self) {
        for key in self.fingers.positioned.iter() {
            self.release_position(key);
        }
    }

    /// Lets up every key that follows key pressure.
    pub(super) fn release_pressures(&mut self) {
        for key in self.fingers.positioned.iter() {
            if !self.fingers.positions[key.index()].is_recorded() {
                self.release_position(key);
            }
        }
    }

    /// Lets `key` up if it follows positions.
    pub(super) fn release_position(&mut self, key: KeyNumber) {
        if self.fingers.positioned.contains(key) {
            self.fingers.positions[key.index()].send(0.0);
            self.fingers.following.insert(key);
        }
    }
}
