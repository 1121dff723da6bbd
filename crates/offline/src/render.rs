//! `touchback render`: renders MIDI files, or servo's logs of haptic sessions, to WAV files.

mod batch;
mod gain;
mod jobs;
mod ledger;
pub mod loudness;
mod motion;
mod outputs;
mod picture;
mod player;
mod rendering;
mod scale;
mod sound;
mod source;

use std::num::NonZeroUsize;

use anyhow::{Result, bail};

use crate::controls::{self, Automation};
use crate::output::{self, Shown as _};
use crate::paths::{CurveOption, InputPath, OutputFile, OutputFileOrFolder, PianoName};
use crate::{parallel, plot};
use gain::Normal;
use jobs::Part;
use player::Player;
use rendering::Rendering;
use sound::Format;
use touchback_core::files::samples::SampleForm;
use touchback_instrument::host::midi_file::{Numbers, Score};
use touchback_instrument::play::record::{Counts, StrikeRecord};
use touchback_instrument::settings::Timing;
use touchback_instrument::{Piano, Settings};

pub use outputs::strikes_csv;

/// Options of `touchback render`.
#[derive(clap::Args, Clone, Debug)]
pub struct RenderOptions {
    /// MIDI file of any format or MIDI clip; a table of key depths (.csv: time and a column for each key);
    /// or a servo's log from `touchback feel --log`. Several files, and the MIDI files below folders, are
    /// rendered on all cores; -o, --strikes, --events, --stats and --motion then name folders
    #[arg(value_name = "IN.mid|KEYS.csv|DIR", required_unless_present = "list")]
    input: Vec<InputPath>,
    /// Renders the files of this list, a path a line, into folders; names keep their folders
    #[arg(long, value_name = "FILES.txt")]
    list: Option<InputPath>,
    /// Stereo WAV file to write, above 4 GB as RF64, or FLAC file
    #[arg(short, long, value_name = "OUT.wav|DIR")]
    output: OutputFileOrFolder,
    /// Format of the files in folders and on standard output; a file's own ending says it [default: wav]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,
    /// Sample rate, Hz
    #[arg(long, value_name = "HZ", default_value_t = 48_000,
          value_parser = sample_rate)]
    sample_rate: u32,
    /// Bits of a sample: 24, or 32 in floating point
    #[arg(long, value_name = "BITS", value_parser = ["24", "32"], default_value = "24")]
    bits: String,
    /// Brings the largest sample to -1 dBFS, or to a level (--normalize=-3), or the loudness
    /// (--normalize=-23LUFS)
    #[arg(long, value_name = "LEVEL", num_args = 0..=1, require_equals = true,
          default_missing_value = "-1")]
    normalize: Option<Normal>,
    /// Samples per block; does not change the sound
    #[arg(long, value_name = "N", default_value_t = 512,
          value_parser = clap::value_parser!(u32).range(1..=8192))]
    block: u32,
    /// Factory piano, or a preset file
    #[arg(long, value_name = "NAME|FILE.toml", default_value = "concert")]
    preset: PianoName,
    /// Immediate: sound at note-on. Natural: sound when the hammer arrives, 27 to 291 ms later.
    /// Look-ahead: the press begins early, so that the hammer arrives at the note's time
    #[arg(long, value_enum, value_name = "WHEN")]
    timing: Option<TimingArg>,
    /// Sets a parameter: a number in its unit, or a choice by name (repeatable)
    #[arg(long, value_name = "ID=VALUE")]
    set: Vec<String>,
    /// Offsets of single keys: a sheet with a column `key` and any of let_off_mm, drop_mm, …
    #[arg(long, value_name = "SHEET.csv")]
    keys: Option<InputPath>,
    /// Plays the mechanism in a file instead of the grand action
    #[arg(long, value_name = "FILE.mechanism.toml")]
    mechanism: Option<InputPath>,
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
    #[arg(long, value_name = "S.csv|DIR")]
    strikes: Option<OutputFileOrFolder>,
    /// Writes every event of the action: let-off, strike, check, key bottom and others
    #[arg(long, value_name = "E.csv|DIR")]
    events: Option<OutputFileOrFolder>,
    /// Writes counts, levels and computing time
    #[arg(long, value_name = "S.json|DIR")]
    stats: Option<OutputFileOrFolder>,
    /// Writes the motion of keys, hammers and dampers
    #[arg(long, value_name = "M.csv|DIR")]
    motion: Option<OutputFileOrFolder>,
    /// Rows per second of a moving key in --motion
    #[arg(long, value_name = "HZ", default_value_t = 250,
          value_parser = clap::value_parser!(u32).range(1..=8000))]
    motion_rate: u32,
    /// Plays these channels, 1 to 16, or `all`, instead of the piano's part
    #[arg(long, value_name = "LIST")]
    channels: Option<Numbers>,
    /// Plays these tracks of the file, from 1, instead of the piano's part
    #[arg(long, value_name = "LIST")]
    tracks: Option<Numbers>,
    /// Channel volume of a MIDI file until it sets one: full (127), or 100 as General MIDI has it
    #[arg(long, value_enum, value_name = "WHICH", default_value = "full")]
    midi_volume: MidiVolume,
    /// Begins with the first note of a MIDI file
    #[arg(long)]
    trim: bool,
    /// Draws strikes and waveform (.png or .svg)
    #[arg(long, value_name = "F.png")]
    plot: Option<OutputFile>,
    /// Renders music longer than an hour
    #[arg(long)]
    yes: bool,
    /// Number of threads that render files [default: one on each core]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Renders a part of the files: every N-th from the I-th on, on one of N machines
    #[arg(long, value_name = "I/N")]
    part: Option<Part>,
    /// Goes on with a batch: leaves out files whose outputs are there
    #[arg(long)]
    skip_existing: bool,
    /// Prints a line of JSON for each file
    #[arg(long)]
    json: bool,
}

impl RenderOptions {
    /// Form of the samples.
    fn form(&self) -> SampleForm {
        if self.bits == "32" { SampleForm::Float32 } else { SampleForm::Int24 }
    }
}

/// The values of `--midi-volume`.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum, Debug)]
enum MidiVolume {
    Full,
    Gm,
}

/// The values of `--timing`.
#[derive(Clone, Copy, clap::ValueEnum, Debug)]
enum TimingArg {
    Immediate,
    Natural,
    LookAhead,
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
/// A bad option or input, or a file that cannot be written; then no file is written. Of several inputs
/// the others are rendered.
pub fn run(options: &RenderOptions) -> Result<()> {
    let [input] = &*options.input else { return batch::run(options) };
    if !jobs::is_single(options) {
        return batch::run(options);
    }
    if options.part.is_some() || options.skip_existing {
        bail!("--part and --skip-existing belong to several files; name a folder or --list");
    }
    let path = options.output.shown();
    let format = Format::chosen(options, true)?;
    options.plot.as_deref().map(plot::format_of).transpose()?;
    let rendering = Rendering {
        options,
        order: &Order::of(options)?,
        input,
        output: &options.output,
        format,
        strikes: options.strikes.as_deref(),
        events: options.events.as_deref(),
        stats: options.stats.as_deref(),
        motion: options.motion.as_deref(),
        is_alone: true,
        is_ahead: options.jobs.map_or_else(parallel::cores, usize::from) > 1,
    };
    let rendered = rendering.run()?;
    if !options.json {
        return output::note(&rendered.line());
    }
    let mut record = rendered.record();
    (record["input"], record["output"]) = (input.shown().into(), path.into());
    output::print(&format!("{record}\n"))
}

/// What the options say of every rendering.
struct Order {
    settings: Settings,
    automation: Automation,
}

impl Order {
    fn of(options: &RenderOptions) -> Result<Self> {
        let mut settings = controls::preset(&options.preset)?;
        match options.timing {
            Some(TimingArg::Immediate) => settings.touch.timing = Timing::Immediate,
            Some(TimingArg::Natural) => settings.touch.timing = Timing::Natural,
            Some(TimingArg::LookAhead) => settings.touch.timing = Timing::LookAhead,
            None => {}
        }
        controls::mechanism(&mut settings, options.mechanism.as_deref())?;
        controls::set(&mut settings, &options.set)?;
        if settings.action.action != settings.action.played() {
            output::warn(
                "warning: the grand plays in place of a mechanism; name its file by --mechanism",
            );
        }
        controls::keys(&mut settings, options.keys.as_deref())?;
        if let Some(path) = &options.scale {
            settings.sound.scale = Some(scale::read(path, options.keymap.as_deref())?).into();
        }
        Ok(Self { settings, automation: Automation::read(&options.automate)? })
    }
}

/// Plays `score` on a piano with `settings` at `rate` Hz, on three threads where there are several cores; `out` receives the frames in order. Returns the strikes
/// and the counts.
///
/// # Errors
/// Errors of `out`.
pub fn perform(
    score: &Score,
    settings: &Settings,
    rate: u32,
    out: impl FnMut(&[f32], &[f32]) -> Result<()> + Send,
) -> Result<(Vec<StrikeRecord>, Counts)> {
    let automation = Automation::read(&[])?;
    let (piano, rear) = match parallel::cores() > 1 {
        true => {
            let (piano, rear) = Piano::ahead(f64::from(rate), settings);
            (piano, Some(rear))
        }
        false => (Piano::new(f64::from(rate), settings), None),
    };
    let mut player = Player::new(piano, score, settings.clone(), &automation, rate);
    match rear {
        Some(rear) => player.play_ahead(rear, 512, out)?,
        None => player.play(512, out)?,
    }
    Ok((player.strikes().to_vec(), player.counts()))
}
