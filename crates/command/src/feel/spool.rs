//! The take of a running session in a file of its own, so that a process that is killed loses at most half a second.
//!
//! The file has the name of the first record and the ending `.part`. It holds whole lines at every moment, so that
//! `touchback feel FILE.part --replay` reads it, and writes the other records from it. It is removed when the records
//! are complete.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use touchback_haptics::record::log::Entry;
use touchback_haptics::record::recording::Writer;
use touchback_offline::output::{Shown as _, is_stdout};

/// Time between two writes to the disk.
const INTERVAL: Duration = Duration::from_millis(250);

/// A take being written.
pub struct Spool {
    path: PathBuf,
    file: File,
    /// Entries that are not on the disk yet.
    waiting: Writer<Vec<u8>>,
    written_at: Instant,
}

impl Spool {
    /// Begins the take beside `record`; none where `record` is no plain file of a folder that can be written.
    pub fn beside(record: &Path) -> Option<Self> {
        let is_stream =
            is_stdout(record) || std::fs::metadata(record).is_ok_and(|about| !about.is_file());
        let mut name = record.file_name()?.to_owned();
        name.push(".part");
        let path = record.with_file_name(name);
        if is_stream {
            return None;
        }
        let file = File::create(&path).ok()?;
        let waiting = Writer::new(Vec::new()).ok()?;
        Some(Self { path, file, waiting, written_at: Instant::now() })
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// The entry cannot be written as text.
    pub fn put(&mut self, entry: &Entry) -> Result<()> {
        self.waiting.put(entry).with_context(|| format!("{}: cannot write", self.path.shown()))
    }

    /// Writes the waiting entries to the disk where it is time.
    ///
    /// # Errors
    /// The disk is full or gone.
    pub fn write_due(&mut self) -> Result<()> {
        if self.written_at.elapsed() < INTERVAL {
            return Ok(());
        }
        self.written_at = Instant::now();
        let lines = self.waiting.get_mut();
        let written = self.file.write_all(lines);
        lines.clear();
        written.with_context(|| format!("{}: cannot write", self.path.shown()))
    }

    /// Removes the file: the records are complete.
    pub fn remove(self) {
        // A file that is gone needs no removal.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_core::math::compass::KeyNumber;
    use touchback_haptics::record::recording::Recording;

    /// What is on the disk after every write is a whole take.
    #[test]
    fn the_file_is_a_take_at_every_moment() {
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("run.mid");
        let mut spool = Spool::beside(&record).unwrap();
        let key = KeyNumber::from_index(39).unwrap();
        for step in 0..30 {
            let entry = Entry::Slot { step: 8 * step, key, steps: 8, force: 1.0, impedance: 25.0 };
            spool.put(&entry).unwrap();
            spool.written_at = Instant::now() - INTERVAL;
            spool.write_due().unwrap();
            let part = Recording::open(&folder.path().join("run.mid.part")).unwrap();
            assert_eq!(part.entries().unwrap().count() as u64, step + 1);
        }
        spool.remove();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
