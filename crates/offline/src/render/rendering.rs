//! One rendering of `touchback render`: from an input file to its output files.

use std::path::Path;

use anyhow::{Result, anyhow, bail};

use super::loudness::Loudness;
use super::picture::Picture;
use super::player::Player;
use super::{Order, RenderOptions};
use crate::controls;
use crate::key_motion::KeyMotion;
use crate::output::{self, Draft, Shown as _};
use crate::plot;
use crate::wave::{Level, MAX_FRAMES, Tail, Wave};
use touchback_action::interface::readout::Cell;
use touchback_haptics::recording::Recording;
use touchback_instrument::look_ahead::Lateness;
use touchback_instrument::midi_file::{Parts, Score, ShortLifts};
use touchback_instrument::record::{Counts, StrikeRecord};
use touchback_instrument::settings::Timing;
use touchback_instrument::{Piano, Settings};

/// Largest MIDI file, bytes.
const MIDI_LIMIT: u64 = 64_000_000;

/// Longest music rendered without `--yes`, s: a few damaged bytes can mean hours.
const MAX_WITHOUT_YES: f64 = 3600.0;

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

/// An input file and its output files.
pub(super) struct Rendering<'a> {
    pub(super) options: &'a RenderOptions,
    pub(super) order: &'a Order,
    pub(super) input: &'a Path,
    pub(super) output: &'a Path,
    pub(super) strikes: Option<&'a Path>,
    pub(super) stats: Option<&'a Path>,
    /// No other file is rendered: warnings of the options are printed.
    pub(super) is_alone: bool,
    /// Renders in a pipeline of three threads.
    pub(super) is_ahead: bool,
}

impl Rendering<'_> {
    /// Renders; warnings go to stderr. Returns the line to print.
    ///
    /// # Errors
    /// A bad input, or a file that cannot be written; then no file is written.
    pub(super) fn run(&self) -> Result<String> {
        let options = self.options;
        let Order { settings, automation } = self.order;
        let mut settings = *settings;
        let rate = options.sample_rate;
        let (name, path) = (self.input.shown(), self.output.shown());
        let is_stdin = output::is_stdin(self.input);
        let is_recording = !is_stdin && Recording::is_at(self.input);
        let recording = is_recording.then(|| Recording::open(self.input)).transpose()?;
        let is_table = match is_stdin {
            true => !Score::is_in(&output::read(self.input, MIDI_LIMIT)?),
            false => self.input.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv")),
        };
        let motion = is_table.then(|| KeyMotion::open(self.input)).transpose();
        let motion = motion.map_err(|error| match error.to_string().strip_prefix(&name) {
            Some(fault) if is_stdin => {
                anyhow!("{name}: no MIDI file, and no table of key depths{fault}")
            }
            _ => error,
        })?;
        if motion.is_some() && settings.touch.timing == Timing::LookAhead {
            // Recorded keys are not early.
            settings.touch.timing = Timing::Natural;
        }
        let (score, lifts) = if recording.is_some() || is_table {
            (Score::empty(), ShortLifts::default())
        } else {
            let parts = parts(options, &settings);
            let bytes = output::read(self.input, MIDI_LIMIT)?;
            Score::read_repaired(&name, &bytes, &parts, &settings.pedals)?
        };
        let end = recording.as_ref().map_or(score.end(), Recording::length);
        let end = motion.as_ref().map_or(end, KeyMotion::end);
        if (end + Tail::LIMIT) * f64::from(rate) > MAX_FRAMES as f64 {
            bail!(
                "{name}: lasts {end:.0} s, more than a WAV file holds at {rate} Hz; split the file or \
                 lower --sample-rate"
            );
        }
        if end > MAX_WITHOUT_YES && !options.yes {
            let megabytes = 6e-6 * end * f64::from(rate);
            bail!(
                "{name}: lasts {:.0} minutes, {megabytes:.0} MB of sound; --yes renders it",
                end / 60.0
            );
        }
        if self.is_alone {
            controls::warn_idle(&settings, &options.set);
        }
        for warning in motion.iter().flat_map(|motion| &motion.warnings).chain(&score.warnings) {
            output::warn(&format!("warning: {warning}"));
        }

        // All output files are created before the long work, so that an error shows at once.
        let draft = Draft::create(self.output)?;
        let strikes_draft = self.strikes.map(Draft::create).transpose()?;
        let stats_draft = self.stats.map(Draft::create).transpose()?;
        let plot_draft = options.plot.as_deref().map(Draft::create).transpose()?;

        let mut wave = Wave::new(&draft, rate)?;
        // A pipeline has the settings with which it begins.
        let (piano, rear) = if automation.is_empty() && self.is_ahead {
            let (piano, rear) = Piano::ahead(f64::from(rate), &settings);
            (piano, Some(rear))
        } else {
            (Piano::new(f64::from(rate), &automation.at(&settings, 0.0)), None)
        };
        let mut player = Player::new(piano, &score, settings, automation, rate);
        if let Some(recording) = &recording {
            player.add_log(recording)?;
        }
        if let Some(motion) = &motion {
            player.add_keys(motion);
        }
        let block = usize::try_from(options.block)?;
        let mut frames = 0;
        let mut picture = plot_draft.is_some().then(|| Picture::new(rate));
        let mut loudness = Loudness::new(rate)?;
        let out = |left: &[f32], right: &[f32]| {
            frames += left.len();
            loudness.add(left, right)?;
            if let Some(picture) = &mut picture {
                picture.add(left, right);
            }
            wave.write(left, right)
        };
        match rear {
            Some(rear) => player.play_ahead(rear, block, out)?,
            None => player.play(block, out)?,
        }

        let level = *wave.level();
        wave.finish()?;
        if let Some(draft) = &strikes_draft {
            draft.write_all(&strikes_csv(player.strikes())?)?;
        }
        if let Some(draft) = &stats_draft {
            let stats =
                stats(player.ignored_notes(), lifts.repaired, &level, loudness.lufs(), &player);
            let mut text = serde_json::to_vec_pretty(&stats)?;
            text.push(b'\n');
            draft.write_all(&text)?;
        }
        if let (Some(draft), Some(picture)) = (&plot_draft, &picture) {
            let title = self.input.file_stem().unwrap_or_default().to_string_lossy();
            plot::draw(&picture.figure(&title, player.strikes()), draft)?;
        }
        draft.keep()?;
        for draft in [strikes_draft, stats_draft, plot_draft].into_iter().flatten() {
            draft.keep()?;
        }
        let n = player.ignored_notes();
        if n > 0 {
            output::warn(&format!("warning: {name}: notes outside A0…C8 ignored: {n}"));
        }
        let Counts {
            silent_presses: silent,
            missed_repetitions: missed,
            unreached,
            notes,
            aftertouch: positions,
            ..
        } = player.counts();
        if notes == 0 && positions > 0 {
            output::warn(&format!(
                "warning: {name}: no note, but polyphonic key pressure ({positions}): \
                 --set key_pressure=position plays it as the depths of the keys"
            ));
        }
        if unreached > 0 {
            output::warn(&format!(
                "warning: {name}: notes on keys whose strings do not reach the scale, silent: {unreached}"
            ));
        }
        if silent > 0 {
            let detail = if missed > 0 {
                format!(", {missed} of them before their key could be played again")
            } else {
                String::new()
            };
            output::warn(&format!(
                "warning: {name}: notes pressed that did not sound: {silent}{detail}"
            ));
        }
        let Lateness { notes: late, longest } = player.lateness();
        if late > 0 {
            output::warn(&format!(
                "warning: {name}: notes that came late, pressed too softly for --set latency or before \
                 their key was free: {late}, by {:.0} ms at most",
                1e3 * longest
            ));
        }
        if level.clipped() > 0 {
            output::warn(&format!(
                "warning: {} samples clipped at {:+.1} dBFS; lower the level with --set output_db",
                level.clipped(),
                level.peak_dbfs()
            ));
        }
        Ok(format!(
            "wrote {path}: {:.1} s, peak {:.1} dBFS, RMS {:.1} dBFS, {:.1} LUFS\n",
            frames as f64 / f64::from(rate),
            level.peak_dbfs(),
            level.rms_dbfs(),
            loudness.lufs()
        ))
    }
}

/// The parts of a file that are played.
fn parts(options: &RenderOptions, settings: &Settings) -> Parts {
    let RenderOptions { channels, tracks, .. } = options;
    if channels.is_none() && tracks.is_none() {
        return Parts::of(settings);
    }
    Parts { channels: channels.clone(), tracks: tracks.clone() }
}

fn stats(
    ignored_notes: u64,
    repaired_lifts: usize,
    level: &Level,
    loudness_lufs: f64,
    player: &Player,
) -> Stats {
    let counts = player.counts();
    Stats {
        notes: counts.notes,
        strikes: counts.strikes,
        silent_presses: counts.silent_presses,
        late_notes: player.lateness().notes,
        repaired_lifts,
        ignored_notes,
        real_time_factor: player.real_time_factor(),
        peak_dbfs: level.peak_dbfs(),
        rms_dbfs: level.rms_dbfs(),
        loudness_lufs,
        worst_block_share: player.worst_block_share(),
    }
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
