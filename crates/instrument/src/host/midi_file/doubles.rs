//! Note-ons of one key at one time become one note-on: the loudest, which lasts until the last of their note-offs.
//!
//! Files have such doubles where two voices meet on one key, or where a part was written twice; a hammer strikes
//! once at a time. A note-on after a note-off of its own channel is a repetition, also at the same time.

use crate::host::midi::controller::{
    ALL_NOTES_OFF, ALL_SOUND_OFF, DATA, FINE_VELOCITY, PARAMETER, POLY_MODE, VELOCITY_PREFIX,
};
use crate::host::midi::{Address, InputMessage, seven_bits};

const CHANNELS: usize = 16;
const NOTES: usize = 128;

/// Number of the registered parameter "coarse tuning", fine and coarse part, and its value that moves no key.
const COARSE_TUNING: ([u8; 2], u8) = ([2, 0], 64);

/// A message at its time.
type Timed = (u128, InputMessage);

/// The note-ons of one note at one time.
struct Press {
    time: u128,
    /// Index and channel of the note-on that remains.
    kept: (usize, u8),
    /// Channels of the note-ons that are not released.
    channels: Vec<u8>,
    is_double: bool,
    /// Whether a further note-on at this time is a repetition.
    is_closed: bool,
}

/// Joins the doubles in `events`, which are in time order; returns the number of note-ons removed.
pub(super) fn join(events: &mut Vec<Timed>) -> usize {
    let mut presses: [Vec<Press>; NOTES] = std::array::from_fn(|_| Vec::new());
    let is_moved = moved_channels(events);
    let (mut keep, mut joined) = (vec![true; events.len()], 0);
    for index in 0..events.len() {
        let (time, message) = events[index];
        let Some(Note { channel, note, velocity }) = Note::of(&message) else {
            if let Some(channel) = ended(&message) {
                presses.iter_mut().flatten().for_each(|p| p.channels.retain(|c| *c != channel));
            }
            continue;
        };
        let held = &mut presses[note];
        held.retain(|press| press.time == time || press.is_double && !press.channels.is_empty());
        if let Some(velocity) = velocity {
            let is_own = is_moved[usize::from(channel) % CHANNELS];
            let meets = |press: &&mut Press| {
                let is_alone = press.channels.iter().any(|c| *c != channel) && is_own;
                press.time == time && !press.is_closed && !is_alone
            };
            let Some(press) = held.last_mut().filter(meets) else {
                let (kept, channels) = ((index, channel), vec![channel]);
                held.push(Press { time, kept, channels, is_double: false, is_closed: false });
                continue;
            };
            press.channels.push(channel);
            press.is_double = true;
            if let InputMessage::NoteOn { velocity: loudest, .. } = &mut events[press.kept.0].1 {
                *loudest = loudest.max(velocity);
            }
            keep[index] = false;
            joined += 1;
            // The finer part of the removed velocity would count for the channel's next note.
            if let Some(before) =
                index.checked_sub(1).filter(|i| is_finer_part(&events[*i].1, channel))
            {
                keep[before] = false;
            }
            continue;
        }
        let Some(at) = held.iter().position(|press| press.channels.contains(&channel)) else {
            continue;
        };
        let press = &mut held[at];
        press.is_closed = true;
        if let Some(own) = press.channels.iter().position(|c| *c == channel) {
            press.channels.swap_remove(own);
        }
        if !press.is_double {
            continue;
        }
        if is_released(&events[index + 1..], note, &press.channels) {
            keep[index] = false;
            continue;
        }
        press.channels.clear();
        let last = Address::note(press.kept.1, touchback_core::math::cast::byte(note));
        if let InputMessage::NoteOn { channel, .. } = &mut events[index].1 {
            *channel = press.kept.1;
        } else if let InputMessage::NoteOff { to, .. } = &mut events[index].1 {
            *to = last;
        }
    }
    let mut keep = keep.into_iter();
    events.retain(|_| keep.next().unwrap_or(true));
    joined
}

/// A note-on, or a note-off, which has no velocity here.
struct Note {
    channel: u8,
    note: usize,
    velocity: Option<f64>,
}

impl Note {
    fn of(message: &InputMessage) -> Option<Self> {
        let (channel, note, velocity) = match *message {
            InputMessage::NoteOn { channel, note, velocity, .. } => {
                (channel, note, (velocity > 0.0).then_some(velocity))
            }
            InputMessage::NoteOff { to: Address { channel, note, .. }, .. } => {
                (channel?, note?, None)
            }
            _ => return None,
        };
        Some(Self { channel, note: usize::from(note) % NOTES, velocity })
    }
}

/// Whether a note-off of `note` on one of `channels` comes before their next note-on of it.
fn is_released(events: &[Timed], note: usize, channels: &[u8]) -> bool {
    let mut notes = events.iter().filter_map(|(_, message)| Note::of(message));
    !channels.is_empty()
        && notes
            .find(|other| other.note == note && channels.contains(&other.channel))
            .is_some_and(|other| other.velocity.is_none())
}

/// The channel whose notes `message` ends.
fn ended(message: &InputMessage) -> Option<u8> {
    match *message {
        InputMessage::Controller { channel, number, .. } => {
            matches!(number, ALL_SOUND_OFF | ALL_NOTES_OFF..=POLY_MODE).then_some(channel)
        }
        _ => None,
    }
}

/// Whether `message` is the finer part of the next velocity of `channel`.
fn is_finer_part(message: &InputMessage, channel: u8) -> bool {
    matches!(*message, InputMessage::Controller { channel: own, number, .. }
        if own == channel && matches!(number, VELOCITY_PREFIX | FINE_VELOCITY))
}

/// Channels whose coarse tuning moves their notes to other keys.
fn moved_channels(events: &[Timed]) -> [bool; CHANNELS] {
    let (tuning, unmoved) = COARSE_TUNING;
    let (mut selected, mut is_moved) = ([[0x7F; 2]; CHANNELS], [false; CHANNELS]);
    for (_, message) in events {
        let InputMessage::Controller { channel, number, value } = *message else { continue };
        let (own, value) = (usize::from(channel) % CHANNELS, seven_bits(value));
        if let Some(part) = PARAMETER.iter().position(|n| *n == number) {
            selected[own][part] = value;
        }
        is_moved[own] |= number == DATA[0] && selected[own] == tuning && value != unmoved;
    }
    is_moved
}

#[cfg(test)]
mod tests {
    use crate::host::midi::{self, InputMessage};
    use crate::host::midi_file::tests::{notes, one};
    use crate::host::midi_file::{Numbers, Parts, Score};

    /// Held notes and strikes of a file of `events` at channels: `+` strikes with 127ths, `-` releases.
    fn played(events: &[(u8, u8, u8)]) -> Vec<(u64, bool, u8)> {
        let bytes: Vec<u8> = events
            .iter()
            .flat_map(|&(delta, status, velocity)| [delta, status, 60, velocity])
            .collect();
        let parts = Parts { channels: Some(Numbers::All), tracks: None };
        let (score, _) = Score::read_open("x.mid", &one(&bytes), &parts).unwrap();
        let mut midi = crate::host::midi::Midi::default();
        let mut out = Vec::new();
        for (time, message) in &score.events {
            midi.translate(message, &crate::Settings::default(), |event| match event {
                crate::Event::NoteOn { velocity, .. } => {
                    out.push((score.sample(*time, 192), true, midi::seven_bits(velocity)));
                }
                crate::Event::NoteOff { .. } => out.push((score.sample(*time, 192), false, 0)),
                _ => {}
            });
        }
        out
    }

    #[test]
    fn note_ons_of_a_key_at_one_time_are_one_strike() {
        let strike = |at, velocity| (at, true, velocity);
        let release = |at| (at, false, 0);
        // Two channels: the louder one, until the last note-off.
        let two = [(0, 0x90, 80), (0, 0x91, 100), (96, 0x80, 0), (10, 0x81, 0)];
        assert_eq!(played(&two), [strike(0, 100), release(106)]);
        let turned = [(0, 0x90, 80), (0, 0x91, 70), (96, 0x81, 0), (10, 0x90, 0)];
        assert_eq!(played(&turned), [strike(0, 80), release(106)]);
        // One channel, with two note-offs and with one.
        let same = [(0, 0x90, 80), (0, 0x90, 90), (96, 0x80, 0), (10, 0x80, 0), (9, 0x90, 70)];
        assert_eq!(played(&same), [strike(0, 90), release(106), strike(115, 70)]);
        let lost = [(0, 0x90, 80), (0, 0x90, 90), (96, 0x80, 0), (9, 0x90, 70), (9, 0x80, 0)];
        assert_eq!(played(&lost), [strike(0, 90), release(96), strike(105, 70), release(114)]);
        // A voice that is held goes on.
        let held =
            [(0, 0x92, 60), (9, 0x90, 80), (0, 0x91, 70), (9, 0x80, 0), (9, 0x81, 0), (9, 0x82, 0)];
        assert_eq!(played(&held), [strike(0, 60), strike(9, 80), release(27), release(36)]);
        // Repetitions at one tick: a note-off before, between and after.
        for order in [[(96, 0x80, 0), (0, 0x90, 70)], [(96, 0x90, 70), (0, 0x80, 0)]] {
            let events = [&[(0, 0x90, 80)][..], &order, &[(9, 0x80, 0)]].concat();
            assert_eq!(played(&events).iter().filter(|(_, is_on, _)| *is_on).count(), 2);
            assert_eq!(played(&events).last(), Some(&release(105)));
        }
        let short = [(0, 0x90, 80), (0, 0x80, 0), (0, 0x90, 70), (9, 0x80, 0)];
        assert_eq!(played(&short), [strike(0, 80), release(0), strike(0, 70), release(9)]);
        // The end of another channel's note is no note-off of this one.
        let moved =
            [(0, 0x91, 60), (9, 0x90, 80), (0, 0x81, 0), (0, 0x91, 90), (9, 0x80, 0), (9, 0x81, 0)];
        assert_eq!(played(&moved), [strike(0, 60), strike(9, 90), release(9), release(27)]);
        // The end of all notes ends the double too.
        let ended = [(0, 0x90, 80), (0, 0x91, 90), (5, 0xB1, 0), (9, 0x80, 0)];
        assert_eq!(played(&ended), [strike(0, 90), release(14)]);
    }

    #[test]
    fn doubles_are_counted_and_channels_tuned_apart_are_none() {
        let double = [0, 0x90, 60, 80, 0, 0x91, 60, 70, 9, 0x80, 60, 0, 0, 0x81, 60, 0];
        let warning = "note-ons of a key that is struck at the same time, joined: 1";
        assert_eq!(notes(&one(&double)), (vec![60], warning.into()));
        let octave = [0, 0xB1, 101, 0, 0, 0xB1, 100, 2, 0, 0xB1, 6, 76];
        assert_eq!(notes(&one(&[&octave[..], &double].concat())), (vec![60, 60], String::new()));
        let finer = [0, 0x90, 60, 80, 0, 0xB1, 88, 64, 0, 0x91, 60, 70, 9, 0x91, 62, 80];
        let score = Score::read("x.mid", &one(&finer)).unwrap();
        assert!(!score.events.iter().any(|(_, m)| matches!(m, InputMessage::Controller { .. })));
    }
}
