//! MIDI clip files, `.midi2`: Universal MIDI Packets with delta times [M2-104-UM 1.1, M2-116-U].
//!
//! A file is the letters `SMF2CLIP` and 32-bit words, the highest byte first. Velocities have 16 bits, controllers
//! and pressures 32, notes a pitch of their own. Groups are ports. Values that were converted from MIDI 1.0 are those
//! of MIDI 1.0 again.
//!
//! The crate `midi2` has these messages too; its version 0.5 refuses notes with attributes that it does not know, and
//! has delta times of 16 bits for 20.

use std::borrow::Cow;
use std::collections::BTreeMap;

use midly::MidiMessage;
use midly::live::LiveEvent;

use super::placed::{Kind, Placed};
use super::{Timed, message};
use crate::host::midi::controller::{DATA, PARAMETER};
use crate::host::midi::system::is_obeyed;
use crate::host::midi::{Address, InputMessage};

/// First bytes of a clip file.
const MAGIC: &[u8] = b"SMF2CLIP";

/// Tempo before the first tempo message, 10 ns per quarter note.
const TEMPO: u32 = 50_000_000;

/// Ticks per quarter note where the file states none.
const TICKS: u128 = 96;

/// Range of the bend of a note before a message states it, semitones.
const RANGE: f64 = 2.0;

/// Number of the registered parameter that states this range.
const NOTE_BEND_RANGE: (u8, u8) = (0, 7);

/// Words of a packet by its message type.
const WORDS: [usize; 16] = [1, 1, 1, 2, 2, 4, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4];

/// Whether `bytes` are a clip file.
pub(super) fn is_in(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Detuning of a note, semitones.
#[derive(Clone, Copy, Default)]
struct Detuning {
    /// By its pitch controller.
    pitch: f64,
    /// The same, or that by the pitch in its last note-on.
    sounding: f64,
    bend: f64,
}

/// The clip while it is read.
#[derive(Default)]
struct Clip {
    events: Vec<Placed<'static>>,
    tick: u64,
    /// Group of the present packet.
    group: u8,
    detunings: BTreeMap<(u8, u8, u8), Detuning>,
    ranges: BTreeMap<(u8, u8), f64>,
    /// System exclusive messages of the groups that have begun.
    open: BTreeMap<u8, Vec<u8>>,
}

/// Reads a clip file.
pub(super) fn read(bytes: &[u8]) -> Timed<'static> {
    let mut words = bytes.get(MAGIC.len()..).unwrap_or_default().chunks_exact(4);
    let mut word = || Some(u32::from_be_bytes(*words.next()?.first_chunk()?));
    let (mut clip, mut ticks, mut warnings) = (Clip::default(), None, Vec::new());
    let is_ended = loop {
        let Some(first) = word() else { break false };
        let length = WORDS[(first >> 28) as usize];
        let mut packet = [first, 0, 0, 0];
        if !packet[1..length].iter_mut().all(|own| word().map(|read| *own = read).is_some()) {
            break false;
        }
        let data = first & 0xFFFF;
        match (first >> 28, first >> 20 & 0xF) {
            (0, 3) if data > 0 => ticks = ticks.or(Some(u128::from(data))),
            (0, 4) => clip.tick += u64::from(first & 0xF_FFFF),
            (0xF, _) if first >> 16 & 0x3FF == 0x21 => break true,
            _ => clip.packet(packet),
        }
    };
    if !is_ended {
        warnings.push("the clip has no end; the file is cut off".to_owned());
    }
    if ticks.is_none() {
        warnings.push(format!("no time division, read as {TICKS} ticks per quarter note"));
    }
    Timed {
        events: clip.events,
        end: clip.tick,
        units_per_tick: None,
        tempo: TEMPO,
        per_second: ticks.unwrap_or(TICKS) * 100_000_000,
        warning: (!warnings.is_empty()).then(|| warnings.join("; ")),
    }
}

/// The part `at`…`at` + 7 of a word.
const fn byte(word: u32, at: u32) -> u8 {
    (word >> at & 0xFF) as u8
}

impl Clip {
    fn add(&mut self, kind: Kind<'static>) {
        let (tick, port) = (self.tick, self.group);
        self.events.push(Placed { tick, track: u16::from(port), port, kind });
    }

    fn send(&mut self, message: InputMessage) {
        self.add(Kind::Message(message));
    }

    /// Follows a packet that is no time.
    fn packet(&mut self, packet: [u32; 4]) {
        let [first, second, ..] = packet;
        self.group = byte(first, 24) & 0xF;
        match first >> 28 {
            2 => self.midi1(first),
            3 => self.system_exclusive(first, second),
            4 => self.midi2(first, second),
            // Flex data: bank 0, status 0 is the tempo.
            0xD if first & 0xFFFF == 0 && second > 0 => self.add(Kind::Tempo(second)),
            _ => {}
        }
    }

    /// A channel message of MIDI 1.0.
    fn midi1(&mut self, word: u32) {
        let bytes = [byte(word, 16), byte(word, 8) & 0x7F, byte(word, 0) & 0x7F];
        let length = if matches!(bytes[0], 0xC0..0xE0) { 2 } else { 3 };
        let Ok(LiveEvent::Midi { channel, message: raw }) = LiveEvent::parse(&bytes[..length])
        else {
            return;
        };
        let channel = channel.as_int();
        if let MidiMessage::ProgramChange { program } = raw {
            self.add(Kind::Program(channel, program.as_int()));
        } else if let Some(message) = message(channel, raw) {
            self.send(message);
        }
    }

    fn system_exclusive(&mut self, first: u32, second: u32) {
        let (part, count) = (first >> 20 & 0xF, usize::from(byte(first, 16) & 0xF));
        let data = [byte(first, 8), byte(first, 0)].into_iter().chain(second.to_be_bytes());
        if part < 2 {
            self.open.insert(self.group, Vec::new());
        }
        let Some(open) = self.open.get_mut(&self.group) else { return };
        open.extend(data.take(count));
        if matches!(part, 0 | 3) {
            let whole = self.open.remove(&self.group).filter(|data| is_obeyed(data));
            whole.into_iter().for_each(|data| self.add(Kind::System(Cow::Owned(data))));
        }
    }

    /// A channel message of MIDI 2.0.
    fn midi2(&mut self, first: u32, data: u32) {
        let channel = byte(first, 16) & 0xF;
        let (note, index) = (byte(first, 8) & 0x7F, byte(first, 0));
        let to = Address::note(channel, note);
        let own = (self.group, channel, note);
        let seven = |at: u32| f64::from(byte(data, at) >> 1) / 127.0;
        match first >> 20 & 0xF {
            // Pitch of a note, 7 bits of semitones and 25 below.
            0 if index == 3 => {
                let pitch = f64::from(data) / f64::from(1 << 25);
                let detuning = self.detunings.entry(own).or_default();
                detuning.pitch = pitch - f64::from(note);
                detuning.sounding = detuning.pitch;
                self.tune(own);
            }
            2 if (note, index) == NOTE_BEND_RANGE => {
                let cents = f64::from(data >> 18 & 0x7F) / 100.0;
                self.ranges.insert((self.group, channel), f64::from(data >> 25) + cents);
            }
            2 => {
                let values = [f64::from(note) / 127.0, f64::from(index & 0x7F) / 127.0, seven(24)];
                let fine = f64::from(data >> 18 & 0x7F) / 127.0;
                let numbers = [PARAMETER[1], PARAMETER[0], DATA[0], DATA[1]];
                for (number, value) in
                    numbers.into_iter().zip([values[0], values[1], values[2], fine])
                {
                    self.send(InputMessage::Controller { channel, number, value });
                }
            }
            6 => {
                let range = self.ranges.get(&(self.group, channel)).copied().unwrap_or(RANGE);
                self.detunings.entry(own).or_default().bend = range * bend(data);
                self.tune(own);
            }
            8 => self.send(InputMessage::NoteOff { to, velocity: share(data >> 16, 16) }),
            9 => {
                // A velocity of 0 is the softest.
                let velocity = share(data >> 16, 16).max(1.0 / 127.0);
                self.send(InputMessage::NoteOn { channel, note, id: None, velocity });
                let pitch = f64::from(data & 0xFFFF) / 512.0 - f64::from(note);
                let detuning = self.detunings.entry(own).or_default();
                detuning.sounding = if index == 3 { pitch } else { detuning.pitch };
                if detuning.sounding + detuning.bend != 0.0 {
                    self.tune(own);
                }
            }
            0xA => self.send(InputMessage::Pressure { to, value: share(data, 32) }),
            0xB => {
                let value = share(data, 32);
                self.send(InputMessage::Controller { channel, number: note, value });
            }
            0xC => {
                if index & 1 == 1 {
                    let value = f64::from(byte(data, 8) & 0x7F) / 127.0;
                    self.send(InputMessage::Controller { channel, number: 0, value });
                }
                self.add(Kind::Program(channel, byte(data, 24) & 0x7F));
            }
            0xD => self.send(InputMessage::ChannelPressure { channel, value: share(data, 32) }),
            0xE => self.send(InputMessage::Bend { channel, value: bend(data) }),
            // The controllers of a note are reset.
            0xF if index & 1 == 1 => {
                self.detunings.remove(&own);
            }
            _ => {}
        }
    }

    /// Detunes a note that sounds, or the next one.
    fn tune(&mut self, own: (u8, u8, u8)) {
        let Detuning { sounding, bend, .. } = self.detunings.get(&own).copied().unwrap_or_default();
        let to = Address::note(own.1, own.2);
        self.send(InputMessage::Tuning { to, semitones: sounding + bend });
    }
}

/// Bend, −1…1, of 32 bits.
fn bend(value: u32) -> f64 {
    let steps = f64::from(value) - f64::from(1u32 << 31);
    steps / if steps < 0.0 { f64::from(1u32 << 31) } else { f64::from((1u32 << 31) - 1) }
}

/// Share, 0…1 as 7-bit values have it, of a value of `bits` bits: their middle is 64 of 127.
fn share(value: u32, bits: u32) -> f64 {
    let coarse = value >> (bits - 7);
    if widened(coarse, bits) == value {
        return f64::from(coarse) / 127.0;
    }
    let (middle, most) = (1u32 << (bits - 1), u32::MAX >> (32 - bits));
    match value.checked_sub(middle) {
        Some(above) => (64.0 + 63.0 * f64::from(above) / f64::from(most - middle)) / 127.0,
        None => 64.0 * f64::from(value) / f64::from(middle) / 127.0,
    }
}

/// A 7-bit value with `bits` bits [M2-115-U, "min-center-max"].
const fn widened(coarse: u32, bits: u32) -> u32 {
    let shift = bits - 7;
    let mut wide = coarse << shift;
    if coarse > 64 {
        let low = coarse & 0x3F;
        let mut repeated = if shift > 6 { low << (shift - 6) } else { low >> (6 - shift) };
        while repeated > 0 {
            wide |= repeated;
            repeated >>= 6;
        }
    }
    wide
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::midi_file::Score;
    use crate::host::midi_file::tests::open;

    fn clip(words: &[u32]) -> Vec<u8> {
        let begin = [0x0030_0060, 0x0040_0000, 0xF020_0000, 0, 0, 0];
        let end = [0x0040_0000, 0xF021_0000, 0, 0, 0];
        let words = [&begin[..], words, &end].concat();
        [MAGIC, &words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<_>>()].concat()
    }

    fn read(words: &[u32]) -> Score {
        open("x.midi2", &clip(words)).unwrap()
    }

    #[test]
    fn notes_have_sixteen_bits_and_times_follow_the_tempo() {
        // A second per quarter note from tick 0, a note of half a quarter, and another a quarter later.
        let score = read(&[
            0xD010_0000,
            100_000_000,
            0,
            0,
            0x4090_3C00,
            0xA000_0000,
            0x0040_0030,
            0x4080_3C00,
            0x8000_0000,
            0x0040_0060,
            0x2090_4040,
        ]);
        assert!(score.warnings.is_empty(), "{:?}", score.warnings);
        let times: Vec<u64> =
            score.events.iter().map(|(time, _)| score.sample(*time, 1000)).collect();
        assert_eq!(times, [0, 500, 1500]);
        let InputMessage::NoteOn { velocity, .. } = score.events[0].1 else { panic!() };
        assert!((127.0 * velocity - (64.0 + 63.0 * 8192.0 / 32_767.0)).abs() < 1e-9);
        let off = InputMessage::NoteOff { to: Address::note(0, 60), velocity: 64.0 / 127.0 };
        assert_eq!(score.events[1].1, off);
        let on = InputMessage::NoteOn { channel: 0, note: 64, id: None, velocity: 64.0 / 127.0 };
        assert_eq!(score.events[2].1, on);
    }

    #[test]
    fn values_of_midi_1_are_found_again() {
        for coarse in 0..128 {
            for bits in [16, 32] {
                assert_eq!(share(widened(coarse, bits), bits), f64::from(coarse) / 127.0);
            }
        }
        assert_eq!((widened(127, 16), widened(127, 32)), (0xFFFF, 0xFFFF_FFFF));
        let mut last = -1.0;
        for value in (0..=0xFFFF).step_by(77) {
            let share = share(value, 16);
            assert!(share > last && share <= 1.0, "{value}");
            last = share;
        }
    }

    #[test]
    fn pitches_pedals_programs_and_system_messages_are_read() {
        let controller = |number, value| InputMessage::Controller { channel: 0, number, value };
        let score = read(&[
            // Half pedal; bend range of notes 12.5; a note a quarter tone up, bent by half the range.
            0x40B0_4000,
            0x6000_0000,
            0x4020_0007,
            12 << 25 | 50 << 18,
            0x4090_3C03,
            0x8000_0000 | 60 << 9 | 256,
            0x4060_3C00,
            0xC000_0000,
            0x4000_3C03,
            61 << 25,
            0x40F0_3C01,
            0,
            0x0040_0010,
            0x4090_3C00,
            0,
            // Bend range of the channel by a registered controller.
            0x4020_0000,
            12 << 25,
        ]);
        let messages: Vec<InputMessage> =
            score.events.iter().map(|(_, message)| *message).collect();
        assert_eq!(messages[0], controller(64, 48.0 / 127.0));
        for (message, expected) in messages[2..5].iter().zip([0.5, 6.75, 7.25]) {
            let InputMessage::Tuning { to, semitones } = message else { panic!("{message:?}") };
            assert!(
                *to == Address::note(0, 60) && (semitones - expected).abs() < 1e-8,
                "{semitones}"
            );
        }
        let softest =
            InputMessage::NoteOn { channel: 0, note: 60, id: None, velocity: 1.0 / 127.0 };
        assert_eq!(messages[5], softest);
        let entered = [(101, 0.0), (100, 0.0), (6, 12.0 / 127.0), (38, 0.0)];
        assert_eq!(messages[6..], entered.map(|(number, value)| controller(number, value)));
        // Strings in group 2, drums by their bank, and a master volume in two packets.
        let score = read(&[
            0x41C0_0000,
            0x3000_0000,
            0x4190_2800,
            0x8000_0000,
            0x40C1_0001,
            0x0000_7800,
            0x4091_2600,
            0x8000_0000,
            0x3016_7F7F,
            0x0401_0040,
            0x3030_0000,
            0,
            0x4090_3C00,
            0x8000_0000,
        ]);
        let notes =
            |message: &&(u128, InputMessage)| matches!(message.1, InputMessage::NoteOn { .. });
        assert_eq!(score.events.iter().filter(notes).count(), 1);
        assert!(
            score.warnings[0].contains("1 note of ensemble on channel 1 of port 2"),
            "{:?}",
            score.warnings
        );
        assert!(matches!(score.events[0].1, InputMessage::Master(_)));
    }

    #[test]
    fn cut_and_foreign_clips_are_read_as_far_as_they_go() {
        let whole = clip(&[0x4090_3C00, 0x8000_0000]);
        let cut = open("x", &whole[..whole.len() - 20]).unwrap();
        assert_eq!((cut.events.len(), cut.warnings.len()), (1, 1));
        // A note with an unknown attribute, reserved packets, no division.
        let words = [0xB000_0000u32, 1, 2, 0x4090_3C77, 0x8000_0000];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        let score = open("x", &[MAGIC, &bytes].concat()).unwrap();
        assert_eq!(score.events.len(), 1);
        assert!(score.warnings[0].contains("96 ticks"));
        let error = Score::read("x", MAGIC).unwrap_err().to_string();
        assert_eq!(error, "x: holds no note");
        for length in 0..whole.len() {
            let _ = Score::read("x", &whole[..length]);
        }
    }
}
