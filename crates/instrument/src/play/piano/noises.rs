//! Knocks of the mechanism that no event reports: fingers, shanks, jacks, and the damper tray.

use super::Piano;
use crate::play::engine_traits::{Keys, Strings};
use crate::play::shank;
use touchback_action::STEP;
use touchback_core::math::compass::KeyNumber;
use touchback_sound::Knock;

/// Key numbers of the middle dampers of four quarters of the tray.
const QUARTERS: [usize; 4] = [9, 26, 43, 60];

/// Impact speed of the rising tray on the dampers relative to that of falling dampers on their
/// strings: felt under levers against felt on strings (chosen).
const RISING: f64 = 0.4;

/// Speed of a finger that falls on its key relative to the speed that the key will have when its hammer
/// leaves (chosen: between a touch from the key's surface and one that strikes).
const FALLING: f64 = 0.5;

impl<K: Keys, S: Strings> Piano<K, S> {
    /// Call once a step, after its events: takes the shanks' states over and schedules the tray's knocks.
    pub(super) fn follow_noises(&mut self) {
        let mechanism = &mut *self.mechanism;
        let keys = &mechanism.keys;
        mechanism.shanks.follow(keys.awake_keys(), |key| keys.shank(key));
        let (before, now) = (mechanism.tray, keys.tray());
        mechanism.tray = now;
        let speed = (now - before) / STEP;
        let speed = match (before > 0.0, now > 0.0) {
            (true, false) => -speed,
            (false, true) => RISING * speed,
            _ => return,
        };
        let at = self.time.clock.sounding(STEP);
        for key in QUARTERS.iter().filter_map(|n| KeyNumber::from_index(n - 1)) {
            self.time.schedule_knock(at, key, Knock::Tray, speed);
        }
    }

    /// Schedules the ringing of the shank of `key` after its hammer's blow at `speed` m/s.
    pub(super) fn ring_shank(&mut self, key: KeyNumber, speed: f64, at: (u64, f64)) {
        for (knock, speed) in self.mechanism.shanks.blow(key, speed) {
            self.time.schedule_knock(at, key, knock, speed);
        }
    }

    /// A finger falls on `key`, which it will press for a hammer of `hammer_speed` m/s; silent on the
    /// simple actions.
    pub(super) fn knock_of_finger(&mut self, key: KeyNumber, hammer_speed: f64) {
        if self.mechanism.keys.shank(key).is_none() {
            return;
        }
        let ratio = self.mechanism.press(key, &self.settings.action).ratio;
        let speed = FALLING * hammer_speed / ratio;
        for knock in [Knock::Finger, Knock::FingerTop] {
            self.output.sink.knock(key, knock, speed);
        }
    }

    /// Jack and shank of a constructed strike; silent on the simple actions.
    pub(super) fn knock_of_strike(&mut self, key: KeyNumber, speed: f64) {
        if self.mechanism.keys.shank(key).is_none() {
            return;
        }
        // The jack has just been thrown out.
        self.output.sink.knock(key, Knock::Jack, speed);
        for (knock, speed) in shank::after_blow([0.0; 2], speed) {
            self.output.sink.knock(key, knock, speed);
        }
    }
}
