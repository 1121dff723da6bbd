//! Recorded motion of a whole keyboard: a table of times and key depths.
//!
//! | column | meaning |
//! | --- | --- |
//! | `t_s`, `time_s`, `t_ms`, `time_ms` | time, rising strictly |
//! | a key: `C4`, `F#3`, `40`, `key40` | depth of its front; in mm, or with `_m` in m, with `_mm` in mm |
//! | `key_m` | depth of C4 in m, as in gestures and runs of one key |
//! | `sustain`, `sostenuto`, `una_corda` | travel of a pedal, 0…1 |
//!
//! Depth 0 is the key at rest. Between rows a key moves at constant speed. An empty cell repeats the depth
//! before. Other columns are left out, with a warning.

pub mod strokes;

use std::path::Path;

use anyhow::{Result, anyhow, bail};

use crate::output::{self, Shown as _};
use crate::table::{CsvTable, number};
use touchback_core::math::compass::KeyNumber;
use touchback_core::text::note;
use touchback_instrument::Event;

/// Largest table, bytes: ten minutes of ten keys at 1 ms, or one of all.
const FILE_LIMIT: u64 = 256_000_000;

/// Largest depth, m: more than any key's dip, less than a depth in the wrong unit.
const DEEPEST: f64 = 0.02;

/// Depths and times of the keys of a take.
#[derive(Clone, Debug)]
pub struct KeyMotion {
    /// Time of each row, s, from 0.
    pub times: Vec<f64>,
    /// Keys with their depths in each row, m.
    pub keys: Vec<(KeyNumber, Vec<f64>)>,
    /// Pedals with their travels in each row, 0…1.
    pedals: Vec<(Pedal, Vec<f64>)>,
    /// Remarks about the table: a line each.
    pub warnings: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pedal {
    Sustain,
    Sostenuto,
    UnaCorda,
}

impl Pedal {
    const ALL: [(&'static str, Self); 3] =
        [("sustain", Self::Sustain), ("sostenuto", Self::Sostenuto), ("una_corda", Self::UnaCorda)];

    const fn event(self, travel: f64) -> Event {
        match self {
            Self::Sustain => Event::Sustain(travel),
            Self::Sostenuto => Event::Sostenuto(travel),
            Self::UnaCorda => Event::UnaCorda(travel),
        }
    }
}

/// Meaning of a column: a key with its unit in m, or a pedal.
enum Column {
    Key(KeyNumber, f64),
    Pedal(Pedal),
}

impl Column {
    fn of(name: &str) -> Option<Self> {
        let name = name.trim().to_lowercase();
        if name == "key_m" {
            return Some(Self::Key(KeyNumber::from_midi(60)?, 1.0));
        }
        if let Some((_, pedal)) = Pedal::ALL.into_iter().find(|(known, _)| *known == name) {
            return Some(Self::Pedal(pedal));
        }
        let (name, unit) = match (name.strip_suffix("_mm"), name.strip_suffix("_m")) {
            (Some(name), _) => (name, 1e-3),
            (None, Some(name)) => (name, 1.0),
            (None, None) => (&*name, 1e-3),
        };
        let key = name.strip_prefix("key").map_or(name, |rest| rest.trim_start_matches(['_', ' ']));
        Some(Self::Key(note::key(key)?, unit))
    }
}

impl KeyMotion {
    /// Reads the table at `path`.
    ///
    /// # Errors
    /// One line with file and line.
    pub fn open(path: &Path) -> Result<Self> {
        Self::read(&path.shown(), &output::read(path, FILE_LIMIT)?)
    }

    /// Reads a table; `file` names it in errors.
    ///
    /// # Errors
    /// One line with file and line: no times, no key, a key twice, or a cell that is no depth.
    pub fn read(file: &str, bytes: &[u8]) -> Result<Self> {
        let table = CsvTable::read(file, bytes)?;
        let (time, _) = table.time_column(file)?;
        let times = table.times(file)?;
        let mut motion = Self { times, keys: Vec::new(), pedals: Vec::new(), warnings: Vec::new() };
        let mut unknown = Vec::new();
        for (index, column) in table.columns.iter().enumerate() {
            if index == time {
                continue;
            }
            match Column::of(&column.to_string()) {
                Some(Column::Key(key, unit)) => {
                    if motion.keys.iter().any(|(known, _)| *known == key) {
                        bail!(
                            "{file}, line 1: column `{column}` is a key that has a column already"
                        );
                    }
                    let depths = values(file, &table, index, unit, DEEPEST)?;
                    motion.keys.push((key, depths));
                }
                Some(Column::Pedal(pedal)) => {
                    motion.pedals.push((pedal, values(file, &table, index, 1.0, 1.0)?));
                }
                None => unknown.push(format!("`{column}`")),
            }
        }
        if motion.keys.is_empty() {
            bail!(
                "{file}, line 1: no column names a key; write C4, F#3 or a number from 1 to 88, with \
                 _mm or _m for the unit"
            );
        }
        if !unknown.is_empty() {
            unknown.truncate(5);
            let list = unknown.join(", ");
            motion
                .warnings
                .push(format!("{file}: columns that are no key or pedal left out: {list}"));
        }
        motion.keys.sort_by_key(|(key, _)| key.index());
        Ok(motion)
    }

    /// Time of the last row, s.
    #[must_use]
    pub fn end(&self) -> f64 {
        self.times.last().copied().unwrap_or(0.0)
    }

    /// Calls `out` with the events at row `row`: each key that moves begins its way to the next row.
    pub fn events(&self, row: usize, mut out: impl FnMut(Event)) {
        let travels = self.pedals.iter().map(|(pedal, travels)| (pedal, &travels[..]));
        for (pedal, travels) in travels {
            if row == 0 || travels[row] != travels[row - 1] {
                out(pedal.event(travels[row]));
            }
        }
        let Some(next) = self.times.get(row + 1) else { return };
        let seconds = next - self.times[row];
        for (key, depths) in &self.keys {
            if depths[row] != depths[row + 1] {
                out(Event::Motion { key: *key, depth: depths[row + 1], seconds });
            }
        }
    }
}

/// The cells of column `index` in `unit`, within ±`most`.
fn values(file: &str, table: &CsvTable, index: usize, unit: f64, most: f64) -> Result<Vec<f64>> {
    let mut last = 0.0;
    let cells = table.rows.iter().map(|(line, cells)| {
        if !cells[index].is_empty() {
            let value = number(&cells[index]).map(|value| value * unit);
            last = value.filter(|value| value.abs() <= most).ok_or_else(|| {
                anyhow!(
                    "{file}, line {line}: {} `{}` is no number within ±{}",
                    table.columns[index],
                    cells[index],
                    most / unit
                )
            })?;
        }
        Ok(last)
    });
    cells.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> KeyMotion {
        KeyMotion::read("k.csv", text.as_bytes()).unwrap()
    }

    fn error(text: &str) -> String {
        KeyMotion::read("k.csv", text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn keys_have_names_numbers_and_units() {
        let motion = read("t_ms;C4_m;key_1;F#3_mm;88;sustain\n0;0,001;1;2;3;1\n1;0,002;1;;4;1\n");
        let keys: Vec<_> = motion.keys.iter().map(|(k, d)| (k.number(), d.clone())).collect();
        assert_eq!(
            keys,
            [
                (1, vec![1e-3, 1e-3]),
                (34, vec![2e-3, 2e-3]),
                (40, vec![1e-3, 2e-3]),
                (88, vec![3e-3, 4e-3])
            ]
        );
        assert_eq!(motion.times, [0.0, 1e-3]);
        let mut events = Vec::new();
        motion.events(0, |event| events.push(event));
        assert!(matches!(
            events[..],
            [Event::Sustain(1.0), Event::Motion { .. }, Event::Motion { .. }]
        ));
        let with_units = read("t,C4,E4\nms,m,mm\n0,0,0\n1,0.002,2\n");
        assert!(with_units.keys.iter().all(|(_, depths)| *depths == [0.0, 2e-3]));
        assert_eq!(with_units.times, [0.0, 1e-3]);
        let one = read("time_s,key_m\n0,0\n0.5,0.01\n");
        assert_eq!((one.keys[0].0.number(), one.end()), (40, 0.5));
    }

    #[test]
    fn faults_are_named() {
        assert!(error("C4\n1\n").contains("no column of times"));
        assert!(error("t_s,x\n0,1\n").contains("no column names a key"));
        assert!(error("t_s,C4,40\n0,1,1\n").contains("has a column already"));
        assert!(error("t_s,C4\n0,1\n1,abc\n").contains("line 3: C4 `abc`"));
        assert!(error("t_s,C4_m\n0,5\n").contains("within ±0.02"));
        assert!(error("t_s,C4\n1,0\n0,0\n").contains("does not rise"));
        let warned = read("t_s,C4,temperature\n0,1,20\n");
        assert!(warned.warnings[0].contains("`temperature`"));
    }

    proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in "(t_s|C4|[,;\n0-9.a]){0,60}") {
            if let Ok(motion) = KeyMotion::read("k.csv", text.as_bytes()) {
                for row in 0..motion.times.len() {
                    motion.events(row, |_| {});
                }
            }
        }
    }
}
