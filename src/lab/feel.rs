//! `touchback feel`: the haptic loop without a host, live on the terminal.

mod compare;
mod servo_log;

use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::action::{EventKind, STEP};
use crate::exchange::queue;
use crate::haptics::log::{Entry, Twin};
use crate::haptics::mechanism::Action;
use crate::haptics::servo::{self, BLOCK_MAX};
use crate::haptics::session::{Standing, Why};
use crate::haptics::sidecar::{Order, Sidecar};
use crate::instrument::Settings;
use crate::lab::controls;
use crate::lab::keyboard::probe::{histogram, seconds, wait};
use crate::lab::output::{self, Draft};

/// What to feel.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// Serial port of the keyboard, or the path `touchback keyboard emulate` prints
    #[arg(value_name = "PORT")]
    port: String,
    /// Action: grand, harpsichord, bench-load, wall-deadbeat …; an unknown name lists them all
    #[arg(long, value_name = "NAME", default_value = "grand")]
    action: String,
    /// Sets a parameter of the action, in its unit (repeatable)
    #[arg(long, value_name = "ID=VALUE")]
    set: Vec<String>,
    /// Share of the force, 0…1; while running, type another and Enter
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    gain: f64,
    /// Time from a keyboard's state to the answer's use, µs: what the way may take
    #[arg(long, value_name = "US", default_value_t = 1000)]
    lead_us: u32,
    /// Joins as if through an audio block of so many samples at 48 kHz, 0…256
    #[arg(long, value_name = "N", default_value_t = 0)]
    block: u32,
    /// Writes how the first key moved as a gesture file (t_s,key_m) that `simulate` plays
    #[arg(long, value_name = "RUN.csv")]
    record: Option<PathBuf>,
    /// Writes the servo's log, which `feel --replay` repeats bit for bit
    #[arg(long, value_name = "SERVO.log")]
    log: Option<PathBuf>,
    /// Reads PORT as such a log and replays it: events and a fingerprint, no keyboard
    #[arg(long, conflicts_with_all = ["record", "log", "compare"])]
    replay: bool,
    /// Compares two blind: actions, or settings as ID=VALUE[,ID=VALUE…]
    #[arg(long, num_args = 2, value_names = ["A", "B"])]
    compare: Vec<String>,
    /// With --compare: writes every answer
    #[arg(long, value_name = "ANSWERS.csv", requires = "compare")]
    answers: Option<PathBuf>,
    /// Ends after so many seconds instead of at `q` and Enter
    #[arg(long, value_name = "S", value_parser = seconds)]
    seconds: Option<f64>,
}

/// Feels until told to end.
///
/// # Errors
/// A bad value, a port that cannot be had, a keyboard that cannot be used, a disk that refuses.
pub fn run(options: &Options) -> Result<()> {
    if options.replay {
        return servo_log::replay(std::path::Path::new(&options.port));
    }
    let Some(action) = Action::of(&options.action) else {
        let names = Action::ALL.map(Action::name).join(", ");
        bail!("--action {}: cannot be felt; one of {names}", options.action)
    };
    if !(0.0..=1.0).contains(&options.gain) {
        bail!("--gain {}: a share between 0 and 1", options.gain);
    }
    if options.block > BLOCK_MAX {
        bail!("--block {}: at most {BLOCK_MAX} samples; longer ones cannot be felt", options.block);
    }
    if !(125..=20_000).contains(&options.lead_us) {
        bail!("--lead-us {}: between 125 and 20000 µs", options.lead_us);
    }
    let mut settings = Settings::default();
    controls::set(&mut settings, &options.set)?;
    let sides = compare::sides(&options.compare, action, &settings)?;
    let outputs: Vec<_> = [&options.record, &options.log, &options.answers]
        .into_iter()
        .flatten()
        .map(PathBuf::as_path)
        .collect();
    output::distinct(&[], &outputs)?;
    let record = options.record.as_deref().map(Draft::create).transpose()?;
    let log = options.log.as_deref().map(Draft::create).transpose()?;
    let answers = options.answers.as_deref().map(Draft::create).transpose()?;

    let felt = servo::Options {
        action,
        settings: settings.action,
        gain: options.gain,
        lead_us: options.lead_us,
        block: options.block,
        ..servo::Options::default()
    };
    let mut sidecar = Sidecar::start(&options.port, "touchback feel", felt)?;
    wait(&options.port, &mut sidecar, Duration::from_secs(3))?;
    sidecar.order(Order::Arm(true));
    output::warn("force is on; type a share and Enter for less force, `arm`, `off`, or `q` to end");
    let mut room = Room {
        log: sidecar.take_log().context("the log was taken")?,
        entries: Vec::new(),
        keeps: record.is_some() || log.is_some(),
        keys: lines(),
        trial: sides.map(compare::Trial::new),
    };
    room.stay(&mut sidecar, options.seconds)?;
    let report = *sidecar.report();
    drop(sidecar);
    room.drain();
    let mut text = String::new();
    histogram(&mut text, "round trip", &report.round_trips)?;
    histogram(&mut text, "state to state", &report.periods)?;
    histogram(&mut text, "work on a state", &report.work)?;
    let status = &report.status;
    text += &format!(
        "\n{} states, {} lost, {} damaged, {} gaps; force limited {} times; {} log entries lost\n",
        status.states, status.lost, status.damaged, status.gaps, status.limited, report.lost_log
    );
    if let Some(draft) = record {
        draft.write_all(gesture(&room.entries).as_bytes())?;
        draft.keep()?;
    }
    if let Some(draft) = log {
        draft.write_all(servo_log::text(&room.entries)?.as_bytes())?;
        draft.keep()?;
    }
    if let Some(trial) = &room.trial {
        text += &trial.verdict();
        if let Some(draft) = answers {
            draft.write_all(trial.csv().as_bytes())?;
            draft.keep()?;
        }
    }
    output::print(&text)
}

/// Lines typed, as they come; a closed input just says nothing more.
fn lines() -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line.trim().to_owned()).is_err() {
                return;
            }
        }
    });
    receiver
}

/// What goes on while the keyboard is felt.
struct Room {
    log: queue::Receiver<Entry>,
    entries: Vec<Entry>,
    keeps: bool,
    keys: Receiver<String>,
    trial: Option<compare::Trial>,
}

impl Room {
    fn drain(&mut self) {
        while let Some(entry) = self.log.receive() {
            if self.keeps {
                self.entries.push(entry);
            }
        }
    }

    fn stay(&mut self, sidecar: &mut Sidecar, lasts: Option<f64>) -> Result<()> {
        let begin = Instant::now();
        let shows = std::io::stderr().is_terminal();
        let mut shown = begin;
        let mut standing = Standing::Present;
        if let Some(trial) = &self.trial {
            output::warn(trial.help());
            trial.feel(sidecar);
        }
        loop {
            std::thread::sleep(Duration::from_millis(10));
            self.drain();
            while let Some(heard) = sidecar.heard() {
                let time = heard.step as f64 * STEP + heard.offset;
                let (key, value) = (heard.key.number(), heard.value);
                if self.trial.is_none() {
                    output::print(&format!(
                        "{time:.4} s  key {key}  {}\n",
                        said(heard.kind, value)
                    ))?;
                }
            }
            let report = *sidecar.report();
            if report.status.standing != standing {
                standing = report.status.standing;
                output::warn(&format!("{}{}", standing.word(), reason(report.status.why)));
            }
            if shows && shown.elapsed() > Duration::from_millis(500) {
                shown = Instant::now();
                let [depth, force] = report.keys[0];
                eprint!("\r{:6.2} mm {force:6.2} N ", depth * 1e3);
            }
            if lasts.is_some_and(|s| begin.elapsed().as_secs_f64() >= s) {
                return Ok(());
            }
            match self.keys.try_recv() {
                Ok(line) if line == "q" => return Ok(()),
                Ok(line) => self.obey(&line, sidecar)?,
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => {}
            }
        }
    }

    fn obey(&mut self, line: &str, sidecar: &Sidecar) -> Result<()> {
        match (line, line.parse::<f64>()) {
            ("arm", _) => sidecar.order(Order::Arm(true)),
            ("off", _) => sidecar.order(Order::Arm(false)),
            (_, Ok(gain)) if (0.0..=1.0).contains(&gain) => sidecar.order(Order::Gain(gain)),
            _ => match &mut self.trial {
                Some(trial) => output::print(&trial.obey(line, sidecar))?,
                None => output::warn("a share between 0 and 1, `arm`, `off`, or `q`"),
            },
        }
        Ok(())
    }
}

fn reason(why: Why) -> String {
    match why {
        Why::Nothing => String::new(),
        Why::Device(mode, faults) => {
            format!(": the keyboard is {} (faults {faults:#06x}); type `arm`", mode.word())
        }
        Why::NotReady => ": the keyboard did not become ready; type `arm` to try again".into(),
        Why::Late => ": this machine stopped for more than 20 ms; type `arm`".into(),
        Why::Version(_) | Why::Unable => ": not a keyboard that can be felt".into(),
    }
}

fn said(kind: EventKind, value: f64) -> String {
    match kind {
        EventKind::LetOffStart => format!("let-off at {:.2} mm", value * 1e3),
        EventKind::Release => format!("release at {value:.2} m/s"),
        EventKind::Strike => format!("STRIKE at {value:.2} m/s"),
        EventKind::Check => format!("check {:.1} mm below the string", value * 1e3),
        EventKind::Reset => format!("jack back at {:.2} mm", value * 1e3),
        EventKind::Pluck => format!("PLUCK, string displaced by {:.2} mm", value * 1e3),
        EventKind::KeyBottom => format!("key bed at {value:.2} m/s"),
        EventKind::DamperLift => "damper lifts".into(),
        EventKind::DamperFall => "damper falls".into(),
        EventKind::KeyRest => "key at rest".into(),
    }
}

/// The way of the first key that moved, as a gesture file: one row a millisecond.
fn gesture(entries: &[Entry]) -> String {
    let mut twin = Twin::new(Action::Grand);
    let mut text = String::from("t_s,key_m\n0,0\n");
    let (mut first, mut begun) = (None, None);
    for entry in entries {
        twin.play(entry, |_| ());
        let Entry::Slot { step, key, steps, .. } = entry else { continue };
        let begin = *begun.get_or_insert(*step);
        if *first.get_or_insert(*key) != *key {
            continue;
        }
        let after = step + u64::from(*steps) - begin;
        if let Some((mechanism, _)) = twin.key(*key).filter(|_| after % 8 == 0 && after > 0) {
            let time = after as f64 * STEP;
            text += &format!("{time:.6},{:.8}\n", mechanism.place().0);
        }
    }
    text
}
