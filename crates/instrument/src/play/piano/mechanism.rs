//! The action of all keys with its regulation, pedals, dampers, shanks and tray.

use super::pedal_travel::Pedals;
use super::time::Time;
use crate::play::dampers::Dampers;
use crate::play::engine_traits::Keys;
use crate::play::event_queue::Sounding;
use crate::play::shank::Shanks;
use crate::play::touch::effort;
use crate::play::touch::finger::{grand_press, grand_travel};
use crate::settings::{Settings, VelocityMeans};
use touchback_action::grand::key::efforts::Efforts;
use touchback_action::interface::press::{Effort, Press, Travel};
use touchback_action::{ActionKind, ActionSettings};
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::key_set::KeySet;
use touchback_core::math::pages::boxed;

/// Action `K` with its pedals and dampers.
pub(super) struct Mechanism<K> {
    pub(super) keys: Box<K>,
    /// Hammer speed that a finger's effort gives in the present regulation.
    pub(super) efforts: Box<Efforts>,
    /// The regulation has changed since it was last sent to the action.
    pub(super) is_regulation_pending: bool,
    pub(super) pedals: Pedals,
    pub(super) dampers: Dampers,
    /// Keys without a damper.
    pub(super) undamped: KeySet,
    pub(super) shanks: Shanks,
    /// Height of the damper tray after the last step, m.
    pub(super) tray: f64,
    /// Hammer speed of the last strike of each key, m/s.
    pub(super) strike_speeds: [f64; KEYS],
    /// Pressure at the foot of each key's pipe, Pa.
    pub(super) winds: [f64; KEYS],
}

impl<K: Keys> Mechanism<K> {
    /// `keys` made for `settings`. Allocates.
    pub(super) fn new(keys: Box<K>, settings: &Settings) -> Self {
        let mut undamped = KeySet::EMPTY;
        KeyNumber::all()
            .filter(|key| keys.damper_lift(*key) >= 1.0)
            .for_each(|key| undamped.insert(key));
        Self {
            keys,
            efforts: boxed(|| Efforts::new(&settings.action, uses_efforts(settings))),
            is_regulation_pending: false,
            pedals: Pedals::UP,
            dampers: Dampers::new(),
            undamped,
            shanks: Shanks::new(),
            tray: 0.0,
            strike_speeds: [0.0; KEYS],
            winds: [0.0; KEYS],
        }
    }

    /// Keys at rest, every damper's lift to be reported again; pedals and regulation stay.
    pub(super) fn reset_to_rest(&mut self) {
        self.keys.reset();
        self.dampers = Dampers::new();
        self.shanks.reset();
        self.tray = self.keys.tray();
        self.strike_speeds = [0.0; KEYS];
        self.winds = [0.0; KEYS];
    }

    /// Sends a changed regulation to the action, once an action step however often it was set.
    pub(super) fn apply_regulation(&mut self, action: &ActionSettings) {
        if std::mem::take(&mut self.is_regulation_pending) {
            self.keys.configure(action);
            self.dampers.watch();
        }
    }

    /// Sets the damper tray by the sustain pedal.
    pub(super) fn apply_sustain(&mut self, settings: &Settings) {
        self.keys.sustain(settings.pedals.lift(self.pedals.sustain()));
    }

    /// Schedules the dampers that have moved.
    pub(super) fn poll_dampers(&mut self, time: &mut Time) {
        for key in self.dampers.poll(self.keys.awake_keys(), self.keys.tray()).iter() {
            if let Some(lift) = self.take_damper_change(key) {
                time.schedule_now(Sounding::Damper { key, lift });
            }
        }
    }

    /// The lift of the damper of `key`, 0…1, if it has changed since it was last taken.
    pub(super) fn take_damper_change(&mut self, key: KeyNumber) -> Option<f64> {
        self.dampers.take_change(key, self.keys.damper_lift(key))
    }

    /// Lets hammers that stay at their strings block them.
    pub(super) fn poll_hammers(&mut self) {
        for key in self.keys.awake_keys().iter() {
            if let Some(height) = self.keys.hammer_height(key) {
                self.dampers.hammer(key, height);
            }
        }
    }

    /// Speed, m/s, at which the hammer of `key` meets its strings for a note of `nominal` m/s; `None`
    /// where the hammer does not arrive.
    pub(super) fn hammer_speed(
        &mut self,
        key: KeyNumber,
        nominal: f64,
        settings: &Settings,
    ) -> Option<f64> {
        if uses_efforts(settings) { self.efforts.hammer_speed(key, nominal) } else { Some(nominal) }
    }

    /// Effort of a finger on `key` for a hammer speed, m/s: a press, or beyond the fastest press its
    /// continuation.
    pub(super) fn effort(
        &self,
        key: KeyNumber,
        hammer_speed: f64,
        action: &ActionSettings,
    ) -> Effort {
        effort::of(&*self.keys, grand_dip(action), key, hammer_speed)
    }

    /// Mass and lever ratio that a press of `key` meets.
    pub(super) fn press(&self, key: KeyNumber, action: &ActionSettings) -> Press {
        self.keys.press(key).unwrap_or_else(|| grand_press(key, grand_dip(action)))
    }

    /// Travel of `key`.
    pub(super) fn travel(&self, key: KeyNumber, action: &ActionSettings) -> Travel {
        self.keys.travel(key).unwrap_or_else(|| grand_travel(grand_dip(action)))
    }

    /// Whether `key` has risen far enough to be played again.
    pub(super) fn is_risen(&self, key: KeyNumber, action: &ActionSettings) -> bool {
        self.keys.key_depth(key) <= self.travel(key, action).repeat_depth
    }
}

/// Whether a velocity of `settings` is a finger's effort on a grand.
pub(super) fn uses_efforts(settings: &Settings) -> bool {
    settings.touch.velocity_means == VelocityMeans::Finger
        && settings.action.played() == ActionKind::Grand
}

/// Depth of the grand's key bed, m; 10 mm for a setting that is not finite.
fn grand_dip(action: &ActionSettings) -> f64 {
    let dip_mm = action.key_dip_mm;
    if dip_mm.is_finite() { dip_mm.clamp(1.0, 30.0) * 1e-3 } else { 0.01 }
}
