//! The terminal side of a haptic session: typed commands, printed events, records.

use std::io::{BufRead, IsTerminal};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use anyhow::Result;

use super::compare::Trial;
use super::drawing;
use super::performer::Performer;
use super::record::Records;
use touchback_haptics::line::port_group::PortGroup;
use touchback_haptics::sidecar::SidecarOrder;
use touchback_offline::{interrupt, output};

/// Time between polls of the keyboard and the typed lines.
const POLL_PERIOD: Duration = Duration::from_millis(10);
/// Time between polls while a MIDI file is played.
const PLAYING_PERIOD: Duration = Duration::from_millis(1);
/// Most events shown in one poll; the others wait for the next one.
const EVENTS_A_POLL: usize = 256;

/// Time between drawings of key and hammer.
const DRAWING_PERIOD: Duration = Duration::from_millis(40);

/// Receives typed lines; disconnected when the input is closed.
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

/// A haptic session on the terminal.
pub struct TerminalSession {
    records: Records,
    keys: Receiver<String>,
    trial: Option<Trial>,
}

impl TerminalSession {
    /// A session that reads lines from standard input.
    #[must_use]
    pub fn new(records: Records, trial: Option<Trial>) -> Self {
        Self { records, keys: lines(), trial }
    }

    /// Writes the log entries that wait to the records. Entries that arrive meanwhile are left for the next call:
    /// on a slow machine they arrive faster than they are recorded, and the call would not return.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn drain(&mut self, ports: &PortGroup) -> Result<()> {
        for _ in 0..ports.waiting_entries() {
            let Some(entry) = ports.next_entry() else { break };
            self.records.put(&entry)?;
            self.records.write_due()?;
        }
        self.records.write_due()
    }

    /// Keeps the record files and returns the trials.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn keep(self) -> Result<Option<Trial>> {
        self.records.keep()?;
        Ok(self.trial)
    }

    /// Runs the session, and `performance` in it, for `lasts` seconds or, without a duration, until the
    /// input is closed. A typed `q` or a signal ends it at once.
    ///
    /// # Errors
    /// A file or terminal that cannot be written.
    pub fn run(
        &mut self,
        ports: &mut PortGroup,
        mut performance: Option<Performer>,
        lasts: Option<f64>,
    ) -> Result<()> {
        let begin = Instant::now();
        let shows = std::io::stderr().is_terminal();
        let mut shown = begin;
        // The drawing stays in the line of the cursor.
        let clear_drawing = || eprint!("{}", if shows { "\r\x1b[K" } else { "" });
        let mut told: Vec<String> = Vec::new();
        if let Some(trial) = &self.trial {
            output::warn(trial.help());
            trial.feel(ports);
        }
        loop {
            std::thread::sleep(if performance.is_some() { PLAYING_PERIOD } else { POLL_PERIOD });
            // Events are shown after the log entries from which a replay repeats them are recorded.
            let events: Vec<_> =
                std::iter::from_fn(|| ports.next_event()).take(EVENTS_A_POLL).collect();
            self.drain(ports)?;
            for event in events.iter().filter(|_| self.trial.is_none()) {
                clear_drawing();
                let (time, key, event) = (event.time(), event.key.number(), event.event);
                output::print(&format!("{time:.4} s  key {key}  {event}\n"))?;
            }
            ports.update();
            // Also what a live session lacks, and what it lacks no more.
            let texts = ports.texts();
            for (i, text) in texts.iter().enumerate() {
                if told.get(i) != Some(text) {
                    clear_drawing();
                    output::warn(text);
                }
            }
            told = texts;
            if let Some(performer) = &mut performance
                && ports.is_live()
            {
                performer.play(|note| ports.press(note));
            }
            if shows && shown.elapsed() > DRAWING_PERIOD {
                shown = Instant::now();
                eprint!("\r{}\x1b[K", drawing::line(ports.reports()));
            }
            if lasts.is_some_and(|s| begin.elapsed().as_secs_f64() >= s) {
                return Ok(());
            }
            if interrupt::was_received() {
                return Ok(());
            }
            loop {
                match self.keys.try_recv() {
                    Ok(line) if line == "q" => return Ok(()),
                    Ok(line) => self.obey(&line, ports)?,
                    Err(TryRecvError::Disconnected) if lasts.is_none() => return Ok(()),
                    Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
                }
            }
        }
    }

    fn obey(&mut self, line: &str, ports: &PortGroup) -> Result<()> {
        match (line, line.parse::<f64>()) {
            ("a" | "arm", _) => ports.order(&SidecarOrder::Arm(true)),
            ("off", _) => ports.order(&SidecarOrder::Arm(false)),
            (_, Ok(gain)) if (0.0..=1.0).contains(&gain) => ports.order(&SidecarOrder::Gain(gain)),
            _ => match &mut self.trial {
                Some(trial) => output::print(&trial.obey(line, ports))?,
                None => output::warn("a share between 0 and 1, `a`, `off`, or `q`"),
            },
        }
        Ok(())
    }
}
