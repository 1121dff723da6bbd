//! What goes on at the terminal while a keyboard is felt.

use std::io::{BufRead, IsTerminal};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use anyhow::Result;

use super::compare::Trial;
use super::performer::Performer;
use super::record::Records;
use crate::interrupt;
use crate::output;
use touchback_core::exchange::queue;
use touchback_haptics::log::Entry;
use touchback_haptics::session::ConnectionState;
use touchback_haptics::sidecar::{KeyPress, Sidecar, SidecarOrder};
use touchback_haptics::status_text;

/// Time between looks at the keyboard and the typed lines.
const LONG: Duration = Duration::from_millis(10);
/// Time between looks while notes are to be played in time.
const SHORT: Duration = Duration::from_millis(1);

/// Lines typed, as they come; a closed input ends them.
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
pub struct TerminalSession {
    log: queue::Receiver<Entry>,
    records: Records,
    keys: Receiver<String>,
    trial: Option<Trial>,
}

impl TerminalSession {
    /// A room with nothing typed yet.
    #[must_use]
    pub fn new(log: queue::Receiver<Entry>, records: Records, trial: Option<Trial>) -> Self {
        Self { log, records, keys: lines(), trial }
    }

    /// Takes what the servo logged.
    ///
    /// # Errors
    /// A disk that refuses.
    pub fn drain(&mut self) -> Result<()> {
        while let Some(entry) = self.log.receive() {
            self.records.put(&entry)?;
        }
        Ok(())
    }

    /// Puts the records in their places; the trials.
    ///
    /// # Errors
    /// A disk that refuses.
    pub fn keep(self) -> Result<Option<Trial>> {
        self.records.keep()?;
        Ok(self.trial)
    }

    /// Feels, and lets `performance` play, until it has lasted so many seconds or, without a number of
    /// them, the input is closed; a typed `q` and a signal end it at once.
    ///
    /// # Errors
    /// A disk or terminal that refuses.
    pub fn stay(
        &mut self,
        sidecar: &mut Sidecar,
        mut performance: Option<(Performer, queue::Sender<KeyPress>)>,
        lasts: Option<f64>,
    ) -> Result<()> {
        let begin = Instant::now();
        let shows = std::io::stderr().is_terminal();
        let mut shown = begin;
        let mut standing = ConnectionState::Present;
        if let Some(trial) = &self.trial {
            output::warn(trial.help());
            trial.feel(sidecar);
        }
        loop {
            std::thread::sleep(if performance.is_some() { SHORT } else { LONG });
            self.drain()?;
            while let Some(heard) = sidecar.next_event() {
                if self.trial.is_none() {
                    let (time, key, event) = (heard.time(), heard.key.number(), heard.event);
                    output::print(&format!("{time:.4} s  key {key}  {event}\n"))?;
                }
            }
            let report = *sidecar.report();
            if report.status.state != standing {
                standing = report.status.state;
                output::warn(&status_text::connection(&report));
            }
            if let Some((performer, notes)) = &mut performance
                && standing == ConnectionState::Live
            {
                performer.play(|note| _ = notes.send(note));
            }
            if shows && shown.elapsed() > Duration::from_millis(500) {
                shown = Instant::now();
                let [depth, force] = report.keys[0];
                eprint!("\r{:6.2} mm {force:6.2} N ", depth * 1e3);
            }
            if lasts.is_some_and(|s| begin.elapsed().as_secs_f64() >= s) {
                return Ok(());
            }
            if interrupt::is_here() {
                return Ok(());
            }
            loop {
                match self.keys.try_recv() {
                    Ok(line) if line == "q" => return Ok(()),
                    Ok(line) => self.obey(&line, sidecar)?,
                    Err(TryRecvError::Disconnected) if lasts.is_none() => return Ok(()),
                    Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
                }
            }
        }
    }

    fn obey(&mut self, line: &str, sidecar: &Sidecar) -> Result<()> {
        match (line, line.parse::<f64>()) {
            ("a" | "arm", _) => sidecar.order(SidecarOrder::Arm(true)),
            ("off", _) => sidecar.order(SidecarOrder::Arm(false)),
            (_, Ok(gain)) if (0.0..=1.0).contains(&gain) => sidecar.order(SidecarOrder::Gain(gain)),
            _ => match &mut self.trial {
                Some(trial) => output::print(&trial.obey(line, sidecar))?,
                None => output::warn("a share between 0 and 1, `a`, `off`, or `q`"),
            },
        }
        Ok(())
    }
}
