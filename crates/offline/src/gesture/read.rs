//! Reads gesture files; the file ending selects CSV or TOML, in standard input the first line.

use std::path::Path;

use anyhow::{Result, anyhow, bail};
use serde::Deserialize;

use super::{Channel, Form, Gesture, LIMIT};
use crate::output::{self, Shown as _};
use crate::table::{CsvTable, Curve, number};
use touchback_action::STEP;
use touchback_core::text::encoding::decode;

/// The column of times in a run's file.
const RUN_TIME: &str = "time_s";

/// Largest gesture file, bytes.
const FILE_LIMIT: u64 = 64_000_000;

/// Highest speed of an imposed motion, m/s.
const FASTEST: f64 = 100.0;

/// Most parts of a gesture after repetitions are expanded.
const PART_LIMIT: usize = 100_000;

impl Gesture {
    /// Reads a gesture file.
    ///
    /// # Errors
    /// One line with file and line or part.
    pub fn open(path: &Path) -> Result<Self> {
        let file = path.shown();
        let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
        let is_stdin = output::is_stdin(path);
        if ending != "csv" && ending != "toml" && !is_stdin {
            bail!("{file}: a gesture is a .csv or a .toml file");
        }
        let bytes = output::read(path, FILE_LIMIT)?;
        if ending == "toml" || is_stdin && is_toml(&bytes) {
            return Self::from_toml(&file, &bytes);
        }
        Self::from_csv(&file, &bytes)
    }

    /// Reads gesture CSV; `file` names it in errors.
    ///
    /// # Errors
    /// One line with file and line.
    pub fn from_csv(file: &str, bytes: &[u8]) -> Result<Self> {
        let table = CsvTable::read(file, bytes)?;
        // The file of a run imposes the motion of its key.
        let is_run = table.column(RUN_TIME).is_some() && table.column("key_m").is_some();
        let names = Channel::ALL.map(Channel::column);
        let found = |channel: Channel| Some((channel, table.length_column(channel.column())?));
        let velocity = table.column("key_velocity_m_s");
        let channel = match table.columns.len() {
            _ if is_run => found(Channel::KeyM),
            3 if velocity.is_some() => found(Channel::KeyM),
            2 => Channel::ALL.into_iter().find_map(found),
            _ => None,
        };
        let (Some((channel, (column, unit))), Ok((time, _))) = (channel, table.time_column(file))
        else {
            let columns: Vec<String> = table.columns.iter().map(ToString::to_string).collect();
            bail!(
                "{file}, line 1: the columns are t_s and exactly one of {}, not {}",
                names.join(", "),
                columns.join(",")
            );
        };
        let time = &table.columns[time];
        let mut times = table.times(file)?;
        if is_run && times[0] <= STEP {
            // A run's first row is at the end of the first step, until which the key has hardly moved.
            times[0] = 0.0;
        }
        if times[0] != 0.0 {
            bail!("{file}, line {}: {time} begins at {}, not at 0", table.rows[0].0, times[0]);
        }
        let end = times[times.len() - 1];
        if end > LIMIT {
            bail!("{file}: lasts {end} s; a gesture lasts at most {LIMIT} s");
        }
        let cell = |line: u64, cells: &[String], column: usize, unit: f64, limit: f64| {
            let value = number(&cells[column]).map(|x| x * unit).filter(|x| x.abs() <= limit);
            value.ok_or_else(|| {
                anyhow!(
                    "{file}, line {line}: {} `{}` is no number within ±{}",
                    table.columns[column],
                    cells[column],
                    limit / unit
                )
            })
        };
        let limit = if channel == Channel::ForceN { 1000.0 } else { 1.0 };
        let rows = table.rows.iter().zip(times);
        if let Some(velocity) = velocity {
            let points = rows.map(|((line, cells), t)| {
                let depth = cell(*line, cells, column, unit, limit)?;
                Ok([t, depth, cell(*line, cells, velocity, 1.0, FASTEST)?])
            });
            return Ok(Self::of_motion(points.collect::<Result<_>>()?));
        }
        let points =
            rows.map(|((line, cells), t)| Ok((t, cell(*line, cells, column, unit, limit)?)));
        let curve = Curve::new(points.collect::<Result<_>>()?);
        let curve = curve.ok_or_else(|| anyhow!("{file}: no rows"))?;
        Ok(Self::of_curve(channel, curve))
    }

    /// Reads gesture TOML; `file` names it in errors.
    ///
    /// # Errors
    /// One line with file and line or part.
    pub fn from_toml(file: &str, bytes: &[u8]) -> Result<Self> {
        let text = std::str::from_utf8(bytes).map_err(|_| anyhow!("{file}: not UTF-8 text"))?;
        let located = |error: &toml::de::Error| match error.span() {
            Some(span) => {
                let before = &bytes[..span.start.min(bytes.len())];
                let line = before.iter().filter(|b| **b == b'\n').count() + 1;
                format!("{file}, line {line}: {}", error.message())
            }
            None => format!("{file}: {}", error.message()),
        };
        let table: toml::Table = toml::from_str(text).map_err(|e| anyhow!("{}", located(&e)))?;
        let forms = match table.get("part") {
            // A repetition also has `part`, but is itself a form.
            Some(parts) if !table.contains_key("form") => {
                if let Some(other) = table.keys().find(|k| *k != "part") {
                    bail!("{file}: `{other}` beside [[part]] is unknown");
                }
                let list = parts.as_array().ok_or_else(|| anyhow!("{file}: write [[part]]"))?;
                list.iter().enumerate().map(|(i, v)| form(file, i, v)).collect::<Result<_>>()?
            }
            _ => vec![form(file, 0, &toml::Value::Table(table))?],
        };
        let mut flat = Vec::new();
        for (i, form) in forms.iter().enumerate() {
            expand(form, &mut flat).map_err(|e| anyhow!("{file}, part {}: {e}", i + 1))?;
        }
        let end: f64 = flat.iter().map(Form::duration).sum();
        if flat.is_empty() || end > LIMIT {
            bail!("{file}: lasts {end} s; a gesture has parts and lasts at most {LIMIT} s");
        }
        Ok(Self::of_forms(flat))
    }
}

/// Whether the first line of `bytes` that is no comment is a table or a value of TOML.
fn is_toml(bytes: &[u8]) -> bool {
    let text = decode(bytes);
    let mut lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
    // Excel's own directive is no value.
    lines.next().is_some_and(|l| l.starts_with('[') || l.contains('=') && !l.starts_with("sep="))
}

fn form(file: &str, index: usize, value: &toml::Value) -> Result<Form> {
    let mut value = value.clone();
    upgrade_pressed(&mut value);
    Form::deserialize(value).map_err(|e| anyhow!("{file}, part {}: {}", index + 1, e.message()))
}

/// Files from before the `pressed` form had a force: a `pressed` part with a speed means
/// `pressed_evenly`.
fn upgrade_pressed(part: &mut toml::Value) {
    let Some(part) = part.as_table_mut() else { return };
    if let Some(toml::Value::Array(inner)) = part.get_mut("part") {
        inner.iter_mut().for_each(upgrade_pressed);
    }
    if part.contains_key("speed_m_s")
        && let Some(toml::Value::String(form)) = part.get_mut("form")
        && form == "pressed"
    {
        *form = "pressed_evenly".into();
    }
}

/// Appends `form` to `flat` with repetitions expanded.
fn expand(form: &Form, flat: &mut Vec<Form>) -> Result<()> {
    if let Some(fault) = form.fault() {
        bail!("{fault}");
    }
    match form {
        Form::Repeat { times, part } => {
            for _ in 0..*times {
                for inner in part {
                    expand(inner, flat)?;
                }
            }
        }
        other => flat.push(other.clone()),
    }
    if flat.len() > PART_LIMIT {
        bail!("repetitions make more than {PART_LIMIT} parts");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gesture::KeyView;
    use proptest::prelude::*;
    use touchback_action::Drive;

    fn csv_error(text: &str) -> String {
        Gesture::from_csv("g.csv", text.as_bytes()).unwrap_err().to_string()
    }

    fn toml_error(text: &str) -> String {
        let error = Gesture::from_toml("g.toml", text.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with("g.toml") && !error.contains('\n'), "{error}");
        error
    }

    #[test]
    fn csv_gestures_are_read_strictly() {
        let gesture = Gesture::from_csv("g.csv", b"t_s,force_n\n0,0\n0.5,1\n").unwrap();
        assert_eq!(gesture.steps(), 4000);
        assert!(csv_error("t_s,key_m,force_n\n0,0,0\n").contains("exactly one of key_m"));
        assert!(csv_error("t_s,key_in\n0,0\n").contains("not t_s,key_in"));
        assert!(csv_error("t_s,key_m\n0.1,0\n").contains("line 2: t_s begins at 0.1"));
        assert!(csv_error("t_s,key_m\n0,0\n0,1\n").contains("line 3"));
        assert!(csv_error("t_s,key_m\n0,0\n1,2\n").contains("line 3: key_m `2`"));
        assert!(csv_error("t_s,key_m\n0,0\n601,0\n").contains("at most 600 s"));
    }

    #[test]
    fn units_stand_in_the_header_or_below_it() {
        let force = |text: &[u8]| {
            let mut gesture = Gesture::from_csv("g.csv", text).unwrap();
            (gesture.steps(), gesture.drive(399, KeyView::default()))
        };
        let plain = force(b"t_s,force_n\n0,0\n0.05,6\n0.2,6\n");
        for text in [
            &b"t_s,force_n\ns,N\n0,0\n0.05,6\n0.2,6\n"[..],
            b"t,force\n[s],[N]\n0,0\n0.05,6\n0.2,6\n",
            b"t;Force (N)\nms;N\n0;0\n50;6\n200;6\n",
            b"t_ms,force_n\n0,0\n50,6\n200,6\n",
        ] {
            assert_eq!(force(text), plain, "{}", String::from_utf8_lossy(text));
        }
        let depth = force(b"t_s,key_m\n0,0\n0.05,0.01\n0.2,0.01\n");
        assert_eq!(force(b"t_s,key_mm\n0,0\n0.05,10\n0.2,10\n"), depth);
        assert_eq!(force(b"t,key\ns,mm\n0,0\n0.05,10\n0.2,10\n"), depth);
        assert!(
            csv_error("t_s,key_m\ns,mm\n0,0\n")
                .contains("line 2: the unit of `key_m` is given as `mm`")
        );
        assert!(csv_error("t_s,key_mm\n0,0\n1,2000\n").contains("within ±1000"));
    }

    #[test]
    fn a_recorded_run_is_the_motion_of_its_key() {
        let run = b"time_s,phase,key_m,key_force_n\n0.000125,D,0,1\n0.1,A,0.005,2\n";
        let mut gesture = Gesture::from_csv("run.csv", run).unwrap();
        assert_eq!(gesture.steps(), 800);
        let Drive::Motion { depth: [_, last], .. } = gesture.drive(799, KeyView::default()) else {
            panic!()
        };
        assert!((last - 0.005).abs() < 1e-9, "{last}");
        let late = "time_s,phase,key_m\n0.5,D,0\n";
        assert!(csv_error(late).contains("line 2: time_s begins at 0.5"), "{}", csv_error(late));
    }

    #[test]
    fn a_single_form_needs_no_part_table() {
        let text = "form = \"struck\"\nspeed_m_s = 1.5\nmass_kg = 0.3\nduration_s = 0.2\n";
        let mut gesture = Gesture::from_toml("g.toml", text.as_bytes()).unwrap();
        assert_eq!(gesture.steps(), 1600);
        let Drive::Force([first, last]) = gesture.drive(0, KeyView::default()) else { panic!() };
        assert_eq!(first, 0.0);
        // 8 N·s/m at 1.5 m/s, and the spring of one step.
        assert!((last - (12.0 + 9000.0 * 1.5 * STEP)).abs() < 0.05, "{last}");
    }

    #[test]
    fn a_press_with_a_force_is_a_hand_and_one_with_a_speed_is_even() {
        let read = |text: &str| Gesture::from_toml("g.toml", text.as_bytes()).unwrap();
        let rest = KeyView::default();
        let mut hand = read("form = \"pressed\"\nforce_n = 5\nduration_s = 0.4\n");
        let mut last = 0.0;
        for step in 0..3200 {
            let Drive::Force([a, b]) = hand.drive(step, rest) else { panic!() };
            assert!((a - last).abs() < 1e-12 && a >= 0.0);
            last = b;
        }
        assert!((last - 5.0).abs() < 0.1, "{last}");
        let even = "form = \"pressed_evenly\"\nspeed_m_s = 0.2\nduration_s = 0.1\n";
        let before = even.replace("_evenly", "");
        let nested = format!(
            "form = \"repeat\"\ntimes = 1\npart = [{{ {} }}]",
            before.trim().replace('\n', ", ")
        );
        let [mut even, mut before, mut nested] = [even, &before, &nested].map(read);
        for step in 0..800 {
            let drive = even.drive(step, rest);
            assert!(matches!(drive, Drive::Finger(_)));
            assert_eq!([before.drive(step, rest), nested.drive(step, rest)], [drive; 2]);
        }
        let both = "form = \"pressed\"\nforce_n = 5\nspeed_m_s = 1\nduration_s = 0.2\n";
        assert!(toml_error(both).contains("force_n"));
        let heavy = "form = \"pressed\"\nforce_n = 5\ndrag_n_s_m = 1e4\nduration_s = 0.2\n";
        assert!(toml_error(heavy).contains("drag_n_s_m = 10000"));
    }

    #[test]
    fn repetitions_are_expanded() {
        let text = "[[part]]\nform = \"hold\"\nduration_s = 0.1\n\
                    [[part]]\nform = \"repeat\"\ntimes = 3\n\
                    part = [{ form = \"ramp\", channel = \"key_m\", to = 0.01, duration_s = 0.05 },\n\
                    { form = \"release\", duration_s = 0.05, speed_m_s = 0.2 }]\n";
        let gesture = Gesture::from_toml("g.toml", text.as_bytes()).unwrap();
        assert_eq!(gesture.steps(), 3200);
    }

    #[test]
    fn bad_toml_is_named() {
        assert!(toml_error("form = \n").contains("line 1"));
        assert!(toml_error("form = \"flick\"\n").contains("flick"));
        assert!(toml_error("[[part]]\nform = \"hold\"\n").contains("part 1: missing field"));
        assert!(toml_error("form = \"hold\"\nduration_s = -1\n").contains("duration_s = -1"));
        assert!(toml_error("form = \"hold\"\nduration_s = nan\n").contains("duration_s = NaN"));
        assert!(toml_error("form = \"hold\"\nduration_s = 1\nspeed = 2\n").contains("speed"));
        assert!(toml_error("x = 1\n[[part]]\nform = \"hold\"\nduration_s = 1\n").contains("`x`"));
        assert!(toml_error("part = []\n").contains("has parts"));
        let nested = "form = \"repeat\"\ntimes = 10000\npart = [{ form = \"repeat\", times = 10000, \
                      part = [{ form = \"hold\", duration_s = 0.001 }] }]\n";
        assert!(toml_error(nested).contains("more than 100000 parts"));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Gesture::from_csv("g.csv", &bytes);
            let _ = Gesture::from_toml("g.toml", &bytes);
        }

        #[test]
        fn arbitrary_rows_play_without_panic(
            rows in proptest::collection::vec((1e-4f64..0.01, -0.5f64..0.5), 1..20)
        ) {
            let mut text = String::from("t_s,finger_m\n0,0\n");
            let mut t = 0.0;
            for (dt, x) in rows {
                t += dt;
                text += &format!("{t},{x}\n");
            }
            let mut gesture = Gesture::from_csv("g.csv", text.as_bytes()).unwrap();
            for step in 0..gesture.steps() {
                let Drive::Finger([a, b]) = gesture.drive(step, KeyView::default()) else {
                    return Err(TestCaseError::fail("not a finger"));
                };
                prop_assert!(a.abs() <= 0.5 && b.abs() <= 0.5);
            }
        }
    }
}
