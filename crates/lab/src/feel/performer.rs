//! A MIDI file whose notes move the keys of a keyboard.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::midi::Score;
use crate::output::{self, Shown as _};
use touchback_haptics::sidecar::KeyPress;
use touchback_instrument::Settings;
use touchback_instrument::midi::Midi;

/// Largest MIDI file, bytes.
const LIMIT: u64 = 64_000_000;

/// The notes still to come.
pub struct Performer {
    /// Time, s, and note, the last first.
    notes: Vec<(f64, KeyPress)>,
    begun: Option<Instant>,
}

impl Performer {
    /// Reads a MIDI file; `settings` say how fast a hammer a velocity is.
    ///
    /// # Errors
    /// No MIDI file, or none with notes for a piano.
    pub fn open(path: &Path, settings: &Settings) -> Result<Self> {
        let file = path.shown();
        let score = Score::read(&file, &output::read(path, LIMIT)?)?;
        let mut midi = Midi::default();
        let mut notes = Vec::new();
        for (time, message) in &score.events {
            let time = *time as f64 / score.per_second as f64;
            midi.translate(message, settings, |event| {
                let note = event.fingertip(settings);
                notes.extend(note.map(|(key, speed)| (time, KeyPress { key, speed })));
            });
        }
        if notes.is_empty() {
            bail!("{file}: has no notes from A0 to C8");
        }
        notes.reverse();
        Ok(Self { notes, begun: None })
    }

    /// Gives the notes whose time has come, counted from the first call.
    pub fn play(&mut self, mut give: impl FnMut(KeyPress)) {
        let begun = *self.begun.get_or_insert_with(Instant::now);
        let now = begun.elapsed().as_secs_f64();
        while let Some((_, note)) = self.notes.pop_if(|(time, _)| *time <= now) {
            give(note);
        }
    }
}
