//! Selects the piano's part of a MIDI file: channels, tracks, instruments.
//!
//! By default the drums (channel 10) and the channels whose program is no piano [General MIDI 1] are left
//! out, unless nothing else is in the file. Each port has its own programs, banks and drums. Files that announce MPE
//! use channels as fingers and are played whole.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use super::placed::{Kind, Placed, spread_ports};
use crate::Settings;
use crate::host::midi::controller::{DATA, EXPRESSION, PAN, RESET, VOLUME};
use crate::host::midi::system::ChannelMap;
use crate::host::midi::{InputMessage, seven_bits};
use crate::settings::Switch;

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

/// A channel of a port.
type PortChannel = (u8, u8);

/// Removes from `events`, in time order, what `parts` leaves out, and gives the channels of several ports channels of
/// their own. Returns the new channels of each port, and a sentence about what the default left out, or about a
/// default that does not apply.
///
/// # Errors
/// No note in the selection, or in the file.
pub(super) fn select(
    events: &mut Vec<Placed>,
    parts: &Parts,
) -> Result<(BTreeMap<u8, ChannelMap>, Option<String>), String> {
    if notes(events).is_empty() && !events.iter().any(Placed::is_position) {
        return Err("holds no note".into());
    }
    let told = if parts.channels.is_some() || parts.tracks.is_some() {
        choose(events, parts)?;
        None
    } else if announces_mpe(events) {
        // The channels of several ports are fingers too.
        return Ok((BTreeMap::new(), None));
    } else {
        leave_out_others(events)
    };
    leave_out_unplayed(events);
    Ok((spread_ports(events), told))
}

/// Leaves out level, balance and bend of channels on which nothing is played: many files set up all sixteen. Pedals
/// stay, which some files have on a channel of their own.
fn leave_out_unplayed(events: &mut Vec<Placed>) {
    let is_played = |event: &&Placed| event.is_note() || event.is_position();
    let place = |event: &Placed| Some((event.port, event.channel()?));
    let played: BTreeSet<PortChannel> = events.iter().filter(is_played).filter_map(place).collect();
    events.retain(|event| {
        let is_of_sound = match event.kind {
            Kind::Message(InputMessage::Controller { number, .. }) => {
                matches!(number, VOLUME | PAN | EXPRESSION | RESET)
            }
            Kind::Message(InputMessage::Bend { .. }) => true,
            _ => false,
        };
        !is_of_sound || place(event).is_none_or(|place| played.contains(&place))
    });
}

/// Keeps the chosen channels and tracks.
fn choose(events: &mut Vec<Placed>, parts: &Parts) -> Result<(), String> {
    let before = notes(events);
    let has = |numbers: &Option<Numbers>, number: u16| {
        numbers.as_ref().is_none_or(|numbers| numbers.has(number))
    };
    events.retain(|event| {
        event.channel().is_none_or(|channel| {
            has(&parts.channels, u16::from(channel) + 1)
                && has(&parts.tracks, event.track.saturating_add(1))
        })
    });
    if notes(events).is_empty() && !events.iter().any(Placed::is_position) {
        return Err(format!("no note in the chosen channels and tracks; {}", whereabouts(&before)));
    }
    Ok(())
}

/// Keeps the piano's part; returns a sentence about the others.
fn leave_out_others(events: &mut Vec<Placed>) -> Option<String> {
    let (mut instruments, mut out) = (Instruments::default(), BTreeMap::new());
    let kept: Vec<bool> = events.iter().map(|event| instruments.keep(event, &mut out)).collect();
    if out.is_empty() {
        return None;
    }
    let left: usize = out.values().sum();
    if left < notes(events).values().sum() {
        let mut ports =
            events.iter().filter(|event| event.channel().is_some()).map(|event| event.port);
        let first = ports.next();
        let has_ports = ports.any(|port| Some(port) != first);
        let mut kept = kept.into_iter();
        events.retain(|_| kept.next().unwrap_or(true));
        let list: Vec<String> =
            out.iter().map(|((of, name), n)| describe(*of, has_ports, name, *n)).collect();
        return Some(format!("left out {}; --channels selects others", list.join(", ")));
    }
    // No piano at all: the drums alone are left out, if anything else is there.
    let has_others = notes(events).keys().any(|((_, channel), _)| *channel != DRUMS);
    if has_others {
        events.retain(|event| event.channel() != Some(DRUMS));
    }
    let names: BTreeSet<&str> = out
        .keys()
        .filter(|((_, channel), _)| !has_others || *channel != DRUMS)
        .map(|(_, name)| *name)
        .collect();
    let names: Vec<&str> = names.into_iter().collect();
    Some(format!("has no piano part; its {} played on the piano", names.join(" and ")))
}

fn describe((port, channel): PortChannel, has_ports: bool, name: &str, notes: usize) -> String {
    let plural = if notes == 1 { "note" } else { "notes" };
    let port = if has_ports { format!(" of port {}", u16::from(port) + 1) } else { String::new() };
    format!("{notes} {plural} of {name} on channel {}{port}", channel + 1)
}

/// Where the notes of a file are.
fn whereabouts(notes: &BTreeMap<(PortChannel, u16), usize>) -> String {
    let list: Vec<String> = notes
        .iter()
        .map(|(((_, channel), track), n)| {
            format!("{n} on channel {} of track {}", channel + 1, track + 1)
        })
        .collect();
    format!("the file has {}", list.join(", "))
}

/// Numbers of note-ons by channel and track.
fn notes(events: &[Placed]) -> BTreeMap<(PortChannel, u16), usize> {
    let mut counts = BTreeMap::new();
    for event in events.iter().filter(|event| event.is_note()) {
        if let Some(channel) = event.channel() {
            *counts.entry(((event.port, channel), event.track)).or_default() += 1;
        }
    }
    counts
}

/// Whether the file has an MPE configuration message (RPN 6 on channel 1 or 16) with member channels.
fn announces_mpe(events: &[Placed]) -> bool {
    let mut selected = BTreeMap::new();
    events.iter().any(|event| {
        let Kind::Message(InputMessage::Controller { channel, number, value }) = event.kind else {
            return false;
        };
        if !matches!(channel, 0 | 15) {
            return false;
        }
        let selected = selected.entry((event.port, channel)).or_insert([0x7F; 2]);
        match number {
            101 => selected[0] = seven_bits(value),
            100 => selected[1] = seven_bits(value),
            98 | 99 => *selected = [0x7F; 2],
            _ => return number == DATA[0] && *selected == [0, 6] && seven_bits(value) > 0,
        }
        false
    })
}

/// Program and bank of every channel of every port.
#[derive(Default)]
struct Instruments(BTreeMap<PortChannel, (u8, u8)>);

impl Instruments {
    /// Follows `event`; whether it is of a piano. Notes of others are counted in `out` by channel and
    /// instrument.
    fn keep(
        &mut self,
        event: &Placed,
        out: &mut BTreeMap<(PortChannel, &'static str), usize>,
    ) -> bool {
        let Some(channel) = event.channel() else { return true };
        let own = (event.port, channel);
        let (program, bank) = self.0.entry(own).or_default();
        match event.kind {
            Kind::Program(_, new) => *program = new,
            Kind::Message(InputMessage::Controller { number: 0, value, .. }) => {
                *bank = seven_bits(value);
            }
            _ => {}
        }
        let is_drum = channel == DRUMS || DRUM_BANKS.contains(bank);
        if !is_drum && *program < PIANOS {
            return true;
        }
        if event.is_note() {
            let family = FAMILIES[usize::from(*program / 8) % FAMILIES.len()];
            let name = if is_drum { "drums" } else { family };
            *out.entry((own, name)).or_default() += 1;
        }
        // A part that changes its program releases what its piano holds.
        match event.kind {
            Kind::Message(InputMessage::NoteOff { .. }) => true,
            Kind::Message(InputMessage::NoteOn { velocity, .. }) => velocity <= 0.0,
            Kind::Message(InputMessage::Controller { number, value, .. }) => {
                PEDALS.contains(&number) && value <= 0.0
            }
            _ => false,
        }
    }
}
