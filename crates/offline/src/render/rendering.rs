//! One rendering of `touchback render`: from an input file to its output files.

use std::path::Path;

use anyhow::{Result, bail};
use serde_json::{Value, json};

use super::gain::Store;
use super::loudness::Loudness;
use super::motion::MotionTable;
use super::outputs::Outputs;
use super::picture::Picture;
use super::player::Player;
use super::sound::{Format, SoundFile};
use super::source::Source;
use super::{Order, RenderOptions};
use crate::controls;
use crate::output::{self, Shown as _};
use crate::wave::Tail;
use touchback_core::files::samples::Level;
use touchback_instrument::play::look_ahead::Lateness;
use touchback_instrument::play::record::Counts;
use touchback_instrument::{Piano, Settings};

/// Longest music rendered without `--yes`, s: a few damaged bytes can mean hours.
const MAX_WITHOUT_YES: f64 = 3600.0;

/// An input file and its output files.
pub(super) struct Rendering<'a> {
    pub(super) options: &'a RenderOptions,
    pub(super) order: &'a Order,
    pub(super) input: &'a Path,
    pub(super) output: &'a Path,
    pub(super) format: Format,
    pub(super) strikes: Option<&'a Path>,
    pub(super) events: Option<&'a Path>,
    pub(super) stats: Option<&'a Path>,
    pub(super) motion: Option<&'a Path>,
    /// No other file is rendered: warnings of the options are printed.
    pub(super) is_alone: bool,
    /// Renders in a pipeline of three threads.
    pub(super) is_ahead: bool,
}

impl Rendering<'_> {
    /// Renders; warnings go to stderr.
    ///
    /// # Errors
    /// A bad input, or a file that cannot be written; then no file is written.
    pub(super) fn run(&self) -> Result<Rendered> {
        let mut settings = self.order.settings.clone();
        let name = self.input.shown();
        let source = Source::open(self.input, self.options, &settings)?;
        settings.touch.timing = source.timing(settings.touch.timing);
        self.check_length(&name, source.end())?;
        if self.is_alone {
            controls::warn_idle(&settings, &self.options.set);
        }
        let mut warnings = source.warnings().to_vec();
        for warning in &warnings {
            output::warn(&format!("warning: {warning}"));
        }
        let outputs = Outputs::create(self)?;
        let played = self.play(&source, &settings, &outputs)?;
        let title = self.input.file_stem().unwrap_or_default().to_string_lossy();
        let repaired = source.repaired_lifts();
        outputs.write(&title, repaired, &played)?;
        for warning in played.warnings(&name) {
            output::warn(&format!("warning: {warning}"));
            warnings.push(warning);
        }
        let counts = played.player.counts();
        let rendered = Rendered {
            file: self.output.shown(),
            seconds: played.frames as f64 / f64::from(self.options.sample_rate),
            peak_dbfs: played.level.peak_dbfs(),
            rms_dbfs: played.level.rms_dbfs(),
            loudness_lufs: played.loudness_lufs,
            notes: counts.notes,
            strikes: counts.strikes,
            warnings,
        };
        drop(played);
        outputs.keep()?;
        Ok(rendered)
    }

    /// Checks that music of `end` seconds is not too long.
    fn check_length(&self, name: &str, end: f64) -> Result<()> {
        let rate = self.options.sample_rate;
        if end > MAX_WITHOUT_YES && !self.options.yes {
            let megabytes = 1e-6 * self.options.form().frame() as f64 * end * f64::from(rate);
            bail!(
                "{name}: lasts {:.0} minutes, {megabytes:.0} MB of sound; --yes renders it",
                end / 60.0
            );
        }
        Ok(())
    }

    /// Plays `source` into the file of the sound.
    fn play<'a>(
        &'a self,
        source: &'a Source,
        settings: &Settings,
        outputs: &'a Outputs,
    ) -> Result<Played<'a>> {
        let (automation, rate) = (&self.order.automation, self.options.sample_rate);
        // A pipeline has the settings with which it begins.
        let (piano, rear) = if automation.is_empty() && self.is_ahead {
            let (piano, rear) = Piano::ahead(f64::from(rate), settings);
            (piano, Some(rear))
        } else {
            (Piano::new(f64::from(rate), &automation.at(settings, 0.0)), None)
        };
        let mut player = source.feed(piano, settings.clone(), automation, rate)?;
        if !self.is_alone {
            player.hide_progress();
        }
        if outputs.events.is_some() {
            player.record_events();
        }
        if let Some(draft) = &outputs.motion {
            player.record_motion(MotionTable::new(draft, self.options.motion_rate, rate)?);
        }
        let longest = (source.end() + Tail::LIMIT) * f64::from(rate);
        let mut sound = SoundFile::new(&outputs.sound, self.options, self.format, longest)?;
        let mut store = self.options.normalize.map(|_| Store::new()).transpose()?;
        let mut raw = Level::default();
        let mut picture = outputs.plot.is_some().then(|| Picture::new(rate));
        let mut loudness = Loudness::new(rate)?;
        let mut frames = 0;
        let out = |left: &[f32], right: &[f32]| {
            frames += left.len();
            loudness.add(left, right)?;
            if let Some(picture) = &mut picture {
                picture.add(left, right);
            }
            match &mut store {
                Some(store) => {
                    left.iter().chain(right).for_each(|sample| raw.add(*sample));
                    store.add(left, right)
                }
                None => sound.write(left, right),
            }
        };
        let block = usize::try_from(self.options.block)?;
        match rear {
            Some(rear) => player.play_ahead(rear, block, out)?,
            None => player.play(block, out)?,
        }
        if let (Some(store), Some(normal)) = (store, self.options.normalize) {
            let gain = normal.gain(raw.peak_dbfs(), loudness.lufs());
            loudness = Loudness::new(rate)?;
            store.replay(gain, |left, right| {
                loudness.add(left, right)?;
                sound.write(left, right)
            })?;
        }
        let level = *sound.level();
        sound.finish()?;
        Ok(Played { player, level, loudness_lufs: loudness.lufs(), frames, picture })
    }
}

/// A rendering that is done.
pub(super) struct Rendered {
    /// The file of the sound, as printed.
    file: String,
    seconds: f64,
    peak_dbfs: f64,
    rms_dbfs: f64,
    loudness_lufs: f64,
    notes: u64,
    strikes: u64,
    warnings: Vec<String>,
}

impl Rendered {
    /// The line to print.
    pub(super) fn line(&self) -> String {
        let Self { file, seconds, peak_dbfs, rms_dbfs, loudness_lufs, .. } = self;
        format!(
            "wrote {file}: {seconds:.1} s, peak {peak_dbfs:.1} dBFS, RMS {rms_dbfs:.1} dBFS, \
             {loudness_lufs:.1} LUFS\n"
        )
    }

    /// What was measured, as JSON; levels are null in silence.
    pub(super) fn record(&self) -> Value {
        let rounded = |value: f64| (1e3 * value).round() / 1e3;
        json!({
            "seconds": self.seconds,
            "peak_dbfs": rounded(self.peak_dbfs),
            "rms_dbfs": rounded(self.rms_dbfs),
            "loudness_lufs": rounded(self.loudness_lufs),
            "notes": self.notes,
            "strikes": self.strikes,
            "warnings": self.warnings,
        })
    }
}

/// Player and measurements after the last sample.
pub(super) struct Played<'a> {
    pub(super) player: Player<'a>,
    pub(super) level: Level,
    pub(super) loudness_lufs: f64,
    frames: usize,
    pub(super) picture: Option<Picture>,
}

impl Played<'_> {
    /// Remarks about the rendering of the file `name`, a line each.
    fn warnings(&self, name: &str) -> impl Iterator<Item = String> {
        let ignored = self.player.ignored_notes();
        let Counts {
            silent_presses: silent,
            missed_repetitions: missed,
            unreached,
            notes,
            aftertouch: positions,
            ..
        } = self.player.counts();
        let Lateness { notes: late, longest } = self.player.lateness();
        let level = &self.level;
        [
            (ignored > 0).then(|| format!("{name}: notes outside A0…C8 ignored: {ignored}")),
            (notes == 0 && positions > 0).then(|| {
                format!(
                    "{name}: no note, but polyphonic key pressure ({positions}): \
                     --set key_pressure=position plays it as the depths of the keys"
                )
            }),
            (unreached > 0).then(|| {
                format!(
                    "{name}: notes on keys whose strings do not reach the scale, silent: {unreached}"
                )
            }),
            (silent > 0).then(|| {
                let detail = match missed {
                    0 => String::new(),
                    _ => format!(", {missed} of them before their key could be played again"),
                };
                format!("{name}: notes pressed that did not sound: {silent}{detail}")
            }),
            (late > 0).then(|| {
                format!(
                    "{name}: notes that came late, pressed too softly for --set latency or before \
                     their key was free: {late}, by {:.0} ms at most",
                    1e3 * longest
                )
            }),
            (level.clipped() > 0).then(|| {
                format!(
                    "{} samples clipped at {:+.1} dBFS; lower the level with --set output_db",
                    level.clipped(),
                    level.peak_dbfs()
                )
            }),
        ]
        .into_iter()
        .flatten()
    }
}
