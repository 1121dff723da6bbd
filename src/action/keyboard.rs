//! The 88 actions: state kept as arrays over the keys, asleep until something moves them.

use crate::action::events::EventList;
use crate::action::{ActionSettings, Drive};
use crate::math::compass::{KEYS, Key};

/// All keys of one piano.
pub struct Keyboard {
    drives: [Drive; KEYS],
}

impl Keyboard {
    /// A keyboard at rest. Allocates; everything else here does not.
    #[must_use]
    pub fn new(_settings: &ActionSettings) -> Self {
        Self { drives: [Drive::Free; KEYS] }
    }

    /// Every key back to rest, asleep, the time grid restarted.
    pub fn reset(&mut self) {
        self.drives = [Drive::Free; KEYS];
    }

    /// New settings: taken up from the next step on, slewed.
    pub fn configure(&mut self, _settings: &ActionSettings) {}

    /// What drives `key` during the next step; afterwards the drive's end value is held until the
    /// next call. Wakes the key.
    pub fn drive(&mut self, key: Key, drive: Drive) {
        self.drives[key.index()] = drive;
    }

    /// Replaces the state of `key` by the moment at which its hammer meets the string at `speed`
    /// m/s (a pure function of key, speed and settings). `false`, and nothing happens, where the
    /// regulation makes a strike impossible.
    pub fn construct_strike(&mut self, _key: Key, _speed: f64) -> bool {
        true
    }

    /// Replaces the state of `key` by the moment at which its rising key, moving at `speed` m/s at
    /// the front, lets the damper down on the string.
    pub fn construct_release(&mut self, _key: Key, _speed: f64) {}

    /// Speed of a pressing finger target, m/s, that sends the hammer at `hammer_speed` m/s, or
    /// `None` if that is beyond what this touch can reach.
    #[must_use]
    pub fn pressing_speed(&self, _key: Key, _hammer_speed: f64) -> Option<f64> {
        None
    }

    /// Height of the damper tray by the sustain pedal, 0 (down) … 1 (all dampers clear).
    pub fn sustain(&mut self, _lift: f64) {}

    /// One action step: appends what happened to `events`.
    pub fn step(&mut self, _events: &mut EventList) {}

    /// How far the damper of `key` is off the string, 0 (resting) … 1 (clear); keys without a
    /// damper always 1.
    #[must_use]
    pub fn damper_lift(&self, _key: Key) -> f64 {
        1.0
    }

    /// Key-front depth, m, positive down.
    #[must_use]
    pub fn key_depth(&self, _key: Key) -> f64 {
        0.0
    }

    /// Number of keys that move.
    #[must_use]
    pub fn awake(&self) -> usize {
        0
    }
}
