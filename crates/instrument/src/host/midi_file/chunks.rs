//! Finds header and tracks of a MIDI file, also where lengths, counts or the bytes around them are wrong.
//!
//! A declared length counts where a chunk or the end of the file follows. Otherwise a track ends at the next
//! `MTrk` or at the end of the file.

use midly::{EventIter, MetaMessage, TrackEventKind};

use super::damage::Damage;
use super::events::{self, Track};
use super::{MidiFileError, containers};

/// Most tracks: as many as a header can declare.
const MOST_TRACKS: usize = 0xFFFF;

/// Tracks of a file, not yet merged.
pub(super) struct Raw<'a> {
    /// Time units per tick under SMPTE time; `None` where the tempo determines them.
    pub(super) units_per_tick: Option<u128>,
    pub(super) per_second: u128,
    /// Format 2: the tracks follow one another.
    pub(super) is_sequential: bool,
    pub(super) tracks: Vec<Track<'a>>,
    pub(super) damage: Damage,
}

pub(super) fn read<'a>(file: &str, bytes: &'a [u8]) -> Result<Raw<'a>, MidiFileError> {
    let Some(header) = find(bytes, *b"MThd", 0) else {
        return Err(MidiFileError(format!("{file}: {}", containers::refusal(bytes))));
    };
    let mut damage = Damage::default();
    let end = unwrapped(bytes, header, &mut damage);
    let bytes = &bytes[..end];
    let Some(fields) = bytes.get(header + 8..).and_then(|rest| rest.first_chunk::<6>()) else {
        return Err(MidiFileError(format!(
            "{file}, byte {}: the header chunk is cut off",
            header + 8
        )));
    };
    let [_, format, high_count, low_count, high, low] = *fields;
    let format = u16::from_be_bytes([fields[0], format]);
    let declared = usize::from(u16::from_be_bytes([high_count, low_count]));
    let (units_per_tick, per_second) = division([high, low], &mut damage);
    if format > 2 {
        damage.note(format!("unknown format {format}, played as format 1"));
    }
    let mut raw =
        Raw { units_per_tick, per_second, is_sequential: format == 2, tracks: Vec::new(), damage };

    let mut at = first_chunk(bytes, header, &mut raw.damage);
    while at < bytes.len() && raw.tracks.len() < MOST_TRACKS {
        match chunk(bytes, at) {
            Some((b"MTrk", length, start)) => {
                let end = end_of_track_chunk(bytes, start, length, &mut raw.damage);
                raw.tracks.push(events::read(&bytes[start..end], start, &mut raw.damage));
                at = end;
            }
            // Chunks of other kinds are skipped, as the standard requires.
            Some((_, length, start)) if is_chunk(bytes, at) => at = start + length,
            _ => {
                // A header of fewer than eight bytes is no chunk.
                let next = find(bytes, *b"MTrk", at + 1).unwrap_or(bytes.len());
                raw.damage.stray(next - at, at);
                at = next;
            }
        }
    }
    match raw.tracks.len() {
        0 => return Err(MidiFileError(format!("{file}: no track in it"))),
        found if found != declared => {
            raw.damage.note(format!("declares {declared} tracks and holds {found}"));
        }
        _ => {}
    }
    if raw.is_sequential && raw.tracks.len() > 1 {
        raw.damage.note(format!("format 2: its {} pieces are played one by one", raw.tracks.len()));
    }
    Ok(raw)
}

/// End of the MIDI file that begins at `header`: that of the `data` chunk of a RIFF wrapper, or of `bytes`.
fn unwrapped(bytes: &[u8], header: usize, damage: &mut Damage) -> usize {
    let is_wrapped = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"RMID");
    if !is_wrapped {
        if header > 0 {
            damage.note(format!("{header} bytes before the header skipped"));
        }
        return bytes.len();
    }
    let head = header.checked_sub(8).and_then(|at| bytes.get(at..header));
    let length = head.and_then(|head| head.strip_prefix(b"data")).and_then(|l| l.first_chunk());
    let length = length.map_or(0, |length| u32::from_le_bytes(*length));
    let end = usize::try_from(length).ok().and_then(|length| header.checked_add(length));
    end.filter(|end| length > 0 && *end <= bytes.len()).unwrap_or(bytes.len())
}

/// Beginning of the first chunk after the header.
fn first_chunk(bytes: &[u8], header: usize, damage: &mut Damage) -> usize {
    let after = chunk(bytes, header).and_then(|(_, length, start)| {
        start.checked_add(length).filter(|at| length >= 6 && is_chunk(bytes, *at))
    });
    after.unwrap_or_else(|| {
        let first = find(bytes, *b"MTrk", header + 14);
        if first.is_some() {
            damage.note("wrong length of the header".into());
        }
        first.unwrap_or(bytes.len())
    })
}

/// End of the track whose content begins at `start` and is declared to have `length` bytes.
fn end_of_track_chunk(bytes: &[u8], start: usize, length: usize, damage: &mut Damage) -> usize {
    let declared = start.saturating_add(length);
    let next = find(bytes, *b"MTrk", start).unwrap_or(bytes.len());
    let is_followed = declared == bytes.len() || is_chunk(bytes, declared);
    if is_followed && next >= declared {
        return declared;
    }
    let ended = end_of_track(bytes, start, next);
    // The letters `MTrk` may stand in a text.
    let next = match ended {
        Some(end) if end > next => find(bytes, *b"MTrk", end).unwrap_or(bytes.len()),
        _ => next,
    };
    if is_followed && ended.is_none_or(|end| end > next || next >= declared) {
        return declared;
    }
    if declared > bytes.len() && ended.is_none() {
        damage.is_cut = true;
    } else if ended != Some(declared) {
        damage.wrong_length(start - 8);
    }
    next
}

/// Position after the end-of-track event of the track that begins at `start`, if all events before it are
/// valid and begin before `limit`.
fn end_of_track(bytes: &[u8], start: usize, limit: usize) -> Option<usize> {
    let mut events = EventIter::new(&bytes[start..]);
    loop {
        if bytes.len() - events.unread().len() >= limit.max(start + 1) {
            return None;
        }
        let event = events.next()?.ok()?;
        if event.kind == TrackEventKind::Meta(MetaMessage::EndOfTrack) {
            return Some(bytes.len() - events.unread().len());
        }
    }
}

/// Kind, declared length and first content byte of the chunk at `at`.
fn chunk(bytes: &[u8], at: usize) -> Option<(&[u8; 4], usize, usize)> {
    let head = bytes.get(at..)?.first_chunk::<8>()?;
    let (id, length) = head.split_first_chunk::<4>()?;
    let length = u32::from_be_bytes(*length.first_chunk()?);
    Some((id, usize::try_from(length).ok()?, at + 8))
}

/// Whether a track, or a whole chunk of another kind, begins at `at`.
fn is_chunk(bytes: &[u8], at: usize) -> bool {
    chunk(bytes, at).is_some_and(|(id, length, start)| {
        let is_whole = start.checked_add(length).is_some_and(|end| end <= bytes.len());
        id == b"MTrk" || is_whole && id.iter().all(u8::is_ascii_alphanumeric)
    })
}

/// Position of the letters `id` at or after `from`.
pub(super) fn find(bytes: &[u8], id: [u8; 4], from: usize) -> Option<usize> {
    bytes.get(from..)?.windows(4).position(|four| four == id).map(|at| from + at)
}

/// Ticks per quarter note assumed for a division of zero.
const TICKS_PER_QUARTER: u128 = 480;

/// Ticks per frame assumed for zero: milliseconds at 25 frames per second, as the standard's example has them.
const TICKS_PER_FRAME: u128 = 40;

/// Time units per tick (`None`: the tempo in µs) and per second.
fn division([high, low]: [u8; 2], damage: &mut Damage) -> (Option<u128>, u128) {
    let mut assumed = |ticks: u8, value: u128, per: &str| {
        if ticks > 0 {
            return u128::from(ticks);
        }
        damage.note(format!("a time division of zero, read as {value} ticks per {per}"));
        value
    };
    if high == 0 {
        return (None, assumed(low, TICKS_PER_QUARTER, "quarter note") * 1_000_000);
    }
    if high < 0x80 {
        return (None, u128::from(u16::from_be_bytes([high, low])) * 1_000_000);
    }
    let frame = assumed(low, TICKS_PER_FRAME, "frame");
    // The high byte is the negative number of frames per second; 29 means 30/1.001 (drop frame).
    let rate = high.wrapping_neg();
    match rate {
        29 => return (Some(1001), 30_000 * frame),
        24 | 25 | 30 => {}
        _ => damage.note(format!("a time division of {rate} frames per second")),
    }
    (Some(1), u128::from(rate) * frame)
}
