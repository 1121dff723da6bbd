//! A piano as a file: TOML with a name, tags, notes and the value of every parameter by its id.
//!
//! ```toml
//! format = 1
//! touchback = "0.3.0"
//! name = "Dark and deep"
//! tags = ["dark", "heavy"]
//! notes = "After the piano in the small hall."
//! keys = """
//! key,let_off_mm
//! 40,0.5
//! """
//!
//! [values]
//! timing = "Immediate"
//! blow_mm = 49.0
//! ```
//!
//! A mechanism from a file is a table `mechanism` with the file's `name` and `text`, and the `values` of its parameters.
//!
//! Unknown ids are counted and ignored, values outside their range are clamped, missing values are those
//! from before the parameter existed, unreadable values become the default; all this is reported in
//! [`PresetLosses`]. A newer format is refused.

use serde::{Deserialize, Serialize, Serializer};

use crate::Settings;
use crate::host::mechanism::MechanismText;
use crate::host::params::{FORMAT, KEYS_FIELD, Parameter, ValueKind, all, find};
use touchback_action::ActionKind;

/// A piano with its name, tags and notes: the contents of a file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NamedPiano {
    /// Name, one line; may be empty in files made by hand.
    pub name: String,
    /// Tags to search by.
    pub tags: Vec<String>,
    /// Notes, any text.
    pub notes: String,
    /// Values of all parameters.
    pub settings: Settings,
    /// File of its mechanism, with the values of its parameters; written where the action is that of a file.
    pub mechanism: Option<MechanismText>,
}

/// Values of a file that were changed or ignored in reading.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PresetLosses {
    /// Unknown ids, which were ignored.
    pub unknown: Vec<String>,
    /// Ids of values outside their range, which were clamped.
    pub clamped: Vec<&'static str>,
    /// Ids of values of a wrong type or name, which became the default.
    pub senseless: Vec<&'static str>,
}

/// Most unknown ids that a message names, and most characters of each.
const NAMED: usize = 5;
const NAME: usize = 40;

impl PresetLosses {
    /// Message about the losses; `None` without any.
    #[must_use]
    pub fn message(&self) -> Option<String> {
        let mut parts = Vec::new();
        if !self.clamped.is_empty() {
            parts.push(format!("put to the end of their range: {}", self.clamped.join(", ")));
        }
        if !self.senseless.is_empty() {
            parts.push(format!("make no sense, default taken: {}", self.senseless.join(", ")));
        }
        if !self.unknown.is_empty() {
            let plain = |id: &String| one_line(id).chars().take(NAME).collect();
            let named: Vec<String> = self.unknown.iter().take(NAMED).map(plain).collect();
            let more = match self.unknown.len().saturating_sub(NAMED) {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            parts.push(format!("unknown and left out: {}{more}", named.join(", ")));
        }
        (!parts.is_empty()).then(|| format!("values {}", parts.join("; values ")))
    }
}

/// Why a file was refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file is not TOML, or has another structure.
    #[error("line {line}: {message}")]
    Form {
        /// Line, from 1.
        line: usize,
        /// Message, one line.
        message: String,
    },
    /// A newer format, whose values may have another meaning.
    #[error(
        "written by the newer Touchback {version} (format {format}, this one reads up to {FORMAT})"
    )]
    Newer {
        /// Version of the program that wrote it.
        version: String,
        /// Format number in the file.
        format: u32,
    },
}

/// The file's TOML, unchecked.
#[derive(Deserialize)]
struct Document {
    format: u32,
    #[serde(default)]
    touchback: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    notes: String,
    /// Key sheet, as CSV.
    #[serde(default)]
    keys: String,
    values: toml::Table,
    mechanism: Option<MechanismText>,
}

impl NamedPiano {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// [`FileError`] with the line.
    pub fn read(text: &str) -> Result<(Self, PresetLosses), FileError> {
        let document: Document = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start).min(text.len());
            let line = 1 + text.bytes().take(at).filter(|b| *b == b'\n').count();
            let message = error.message().replace('\n', ", ");
            FileError::Form { line, message }
        })?;
        let Document { format, touchback: version, name, tags, notes, keys, values, mechanism } =
            document;
        if format > FORMAT {
            return Err(FileError::Newer { version, format });
        }
        let mut losses = PresetLosses::default();
        let mut settings = Settings::default();
        losses.unknown = values.keys().filter(|id| find(id).is_err()).cloned().collect();
        for parameter in all() {
            let Some(value) = values.get(parameter.id) else {
                parameter.set(&mut settings, parameter.value_where_absent());
                continue;
            };
            match number(parameter, value) {
                Some(value) => {
                    if !(parameter.min()..=parameter.max()).contains(&value) {
                        losses.clamped.push(parameter.id);
                    }
                    parameter.set(&mut settings, value);
                }
                None => losses.senseless.push(parameter.id),
            }
        }
        if !keys.is_empty() {
            match keys.parse() {
                Ok(sheet) => settings.set_key_sheet(sheet),
                Err(_) => losses.senseless.push(KEYS_FIELD),
            }
        }
        Ok((Self { name: one_line(&name), tags, notes, settings, mechanism }, losses))
    }

    /// The text of the piano's file.
    ///
    /// # Errors
    /// Those of the TOML writer; none is known for these types.
    pub fn text(&self) -> Result<String, String> {
        #[derive(Serialize)]
        struct Written<'a> {
            format: u32,
            touchback: &'a str,
            name: &'a str,
            tags: &'a [String],
            notes: &'a str,
            #[serde(skip_serializing_if = "String::is_empty")]
            keys: String,
            values: ValuesById<'a>,
            #[serde(skip_serializing_if = "Option::is_none")]
            mechanism: Option<&'a MechanismText>,
        }
        let sheet = self.settings.key_sheet();
        let is_played = self.settings.action.action == ActionKind::File;
        let written = Written {
            format: FORMAT,
            touchback: env!("CARGO_PKG_VERSION"),
            name: &one_line(&self.name),
            tags: &self.tags,
            notes: &self.notes,
            keys: if sheet.is_even() { String::new() } else { sheet.text() },
            values: ValuesById(&self.settings),
            mechanism: self.mechanism.as_ref().filter(|_| is_played),
        };
        toml::to_string(&written).map_err(|error| error.to_string())
    }
}

/// The number that `value` gives `parameter`, unclamped, if its type and name are right.
fn number(parameter: &'static Parameter, value: &toml::Value) -> Option<f64> {
    let number = match value {
        toml::Value::Float(number) => *number,
        // Files written by hand may contain 47 for 47.0; integers beyond 2⁵³ are out of every range.
        toml::Value::Integer(number) => *number as f64,
        toml::Value::String(text) => parameter.parse(text).ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

/// The values of all parameters in display order; choices by name.
struct ValuesById<'a>(&'a Settings);

impl Serialize for ValuesById<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(untagged)]
        enum Value {
            Number(f64),
            Choice(String),
        }
        serializer.collect_map(all().map(|parameter| {
            let value = parameter.get(self.0);
            let value = match parameter.kind {
                ValueKind::Number { .. } => Value::Number(parameter.quantize(value)),
                ValueKind::Choice(_) => Value::Choice(parameter.number_text(value)),
            };
            (parameter.id, value)
        }))
    }
}

/// Line ends and control characters as spaces.
fn one_line(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HEAD: &str = "format = 1\nname = \"x\"\n[values]\n";

    fn read(values: &str) -> (NamedPiano, PresetLosses) {
        NamedPiano::read(&format!("{HEAD}{values}")).unwrap()
    }

    #[test]
    fn a_handwritten_file_loads_valid_values_and_reports_the_others() {
        let (saved, losses) = read(
            "blow_mm = 44\nlet_off_mm = \"2 mm\"\ntiming = \"natural\"\nkey_dip_mm = 1e9\n\
             drop_mm = nan\ncheck_mm = true\nvelocity_map = 2\nharp = 1\nbells = 2\n",
        );
        let (action, touch) = (&saved.settings.action, &saved.settings.touch);
        assert_eq!((action.blow_mm, action.let_off_mm), (44.0, 2.0));
        assert_eq!(touch.timing, crate::settings::Timing::Natural);
        assert_eq!(action.key_dip_mm, find("key_dip_mm").unwrap().max());
        assert_eq!(action.drop_mm, Settings::default().action.drop_mm);
        let expected = PresetLosses {
            unknown: vec!["bells".into(), "harp".into()],
            clamped: vec!["key_dip_mm"],
            senseless: vec!["drop_mm", "check_mm"],
        };
        let mut losses = losses;
        losses.senseless.sort_unstable_by_key(|id| *id != "drop_mm");
        losses.unknown.sort();
        assert_eq!(losses, expected);
        let words = losses.message().unwrap();
        assert!(words.contains("key_dip_mm") && words.contains("left out: "), "{words}");
        assert_eq!(read("").1.message(), None);
    }

    #[test]
    fn differences_of_single_keys_are_read_back() {
        let mut piano = NamedPiano::default();
        assert!(!piano.text().unwrap().contains(KEYS_FIELD));
        piano.settings.set_key_sheet("key,drop_mm,knock_db\n7,0.5,3\n".parse().unwrap());
        let text = piano.text().unwrap();
        assert!(text.contains("\n7,0.5,3\n"), "{text}");
        assert_eq!(NamedPiano::read(&text).unwrap(), (piano, PresetLosses::default()));
        let bad = format!("keys = \"key,drop\"\n{HEAD}");
        let (read, losses) = NamedPiano::read(&bad).unwrap();
        assert!(read.settings.key_sheet().is_even());
        assert_eq!(losses.senseless, [KEYS_FIELD]);
    }

    #[test]
    fn a_mechanism_is_read_back_as_it_was_saved() {
        let mut piano = NamedPiano::default();
        let (name, text) = ("own.mechanism.toml".into(), "name = \"own\"\n[port]\n".into());
        let values = [("wind".to_owned(), 400.0)].into();
        piano.mechanism = Some(MechanismText { name, text, values });
        assert!(!piano.text().unwrap().contains("[mechanism]"), "another action");
        piano.settings.action.action = ActionKind::File;
        let text = piano.text().unwrap();
        assert_eq!(NamedPiano::read(&text).unwrap(), (piano, PresetLosses::default()));
    }

    #[test]
    fn errors_in_an_invalid_preset_file_name_their_line() {
        let message = |text: &str| NamedPiano::read(text).unwrap_err().to_string();
        for (text, words) in [
            ("format = 1\nname = \"x\n", "line 2"),
            ("format = 1\n", "values"),
            ("[values]\n", "format"),
            ("format = 1\ntags = \"one\"\n[values]\n", "line 2"),
            ("format = 99\ntouchback = \"9.0\"\n[values]\n", "newer Touchback 9.0 (format 99"),
            ("\0\0\u{1}", "line 1"),
            ("", "line 1"),
        ] {
            let message = message(text);
            assert!(message.contains(words) && !message.contains('\n'), "{text:?}: {message}");
        }
    }

    proptest! {
        /// Any piano with any name is read as it was written, value for value.
        #[test]
        fn pianos_survive_their_files(
            name in "\\PC{0,40}", tags in prop::collection::vec("\\PC{0,12}", 0..4),
            notes in "(?s).{0,200}", shares in prop::collection::vec(0.0..=1.0f64, 128),
        ) {
            let mut settings = Settings::default();
            for (parameter, share) in all().zip(&shares) {
                parameter.set(&mut settings, parameter.plain(*share));
            }
            // TOML has one line end.
            let notes = notes.replace('\r', "");
            let saved = NamedPiano { name: one_line(&name), tags, notes, settings, mechanism: None };
            let text = saved.text().unwrap();
            let (back, losses) = NamedPiano::read(&text).unwrap();
            prop_assert_eq!(losses, PresetLosses::default());
            for parameter in all() {
                prop_assert_eq!(
                    parameter.get(&back.settings).to_bits(),
                    parameter.get(&saved.settings).to_bits(), "{}", parameter.id
                );
            }
            prop_assert_eq!(back, saved);
        }

        /// No text causes a panic.
        #[test]
        fn arbitrary_text_never_panics(text in "(?s).{0,300}") {
            let _ = NamedPiano::read(&text);
            let _ = NamedPiano::read(&format!("{HEAD}{text}"));
        }
    }
}
