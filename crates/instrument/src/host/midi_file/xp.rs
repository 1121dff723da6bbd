//! Order of the finer velocities in files of Disklavier Pro pianos ("XP").
//!
//! Controller 16 holds the three lower bits of a velocity of ten bits, in its upper bits. As transmitted it
//! comes before its note [Fontana 2006]; in files it follows the note-on, the note-off or the controller 81
//! (coarse speed of the key at its sensor) to which it belongs [Herrmann 2017]. The instrument expects it
//! before the note.

use crate::host::midi::controller::FINE_VELOCITY;
use midly::{MidiMessage, TrackEventKind};

/// Moves the controllers 16 of a track before the note-ons that they follow, if they follow notes in this
/// track. Those that follow a key pressure, as the finer part of a key's position, stay; those that follow
/// other messages are removed.
pub(super) fn reorder(events: &mut Vec<(u64, TrackEventKind)>) {
    let pairs = |first: fn(&TrackEventKind) -> bool, then: fn(&TrackEventKind) -> bool| {
        let is_pair = |pair: &&[(u64, TrackEventKind)]| {
            pair[0].0 == pair[1].0 && first(&pair[0].1) && then(&pair[1].1)
        };
        events.windows(2).filter(is_pair).count()
    };
    let (after, before) = (pairs(is_note, is_fine), pairs(is_fine, is_note));
    if after <= before {
        return;
    }
    for i in 1..events.len() {
        let is_own = events[i - 1].0 == events[i].0
            && is_note_on(&events[i - 1].1)
            && channel(&events[i - 1].1) == channel(&events[i].1);
        if is_own && is_fine(&events[i].1) {
            events.swap(i - 1, i);
        }
    }
    let is_kept = |i: usize| {
        let (time, kind) = &events[i];
        let is_beside = |other: Option<&(u64, TrackEventKind)>, is: fn(&TrackEventKind) -> bool| {
            other.is_some_and(|other| {
                other.0 == *time && is(&other.1) && channel(&other.1) == channel(kind)
            })
        };
        let before = i.checked_sub(1).and_then(|i| events.get(i));
        !is_fine(kind)
            || is_beside(events.get(i + 1), is_note_on)
            || is_beside(before, is_key_pressure)
    };
    let keep: Vec<bool> = (0..events.len()).map(is_kept).collect();
    let mut keep = keep.into_iter();
    events.retain(|_| keep.next().unwrap_or(true));
}

fn channel(kind: &TrackEventKind) -> Option<u8> {
    match kind {
        TrackEventKind::Midi { channel, .. } => Some(channel.as_int()),
        _ => None,
    }
}

fn is_fine(kind: &TrackEventKind) -> bool {
    matches!(kind, TrackEventKind::Midi { message: MidiMessage::Controller { controller, .. }, .. }
        if *controller == FINE_VELOCITY)
}

fn is_note_on(kind: &TrackEventKind) -> bool {
    matches!(kind, TrackEventKind::Midi { message: MidiMessage::NoteOn { vel, .. }, .. } if *vel > 0)
}

const fn is_key_pressure(kind: &TrackEventKind) -> bool {
    matches!(kind, TrackEventKind::Midi { message: MidiMessage::Aftertouch { .. }, .. })
}

const fn is_note(kind: &TrackEventKind) -> bool {
    matches!(
        kind,
        TrackEventKind::Midi {
            message: MidiMessage::NoteOn { .. } | MidiMessage::NoteOff { .. },
            ..
        }
    )
}
