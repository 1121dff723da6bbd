//! `touchback feel`: the haptic loop without a plugin host, controlled from the terminal.

mod compare;
mod drawing;
mod midi;
pub mod performer;
mod record;
mod replay;
mod spool;
mod terminal_session;

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::keyboard::probe::{histogram, port_of, seconds, wait};
use performer::Performer;
use record::Records;
use terminal_session::TerminalSession;
use touchback_action::ActionKind;
use touchback_haptics::action::Action;
use touchback_haptics::keyboard::status_text;
use touchback_haptics::line::port_group::PortGroup;
use touchback_haptics::servo::{self, BLOCK_MAX};
use touchback_haptics::sidecar::{SidecarOrder, SidecarReport};
use touchback_instrument::Settings;
use touchback_offline::output::{self, Draft};
use touchback_offline::paths::{InputPath, OutputFile, PortName};
use touchback_offline::{controls, interrupt};

/// Options of `touchback feel`.
#[derive(clap::Args, Debug)]
pub struct FeelOptions {
    /// Serial port of the keyboard, the path printed by `touchback keyboard emulate`, or `emulator`
    #[arg(value_name = "PORT", required_unless_present = "ports")]
    port: Option<PortName>,
    /// A further port of the same keyboard, with other keys (repeatable): boards of 44 keys each are
    /// `--port A --port B`
    #[arg(long = "port", value_name = "PORT", conflicts_with = "replay")]
    ports: Vec<PortName>,
    /// Action: grand, harpsichord, bench-load, wall-deadbeat …; an unknown name lists all. A sampled wall has
    /// numbers: wall-standard:k=10000,t=0.01
    #[arg(long, value_name = "NAME", default_value = "grand",
          value_parser = controls::haptic_action)]
    action: Action,
    /// Action from a file that describes the mechanism
    #[arg(long, value_name = "FILE.mechanism.toml", conflicts_with_all = ["action", "replay"])]
    mechanism: Option<InputPath>,
    /// Sets a parameter of the action, in its unit (repeatable)
    #[arg(long, value_name = "ID=VALUE")]
    set: Vec<String>,
    /// Offsets of single keys: a sheet with a column `key` and any of let_off_mm, drop_mm, …
    #[arg(long, value_name = "SHEET.csv")]
    keys: Option<InputPath>,
    /// Arms the motors at once; without it, type `a` and Enter to arm
    #[arg(long)]
    arm: bool,
    /// Gain of the force, 0…1; while running, type a number and Enter to change it
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    gain: f64,
    /// Time from a keyboard's state message to the use of the answer, µs: the latency budget
    #[arg(long, value_name = "US", default_value_t = 1000)]
    lead_us: u32,
    /// Delays the loop as an audio block of this many samples at 48 kHz would, 0…256
    #[arg(long, value_name = "N", default_value_t = 0)]
    block: u32,
    /// Gives a keyboard that accepts plain forces only the mean force of the past interval, with much damping, in place of
    /// that of the interval in which it acts
    #[arg(long)]
    uncompensated: bool,
    /// Writes the motion of the first played key as a gesture file (t_s,key_m) for `simulate`
    #[arg(long, value_name = "RUN.csv")]
    record: Option<OutputFile>,
    /// Writes the servo's log, which `simulate`, `render` and `feel --replay` replay bit for bit
    #[arg(long, value_name = "SERVO.log")]
    log: Option<OutputFile>,
    /// Writes the session as MIDI: strikes as notes, key positions as polyphonic pressure
    #[arg(long, value_name = "OUT.mid")]
    midi: Option<OutputFile>,
    /// Feeds the strings' vibration back to the keys, at most 80 µm and 1 N
    #[arg(long)]
    vibration: bool,
    /// Plays a MIDI file with the motors; a key yields at once to a finger
    #[arg(long, value_name = "FILE.mid", conflicts_with = "compare")]
    play: Option<InputPath>,
    /// With --play: largest force of the simulated finger on a key, N
    #[arg(long, value_name = "N", default_value_t = 10.0, requires = "play")]
    play_force: f64,
    /// Replays the log named as PORT without a keyboard: prints its events and a fingerprint, and writes
    /// --record and --midi from it. After a session that was killed, FILE.part is its log
    #[arg(long, conflicts_with_all = ["log", "play", "compare"])]
    replay: bool,
    /// Blind comparison (ABX) of two actions, or of settings as ID=VALUE[,ID=VALUE…]
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    compare: Vec<String>,
    /// With --compare: writes every answer
    #[arg(long, value_name = "ANSWERS.csv", requires = "compare")]
    answers: Option<OutputFile>,
    /// Ends after this many seconds; else at `q` and Enter, a signal or the end of the input
    #[arg(long, value_name = "S", value_parser = seconds)]
    seconds: Option<f64>,
}

/// Runs the haptic loop until it is ended.
///
/// # Errors
/// A bad value, a port that cannot be opened, a keyboard that cannot be used, a file that cannot be
/// written.
pub fn run(options: &FeelOptions) -> Result<()> {
    if options.replay {
        let (record, midi) = (options.record.as_deref(), options.midi.as_deref());
        let records = Records::create(record, None, midi, &Settings::default().touch)?;
        let log = options.port.as_deref().context("--replay needs a log")?;
        return replay::run(Path::new(log), records);
    }
    let mut settings = Settings::default();
    controls::mechanism(&mut settings, options.mechanism.as_deref())?;
    let action = match options.mechanism {
        Some(_) => Action::Played(ActionKind::File),
        None if options.action == Action::Played(ActionKind::File) => {
            bail!("--action file: --mechanism FILE.mechanism.toml names the file")
        }
        None => options.action,
    };
    if !(0.0..=1.0).contains(&options.gain) {
        bail!("--gain {}: a share between 0 and 1", options.gain);
    }
    if options.block > BLOCK_MAX {
        bail!(
            "--block {}: at most {BLOCK_MAX} samples; longer blocks delay the loop too much",
            options.block
        );
    }
    if !(125..=20_000).contains(&options.lead_us) {
        bail!("--lead-us {}: between 125 and 20000 µs", options.lead_us);
    }
    controls::set(&mut settings, &options.set)?;
    controls::keys(&mut settings, options.keys.as_deref())?;
    if let Action::Played(kind) = action {
        let mut played = settings.clone();
        played.action.action = kind;
        controls::warn_idle(&played, &options.set);
    }
    let sides = compare::sides(&options.compare, action, &settings)?;
    if !(0.5..=20.0).contains(&options.play_force) {
        bail!("--play-force {}: between 0.5 and 20 N", options.play_force);
    }
    let performer = options.play.as_deref().map(|p| Performer::open(p, &settings)).transpose()?;
    let records = Records::create(
        options.record.as_deref(),
        options.log.as_deref(),
        options.midi.as_deref(),
        &settings.touch,
    )?;
    let answers = options.answers.as_deref().map(Draft::create).transpose()?;

    let felt = servo::ServoOptions {
        action,
        settings: settings.action,
        gain: options.gain,
        lead_us: options.lead_us,
        block: options.block,
        vibrates: options.vibration,
        plays: performer.is_some(),
        play_force: options.play_force,
        coupling: match options.uncompensated {
            true => servo::Coupling::PAST,
            false => servo::Coupling::COMPENSATED,
        },
        ..servo::ServoOptions::default()
    };
    interrupt::watch()?;
    let named = options.port.iter().chain(&options.ports);
    let opened = named.map(|port| port_of(port)).collect::<Result<Vec<_>>>()?;
    let (paths, _emulated): (Vec<String>, Vec<_>) = opened.into_iter().unzip();
    let mut ports = PortGroup::start(&paths, "touchback feel", &felt)?;
    for (path, sidecar) in ports.sidecars() {
        wait(path, sidecar, Duration::from_secs(3))?;
    }
    ports.update();
    if ports.conflict().is_some() {
        bail!("{}", ports.texts().join("; "));
    }
    if options.arm {
        ports.order(&SidecarOrder::Arm(true));
        output::warn("arming; type a share and Enter for less force, `off`, or `q` to end");
    } else {
        output::warn("no force yet; type `a` and Enter for force, `off`, a share, or `q` to end");
    }
    let mut terminal = TerminalSession::new(records, sides.map(compare::Trial::new));
    // The records are kept even if the terminal is closed (SIGHUP).
    let outcome = terminal.run(&mut ports, performer, options.seconds);
    ports.update();
    let reports: Vec<SidecarReport> = ports.reports().copied().collect();
    ports.end();
    terminal.drain(&ports)?;
    let trial = terminal.keep()?;
    outcome?;
    let mut text = String::new();
    for (path, report) in paths.iter().zip(&reports) {
        if reports.len() > 1 {
            text += &format!("{path}\n");
        }
        text += &summary(report)?;
        if let Some(advice) = status_text::advice(report) {
            text += &format!("\n{advice}\n");
        }
    }
    if let Some(trial) = &trial {
        text += &trial.verdict();
        if let Some(draft) = answers {
            draft.write_all(trial.csv().as_bytes())?;
            draft.keep()?;
        }
    }
    output::print(&text)
}

fn summary(report: &SidecarReport) -> Result<String> {
    let mut text = String::new();
    histogram(&mut text, "round trip", &report.round_trips)?;
    histogram(&mut text, "state to state", &report.periods)?;
    histogram(&mut text, "work on a state", &report.work)?;
    let status = &report.status;
    text += &format!(
        "\n{} states, {} lost, {} damaged, {} gaps; force limited {} times; {} log entries lost; \
         {} keys left to a finger\n",
        status.states,
        status.lost,
        status.damaged,
        status.gaps,
        status.limited,
        report.lost_log,
        status.yields
    );
    Ok(text)
}
