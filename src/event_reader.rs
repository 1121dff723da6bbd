//! The host's events one after another, as messages.
//!
//! A VST3 host hands over the controllers of a sample before its notes, in no order between the
//! two. A finer velocity then belongs to the note of its sample if that is the only one there;
//! otherwise it is overruled by one of 0, which is "no finer part".

use arrayvec::ArrayVec;
use nice_plug::prelude::NoteEvent;

use crate::notes;
use touchback_instrument::midi::{InputMessage, controller};

/// Reads the messages of one block.
pub(super) struct EventReader<S> {
    /// Controllers of a sample come before its notes, whatever order they were played in.
    reordered: bool,
    /// Events read ahead.
    waiting: ArrayVec<NoteEvent<S>, 2>,
    /// Offset of the finer velocity read last, until a note has come.
    prefix: Option<u32>,
}

impl<S: Copy> EventReader<S> {
    pub(super) fn new(reordered: bool) -> Self {
        Self { reordered, waiting: ArrayVec::new(), prefix: None }
    }

    /// The next message and its offset; events without a meaning for a piano are skipped. `pull`
    /// yields the host's events.
    pub(super) fn next(
        &mut self,
        mut pull: impl FnMut() -> Option<NoteEvent<S>>,
    ) -> Option<(u32, InputMessage)> {
        loop {
            let event = self.waiting.pop_at(0).or_else(&mut pull)?;
            let at = event.timing();
            match event {
                NoteEvent::MidiCC { cc: controller::VELOCITY_PREFIX, .. } => self.prefix = Some(at),
                NoteEvent::NoteOn { channel, .. } if self.reordered && self.prefix == Some(at) => {
                    self.prefix = None;
                    if self.waiting.is_empty() {
                        self.waiting.extend(pull());
                    }
                    if self.waiting.first().is_some_and(|next| is_note_at(next, at)) {
                        self.waiting.insert(0, event);
                        let channel = channel.number().unwrap_or(0);
                        let number = controller::VELOCITY_PREFIX;
                        return Some((
                            at,
                            InputMessage::Controller { channel, number, value: 0.0 },
                        ));
                    }
                }
                _ => {}
            }
            if let Some(message) = notes::message(&event) {
                return Some((at, message));
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

    /// Messages as they are read: (offset, what, value), where what is a pressed note, 100 + a released
    /// one, 200 for a prefix or 201 for the pedal.
    fn read(reordered: bool, events: &[NoteEvent<()>]) -> Vec<(u32, u8, f64)> {
        let (mut reader, mut events) = (EventReader::new(reordered), events.iter().copied());
        std::iter::from_fn(|| reader.next(|| events.next()))
            .map(|(at, message)| match message {
                InputMessage::NoteOn { note, velocity, .. } => (at, note, velocity),
                InputMessage::NoteOff { to, velocity } => (at, 100 + to.note.unwrap(), velocity),
                InputMessage::Controller { number: controller::SUSTAIN, .. } => (at, 201, 1.0),
                InputMessage::Controller { value, .. } => (at, 200, value),
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn a_finer_velocity_is_for_the_only_note_of_its_sample() {
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

    /// A release is a note of its sample too: which of the two the finer velocity was for is unknown.
    #[test]
    fn a_release_in_the_same_sample_overrules_a_finer_velocity() {
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
    fn a_host_that_keeps_the_order_is_taken_at_its_word() {
        let chord = [prefix(3, 0.25), on(3, 60), prefix(3, 0.75), on(3, 61)];
        let played = [(3, 200, 0.25), (3, 60, 0.5), (3, 200, 0.75), (3, 61, 0.5)];
        assert_eq!(read(false, &chord), played);
    }
}
