//! The presses that are held: their release, the end of a channel's notes, and of every sound.

use super::{Address, CHANNELS, Event, Midi, NOTES, index, is_for_all_notes, transposed};
use touchback_core::math::cast::byte;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::key_set::KeySet;

impl Midi {
    /// Releases what `to` addresses: a press, or the notes of a channel or of all.
    pub(super) fn release(&mut self, to: Address, velocity: f64, out: &mut impl FnMut(Event)) {
        if let Some(channel) = to.channel {
            self.prefixes[index(channel)] = None;
        }
        if is_for_all_notes(to) {
            match to.channel {
                Some(channel) => self.end_channel(index(channel), out),
                None => {
                    self.held = [[0; CHANNELS]; NOTES];
                    out(Event::AllNotesOff);
                }
            }
            return;
        }
        let Some(slot) = self.note(to) else { return };
        let held = &mut self.held[slot];
        // Without a channel any held press is released; with one, only that channel's.
        let own = to.channel.map(index).filter(|c| held[*c] > 0);
        let Some(channel) = own
            .or_else(|| to.channel.is_none().then(|| held.iter().position(|n| *n > 0)).flatten())
        else {
            return;
        };
        held[channel] -= 1;
        if let Some(key) = self.keys[slot][channel] {
            // A release without a valid velocity still releases; 0 means "not measured".
            let velocity = if velocity.is_finite() { velocity.clamp(0.0, 1.0) } else { 0.0 };
            out(Event::NoteOff { key, velocity });
        }
    }

    /// Ends every note that `channel` holds.
    pub(super) fn end_channel(&mut self, channel: usize, out: &mut impl FnMut(Event)) {
        if !self.others_hold(channel) {
            self.held = [[0; CHANNELS]; NOTES];
            return out(Event::AllNotesOff);
        }
        for (held, keys) in self.held.iter_mut().zip(&self.keys) {
            for _ in 0..std::mem::take(&mut held[channel]) {
                if let Some(key) = keys[channel] {
                    out(Event::NoteOff { key, velocity: 0.0 });
                }
            }
        }
    }

    /// Whether another channel holds a note.
    fn others_hold(&self, channel: usize) -> bool {
        let others = |held: &[u16; CHANNELS]| {
            held.iter().enumerate().any(|(c, count)| c != channel && *count > 0)
        };
        self.held.iter().any(others)
    }

    /// Ends every sound at once; where other channels hold notes, only the notes that `channel` holds.
    pub(super) fn choke_all(&mut self, channel: Option<u8>, out: &mut impl FnMut(Event)) {
        let Some(channel) = channel.map(index).filter(|c| self.others_hold(*c)) else {
            return self.end_all_sound(out);
        };
        for slot in 0..NOTES {
            if self.held[slot][channel] > 0
                && let Some(key) = self.keys[slot][channel]
            {
                self.lift(slot, key);
                out(Event::Choke(key));
            }
        }
    }

    /// Ends the presses of `key` as the note `slot`.
    pub(super) fn lift(&mut self, slot: usize, key: KeyNumber) {
        for (held, own) in self.held[slot].iter_mut().zip(self.keys[slot]) {
            if own == Some(key) {
                *held = 0;
            }
        }
    }

    pub(super) fn end_all_sound(&mut self, out: &mut impl FnMut(Event)) {
        self.held = [[0; CHANNELS]; NOTES];
        out(Event::AllSoundOff);
    }

    /// Keys of the notes that `channel` holds.
    pub(super) fn held_by(&self, channel: u8) -> KeySet {
        let mut keys = KeySet::EMPTY;
        for (held, own) in self.held.iter().zip(&self.keys) {
            if held[index(channel)] > 0 {
                own[index(channel)].into_iter().for_each(|key| keys.insert(key));
            }
        }
        keys
    }

    fn is_held(&self, slot: usize) -> bool {
        self.held[slot].iter().any(|n| *n > 0)
    }

    /// The note of `to`: by number, or the held note of its id.
    pub(super) fn note(&self, to: Address) -> Option<usize> {
        match (to.note, to.id) {
            (Some(note), _) => Some(usize::from(note) % NOTES),
            (None, Some(id)) => {
                (0..NOTES).find(|slot| self.ids[*slot] == Some(id) && self.is_held(*slot))
            }
            (None, None) => None,
        }
    }

    /// The note of `to` and its key: that of the press held by its channel, or else by any, or that of a press
    /// at present.
    pub(super) fn find(&self, to: Address, transpose: f64) -> Option<(usize, KeyNumber)> {
        let slot = self.note(to)?;
        let holds = |channel: &usize| self.held[slot][*channel] > 0;
        let own = to.channel.map(index);
        let channel = own.filter(holds).or_else(|| (0..CHANNELS).find(holds));
        let coarse = own.map_or(0.0, |channel| self.setup.coarse[channel]);
        let held = channel.and_then(|channel| self.keys[slot][channel]);
        let moved = transpose + coarse + self.standing.coarse;
        held.or_else(|| transposed(byte(slot), moved)).map(|key| (slot, key))
    }
}
