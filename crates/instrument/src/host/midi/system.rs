//! Universal system exclusive messages that a piano obeys: the MIDI Tuning Standard, master volume and tuning.
//!
//! [MIDI 1.0, CA-020, CA-021, CA-025]. A message becomes [`InputMessage::Retune`] for each note, or
//! [`InputMessage::Master`]. A tuning is relative to the piano's own: a note at its place in equal temperament keeps
//! the stretch and temperament of its key. A channel that has selected no tuning program (registered parameters 3
//! and 4) follows every program.

use super::controller::{DATA, PARAMETER};
use super::{CHANNELS, InputMessage, NOTES, index};
use crate::host::midi::message::Master;

/// First byte of messages that take effect on sounding notes, and of others.
const REAL_TIME: u8 = 0x7F;
const NOT_REAL_TIME: u8 = 0x7E;

/// Sub-id of the tuning standard and of device control.
const TUNING: u8 = 8;
const DEVICE: u8 = 4;

/// Length of a tuning's name, bytes.
const NAME: usize = 16;

/// Registered parameters that select a tuning: program and bank.
const SELECTING: [[u8; 2]; 2] = [[3, 0], [4, 0]];

/// Most tuning programs that a file can keep.
const MOST_PROGRAMS: usize = 128;

/// Number of a tuning: bank and program.
type Number = [u8; 2];

/// Detuning of each note, semitones.
type Detunings = [f32; NOTES];

/// The new channel of each of the sixteen channels of a port, as bits.
pub type ChannelMap = [u16; CHANNELS];

/// Every channel as itself.
pub const OWN_CHANNELS: ChannelMap = {
    let (mut map, mut channel) = ([0; CHANNELS], 0);
    while channel < CHANNELS {
        map[channel] = 1 << channel;
        channel += 1;
    }
    map
};

/// The tunings that messages have set, and the channels' selections. It allocates when it is created only.
#[derive(Clone, Debug)]
pub struct Tunings {
    programs: Vec<(Number, Detunings)>,
    /// Most programs that are kept.
    most: usize,
    /// Bank and program of each channel, once one is selected.
    selected: [Option<Number>; CHANNELS],
    /// Registered parameter that each channel enters.
    parameters: [[u8; 2]; CHANNELS],
}

impl Default for Tunings {
    fn default() -> Self {
        Self::with_programs(MOST_PROGRAMS)
    }
}

impl Tunings {
    /// Keeps up to `most` programs, at least one. Allocates.
    #[must_use]
    pub fn with_programs(most: usize) -> Self {
        let most = most.max(1);
        Self {
            programs: Vec::with_capacity(most),
            most,
            selected: [None; CHANNELS],
            parameters: [[0x7F; 2]; CHANNELS],
        }
    }
}

/// Whether a message, without its first byte F0, may be one that [`Tunings::system_exclusive`] obeys.
#[must_use]
pub fn is_obeyed(data: &[u8]) -> bool {
    matches!(*data, [REAL_TIME | NOT_REAL_TIME, _, TUNING | DEVICE, ..])
}

impl Tunings {
    /// Follows the message `data` (without F0; a final F7 may be missing), whose channels are those of `channels`.
    /// Calls `out` with what the piano does. Returns whether the message is one that a piano obeys.
    pub fn system_exclusive(
        &mut self,
        data: &[u8],
        channels: &ChannelMap,
        mut out: impl FnMut(InputMessage),
    ) -> bool {
        let data = data.strip_suffix(&[0xF7]).unwrap_or(data);
        let [kind @ (REAL_TIME | NOT_REAL_TIME), _, sub @ (TUNING | DEVICE), what, ref rest @ ..] =
            *data
        else {
            return false;
        };
        if sub == DEVICE {
            let master = master(what, rest).filter(|_| kind == REAL_TIME);
            master.into_iter().for_each(|master| out(InputMessage::Master(master)));
            return master.is_some();
        }
        let is_immediate = kind == REAL_TIME;
        let all = channels.iter().fold(0, |all, channel| all | channel);
        match (what, rest) {
            (1, [program, rest @ ..]) => self.dump([0, *program], rest, all, &mut out),
            (4, [bank, program, rest @ ..]) => self.dump([*bank, *program], rest, all, &mut out),
            (5 | 6, [bank, program, rest @ ..]) => {
                let octave = rest.get(NAME..).and_then(|rest| octave(rest, what == 6));
                let Some(octave) = octave else { return false };
                let tuning = std::array::from_fn(|note| octave[note % 12]);
                self.set([*bank, *program], |now| *now = tuning);
                self.send(all, [*bank, *program], &tuning, is_immediate, |_| true, &mut out)
            }
            (2, [program, count, rest @ ..]) => {
                self.change([0, *program], *count, rest, all, is_immediate, &mut out)
            }
            (7, [bank, program, count, rest @ ..]) => {
                self.change([*bank, *program], *count, rest, all, is_immediate, &mut out)
            }
            (8 | 9, [high, middle, low, rest @ ..]) => {
                let Some(octave) = octave(rest, what == 9) else { return false };
                let bits = [(low, 0, 7), (middle, 7, 7), (high, 14, 2)];
                let is_named = |channel: usize| {
                    bits.iter().any(|(byte, from, count)| {
                        (*from..from + count).contains(&channel)
                            && *byte >> (channel - from) & 1 == 1
                    })
                };
                let named = (0..CHANNELS).filter(|c| is_named(*c));
                let named = named.fold(0, |named, channel| named | channels[channel]);
                for note in 0..128u8 {
                    let semitones = f64::from(octave[usize::from(note) % 12]);
                    out(InputMessage::Retune { channels: named, note, semitones, is_immediate });
                }
            }
            _ => return false,
        }
        true
    }

    /// Follows a control change, which may select a tuning; `value` is 0…127.
    pub fn control(
        &mut self,
        channel: u8,
        number: u8,
        value: u8,
        mut out: impl FnMut(InputMessage),
    ) {
        let own = index(channel);
        if let Some(part) = PARAMETER.iter().position(|n| *n == number) {
            self.parameters[own][part] = value;
        }
        let selecting = SELECTING.iter().position(|parameter| *parameter == self.parameters[own]);
        let Some(which) = selecting.filter(|_| number == DATA[0]) else { return };
        let mut selected = self.selected[own].unwrap_or_default();
        selected[1 - which] = value;
        self.selected[own] = Some(selected);
        let found = self.programs.iter().find(|(number, _)| *number == selected);
        let tuning = found.map_or([0.0; NOTES], |(_, tuning)| *tuning);
        if !self.programs.is_empty() {
            self.send(1 << own, selected, &tuning, false, |_| true, &mut out);
        }
    }

    /// Sets a whole program by a dump: a name and three bytes for each note.
    fn dump(&mut self, of: Number, rest: &[u8], all: u16, out: &mut impl FnMut(InputMessage)) {
        let pitches = rest.get(NAME..).unwrap_or_default().chunks_exact(3);
        let mut tuning = [0.0; NOTES];
        for (note, (pitch, own)) in (0..128u8).zip(pitches.zip(&mut tuning)) {
            *own = detuning(note, pitch).unwrap_or(0.0);
        }
        self.set(of, |now| *now = tuning);
        self.send(all, of, &tuning, false, |_| true, out);
    }

    /// Changes `count` notes of a program: a key and three bytes for each.
    fn change(
        &mut self,
        of: Number,
        count: u8,
        rest: &[u8],
        all: u16,
        is_immediate: bool,
        out: &mut impl FnMut(InputMessage),
    ) {
        let mut changed = [None; NOTES];
        for change in rest.chunks_exact(4).take(usize::from(count)) {
            let note = change[0] & 0x7F;
            let detuning = detuning(note, &change[1..]);
            changed[usize::from(note)] = detuning.or(changed[usize::from(note)]);
        }
        let mut tuning = [0.0; NOTES];
        self.set(of, |now| {
            for (now, changed) in now.iter_mut().zip(changed) {
                *now = changed.unwrap_or(*now);
            }
            tuning = *now;
        });
        self.send(all, of, &tuning, is_immediate, |note| changed[note].is_some(), out);
    }

    /// Edits the program `of`; beyond the most programs the last one is replaced.
    fn set(&mut self, of: Number, edit: impl FnOnce(&mut Detunings)) {
        let found = self.programs.iter().position(|(number, _)| *number == of);
        let at = found.unwrap_or_else(|| {
            self.programs.truncate(self.most - 1);
            self.programs.push((of, [0.0; NOTES]));
            self.programs.len() - 1
        });
        edit(&mut self.programs[at].1);
    }

    /// Retunes those of the channels `all` that follow the program `of`.
    fn send(
        &self,
        all: u16,
        of: Number,
        tuning: &Detunings,
        is_immediate: bool,
        is_sent: impl Fn(usize) -> bool,
        out: &mut impl FnMut(InputMessage),
    ) {
        let follows = |channel: &usize| {
            all >> channel & 1 == 1 && self.selected[*channel].is_none_or(|number| number == of)
        };
        let channels = (0..CHANNELS).filter(follows).fold(0, |bits, channel| bits | 1 << channel);
        for note in (0..128u8).filter(|note| is_sent(usize::from(*note))) {
            let semitones = f64::from(tuning[usize::from(note)]);
            out(InputMessage::Retune { channels, note, semitones, is_immediate });
        }
    }
}

/// What a message of device control sets.
fn master(what: u8, rest: &[u8]) -> Option<Master> {
    let &[low, high, ..] = rest else { return None };
    let value = f64::from(u16::from(high & 0x7F) << 7 | u16::from(low & 0x7F));
    match what {
        1 => Some(Master::Volume(value / 16_383.0)),
        3 => Some(Master::Cents((value - 8192.0) / 81.92)),
        4 => Some(Master::Semitones(f64::from(high & 0x7F) - 64.0)),
        _ => None,
    }
}

/// Semitones by which the three bytes of a pitch detune `note`; `None` for those that change nothing.
fn detuning(note: u8, pitch: &[u8]) -> Option<f32> {
    let &[semitone, high, low] = pitch else { return None };
    if [semitone, high, low] == [0x7F; 3] {
        return None;
    }
    let part = u16::from(high & 0x7F) << 7 | u16::from(low & 0x7F);
    Some(f32::from(semitone) - f32::from(note) + f32::from(part) / 16_384.0)
}

/// Detuning of the twelve notes of the octave, semitones: of one byte each, a cent a step, or of two.
fn octave(bytes: &[u8], has_two: bool) -> Option<[f32; 12]> {
    let mut octave = [0.0; 12];
    let width = if has_two { 2 } else { 1 };
    let values = bytes.get(..12 * width)?.chunks_exact(width);
    for (semitones, value) in octave.iter_mut().zip(values) {
        *semitones = match *value {
            [cents] => (f32::from(cents) - 64.0) / 100.0,
            [high, low] => {
                let steps = u16::from(high & 0x7F) << 7 | u16::from(low & 0x7F);
                (f32::from(steps) - 8192.0) / 8192.0
            }
            _ => 0.0,
        };
    }
    Some(octave)
}

/// What channels and the master have set: level and tuning that outlast notes.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    /// Detuning of each note by channel, cents.
    cents: [[f32; CHANNELS]; NOTES],
    /// Master tuning, cents and semitones.
    fine: f64,
    pub(super) coarse: f64,
    /// Whether any tuning has been set: presses then are tuned.
    pub(super) is_tuned: bool,
    /// Share of the full level.
    master: f64,
    /// The last channel volume.
    volume: f64,
}

impl Default for Standing {
    fn default() -> Self {
        Self {
            cents: [[0.0; CHANNELS]; NOTES],
            fine: 0.0,
            coarse: 0.0,
            is_tuned: false,
            master: 1.0,
            volume: 1.0,
        }
    }
}

impl Standing {
    /// Detuning of the note `slot` on `channel`, cents.
    pub(super) fn cents(&self, channel: usize, slot: usize) -> f64 {
        f64::from(self.cents[slot][channel]) + self.fine
    }

    pub(super) fn retune(&mut self, channel: usize, slot: usize, cents: f64) {
        self.cents[slot][channel] = touchback_core::math::cast::single(cents);
        self.is_tuned = true;
    }

    pub(super) const fn set_fine(&mut self, cents: f64) {
        self.fine = cents;
        self.is_tuned = true;
    }

    /// Level for the channel volume `value`, 0…1.
    pub(super) const fn volume(&mut self, value: f64) -> f64 {
        self.volume = value;
        value * self.master
    }

    /// Level after the master volume `value`, 0…1.
    pub(super) const fn set_master(&mut self, value: f64) -> f64 {
        self.master = value;
        self.volume * value
    }

    /// Levels as after a reset; tunings stay.
    pub(super) const fn reset(&mut self) {
        (self.master, self.volume) = (1.0, 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Retuned notes as (channels, note, cents rounded to 0.01, whether sounding notes follow).
    fn obeyed(tunings: &mut Tunings, data: &[u8]) -> Vec<(u16, u8, f64, bool)> {
        let mut out = Vec::new();
        tunings.system_exclusive(data, &OWN_CHANNELS, |message| match message {
            InputMessage::Retune { channels, note, semitones, is_immediate } => {
                out.push((channels, note, (1e4 * semitones).round() / 1e2, is_immediate));
            }
            other => panic!("{other:?}"),
        });
        out
    }

    fn with_name(head: &[u8], values: &[u8]) -> Vec<u8> {
        [head, &[b' '; NAME], values, &[0, 0xF7]].concat()
    }

    #[test]
    fn single_notes_are_tuned() {
        let mut tunings = Tunings::default();
        // A4 a quarter tone up, C4 unchanged, C5 on a third of the way to C#5.
        let change = [69, 69, 0x40, 0, 60, 0x7F, 0x7F, 0x7F, 72, 72, 0x2A, 0x55];
        let expected = [(0xFFFF, 69, 50.0), (0xFFFF, 72, 33.33)];
        for (head, is_immediate) in [
            (vec![0x7F, 0x7F, 8, 2, 0, 3], true),
            (vec![0x7F, 0, 8, 7, 0, 0, 3], true),
            (vec![0x7E, 0, 8, 7, 0, 0, 3], false),
        ] {
            let found = obeyed(&mut tunings, &[&head[..], &change, &[0xF7]].concat());
            assert_eq!(found, expected.map(|(c, note, cents)| (c, note, cents, is_immediate)));
        }
        // Fewer changes than declared.
        assert_eq!(
            obeyed(&mut tunings, &[0x7F, 0, 8, 2, 0, 9, 60, 61, 0, 0]),
            [(0xFFFF, 60, 100.0, true)]
        );
    }

    #[test]
    fn octaves_of_one_and_two_bytes_are_tuned_on_their_channels() {
        let mut tunings = Tunings::default();
        let mut cents = [64; 12];
        cents[9] = 114;
        let one = [&[0x7E, 0x7F, 8, 8, 3, 0x7F, 0x7F][..], &cents, &[0xF7]].concat();
        let found = obeyed(&mut tunings, &one);
        assert_eq!(
            (found.len(), found[69], found[60]),
            (128, (0xFFFF, 69, 50.0, false), (0xFFFF, 60, 0.0, false))
        );
        let mut steps = [0x40, 0].repeat(12);
        (steps[0], steps[1]) = (0x20, 0);
        // Channels 1, 8 and 16.
        let two = [&[0x7F, 0x7F, 8, 9, 2, 1, 1][..], &steps].concat();
        assert_eq!(obeyed(&mut tunings, &two)[60], (0x8081, 60, -50.0, true));
        for what in [8, 9] {
            assert!(obeyed(&mut tunings, &[0x7E, 0, 8, what, 3, 127, 127, 64, 64]).is_empty());
        }
    }

    #[test]
    fn dumps_are_programs_that_channels_select() {
        let mut tunings = Tunings::default();
        let pitches: Vec<u8> = (0..128).flat_map(|note| [note, 0x40, 0]).collect();
        for head in [&[0x7E, 0, 8, 1, 5][..], &[0x7E, 0, 8, 4, 0, 5]] {
            let found = obeyed(&mut tunings, &with_name(head, &pitches));
            assert_eq!((found.len(), found[100]), (128, (0xFFFF, 100, 50.0, false)));
        }
        let mut cents = [64; 12];
        cents[0] = 54;
        let found = obeyed(&mut tunings, &with_name(&[0x7E, 0, 8, 5, 1, 2], &cents));
        assert_eq!(found[60], (0xFFFF, 60, -10.0, false));
        let steps = [0x50, 0].repeat(12);
        let found = obeyed(&mut tunings, &with_name(&[0x7E, 0, 8, 6, 1, 3], &steps));
        assert_eq!(found[61], (0xFFFF, 61, 25.0, false));
        // Channel 4 selects program 5 of bank 0; it follows no other program from now on.
        let mut select = |number, value| {
            let mut out = Vec::new();
            tunings.control(3, number, value, |message| out.push(message));
            out
        };
        select(101, 0);
        select(100, 3);
        let sent = select(6, 5);
        assert_eq!(sent.len(), 128);
        assert!(sent.iter().all(|message| matches!(
            message,
            InputMessage::Retune { channels: 8, semitones: 0.5, .. }
        )));
        select(100, 4);
        assert!(matches!(select(6, 1)[60], InputMessage::Retune { semitones: 0.0, .. }));
        select(100, 3);
        assert!(matches!(select(6, 2)[60], InputMessage::Retune { semitones: -0.11..-0.09, .. }));
        let found = obeyed(&mut tunings, &with_name(&[0x7E, 0, 8, 1, 5], &pitches));
        assert_eq!(found[60].0, 0xFFFF - 8);
    }

    #[test]
    fn other_messages_are_not_obeyed() {
        let mut tunings = Tunings::default();
        for data in [
            &[0x7E, 0x7F, 9, 1, 0xF7][..],
            &[0x41, 0x10, 0x42, 0x12, 0x40, 0, 0x7F, 0, 0x41, 0xF7],
            &[0x7E, 0, 8, 0, 5, 0xF7],
            &[0x7E, 0, 8],
            &[],
            &[0x7F, 0x7F, 4, 1, 0],
            &[0x7F, 0x7F, 4, 9, 0, 0],
        ] {
            assert!(
                !tunings.system_exclusive(data, &OWN_CHANNELS, |m| panic!("{m:?}")),
                "{data:?}"
            );
        }
        for length in 0..40 {
            let data = [&[0x7F, 0, 8, 9, 3, 127, 127][..], &vec![0x50; length]].concat();
            tunings.system_exclusive(&data, &OWN_CHANNELS, |_| {});
        }
        let masters = [
            (&[0x7F, 0x7F, 4, 1, 0x7F, 0x7F, 0xF7][..], Master::Volume(1.0)),
            (&[0x7F, 0x7F, 4, 3, 0, 0x60, 0xF7], Master::Cents(50.0)),
            (&[0x7F, 0x7F, 4, 4, 0, 52, 0xF7], Master::Semitones(-12.0)),
        ];
        for (data, expected) in masters {
            let mut sent = Vec::new();
            assert!(tunings.system_exclusive(data, &OWN_CHANNELS, |message| sent.push(message)));
            assert_eq!(sent, [InputMessage::Master(expected)]);
        }
    }
}
