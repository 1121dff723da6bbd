//! Reads the events of a track and continues after broken ones.
//!
//! The crate `midly` reads events; where it stops, the cause decides where reading continues, and the
//! next events must be valid there.

use std::ops::Range;

use midly::num::{u4, u7, u14, u24};
use midly::{EventIter, MetaMessage, MidiMessage, PitchBend, TrackEventKind};

use super::damage::{Damage, Kind};

/// Valid events after a place that show that reading may continue there.
const ENOUGH: usize = 8;

/// The same after bytes that have no meaning.
const FEW: usize = 3;

/// Longest SysEx message without a length that is recognized, bytes.
const SYSEX: usize = 4096;

/// Least delta time that needs more than the four bytes of the standard, ticks.
const OVERLONG: u64 = 1 << 28;

/// Events of a track with their absolute ticks.
pub(super) struct Track<'a> {
    pub(super) events: Vec<(u64, TrackEventKind<'a>)>,
    /// Tick of the track's end.
    pub(super) end: u64,
}

/// Reads the track content `data`, which begins at byte `start` of the file.
pub(super) fn read<'a>(data: &'a [u8], start: usize, damage: &mut Damage) -> Track<'a> {
    let mut track = Track { events: Vec::new(), end: 0 };
    // Negative after a delta time below zero at the beginning.
    let mut tick = 0i64;
    let mut iter = EventIter::new(data);
    // The last channel message's status, also after events that cancel it.
    let mut status = None;
    loop {
        let rest = iter.unread();
        let place = start + data.len() - rest.len();
        let has_status = iter.running_status().is_some();
        status = iter.running_status().or(status);
        if let Some((ticks, last)) = long_delta(rest, status) {
            damage.count(Kind::Delta, place);
            // The last byte is a delta time of its own.
            tick += ticks - i64::from(rest[last]);
            iter = EventIter::new(&rest[last..]);
            *iter.running_status_mut() = status.filter(|_| has_status);
            continue;
        }
        let event = iter.next();
        match event {
            Some(Ok(event)) if !is_overlong(rest) => {
                tick += i64::from(event.delta.as_int());
                track.end = at_least_zero(tick);
                if event.kind != TrackEventKind::Meta(MetaMessage::EndOfTrack) {
                    let faulty = || damage.count(Kind::Tempo, place);
                    let kind = with_tempo(event.kind, rest, faulty);
                    track.events.extend(kind.map(|kind| (track.end, kind)));
                    continue;
                }
                let after = iter.unread();
                if after.is_empty() {
                    return track;
                }
                if !has_notes(after) {
                    damage.stray(after.len(), start + data.len() - after.len());
                    return track;
                }
                damage.count(Kind::EarlyEnd, place);
            }
            None if rest.is_empty() => {
                damage.endless += 1;
                return track;
            }
            _ => {
                let Resume { delta, event, skip, cause } = resume(rest, status, has_status);
                status = status_of(rest).or(status);
                match cause {
                    Cause::Kind(kind) => damage.count(kind, place),
                    Cause::Stray => damage.stray(skip, place),
                    Cause::Cut => damage.is_cut = true,
                }
                tick += i64::try_from(delta).unwrap_or(0);
                track.end = at_least_zero(tick);
                track.events.extend(event.map(|kind| (track.end, kind)));
                iter = EventIter::new(&rest[skip..]);
                *iter.running_status_mut() = status;
            }
        }
    }
}

/// `kind`, which is the event at the beginning of `rest`, with the tempo of all its bytes; `None` for a tempo of zero
/// or of too few or too many bytes. Calls `faulty` if the form of the tempo is not that of the standard.
fn with_tempo<'a>(
    kind: TrackEventKind<'a>,
    rest: &[u8],
    faulty: impl FnOnce(),
) -> Option<TrackEventKind<'a>> {
    const TEMPO: u8 = 0x51;
    let TrackEventKind::Meta(MetaMessage::Tempo(_) | MetaMessage::Unknown(TEMPO, _)) = kind else {
        return Some(kind);
    };
    let bytes = payload(rest, number(rest).1).map_or(&[][..], |range| &rest[range]);
    let all =
        bytes.iter().try_fold(0u32, |sum, byte| Some(sum.checked_mul(256)? + u32::from(*byte)));
    let tempo = all.filter(|_| bytes.len() >= 3).and_then(u24::try_from).filter(|tempo| *tempo > 0);
    if tempo.is_none() || bytes.len() > 3 {
        faulty();
    }
    tempo.map(|tempo| TrackEventKind::Meta(MetaMessage::Tempo(tempo)))
}

fn at_least_zero(tick: i64) -> u64 {
    u64::try_from(tick).unwrap_or(0)
}

/// Ticks of the delta time at the beginning of `rest` if it has more than four bytes and valid events follow,
/// and the position of its last byte. A negative time of 32 bits stays negative; other times that four bytes
/// cannot express are 0.
fn long_delta(rest: &[u8], status: Option<u8>) -> Option<(i64, usize)> {
    let (ticks, length) = number(rest);
    let last = length - 1;
    if length <= 4 || last >= rest.len() || clean(&rest[last..], status, false) < FEW {
        return None;
    }
    let signed = u32::try_from(ticks).map_or(0, u32::cast_signed);
    let is_kept = ticks < OVERLONG || signed < 0;
    Some((if is_kept { signed.into() } else { 0 }, last))
}

/// Why an event was broken.
enum Cause {
    Kind(Kind),
    /// Bytes without meaning.
    Stray,
    /// The track ends inside the event.
    Cut,
}

/// Continuation after a broken event.
struct Resume {
    /// Ticks before the event.
    delta: u64,
    /// The event, if it can still be read.
    event: Option<TrackEventKind<'static>>,
    /// Bytes until the next event's delta time.
    skip: usize,
    cause: Cause,
}

/// Continuation at the broken event at the beginning of `rest`. `status` is that of the last channel message,
/// which is in force if `has_status`.
fn resume(rest: &[u8], status: Option<u8>, has_status: bool) -> Resume {
    let (delta, at) = number(rest);
    let skipped = |skip: usize, kind| Resume {
        delta,
        event: None,
        skip: skip.min(rest.len()),
        cause: Cause::Kind(kind),
    };
    let cut = || Resume { delta: 0, event: None, skip: rest.len(), cause: Cause::Cut };
    match (rest.get(at).copied(), status) {
        (None, _) => cut(),
        // The delta time is read again, with the status in force.
        (Some(..0x80), Some(_)) if !has_status => {
            Resume { delta: 0, event: None, skip: 0, cause: Cause::Kind(Kind::RunningStatus) }
        }
        (Some(..0x80), Some(status)) => message(rest, delta, at, status).unwrap_or_else(cut),
        (Some(status @ 0x80..0xF0), _) => message(rest, delta, at + 1, status).unwrap_or_else(cut),
        (Some(0xF4..=0xF6 | 0xF8..=0xFE), _) => skipped(at + 1, Kind::System),
        (Some(0xF1 | 0xF3), _) => skipped(at + 2, Kind::System),
        (Some(0xF2), _) => skipped(at + 3, Kind::System),
        // A SysEx message without a length ends with F7.
        (Some(0xF0), _) => match rest[at..].iter().take(SYSEX).position(|byte| *byte == 0xF7) {
            Some(end) if clean(&rest[at + end + 1..], status, false) > 0 => {
                skipped(at + end + 1, Kind::Payload)
            }
            _ => stray(rest, status).unwrap_or_else(cut),
        },
        (Some(0xFF | 0xF7), _) => stray(rest, status).unwrap_or_else(cut),
        (Some(..0x80), None) => stray(rest, status).unwrap_or(Resume {
            delta: 0,
            event: None,
            skip: rest.len(),
            cause: Cause::Stray,
        }),
    }
}

/// The message of `status` whose data begin at `at`: either real-time bytes between the data are skipped, or
/// the highest bits of the data are cleared, whichever more valid events follow. `None` where the data are
/// cut off.
fn message(rest: &[u8], delta: u64, at: usize, status: u8) -> Option<Resume> {
    let length = data_length(status);
    let (masked, after_masked) = (rest.get(at..at + length)?, at + length);
    let timed = rest[at..].iter().copied().enumerate().filter(|(_, byte)| *byte < 0xF8);
    let (places, data): (Vec<usize>, Vec<u8>) = timed.take(length).unzip();
    let after_timed = places.last().map_or(at, |last| at + last + 1);
    let follow = |end: usize, is_strict| clean(&rest[end..], Some(status), is_strict);
    let is_timed = data.len() == length
        && data.iter().all(|byte| *byte < 0x80)
        && follow(after_timed, true) > follow(after_masked, true);
    let (data, skip, kind) = match is_timed {
        true => (&data[..], after_timed, Kind::System),
        false => (masked, after_masked, Kind::DataByte),
    };
    if follow(skip, false) == 0 {
        return stray(rest, Some(status));
    }
    let part = |i: usize| u7::from_int_lossy(data.get(i).copied().unwrap_or(0));
    let (key, vel) = (part(0), part(1));
    let message = match status >> 4 {
        0x8 => MidiMessage::NoteOff { key, vel },
        0x9 => MidiMessage::NoteOn { key, vel },
        0xA => MidiMessage::Aftertouch { key, vel },
        0xB => MidiMessage::Controller { controller: key, value: vel },
        0xC => MidiMessage::ProgramChange { program: key },
        0xD => MidiMessage::ChannelAftertouch { vel: key },
        _ => {
            let bend = u16::from(vel.as_int()) << 7 | u16::from(key.as_int());
            MidiMessage::PitchBend { bend: PitchBend(u14::from_int_lossy(bend)) }
        }
    };
    let event = TrackEventKind::Midi { channel: u4::from_int_lossy(status), message };
    Some(Resume { delta, event: Some(event), skip, cause: Cause::Kind(kind) })
}

/// Skips to the next place where a delta time of one byte, a status byte and valid events follow.
fn stray(rest: &[u8], status: Option<u8>) -> Option<Resume> {
    let begins = |at: &usize| {
        let has_status = rest.get(at + 1).is_some_and(|s| matches!(s, 0x80..=0xF0 | 0xFF));
        rest[*at] < 0x80 && has_status && clean(&rest[*at..], status, false) >= FEW
    };
    let skip = (1..rest.len()).find(begins)?;
    Some(Resume { delta: 0, event: None, skip, cause: Cause::Stray })
}

/// Status byte of the event at the beginning of `rest`, if it is a channel message with its own.
fn status_of(rest: &[u8]) -> Option<u8> {
    rest.get(number(rest).1).copied().filter(|status| (0x80..0xF0).contains(status))
}

/// Number of data bytes of a channel message.
const fn data_length(status: u8) -> usize {
    if matches!(status, 0xC0..0xE0) { 1 } else { 2 }
}

/// Longest variable-length number that is recognized, bytes.
const LONGEST_NUMBER: usize = 10;

/// Variable-length number at the beginning of `rest`, and its length: at most four bytes, or more if it begins
/// with zeros or has 32 bits.
fn number(rest: &[u8]) -> (u64, usize) {
    let continued = rest.iter().take(LONGEST_NUMBER).take_while(|byte| **byte >= 0x80).count();
    let zeros = rest.iter().take(continued).take_while(|byte| **byte == 0x80).count();
    let is_whole = match continued - zeros {
        _ if continued == LONGEST_NUMBER => false,
        0..=3 => true,
        4 => rest[zeros] < 0x90,
        _ => false,
    };
    let length = if is_whole { continued + 1 } else { 4 };
    let bytes = rest.iter().take(length);
    (bytes.fold(0, |sum, byte| sum << 7 | u64::from(byte & 0x7F)), length)
}

/// Whether the event at the beginning of `rest` is a meta or SysEx event that declares more bytes than
/// follow, or a SysEx message that has no length.
fn is_overlong(rest: &[u8]) -> bool {
    let (_, at) = number(rest);
    match (rest.get(at), payload(rest, at)) {
        (Some(0xFF | 0xF0), None) => true,
        (Some(0xF0), Some(range)) if rest[range.end - 1] != 0xF7 => {
            let end = rest[at..range.end].iter().take(SYSEX).position(|byte| *byte == 0xF7);
            end.is_some_and(|end| clean(&rest[at + end + 1..], None, false) >= FEW)
        }
        _ => false,
    }
}

/// Range of the payload of the meta or SysEx event whose status byte is at `at`; `None` where it exceeds
/// `rest`.
fn payload(rest: &[u8], at: usize) -> Option<Range<usize>> {
    let head = if rest.get(at) == Some(&0xFF) { at + 2 } else { at + 1 };
    let (length, digits) = number(rest.get(head..)?);
    let begin = head + digits;
    let end = begin.checked_add(usize::try_from(length).ok()?)?;
    (end <= rest.len()).then_some(begin..end)
}

/// Number of events at the beginning of `rest`, at most [`ENOUGH`], whose form is valid, after a channel
/// message of `status`; an end of track, or of `rest`, counts as enough. Unless `is_strict`, the last data byte
/// may have its highest bit set.
fn clean(rest: &[u8], mut status: Option<u8>, is_strict: bool) -> usize {
    let mut from = 0;
    for count in 0..ENOUGH {
        if from == rest.len() {
            return ENOUGH;
        }
        let event = &rest[from..];
        let at = number(event).1;
        let mut data = at;
        match event.get(at) {
            Some(0xFF | 0xF0 | 0xF7) => {
                if event[at] == 0xFF && event.get(at + 1) == Some(&0x2F) {
                    return ENOUGH;
                }
                match payload(event, at) {
                    Some(range) => from += range.end,
                    None => return count,
                }
                continue;
            }
            Some(own @ 0x80..0xF0) => {
                status = Some(*own);
                data += 1;
            }
            Some(..0x80) => {}
            _ => return count,
        }
        let Some(status) = status else { return count };
        let end = data + data_length(status);
        let is_valid = event.get(data..end).is_some_and(|bytes| {
            bytes[0] < 0x80 && !(is_strict && bytes.iter().any(|byte| *byte >= 0x80))
        });
        if !is_valid {
            return count;
        }
        from += end;
    }
    ENOUGH
}

/// Whether all of `rest` is valid events, a note-on among them.
fn has_notes(rest: &[u8]) -> bool {
    let (mut events, mut notes) = (EventIter::new(rest), 0);
    loop {
        let unread = events.unread();
        match events.next() {
            Some(Ok(event)) if !is_overlong(unread) => {
                let is_note = matches!(
                    event.kind,
                    TrackEventKind::Midi { message: MidiMessage::NoteOn { vel, .. }, .. } if vel > 0
                );
                notes += usize::from(is_note);
            }
            None if unread.is_empty() => return notes > 0,
            _ => return false,
        }
    }
}
