//! `touchback lab film`: the window while a performance plays, or a scripted walk through it, as a moving picture
//! (APNG).

#[cfg(feature = "window")]
mod animation;
#[cfg(feature = "window")]
mod drawing;
#[cfg(feature = "window")]
mod player;
#[cfg(feature = "window")]
mod walk;

use anyhow::{Result, bail};

use touchback_instrument::host::midi_file::Score;
use touchback_offline::output::{self, Shown as _};
use touchback_offline::paths::{InputPath, OutputFile};

/// Largest MIDI file, bytes.
const LIMIT: u64 = 10_000_000;
/// Options of `touchback lab film`.
#[derive(clap::Args, Debug)]
pub struct FilmOptions {
    /// The performance, or the steps of a walk (docs/walks)
    #[arg(value_name = "IN.mid|WALK.toml")]
    input: InputPath,
    /// File to write
    #[arg(short, long, value_name = "OUT.png")]
    output: OutputFile,
    /// Beginning within the performance, s; a walk has its own times
    #[arg(long, default_value_t = 0.0, value_name = "SECONDS")]
    from: f64,
    /// Duration, s
    #[arg(long, default_value_t = 20.0, value_name = "SECONDS")]
    duration: f64,
    /// Frames a second
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u16).range(1..=60))]
    rate: u16,
    /// Width of the window, points
    #[arg(long, default_value_t = 900.0)]
    width: f64,
    /// Height of the window, points
    #[arg(long, default_value_t = 600.0)]
    height: f64,
    /// Pixels per point
    #[arg(long, default_value_t = 0.8)]
    scale: f64,
    /// Dark colours
    #[arg(long)]
    dark: bool,
}

/// Runs `touchback lab film`.
///
/// # Errors
/// A size or duration out of range, a MIDI file that cannot be read, a file that cannot be written.
pub fn run(options: &FilmOptions) -> Result<()> {
    let FilmOptions { from, duration, width, height, scale, .. } = *options;
    for (name, value, range) in [
        ("--from", from, 0.0..=36_000.0),
        ("--duration", duration, 0.1..=60.0),
        ("--width", width, 320.0..=2_000.0),
        ("--height", height, 240.0..=2_000.0),
        ("--scale", scale, 0.5..=2.0),
    ] {
        if !range.contains(&value) {
            bail!("{name} takes {} to {}, not {value}", range.start(), range.end());
        }
    }
    let (file, bytes) = (options.input.shown(), output::read(&options.input, LIMIT)?);
    if options.input.extension().is_some_and(|end| end.eq_ignore_ascii_case("toml")) {
        return draw_walk(options, &bytes);
    }
    draw(options, &Score::read(&file, &bytes)?)
}

#[cfg(feature = "window")]
use drawing::{draw, draw_walk};

#[cfg(not(feature = "window"))]
fn draw(options: &FilmOptions, _: &Score) -> Result<()> {
    bail!("{}: {}", options.output.shown(), crate::cli::NO_WINDOW)
}

#[cfg(not(feature = "window"))]
fn draw_walk(options: &FilmOptions, _: &[u8]) -> Result<()> {
    draw(options, &Score::empty())
}
