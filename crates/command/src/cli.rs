//! The command line: arguments, exit codes, one-line errors.

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use touchback_lab::experiment::Missed;
use touchback_offline::simulate::balance::Unbalanced;

mod manual;
mod page;
use crate::{demo, feel, film, keyboard, play, preset, shot};
use touchback_lab::experiment::{self, Catalogue};
use touchback_offline::{compare_touch, fit, model, output, paths, render, simulate, weigh};
use touchback_recorded::{compare, voicing};

#[cfg(test)]
mod tests;

/// Version, with the commit where the program is built in a repository.
const VERSION: &str = env!("TOUCHBACK_VERSION");

/// A grand piano with a simulated action: play, render and measure it.
#[derive(Parser, Debug)]
#[command(name = "touchback", version = VERSION, about, long_about = None,
    args_conflicts_with_subcommands = true,
    after_help = "Without a command: renders the demonstration into touchback-demo/.")]
struct Cli {
    /// Number of bars of the demonstration's prelude, 1 to 35
    #[arg(long, value_name = "COUNT", default_value_t = demo::BARS,
        value_parser = demo::bars)]
    bars: usize,
    /// Prints the list of all options at the end of docs/command.md instead
    #[arg(long)]
    page: bool,
    /// Writes man pages and completions for shells into this folder instead
    #[arg(long, value_name = "DIR")]
    manual: Option<paths::OutputFolder>,
    /// Prints results and errors only: no warnings, progress or names of written files
    #[arg(long, short, global = true)]
    quiet: bool,
    #[command(subcommand)]
    command: Option<SubCommand>,
}

#[derive(Subcommand, Debug)]
enum SubCommand {
    /// Opens the instrument as an application with its own audio and MIDI
    #[command(disable_help_flag = true)]
    Play(play::PlayOptions),
    /// Renders a MIDI file to a stereo WAV file
    Render(render::RenderOptions),
    /// Simulates one key under one gesture
    Simulate(simulate::SimulateOptions),
    /// Compares the key motion of two takes, stroke by stroke
    CompareTouch(compare_touch::CompareOptions),
    /// Fits parameters of a model to a measured key
    Fit(fit::FitOptions),
    /// Fits a voicing to a folder of recorded notes and writes it as a preset
    Match(voicing::MatchOptions),
    /// Weighs and measures keys as a piano technician does
    Weigh(weigh::WeighOptions),
    /// Exports models of actions
    #[command(subcommand)]
    Model(ModelCommand),
    /// Lists and exports presets: factory pianos and your own
    #[command(subcommand)]
    Preset(PresetCommand),
    /// Prints every parameter as a JSON array
    Params {
        /// Prints the page docs/parameters.md instead
        #[arg(long)]
        page: bool,
    },
    /// Finds, tests and emulates motorized keyboards
    #[command(subcommand)]
    Keyboard(keyboard::KeyboardCommand),
    /// Renders an action by force on a motorized keyboard (haptics)
    Feel(feel::FeelOptions),
    /// Runs experiments and validations; `list` names them
    Lab(Lab),
}

/// Error of a command that draws the window, in a build that has none.
#[cfg(not(feature = "window"))]
pub(crate) const NO_WINDOW: &str = "this command was built without the window; build it with `cargo build --release --features window`";

#[derive(clap::Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true
)]
struct Lab {
    #[command(subcommand)]
    other: Option<LabCommand>,
    #[command(flatten)]
    experiments: experiment::LabOptions,
}

#[derive(Subcommand, Debug)]
enum LabCommand {
    /// Explains an experiment: quantities, references, keys and duration
    Help(experiment::help::HelpOptions),
    /// Shows a figure or table of the source documents: runs the experiments that have it
    Figure(experiment::figure::FigureOptions),
    /// Draws one quantity of a key as a function of one parameter
    Sweep(experiment::sweep::SweepOptions),
    /// Searches an action whose knuckle rolls on the repetition lever
    RollingKnuckle(experiment::rolling_knuckle::SearchOptions),
    /// Compares the piano with a folder of recorded notes, key by key
    Recorded(compare::RecordedOptions),
    /// Draws the editor window off screen in a scripted state
    Shot(shot::ShotOptions),
    /// Draws the editor window while a MIDI file plays, as a moving picture
    Film(film::FilmOptions),
}

#[derive(Subcommand, Debug)]
enum PresetCommand {
    /// Lists the factory pianos
    List {
        /// Prints a JSON array of names and descriptions
        #[arg(long)]
        json: bool,
    },
    /// Writes a piano as a .vstpreset file for VST3 hosts, or as a preset file
    Export(preset::ExportOptions),
}

#[derive(Subcommand, Debug)]
enum ModelCommand {
    /// Writes every dimension, mass, spring and friction of one key
    Export(model::ModelOptions),
}

/// Runs the command line. Exit codes: 0 success; 1 targets missed with `lab --strict`; 2 failure;
/// 3 outputs written, but the energy balance of the run does not close. A failure prints one line to
/// stderr. `catalogue` has the experiments of `touchback lab`.
#[must_use]
pub fn main(catalogue: Catalogue) -> ExitCode {
    let outcome = match parsed(std::env::args_os()) {
        Ok((cli, is_file)) => {
            if is_file {
                output::print_to_stderr();
            }
            if cli.quiet {
                output::be_quiet();
            }
            output::set_version(VERSION);
            run(cli, catalogue)
        }
        Err(Refused::Usage(error)) if !error.use_stderr() => {
            // Help and version. A closed pipe is no error.
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        Err(Refused::Usage(error)) => Err(anyhow::anyhow!("{}", usage(&error, &named()))),
        Err(Refused::Paths(error)) => Err(error),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if output::is_closed(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::warn(&format!("error: {}", one_line(&format!("{error:#}"))));
            ExitCode::from(match () {
                () if error.is::<Missed>() => 1,
                () if error.is::<Unbalanced>() => 3,
                () => 2,
            })
        }
    }
}

/// Why a command line is refused.
#[derive(Debug)]
enum Refused {
    /// clap refused it, or it requests help or the version.
    Usage(clap::Error),
    /// An output would overwrite an input.
    Paths(anyhow::Error),
}

/// Parses `arguments`, the program's name first; also returns whether standard output is an output file.
fn parsed(
    arguments: impl IntoIterator<Item = impl Into<std::ffi::OsString> + Clone>,
) -> Result<(Cli, bool), Refused> {
    let mut command = Cli::command();
    let matches = command.try_get_matches_from_mut(arguments).map_err(Refused::Usage)?;
    let is_file = paths::refuse_overwriting(&command, &matches).map_err(Refused::Paths)?;
    let cli = Cli::from_arg_matches(&matches);
    let cli = cli.map_err(|error| Refused::Usage(error.format(&mut command)))?;
    Ok((cli, is_file))
}

fn run(cli: Cli, catalogue: Catalogue) -> anyhow::Result<()> {
    match cli.command {
        None if cli.page => output::print(&page::page(&Cli::command())),
        None => match &cli.manual {
            Some(folder) => manual::write(Cli::command(), folder),
            None => demo::run(std::path::Path::new("touchback-demo"), cli.bars),
        },
        Some(SubCommand::Play(options)) => play::run(&options),
        Some(SubCommand::Render(options)) => render::run(&options),
        Some(SubCommand::Simulate(options)) => simulate::run(&options),
        Some(SubCommand::CompareTouch(options)) => compare_touch::run(&options),
        Some(SubCommand::Fit(options)) => fit::run(&options),
        Some(SubCommand::Match(options)) => voicing::run(&options),
        Some(SubCommand::Weigh(options)) => weigh::run(&options),
        Some(SubCommand::Model(ModelCommand::Export(options))) => model::run(&options),
        Some(SubCommand::Preset(PresetCommand::List { json })) => {
            output::print(&preset::list(json))
        }
        Some(SubCommand::Preset(PresetCommand::Export(options))) => preset::export(&options),
        Some(SubCommand::Params { page: true }) => {
            output::print(&touchback_instrument::host::params::page::page())
        }
        Some(SubCommand::Params { page: false }) => {
            let text =
                serde_json::to_string_pretty(&touchback_instrument::host::params::listing())?;
            output::print(&(text + "\n"))
        }
        Some(SubCommand::Keyboard(command)) => keyboard::run(&command),
        Some(SubCommand::Feel(options)) => feel::run(&options),
        Some(SubCommand::Lab(lab)) => match lab.other {
            Some(LabCommand::Help(options)) => experiment::help::run(&options, catalogue),
            Some(LabCommand::Figure(options)) => experiment::figure::run(&options, catalogue),
            Some(LabCommand::Sweep(options)) => experiment::sweep::run(&options),
            Some(LabCommand::RollingKnuckle(options)) => experiment::rolling_knuckle::run(&options),
            Some(LabCommand::Recorded(options)) => compare::run(&options),
            Some(LabCommand::Shot(options)) => shot::run(&options),
            Some(LabCommand::Film(options)) => film::run(&options),
            None => experiment::run(&lab.experiments, catalogue),
        },
    }
}

/// The command that the program's arguments name, such as `touchback lab sweep`.
fn named() -> String {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    command_of(arguments.iter().map(String::as_str))
}

/// The command that the first of `words` name.
fn command_of<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let (root, mut name) = (Cli::command(), "touchback".to_owned());
    let mut command = &root;
    for word in words {
        let Some(inner) = command.find_subcommand(word) else { break };
        name = format!("{name} {word}");
        command = inner;
    }
    name
}

/// clap's message without its usage paragraphs, with the command whose help to read: `command` where clap does
/// not name one.
fn usage(error: &clap::Error, command: &str) -> String {
    let text = error.to_string();
    let mut parts = text.split("\n\n");
    let message = parts.next().unwrap_or_default().trim().trim_start_matches("error: ");
    let (mut tip, mut command) = (String::new(), command.to_owned());
    for part in parts {
        if let Some(text) = part.trim().strip_prefix("tip: ") {
            tip = format!(" ({text})");
        } else if let Some(usage) = part.trim().strip_prefix("Usage: ") {
            let is_name = |word: &&str| {
                let mut letters = word.chars();
                letters.next().is_some_and(|c| c.is_ascii_lowercase())
                    && letters.all(|c| c.is_ascii_lowercase() || c == '-')
            };
            // The first word is the program's file name, which may be any.
            let inner = usage.split_whitespace().skip(1).take_while(is_name);
            command = std::iter::once("touchback").chain(inner).collect::<Vec<_>>().join(" ");
        }
    }
    use clap::error::ErrorKind::{DisplayHelpOnMissingArgumentOrSubcommand, MissingSubcommand};
    if matches!(error.kind(), DisplayHelpOnMissingArgumentOrSubcommand | MissingSubcommand) {
        let inner = inner_commands(&command).join(", ");
        return format!("a command is missing: {inner}; see `{command} --help`");
    }
    format!("{}{tip}; see `{command} --help`", one_line(message))
}

/// The commands of the command called `name`, such as `touchback model`.
fn inner_commands(name: &str) -> Vec<String> {
    let root = Cli::command();
    let words = name.split_whitespace().skip(1);
    let found = words.fold(&root, |command, word| command.find_subcommand(word).unwrap_or(command));
    found.get_subcommands().map(|inner| inner.get_name().to_owned()).collect()
}

/// `text` on one line, with the control characters of file names escaped.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    output::escaped(&words.join(" "))
}
