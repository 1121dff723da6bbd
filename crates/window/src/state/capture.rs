//! The performance of the last minutes as a MIDI file.

use midly::live::LiveEvent;
use midly::{MetaMessage, TrackEventKind};

use touchback_core::math::cast::count;
use touchback_instrument::host::midi::controller;
use touchback_instrument::host::midi_file::write as midi_file;
use touchback_instrument::watch::monitor::tape::TimedMessage;

/// Longest saved performance, s.
pub const SPAN: f64 = 600.0;
/// Ticks per quarter of 0.5 s: a tick is 0.1 ms, less than an action step.
const TICKS: u16 = 4800;
const TICKS_A_SECOND: f64 = 2.0 * TICKS as f64;
const QUARTER_US: u32 = 500_000;

/// The last [`SPAN`] s of `messages` as a MIDI file of format 0. The file begins with the positions of the
/// pedals and ends with the release of all notes. None if there is no note.
#[must_use]
pub fn file(messages: &[TimedMessage]) -> Option<Vec<u8>> {
    let end = messages.last()?.time;
    let from = messages.partition_point(|h| h.time < end - SPAN);
    let (before, span) = messages.split_at(from);
    let first = span.iter().position(|h| h.velocity().is_some())?;
    let begin = span[first].time;
    // Pedals and the velocity prefix before the first note belong to the performance.
    let mut track = Track::new();
    let mut pedals = [[0u8; 3]; 16];
    for h in before.iter().chain(&span[..first]) {
        for (pedal, number) in PEDALS.iter().enumerate() {
            if let Some(value) = h.controller(*number) {
                pedals[usize::from(h.bytes[0] & 15)][pedal] = value;
            }
        }
    }
    for (channel, values) in (0u8..).zip(pedals) {
        for (number, value) in PEDALS.into_iter().zip(values).filter(|(_, value)| *value > 0) {
            track.put(0.0, [0xb0 | channel, number, value]);
        }
    }
    let prefix = span[..first].last().filter(|h| {
        h.controller(controller::VELOCITY_PREFIX).is_some() && h.time.to_bits() == begin.to_bits()
    });
    for h in prefix.into_iter().chain(&span[first..]) {
        track.put(h.time - begin, h.bytes);
    }
    Some(track.finish(end - begin))
}

/// Controllers whose value persists.
const PEDALS: [u8; 3] = [controller::SUSTAIN, controller::SOSTENUTO, controller::UNA_CORDA];

/// A track under construction.
struct Track {
    /// Ticks and events, in order.
    events: Vec<(u32, TrackEventKind<'static>)>,
    /// Number of presses of each note, by channel.
    held: Box<[[u16; 128]; 16]>,
    lifted: [[u8; 3]; 16],
}

impl Track {
    fn new() -> Self {
        let name = TrackEventKind::Meta(MetaMessage::TrackName(b"Touchback"));
        Self {
            events: vec![(0, name), (0, midi_file::tempo(QUARTER_US))],
            held: Box::new([[0; 128]; 16]),
            lifted: [[0; 3]; 16],
        }
    }

    fn put(&mut self, time: f64, bytes: [u8; 3]) {
        let (channel, note) = (usize::from(bytes[0] & 15), usize::from(bytes[1] & 127));
        let held = &mut self.held[channel][note];
        match bytes[0] >> 4 {
            0x9 if bytes[2] > 0 => *held = held.saturating_add(1),
            // The note began before the file does.
            0x8 | 0x9 if *held == 0 => return,
            0x8 | 0x9 => *held -= 1,
            0xb => {
                if let Some(pedal) = PEDALS.iter().position(|p| *p == bytes[1]) {
                    self.lifted[channel][pedal] = bytes[2];
                }
                if matches!(bytes[1], controller::ALL_SOUND_OFF | controller::ALL_NOTES_OFF) {
                    self.held[channel] = [0; 128];
                }
            }
            _ => {}
        }
        if let Ok(LiveEvent::Midi { channel, message }) = LiveEvent::parse(&bytes) {
            // The ticks of the longest performance fit easily. Ticks never decrease.
            let last = self.events.last().map_or(0, |(tick, _)| *tick);
            let tick = count((time.max(0.0) * TICKS_A_SECOND).round()).max(last);
            self.events.push((tick, TrackEventKind::Midi { channel, message }));
        }
    }

    fn finish(mut self, end: f64) -> Vec<u8> {
        for channel in 0..16u8 {
            for note in 0..128u8 {
                while self.held[usize::from(channel)][usize::from(note)] > 0 {
                    self.put(end, [0x80 | channel, note, 64]);
                }
            }
            for (pedal, number) in PEDALS.into_iter().enumerate() {
                if self.lifted[usize::from(channel)][pedal] > 0 {
                    self.put(end, [0xb0 | channel, number, 0]);
                }
            }
        }
        midi_file::bytes(TICKS, self.events, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use midly::{Format, MidiMessage, Smf};
    use touchback_core::math::cast::{byte, floor_index};
    use touchback_instrument::host::midi::{Address, InputMessage};
    use touchback_instrument::watch::monitor::tape::{CAPACITY, tape};

    const fn on(note: u8, velocity: f64) -> InputMessage {
        InputMessage::NoteOn { channel: 0, note, id: None, velocity }
    }

    const fn off(note: u8) -> InputMessage {
        InputMessage::NoteOff { to: Address::note(0, note), velocity: 0.5 }
    }

    /// Seconds and messages of a file's track.
    fn read(bytes: &[u8]) -> Vec<(f64, u8, MidiMessage)> {
        let smf = Smf::parse(bytes).unwrap();
        assert_eq!((smf.header.format, smf.tracks.len()), (Format::SingleTrack, 1));
        let mut tick = 0;
        let mut messages = Vec::new();
        for event in &smf.tracks[0] {
            tick += event.delta.as_int();
            if let TrackEventKind::Midi { channel, message } = event.kind {
                messages.push((f64::from(tick) / TICKS_A_SECOND, channel.as_int(), message));
            }
        }
        messages
    }

    #[test]
    fn a_saved_performance_has_its_times_and_velocities() {
        let (mut tape, take) = tape();
        assert_eq!(file(&take.all()), None);
        tape.advance(100.0);
        tape.record(0.01, &InputMessage::Controller { channel: 0, number: 64, value: 1.0 });
        tape.record(0.02, &on(60, 80.0 / 127.0));
        tape.advance(0.5);
        tape.record(0.0, &on(64, 80.25 / 127.0));
        tape.record(0.1, &off(60));
        // A release before the file begins is not in the file.
        tape.record(0.1, &off(72));
        let messages = read(&file(&take.all()).unwrap());
        let control = |number: u8, value: u8| MidiMessage::Controller {
            controller: number.into(),
            value: value.into(),
        };
        let note_on =
            |note: u8, velocity: u8| MidiMessage::NoteOn { key: note.into(), vel: velocity.into() };
        let note_off = |note: u8| MidiMessage::NoteOff { key: note.into(), vel: 64.into() };
        let expected = [
            (0.0, control(64, 127)),
            (0.0, note_on(60, 80)),
            (0.48, control(88, 32)),
            (0.48, note_on(64, 80)),
            (0.58, note_off(60)),
            // All notes are released.
            (0.58, note_off(64)),
            (0.58, control(64, 0)),
        ];
        assert_eq!(messages.len(), expected.len(), "{messages:?}");
        for ((time, channel, message), (when, what)) in messages.into_iter().zip(expected) {
            assert_eq!((channel, message), (0, what));
            assert!((time - when).abs() <= 0.5 / TICKS_A_SECOND + 1e-9, "{time} {when}");
        }
    }

    #[test]
    fn only_the_last_ten_minutes_are_saved_and_the_writer_never_waits() {
        let (mut tape, mut take) = tape();
        // Twenty minutes at 60 messages a second, more than the ring holds.
        for i in 0..36_000u32 {
            let note = 21 + byte(floor_index(f64::from(i % 88)));
            tape.record(0.0, &on(note, 64.0 / 127.0));
            tape.record(0.01, &off(note));
            tape.advance(1.0 / 30.0);
        }
        let all = take.all();
        assert_eq!(all.len(), CAPACITY - 1);
        let messages = read(&file(&all).unwrap());
        let last = messages.last().unwrap().0;
        assert!((SPAN - 0.1..=SPAN).contains(&last), "{last}");
        assert_eq!(messages.len(), 2 * 18_000);
        let mut recent = Vec::new();
        take.take_new(&mut recent);
        assert_eq!(recent.len(), CAPACITY - 1);
        assert_eq!(recent.iter().filter(|h| h.velocity() == Some(64)).count(), CAPACITY / 2 - 1);
    }
}
