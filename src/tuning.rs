//! Tuning by an MTS-ESP master of the session: the detuning of each of the piano's keys.

mod mts;

use touchback_core::math::cast::rounded_i32;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_instrument::host::midi::{Address, InputMessage};
use touchback_instrument::settings::{MtsEsp, Settings, Switch};
use touchback_sound::SoundSettings;
use touchback_sound::tuning::stretch::{fundamental, stretch_cents};

pub use mts::Client;

/// A source of tuning. Notes 0…127, channels 0…15.
pub trait TuningSource {
    /// Whether a master is present.
    fn has_master(&self) -> bool;
    /// Frequency of `note`, Hz.
    fn hz(&self, note: u8) -> f64;
    /// Frequency of `note` on `channel`, Hz, if the channel has a table of its own.
    fn channel_hz(&self, channel: u8, note: u8) -> Option<f64>;
    /// Whether the master filters presses of `note`.
    fn filters(&self, channel: Option<u8>, note: u8) -> bool;
}

/// Inputs of the last detunings.
#[derive(PartialEq)]
struct Basis {
    hz: [f64; KEYS],
    mode: MtsEsp,
    sound: SoundSettings,
}

/// Tunes the piano's keys by `source`.
pub struct OutsideTuning<S> {
    source: S,
    basis: Option<Basis>,
}

impl<S: TuningSource + Default> Default for OutsideTuning<S> {
    fn default() -> Self {
        Self { source: S::default(), basis: None }
    }
}

impl<S: TuningSource> OutsideTuning<S> {
    /// Whether the piano follows the master: one is present, and the piano has no scale of its own.
    fn is_followed(&self, settings: &Settings) -> bool {
        settings.midi.mts_esp != MtsEsp::Off
            && settings.sound.scale.is_none()
            && self.source.has_master()
    }

    /// Discards the last detunings: a new piano has not received them.
    pub fn reset(&mut self) {
        self.basis = None;
    }

    /// Detuning of every key against its own tuning, cents; none if nothing has changed since the last
    /// call.
    pub fn changed_cents(&mut self, settings: &Settings) -> Option<[f64; KEYS]> {
        let basis = self.is_followed(settings).then(|| {
            let mut hz = [0.0; KEYS];
            for (key, hz) in KeyNumber::all().zip(&mut hz) {
                // An invalid frequency becomes 0, which leaves the key's own tuning.
                let requested = self.source.hz(key.midi());
                *hz = if requested.is_finite() { requested.max(0.0) } else { 0.0 };
            }
            Basis { hz, mode: settings.midi.mts_esp, sound: settings.sound.clone() }
        });
        if basis == self.basis {
            return None;
        }
        self.basis = basis;
        let mut all = [0.0; KEYS];
        if let Some(basis) = &self.basis {
            for ((key, cents), hz) in KeyNumber::all().zip(&mut all).zip(basis.hz) {
                *cents = detuning(key, hz, settings);
            }
        }
        Some(all)
    }

    /// Whether the master filters a press of `note` on `channel`.
    pub fn filters(&self, channel: u8, note: u8, settings: &Settings) -> bool {
        let channel = (settings.midi.mpe == Switch::Off).then_some(channel);
        self.is_followed(settings)
            && transposed(note, settings).is_some_and(|n| self.source.filters(channel, n))
    }

    /// The tuning message for a note pressed on a channel that has a table of its own.
    pub fn channel_message(
        &self,
        channel: u8,
        note: u8,
        settings: &Settings,
    ) -> Option<InputMessage> {
        if settings.midi.mpe == Switch::On || !self.is_followed(settings) {
            return None;
        }
        let played = transposed(note, settings)?;
        let hz = self.source.channel_hz(channel, played)?;
        let key = KeyNumber::from_midi(played)?;
        let all = detuning(key, self.source.hz(played), settings);
        let semitones = (detuning(key, hz, settings) - all) / 100.0;
        Some(InputMessage::Tuning { to: Address::note(channel, note), semitones })
    }
}

/// The note that sounds when `note` is played.
fn transposed(note: u8, settings: &Settings) -> Option<u8> {
    u8::try_from(i32::from(note) + rounded_i32(settings.midi.transpose)).ok()
}

/// Difference of `hz` from the fundamental of `key`, cents; 0 if `hz` is no pitch.
fn detuning(key: KeyNumber, hz: f64, settings: &Settings) -> f64 {
    let sound = &settings.sound;
    let stretch = match settings.midi.mts_esp {
        MtsEsp::Stretched => sound.stretch * stretch_cents(key),
        MtsEsp::Off | MtsEsp::Exact => 0.0,
    };
    let cents = 1200.0 * libm::log2(hz / fundamental(key, sound)) + stretch;
    if cents.is_finite() { cents } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A master with one table, another for channel 4, and one filtered note.
    #[derive(Default)]
    struct Fake {
        is_present: bool,
        hz: f64,
    }

    impl TuningSource for Fake {
        fn has_master(&self) -> bool {
            self.is_present
        }
        fn hz(&self, note: u8) -> f64 {
            self.hz * (f64::from(note) / 12.0).exp2()
        }
        fn channel_hz(&self, channel: u8, note: u8) -> Option<f64> {
            (channel == 4).then(|| 2.0 * self.hz(note))
        }
        fn filters(&self, channel: Option<u8>, note: u8) -> bool {
            note == 61 && channel.is_some()
        }
    }

    fn middle(all: [f64; KEYS]) -> f64 {
        all[KeyNumber::from_midi(69).unwrap().index()]
    }

    #[test]
    fn keys_follow_a_master_while_there_is_one() {
        let mut tuning = OutsideTuning::<Fake>::default();
        let settings = Settings::default();
        assert!(tuning.changed_cents(&settings).is_none(), "no master");
        tuning.source.is_present = true;
        tuning.source.hz = 440.0 / (69.0_f64 / 12.0).exp2();
        let all = tuning.changed_cents(&settings).unwrap();
        assert!(middle(all).abs() < 1e-9);
        // Exactly as requested: without the stretch of the piano's own tuning.
        assert!((all[87] + stretch_cents(KeyNumber::from_index(87).unwrap())).abs() < 1e-9);
        assert!(tuning.changed_cents(&settings).is_none(), "no change");
        tuning.source.hz *= (50.0_f64 / 1200.0).exp2();
        assert!((middle(tuning.changed_cents(&settings).unwrap()) - 50.0).abs() < 1e-9);
        let mut stretched = settings.clone();
        stretched.midi.mts_esp = MtsEsp::Stretched;
        assert!((tuning.changed_cents(&stretched).unwrap()[87] - 50.0).abs() < 1e-9);
        for bad in [f64::NAN, f64::INFINITY, 0.0, -3.0] {
            tuning.source.hz = bad;
            let all = tuning.changed_cents(&settings).into_iter().flatten();
            assert!(all.into_iter().all(|cents| cents == 0.0), "{bad}");
        }
        tuning.source.hz = 9.0;
        assert!(tuning.changed_cents(&settings).is_some());
        let mut off = settings;
        off.midi.mts_esp = MtsEsp::Off;
        assert_eq!(tuning.changed_cents(&off), Some([0.0; KEYS]));
    }

    #[test]
    fn filtered_notes_are_recognized_and_channels_may_have_tables() {
        let mut settings = Settings::default();
        let tuning = OutsideTuning { source: Fake { is_present: true, hz: 8.0 }, basis: None };
        assert!(tuning.filters(0, 61, &settings) && !tuning.filters(0, 60, &settings));
        let octave = tuning.channel_message(4, 60, &settings);
        let Some(InputMessage::Tuning { to, semitones }) = octave else { panic!("{octave:?}") };
        assert!(to == Address::note(4, 60) && (semitones - 12.0).abs() < 1e-9);
        assert_eq!(tuning.channel_message(5, 60, &settings), None);
        settings.midi.transpose = 1.0;
        assert!(tuning.filters(0, 60, &settings) && !tuning.filters(0, 61, &settings));
        // With MPE, channels distinguish notes and have no tables.
        settings.midi.mpe = Switch::On;
        assert!(!tuning.filters(0, 60, &settings));
        assert_eq!(tuning.channel_message(4, 60, &settings), None);
    }
}
