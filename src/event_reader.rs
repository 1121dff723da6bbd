//! Reads the host's events as messages. Audio thread.
//!
//! A VST3 host passes the controllers of a sample before its notes, so their order is lost. A velocity
//! prefix (CC 88) then belongs to the note of its sample if that sample has one note only. Otherwise the
//! reader inserts a prefix of 0, which means "no finer part".

use arrayvec::ArrayVec;
use nice_plug::prelude::NoteEvent;

use crate::notes;
use touchback_instrument::host::midi::{InputMessage, controller};

/// Reads the messages of one block.
pub(super) struct EventReader<S> {
    /// The host passes the controllers of a sample before its notes, in whatever order they were played.
    reordered: bool,
    /// Events read ahead.
    waiting: ArrayVec<NoteEvent<S>, 2>,
    /// Offset of the last velocity prefix, until a note follows.
    prefix: Option<u32>,
}

/// What a host has sent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Received<S> {
    Message(InputMessage),
    /// A system exclusive message.
    System(S),
}

impl<S: Copy> EventReader<S> {
    pub(super) fn new(reordered: bool) -> Self {
        Self { reordered, waiting: ArrayVec::new(), prefix: None }
    }

    /// The next message and its offset. `pull` yields the host's events; those that a piano does not use
    /// are skipped.
    pub(super) fn next(
        &mut self,
        mut pull: impl FnMut() -> Option<NoteEvent<S>>,
    ) -> Option<(u32, Received<S>)> {
        loop {
            let event = self.waiting.pop_at(0).or_else(&mut pull)?;
            let at = event.timing();
            match event {
                NoteEvent::MidiCC {
                    cc: controller::VELOCITY_PREFIX | controller::FINE_VELOCITY,
                    ..
                } => self.prefix = Some(at),
                NoteEvent::NoteOn { channel, .. } if self.reordered && self.prefix == Some(at) => {
                    self.prefix = None;
                    if self.waiting.is_empty() {
                        self.waiting.extend(pull());
                    }
                    if self.waiting.first().is_some_and(|next| is_note_at(next, at)) {
                        self.waiting.insert(0, event);
                        let channel = channel.number().unwrap_or(0);
                        let number = controller::VELOCITY_PREFIX;
                        let none = InputMessage::Controller { channel, number, value: 0.0 };
                        return Some((at, Received::Message(none)));
                    }
                }
                NoteEvent::MidiSysEx { message, .. } => {
                    return Some((at, Received::System(message)));
                }
                _ => {}
            }
            if let Some(message) = notes::message(&event) {
                return Some((at, Received::Message(message)));
            }
        }
    }
}

fn is_note_at<S>(event: &NoteEvent<S>, at: u32) -> bool {
    event.timing() == at && matches!(event, NoteEvent::NoteOn { .. } | NoteEvent::NoteOff { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nice_plug::midi::{Channel, Key, VoiceID};

    const fn prefix(timing: u32, value: f32) -> NoteEvent<()> {
        NoteEvent::MidiCC { timing, channel: 0, cc: 88, value }
    }

    const fn on(timing: u32, note: u8) -> NoteEvent<()> {
        NoteEvent::NoteOn {
            timing,
            voice_id: VoiceID::Wildcard,
            channel: Channel::Number(0),
            key: Key::Number(note),
            velocity: 0.5,
        }
    }

    const fn off(timing: u32, note: u8) -> NoteEvent<()> {
        NoteEvent::NoteOff {
            timing,
            voice_id: VoiceID::Wildcard,
            channel: Channel::Number(0),
            key: Key::Number(note),
            velocity: 0.25,
        }
    }

    const fn pedal(timing: u32) -> NoteEvent<()> {
        NoteEvent::MidiCC { timing, channel: 0, cc: controller::SUSTAIN, value: 1.0 }
    }

    /// Messages as (offset, code, value). The code is the note of a note-on, 100 + the note of a note-off,
    /// 200 for a prefix or 201 for the pedal.
    fn read(reordered: bool, events: &[NoteEvent<()>]) -> Vec<(u32, u8, f64)> {
        let (mut reader, mut events) = (EventReader::new(reordered), events.iter().copied());
        std::iter::from_fn(|| reader.next(|| events.next()))
            .map(|(at, received)| match received {
                Received::Message(InputMessage::NoteOn { note, velocity, .. }) => {
                    (at, note, velocity)
                }
                Received::Message(InputMessage::NoteOff { to, velocity }) => {
                    (at, 100 + to.note.unwrap(), velocity)
                }
                Received::Message(InputMessage::Controller { number, value, .. }) => {
                    if number == controller::SUSTAIN { (at, 201, 1.0) } else { (at, 200, value) }
                }
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn a_velocity_prefix_belongs_to_the_only_note_of_its_sample() {
        let single = [prefix(3, 0.25), on(3, 60), on(4, 61), on(4, 62)];
        let plain = [(3, 200, 0.25), (3, 60, 0.5), (4, 61, 0.5), (4, 62, 0.5)];
        assert_eq!(read(true, &single), plain);
        let chord = [prefix(3, 0.25), prefix(3, 0.75), on(3, 60), on(3, 61)];
        assert_eq!(
            read(true, &chord),
            [(3, 200, 0.25), (3, 200, 0.75), (3, 200, 0.0), (3, 60, 0.5), (3, 61, 0.5)]
        );
        let before = [prefix(2, 0.25), on(3, 60), on(3, 61)];
        assert_eq!(read(true, &before), [(2, 200, 0.25), (3, 60, 0.5), (3, 61, 0.5)]);
    }

    /// A note-off counts as a note of its sample: to which of the two the prefix belongs is unknown.
    #[test]
    fn a_release_in_the_same_sample_cancels_a_velocity_prefix() {
        let released = [prefix(3, 0.75), on(3, 60), off(3, 61)];
        let read_as = [(3, 200, 0.75), (3, 200, 0.0), (3, 60, 0.5), (3, 161, 0.25)];
        assert_eq!(read(true, &released), read_as);
        for harmless in [off(4, 61), on(4, 61), pedal(3)] {
            let events = [prefix(3, 0.75), on(3, 60), harmless];
            assert_eq!(read(true, &events)[..2], [(3, 200, 0.75), (3, 60, 0.5)]);
            assert_eq!(read(true, &events).len(), 3);
        }
    }

    #[test]
    fn prefixes_of_a_host_that_keeps_the_order_are_unchanged() {
        let chord = [prefix(3, 0.25), on(3, 60), prefix(3, 0.75), on(3, 61)];
        let played = [(3, 200, 0.25), (3, 60, 0.5), (3, 200, 0.75), (3, 61, 0.5)];
        assert_eq!(read(false, &chord), played);
    }
}
