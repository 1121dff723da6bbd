//! Applies changed settings to the strings without clicks: note by note, sounding notes first, a bounded
//! number of partials a block. In silence a block loads eight times as many: it has nothing else to do. Notes
//! that were to be loaded when a sound began from silence are loaded as a whole when they begin to sound.

use super::strings::StringSection;
use crate::bank::BLOCK;
use crate::unison::Unison;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::key_set::KeySet;

/// Partials loaded in a second while changed settings are applied: 16 a block at 48 kHz.
pub(super) const PARTIALS_A_SECOND: f64 = 12_000.0;

/// In silence as many times more: 70 ms for all notes, at a fifth of the time (chosen).
pub(super) const SILENT: usize = 8;

/// Progress of changed settings through the notes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loading {
    /// Notes still to be loaded.
    pending: [bool; KEYS],
    /// Notes, pending or being loaded, that are loaded as a whole when they begin to sound.
    at_once: KeySet,
    /// Index of the note being loaded, its new modes, and its next partial.
    note: Option<(usize, Unison, usize)>,
}

/// Partials loaded in each block, so that loading takes as long at every sample rate.
pub(super) fn partials_a_block(sample_rate: f64) -> usize {
    floor_index((PARTIALS_A_SECOND * BLOCK as f64 / sample_rate).round()).max(1)
}

impl StringSection {
    /// Begins to load the settings and strike points of all notes.
    pub(super) fn begin_loading(&mut self) {
        let at_once = self.loading.as_ref().map_or(KeySet::EMPTY, |loading| loading.at_once);
        self.loading = Some(Loading { pending: [true; KEYS], at_once, note: None });
    }

    /// Begins to load the note of `key`, in addition to those that are pending.
    pub(super) fn begin_loading_note(&mut self, key: KeyNumber) {
        let i = key.index();
        let none = Loading { pending: [false; KEYS], at_once: KeySet::EMPTY, note: None };
        let loading = self.loading.get_or_insert(none);
        loading.pending[i] = true;
        if loading.note.as_ref().is_some_and(|(index, ..)| *index == i) {
            loading.note = None;
        }
    }

    /// Loads all notes that are still to be loaded.
    pub(super) fn finish_loading(&mut self) {
        let Some(Loading { mut pending, note, .. }) = self.loading.take() else { return };
        if let Some((index, ..)) = note {
            pending[index] = true;
        }
        for (note, is_pending) in self.notes.iter_mut().zip(pending) {
            if is_pending {
                note.load(&self.settings);
            }
        }
    }

    /// Notes that are still to be loaded will be loaded as a whole when they begin to sound.
    pub(super) fn load_on_waking(&mut self) {
        let Some(loading) = &mut self.loading else { return };
        if let Some((index, ..)) = loading.note.take() {
            loading.pending[index] = true;
        }
        let pending = KeyNumber::all().filter(|key| loading.pending[key.index()]);
        pending.for_each(|key| loading.at_once.insert(key));
    }

    /// Loads the note of `key`, which begins to sound, if it was to be loaded before.
    pub(super) fn load_waking(&mut self, key: KeyNumber) {
        let i = key.index();
        if let Some(loading) = &mut self.loading
            && loading.at_once.remove(key)
        {
            loading.pending[i] = false;
            if loading.note.as_ref().is_some_and(|(index, ..)| *index == i) {
                loading.note = None;
            }
            self.notes[i].load(&self.settings);
        }
    }

    /// Loads a bounded number of partials; `board` is whether the board is at rest.
    pub(super) fn continue_loading(&mut self, board: bool) {
        let pace = if board && self.is_at_rest() { SILENT } else { 1 };
        let Some(loading) = &mut self.loading else { return };
        let mut budget = pace * self.partials_a_block;
        while budget > 0 {
            let Some((index, unison, k)) = &mut loading.note else {
                let sounding = |&i: &usize| loading.pending[i] && self.notes[i].is_awake();
                let next = (0..KEYS).find(sounding);
                let Some(index) = next.or_else(|| (0..KEYS).find(|&i| loading.pending[i])) else {
                    self.loading = None;
                    return;
                };
                loading.pending[index] = false;
                if let Some(key) = KeyNumber::from_index(index) {
                    loading.note = Some((index, Unison::new(key, &self.settings), 1));
                }
                continue;
            };
            let note = &mut self.notes[*index];
            // At low sample rates the highest keys have no partials.
            if *k <= note.partials() {
                note.load_partial(unison, &self.settings, *k);
                *k += 1;
                budget -= 1;
            }
            if *k > note.partials() {
                note.finish_load(unison);
                if let Some(key) = KeyNumber::from_index(*index) {
                    loading.at_once.remove(key);
                }
                loading.note = None;
            }
        }
    }
}
