//! What the scheduler asks of the action and of the sound; a seam for its tests only.
//!
//! The meaning of every method is that of the method of the same name of [`SwitchableKeyboard`] and
//! [`Sound`].

use crate::action::events::EventList;
use crate::action::press::{Press, Travel};
use crate::action::{ActionSettings, Drive, SwitchableKeyboard};
use crate::instrument::trace::{Look, Standing};
use crate::math::compass::KeyNumber;
use crate::math::key_set::KeySet;
use crate::mech::hammer::HammerSettings;
use crate::sound::{Knock, Sound, SoundSettings};

/// See [`SwitchableKeyboard`].
pub trait Keys {
    /// See [`SwitchableKeyboard::reset`].
    fn reset(&mut self);
    /// See [`SwitchableKeyboard::configure`].
    fn configure(&mut self, settings: &ActionSettings);
    /// See [`SwitchableKeyboard::drive`].
    fn drive(&mut self, key: KeyNumber, drive: Drive);
    /// See [`SwitchableKeyboard::construct_strike`].
    fn construct_strike(&mut self, key: KeyNumber, speed: f64) -> bool;
    /// See [`SwitchableKeyboard::construct_release`].
    fn construct_release(&mut self, key: KeyNumber, speed: f64);
    /// See [`SwitchableKeyboard::pressing_speed`].
    fn pressing_speed(&self, key: KeyNumber, hammer_speed: f64) -> Option<f64>;
    /// See [`SwitchableKeyboard::sustain`].
    fn sustain(&mut self, lift: f64);
    /// See [`SwitchableKeyboard::step`].
    fn step(&mut self, events: &mut EventList);
    /// See [`SwitchableKeyboard::damper_lift`].
    fn damper_lift(&self, key: KeyNumber) -> f64;
    /// See [`SwitchableKeyboard::key_depth`].
    fn key_depth(&self, key: KeyNumber) -> f64;
    /// See [`SwitchableKeyboard::awake`].
    fn awake(&self) -> usize;
    /// See [`SwitchableKeyboard::awake_keys`]; nobody asks for those of an action without shanks.
    fn awake_keys(&self) -> KeySet {
        KeySet::EMPTY
    }
    /// See [`SwitchableKeyboard::touch`].
    fn touch(&mut self, _key: KeyNumber) {}
    /// See [`SwitchableKeyboard::press`].
    fn press(&self, _key: KeyNumber) -> Option<Press> {
        None
    }
    /// See [`SwitchableKeyboard::travel`].
    fn travel(&self, _key: KeyNumber) -> Option<Travel> {
        None
    }
    /// See [`SwitchableKeyboard::plucks`].
    fn plucks(&self, _key: KeyNumber) -> Option<f64> {
        None
    }
    /// See [`SwitchableKeyboard::hammer_speed`]; an action without hammers has none.
    fn hammer_speed(&self, _key: KeyNumber) -> Option<f64> {
        None
    }
    /// See [`SwitchableKeyboard::tray`]; without a tray 0.
    fn tray(&self) -> f64 {
        0.0
    }
    /// State and drive of a key that moves.
    fn look(&self, _key: KeyNumber) -> Option<Look> {
        None
    }
}

/// See [`Sound`].
pub trait Strings {
    /// See [`Sound::reset`].
    fn reset(&mut self);
    /// See [`Sound::set`].
    fn set(&mut self, voicing: &SoundSettings);
    /// See [`Sound::set_hammers`].
    fn set_hammers(&mut self, hammers: &HammerSettings);
    /// See [`Sound::strike`].
    fn strike(&mut self, key: KeyNumber, speed: f64, delay: f64);
    /// See [`Sound::pluck`].
    fn pluck(&mut self, key: KeyNumber, displacement: f64, delay: f64);
    /// See [`Sound::damper`].
    fn damper(&mut self, key: KeyNumber, lift: f64);
    /// See [`Sound::retune`].
    fn retune(&mut self, key: KeyNumber, cents: f64);
    /// See [`Sound::una_corda`].
    fn una_corda(&mut self, amount: f64);
    /// See [`Sound::knock`].
    fn knock(&mut self, key: KeyNumber, knock: Knock, speed: f64);
    /// See [`Sound::process`].
    fn process(&mut self, left: &mut [f32], right: &mut [f32]);
    /// See [`Sound::is_silent`].
    fn is_silent(&self) -> bool;
    /// See [`Sound::longest_ring`].
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
    fn pressing_speed(&self, key: KeyNumber, hammer_speed: f64) -> Option<f64> {
        self.pressing_speed(key, hammer_speed)
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
    fn hammer_speed(&self, key: KeyNumber) -> Option<f64> {
        self.hammer_speed(key)
    }
    fn tray(&self) -> f64 {
        self.tray()
    }
    fn look(&self, key: KeyNumber) -> Option<Look> {
        let (grand, tray) = (self.grand(), self.tray());
        let (standing, drive) = match self.lever(key) {
            Some(lever) if lever.is_moving() => {
                (Standing::Other(self.kind(key), lever.played().save()), lever.driven())
            }
            Some(_) => return None,
            None => (Standing::Grand(grand.moving(key)?), grand.drive_of(key)),
        };
        Some(Look { standing, drive, tray })
    }
}

impl Strings for Sound {
    fn reset(&mut self) {
        self.reset();
    }
    fn set(&mut self, voicing: &SoundSettings) {
        self.set(voicing);
    }
    fn set_hammers(&mut self, hammers: &HammerSettings) {
        self.set_hammers(hammers);
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
    fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        self.process(left, right);
    }
    fn is_silent(&self) -> bool {
        self.is_silent()
    }
    fn longest_ring(&self) -> f64 {
        self.longest_ring()
    }
}
