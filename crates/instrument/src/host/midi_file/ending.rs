//! Where the music of a score begins and ends.

use super::{Score, releases};
use crate::host::midi::controller::{ALL_NOTES_OFF, ALL_SOUND_OFF, POLY_MODE, RESET, VOLUME};
use crate::host::midi::{Address, InputMessage, Pedal};

/// Longest time after the last note in which a pedal or controller is heard, s. Chosen: the lowest strings ring for
/// about as long under the pedal, down to −80 dBFS.
const RING: f64 = 60.0;

/// Least and longest time that a note without a note-off is held: from its note-on, and after the last event, s. Chosen:
/// a slow beat, so that a last chord sounds in a file that ends with it; and the longest tail of a rendering.
const HELD: f64 = 1.0;
const LONGEST_HELD: f64 = 20.0;

/// Presses and pedals of all channels while a score is followed.
struct Sounding {
    /// Presses of each note by channel.
    held: [[u32; 128]; 16],
    /// Sum of `held`.
    presses: u32,
    pedals: [[f64; 16]; 3],
    /// Pressures of the keys, which may be their positions.
    pressures: [[f64; 128]; 16],
}

impl Sounding {
    const fn new() -> Self {
        Self {
            held: [[0; 128]; 16],
            presses: 0,
            pedals: [[0.0; 16]; 3],
            pressures: [[0.0; 128]; 16],
        }
    }

    const fn held(&mut self, channel: u8, note: u8) -> &mut u32 {
        &mut self.held[(channel % 16) as usize][(note % 128) as usize]
    }

    /// Whether notes are held or pedals are down.
    fn is_any(&self) -> bool {
        self.presses > 0 || self.pedals.iter().flatten().any(|travel| *travel > 0.0)
    }

    /// Follows `message`: whether it is of a note, and whether it can be heard.
    fn follow(&mut self, message: &InputMessage) -> (bool, bool) {
        match *message {
            InputMessage::NoteOn { channel, note, velocity, .. } if velocity > 0.0 => {
                *self.held(channel, note) += 1;
                self.presses += 1;
                (true, true)
            }
            InputMessage::NoteOn { channel, note, .. }
            | InputMessage::NoteOff {
                to: Address { channel: Some(channel), note: Some(note), .. },
                ..
            } => {
                let held = self.held(channel, note);
                let was_held = *held > 0;
                *held -= u32::from(was_held);
                self.presses -= u32::from(was_held);
                (was_held, was_held)
            }
            InputMessage::Pressure {
                to: Address { channel: Some(channel), note: Some(note), .. },
                value,
            } => {
                let own = usize::from(channel % 16);
                let pressure = &mut self.pressures[own][usize::from(note % 128)];
                let is_moved = std::mem::replace(pressure, value) != value;
                (is_moved, is_moved)
            }
            InputMessage::Controller { channel, number, value } => {
                let pedal = Pedal::ALL.into_iter().find(|pedal| pedal.controller() == number);
                if let Some(pedal) = pedal {
                    let travel = &mut self.pedals[pedal as usize][usize::from(channel % 16)];
                    return (false, std::mem::replace(travel, value) != value);
                }
                let was_any = self.is_any();
                if number == ALL_SOUND_OFF {
                    (self.held, self.presses) = ([[0; 128]; 16], 0);
                } else if matches!(number, ALL_NOTES_OFF..=POLY_MODE) && self.presses > 0 {
                    let own = &mut self.held[usize::from(channel % 16)];
                    self.presses -= own.iter().sum::<u32>();
                    own.fill(0);
                } else if number == RESET {
                    self.pedals.iter_mut().for_each(|all| all[usize::from(channel % 16)] = 0.0);
                }
                (false, was_any)
            }
            _ => (false, self.is_any()),
        }
    }
}

impl Score {
    /// Removes the events after the last one that can be heard: those after which nothing sounds, and pedals and
    /// controllers long after the last note. Returns a line where this makes the score much shorter.
    pub(super) fn end_with_music(&mut self) -> Option<String> {
        let ring = self.units(RING);
        let (mut sounding, mut last_note, mut end) = (Sounding::new(), 0, 0);
        for (index, (time, message)) in self.events.iter().enumerate() {
            let (is_note, is_heard) = sounding.follow(message);
            if is_note {
                last_note = *time;
            }
            if is_heard && time.saturating_sub(last_note) <= ring {
                end = index + 1;
            }
        }
        let kept = end.checked_sub(1).map(|last| self.events[last].0)?;
        let last = self.events.last()?.0;
        let end = self.events.partition_point(|(time, _)| *time <= kept);
        let after = self.events.len() - end;
        self.events.truncate(end);
        let seconds = (last - kept) as f64 / self.per_second as f64;
        (seconds > RING).then(|| {
            format!(
                "events after the end of the music left out: {after}, up to {seconds:.0} s later"
            )
        })
    }

    /// Ends the notes that nothing ends, at the time `end` of the end of the file; returns their number.
    pub(super) fn end_notes(&mut self, end: u128) -> usize {
        let last = self.events.last().map_or(0, |(time, _)| *time);
        let end = end.clamp(last, last + self.units(LONGEST_HELD));
        let least = self.units(HELD);
        releases::end(&mut self.events, end, least)
    }

    /// Lets the music begin with its first note; what stands before it is at its time. Returns the seconds removed.
    pub fn trim(&mut self) -> f64 {
        let begins = |(_, message): &&(u128, InputMessage)| {
            matches!(message, InputMessage::NoteOn { .. } | InputMessage::Pressure { .. })
        };
        let first = self.events.iter().find(begins).map_or(0, |(time, _)| *time);
        self.events.iter_mut().for_each(|(time, _)| *time = time.saturating_sub(first));
        first as f64 / self.per_second as f64
    }

    /// Lets the channel volume be 100 at the beginning, as General MIDI 1 has it; without this it is full.
    pub fn set_default_volume(&mut self) {
        let value = 100.0 / 127.0;
        let volume = InputMessage::Controller { channel: 0, number: VOLUME, value };
        self.events.insert(0, (0, volume));
    }
}
