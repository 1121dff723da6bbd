//! The output files of a rendering, which are put in place together.

use std::io::Write as _;

use anyhow::Result;

use super::rendering::{Played, Rendering};
use crate::output::Draft;
use crate::plot;
use touchback_action::interface::readout::Cell;
use touchback_instrument::play::record::{EventRecord, StrikeRecord};

/// The record that `--stats` writes; levels are null in silence.
#[derive(serde::Serialize)]
struct Stats {
    notes: u64,
    strikes: u64,
    silent_presses: u64,
    /// Notes that look-ahead could not sound in time.
    late_notes: u64,
    /// Lifts of the sustain pedal that pedal repair made longer.
    repaired_lifts: usize,
    ignored_notes: u64,
    /// Seconds of audio per second of wall-clock time.
    real_time_factor: f64,
    peak_dbfs: f64,
    rms_dbfs: f64,
    loudness_lufs: f64,
    /// Largest ratio of a block's computing time to its duration.
    worst_block_share: f64,
}

/// The output files, under temporary names.
pub(super) struct Outputs {
    pub(super) sound: Draft,
    strikes: Option<Draft>,
    pub(super) events: Option<Draft>,
    stats: Option<Draft>,
    pub(super) plot: Option<Draft>,
    pub(super) motion: Option<Draft>,
}

impl Outputs {
    /// Creates all files before the long work, so that an error shows at once.
    ///
    /// # Errors
    /// A file that cannot be created.
    pub(super) fn create(rendering: &Rendering) -> Result<Self> {
        Ok(Self {
            sound: Draft::create(rendering.output)?,
            strikes: rendering.strikes.map(Draft::create).transpose()?,
            events: rendering.events.map(Draft::create).transpose()?,
            stats: rendering.stats.map(Draft::create).transpose()?,
            plot: rendering.options.plot.as_deref().map(Draft::create).transpose()?,
            motion: rendering.motion.map(Draft::create).transpose()?,
        })
    }

    /// Writes all but sound and motion, which are written; `title` is that of the figure.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn write(&self, title: &str, repaired_lifts: usize, played: &Played) -> Result<()> {
        if let Some(draft) = &self.strikes {
            draft.write_all(&strikes_csv(played.player.strikes())?)?;
        }
        if let Some(draft) = &self.events {
            write_events(draft, played.player.events())?;
        }
        if let Some(draft) = &self.stats {
            let mut text = serde_json::to_vec_pretty(&stats(repaired_lifts, played))?;
            text.push(b'\n');
            draft.write_all(&text)?;
        }
        if let (Some(draft), Some(picture)) = (&self.plot, &played.picture) {
            plot::draw(&picture.figure(title, played.player.strikes()), draft)?;
        }
        Ok(())
    }

    /// Puts the files in place, the sound last: where it is, the others are.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn keep(self) -> Result<()> {
        let others = [self.strikes, self.events, self.stats, self.plot, self.motion];
        for draft in others.into_iter().flatten() {
            draft.keep()?;
        }
        Ok(self.sound.keep()?)
    }
}

fn stats(repaired_lifts: usize, played: &Played) -> Stats {
    let Played { player, level, loudness_lufs, .. } = played;
    let counts = player.counts();
    Stats {
        notes: counts.notes,
        strikes: counts.strikes,
        silent_presses: counts.silent_presses,
        late_notes: player.lateness().notes,
        repaired_lifts,
        ignored_notes: player.ignored_notes(),
        real_time_factor: player.real_time_factor(),
        peak_dbfs: level.peak_dbfs(),
        rms_dbfs: level.rms_dbfs(),
        loudness_lufs: *loudness_lufs,
        worst_block_share: player.worst_block_share(),
    }
}

/// Writes the events in the order of their times.
fn write_events(draft: &Draft, events: &[EventRecord]) -> Result<()> {
    let mut order: Vec<&EventRecord> = events.iter().collect();
    order.sort_by(|a, b| a.time.total_cmp(&b.time));
    let mut writer = draft.writer()?;
    let write = || {
        writeln!(writer, "time_s,key,kind,value,unit")?;
        for EventRecord { time, key, event } in order {
            let (kind, value) = (event.kind(), Cell(event.value()));
            let (time, key) = (Cell(*time), key.number());
            writeln!(writer, "{time},{key},{},{value},{}", kind.name(), kind.unit())?;
        }
        writer.flush()
    };
    Ok(write().map_err(|error| draft.error(error))?)
}

/// The strikes as CSV; `note_on_s` is empty where a strike has no note-on.
///
/// # Errors
/// None in practice: the writer writes to memory.
pub fn strikes_csv(strikes: &[StrikeRecord]) -> Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["time_s", "key", "hammer_velocity_m_s", "note_on_s"])?;
    for strike in strikes {
        writer.write_record([
            Cell(strike.time).to_string(),
            strike.key.number().to_string(),
            Cell(strike.speed).to_string(),
            Cell(strike.note_on).to_string(),
        ])?;
    }
    Ok(writer.into_inner().map_err(|e| e.into_error())?)
}
