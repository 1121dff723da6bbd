//! The keyboard that notes play: each key has the grand action or another one.
//!
//! A key changes to another action only when that is imperceptible: at its next touch from rest, or when a
//! strike is constructed, which replaces the state anyway. The grand's keys always exist; that of a key with
//! another action is asleep.

use crate::grand::GrandKey;
use crate::interface::events::EventList;
use crate::interface::mechanism::MechanismFile;
use crate::interface::press::{Effort, Press, Travel, Voice};
use crate::keyboard::boxed;
use crate::keyboard::simple_keys::SimpleKey;
use crate::{ActionKind, ActionSettings, Drive, Keyboard};
use touchback_core::exchange::shared::Shared;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::key_set::KeySet;

/// 88 keys, each with its own action.
pub struct SwitchableKeyboard {
    grand: Keyboard,
    /// The simple action of each key that does not have the grand's.
    simple_keys: Box<[Option<SimpleKey>; KEYS]>,
    /// The keys with a simple action that move.
    moving: KeySet,
    kinds: [ActionKind; KEYS],
    selected: ActionKind,
    /// The mechanism from a file; its prepared keys are those of this keyboard.
    mechanism: Shared<Option<MechanismFile>>,
    /// Keys whose simple action was built before the present settings.
    stale: [bool; KEYS],
    lost_states: u64,
}

impl SwitchableKeyboard {
    /// A keyboard at rest. Allocates; no other method does.
    #[must_use]
    pub fn new(settings: &ActionSettings) -> Self {
        // Allocates what these keys share; a change of action does not.
        drop(GrandKey::thesis());
        Self {
            grand: Keyboard::new(&Self::of_grand(settings)),
            simple_keys: boxed(|_| None),
            moving: KeySet::EMPTY,
            kinds: [ActionKind::Grand; KEYS],
            selected: settings.played(),
            // Another keyboard may have the keys that were prepared with these settings.
            mechanism: settings.mechanism.as_ref().cloned().into(),
            stale: [false; KEYS],
            lost_states: 0,
        }
    }

    /// Settings for the grand, which the choice of action does not change.
    fn of_grand(settings: &ActionSettings) -> ActionSettings {
        let mechanism = Shared::NEUTRAL;
        ActionSettings { action: ActionKind::Grand, mechanism, ..settings.clone() }
    }

    /// Puts every key to rest.
    pub fn reset(&mut self) {
        self.grand.reset();
        self.simple_keys.iter_mut().filter_map(Option::take).for_each(SimpleKey::dismiss);
        self.moving = KeySet::EMPTY;
        self.kinds = [ActionKind::Grand; KEYS];
        self.stale = [false; KEYS];
    }

    /// Sets new settings: those of the grand are slewed, the action changes at each key's next touch from
    /// rest.
    pub fn configure(&mut self, settings: &ActionSettings) {
        self.grand.configure(&Self::of_grand(settings));
        self.selected = settings.played();
        if self.mechanism != settings.mechanism {
            self.mechanism.clone_from(&settings.mechanism);
        }
        self.stale = [true; KEYS];
    }

    /// See [`Keyboard::settle`].
    pub fn settle(&mut self) {
        self.grand.settle();
    }

    /// Action of `key`.
    #[must_use]
    pub const fn kind(&self, key: KeyNumber) -> ActionKind {
        self.kinds[key.index()]
    }

    /// The simple action of `key`; none if it has the grand's.
    #[must_use]
    pub const fn simple_key(&self, key: KeyNumber) -> Option<&SimpleKey> {
        self.simple_keys[key.index()].as_ref()
    }

    /// The grand's keys.
    #[must_use]
    pub const fn grand(&self) -> &Keyboard {
        &self.grand
    }

    /// To be called before a touch of `key`: at rest, the key changes to the selected action.
    pub fn touch(&mut self, key: KeyNumber) {
        let i = key.index();
        let at_rest = match &self.simple_keys[i] {
            Some(simple) => simple.is_asleep(),
            None => self.grand.is_asleep(key),
        };
        if at_rest {
            self.change_action(key);
        }
    }

    /// Gives `key` the selected action with the present settings, at rest, unless it has that already.
    fn change_action(&mut self, key: KeyNumber) {
        let i = key.index();
        let is_current = self.kinds[i] == self.selected
            && match (self.selected, &self.simple_keys[i]) {
                (ActionKind::File, Some(simple)) => simple.is_of(&self.mechanism),
                (selected, _) => selected == ActionKind::Grand || !self.stale[i],
            };
        if is_current {
            return;
        }
        let grand = &mut self.grand;
        let next = match self.selected {
            ActionKind::File => match SimpleKey::of_file(key, &self.mechanism) {
                // Another keyboard has the prepared key: this one keeps the action that it has.
                None => return,
                next => next,
            },
            selected => SimpleKey::new(selected, key, || grand.built(key)),
        };
        match std::mem::replace(&mut self.simple_keys[i], next) {
            Some(simple) => simple.dismiss(),
            None => self.grand.put_to_rest(key),
        }
        self.moving.remove(key);
        self.kinds[i] = self.selected;
        self.stale[i] = false;
    }

    /// See [`Keyboard::drive`].
    pub fn drive(&mut self, key: KeyNumber, drive: Drive) {
        if drive != Drive::Free {
            self.touch(key);
        }
        match &mut self.simple_keys[key.index()] {
            Some(simple) => {
                simple.drive(drive);
                if simple.is_moving() {
                    self.moving.insert(key);
                }
            }
            None => self.grand.drive(key, drive),
        }
    }

    /// Replaces the state of `key` by that at which its hammer meets the string at `speed` m/s, or at which
    /// its string is plucked at that touch. Returns `false` and changes nothing if the regulation makes this
    /// impossible.
    pub fn construct_strike(&mut self, key: KeyNumber, speed: f64) -> bool {
        self.change_action(key);
        match &mut self.simple_keys[key.index()] {
            Some(simple) => {
                self.moving.insert(key);
                simple.strike(speed)
            }
            None => self.grand.construct_strike(key, speed),
        }
    }

    /// See [`Keyboard::construct_release`].
    pub fn construct_release(&mut self, key: KeyNumber, speed: f64) {
        match &mut self.simple_keys[key.index()] {
            Some(simple) => {
                simple.release(speed);
                self.moving.insert(key);
            }
            None => self.grand.construct_release(key, speed),
        }
    }

    /// See [`Keyboard::pressing`]; for a simple action see [`SwitchableKeyboard::press`].
    #[must_use]
    pub fn pressing(&self, key: KeyNumber, hammer_speed: f64) -> Option<Effort> {
        self.simple_key(key).is_none().then(|| self.grand.pressing(key, hammer_speed))?
    }

    /// The mechanics that a press of `key` meets; none for the grand, whose press is tabulated.
    #[must_use]
    pub fn press(&self, key: KeyNumber) -> Option<Press> {
        self.simple_key(key).and_then(|simple| simple.key().press())
    }

    /// Travel of `key`; none for the grand, whose travel is part of the settings.
    #[must_use]
    pub fn travel(&self, key: KeyNumber) -> Option<Travel> {
        self.simple_key(key).and_then(|simple| simple.key().travel())
    }

    /// What `key` excites.
    #[must_use]
    pub fn voice(&self, key: KeyNumber) -> Voice {
        self.simple_key(key).map_or(Voice::Hammer, |simple| simple.key().voice())
    }

    /// Bend of the sounding string of `key` by the key itself, cents, and pressure at the foot of its pipe, Pa.
    #[must_use]
    pub fn ports(&self, key: KeyNumber) -> [f64; 2] {
        self.simple_key(key).map_or([0.0; 2], |simple| simple.key().ports())
    }

    /// See [`Keyboard::shank`]; none for a simple action.
    #[must_use]
    pub fn shank(&self, key: KeyNumber) -> Option<[f64; 2]> {
        self.simple_key(key).is_none().then(|| self.grand.shank(key))?
    }

    /// See [`Keyboard::hammer_height`]; none for a simple action.
    #[must_use]
    pub fn hammer_height(&self, key: KeyNumber) -> Option<f64> {
        self.simple_key(key).is_none().then(|| self.grand.hammer_height(key))?
    }

    /// Rise of the hammer's crown (a plectrum, a ball) above its rest pose, m; 0 for a key asleep.
    #[must_use]
    pub fn hammer_rise(&self, key: KeyNumber) -> f64 {
        self.simple_key(key).map_or_else(|| self.grand.hammer_rise(key), SimpleKey::hammer_rise)
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

    /// Takes one action step and appends its events to `events`.
    pub fn step(&mut self, events: &mut EventList) {
        self.step_without(KeySet::EMPTY, events);
    }

    /// Acceleration of the front of `key` under `drive`, m/s²; none unless its steps may wait
    /// ([`Self::step_without`]), as the grand's may.
    #[must_use]
    pub fn key_acceleration(&self, key: KeyNumber, drive: Drive) -> Option<f64> {
        self.simple_key(key).is_none().then(|| self.grand.key_acceleration(key, drive))
    }

    /// See [`Keyboard::catch_up`]; keys with another action do not wait.
    pub fn catch_up(&mut self, behind: KeySet, events: &mut EventList) {
        self.grand.catch_up(behind, events);
    }

    /// See [`Keyboard::step_without`]; keys with another action do not wait.
    pub fn step_without(&mut self, waiting: KeySet, events: &mut EventList) {
        self.grand.step_without(waiting, events);
        for key in self.moving.iter() {
            if let Some(simple) = &mut self.simple_keys[key.index()] {
                self.lost_states += u64::from(!simple.step(events));
                if !simple.is_moving() {
                    self.moving.remove(key);
                }
            }
        }
    }

    /// See [`Keyboard::damper_lift`]; the larger of the lifts by the key's own action and by the pedal.
    #[must_use]
    pub fn damper_lift(&self, key: KeyNumber) -> f64 {
        // The damper of a sleeping grand key follows the pedal.
        let lifted = self.grand.damper_lift(key);
        self.simple_key(key).map_or(lifted, |simple| lifted.max(simple.key().damper_lift()))
    }

    /// Key-front depth, m, positive down.
    #[must_use]
    pub fn key_depth(&self, key: KeyNumber) -> f64 {
        self.simple_key(key)
            .map_or_else(|| self.grand.key_depth(key), |simple| simple.key().front()[0])
    }

    /// Downward speed of the front of `key`, m/s.
    #[must_use]
    pub fn key_speed(&self, key: KeyNumber) -> f64 {
        self.simple_key(key)
            .map_or_else(|| self.grand.key_speed(key), |simple| simple.key().front()[1])
    }

    /// Whether every key is at rest, untouched.
    #[must_use]
    pub fn are_asleep(&self) -> bool {
        let mut simple_keys = self.simple_keys.iter().flatten();
        self.grand.are_asleep() && simple_keys.all(SimpleKey::is_asleep)
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

    /// Number of times since creation that a non-finite state of a key was replaced by rest.
    #[must_use]
    pub const fn lost_states(&self) -> u64 {
        self.grand.lost_states() + self.lost_states
    }

    /// See [`Keyboard::unbalanced`]; of the grand's keys.
    #[must_use]
    pub const fn unbalanced(&self) -> u64 {
        self.grand.unbalanced()
    }
}
