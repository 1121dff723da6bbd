//! `touchback render`: renders a MIDI file, or a servo's log of a haptic session, to a WAV file.

pub(crate) mod loudness;
mod picture;
mod player;
mod scale;

use anyhow::{Result, bail};

use crate::controls::{self, Automation};
use crate::key_motion::KeyMotion;
use crate::midi::{Numbers, Parts, Score, ShortLifts};
use crate::output::{self, Draft, Shown as _};
use crate::parallel;
use crate::paths::{CurveOption, InputPath, OutputFile, PianoName};
use crate::plot;
use crate::wave::{Level, MAX_FRAMES, Tail, Wave};
use loudness::Loudness;
use picture::Picture;
use player::Player;
use touchback_action::interface::readout::Cell;
use touchback_haptics::recording::Recording;
use touchback_instrument::look_ahead::Lateness;
use touchback_instrument::record::{Counts, StrikeRecord};
use touchback_instrument::settings::Timing;
use touchback_instrument::{Piano, Settings};

/// Largest MIDI file, bytes.
const MIDI_LIMIT: u64 = 64_000_000;

/// Longest music rendered without `--yes`, s: a few damaged bytes can mean hours.
const MAX_WITHOUT_YES: f64 = 3600.0;

/// Options of `touchback render`.
#[derive(clap::Args, Debug)]
pub struct RenderOptions {
    /// MIDI file of any format; a table of key depths (.csv: time and a column for each key); or a
    /// servo's log from `touchback feel --log`
    #[arg(value_name = "IN.mid|KEYS.csv")]
    input: InputPath,
    /// Stereo WAV file to write, 24 bit
    #[arg(short, long, value_name = "OUT.wav")]
    output: OutputFile,
    /// Sample rate, Hz
    #[arg(long, value_name = "HZ", default_value_t = 48_000,
          value_parser = sample_rate)]
    sample_rate: u32,
    /// Samples per block; does not change the sound
    #[arg(long, value_name = "N", default_value_t = 512,
          value_parser = clap::value_parser!(u32).range(1..=8192))]
    block: u32,
    /// Factory piano, or a preset file
    #[arg(long, value_name = "NAME|FILE.toml", default_value = "concert")]
    preset: PianoName,
    /// Immediate: sound at note-on. Natural: sound when the hammer arrives, 27 to 287 ms later.
    /// Look-ahead: the press begins early, so that the hammer arrives at the note's time
    #[arg(long, value_enum, value_name = "WHEN")]
    timing: Option<TimingArg>,
    /// Sets a parameter: a number in its unit, or a choice by name (repeatable)
    #[arg(long, value_name = "ID=VALUE")]
    set: Vec<String>,
    /// Offsets of single keys: a sheet with a column `key` and any of let_off_mm, drop_mm, …
    #[arg(long, value_name = "SHEET.csv")]
    keys: Option<InputPath>,
    /// Tunes to a scale in Scala's format instead of the temperament
    #[arg(long, value_name = "S.scl")]
    scale: Option<InputPath>,
    /// Maps the scale to the keys by a Scala keyboard map
    #[arg(long, value_name = "M.kbm", requires = "scale")]
    keymap: Option<InputPath>,
    /// Automates a parameter by a curve with columns t_s,value (repeatable)
    #[arg(long, value_name = "ID=CURVE.csv")]
    automate: Vec<CurveOption>,
    /// Writes every hammer strike
    #[arg(long, value_name = "S.csv")]
    strikes: Option<OutputFile>,
    /// Writes counts, levels and computing time
    #[arg(long, value_name = "S.json")]
    stats: Option<OutputFile>,
    /// Plays these channels, 1 to 16, or `all`, instead of the piano's part
    #[arg(long, value_name = "LIST")]
    channels: Option<Numbers>,
    /// Plays these tracks of the file, from 1, instead of the piano's part
    #[arg(long, value_name = "LIST")]
    tracks: Option<Numbers>,
    /// Draws strikes and waveform (.png or .svg)
    #[arg(long, value_name = "F.png")]
    plot: Option<OutputFile>,
    /// Renders music longer than an hour
    #[arg(long)]
    yes: bool,
}

/// The values of `--timing`.
#[derive(Clone, Copy, clap::ValueEnum, Debug)]
enum TimingArg {
    Immediate,
    Natural,
    LookAhead,
}

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

/// Sample rates, Hz.
const RATES: std::ops::RangeInclusive<u32> = 22_050..=384_000;

/// The sample rate that `text` names.
fn sample_rate(text: &str) -> Result<u32, String> {
    let whole = text.trim().parse().ok().filter(|rate| RATES.contains(rate));
    whole.ok_or_else(|| {
        let (low, high) = (RATES.start(), RATES.end());
        format!("a whole number of hertz, {low} to {high}, such as 44100")
    })
}

/// Renders; warnings go to stderr.
///
/// # Errors
/// A bad option or input, or a file that cannot be written; then no file is written.
pub fn run(options: &RenderOptions) -> Result<()> {
    let path = options.output.shown();
    if options.output.extension().is_some_and(|ending| !ending.eq_ignore_ascii_case("wav")) {
        bail!("--output {path}: a rendering is a .wav file");
    }
    options.plot.as_deref().map(plot::format_of).transpose()?;

    let rate = options.sample_rate;
    let name = options.input.shown();
    let recording =
        Recording::is_at(&options.input).then(|| Recording::open(&options.input)).transpose()?;
    let mut settings = controls::preset(&options.preset)?;
    match options.timing {
        Some(TimingArg::Immediate) => settings.touch.timing = Timing::Immediate,
        Some(TimingArg::Natural) => settings.touch.timing = Timing::Natural,
        Some(TimingArg::LookAhead) => settings.touch.timing = Timing::LookAhead,
        None => {}
    }
    controls::set(&mut settings, &options.set)?;
    controls::keys(&mut settings, options.keys.as_deref())?;
    if let Some(path) = &options.scale {
        settings.sound.scale = Some(scale::read(path, options.keymap.as_deref())?);
    }
    let is_table = options.input.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv"));
    let motion = is_table.then(|| KeyMotion::open(&options.input)).transpose()?;
    if motion.is_some() && settings.touch.timing == Timing::LookAhead {
        // Recorded keys are not early.
        settings.touch.timing = Timing::Natural;
    }
    let (score, lifts) = if recording.is_some() || is_table {
        (Score::empty(), ShortLifts::default())
    } else {
        let parts = parts(options, &settings);
        let bytes = output::read(&options.input, MIDI_LIMIT)?;
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
    controls::warn_idle(&settings, &options.set);
    let automation = Automation::read(&options.automate)?;
    for warning in motion.iter().flat_map(|motion| &motion.warnings).chain(&score.warnings) {
        output::warn(&format!("warning: {warning}"));
    }

    // All output files are created before the long work, so that an error shows at once.
    let draft = Draft::create(&options.output)?;
    let strikes_draft = options.strikes.as_deref().map(Draft::create).transpose()?;
    let stats_draft = options.stats.as_deref().map(Draft::create).transpose()?;
    let plot_draft = options.plot.as_deref().map(Draft::create).transpose()?;

    let mut wave = Wave::new(&draft, rate)?;
    // A pipeline has the settings with which it begins.
    let (piano, rear) = if automation.is_empty() && parallel::cores() > 1 {
        let (piano, rear) = Piano::ahead(f64::from(rate), &settings);
        (piano, Some(rear))
    } else {
        (Piano::new(f64::from(rate), &automation.at(&settings, 0.0)), None)
    };
    let mut player = Player::new(piano, &score, settings, &automation, rate);
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
        let stats = stats(player.ignored_notes(), lifts.repaired, &level, loudness.lufs(), &player);
        let mut text = serde_json::to_vec_pretty(&stats)?;
        text.push(b'\n');
        draft.write_all(&text)?;
    }
    if let (Some(draft), Some(picture)) = (&plot_draft, &picture) {
        let title = options.input.file_stem().unwrap_or_default().to_string_lossy();
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
    output::print(&format!(
        "wrote {path}: {:.1} s, peak {:.1} dBFS, RMS {:.1} dBFS, {:.1} LUFS\n",
        frames as f64 / f64::from(rate),
        level.peak_dbfs(),
        level.rms_dbfs(),
        loudness.lufs()
    ))
}

/// The parts of a file that are played.
fn parts(options: &RenderOptions, settings: &Settings) -> Parts {
    let RenderOptions { channels, tracks, .. } = options;
    if channels.is_none() && tracks.is_none() {
        return Parts::of(settings);
    }
    Parts { channels: channels.clone(), tracks: tracks.clone() }
}

/// Plays `score` on a piano with `settings` at `rate` Hz; `out` receives the frames in order. Returns the strikes
/// and the counts.
///
/// # Errors
/// Errors of `out`.
pub fn perform(
    score: &Score,
    settings: &Settings,
    rate: u32,
    out: impl FnMut(&[f32], &[f32]) -> Result<()>,
) -> Result<(Vec<StrikeRecord>, Counts)> {
    let automation = Automation::read(&[])?;
    let piano = Piano::new(f64::from(rate), settings);
    let mut player = Player::new(piano, score, *settings, &automation, rate);
    player.play(512, out)?;
    Ok((player.strikes().to_vec(), player.counts()))
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
