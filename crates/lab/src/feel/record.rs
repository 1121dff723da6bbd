//! What is kept of a played session: the first key's way as a gesture, the servo's log, MIDI.

use std::fmt::Write as _;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use anyhow::{Context, Result};

use super::midi::Performance;
use crate::output::{Draft, Shown as _};
use touchback_action::STEP;
use touchback_core::math::compass::KeyNumber;
use touchback_haptics::action::Action;
use touchback_haptics::log::{Entry, Twin};
use touchback_haptics::recording::Writer;
use touchback_instrument::settings::TouchSettings;

/// The files under way; empty ones are not asked for.
#[derive(Default)]
pub struct Records {
    gesture: Option<(Draft, GestureRecord)>,
    take: Option<(Draft, Writer<BufWriter<File>>)>,
    midi: Option<(Draft, Performance)>,
    twin: Option<Twin>,
}

impl Records {
    /// Reserves the files that have a path.
    ///
    /// # Errors
    /// A folder or disk that refuses.
    pub fn create(
        gesture: Option<&Path>,
        take: Option<&Path>,
        midi: Option<&Path>,
        touch: &TouchSettings,
    ) -> Result<Self> {
        let gesture = gesture.map(Draft::create).transpose()?;
        let midi = midi.map(Draft::create).transpose()?;
        let take = match take {
            Some(path) => {
                let draft = Draft::create(path)?;
                let writer = Writer::new(draft.writer()?);
                let writer = writer.with_context(|| format!("{}: cannot write", path.shown()))?;
                Some((draft, writer))
            }
            None => None,
        };
        let looks = gesture.is_some() || midi.is_some();
        Ok(Self {
            gesture: gesture.map(|draft| (draft, GestureRecord::default())),
            take,
            midi: midi.map(|draft| (draft, Performance::new(touch))),
            twin: looks.then(|| Twin::new(Action::GRAND)),
        })
    }

    /// Takes the next entry of the servo's log.
    ///
    /// # Errors
    /// A disk that refuses.
    pub fn put(&mut self, entry: &Entry) -> Result<()> {
        if let Some((draft, writer)) = &mut self.take {
            let target = draft.target().shown();
            writer.put(entry).with_context(|| format!("{target}: cannot write"))?;
        }
        let Some(twin) = &mut self.twin else { return Ok(()) };
        let mut heard = Vec::new();
        if let (Entry::Setting { settings, .. }, Some((_, midi))) = (entry, &mut self.midi) {
            midi.regulate(settings);
        }
        let (gesture, mut midi) = (&mut self.gesture, self.midi.as_mut());
        let key = entry.key();
        twin.watch(
            entry,
            |h| heard.push(*h),
            |step, _, mechanism| {
                let Some(key) = key else { return };
                let depth = mechanism.front()[0];
                if let Some((_, gesture)) = gesture {
                    gesture.look(step, key, depth);
                }
                if let Some((_, midi)) = &mut midi {
                    midi.look(step, key, depth);
                }
            },
        );
        if let Some((_, midi)) = midi {
            heard.iter().for_each(|h| midi.heard(h));
        }
        Ok(())
    }

    /// Puts the files in their places.
    ///
    /// # Errors
    /// A disk that refuses.
    pub fn keep(self) -> Result<()> {
        if let Some((draft, gesture)) = self.gesture {
            draft.write_all(gesture.text.as_bytes())?;
            draft.keep()?;
        }
        if let Some((draft, writer)) = self.take {
            let target = draft.target().shown();
            writer.finish().with_context(|| format!("{target}: cannot write"))?;
            draft.keep()?;
        }
        if let Some((draft, midi)) = self.midi {
            draft.write_all(&midi.bytes())?;
            draft.keep()?;
        }
        Ok(())
    }
}

/// The way of the first key that moved, as a gesture file: one row a millisecond.
struct GestureRecord {
    text: String,
    key: Option<KeyNumber>,
    begin: Option<u64>,
}

impl Default for GestureRecord {
    fn default() -> Self {
        Self { text: "t_s,key_m\n0,0\n".into(), key: None, begin: None }
    }
}

impl GestureRecord {
    fn look(&mut self, step: u64, key: KeyNumber, depth: f64) {
        let begin = *self.begin.get_or_insert(step);
        let after = step + 1 - begin;
        if *self.key.get_or_insert(key) == key && after.is_multiple_of(8) {
            // Text has room.
            let _ = writeln!(self.text, "{:.6},{depth:.8}", after as f64 * STEP);
        }
    }
}
