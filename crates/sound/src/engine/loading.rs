//! Applies changed settings to the strings without clicks: note by note, sounding notes first, a bounded
//! number of partials a block. In silence a block loads eight times as many: it has nothing else to do. Notes
//! that were to be loaded when a sound began from silence are loaded as a whole when they begin to sound.

use crate::SoundSettings;
use crate::strings::bank::BLOCK;
use crate::strings::note::Note;
use crate::strings::unison::Unison;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::key_set::KeySet;

/// Partials loaded in a second while changed settings are applied: 16 a block at 48 kHz.
pub(super) const PARTIALS_A_SECOND: f64 = 12_000.0;

/// In silence as many times more: 70 ms for all notes, at a fifth of the time (chosen).
pub(super) const SILENT: usize = 8;

/// The note being loaded.
#[derive(Clone, Copy, Debug)]
struct Present {
    key: KeyNumber,
    /// Its new modes.
    unison: Unison,
    /// Its next partial.
    partial: usize,
}

/// Progress of changed settings through the notes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loading {
    /// Notes still to be loaded.
    pending: KeySet,
    /// Notes, pending or being loaded, that are loaded as a whole when they begin to sound.
    at_once: KeySet,
    present: Option<Present>,
}

/// Partials loaded in each block, so that loading takes as long at every sample rate.
pub(super) fn partials_a_block(sample_rate: f64) -> usize {
    floor_index((PARTIALS_A_SECOND * BLOCK as f64 / sample_rate).round()).max(1)
}

impl Loading {
    /// No note is to be loaded.
    pub(super) const NONE: Self =
        Self { pending: KeySet::EMPTY, at_once: KeySet::EMPTY, present: None };

    /// All notes are to be loaded.
    pub(super) const fn begin(&mut self) {
        (self.pending, self.present) = (KeySet::ALL, None);
    }

    /// The note of `key` is to be loaded too.
    pub(super) fn add(&mut self, key: KeyNumber) {
        self.pending.insert(key);
        self.leave(key);
    }

    /// The note of `key` is not loaded further for now.
    fn leave(&mut self, key: KeyNumber) {
        self.present = self.present.filter(|present| present.key != key);
    }

    /// The note being loaded is to be loaded from the beginning.
    fn return_present(&mut self) {
        if let Some(present) = self.present.take() {
            self.pending.insert(present.key);
        }
    }

    /// Loads all that is still to be loaded of `notes`, by key.
    pub(super) fn finish(mut self, notes: &mut [Note], settings: &SoundSettings) {
        self.return_present();
        self.pending.iter().for_each(|key| notes[key.index()].load(settings));
    }

    /// Notes that are still to be loaded will be loaded as a whole when they begin to sound.
    pub(super) fn load_on_waking(&mut self) {
        self.return_present();
        self.at_once = self.at_once.union(self.pending);
    }

    /// Loads the note of `key`, which begins to sound, if it was to be loaded before.
    pub(super) fn load_waking(
        &mut self,
        key: KeyNumber,
        notes: &mut [Note],
        settings: &SoundSettings,
    ) {
        if self.at_once.remove(key) {
            self.pending.remove(key);
            self.leave(key);
            notes[key.index()].load(settings);
        }
    }

    /// The note to be loaded next.
    fn next(&mut self, notes: &[Note], settings: &SoundSettings) -> Option<Present> {
        let is_sounding = |key: &KeyNumber| notes[key.index()].is_awake();
        let sounding = self.pending.iter().find(is_sounding);
        let key = sounding.or_else(|| self.pending.iter().next())?;
        self.pending.remove(key);
        Some(Present { key, unison: Unison::new(key, settings), partial: 1 })
    }

    /// Loads the next `budget` partials of `notes`. Returns whether all notes are loaded.
    pub(super) fn advance(
        &mut self,
        notes: &mut [Note],
        settings: &SoundSettings,
        mut budget: usize,
    ) -> bool {
        while budget > 0 {
            let Some(mut present) = self.present.take().or_else(|| self.next(notes, settings))
            else {
                return true;
            };
            let note = &mut notes[present.key.index()];
            // At low sample rates the highest keys have no partials.
            if present.partial <= note.partials() {
                note.load_partial(&present.unison, settings, present.partial);
                present.partial += 1;
                budget -= 1;
            }
            if present.partial > note.partials() {
                note.finish_load(&present.unison);
                self.at_once.remove(present.key);
            } else {
                self.present = Some(present);
            }
        }
        false
    }
}
