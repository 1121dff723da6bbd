//! `touchback lab shot`: draws the editor window off screen in a scripted state, as a picture.

#[cfg(feature = "window")]
mod drawing;

use anyhow::{Result, bail};
use clap::ValueEnum;

use touchback_haptics::action::Action;
#[cfg(not(feature = "window"))]
use touchback_instrument::host::params;
use touchback_offline::controls;
use touchback_offline::output::Shown as _;
use touchback_offline::paths::{InputPath, OutputFile};

/// Most pixels of a picture; drawing that many takes a quarter of a gigabyte.
const LARGEST: f64 = 64e6;

/// Options of `touchback lab shot`.
#[derive(clap::Args, Debug)]
pub struct ShotOptions {
    /// File to write
    #[arg(value_name = "OUT.png")]
    output: OutputFile,
    /// Width of the window, points
    #[arg(long, default_value_t = 1180.0, value_parser = number(320.0, 8000.0))]
    width: f64,
    /// Height of the window, points
    #[arg(long, default_value_t = 760.0, value_parser = number(240.0, 8000.0))]
    height: f64,
    /// Pixels per point
    #[arg(long, default_value_t = 1.0, value_parser = number(0.5, 4.0))]
    scale: f64,
    /// Dark colours
    #[arg(long)]
    dark: bool,
    /// Played key, 1 to 88 or A0 to C8
    #[arg(long, value_name = "KEY", default_value_t = 40,
          value_parser = controls::key_number)]
    key: u8,
    /// Hammer speed, m/s
    #[arg(long, default_value_t = 1.5, value_parser = number(0.1, 7.0))]
    speed: f64,
    /// Time shown, ms after the strike (negative: before it)
    #[arg(long, default_value_t = -3.0, allow_negative_numbers = true,
          value_parser = number(-1000.0, 1000.0), conflicts_with = "rest")]
    time: f64,
    /// Shows the key at rest, with nothing played
    #[arg(long)]
    rest: bool,
    /// Page of the window
    #[arg(long, value_enum, default_value_t = ShotFace::Piano)]
    face: ShotFace,
    /// Opens the list of pianos
    #[arg(long)]
    presets: bool,
    /// Haptic action of the motorized keyboard, as `touchback feel --action` names it
    #[arg(long, alias = "felt", value_name = "ACTION", default_value = Action::GRAND.name(), value_parser = controls::haptic_action)]
    haptic: Action,
    /// Shows force over depth in the scope
    #[arg(long)]
    depth: bool,
    /// Shows the states of the action
    #[arg(long)]
    states: bool,
    /// Action from a file that describes the mechanism
    #[arg(long, value_name = "FILE.mechanism.toml")]
    mechanism: Option<InputPath>,
    /// Sets a parameter (repeatable); `touchback params` lists the ids
    #[arg(long, value_name = "ID=VALUE")]
    set: Vec<String>,
}

/// Pages of the window.
#[derive(Clone, Copy, ValueEnum, Debug)]
enum ShotFace {
    Piano,
    Voice,
    Touch,
    Action,
    Keys,
    Keyboard,
    Settings,
}

/// A number between `low` and `high`.
fn number(low: f64, high: f64) -> impl Fn(&str) -> Result<f64, String> + Clone {
    move |text| match text.parse::<f64>() {
        Ok(value) if (low..=high).contains(&value) => Ok(value),
        _ => Err(format!("a number from {low} to {high} is expected")),
    }
}

/// Runs `touchback lab shot`.
///
/// # Errors
/// An unknown parameter, a value out of range, a picture that is too large, a file that cannot be
/// written.
pub fn run(options: &ShotOptions) -> Result<()> {
    let pixels = options.width * options.height * options.scale * options.scale;
    if pixels > LARGEST {
        bail!("a picture of {:.0} million pixels: make it or --scale smaller", pixels / 1e6);
    }
    if options.output.extension().is_none_or(|e| !e.eq_ignore_ascii_case("png")) {
        bail!("{}: a picture of the window is a .png file", options.output.shown());
    }
    draw(options)
}

#[cfg(feature = "window")]
use drawing::draw;

#[cfg(not(feature = "window"))]
fn draw(options: &ShotOptions) -> Result<()> {
    params::apply(&mut touchback_instrument::Settings::default(), &options.set)?;
    bail!("{}: {}", options.output.shown(), crate::cli::NO_WINDOW)
}
