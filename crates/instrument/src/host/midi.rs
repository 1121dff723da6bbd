//! From MIDI and host messages to events of a piano.
//!
//! All channels play the one piano. Presses are counted per channel and note, so that the key rises
//! with the last of them and a message for all notes of a channel ends that channel's own. Each
//! pedal is at the largest value of all channels; volume, expression, pan and pitch bend are those
//! of the last message on any channel. Under MPE, bend and pressure of a finger's channel are those
//! of its note.
//!
//! | message | meaning | source |
//! | --- | --- | --- |
//! | note-on, velocity 0 | note-off of unknown velocity | MIDI 1.0 |
//! | CC 64, 66, 67 | sustain (in the polarity set), sostenuto, una corda | MIDI 1.0 |
//! | CC 7, 11, 10 | volume, expression, balance | MIDI 1.0 |
//! | CC 88 | finer part of the next velocity: velocity + value/128 | CA-031 |
//! | CC 16 | the same, unless it follows key pressure or CC 81, whose finer part it then is | Disklavier XP |
//! | CC 64 on channel 3 | where channel 3 sends half pedals and no notes, goes before the switches of channels 1 and 2 | Disklavier |
//! | pedal of the host | its travel itself; what channels have sent before counts no more | – |
//! | MTS, master volume and tuning (SysEx) | see [`system`] | CA-020, CA-021, CA-025 |
//! | RPN 0, 1, 2, 6 | bend range, fine and coarse tuning of the channel, fingers of its MPE zone | MIDI 1.0, MPE 1.0 |
//! | channel pressure | under MPE the pressure of its note, otherwise nothing | MPE 1.0 |
//! | CC 120 | every sound ends at once | MIDI 1.0 |
//! | CC 121 | pedals up, bend 0, expression full | RP-015 |
//! | CC 123–127 | the channel's notes end | MIDI 1.0 |

pub mod controller;
mod half_pedal;
mod held;
mod message;
mod mpe;
mod rpn;
pub mod system;
#[cfg(test)]
mod tests;

use crate::settings::{KeyPressure, MidiSettings, Polarity, Switch};
use crate::{Event, Settings};
use touchback_core::math::cast::{byte, floor_index, rounded_i32};
use touchback_core::math::compass::KeyNumber;

use controller::{
    ALL_NOTES_OFF, ALL_SOUND_OFF, EXPRESSION, FINE_VELOCITY, KEY_SENSOR, PAN, POLY_MODE, RESET,
    SOSTENUTO, SUSTAIN, UNA_CORDA, VELOCITY_PREFIX, VOLUME,
};
use half_pedal::HalfPedal;
pub use message::{Address, InputMessage, Master, Pedal, bend};
use message::{EXACT, exact, is_finite, pan};
use mpe::Fingers;
use rpn::{Entered, Setup};
use system::Standing;

/// The nearest of 0…127 to a `value` of 0…1.
#[must_use]
pub fn seven_bits(value: f64) -> u8 {
    byte(floor_index((127.0 * value).round().clamp(0.0, 127.0)))
}

/// Steps of controller 88 within one step of velocity.
const PARTS: f64 = 128.0;

/// The velocity of a note-on (0…1) as the nearest 7 bits (1…127: 0 would be a note-off) and finer part,
/// 0…127, for controller 88, which a sender omits where it is 0.
#[must_use]
pub fn split_velocity(velocity: f64) -> (u8, u8) {
    let steps = (127.0 * PARTS * velocity).round();
    let steps = floor_index(steps.clamp(PARTS, 127.0 * PARTS));
    (byte(steps / 128), byte(steps % 128))
}

const CHANNELS: usize = 16;
const NOTES: usize = 128;
/// Settings that messages are interpreted with.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reading {
    /// Transposition of notes, semitones.
    pub transpose: f64,
    /// Direction of the sustain pedal's values.
    pub polarity: Polarity,
    /// Whether channels 2 to 16 are fingers (MPE).
    pub mpe: bool,
    /// Range of the bend, semitones.
    pub bend_range: f64,
    /// Range of a finger's bend, semitones.
    pub mpe_bend_range: f64,
    /// Whether registered parameters take effect.
    pub rpn: bool,
    /// Whether the pressure of a channel that is no finger acts on the keys that it holds.
    pub aftertouch: bool,
}

impl From<&Settings> for Reading {
    fn from(settings: &Settings) -> Self {
        let MidiSettings { transpose, mpe, bend_range, mpe_bend_range, rpn, .. } = settings.midi;
        let [mpe, rpn] = [mpe, rpn].map(|switch| switch == Switch::On);
        let polarity = settings.pedals.pedal_polarity;
        let aftertouch = settings.touch.key_pressure == KeyPressure::Force;
        Self { transpose, polarity, mpe, bend_range, mpe_bend_range, rpn, aftertouch }
    }
}

/// Numbers of ignored messages by reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ignored {
    /// Note-ons outside A0 to C8, after transposition.
    pub outside: u64,
    /// Messages whose value is not finite.
    pub invalid: u64,
    /// Expressions that a piano does not support.
    pub foreign: u64,
}

/// Translates messages to events; keeps held notes and every channel's pedals.
#[derive(Clone, Debug)]
pub struct Midi {
    /// Presses of each note by channel.
    held: [[u16; CHANNELS]; NOTES],
    /// Key of each held note by channel: a new transposition does not change it.
    keys: [[Option<KeyNumber>; CHANNELS]; NOTES],
    /// Host's id of the last press of each note.
    ids: [Option<i32>; NOTES],
    /// Sustain, sostenuto and una corda of each channel, in the order of [`Pedal::ALL`].
    pedals: [[f64; CHANNELS]; 3],
    half_pedal: HalfPedal,
    /// Finer part of the next velocity of each channel, 0…127.
    prefixes: [Option<f64>; CHANNELS],
    /// Whether the next CC 16 of each channel belongs to a key sensor.
    sensors: [bool; CHANNELS],
    /// The last key pressure of each channel, whose finer part the next CC 16 may be.
    pressures: [Option<(Address, f64)>; CHANNELS],
    setup: Setup,
    standing: Standing,
    /// Fingers with channels of their own.
    fingers: Fingers,
    ignored: Ignored,
}

impl Default for Midi {
    fn default() -> Self {
        Self {
            held: [[0; CHANNELS]; NOTES],
            keys: [[None; CHANNELS]; NOTES],
            ids: [None; NOTES],
            pedals: [[0.0; CHANNELS]; 3],
            half_pedal: HalfPedal::default(),
            prefixes: [None; CHANNELS],
            sensors: [false; CHANNELS],
            pressures: [None; CHANNELS],
            setup: Setup::default(),
            standing: Standing::default(),
            fingers: Fingers::default(),
            ignored: Ignored::default(),
        }
    }
}

impl Midi {
    /// Forgets notes, pedals and prefixes; the counts continue, and what channels have sent about themselves
    /// (bend range, tuning, MPE zones) stays: keyboards send it once.
    pub fn reset(&mut self) {
        self.fingers.reset();
        self.standing.reset();
        (self.setup.sent_range, self.setup.bender) = (None, None);
        *self = Self {
            ignored: self.ignored,
            setup: self.setup.clone(),
            standing: self.standing.clone(),
            fingers: self.fingers.clone(),
            ..Self::default()
        };
    }

    /// Messages ignored so far.
    #[must_use]
    pub const fn ignored(&self) -> Ignored {
        self.ignored
    }

    /// Calls `out` with the events of `message` under the settings `reading`, in order.
    pub fn translate(
        &mut self,
        message: &InputMessage,
        reading: impl Into<Reading>,
        mut out: impl FnMut(Event),
    ) {
        let Reading { transpose, polarity, mpe, bend_range, mpe_bend_range, rpn, aftertouch } =
            reading.into();
        if !is_finite(message) {
            self.ignored.invalid += 1;
            return;
        }
        if self.fingers.set(mpe, mpe_bend_range, &mut out) {
            self.retune_fingers(&mut out);
        }
        if self.setup.is_obeyed != rpn {
            self.setup.is_obeyed = rpn;
            self.forget_setup(&mut out);
        }
        match exact(message) {
            InputMessage::NoteOn { channel, note, velocity, .. } if velocity <= 0.0 => {
                let to = Address::note(channel, note);
                self.release(to, 0.0, &mut out);
            }
            InputMessage::NoteOn { channel, note, id, velocity } => {
                let velocity = self.finer(channel, velocity);
                let slot = usize::from(note) % NOTES;
                let own = index(channel);
                self.half_pedal.note(own);
                let holds = self.keys[slot][own].filter(|_| self.held[slot][own] > 0);
                let moved = transpose + self.setup.coarse[own] + self.standing.coarse;
                let Some(key) = holds.or_else(|| transposed(note, moved)) else {
                    self.ignored.outside += 1;
                    return;
                };
                self.keys[slot][own] = Some(key);
                self.ids[slot] = id;
                let held = &mut self.held[slot][own];
                *held = held.saturating_add(1);
                out(Event::NoteOn { key, velocity });
                if self.fingers.are_any() {
                    self.fingers.press(key);
                }
                let is_tuned = self.setup.fine[own] != 0.0 || self.standing.is_tuned;
                if self.fingers.are_any() || is_tuned {
                    out(Event::Tune { key, cents: self.cents(channel, slot) });
                }
            }
            InputMessage::NoteOff { to, velocity } => self.release(to, velocity, &mut out),
            InputMessage::Choke(to) if is_for_all_notes(to) => self.choke_all(to.channel, &mut out),
            InputMessage::Choke(to) => {
                if let Some((slot, key)) = self.find(to, transpose) {
                    self.lift(slot, key);
                    out(Event::Choke(key));
                }
            }
            InputMessage::Pressure { to, value } => {
                if let Some(channel) = to.channel {
                    self.sensors[index(channel)] = true;
                    self.pressures[index(channel)] = Some((to, value));
                }
                if let Some((_, key)) = self.find(to, transpose) {
                    out(Event::Pressure { key, depth: value });
                }
            }
            InputMessage::Tuning { to, semitones } if is_for_all_notes(to) => {
                KeyNumber::all().for_each(|key| out(Event::Tune { key, cents: 100.0 * semitones }));
            }
            InputMessage::Tuning { to, semitones } => {
                if let Some((slot, key)) = self.find(to, transpose) {
                    let standing = to
                        .channel
                        .map(index)
                        .map_or(0.0, |own| self.setup.fine[own] + self.standing.cents(own, slot));
                    out(Event::Tune { key, cents: 100.0 * semitones + standing });
                }
            }
            InputMessage::Retune { channels, note, semitones, is_immediate } => {
                let slot = usize::from(note) % NOTES;
                for channel in (0..16u8).filter(|channel| channels >> channel & 1 == 1) {
                    let own = index(channel);
                    self.standing.retune(own, slot, 100.0 * semitones);
                    let sounds = self.held[slot][own] > 0 || self.held[slot] == [0; CHANNELS];
                    if let Some(key) = self.keys[slot][own].filter(|_| is_immediate && sounds) {
                        out(Event::Tune { key, cents: self.cents(channel, slot) });
                    }
                }
            }
            InputMessage::Master(Master::Volume(value)) => {
                out(Event::Volume(self.standing.set_master(value.clamp(0.0, 1.0))));
            }
            InputMessage::Master(Master::Cents(cents)) => {
                self.standing.set_fine(cents);
                (0..16u8).for_each(|channel| self.retune(channel, &mut out));
            }
            InputMessage::Master(Master::Semitones(semitones)) => {
                self.standing.coarse = semitones;
            }
            InputMessage::ChannelPressure { channel, value } => {
                if aftertouch || self.fingers.has(channel) {
                    let press = |key| out(Event::Pressure { key, depth: value });
                    self.held_by(channel).iter().for_each(press);
                }
            }
            InputMessage::Bend { channel, value } => {
                self.bend(channel, value.clamp(-1.0, 1.0), &mut out);
            }
            InputMessage::Controller { channel, number, value } => {
                let value = value.clamp(0.0, 1.0);
                let inverted = polarity == Polarity::Inverted;
                let value = if inverted && number == SUSTAIN { 1.0 - value } else { value };
                match number {
                    FINE_VELOCITY => self.finer_part(channel, value, transpose, &mut out),
                    _ => self.control(channel, number, value, bend_range, &mut out),
                }
            }
            InputMessage::Pedal { pedal, travel } => {
                // The last message wins: what channels have sent before counts no more.
                self.pedals[pedal as usize] = [0.0; CHANNELS];
                out(pedal.event(travel.clamp(0.0, 1.0)));
            }
            InputMessage::Unsupported => self.ignored.foreign += 1,
        }
    }

    /// The finer part of a velocity, or of a key pressure that a Disklavier sends as the key's position.
    fn finer_part(&mut self, channel: u8, value: f64, transpose: f64, out: &mut impl FnMut(Event)) {
        let own = index(channel);
        let part = (127.0 * value).round();
        if !std::mem::take(&mut self.sensors[own]) {
            self.prefixes[own] = Some(part);
        } else if let Some((to, pressure)) = self.pressures[own].take()
            && let Some((_, key)) = self.find(to, transpose)
        {
            let depth = ((127.0 * pressure).round() + part / PARTS) / 127.0;
            out(Event::Pressure { key, depth: depth.min(1.0) });
        }
    }

    fn control(
        &mut self,
        channel: u8,
        number: u8,
        value: f64,
        bend_range: f64,
        out: &mut impl FnMut(Event),
    ) {
        match number {
            VOLUME => out(Event::Volume(self.standing.volume(value))),
            PAN => out(Event::Pan(pan(value))),
            EXPRESSION => out(Event::Expression(value)),
            SUSTAIN => {
                self.half_pedal.moved(index(channel), value);
                out(Event::Sustain(self.pedal(0, channel, value)));
            }
            SOSTENUTO => out(Event::Sostenuto(self.pedal(1, channel, value))),
            UNA_CORDA => out(Event::UnaCorda(self.pedal(2, channel, value))),
            VELOCITY_PREFIX => self.prefixes[index(channel)] = Some((127.0 * value).round()),
            KEY_SENSOR => {
                self.sensors[index(channel)] = true;
                self.pressures[index(channel)] = None;
            }
            ALL_SOUND_OFF => self.end_all_sound(out),
            RESET => {
                self.prefixes[index(channel)] = None;
                self.setup.registered.deselect(index(channel));
                self.half_pedal.forget(index(channel));
                out(Event::Sustain(self.pedal(0, channel, 0.0)));
                out(Event::Sostenuto(self.pedal(1, channel, 0.0)));
                out(Event::UnaCorda(self.pedal(2, channel, 0.0)));
                self.bend(channel, 0.0, out);
                out(Event::Expression(1.0));
            }
            ALL_NOTES_OFF..=POLY_MODE => self.end_channel(index(channel), out),
            _ => self.register(channel, number, seven_bits(value), bend_range, out),
        }
    }

    /// A controller that may select or enter a registered parameter.
    fn register(
        &mut self,
        channel: u8,
        number: u8,
        value: u8,
        bend_range: f64,
        out: &mut impl FnMut(Event),
    ) {
        let own = index(channel);
        if !self.setup.is_obeyed {
            return;
        }
        let plain = self.setup.ranges[own].unwrap_or(bend_range);
        let range = self.fingers.range(channel).unwrap_or(plain);
        match self.setup.registered.control(own, number, value, range) {
            Some(Entered::BendRange(semitones)) if self.fingers.has(channel) => {
                self.fingers.set_range(channel, semitones);
                self.retune_fingers(out);
            }
            Some(Entered::BendRange(semitones)) => {
                self.setup.ranges[own] = Some(semitones);
                if self.setup.bender == Some(own) {
                    self.setup.sent_range = Some(semitones);
                    out(Event::BendRange(Some(semitones)));
                }
            }
            Some(Entered::Fine(cents)) => {
                self.setup.fine[own] = cents;
                self.retune(channel, out);
            }
            Some(Entered::Coarse(semitones)) => self.setup.coarse[own] = semitones,
            Some(Entered::Members(fingers)) => self.fingers.announce(channel, fingers, out),
            None => {}
        }
    }

    /// Sends the detuning of the notes that fingers hold, whose range has changed.
    fn retune_fingers(&self, out: &mut impl FnMut(Event)) {
        for channel in (0..16u8).filter(|channel| self.fingers.has(*channel)) {
            self.retune(channel, out);
        }
    }

    /// Forgets what channels have sent about themselves.
    fn forget_setup(&mut self, out: &mut impl FnMut(Event)) {
        let (fine, is_obeyed) = (self.setup.fine, self.setup.is_obeyed);
        self.setup = Setup { is_obeyed, ..Setup::default() };
        self.fingers.forget_announced(out);
        for channel in (0..16u8).filter(|channel| fine[index(*channel)] != 0.0) {
            self.retune(channel, out);
        }
    }

    /// Detunes the notes that `channel` holds.
    fn retune(&self, channel: u8, out: &mut impl FnMut(Event)) {
        let own = index(channel);
        for slot in (0..NOTES).filter(|slot| self.held[*slot][own] > 0) {
            if let Some(key) = self.keys[slot][own] {
                out(Event::Tune { key, cents: self.cents(channel, slot) });
            }
        }
    }

    /// Detuning of the note `slot` on `channel`, cents.
    fn cents(&self, channel: u8, slot: usize) -> f64 {
        let own = index(channel);
        let finger = self.fingers.cents(channel).unwrap_or(0.0);
        finger + self.setup.fine[own] + self.standing.cents(own, slot)
    }

    /// `channel` bends by `value`, −1…1: a finger bends its own notes, any other channel all notes.
    fn bend(&mut self, channel: u8, value: f64, out: &mut impl FnMut(Event)) {
        if self.fingers.has(channel) {
            self.fingers.bend(channel, value);
            self.retune(channel, out);
            return;
        }
        let range = self.setup.ranges[index(channel)];
        self.setup.bender = Some(index(channel));
        if self.setup.sent_range != range {
            self.setup.sent_range = range;
            out(Event::BendRange(range));
        }
        out(Event::Bend(value));
    }

    /// Value of pedal `which` (sustain, sostenuto, una corda) after `channel` has sent `value`: the
    /// largest of all channels that count.
    fn pedal(&mut self, which: usize, channel: u8, value: f64) -> f64 {
        self.pedals[which][index(channel)] = value;
        let pedals = self.pedals[which].iter().enumerate();
        let counting = pedals.filter(|(channel, _)| which > 0 || self.half_pedal.counts(*channel));
        counting.fold(0.0, |deepest, (_, pedal)| deepest.max(*pedal))
    }

    /// `velocity` with the finer part of the CC 88 before it. A velocity between MIDI's 127 steps has
    /// its finer part already.
    fn finer(&mut self, channel: u8, velocity: f64) -> f64 {
        let prefix = self.prefixes[index(channel)].take();
        let coarse = 127.0 * velocity;
        match prefix {
            Some(part) if (coarse - coarse.round()).abs() < EXACT => {
                ((coarse.round() + part / 128.0) / 127.0).min(1.0)
            }
            _ => velocity.min(1.0),
        }
    }
}

/// Whether a message addresses every note, of its channel or of all channels.
const fn is_for_all_notes(to: Address) -> bool {
    to.note.is_none() && to.id.is_none()
}

fn index(channel: u8) -> usize {
    usize::from(channel) % CHANNELS
}

/// The key of `note` transposed by `transpose` semitones.
fn transposed(note: u8, transpose: f64) -> Option<KeyNumber> {
    let moved = i32::from(note) + rounded_i32(transpose);
    u8::try_from(moved).ok().and_then(KeyNumber::from_midi)
}
