//! Scripts of simulated fingers.
//!
//! CSV with the columns `t_s,key,act,a,b,c`; times may repeat, unused cells stay empty. Acts with their
//! numbers a, b, c:
//! press depth-m time-s · reach depth-m time-s (along half a cosine) · strike speed-m/s ·
//! trill depth-m rate-hz time-s · release time-s · bias force-n · rest.

use std::path::Path;

use anyhow::{Result, anyhow, bail};

use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction};
use touchback_offline::output::{self, Shown as _};
use touchback_offline::table::{CsvTable, number};

/// Largest file, bytes.
const LIMIT: u64 = 16_000_000;

/// Reads a script for a keyboard of `keys` keys.
///
/// # Errors
/// One line with file and line.
pub fn open(path: &Path, keys: u8) -> Result<Script> {
    let file = path.shown();
    let bytes = output::read(path, LIMIT)?;
    read(&file, &bytes, keys)
}

fn read(file: &str, bytes: &[u8], keys: u8) -> Result<Script> {
    let table = CsvTable::read(file, bytes)?;
    let column = |name: &str| {
        table.column(name).ok_or_else(|| {
            anyhow!("{file}, line 1: no column `{name}`; the columns are t_s,key,act,a,b,c")
        })
    };
    let (time, second) = table.time_column(file)?;
    let [key, act] = [column("key")?, column("act")?];
    let numbers = [column("a")?, column("b")?, column("c")?];
    let mut acts = Vec::new();
    for (line, cells) in &table.rows {
        let at = |i: usize, what: &str, low: f64, high: f64| {
            number(&cells[numbers[i]]).filter(|x| (low..=high).contains(x)).ok_or_else(|| {
                anyhow!(
                    "{file}, line {line}: {what} `{}` is no number from {low} to {high}",
                    cells[numbers[i]]
                )
            })
        };
        let at_time = number(&cells[time]).map(|t| t * second);
        let time = at_time.filter(|t| (0.0..=86_400.0).contains(t)).ok_or_else(|| {
            let name = &table.columns[time];
            anyhow!("{file}, line {line}: {name} `{}` is no time", cells[time])
        })?;
        let key = cells[key].parse::<u8>().ok().filter(|k| (1..=keys).contains(k));
        let key = key.ok_or_else(|| {
            anyhow!("{file}, line {line}: key must be one of the keyboard's, 1 to {keys}")
        })?;
        let action = match cells[act].as_str() {
            "press" => FingerAction::Press {
                depth: at(0, "depth", -0.01, 0.05)?,
                within: at(1, "time", 0.001, 60.0)?,
            },
            "reach" => FingerAction::Reach {
                depth: at(0, "depth", -0.01, 0.05)?,
                within: at(1, "time", 0.001, 60.0)?,
            },
            "strike" => FingerAction::Strike { speed: at(0, "speed", 0.0, 5.0)? },
            "trill" => FingerAction::Trill {
                depth: at(0, "depth", 0.0, 0.05)?,
                rate: at(1, "rate", 0.1, 50.0)?,
                lasts: at(2, "time", 0.0, 86_400.0)?,
            },
            "release" => FingerAction::Release { within: at(0, "time", 0.001, 60.0)? },
            "bias" => FingerAction::Bias { force: at(0, "force", -50.0, 50.0)? },
            "rest" => FingerAction::Rest,
            other => bail!(
                "{file}, line {line}: act `{other}` is unknown; one of press, reach, strike, \
                 trill, release, bias, rest"
            ),
        };
        acts.push(ScriptedAction { time, key: usize::from(key) - 1, action });
    }
    Ok(Script::new(acts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_read_and_refused_by_line() {
        let good = b"t_s,key,act,a,b,c\n0,1,press,0.01,0.1,\n1,2,trill,0.01,8,2\n2,1,rest,,,\n";
        assert!((read("s.csv", good, 2).unwrap().end() - 2.0).abs() < 1e-12);
        for (row, said) in [
            ("0,3,rest,,,", "key must be one of the keyboard's, 1 to 2"),
            ("0,1,hop,,,", "act `hop` is unknown"),
            ("0,1,press,0.01,,", "time `` is no number"),
            ("-1,1,rest,,,", "t_s `-1`"),
        ] {
            let text = format!("t_s,key,act,a,b,c\n{row}\n");
            let error = read("s.csv", text.as_bytes(), 2).unwrap_err().to_string();
            assert!(error.starts_with("s.csv, line 2:") && error.contains(said), "{error}");
        }
        assert!(read("s.csv", b"t_s,key\n0,1\n", 2).is_err());
    }
}
