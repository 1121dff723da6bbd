//! What the mechanism sounds besides its events' own knocks: fingers, shanks, jacks, and the damper
//! tray.

use super::Block;
use crate::engine_traits::{Keys, Strings};
use crate::event_queue::{Entry, Sounding};
use crate::shank;
use touchback_action::STEP;
use touchback_core::math::compass::KeyNumber;
use touchback_sound::Knock;

/// Speed of a jack that its spring turns back under the knuckle, m/s (chosen: 6 mm in 12 ms).
pub(super) const JACK_BACK: f64 = 0.5;

/// The middle dampers of four quarters of the tray, by key number.
const QUARTERS: [usize; 4] = [9, 26, 43, 60];

/// Speed with which the rising tray meets the dampers against that of falling ones meeting their
/// strings: felt under levers against felt on strings (chosen).
const RISING: f64 = 0.4;

/// Speed of a finger that falls on its key against that which the key will have when its hammer
/// leaves (chosen: between a touch from the key's surface and one that strikes).
const FALLING: f64 = 0.5;

impl<K: Keys, S: Strings> Block<K, S> {
    /// Once a step, after its events: the shanks follow their hammers, the tray is heard.
    pub(super) fn follow_noises(&mut self) {
        let keys = &self.keys;
        self.shanks.follow(keys.awake_keys(), |key| keys.shank(key));
        let (before, now) = (self.tray, self.keys.tray());
        self.tray = now;
        let speed = (now - before) / STEP;
        let speed = match (before > 0.0, now > 0.0) {
            (true, false) => -speed,
            (false, true) => RISING * speed,
            _ => return,
        };
        let (sample, delay) = self.clock.sounding(STEP);
        for key in QUARTERS.iter().filter_map(|n| KeyNumber::from_index(n - 1)) {
            let what = Sounding::Knock { key, knock: Knock::Tray, speed };
            self.event_queue.add(Entry { sample, delay, what });
        }
    }

    /// The shank of `key` after its hammer's blow, which is heard from `sample` on.
    pub(super) fn ring_shank(&mut self, key: KeyNumber, speed: f64, sample: u64, delay: f64) {
        for (knock, speed) in self.shanks.blow(key, speed) {
            let what = Sounding::Knock { key, knock, speed };
            self.event_queue.add(Entry { sample, delay, what });
        }
    }

    /// A finger falls on `key`, which it will press for a hammer of `hammer_speed` m/s; on a small
    /// action's it is not heard.
    pub(super) fn knock_of_finger(&mut self, key: KeyNumber, hammer_speed: f64) {
        if self.keys.shank(key).is_none() {
            return;
        }
        let speed = FALLING * hammer_speed / self.press_of(key).ratio;
        for knock in [Knock::Finger, Knock::FingerTop] {
            self.strings.knock(key, knock, speed);
        }
    }

    /// Jack and shank of a constructed strike; a small action's are not heard.
    pub(super) fn knock_of_strike(&mut self, key: KeyNumber, speed: f64) {
        if self.keys.shank(key).is_none() {
            return;
        }
        // Its jack has just been thrown out.
        self.strings.knock(key, Knock::Jack, speed);
        for (knock, speed) in shank::after_blow([0.0; 2], speed) {
            self.strings.knock(key, knock, speed);
        }
    }
}
