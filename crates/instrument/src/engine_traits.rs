//! The action and the sound as the scheduler sees them, so that its tests can replace both.
//!
//! The meaning of every method is that of the method of the same name of [`SwitchableKeyboard`] and
//! [`Sound`].

use crate::trace::KeySnapshot;
use touchback_action::interface::events::EventList;
use touchback_action::interface::press::{Effort, Press, Travel};
use touchback_action::{ActionSettings, Drive, SwitchableKeyboard};
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::key_set::KeySet;
use touchback_core::mech::hammer::HammerSettings;
use touchback_sound::microphones::Distant;
use touchback_sound::{Knock, Sound, SoundSettings};

/// The action of all keys, as [`SwitchableKeyboard`].
pub trait Keys {
    fn reset(&mut self);
    fn configure(&mut self, settings: &ActionSettings);
    fn drive(&mut self, key: KeyNumber, drive: Drive);
    fn construct_strike(&mut self, key: KeyNumber, speed: f64) -> bool;
    fn construct_release(&mut self, key: KeyNumber, speed: f64);
    fn pressing(&self, key: KeyNumber, hammer_speed: f64) -> Option<Effort>;
    fn sustain(&mut self, lift: f64);
    fn step(&mut self, events: &mut EventList);
    fn damper_lift(&self, key: KeyNumber) -> f64;
    fn key_depth(&self, key: KeyNumber) -> f64;
    fn key_speed(&self, key: KeyNumber) -> f64;
    fn awake(&self) -> usize;
    /// Needed for hammer shanks only; an action without them may leave it empty.
    fn awake_keys(&self) -> KeySet {
        KeySet::EMPTY
    }
    fn touch(&mut self, _key: KeyNumber) {}
    fn press(&self, _key: KeyNumber) -> Option<Press> {
        None
    }
    fn travel(&self, _key: KeyNumber) -> Option<Travel> {
        None
    }
    fn plucks(&self, _key: KeyNumber) -> Option<f64> {
        None
    }
    /// `None` for an action without shanks.
    fn shank(&self, _key: KeyNumber) -> Option<[f64; 2]> {
        None
    }
    /// Of a key that moves; `None` for an action without hammers that can stay at the string.
    fn hammer_height(&self, _key: KeyNumber) -> Option<f64> {
        None
    }
    /// 0 without a tray.
    fn tray(&self) -> f64 {
        0.0
    }
    /// State and drive of a key that moves.
    fn snapshot(&self, _key: KeyNumber) -> Option<KeySnapshot> {
        None
    }
}

/// Strings and board, as [`Sound`].
pub trait Strings {
    fn reset(&mut self);
    fn set(&mut self, settings: &SoundSettings);
    fn set_hammer(&mut self, key: KeyNumber, hammer: &HammerSettings);
    fn strike(&mut self, key: KeyNumber, speed: f64, delay: f64);
    fn pluck(&mut self, key: KeyNumber, displacement: f64, delay: f64);
    fn damper(&mut self, key: KeyNumber, lift: f64);
    fn retune(&mut self, key: KeyNumber, cents: f64);
    fn una_corda(&mut self, amount: f64);
    fn knock(&mut self, key: KeyNumber, knock: Knock, speed: f64);
    fn process(&mut self, left: &mut [f32], right: &mut [f32], distant: Distant);
    fn is_silent(&self) -> bool;
    fn longest_ring(&self) -> f64;
}

impl Keys for SwitchableKeyboard {
    fn reset(&mut self) {
        self.reset();
    }
    fn configure(&mut self, settings: &ActionSettings) {
        self.configure(settings);
    }
    fn drive(&mut self, key: KeyNumber, drive: Drive) {
        self.drive(key, drive);
    }
    fn construct_strike(&mut self, key: KeyNumber, speed: f64) -> bool {
        self.construct_strike(key, speed)
    }
    fn construct_release(&mut self, key: KeyNumber, speed: f64) {
        self.construct_release(key, speed);
    }
    fn pressing(&self, key: KeyNumber, hammer_speed: f64) -> Option<Effort> {
        self.pressing(key, hammer_speed)
    }
    fn sustain(&mut self, lift: f64) {
        self.sustain(lift);
    }
    fn step(&mut self, events: &mut EventList) {
        self.step(events);
    }
    fn damper_lift(&self, key: KeyNumber) -> f64 {
        self.damper_lift(key)
    }
    fn key_depth(&self, key: KeyNumber) -> f64 {
        self.key_depth(key)
    }
    fn key_speed(&self, key: KeyNumber) -> f64 {
        self.key_speed(key)
    }
    fn awake(&self) -> usize {
        self.awake()
    }
    fn awake_keys(&self) -> KeySet {
        self.awake_keys()
    }
    fn touch(&mut self, key: KeyNumber) {
        self.touch(key);
    }
    fn press(&self, key: KeyNumber) -> Option<Press> {
        self.press(key)
    }
    fn travel(&self, key: KeyNumber) -> Option<Travel> {
        self.travel(key)
    }
    fn plucks(&self, key: KeyNumber) -> Option<f64> {
        self.plucks(key)
    }
    fn shank(&self, key: KeyNumber) -> Option<[f64; 2]> {
        self.shank(key)
    }
    fn hammer_height(&self, key: KeyNumber) -> Option<f64> {
        self.hammer_height(key)
    }
    fn tray(&self) -> f64 {
        self.tray()
    }
    fn snapshot(&self, key: KeyNumber) -> Option<KeySnapshot> {
        let (grand, kind, tray) = (self.grand(), self.kind(key), self.tray());
        let (saved, drive) = match self.simple_key(key) {
            Some(lever) if lever.is_moving() => (lever.key().save(), lever.current_drive()),
            Some(_) => return None,
            None => (grand.moving(key)?.into(), grand.drive_of(key)),
        };
        Some(KeySnapshot { kind, saved, drive, tray })
    }
}

impl Strings for Sound {
    fn reset(&mut self) {
        self.reset();
    }
    fn set(&mut self, settings: &SoundSettings) {
        self.set(settings);
    }
    fn set_hammer(&mut self, key: KeyNumber, hammer: &HammerSettings) {
        self.set_hammer(key, hammer);
    }
    fn strike(&mut self, key: KeyNumber, speed: f64, delay: f64) {
        self.strike(key, speed, delay);
    }
    fn pluck(&mut self, key: KeyNumber, displacement: f64, delay: f64) {
        self.pluck(key, displacement, delay);
    }
    fn damper(&mut self, key: KeyNumber, lift: f64) {
        self.damper(key, lift);
    }
    fn retune(&mut self, key: KeyNumber, cents: f64) {
        self.retune(key, cents);
    }
    fn una_corda(&mut self, amount: f64) {
        self.una_corda(amount);
    }
    fn knock(&mut self, key: KeyNumber, knock: Knock, speed: f64) {
        self.knock(key, knock, speed);
    }
    fn process(&mut self, left: &mut [f32], right: &mut [f32], distant: Distant) {
        self.process_with(left, right, distant);
    }
    fn is_silent(&self) -> bool {
        self.is_silent()
    }
    fn longest_ring(&self) -> f64 {
        self.longest_ring()
    }
}
