//! Simulates a gesture read line by line from standard input, with one row of output per line: for
//! programs that choose the next input from the key's response.

use std::io::{BufRead, Write};

use anyhow::{Context, Result, anyhow, bail};

use super::{Lost, SimulateOptions, Simulated, Trace, mechanism_of};
use crate::gesture::{Channel, LIMIT};
use crate::simulate::balance::Balance;
use crate::table::number;
use touchback_action::interface::readout::Table;
use touchback_action::interface::trajectory::Trajectory;
use touchback_action::{Drive, Key, STEP, TimedEvent, step_time};
use touchback_core::math::compass::KeyNumber;
use touchback_core::text::table::{ColumnName, Form, take_units};

/// Longest line, bytes.
const LONGEST: u64 = 4096;

/// A key driven by one quantity, linear between input lines; an imposed motion has continuous speed.
struct Stream {
    key: Box<dyn Key>,
    number: KeyNumber,
    channel: Channel,
    /// Time, s, and value of the last line.
    last: Option<(f64, f64)>,
    /// Value at the end of the last step.
    given: f64,
    /// Imposed motion: depth, m, and speed, m/s, at the end of the last step, and its way on.
    point: [f64; 2],
    motion: Trajectory,
    steps: u64,
    drive: Drive,
    events: Vec<TimedEvent>,
}

impl Stream {
    /// Runs up to the last step that ends by `time` s, at which the value is `value`.
    fn advance(&mut self, time: f64, value: f64) -> Result<()> {
        let (from, first) = self.last.unwrap_or((time, value));
        if self.last.is_none() {
            self.given = value;
            self.drive = self.channel.drive([value; 2]);
            self.point = [value, 0.0];
            self.motion = Trajectory::at(value, 0.0);
        }
        let way = (time > from).then(|| self.motion.reach(value, time - from));
        // 1e-9 of a step absorbs the rounding of decimal times.
        while step_time(self.steps + 1) <= time + 1e-9 * STEP {
            let end = step_time(self.steps + 1);
            let share = if time > from { (end - from) / (time - from) } else { 1.0 };
            let ends = [self.given, first + share * (value - first)];
            self.drive = match (self.channel, &way) {
                (Channel::KeyM, Some(way)) => {
                    let to = way.at(end - from);
                    Drive::between(std::mem::replace(&mut self.point, to), to)
                }
                _ => self.channel.drive(ends),
            };
            let (key, step, events) = (self.number, self.steps, &mut self.events);
            self.key.step(self.drive, &mut |offset, event| {
                events.push(TimedEvent { key, step, offset, event });
            });
            (self.given, self.steps) = (ends[1], self.steps + 1);
            if !self.key.front()[0].is_finite() {
                return Err(Lost(end).into());
            }
        }
        self.last = Some((time, value));
        Ok(())
    }
}

/// The channel that the header `line` names next to `t_s` in `columns`.
fn channel(line: &str, columns: &[ColumnName]) -> Result<Channel> {
    let names = Channel::ALL.map(Channel::column);
    let channel = match columns {
        [time, own] if time.is("t_s") => Channel::ALL.into_iter().find(|c| own.is(c.column())),
        _ => None,
    };
    channel.with_context(|| {
        format!(
            "standard input, line 1: `{}` is no header; write t_s and one of {}",
            line.trim(),
            names.join(", ")
        )
    })
}

/// Reads `input` to its end and writes one row to `output` for every line.
///
/// # Errors
/// A line that is not a time and a value, with its number; an action that loses its state.
pub(super) fn run(
    options: &SimulateOptions,
    mut input: impl BufRead,
    output: impl Write,
) -> Result<Simulated> {
    let (key, number, _) = mechanism_of(options)?;
    let mut line = String::new();
    let mut next = |line: &mut String| -> Result<bool> {
        line.clear();
        let read = std::io::Read::take(&mut input, LONGEST).read_line(line);
        Ok(read.context("standard input: cannot read")? > 0)
    };
    if !next(&mut line)? {
        bail!("standard input is empty; its first line names the columns, as t_s,force_n");
    }
    let Some(form) = Form::of(&line, &['\n']) else {
        bail!("standard input, line 1: empty; it names the columns, as t_s,force_n");
    };
    let mut columns: Vec<ColumnName> = form.cells(form.header).map(ColumnName::of).collect();
    let separator = form.separator;
    let channel = channel(&line, &columns)?;
    let (last, given, steps, events) = (None, 0.0, 0, Vec::new());
    let mut stream = Stream {
        key,
        number,
        channel,
        last,
        given,
        point: [0.0; 2],
        motion: Trajectory::at(0.0, 0.0),
        steps,
        drive: Drive::Free,
        events,
    };
    let (mut table, mut balance) = (Table::new(output), Balance::default());
    let mut count = 1u64;
    while next(&mut line)? {
        count += 1;
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let is_first = stream.last.is_none();
        if is_first
            && take_units(&mut columns, &line.trim().split(separator).collect::<Vec<_>>())
                .map_err(|error| anyhow!("standard input, line {count}: {error}"))?
        {
            continue;
        }
        let mut cells = line.split(separator).map(number_of);
        let (Some(Some(time)), Some(Some(value)), None) =
            (cells.next(), cells.next(), cells.next())
        else {
            bail!("standard input, line {count}: `{}` is no time and value", line.trim());
        };
        let limit = if channel == Channel::ForceN { 1000.0 } else { 1.0 };
        if value.abs() > limit {
            bail!("standard input, line {count}: {value} is not within ±{limit}");
        }
        match stream.last {
            None if time != 0.0 => {
                bail!("standard input, line {count}: t_s begins at {time}, not at 0")
            }
            Some((before, _)) if time <= before => {
                bail!("standard input, line {count}: t_s {time} does not rise")
            }
            _ if time > LIMIT => {
                bail!("standard input, line {count}: a gesture lasts at most {LIMIT} s")
            }
            _ => {}
        }
        stream.advance(time, value)?;
        let readout = stream.key.readout(stream.drive);
        balance.push(&readout);
        table.row(step_time(stream.steps), &readout).context("standard output: cannot write")?;
    }
    Ok(Simulated { events: stream.events, trace: Trace::default(), balance: balance.check() })
}

fn number_of(cell: &str) -> Option<f64> {
    number(cell.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(input: &str) -> Result<(Vec<Vec<String>>, Simulated)> {
        let mut output = Vec::new();
        let simulated = run(&SimulateOptions::default(), input.as_bytes(), &mut output)?;
        let mut rows = csv::Reader::from_reader(&output[..]);
        let rows = rows.records().map(|r| r.unwrap().iter().map(str::to_owned).collect());
        Ok((rows.collect(), simulated))
    }

    #[test]
    fn a_streamed_gesture_is_the_same_as_a_file() {
        let text = "t_s,force_n\n0,0\n0.05,6\n0.3,6\n0.35,0\n0.4,0\n";
        let (rows, simulated) = answered(text).unwrap();
        assert_eq!(rows.len(), 5);
        let with_units = text.replacen("0,0", "s;N\n0;0", 1).replace(',', ";");
        assert_eq!(answered(&with_units).unwrap().0, rows);
        let mut gesture = crate::gesture::Gesture::from_csv("g.csv", text.as_bytes()).unwrap();
        let (mut key, number, _) = mechanism_of(&SimulateOptions::default()).unwrap();
        let mut last = Vec::new();
        let events = super::super::play(&mut gesture, &mut *key, number, |time, r| {
            let mut table = Table::new(Vec::new());
            table.row(time, r)?;
            last = table.finish()?;
            Ok(())
        });
        let strikes = |events: &[TimedEvent]| -> Vec<(f64, f64)> {
            let kind = touchback_action::EventKind::Strike;
            let strikes = events.iter().filter(|e| e.event.kind() == kind);
            strikes.map(|e| (e.time(), e.event.value())).collect()
        };
        let (ours, theirs) = (strikes(&simulated.events), strikes(&events.unwrap()));
        assert_eq!(ours.len(), 1);
        assert!((ours[0].0 - theirs[0].0).abs() < 1e-9 && (ours[0].1 - theirs[0].1).abs() < 1e-9);
        let last = String::from_utf8(last).unwrap();
        assert!(last.lines().last().unwrap().starts_with(&rows[4][0]), "{last}");
        simulated.balance.unwrap();
    }

    #[test]
    fn lines_are_refused_by_number() {
        for (text, part) in [
            ("", "is empty"),
            ("t,force_n\n", "line 1: `t,force_n` is no header"),
            ("t_s,force_n\n0.1,0\n", "line 2: t_s begins at 0.1"),
            ("t_s,key_m\ns,mm\n0,0\n", "line 2: the unit of `key_m` is given as `mm`"),
            ("t_s,force_n\n0,0\n0,1\n", "line 3: t_s 0 does not rise"),
            ("t_s,force_n\n0,0\n1,x\n", "line 3: `1,x` is no time and value"),
            ("t_s,force_n\n0,0\n1,1,1\n", "line 3: `1,1,1`"),
            ("t_s,force_n\n0,0\n1,1e9\n", "not within ±1000"),
            ("t_s,key_m\n0,0\n601,0\n", "at most 600 s"),
        ] {
            let error = answered(text).err().map(|e| format!("{e:#}")).unwrap_or_default();
            assert!(error.contains(part), "{text:?}: {error}");
        }
    }
}
