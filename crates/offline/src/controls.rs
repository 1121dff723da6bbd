//! `--preset`, `--set`, `--keys` and `--automate`: settings from text.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};

use crate::output::{self, Shown as _};
use crate::paths::{CurveOption, is_preset};
use crate::table::{CsvTable, Curve};
use touchback_action::interface::key_sheet::KeySheet;
use touchback_core::text::encoding::decode;
use touchback_core::text::near::suggestion;
use touchback_core::text::note;
use touchback_haptics::action::Action;
use touchback_instrument::Settings;
use touchback_instrument::host::mechanism;
use touchback_instrument::host::params::{self, ParamError, Parameter};
use touchback_instrument::host::preset::file::NamedPiano;
use touchback_instrument::host::preset::{self, Preset, user_presets};

/// Largest curve file, bytes.
const CURVE_LIMIT: u64 = 64_000_000;

/// Largest sheet of keys, bytes.
const SHEET_LIMIT: u64 = 1_000_000;

/// Samples from one automation value to the next, counted from sample 0.
pub const AUTOMATION_PERIOD: u64 = 64;

/// The number 1 to 88 of the key that `text` names: by number, or as a note, A0 to C8.
///
/// # Errors
/// What would be right.
pub fn key_number(text: &str) -> Result<u8, String> {
    let key = note::key(text).ok_or_else(|| "a key is 1 to 88, or a note, A0 to C8".to_owned())?;
    Ok(key.number())
}

/// The haptic action called `name`.
///
/// # Errors
/// Lists the names.
pub fn haptic_action(name: &str) -> Result<Action, String> {
    let names = Action::ALL.map(Action::name);
    Action::read(name).unwrap_or_else(|| {
        let suggestion = suggestion(name, names);
        let names = names.join(", ");
        Err(format!("unknown haptic action; one of {names} is expected{suggestion}"))
    })
}

/// The parameter `id`; errors name the option `of`.
///
/// # Errors
/// An unknown id, with a similar one.
pub fn parameter(of: &str, id: &str) -> Result<&'static Parameter> {
    params::find(id).map_err(|error| unknown_parameter(of, error, &[]))
}

/// `error` in the value of the option `of`, with a similar id for an unknown one: one of `own`, which are a
/// mechanism's, before one of the piano.
fn unknown_parameter(of: &str, error: ParamError, own: &[&str]) -> anyhow::Error {
    if let ParamError::NoSuchParameter { id } = &error
        && let near = suggestion(id, own.iter().copied())
        && !near.is_empty()
    {
        return anyhow!("{of}: no parameter is called `{id}`{near}");
    }
    anyhow!(error).context(of.to_owned())
}

/// Settings of the factory piano `name`, or of the preset file `name` if it ends in `.toml`. Values
/// of the file that could not be used are reported on stderr.
///
/// # Errors
/// An unknown name, with the known ones; a bad file, with its line.
pub fn preset(name: &str) -> Result<Settings> {
    if is_preset(Path::new(name)) {
        return Ok(saved_piano(Path::new(name)).context("--preset")?.settings);
    }
    preset::find(name).map(Preset::piano).ok_or_else(|| {
        let near = suggestion(&name.to_lowercase(), preset::PRESETS.iter().map(|p| p.name));
        anyhow!(
            "--preset {name}: no such piano{near}; there are: {}, or FILE.toml",
            preset::names()
        )
    })
}

/// Reads a preset file or standard input; prints a warning of what it does not take over.
///
/// # Errors
/// Names the file.
pub fn saved_piano(path: &Path) -> Result<NamedPiano> {
    let (mut piano, losses) = if output::is_stdin(path) {
        let text = decode(&output::read(path, user_presets::LIMIT)?);
        NamedPiano::read(&text).map_err(|error| anyhow!("{}: {error}", path.shown()))?
    } else {
        user_presets::read(path)?
    };
    if let Some(message) = losses.message() {
        output::warn(&format!("warning: {}: {message}", path.shown()));
    }
    if let Some(source) = piano.mechanism.clone() {
        let file = mechanism::open(source).map_err(|e| anyhow!("{}: {e}", path.shown()))?;
        piano.settings.action.mechanism = Some(file).into();
    }
    Ok(piano)
}

/// Reads `--mechanism FILE`: the piano plays the mechanism in it.
///
/// # Errors
/// Names the file, and the line where the reader knows it.
pub fn mechanism(settings: &mut Settings, file: Option<&Path>) -> Result<()> {
    let Some(path) = file else { return Ok(()) };
    let text = output::read_text(path, mechanism::LIMIT)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let read = mechanism::read(&name, text);
    // The file is saved by its name alone; an error has the path.
    let refused =
        |error: String| anyhow!("{}{}", path.shown(), error.strip_prefix(&*name).unwrap_or(&error));
    mechanism::play(settings, read.map_err(refused)?);
    Ok(())
}

/// Applies `--set ID=VALUE` options in order; an id may be one of the mechanism from a file.
///
/// # Errors
/// Unknown id, or a value out of range.
pub fn set(settings: &mut Settings, options: &[String]) -> Result<()> {
    for option in options {
        let own = option.split_once('=').and_then(|(id, value)| {
            let mechanism = settings.action.mechanism.as_ref()?;
            let is_own = mechanism.parameters().iter().any(|own| own.id == id.trim());
            is_own.then(|| (mechanism.clone(), id.trim(), value.trim()))
        });
        match own {
            Some((mechanism, id, value)) => {
                let number =
                    value.parse().map_err(|_| anyhow!("--set {option}: `{value}` is no number"))?;
                let changed = mechanism
                    .with(id, number)
                    .map_err(|error| anyhow!("--set {option}: {error}"))?;
                settings.action.mechanism = Some(changed).into();
            }
            None => params::apply(settings, std::slice::from_ref(option)).map_err(|error| {
                let own = settings.action.mechanism.as_ref().map(|file| file.parameters());
                let own: Vec<&str> =
                    own.iter().flat_map(|list| list.iter()).map(|p| &*p.id).collect();
                unknown_parameter("--set", error, &own)
            })?,
        }
    }
    Ok(())
}

/// Reads `--keys SHEET.csv`: offsets of single keys.
///
/// # Errors
/// Names file and line.
pub fn keys(settings: &mut Settings, sheet: Option<&Path>) -> Result<()> {
    if let Some(path) = sheet {
        let read = decode(&output::read(path, SHEET_LIMIT)?).parse::<KeySheet>();
        let sheet = read.map_err(|error| anyhow!("--keys: {}, {error}", path.shown()))?;
        settings.set_key_sheet(sheet);
    }
    Ok(())
}

/// Warns on stderr of `--set ID=VALUE` options that have no effect under the final `settings`.
pub fn warn_idle(settings: &Settings, options: &[String]) {
    for (id, why) in idle(settings, options) {
        output::warn(&format!("warning: --set {id} changes nothing here: {why}"));
    }
}

/// The ids in `options` that have no effect under `settings`, each once, and the reason.
fn idle(settings: &Settings, options: &[String]) -> Vec<(&'static str, &'static str)> {
    let given = options.iter().filter_map(|o| params::parse_assignment(o).ok()).map(|(p, _)| p.id);
    let mut idle: Vec<_> =
        given.filter_map(|id| params::relevance(settings, id).map(|why| (id, why))).collect();
    idle.dedup_by_key(|(id, _)| *id);
    idle
}

/// Parameters that follow curves over the length of a rendering.
#[derive(Default)]
pub struct Automation {
    curves: Vec<(&'static Parameter, Curve)>,
}

impl Automation {
    /// Reads `--automate ID=CURVE.csv` options.
    ///
    /// # Errors
    /// Unknown id, the same id twice, or a bad file: named with its line.
    pub fn read(options: &[CurveOption]) -> Result<Self> {
        let mut curves: Vec<(&'static Parameter, Curve)> = Vec::new();
        for option in options {
            let (id, file) = option
                .split_once('=')
                .ok_or_else(|| anyhow!("--automate {option}: write --automate ID=CURVE.csv"))?;
            let param = params::find(id.trim()).context("--automate")?;
            if curves.iter().any(|(p, _)| p.id == param.id) {
                bail!("--automate {option}: `{}` already follows a curve", param.id);
            }
            let bytes = output::read(Path::new(file), CURVE_LIMIT)?;
            curves.push((param, curve(param, file, &bytes)?));
        }
        Ok(Self { curves })
    }

    /// An automation of one parameter.
    #[must_use]
    pub fn of(param: &'static Parameter, curve: Curve) -> Self {
        Self { curves: vec![(param, curve)] }
    }

    /// No parameter is automated.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.curves.is_empty()
    }

    /// `base` with the values at `time` s.
    #[must_use]
    pub fn at(&self, base: &Settings, time: f64) -> Settings {
        let mut settings = base.clone();
        for (param, curve) in &self.curves {
            param.set(&mut settings, curve.at(time));
        }
        settings
    }
}

/// Reads a curve of columns `t_s,value`.
///
/// # Errors
/// Names file and line.
pub fn curve(param: &'static Parameter, file: &str, bytes: &[u8]) -> Result<Curve> {
    let table = CsvTable::read(file, bytes)?;
    let (time, _) = table.time_column(file)?;
    let times = table.times(file)?;
    let value =
        table.column("value").ok_or_else(|| anyhow!("{file}, line 1: no column `value`"))?;
    if let Some(other) = (0..table.columns.len()).find(|i| ![time, value].contains(i)) {
        let other = &table.columns[other];
        bail!("{file}, line 1: column `{other}` is unknown; the columns are t_s,value");
    }
    let points = table
        .rows
        .iter()
        .zip(times)
        .map(|((line, cells), t)| {
            let value =
                param.parse(&cells[value]).with_context(|| format!("{file}, line {line}"))?;
            Ok((t, value))
        })
        .collect::<Result<Vec<_>>>()?;
    Curve::new(points).ok_or_else(|| anyhow!("{file}: no rows"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn let_off() -> &'static Parameter {
        params::find("let_off_mm").unwrap()
    }

    #[test]
    fn options_reach_the_settings() {
        let mut settings = preset("concert").unwrap();
        set(&mut settings, &["let_off_mm=2.5".into()]).unwrap();
        assert_eq!(settings.action.let_off_mm, 2.5);
        assert!(preset("spinet").unwrap_err().to_string().contains("concert"));
        for (bad, part) in [
            ("let_off_mm", "ID=VALUE"),
            ("no_such=1", "`no_such`"),
            ("let_off_mm=wide", "`wide`"),
            ("let_off_mm=1e9", "let_off_mm: 1e9"),
        ] {
            let error = format!("{:#}", set(&mut settings, &[bad.into()]).unwrap_err());
            assert!(error.starts_with("--set: ") && error.contains(part), "{error}");
        }
    }

    #[test]
    fn a_sheet_of_keys_is_read_and_a_bad_one_names_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sheet.csv");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let mut settings = Settings::default();
            keys(&mut settings, Some(&path)).map(|()| settings.key_sheet())
        };
        assert_eq!(read("key,drop_mm\n7,1\n").unwrap().text(), "key,drop_mm\n7,1\n");
        let error = format!("{:#}", read("key,drop_mm\n7,1\n8,9\n").unwrap_err());
        assert!(error.starts_with("--keys: ") && error.contains("sheet.csv, line 3: "), "{error}");
    }

    #[test]
    fn options_without_effect_are_found() {
        let idle_ids = |options: &[&str]| {
            let options: Vec<String> = options.iter().map(|o| (*o).into()).collect();
            let mut settings = Settings::default();
            set(&mut settings, &options).unwrap();
            idle(&settings, &options).into_iter().map(|(id, _)| id).collect::<Vec<_>>()
        };
        assert!(idle_ids(&["let_off_mm=2", "hammer_mass=2"]).is_empty());
        assert_eq!(idle_ids(&["let_off_mm=2", "hammer_mass=2", "action=ball"]), ["let_off_mm"]);
        assert_eq!(idle_ids(&["gamma=2"]), ["gamma"]);
        assert!(idle_ids(&["gamma=2", "velocity_map=gamma"]).is_empty());
    }

    #[test]
    fn a_curve_moves_one_parameter_linearly() {
        for text in ["t_s,value\n0,1\n2,3\n", "t,value\nms,mm\n0,1\n2000,3\n"] {
            let curve = curve(let_off(), "c.csv", text.as_bytes()).unwrap();
            let automation = Automation::of(let_off(), curve);
            assert_eq!(automation.at(&Settings::default(), 0.5).action.let_off_mm, 1.5);
        }
    }

    #[test]
    fn bad_curves_name_their_line() {
        for (text, part) in [
            ("t_s,value\n0,1\n1,1e9\n", "c.csv, line 3"),
            ("t_s,value\n1,1\n0,1\n", "line 3"),
            ("t_s,values\n0,1\n", "no column `value`"),
            ("t_s,value,more\n0,1,1\n", "`more` is unknown"),
        ] {
            let error = format!("{:#}", curve(let_off(), "c.csv", text.as_bytes()).unwrap_err());
            assert!(error.contains(part), "{error}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = curve(let_off(), "c.csv", &bytes);
        }

        #[test]
        fn arbitrary_cells_never_panic(text in "t_s,value\n([-0-9.e,\"na\n]{0,40})") {
            let _ = curve(let_off(), "c.csv", text.as_bytes());
        }
    }
}
