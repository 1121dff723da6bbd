//! Selects the piano's part of a MIDI file: channels, tracks, instruments.
//!
//! By default the drums (channel 10) and the channels whose program is no piano [General MIDI 1] are left
//! out, unless nothing else is in the file. Files that announce MPE use channels as fingers and are played
//! whole.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use crate::Settings;
use crate::settings::Switch;
use midly::{MidiMessage, TrackEventKind};

/// Channel of the drums, from 0.
const DRUMS: u8 = 9;

/// Number of the programs that are pianos: grands, electric pianos, harpsichord, clavinet.
const PIANOS: u8 = 8;

/// Families of eight programs each.
const FAMILIES: [&str; 16] = [
    "piano",
    "chromatic percussion",
    "organ",
    "guitar",
    "bass",
    "strings",
    "ensemble",
    "brass",
    "reed",
    "pipe",
    "synth lead",
    "synth pad",
    "synth effects",
    "ethnic",
    "percussion",
    "sound effects",
];

/// Values of bank select (controller 0) that select drums: GM2 120, XG 126 and 127.
const DRUM_BANKS: [u8; 3] = [120, 126, 127];

/// Controllers that are pedals.
const PEDALS: [u8; 3] = [64, 66, 67];

/// Channels or tracks by their numbers from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Numbers {
    /// All of them.
    All,
    /// These.
    These(BTreeSet<u16>),
}

impl Numbers {
    fn has(&self, number: u16) -> bool {
        match self {
            Self::All => true,
            Self::These(numbers) => numbers.contains(&number),
        }
    }
}

impl FromStr for Numbers {
    type Err = String;

    /// Reads `all`, or numbers and ranges from 1: `1,3-5`.
    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim().eq_ignore_ascii_case("all") {
            return Ok(Self::All);
        }
        let number = |text: &str| text.trim().parse::<u16>().ok().filter(|n| *n > 0);
        let range = |part: &str| match part.split_once('-') {
            Some((first, last)) => Some(number(first)?..=number(last)?).filter(|r| !r.is_empty()),
            None => number(part).map(|n| n..=n),
        };
        let ranges: Option<Vec<_>> = text.split(',').map(range).collect();
        let ranges = ranges.ok_or("write numbers from 1, as 1,3-5, or all")?;
        Ok(Self::These(ranges.into_iter().flatten().collect()))
    }
}

/// Selection of the parts of a file; by default the piano's.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Parts {
    /// Channels, 1 to 16.
    pub channels: Option<Numbers>,
    /// Tracks in file order, from 1.
    pub tracks: Option<Numbers>,
}

impl Parts {
    /// Every channel of every track.
    pub const ALL: Self = Self { channels: Some(Numbers::All), tracks: None };

    /// The piano's part, or with MPE, whose channels are fingers of one part, everything.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        if settings.midi.mpe == Switch::On { Self::ALL } else { Self::default() }
    }
}

/// An event with its tick and the index of its track.
pub(super) type Placed<'a> = (u64, usize, TrackEventKind<'a>);

/// Removes from `events`, in time order, what `parts` leaves out. Returns a sentence about what the default
/// left out, or about a default that does not apply.
///
/// # Errors
/// No note in the selection, or in the file.
pub(super) fn select(events: &mut Vec<Placed>, parts: &Parts) -> Result<Option<String>, String> {
    if notes(events).is_empty() && !events.iter().any(is_position) {
        return Err("holds no note".into());
    }
    if parts.channels.is_some() || parts.tracks.is_some() {
        let before = notes(events);
        let has = |numbers: &Option<Numbers>, number: u16| {
            numbers.as_ref().is_none_or(|numbers| numbers.has(number))
        };
        events.retain(|(_, track, kind)| match kind {
            TrackEventKind::Midi { channel, .. } => {
                let track = u16::try_from(track + 1).unwrap_or(u16::MAX);
                has(&parts.channels, u16::from(channel.as_int()) + 1) && has(&parts.tracks, track)
            }
            _ => true,
        });
        if notes(events).is_empty() && !events.iter().any(is_position) {
            return Err(format!(
                "no note in the chosen channels and tracks; {}",
                whereabouts(&before)
            ));
        }
        return Ok(None);
    }
    if announces_mpe(events) {
        return Ok(None);
    }
    let (mut instruments, mut out) = (Instruments::default(), BTreeMap::new());
    let kept: Vec<bool> = events.iter().map(|event| instruments.keep(event, &mut out)).collect();
    if out.is_empty() {
        return Ok(None);
    }
    let left: usize = out.values().sum();
    if left < notes(events).values().sum() {
        let mut kept = kept.into_iter();
        events.retain(|_| kept.next().unwrap_or(true));
        let list: Vec<String> =
            out.iter().map(|((channel, name), n)| describe(*channel, name, *n)).collect();
        return Ok(Some(format!("left out {}; --channels selects others", list.join(", "))));
    }
    // No piano at all: the drums alone are left out, if anything else is there.
    let is_drum = |event: &Placed| channel_of(event) == Some(DRUMS);
    let has_others = notes(events).keys().any(|(channel, _)| *channel != DRUMS);
    if has_others {
        events.retain(|event| !is_drum(event));
    }
    let names: BTreeSet<&str> =
        out.keys().filter(|(c, _)| !has_others || *c != DRUMS).map(|(_, name)| *name).collect();
    let names: Vec<&str> = names.into_iter().collect();
    Ok(Some(format!("has no piano part; its {} played on the piano", names.join(" and "))))
}

fn describe(channel: u8, name: &str, notes: usize) -> String {
    let plural = if notes == 1 { "note" } else { "notes" };
    format!("{notes} {plural} of {name} on channel {}", channel + 1)
}

/// Where the notes of a file are.
fn whereabouts(notes: &BTreeMap<(u8, usize), usize>) -> String {
    let list: Vec<String> = notes
        .iter()
        .map(|((channel, track), n)| {
            format!("{n} on channel {} of track {}", channel + 1, track + 1)
        })
        .collect();
    format!("the file has {}", list.join(", "))
}

/// Numbers of note-ons by channel and track.
fn notes(events: &[Placed]) -> BTreeMap<(u8, usize), usize> {
    let mut counts = BTreeMap::new();
    for event in events.iter().filter(|event| is_note(event)) {
        if let Some(channel) = channel_of(event) {
            *counts.entry((channel, event.1)).or_default() += 1;
        }
    }
    counts
}

fn channel_of((_, _, kind): &Placed) -> Option<u8> {
    match kind {
        TrackEventKind::Midi { channel, .. } => Some(channel.as_int()),
        _ => None,
    }
}

fn is_note((_, _, kind): &Placed) -> bool {
    matches!(kind, TrackEventKind::Midi { message: MidiMessage::NoteOn { vel, .. }, .. } if *vel > 0)
}

/// Whether an event may be the position of a key.
const fn is_position((_, _, kind): &Placed) -> bool {
    matches!(kind, TrackEventKind::Midi { message: MidiMessage::Aftertouch { .. }, .. })
}

/// Whether the file has an MPE configuration message (RPN 6 on channel 1 or 16) with member channels.
fn announces_mpe(events: &[Placed]) -> bool {
    let mut selected = [[0x7F; 2]; 2];
    events.iter().any(|(_, _, kind)| {
        let TrackEventKind::Midi { channel, message } = kind else { return false };
        let MidiMessage::Controller { controller, value } = message else { return false };
        let zone = match channel.as_int() {
            0 => 0,
            15 => 1,
            _ => return false,
        };
        match controller.as_int() {
            101 => selected[zone][0] = value.as_int(),
            100 => selected[zone][1] = value.as_int(),
            98 | 99 => selected[zone] = [0x7F; 2],
            6 => return selected[zone] == [0, 6] && value.as_int() > 0,
            _ => {}
        }
        false
    })
}

/// Program and bank of every channel.
#[derive(Default)]
struct Instruments {
    programs: [u8; 16],
    banks: [u8; 16],
}

impl Instruments {
    /// Follows `event`; whether it is of a piano. Notes of others are counted in `out` by channel and
    /// instrument.
    fn keep(&mut self, event: &Placed, out: &mut BTreeMap<(u8, &'static str), usize>) -> bool {
        let TrackEventKind::Midi { channel, message } = event.2 else { return true };
        let index = usize::from(channel.as_int());
        match message {
            MidiMessage::ProgramChange { program } => self.programs[index] = program.as_int(),
            MidiMessage::Controller { controller, value } if controller == 0 => {
                self.banks[index] = value.as_int();
            }
            _ => {}
        }
        let (program, bank) = (self.programs[index], self.banks[index]);
        let is_drum = channel.as_int() == DRUMS || DRUM_BANKS.contains(&bank);
        if !is_drum && program < PIANOS {
            return true;
        }
        if is_note(event) {
            let family = FAMILIES[usize::from(program / 8) % FAMILIES.len()];
            let name = if is_drum { "drums" } else { family };
            *out.entry((channel.as_int(), name)).or_default() += 1;
        }
        // A part that changes its program releases what its piano holds.
        match message {
            MidiMessage::NoteOff { .. } => true,
            MidiMessage::NoteOn { vel, .. } => vel == 0,
            MidiMessage::Controller { controller, value } => {
                PEDALS.contains(&controller.as_int()) && value == 0
            }
            _ => false,
        }
    }
}
