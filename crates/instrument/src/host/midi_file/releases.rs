//! Note-offs that are missing, or stand before their note-on.
//!
//! The piano counts the presses of a key. Where a file has fewer note-offs than note-ons from some place on, so that
//! a key would stay down for the rest of the music, the next note-off ends all presses, as in a sampler. Where none
//! follows, the end of the file does. A note without length whose note-off stands before its note-on gets its note-off
//! behind it.

use std::collections::BTreeMap;

use crate::host::midi::controller::{ALL_NOTES_OFF, ALL_SOUND_OFF, POLY_MODE};
use crate::host::midi::{Address, InputMessage};

type Timed = (u128, InputMessage);

/// Velocity of a note-off that is no device's [MIDI 1.0, "Note-Off"].
const VELOCITY: f64 = 64.0 / 127.0;

/// A press, a release, or the end of all notes, with the index of its event.
#[derive(Clone, Copy)]
struct Change {
    event: u32,
    /// 1, −1, or 0 for the end.
    step: i8,
}

/// Numbers of what was mended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Mended {
    /// Presses without a note-off of their own.
    pub(super) missing: usize,
    /// Note-offs before their note-on.
    pub(super) early: usize,
}

impl Mended {
    /// One line about them.
    pub(super) fn text(self) -> Option<String> {
        let Self { missing, early } = self;
        let lines = [
            (missing, "note-ons without a note-off, ended by the next note-off of their key"),
            (early, "note-offs before the note-on of their note, put behind it"),
        ];
        let told = lines.into_iter().filter(|(count, _)| *count > 0);
        let told: Vec<String> = told.map(|(count, what)| format!("{what}: {count}")).collect();
        (!told.is_empty()).then(|| told.join("; "))
    }
}

/// Mends `events`, which are in time order.
pub(super) fn mend(events: &mut Vec<Timed>) -> Mended {
    let mut mended = Mended::default();
    // Events that move or are repeated: the index after which they stand now, the message, how often.
    let mut added: BTreeMap<u32, (InputMessage, usize)> = BTreeMap::new();
    let mut removed: Vec<u32> = Vec::new();
    for changes in changes(events).values() {
        let lowest = lowest(changes);
        // Whether `held` presses are ever released by what follows the change `at`.
        let is_released =
            |held: i64, at: usize| lowest[at].is_some_and(|lowest| held + lowest <= 0);
        let (mut held, mut at) = (0i64, 0);
        while at < changes.len() {
            let Change { event, step } = changes[at];
            match step {
                1 => held += 1,
                0 => held = 0,
                _ if held > 0 => {
                    held -= 1;
                    if held > 0 && !is_released(held, at) {
                        let surplus = usize::try_from(held).unwrap_or(0);
                        added.insert(event, (events[event as usize].1, surplus));
                        mended.missing += surplus;
                        held = 0;
                    }
                }
                _ => {
                    let on = changes.get(at + 1).filter(|next| {
                        next.step == 1
                            && events[next.event as usize].0 == events[event as usize].0
                            && !is_released(1, at + 1)
                    });
                    if let Some(on) = on {
                        added.insert(on.event, (events[event as usize].1, 1));
                        removed.push(event);
                        mended.early += 1;
                        at += 1;
                    }
                }
            }
            at += 1;
        }
    }
    if !added.is_empty() {
        rebuild(events, &added, removed);
    }
    mended
}

/// Ends the presses in `events` that nothing ends, at the time `end` of the file, and none before it has lasted `least`.
/// Returns their number.
pub(super) fn end(events: &mut Vec<Timed>, end: u128, least: u128) -> usize {
    let mut ends: Vec<Timed> = Vec::new();
    for ((channel, note), changes) in changes(events) {
        let (mut held, mut begin) = (0usize, 0);
        for Change { event, step } in changes {
            match step {
                1 => (held, begin) = (held + 1, events[event as usize].0),
                0 => held = 0,
                _ => held = held.saturating_sub(1),
            }
        }
        let off = InputMessage::NoteOff { to: Address::note(channel, note), velocity: VELOCITY };
        ends.extend(std::iter::repeat_n((end.max(begin + least), off), held));
    }
    ends.sort_by_key(|(time, _)| *time);
    let count = ends.len();
    events.append(&mut ends);
    events.sort_by_key(|(time, _)| *time);
    count
}

/// Presses and releases of each note by channel, in order.
fn changes(events: &[Timed]) -> BTreeMap<(u8, u8), Vec<Change>> {
    let mut all: BTreeMap<(u8, u8), Vec<Change>> = BTreeMap::new();
    // Channels with notes since the last end of their notes: files may have very many of these messages.
    let mut has_notes = 0u16;
    for (event, (_, message)) in (0..).zip(events) {
        let (channel, note, step) = match *message {
            InputMessage::NoteOn { channel, note, velocity, .. } => {
                (channel, note, if velocity > 0.0 { 1 } else { -1 })
            }
            InputMessage::NoteOff {
                to: Address { channel: Some(channel), note: Some(note), .. },
                ..
            } => (channel, note, -1),
            InputMessage::Controller { channel, number, .. }
                if matches!(number, ALL_SOUND_OFF | ALL_NOTES_OFF..=POLY_MODE) =>
            {
                let ended = if number == ALL_SOUND_OFF { u16::MAX } else { 1 << (channel & 15) };
                if has_notes & ended != 0 {
                    let own = all.iter_mut().filter(|((own, _), _)| ended >> (own & 15) & 1 == 1);
                    own.for_each(|(_, changes)| changes.push(Change { event, step: 0 }));
                }
                has_notes &= !ended;
                continue;
            }
            _ => continue,
        };
        has_notes |= 1 << (channel & 15);
        all.entry((channel, note)).or_default().push(Change { event, step });
    }
    all
}

/// For each change the least number of presses, relative to that after it, up to the next end of all notes; `None`
/// where nothing follows.
fn lowest(changes: &[Change]) -> Vec<Option<i64>> {
    let mut all = vec![None; changes.len()];
    let mut later: Option<i64> = None;
    for (at, change) in changes.iter().enumerate().rev() {
        all[at] = later;
        later = match change.step {
            0 => None,
            step => Some(i64::from(step) + later.unwrap_or(0).min(0)),
        };
    }
    all
}

/// Removes and adds events.
fn rebuild(
    events: &mut Vec<Timed>,
    added: &BTreeMap<u32, (InputMessage, usize)>,
    mut removed: Vec<u32>,
) {
    removed.sort_unstable();
    let mut all = Vec::with_capacity(events.len() + added.len());
    for (index, event) in (0..).zip(events.drain(..)) {
        if removed.binary_search(&index).is_err() {
            all.push(event);
        }
        if let Some((message, count)) = added.get(&index) {
            all.extend(std::iter::repeat_n((event.0, *message), *count));
        }
    }
    *events = all;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A melody of one key: times with `+` for a note-on, `-` for a note-off, `x` for the end of all notes.
    fn melody(text: &str) -> Vec<Timed> {
        text.split_whitespace()
            .map(|word| {
                let (time, kind) = word.split_at(word.len() - 1);
                let message = match kind {
                    "+" => InputMessage::NoteOn { channel: 0, note: 60, id: None, velocity: 0.5 },
                    "-" => InputMessage::NoteOff { to: Address::note(0, 60), velocity: 0.5 },
                    _ => InputMessage::Controller { channel: 0, number: 123, value: 0.0 },
                };
                (time.parse().unwrap(), message)
            })
            .collect()
    }

    fn words(events: &[Timed]) -> String {
        let words: Vec<String> = events
            .iter()
            .map(|(time, message)| match message {
                InputMessage::NoteOn { .. } => format!("{time}+"),
                InputMessage::NoteOff { .. } => format!("{time}-"),
                _ => format!("{time}x"),
            })
            .collect();
        words.join(" ")
    }

    fn mended(text: &str) -> (String, Mended) {
        let mut events = melody(text);
        let mended = mend(&mut events);
        (words(&events), mended)
    }

    #[test]
    fn what_nothing_ends_the_file_ends() {
        for (text, expected, count) in [
            ("0+", "0+ 9-", 1),
            ("0+ 3+", "0+ 3+ 9- 9-", 2),
            ("0+ 1- 2+", "0+ 1- 2+ 9-", 1),
            // The last one lasts its least time.
            ("0+ 8+", "0+ 8+ 10- 10-", 2),
            ("0+ 1-", "0+ 1-", 0),
            ("0+ 3x", "0+ 3x", 0),
            ("0+ 3x 4+ 5- 6-", "0+ 3x 4+ 5- 6-", 0),
        ] {
            let mut events = melody(text);
            assert_eq!(end(&mut events, 9, 2), count, "{text}");
            assert_eq!(words(&events), expected, "{text}");
        }
    }

    #[test]
    fn lost_note_offs_end_with_the_next_one() {
        for (text, expected, missing, early) in [
            ("0+ 1+ 2-", "0+ 1+ 2- 2-", 1, 0),
            ("0+ 1+ 2+ 3-", "0+ 1+ 2+ 3- 3- 3-", 2, 0),
            ("0+ 1+ 2- 3+ 4- 5+ 6-", "0+ 1+ 2- 2- 3+ 4- 5+ 6-", 1, 0),
            ("0+ 1- 2+ 3+ 4- 9x", "0+ 1- 2+ 3+ 4- 4- 9x", 1, 0),
            ("0+ 5x 6+ 7+ 8-", "0+ 5x 6+ 7+ 8- 8-", 1, 0),
            // Note-offs before their note-on.
            ("4- 4+ 8+ 9-", "4+ 4- 8+ 9-", 0, 1),
            ("0+ 1- 4- 4+", "0+ 1- 4+ 4-", 0, 1),
        ] {
            assert_eq!(mended(text), (expected.into(), Mended { missing, early }), "{text}");
        }
    }

    #[test]
    fn what_is_whole_stays() {
        for text in [
            "0+ 1-",
            "0+ 1+ 2- 3-",
            "0+ 1+ 2- 3+ 4- 5-",
            "0+ 2+ 2- 3-",
            "0+ 2- 2+ 3-",
            "0+ 1- 2- 3+ 4-",
            "0+",
            "0+ 3+",
            "1- 1+ 2-",
            "0- 1-",
            "0+ 1+ 9x",
        ] {
            assert_eq!(mended(text), (text.into(), Mended::default()), "{text}");
        }
    }
}
