//! Plays the notes of a MIDI file on a motorized keyboard.

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, bail};

use touchback_haptics::sidecar::KeyPress;
use touchback_instrument::Settings;
use touchback_instrument::host::midi::Midi;
use touchback_instrument::host::midi_file::Score;
use touchback_offline::output::{self, Shown as _};

/// Largest MIDI file, bytes.
const LIMIT: u64 = 64_000_000;

/// The notes that are still to be played.
pub struct Performer {
    /// Time, s, and note, in reverse order.
    notes: Vec<(f64, KeyPress)>,
    begin: Option<Instant>,
}

/// Time, s, and key and speed of the fingertip of every note of `score` in order; the speed is 0 where a note ends.
pub fn presses(score: &Score, settings: &Settings) -> Vec<(f64, KeyPress)> {
    let mut midi = Midi::default();
    let mut notes = Vec::new();
    for (time, message) in &score.events {
        let time = *time as f64 / score.per_second as f64;
        midi.translate(message, settings, |event| {
            let note = event.fingertip(settings);
            notes.extend(note.map(|(key, speed)| (time, KeyPress { key, speed })));
        });
    }
    notes
}

impl Performer {
    /// Reads a MIDI file; `settings` map velocity to hammer speed.
    ///
    /// # Errors
    /// Not a MIDI file, or no notes from A0 to C8.
    pub fn open(path: &Path, settings: &Settings) -> Result<Self> {
        let file = path.shown();
        let score = Score::read(&file, &output::read(path, LIMIT)?)?;
        for warning in &score.warnings {
            output::warn(&format!("warning: {warning}"));
        }
        let mut notes = presses(&score, settings);
        if notes.is_empty() {
            bail!("{file}: has no notes from A0 to C8");
        }
        notes.reverse();
        Ok(Self { notes, begin: None })
    }

    /// Passes the notes that are due to `press`; time counts from the first call.
    pub fn play(&mut self, mut press: impl FnMut(KeyPress)) {
        let begin = *self.begin.get_or_insert_with(Instant::now);
        let now = begin.elapsed().as_secs_f64();
        while let Some((_, note)) = self.notes.pop_if(|(time, _)| *time <= now) {
            press(note);
        }
    }
}
