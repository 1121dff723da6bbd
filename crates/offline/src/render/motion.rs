//! The motion of keys, hammers and dampers during a rendering, as a table.
//!
//! The table has a row for every key that has moved since the time before, so that what rests takes no room. Between
//! the rows of a key its values are linear.

use std::fs::File;
use std::io::{BufWriter, Write as _};

use anyhow::Result;

use crate::output::Draft;
use touchback_core::math::cast::rounded_i32;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_instrument::{Piano, Snapshot};

/// Names of the columns.
const COLUMNS: &str = "time_s,key,key_mm,hammer_mm,damper";

/// Depth and hammer in steps of 1 µm, damper in steps of 1/1000.
type State = [i32; 3];

/// A table that is written.
pub(super) struct MotionTable<'a> {
    draft: &'a Draft,
    writer: BufWriter<File>,
    /// Samples and rows per second.
    rates: [u64; 2],
    /// Number of the next time.
    time: u64,
    snapshot: Snapshot,
    /// Last state of each key, and whether it was written at the last time.
    keys: [(State, bool); KEYS],
}

impl<'a> MotionTable<'a> {
    /// Begins a table in `draft` at `rate` Hz of a rendering at `sample_rate` Hz.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn new(draft: &'a Draft, rate: u32, sample_rate: u32) -> Result<Self> {
        let mut writer = draft.writer()?;
        writeln!(writer, "{COLUMNS}").map_err(|error| draft.error(error))?;
        let rates = [sample_rate, rate.min(sample_rate)].map(u64::from);
        let keys = [([0, 0, 1000], true); KEYS];
        let snapshot = Snapshot::default();
        Ok(Self { draft, writer, rates, time: 0, snapshot, keys })
    }

    /// The sample of the next time.
    pub(super) const fn next(&self) -> u64 {
        let [samples, rows] = self.rates;
        (self.time * samples).div_ceil(rows)
    }

    /// Writes what has moved, if a time is due at the sample `at`, which sounds `latency` samples later.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn record(&mut self, at: u64, latency: u64, piano: &Piano) -> Result<()> {
        if at < self.next() {
            return Ok(());
        }
        piano.show(&mut self.snapshot);
        let [samples, rows] = self.rates.map(|rate| rate as f64);
        let time = self.time as f64 / rows - latency as f64 / samples;
        let Snapshot { depth, hammer, damper, .. } = &self.snapshot;
        for (key, (last, was_written)) in KeyNumber::all().zip(&mut self.keys) {
            let i = key.index();
            let state = [1e6 * depth[i], 1e6 * hammer[i], 1e3 * damper[i]];
            let state = state.map(|value| rounded_i32(f64::from(value)));
            let has_moved = self.time == 0 || state != *last;
            if has_moved {
                let mut row = |time: f64, [depth, hammer, damper]: State| {
                    let [depth, hammer, damper] =
                        [depth, hammer, damper].map(|v| 1e-3 * f64::from(v));
                    let number = key.number();
                    writeln!(self.writer, "{time:.5},{number},{depth:.3},{hammer:.3},{damper:.3}")
                        .map_err(|error| self.draft.error(error))
                };
                // A key that begins to move has rested until the time before.
                if !*was_written && self.time > 0 {
                    row(time - rows.recip(), *last)?;
                }
                row(time, state)?;
            }
            (*last, *was_written) = (state, has_moved);
        }
        self.time += 1;
        Ok(())
    }

    /// Writes what is buffered.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn finish(&mut self) -> Result<()> {
        Ok(self.writer.flush().map_err(|error| self.draft.error(error))?)
    }
}
