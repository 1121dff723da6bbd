//! Host note and controller events to the piano's events.

use nice_plug::midi::{Key as NoteKey, VoiceID};
use nice_plug::prelude::NoteEvent;

use crate::instrument::Event;
use crate::math::compass::{KEYS, Key};

// Controller numbers of MIDI 1.0, table 3.
const SUSTAIN: u8 = 64;
const ALL_SOUND_OFF: u8 = 120;
const RESET_CONTROLLERS: u8 = 121;
const ALL_NOTES_OFF: u8 = 123;
/// The four mode messages above "all notes off" each imply it.
const POLY_MODE: u8 = 127;

/// Gives host events their meaning and remembers which host note holds which key.
pub(super) struct Notes {
    ids: [Option<i32>; KEYS],
    ignored: u64,
}

impl Default for Notes {
    fn default() -> Self {
        Self { ids: [None; KEYS], ignored: 0 }
    }
}

/// Which keys a host event means.
enum Target {
    One(Key),
    All,
    None,
}

impl Notes {
    /// Forgets who holds which key; the count goes on.
    pub(super) fn reset(&mut self) {
        self.ids = [None; KEYS];
    }

    /// Note-ons outside the compass or without a velocity since the last call.
    pub(super) fn take_ignored(&mut self) -> u64 {
        std::mem::take(&mut self.ignored)
    }

    /// What `event` means to the piano, if anything.
    pub(super) fn translate<S>(&mut self, event: &NoteEvent<S>) -> Option<Event> {
        match *event {
            NoteEvent::NoteOn { key, velocity, voice_id, .. } => {
                match key.number().and_then(Key::from_midi) {
                    Some(key) if velocity.is_finite() => {
                        self.ids[key.index()] = voice_id.id();
                        let velocity = f64::from(velocity).clamp(0.0, 1.0);
                        Some(Event::NoteOn { key, velocity })
                    }
                    _ => {
                        self.ignored += 1;
                        None
                    }
                }
            }
            NoteEvent::NoteOff { key, velocity, voice_id, .. } => {
                let velocity =
                    if velocity.is_finite() { f64::from(velocity).clamp(0.0, 1.0) } else { 0.0 };
                match self.target(key, voice_id) {
                    Target::One(key) => Some(Event::NoteOff { key, velocity }),
                    Target::All => Some(Event::AllNotesOff),
                    Target::None => None,
                }
            }
            // A piano has no way to stop one note but its damper, at its quickest.
            NoteEvent::Choke { key, voice_id, .. } => match self.target(key, voice_id) {
                Target::One(key) => Some(Event::NoteOff { key, velocity: 1.0 }),
                Target::All => Some(Event::AllSoundOff),
                Target::None => None,
            },
            NoteEvent::MidiCC { cc, value, .. } if value.is_finite() => match cc {
                SUSTAIN => Some(Event::Sustain(f64::from(value).clamp(0.0, 1.0))),
                ALL_SOUND_OFF => Some(Event::AllSoundOff),
                RESET_CONTROLLERS => Some(Event::Sustain(0.0)),
                ALL_NOTES_OFF..=POLY_MODE => Some(Event::AllNotesOff),
                _ => None,
            },
            _ => None,
        }
    }

    /// A wildcard key with a note id means that note's key; with none it means every key.
    fn target(&self, key: NoteKey, voice: VoiceID) -> Target {
        match (key, voice) {
            (NoteKey::Number(number), _) => {
                Key::from_midi(number).map_or(Target::None, Target::One)
            }
            (NoteKey::Wildcard, VoiceID::Wildcard) => Target::All,
            (NoteKey::Wildcard, VoiceID::ID(id)) => Key::all()
                .find(|k| self.ids[k.index()] == Some(id))
                .map_or(Target::None, Target::One),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nice_plug::midi::Channel;

    type HostEvent = NoteEvent<()>;
    const CHANNEL: Channel = Channel::Number(3);

    const fn on(note: u8, id: i32, velocity: f32) -> HostEvent {
        NoteEvent::NoteOn {
            timing: 0,
            voice_id: VoiceID::ID(id),
            channel: CHANNEL,
            key: NoteKey::Number(note),
            velocity,
        }
    }

    const fn off(key: NoteKey, voice_id: VoiceID) -> HostEvent {
        NoteEvent::NoteOff { timing: 0, voice_id, channel: CHANNEL, key, velocity: 0.25 }
    }

    const fn choke(key: NoteKey, voice_id: VoiceID) -> HostEvent {
        NoteEvent::Choke { timing: 0, voice_id, channel: CHANNEL, key }
    }

    fn key(note: u8) -> Key {
        Key::from_midi(note).unwrap()
    }

    #[test]
    fn notes_of_the_compass_pass_and_others_are_counted() {
        let mut notes = Notes::default();
        for note in 21..=108 {
            assert_eq!(
                notes.translate(&on(note, 1, 0.5)),
                Some(Event::NoteOn { key: key(note), velocity: 0.5 })
            );
        }
        assert_eq!(
            notes.translate(&on(60, 1, 7.0)),
            Some(Event::NoteOn { key: key(60), velocity: 1.0 })
        );
        assert_eq!(notes.take_ignored(), 0);
        for event in [on(20, 1, 0.5), on(109, 1, 0.5), on(60, 1, f32::NAN)] {
            assert_eq!(notes.translate(&event), None);
        }
        assert_eq!((notes.take_ignored(), notes.take_ignored()), (3, 0));
    }

    #[test]
    fn a_release_finds_its_key_by_number_or_by_note_id() {
        let mut notes = Notes::default();
        notes.translate(&on(60, 7, 0.5));
        let released = Some(Event::NoteOff { key: key(60), velocity: 0.25 });
        assert_eq!(notes.translate(&off(NoteKey::Number(60), VoiceID::Wildcard)), released);
        assert_eq!(notes.translate(&off(NoteKey::Wildcard, VoiceID::ID(7))), released);
        assert_eq!(notes.translate(&off(NoteKey::Wildcard, VoiceID::ID(8))), None);
        assert_eq!(notes.translate(&off(NoteKey::Number(5), VoiceID::Wildcard)), None);
        let everything = off(NoteKey::Wildcard, VoiceID::Wildcard);
        assert_eq!(notes.translate(&everything), Some(Event::AllNotesOff));
        notes.reset();
        assert_eq!(notes.translate(&off(NoteKey::Wildcard, VoiceID::ID(7))), None);
    }

    #[test]
    fn a_choke_is_the_quickest_release_or_silence() {
        let mut notes = Notes::default();
        assert_eq!(
            notes.translate(&choke(NoteKey::Number(60), VoiceID::Wildcard)),
            Some(Event::NoteOff { key: key(60), velocity: 1.0 })
        );
        let everything = choke(NoteKey::Wildcard, VoiceID::Wildcard);
        assert_eq!(notes.translate(&everything), Some(Event::AllSoundOff));
    }

    #[test]
    fn controllers_have_their_midi_meaning() {
        let mut notes = Notes::default();
        let mut controller =
            |cc, value| notes.translate(&HostEvent::MidiCC { timing: 0, channel: 0, cc, value });
        assert_eq!(controller(64, 0.375), Some(Event::Sustain(0.375)));
        assert_eq!(controller(64, f32::NAN), None);
        assert_eq!(controller(120, 0.0), Some(Event::AllSoundOff));
        assert_eq!(controller(121, 0.0), Some(Event::Sustain(0.0)));
        for mode in 123..=127 {
            assert_eq!(controller(mode, 0.0), Some(Event::AllNotesOff));
        }
        for other in [0, 1, 7, 66, 67, 122] {
            assert_eq!(controller(other, 1.0), None);
        }
    }
}
