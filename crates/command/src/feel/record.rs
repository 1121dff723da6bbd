//! Records of a haptic session: the first key's motion as a gesture, the servo's log, MIDI.

use std::fmt::Write as _;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use anyhow::{Context, Result};

use super::midi::Performance;
use super::spool::Spool;
use touchback_action::STEP;
use touchback_core::math::compass::KeyNumber;
use touchback_haptics::action::Action;
use touchback_haptics::record::log::{Entry, Twin};
use touchback_haptics::record::recording::Writer;
use touchback_instrument::settings::TouchSettings;
use touchback_offline::output::{Draft, Shown as _};

/// The files being written; `None` where a file is not requested.
#[derive(Default)]
pub struct Records {
    gesture: Option<(Draft, GestureRecord)>,
    log: Option<(Draft, Writer<BufWriter<File>>)>,
    midi: Option<(Draft, Performance)>,
    twin: Option<Twin>,
    spool: Option<Spool>,
}

impl Records {
    /// Creates a draft for each file with a path.
    ///
    /// # Errors
    /// A folder or file that cannot be written.
    pub fn create(
        gesture: Option<&Path>,
        log: Option<&Path>,
        midi: Option<&Path>,
        touch: &TouchSettings,
    ) -> Result<Self> {
        let spool = [log, gesture, midi].into_iter().flatten().find_map(Spool::beside);
        let gesture = gesture.map(Draft::create).transpose()?;
        let midi = midi.map(Draft::create).transpose()?;
        let log = match log {
            Some(path) => {
                let draft = Draft::create(path)?;
                let writer = Writer::new(draft.writer()?);
                let writer = writer.with_context(|| format!("{}: cannot write", path.shown()))?;
                Some((draft, writer))
            }
            None => None,
        };
        let needs_twin = gesture.is_some() || midi.is_some();
        Ok(Self {
            gesture: gesture.map(|draft| (draft, GestureRecord::default())),
            log,
            midi: midi.map(|draft| (draft, Performance::new(touch))),
            twin: needs_twin.then(|| Twin::new(Action::GRAND)),
            spool,
        })
    }

    /// Records the next entry of the servo's log.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn put(&mut self, entry: &Entry) -> Result<()> {
        if let Some(spool) = &mut self.spool {
            spool.put(entry)?;
        }
        if let Some((draft, writer)) = &mut self.log {
            let target = draft.target().shown();
            writer.put(entry).with_context(|| format!("{target}: cannot write"))?;
        }
        let Some(twin) = &mut self.twin else { return Ok(()) };
        let mut events = Vec::new();
        if let (Entry::Setting { settings, .. }, Some((_, midi))) = (entry, &mut self.midi) {
            midi.regulate(settings);
        }
        let (gesture, mut midi) = (&mut self.gesture, self.midi.as_mut());
        let key = entry.key();
        twin.watch(
            entry,
            |event| events.push(*event),
            |step, _, mechanism| {
                let Some(key) = key else { return };
                let depth = mechanism.front()[0];
                if let Some((_, gesture)) = gesture {
                    gesture.record(step, key, depth);
                }
                if let Some((_, midi)) = &mut midi {
                    midi.position(step, key, depth);
                }
            },
        );
        if let Some((_, midi)) = midi {
            events.iter().for_each(|event| midi.event(event));
        }
        Ok(())
    }

    /// Writes what waits to the disk where it is time; to be called often.
    ///
    /// # Errors
    /// The disk is full or gone.
    pub fn write_due(&mut self) -> Result<()> {
        self.spool.as_mut().map_or(Ok(()), Spool::write_due)
    }

    /// Keeps the files.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn keep(self) -> Result<()> {
        if let Some((draft, gesture)) = self.gesture {
            draft.write_all(gesture.text.as_bytes())?;
            draft.keep()?;
        }
        if let Some((draft, writer)) = self.log {
            let target = draft.target().shown();
            writer.finish().with_context(|| format!("{target}: cannot write"))?;
            draft.keep()?;
        }
        if let Some((draft, midi)) = self.midi {
            draft.write_all(&midi.bytes())?;
            draft.keep()?;
        }
        if let Some(spool) = self.spool {
            spool.remove();
        }
        Ok(())
    }
}

/// The motion of the first key that moved, as a gesture file: one row per millisecond.
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
    fn record(&mut self, step: u64, key: KeyNumber, depth: f64) {
        let begin = *self.begin.get_or_insert(step);
        let after = step + 1 - begin;
        if *self.key.get_or_insert(key) == key && after.is_multiple_of(8) {
            // Writing to a `String` cannot fail.
            let _ = writeln!(self.text, "{:.6},{depth:.8}", after as f64 * STEP);
        }
    }
}
