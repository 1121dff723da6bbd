//! MIDI Polyphonic Expression: each finger on a channel of its own.
//!
//! [MPE 1.0, M1-100-UM], lower zone: channel 1 controls the whole piano, channels 2 to 16 are fingers,
//! and a finger's bend and pressure act on the notes it holds. A released note keeps ringing at its last
//! bend: senders bend a free channel for the next note before they press it.

use super::{CHANNELS, index};
use crate::Event;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::key_set::KeySet;

/// The channel of the whole piano, from 0.
const WHOLE: usize = 0;

/// Bends of the fingers.
#[derive(Clone, Debug, Default)]
pub(super) struct Fingers {
    /// Range of a finger's bend, semitones; `None` without MPE.
    range: Option<f64>,
    /// Bend of each channel, −1…1.
    bends: [f64; CHANNELS],
    /// Keys that fingers have pressed, which have the fingers' detuning.
    tuned: KeySet,
}

impl Fingers {
    /// Sets the range of the bend, semitones. When MPE ends (`None`), all keys are put in tune.
    pub(super) fn set_range(&mut self, range: Option<f64>, out: &mut impl FnMut(Event)) {
        let before = std::mem::replace(&mut self.range, range);
        if before.is_some() && range.is_none() {
            self.tuned.iter().for_each(|key| out(Event::Tune { key, cents: 0.0 }));
            *self = Self::default();
        }
    }

    /// Whether `channel` is a finger's channel.
    pub(super) fn has(&self, channel: u8) -> bool {
        self.range.is_some() && index(channel) != WHOLE
    }

    /// `channel` has pressed `key`, which begins in tune: detunes it by its finger's bend.
    pub(super) fn press(&mut self, channel: u8, key: KeyNumber, out: &mut impl FnMut(Event)) {
        if self.range.is_some() {
            self.tuned.insert(key);
            out(Event::Tune { key, cents: self.cents(channel) });
        }
    }

    /// The finger of `channel`, which holds the keys `held`, bends by `value`, −1…1.
    pub(super) fn bend(
        &mut self,
        channel: u8,
        value: f64,
        held: KeySet,
        out: &mut impl FnMut(Event),
    ) {
        self.bends[index(channel)] = value;
        let cents = self.cents(channel);
        held.iter().for_each(|key| out(Event::Tune { key, cents }));
    }

    /// Detuning of the notes of `channel`, cents; 0 on the channel of the whole piano.
    fn cents(&self, channel: u8) -> f64 {
        let bend = if self.has(channel) { self.bends[index(channel)] } else { 0.0 };
        100.0 * self.range.unwrap_or(0.0) * bend
    }
}
