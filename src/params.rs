//! Every host parameter, declared once.

use crate::instrument::Settings;
use crate::instrument::settings::Timing;

/// One parameter.
pub struct Param {
    /// Stable name in files and on the command line.
    pub id: &'static str,
    /// Name shown to people.
    pub name: &'static str,
    /// Group it is shown in.
    pub group: &'static str,
    /// Unit of the plain value.
    pub unit: &'static str,
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Value of the concert grand.
    pub default: f64,
    /// Names of the values 0, 1, …; empty for a continuous parameter.
    pub choices: &'static [&'static str],
    set: fn(&mut Settings, f64),
}

/// Why a value was refused.
#[derive(Debug, thiserror::Error)]
#[error("{id}: `{text}` is not a value of {range}")]
pub struct ParamError {
    id: &'static str,
    text: String,
    range: String,
}

/// All parameters.
pub static TABLE: &[Param] = &[
    Param {
        id: "let_off_mm",
        name: "Let-off",
        group: "Regulation",
        unit: "mm",
        min: 0.3,
        max: 6.0,
        default: 1.5,
        choices: &[],
        set: |s, v| s.action.let_off_mm = v,
    },
    Param {
        id: "hammer_hardness",
        name: "Hammer hardness",
        group: "Voicing",
        unit: "oct",
        min: -2.0,
        max: 2.0,
        default: 0.0,
        choices: &[],
        set: |s, v| s.sound.hammer_hardness = v,
    },
    Param {
        id: "timing",
        name: "Timing",
        group: "Touch",
        unit: "",
        min: 0.0,
        max: 1.0,
        default: 0.0,
        choices: &["immediate", "natural"],
        set: |s, v| s.touch.timing = if v < 0.5 { Timing::Immediate } else { Timing::Natural },
    },
];

/// The parameter called `id`.
#[must_use]
pub fn find(id: &str) -> Option<&'static Param> {
    TABLE.iter().find(|p| p.id == id)
}

impl Param {
    /// The plain value that `text` names.
    ///
    /// # Errors
    /// When it is no number, no choice, or out of range.
    pub fn parse(&self, text: &str) -> Result<f64, ParamError> {
        let trimmed = text.trim();
        let number = trimmed.strip_suffix(self.unit).unwrap_or(trimmed).trim().parse::<f64>().ok();
        let choice = self.choices.iter().position(|c| c.eq_ignore_ascii_case(trimmed));
        choice
            .map(|c| c as f64)
            .or(number)
            .filter(|v| (self.min..=self.max).contains(v))
            .ok_or_else(|| ParamError {
                id: self.id,
                text: text.to_owned(),
                range: if self.choices.is_empty() {
                    format!("{}…{} {}", self.min, self.max, self.unit)
                } else {
                    self.choices.join("|")
                },
            })
    }

    /// Puts `value` into `settings`.
    pub fn apply(&self, settings: &mut Settings, value: f64) {
        (self.set)(settings, value);
    }
}

/// The list that `touchback params` prints.
#[must_use]
pub fn json() -> serde_json::Value {
    TABLE
        .iter()
        .map(|p| {
            serde_json::json!({
                "id": p.id, "name": p.name, "group": p.group, "unit": p.unit, "min": p.min,
                "max": p.max, "default": p.default, "default_text": format!("{} {}", p.default, p.unit),
                "choices": p.choices,
            })
        })
        .collect()
}
