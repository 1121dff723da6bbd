//! Reads the chunks of a MIDI file: checks the header, splits tracks, and gives every event its absolute
//! tick.

use anyhow::{Result, bail};
use midly::{EventIter, MetaMessage, TrackEventKind};

/// Events of all tracks, track after track.
pub(super) struct Raw<'a> {
    /// Time units per tick under SMPTE time; `None` where the tempo determines them.
    pub(super) ticks_per_unit: Option<u128>,
    pub(super) per_second: u128,
    pub(super) events: Vec<(u64, TrackEventKind<'a>)>,
    pub(super) warnings: Vec<String>,
}

pub(super) fn read<'a>(file: &str, bytes: &'a [u8]) -> Result<Raw<'a>> {
    let Some((b"MThd", declared, mut at)) = chunk(bytes, 0) else {
        bail!("{file}: no MIDI file (it does not begin with `MThd`)")
    };
    if declared < 6 || bytes.len() - at < declared {
        bail!("{file}, byte 8: the header chunk is shorter than its 6 bytes; the file is cut off");
    }
    let word = |i: usize| u16::from_be_bytes([bytes[at + i], bytes[at + i + 1]]);
    let (format, tracks, [high, low]) = (word(0), word(2), [bytes[at + 4], bytes[at + 5]]);
    match format {
        0 | 1 => {}
        2 => bail!("{file}, byte 8: format 2 holds independent songs; save it as format 0 or 1"),
        other => {
            bail!("{file}, byte 8: unknown MIDI file format {other}; formats 0 and 1 are read")
        }
    }
    let (ticks_per_unit, per_second) = division(file, high, low)?;
    let mut raw = Raw { ticks_per_unit, per_second, events: Vec::new(), warnings: Vec::new() };
    at += declared;

    let (mut found, mut endless) = (0, 0);
    while found < tracks {
        let Some((id, declared, start)) = chunk(bytes, at) else { break };
        let left = bytes.len() - start;
        if left < declared {
            bail!(
                "{file}, byte {at}: a chunk declares {declared} bytes and only {left} follow; \
                 the file is cut off"
            );
        }
        // Chunks of other kinds are skipped, as the standard requires.
        if id == b"MTrk" {
            found += 1;
            let is_ended = track(file, found, start, &bytes[start..start + declared], &mut raw)?;
            endless += u16::from(!is_ended);
        }
        at = start + declared;
    }
    if found == 0 {
        bail!("{file}: no track in it");
    }
    if endless > 0 {
        let warning = format!("{file}: {endless} of {found} tracks have no end-of-track event");
        raw.warnings.push(warning);
    }
    if found < tracks {
        raw.warnings.push(format!("{file}: declares {tracks} tracks and holds {found}"));
    }
    if at < bytes.len() {
        let rest = bytes.len() - at;
        raw.warnings.push(format!("{file}: {rest} bytes after the last chunk ignored"));
    }
    Ok(raw)
}

/// Kind, declared length and first content byte of the chunk at `at`.
fn chunk(bytes: &[u8], at: usize) -> Option<(&[u8; 4], usize, usize)> {
    let head = bytes.get(at..)?.first_chunk::<8>()?;
    let (id, length) = head.split_first_chunk::<4>()?;
    let length = u32::from_be_bytes(*length.first_chunk()?);
    Some((id, usize::try_from(length).ok()?, at + 8))
}

/// Time units per tick (`None`: the tempo in µs) and per second.
fn division(file: &str, high: u8, low: u8) -> Result<(Option<u128>, u128)> {
    if high < 0x80 {
        let quarter = u128::from(u16::from_be_bytes([high, low]));
        if quarter == 0 {
            bail!("{file}, byte 12: zero ticks a quarter note");
        }
        return Ok((None, quarter * 1_000_000));
    }
    if low == 0 {
        bail!("{file}, byte 13: zero ticks a frame");
    }
    let frame = u128::from(low);
    // The high byte is the negative number of frames per second; 29 means 30/1.001 (drop frame).
    match high.wrapping_neg() {
        fps @ (24 | 25 | 30) => Ok((Some(1), u128::from(fps) * frame)),
        29 => Ok((Some(1001), 30_000 * frame)),
        fps => bail!("{file}, byte 12: {fps} frames a second; 24, 25, 29 and 30 exist"),
    }
}

/// Reads a track; returns whether it has an end-of-track event.
fn track<'a>(
    file: &str,
    number: u16,
    start: usize,
    data: &'a [u8],
    raw: &mut Raw<'a>,
) -> Result<bool> {
    let mut events = EventIter::new(data);
    let mut tick = 0u64;
    loop {
        let left = events.unread().len();
        match events.next() {
            Some(Ok(event)) => {
                tick += u64::from(event.delta.as_int());
                if event.kind == TrackEventKind::Meta(MetaMessage::EndOfTrack) {
                    return Ok(true);
                }
                raw.events.push((tick, event.kind));
            }
            // The iterator ends silently at a broken event; unread bytes show it.
            Some(Err(_)) | None if left > 0 => bail!(
                "{file}, byte {}: broken event in track {number}; the file is damaged",
                start + data.len() - left
            ),
            _ => return Ok(false),
        }
    }
}
