//! Events of a file at their ticks, from either kind of file, with the port to which they are sent.
//!
//! A track names its port by number (meta event 21h) or by the name of a device (09h, RP-019). Channels of different
//! ports are different instruments; those that the piano plays get channels of their own as far as there are sixteen.

use std::borrow::Cow;
use std::collections::BTreeMap;

use midly::{MetaMessage, TrackEventKind};

use super::message;
use crate::host::midi::system::{ChannelMap, OWN_CHANNELS, is_obeyed};
use crate::host::midi::{Address, InputMessage};

/// What an event is.
pub(super) enum Kind<'a> {
    Message(InputMessage),
    /// Program of a channel.
    Program(u8, u8),
    /// Tempo, time per quarter note in the file's unit.
    Tempo(u32),
    /// Universal system exclusive message without its first byte.
    System(Cow<'a, [u8]>),
}

/// An event with its tick, the index of its track, and its port.
pub(super) struct Placed<'a> {
    pub(super) tick: u64,
    pub(super) track: u16,
    pub(super) port: u8,
    pub(super) kind: Kind<'a>,
}

impl Placed<'_> {
    /// Channel of a message or a program.
    pub(super) const fn channel(&self) -> Option<u8> {
        match self.kind {
            Kind::Program(channel, _) => Some(channel),
            Kind::Message(message) => channel_of(&message),
            Kind::Tempo(_) | Kind::System(_) => None,
        }
    }

    /// Whether the event strikes a note.
    pub(super) fn is_note(&self) -> bool {
        matches!(self.kind, Kind::Message(InputMessage::NoteOn { velocity, .. }) if velocity > 0.0)
    }

    /// Whether the event may be the position of a key.
    pub(super) const fn is_position(&self) -> bool {
        matches!(self.kind, Kind::Message(InputMessage::Pressure { .. }))
    }
}

/// Channel of a message of a file.
const fn channel_of(message: &InputMessage) -> Option<u8> {
    match *message {
        InputMessage::NoteOn { channel, .. }
        | InputMessage::ChannelPressure { channel, .. }
        | InputMessage::Bend { channel, .. }
        | InputMessage::Controller { channel, .. } => Some(channel),
        InputMessage::NoteOff { to: Address { channel, .. }, .. }
        | InputMessage::Pressure { to: Address { channel, .. }, .. }
        | InputMessage::Tuning { to: Address { channel, .. }, .. }
        | InputMessage::Choke(Address { channel, .. }) => channel,
        _ => None,
    }
}

/// Moves a message of a file to `new`.
const fn move_to(message: &mut InputMessage, new: u8) {
    match message {
        InputMessage::NoteOn { channel, .. }
        | InputMessage::ChannelPressure { channel, .. }
        | InputMessage::Bend { channel, .. }
        | InputMessage::Controller { channel, .. } => *channel = new,
        InputMessage::NoteOff { to, .. }
        | InputMessage::Pressure { to, .. }
        | InputMessage::Tuning { to, .. }
        | InputMessage::Choke(to) => to.channel = Some(new),
        _ => {}
    }
}

/// Names of the devices of a file; events without one go to the first.
#[derive(Default)]
pub(super) struct Devices<'a> {
    names: Vec<&'a [u8]>,
    has_numbers: bool,
}

impl<'a> Devices<'a> {
    /// The devices that tracks name. Numbers have precedence: names then say nothing more.
    pub(super) fn of<'t>(tracks: impl Iterator<Item = &'t [(u64, TrackEventKind<'a>)]>) -> Self
    where
        'a: 't,
    {
        let mut devices = Self::default();
        for (_, kind) in tracks.flatten() {
            match kind {
                TrackEventKind::Meta(MetaMessage::MidiPort(_)) => devices.has_numbers = true,
                TrackEventKind::Meta(MetaMessage::DeviceName(name))
                    if !devices.names.contains(name) && devices.names.len() < 256 =>
                {
                    devices.names.push(name);
                }
                _ => {}
            }
        }
        devices
    }

    /// The port that a meta event selects.
    fn port(&self, meta: &MetaMessage) -> Option<u8> {
        match meta {
            MetaMessage::MidiPort(port) => Some(port.as_int()),
            MetaMessage::DeviceName(name) if !self.has_numbers => {
                let at = self.names.iter().position(|known| known == name)?;
                u8::try_from(at).ok()
            }
            _ => None,
        }
    }

    /// The events of a track that begins at tick `begin`, as the piano needs them.
    pub(super) fn placed(
        &self,
        events: Vec<(u64, TrackEventKind<'a>)>,
        begin: u64,
        track: usize,
        out: &mut Vec<Placed<'a>>,
    ) {
        let track = u16::try_from(track).unwrap_or(u16::MAX);
        // A system exclusive message that is continued in later events.
        let (mut port, mut open) = (0, None::<Vec<u8>>);
        for (tick, kind) in events {
            let kind = match kind {
                TrackEventKind::Midi {
                    channel,
                    message: midly::MidiMessage::ProgramChange { program },
                } => Some(Kind::Program(channel.as_int(), program.as_int())),
                TrackEventKind::Midi { channel, message: raw } => {
                    message(channel.as_int(), raw).map(Kind::Message)
                }
                TrackEventKind::Meta(MetaMessage::Tempo(tempo)) => {
                    Some(Kind::Tempo(tempo.as_int()))
                }
                TrackEventKind::Meta(meta) => {
                    port = self.port(&meta).unwrap_or(port);
                    None
                }
                TrackEventKind::SysEx(data) if data.last() == Some(&0xF7) => {
                    open = None;
                    is_obeyed(data).then_some(Kind::System(Cow::Borrowed(data)))
                }
                TrackEventKind::SysEx(data) => {
                    open = Some(data.to_vec());
                    None
                }
                TrackEventKind::Escape(data) => match open.take() {
                    Some(mut begun) => {
                        begun.extend_from_slice(data);
                        if begun.last() == Some(&0xF7) {
                            is_obeyed(&begun).then_some(Kind::System(Cow::Owned(begun)))
                        } else {
                            open = Some(begun);
                            None
                        }
                    }
                    None => {
                        let whole = data.strip_prefix(&[0xF0]).filter(|data| is_obeyed(data));
                        whole.map(|data| Kind::System(Cow::Borrowed(data)))
                    }
                },
            };
            out.extend(kind.map(|kind| Placed { tick: begin + tick, track, port, kind }));
        }
    }
}

/// Gives every channel of every port a channel of its own as far as there are sixteen; returns the new channels of
/// each port, as bits.
pub(super) fn spread_ports(events: &mut [Placed]) -> BTreeMap<u8, ChannelMap> {
    let mut new: BTreeMap<(u8, u8), u8> = BTreeMap::new();
    for event in events.iter() {
        if let Some(channel) = event.channel() {
            new.insert((event.port, channel), channel);
        }
    }
    let mut taken = 0u16;
    let mut waiting = Vec::new();
    for &(port, channel) in new.keys() {
        if taken >> channel & 1 == 0 {
            taken |= 1 << channel;
        } else {
            waiting.push((port, channel));
        }
    }
    for pair in waiting {
        let Some(free) = (0..16u8).find(|channel| taken >> channel & 1 == 0) else { break };
        taken |= 1 << free;
        new.insert(pair, free);
    }
    let mut maps = BTreeMap::new();
    for event in events.iter_mut() {
        let channel = event.channel().and_then(|channel| new.get(&(event.port, channel)));
        if let (Kind::Message(message), Some(channel)) = (&mut event.kind, channel) {
            move_to(message, *channel);
        }
    }
    for ((port, channel), new) in new {
        let map = maps.entry(port).or_insert([0; OWN_CHANNELS.len()]);
        map[usize::from(channel) % OWN_CHANNELS.len()] |= 1 << new;
    }
    maps
}
