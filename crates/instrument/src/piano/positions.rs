//! Keys that follow positions: key pressure as key depth.
//!
//! From the first position a key is sent until it has been let up it follows positions alone; notes
//! of that key are counted and strike nothing, so that a keyboard may send both. What sounds is for
//! the action to decide, as under a finger.

use super::Block;
use crate::engine_traits::{Keys, Strings};
use crate::settings::KeyPressure;
use crate::touch::finger::NoteFinger;
use crate::touch::position::Position;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::key_set::KeySet;

impl<K: Keys, S: Strings> Block<K, S> {
    /// A position for `key`, share of its dip.
    pub(super) fn position(&mut self, key: KeyNumber, share: f64) {
        if self.settings.touch.key_pressure != KeyPressure::Position {
            self.counts.aftertouch += 1;
            return;
        }
        if !self.positioned.contains(key) {
            if share <= 0.0 {
                return;
            }
            self.positioned.insert(key);
            self.trace.touch(key);
            self.keys.touch(key);
            self.positions[key.index()] = Position::at(self.keys.key_depth(key));
            self.fingers[key.index()] = NoteFinger::AWAY;
            self.moving.remove(key);
            self.counts.silent_presses += u64::from(self.held_notes.begin(key, true));
        }
        self.dampers.played(key);
        self.positions[key.index()].send(share);
        self.following.insert(key);
    }

    /// Moves the keys that follow positions through the coming step.
    pub(super) fn follow_positions(&mut self) {
        for key in self.following.iter() {
            let dip = self.travel(key).dip;
            let position = &mut self.positions[key.index()];
            let (drive, arrived) = position.next(dip);
            self.keys.drive(key, drive);
            if !arrived {
                continue;
            }
            self.following.remove(key);
            if position.is_up() {
                self.positioned.remove(key);
                self.held_notes.close(key, self.clock.step());
            }
        }
    }

    /// Lets every key up that follows positions.
    pub(super) fn let_positions_go(&mut self) {
        for key in self.positioned.iter() {
            self.let_position_go(key);
        }
    }

    /// Lets `key` up if it follows positions; whether it did.
    pub(super) fn let_position_go(&mut self, key: KeyNumber) -> bool {
        let followed = self.positioned.contains(key);
        if followed {
            self.positions[key.index()].send(0.0);
            self.following.insert(key);
        }
        followed
    }

    /// Forgets all positions.
    pub(super) const fn forget_positions(&mut self) {
        self.positioned = KeySet::EMPTY;
        self.following = KeySet::EMPTY;
    }
}
