//! MIDI Polyphonic Expression: each finger on a channel of its own.
//!
//! [MPE 1.0, M1-100-UM]: channel 1 controls the lower zone, channel 16 the upper one, and their neighbours are
//! fingers, whose bend and pressure act on the notes they hold. A released note keeps ringing at its last
//! bend: senders bend a free channel for the next note before they press it. A zone is announced by its
//! channel (RPN 6); without an announcement the setting counts, with channels 2 to 16 as fingers.

use super::{CHANNELS, index};
use crate::Event;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::key_set::KeySet;

/// Most fingers of both zones.
const FINGERS: u8 = 15;

/// The channels of whole zones, from 0.
const LOWER: usize = 0;
const UPPER: usize = 15;

/// Number of fingers of the lower and the upper zone.
type Zones = [u8; 2];

/// Bends of the fingers.
#[derive(Clone, Debug, Default)]
pub(super) struct Fingers {
    /// Whether the setting makes channels 2 to 16 fingers.
    is_set: bool,
    /// The zones that were announced.
    announced: Option<Zones>,
    /// Range of a finger's bend in the settings, semitones.
    range: f64,
    /// Range of a finger's bend by zone, as the fingers have sent it.
    ranges: [Option<f64>; 2],
    /// Bend of each channel, −1…1.
    bends: [f64; CHANNELS],
    /// Keys that fingers have pressed, which have the fingers' detuning.
    tuned: KeySet,
}

impl Fingers {
    /// Sets what the settings say: `range` of the bend, semitones, of the channels 2 to 16 if they are
    /// fingers (`is_set`). When MPE ends, all keys are put in tune.
    /// Returns whether the range has changed under bends.
    pub(super) fn set(&mut self, is_set: bool, range: f64, out: &mut impl FnMut(Event)) -> bool {
        let is_bent = self.bends.iter().any(|bend| *bend != 0.0);
        let has_changed = std::mem::replace(&mut self.range, range) != range && is_bent;
        if is_set != self.is_set {
            let before = self.zones();
            (self.is_set, self.announced) = (is_set, None);
            self.changed(before, out);
        }
        has_changed
    }

    /// Forgets bends and keys; the zones stay.
    pub(super) const fn reset(&mut self) {
        self.bends = [0.0; CHANNELS];
        self.tuned = KeySet::EMPTY;
    }

    /// Forgets what was announced.
    pub(super) fn forget_announced(&mut self, out: &mut impl FnMut(Event)) {
        if self.announced.is_some() || self.ranges != [None; 2] {
            let before = self.zones();
            (self.announced, self.ranges) = (None, [None; 2]);
            self.changed(before, out);
        }
    }

    /// `channel` announces a zone of `fingers`; other channels have none. The other zone keeps what is left.
    pub(super) fn announce(&mut self, channel: u8, fingers: u8, out: &mut impl FnMut(Event)) {
        let zone = match index(channel) {
            LOWER => 0,
            UPPER => 1,
            _ => return,
        };
        let before = self.zones();
        let fingers = fingers.min(FINGERS);
        let mut zones = self.announced.unwrap_or_default();
        zones[zone] = fingers;
        let left = if fingers == 0 { FINGERS } else { (FINGERS - 1).saturating_sub(fingers) };
        zones[1 - zone] = zones[1 - zone].min(left);
        self.announced = Some(zones);
        // An announcement resets the ranges of its zone.
        self.ranges[zone] = None;
        self.changed(before, out);
    }

    /// Range of the bend that a finger has sent: it counts for its whole zone.
    pub(super) fn set_range(&mut self, channel: u8, semitones: f64) {
        if let Some(zone) = self.zone(channel) {
            self.ranges[zone] = Some(semitones);
        }
    }

    /// Range of the bend of the finger of `channel`, semitones; `None` on other channels.
    pub(super) fn range(&self, channel: u8) -> Option<f64> {
        self.zone(channel).map(|zone| self.ranges[zone].unwrap_or(self.range))
    }

    /// Puts keys in tune if the fingers are others than `before`.
    fn changed(&mut self, before: Zones, out: &mut impl FnMut(Event)) {
        if self.zones() != before {
            self.tuned.iter().for_each(|key| out(Event::Tune { key, cents: 0.0 }));
            self.reset();
        }
    }

    const fn zones(&self) -> Zones {
        match self.announced {
            Some(zones) => zones,
            None if self.is_set => [FINGERS, 0],
            None => [0; 2],
        }
    }

    /// Zone of which `channel` is a finger.
    fn zone(&self, channel: u8) -> Option<usize> {
        let [lower, upper] = self.zones().map(usize::from);
        match index(channel) {
            LOWER if lower > 0 => None,
            UPPER if upper > 0 => None,
            channel if channel > LOWER && channel <= LOWER + lower => Some(0),
            channel if channel < UPPER && channel + upper >= UPPER => Some(1),
            _ => None,
        }
    }

    /// Whether `channel` is a finger's channel.
    pub(super) fn has(&self, channel: u8) -> bool {
        self.zone(channel).is_some()
    }

    /// `channel` has pressed `key`, whose detuning follows its finger from now on.
    pub(super) const fn press(&mut self, key: KeyNumber) {
        self.tuned.insert(key);
    }

    /// The finger of `channel` bends by `value`, −1…1.
    pub(super) fn bend(&mut self, channel: u8, value: f64) {
        self.bends[index(channel)] = value;
    }

    /// Detuning of the notes of `channel` by its finger, cents; `None` on other channels.
    pub(super) fn cents(&self, channel: u8) -> Option<f64> {
        Some(100.0 * self.range(channel)? * self.bends[index(channel)])
    }

    /// Whether any channel is a finger's.
    pub(super) fn are_any(&self) -> bool {
        self.zones() != [0; 2]
    }
}
