//! The keyboard that notes play: each key with the grand action or one of the smaller ones.
//!
//! A key takes up another action where that cannot be felt or heard: at its next touch from rest, or
//! as a strike is constructed, which replaces whatever was there. The grand's keys are always made;
//! one that has another action sleeps.

use crate::interface::events::EventList;
use crate::interface::press::{Effort, Press, Travel};
use crate::keyboard::simple_keys::SimpleKey;
use crate::{ActionKind, ActionSettings, Drive, Keyboard};
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::key_set::KeySet;

/// 88 keys, each with an action of its own.
pub struct SwitchableKeyboard {
    grand: Keyboard,
    /// The smaller action of a key that does not have the grand's.
    simple_keys: Box<[Option<SimpleKey>; KEYS]>,
    /// Those of them that move.
    moving: KeySet,
    kinds: [ActionKind; KEYS],
    wanted: ActionKind,
    /// Keys whose smaller action was built before the present settings came.
    stale: [bool; KEYS],
    lost_states: u64,
}

impl SwitchableKeyboard {
    /// A keyboard at rest. Allocates; nothing else here does.
    #[must_use]
    pub fn new(settings: &ActionSettings) -> Self {
        Self {
            grand: Keyboard::new(&Self::of_grand(settings)),
            simple_keys: Box::new([const { None }; KEYS]),
            moving: KeySet::EMPTY,
            kinds: [ActionKind::Grand; KEYS],
            wanted: settings.action,
            stale: [false; KEYS],
            lost_states: 0,
        }
    }

    /// What the grand is told: which action is chosen turns none of its screws.
    fn of_grand(settings: &ActionSettings) -> ActionSettings {
        ActionSettings { action: ActionKind::Grand, ..*settings }
    }

    /// Every key at rest.
    pub fn reset(&mut self) {
        self.grand.reset();
        self.simple_keys.fill(None);
        self.moving = KeySet::EMPTY;
        self.kinds = [ActionKind::Grand; KEYS];
        self.stale = [false; KEYS];
    }

    /// New settings: the grand's slewed, the action chosen at each key's next touch from rest.
    pub fn configure(&mut self, settings: &ActionSettings) {
        self.grand.configure(&Self::of_grand(settings));
        self.wanted = settings.action;
        self.stale = [true; KEYS];
    }

    /// Which action `key` has.
    #[must_use]
    pub const fn kind(&self, key: KeyNumber) -> ActionKind {
        self.kinds[key.index()]
    }

    /// The smaller action of `key`, where it has not the grand's.
    #[must_use]
    pub const fn lever(&self, key: KeyNumber) -> Option<&SimpleKey> {
        self.simple_keys[key.index()].as_ref()
    }

    /// The grand's keys.
    #[must_use]
    pub const fn grand(&self) -> &Keyboard {
        &self.grand
    }

    /// A touch of `key` is coming: at rest it takes up the action that is chosen.
    pub fn touch(&mut self, key: KeyNumber) {
        let i = key.index();
        let at_rest = match &self.simple_keys[i] {
            Some(lever) => lever.is_asleep(),
            None => self.grand.is_asleep(key),
        };
        if at_rest {
            self.take_up(key);
        }
    }

    fn take_up(&mut self, key: KeyNumber) {
        let i = key.index();
        let fresh =
            self.kinds[i] == self.wanted && (self.wanted == ActionKind::Grand || !self.stale[i]);
        if fresh {
            return;
        }
        if self.simple_keys[i].is_none() {
            self.grand.put_to_rest(key);
        }
        let grand = &mut self.grand;
        self.simple_keys[i] = SimpleKey::new(self.wanted, key, || grand.built(key));
        self.moving.remove(key);
        self.kinds[i] = self.wanted;
        self.stale[i] = false;
    }

    /// See [`Keyboard::drive`].
    pub fn drive(&mut self, key: KeyNumber, drive: Drive) {
        if drive != Drive::Free {
            self.touch(key);
        }
        match &mut self.simple_keys[key.index()] {
            Some(lever) => {
                lever.drive(drive);
                if lever.is_moving() {
                    self.moving.insert(key);
                }
            }
            None => self.grand.drive(key, drive),
        }
    }

    /// The hammer of `key` meets its string at `speed` m/s now, or its string is plucked as a key so
    /// played plucks it. `false`, and nothing happens, where the regulation makes that impossible.
    pub fn construct_strike(&mut self, key: KeyNumber, speed: f64) -> bool {
        self.take_up(key);
        match &mut self.simple_keys[key.index()] {
            Some(lever) => {
                lever.strike(speed);
                self.moving.insert(key);
                true
            }
            None => self.grand.construct_strike(key, speed),
        }
    }

    /// See [`Keyboard::construct_release`].
    pub fn construct_release(&mut self, key: KeyNumber, speed: f64) {
        match &mut self.simple_keys[key.index()] {
            Some(lever) => {
                lever.release(speed);
                self.moving.insert(key);
            }
            None => self.grand.construct_release(key, speed),
        }
    }

    /// See [`Keyboard::pressing`]; a smaller action's is [`SwitchableKeyboard::press`].
    #[must_use]
    pub fn pressing(&self, key: KeyNumber, hammer_speed: f64) -> Option<Effort> {
        match &self.simple_keys[key.index()] {
            Some(_) => None,
            None => self.grand.pressing(key, hammer_speed),
        }
    }

    /// What a press of `key` meets; none for the grand, whose press is measured.
    #[must_use]
    pub fn press(&self, key: KeyNumber) -> Option<Press> {
        self.simple_keys[key.index()].as_ref().and_then(|lever| lever.key().press())
    }

    /// How far `key` goes; none for the grand, whose regulation says it.
    #[must_use]
    pub fn travel(&self, key: KeyNumber) -> Option<Travel> {
        self.simple_keys[key.index()].as_ref().and_then(|lever| lever.key().travel())
    }

    /// Displacement of the string as the plectrum of `key` lets it go, m; none where a hammer
    /// strikes.
    #[must_use]
    pub fn plucks(&self, key: KeyNumber) -> Option<f64> {
        self.simple_keys[key.index()].as_ref().and_then(|lever| lever.key().plucks())
    }

    /// See [`Keyboard::shank`]; only the grand's shanks are heard.
    #[must_use]
    pub fn shank(&self, key: KeyNumber) -> Option<[f64; 2]> {
        match &self.simple_keys[key.index()] {
            Some(_) => None,
            None => self.grand.shank(key),
        }
    }

    /// See [`Keyboard::hammer_height`]; only the grand's can stay at the string.
    #[must_use]
    pub fn hammer_height(&self, key: KeyNumber) -> Option<f64> {
        match &self.simple_keys[key.index()] {
            Some(_) => None,
            None => self.grand.hammer_height(key),
        }
    }

    /// See [`Keyboard::tray`].
    #[must_use]
    pub const fn tray(&self) -> f64 {
        self.grand.tray()
    }

    /// See [`Keyboard::sustain`].
    pub fn sustain(&mut self, lift: f64) {
        self.grand.sustain(lift);
    }

    /// One action step: appends what happened to `events`.
    pub fn step(&mut self, events: &mut EventList) {
        self.grand.step(events);
        for key in self.moving.iter() {
            if let Some(lever) = &mut self.simple_keys[key.index()] {
                self.lost_states += u64::from(!lever.step(events));
                if !lever.is_moving() {
                    self.moving.remove(key);
                }
            }
        }
    }

    /// See [`Keyboard::damper_lift`]: what the key's own action lifts, or the pedal.
    #[must_use]
    pub fn damper_lift(&self, key: KeyNumber) -> f64 {
        // The sleeping grand key's damper is the pedal's.
        let lifted = self.grand.damper_lift(key);
        match &self.simple_keys[key.index()] {
            Some(lever) => lifted.max(lever.key().damper_lift()),
            None => lifted,
        }
    }

    /// Key-front depth, m, positive down.
    #[must_use]
    pub fn key_depth(&self, key: KeyNumber) -> f64 {
        match &self.simple_keys[key.index()] {
            Some(lever) => lever.key().front()[0],
            None => self.grand.key_depth(key),
        }
    }

    /// Downward speed of the front of `key`, m/s.
    #[must_use]
    pub fn key_speed(&self, key: KeyNumber) -> f64 {
        match &self.simple_keys[key.index()] {
            Some(lever) => lever.key().front()[1],
            None => self.grand.key_speed(key),
        }
    }

    /// Number of keys that move.
    #[must_use]
    pub const fn awake(&self) -> usize {
        self.awake_keys().len()
    }

    /// The keys that move.
    #[must_use]
    pub const fn awake_keys(&self) -> KeySet {
        self.grand.awake_keys().union(self.moving)
    }

    /// Keys whose state left the numbers and was replaced by rest, since creation.
    #[must_use]
    pub const fn lost_states(&self) -> u64 {
        self.grand.lost_states() + self.lost_states
    }
}
