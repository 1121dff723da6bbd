//! Deviations of a MIDI file from the standard, counted for one line of warning.

use std::fmt::Write as _;

/// What was wrong in a file that was read nevertheless.
#[derive(Default)]
pub(super) struct Damage {
    /// Deviations of the whole file.
    notes: Vec<String>,
    counts: [usize; KINDS.len()],
    /// Bytes that belong to no event or chunk.
    stray: usize,
    /// First byte of any damage that has a place.
    first: Option<usize>,
    /// The file ends inside a track.
    pub(super) is_cut: bool,
    /// Tracks without an end-of-track event.
    pub(super) endless: usize,
}

/// Kinds of damage with a place.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    RunningStatus,
    System,
    DataByte,
    Payload,
    EarlyEnd,
    Length,
    Delta,
    Tempo,
}

const KINDS: [(Kind, &str); 8] = [
    (Kind::RunningStatus, "running status after a meta or SysEx event"),
    (Kind::System, "real-time or system messages inside a track"),
    (Kind::DataByte, "data bytes over 127"),
    (Kind::Payload, "meta or SysEx events with a wrong length"),
    (Kind::EarlyEnd, "events after an end-of-track event"),
    (Kind::Length, "wrong chunk lengths"),
    (Kind::Delta, "delta times of more than four bytes"),
    (Kind::Tempo, "tempo events of zero or not of three bytes"),
];

impl Damage {
    /// Adds a deviation of the whole file.
    pub(super) fn note(&mut self, what: String) {
        self.notes.push(what);
    }

    /// Counts a damage of `kind` at `byte` of the file.
    pub(super) fn count(&mut self, kind: Kind, byte: usize) {
        self.counts[kind as usize] += 1;
        self.at(byte);
    }

    pub(super) fn wrong_length(&mut self, byte: usize) {
        self.count(Kind::Length, byte);
    }

    /// Counts `bytes` that were skipped, from `byte` on.
    pub(super) fn stray(&mut self, bytes: usize, byte: usize) {
        if bytes > 0 {
            self.stray += bytes;
            self.at(byte);
        }
    }

    fn at(&mut self, byte: usize) {
        self.first = Some(self.first.map_or(byte, |first| first.min(byte)));
    }

    /// The damage as one line without the file's name, for a file of `tracks` tracks; `None` without damage.
    pub(super) fn text(&self, tracks: usize) -> Option<String> {
        let mut parts = self.notes.clone();
        for ((_, what), count) in KINDS.iter().zip(self.counts).filter(|(_, count)| *count > 0) {
            parts.push(format!("{what} ({count})"));
        }
        if self.stray > 0 {
            parts.push(format!("stray bytes skipped ({})", self.stray));
        }
        if self.is_cut {
            parts.push("the file is cut off".into());
        } else if self.endless > 0 {
            parts.push(format!("{} of {tracks} tracks have no end-of-track event", self.endless));
        }
        let mut text = parts.join("; ");
        if let Some(byte) = self.first {
            let _ = write!(text, "; first at byte {byte}");
        }
        (!text.is_empty()).then_some(text)
    }
}
