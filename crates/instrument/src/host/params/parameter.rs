//! One parameter: name, values, and their text.

use crate::Settings;
use crate::host::params::ParamError;
use touchback_core::math::cast::floor_index;
use touchback_core::math::setting::ValueKind;
use touchback_core::text::number::number;

/// The heading under which a parameter is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
pub enum ParameterGroup {
    /// From host notes to motions of keys.
    Touch,
    /// Interpretation of pedals.
    Pedals,
    /// Meaning of MIDI messages, and messages sent.
    Midi,
    /// Lengths a technician sets.
    Regulation,
    /// Springs, masses, felts and friction of the action.
    Action,
    /// Pitch of the strings.
    Tuning,
    /// Felt, strings, dampers and board.
    Sound,
    /// Output of the instrument.
    Output,
}

impl ParameterGroup {
    /// Name of the group, as shown.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Touch => "Touch",
            Self::Pedals => "Pedals",
            Self::Midi => "MIDI",
            Self::Regulation => "Regulation",
            Self::Action => "Action",
            Self::Tuning => "Tuning",
            Self::Sound => "Sound",
            Self::Output => "Output",
        }
    }
}

/// One parameter of the instrument. Its default is that of [`Settings::default`].
#[derive(Debug)]
pub struct Parameter {
    /// Stable name in files, hosts and on the command line; equal to the settings field's name.
    pub id: &'static str,
    /// Name shown to people.
    pub name: &'static str,
    /// Group under which it is shown.
    pub group: ParameterGroup,
    /// Text after the number: a space and the unit, or empty.
    pub suffix: &'static str,
    /// Range or choices.
    pub kind: ValueKind,
    /// Effect, in one sentence.
    pub doc: &'static str,
    pub(super) get: fn(&Settings) -> f64,
    pub(super) set: fn(&mut Settings, f64),
}

/// The plugin framework's hash of a parameter's `id`, by which hosts know the parameter.
#[must_use]
pub fn host_id(id: &str) -> u32 {
    let add = |hash: u32, b: u8| hash.wrapping_mul(31).wrapping_add(u32::from(b));
    // VST3 reserves the uppermost bit for parameters of the host's own.
    id.bytes().fold(0, add) & !(1 << 31)
}

impl Parameter {
    /// The parameter's id for hosts.
    #[must_use]
    pub fn host_id(&self) -> u32 {
        host_id(self.id)
    }

    /// Unit as shown in lists, empty for choices and pure numbers.
    #[must_use]
    pub fn unit(&self) -> &'static str {
        self.suffix.trim_start()
    }

    /// Smallest value.
    #[must_use]
    pub const fn min(&self) -> f64 {
        match self.kind {
            ValueKind::Number { min, .. } => min,
            ValueKind::Choice(_) => 0.0,
        }
    }

    /// Largest value.
    #[must_use]
    pub const fn max(&self) -> f64 {
        match self.kind {
            ValueKind::Number { max, .. } => max,
            ValueKind::Choice(names) => names.len() as f64 - 1.0,
        }
    }

    /// The value in [`Settings::default`].
    #[must_use]
    pub fn default_value(&self) -> f64 {
        (self.get)(&Settings::default())
    }

    /// The names of a choice; empty for a number.
    #[must_use]
    pub const fn choices(&self) -> &'static [&'static str] {
        match self.kind {
            ValueKind::Number { .. } => &[],
            ValueKind::Choice(names) => names,
        }
    }

    /// Value of this parameter in `settings`, in its unit; the index of a choice.
    #[must_use]
    pub fn get(&self, settings: &Settings) -> f64 {
        (self.get)(settings)
    }

    /// Sets `value` in `settings`, clamped to the range and rounded to the grid of [`Self::quantize`]; NaN
    /// is ignored.
    pub fn set(&self, settings: &mut Settings, value: f64) {
        if !value.is_nan() {
            (self.set)(settings, self.quantize(value));
        }
    }

    /// `value` if it is a number within the range.
    ///
    /// # Errors
    /// [`ParamError::OutOfRange`] with id, value and range.
    pub fn checked(&'static self, value: f64) -> Result<f64, ParamError> {
        if (self.min()..=self.max()).contains(&value) {
            Ok(self.quantize(value))
        } else {
            Err(ParamError::OutOfRange { parameter: self, text: value.to_string() })
        }
    }

    /// `value` clamped to the range and rounded to the seventh decimal digit of its larger end
    /// (a choice: to the nearest index).
    ///
    /// Hosts store values in single precision, which has that many digits: on this grid 0.2 from a host,
    /// from a file and from the command line is the same number and gives the same samples.
    #[must_use]
    pub fn quantize(&self, value: f64) -> f64 {
        let clamped = value.clamp(self.min(), self.max());
        match self.kind {
            ValueKind::Number { min, max, .. } => {
                let digits = 6 - touchback_core::math::cast::rounded_i32(
                    libm::log10(min.abs().max(max.abs())).floor(),
                );
                // Division by an exact power of ten gives the nearest double of the decimal.
                let scale = libm::exp10(f64::from(digits));
                (clamped * scale).round() / scale
            }
            ValueKind::Choice(_) => clamped.round(),
        }
    }

    /// Exponent p of a host's control: position = ((value − min)/(max − min))^p.
    #[must_use]
    pub fn skew(&self) -> f64 {
        match self.kind {
            ValueKind::Number { min, max, centre: Some(centre), .. } => {
                libm::log(0.5) / libm::log((centre - min) / (max - min))
            }
            _ => 1.0,
        }
    }

    /// Position 0…1 of a host's control at `value`.
    #[must_use]
    pub fn normalized(&self, value: f64) -> f64 {
        let (min, max) = (self.min(), self.max());
        libm::pow((value.clamp(min, max) - min) / (max - min), self.skew())
    }

    /// Value at the position 0…1 of a host's control.
    #[must_use]
    pub fn plain(&self, normalized: f64) -> f64 {
        let (min, max) = (self.min(), self.max());
        let share = libm::pow(normalized.clamp(0.0, 1.0), self.skew().recip());
        self.quantize(libm::fma(max - min, share, min))
    }

    /// `value` as text without its unit: the number to the declared decimals, or the choice.
    #[must_use]
    pub fn number_text(&self, value: f64) -> String {
        match self.kind {
            ValueKind::Number { decimals, .. } => {
                let text = format!("{value:.decimals$}");
                let is_zero = !text.bytes().any(|b| b.is_ascii_digit() && b != b'0');
                match text.strip_prefix('-') {
                    Some(zero) if is_zero => zero.to_owned(),
                    _ => text,
                }
            }
            ValueKind::Choice(names) => {
                names[floor_index(self.quantize(value)).min(names.len() - 1)].to_owned()
            }
        }
    }

    /// `value` as text with its unit.
    #[must_use]
    pub fn text(&self, value: f64) -> String {
        self.number_text(value) + self.suffix
    }

    /// The value of a text: a number with a decimal point or comma, with or without the unit (in any case),
    /// or a choice by name (in any case, with or without blanks and hyphens; a choice of numbers as a number;
    /// the beginning of one name alone) or index.
    ///
    /// # Errors
    /// [`ParamError`] with id, text and the accepted values.
    pub fn parse(&'static self, text: &str) -> Result<f64, ParamError> {
        let text = text.trim();
        match self.kind {
            ValueKind::Number { .. } => {
                let amount = without_unit(text, self.unit());
                match number(amount) {
                    Some(value) => self.checked(value).map_err(|_| ParamError::OutOfRange {
                        parameter: self,
                        text: amount.to_owned(),
                    }),
                    None => Err(ParamError::NotANumber { parameter: self, text: text.to_owned() }),
                }
            }
            ValueKind::Choice(names) => names
                .iter()
                .position(|name| letters(name).eq(letters(text)))
                .or_else(|| text.parse::<usize>().ok().filter(|i| *i < names.len()))
                .or_else(|| names.iter().position(|name| is_quantity(name, text)))
                .or_else(|| only_beginning(names, text))
                .map(|index| index as f64)
                .ok_or_else(|| ParamError::NoSuchChoice { parameter: self, text: text.to_owned() }),
        }
    }
}

/// Letters, digits and signs of a choice's name, in lower case, without blanks, hyphens and underscores.
fn letters(name: &str) -> impl Iterator<Item = char> {
    let kept = name.chars().filter(|c| !c.is_whitespace() && !matches!(c, '-' | '_'));
    kept.flat_map(char::to_lowercase)
}

/// The index of the only one of `names` that begins with the three or more letters of `text`.
fn only_beginning(names: &[&str], text: &str) -> Option<usize> {
    let begins = |name: &&str| letters(name).take(letters(text).count()).eq(letters(text));
    let mut found = names.iter().enumerate().filter(|(_, name)| begins(name));
    let (index, _) = found.next()?;
    (found.next().is_none() && letters(text).count() >= 3).then_some(index)
}

/// Whether `name` is a number with a unit and `text` the same number, with or without the unit.
fn is_quantity(name: &str, text: &str) -> bool {
    name.split_once(' ').is_some_and(|(amount, unit)| {
        let amount = number(amount);
        amount.is_some() && amount == number(without_unit(text, unit))
    })
}

/// `text` without `unit`, in any case, or another spelling of it, at its end.
fn without_unit<'a>(text: &'a str, unit: &str) -> &'a str {
    let others: &[&str] = match unit {
        // Most keyboards have no key for ×.
        "×" => &["x", "*"],
        "semitones" => &["semitone", "st"],
        "octaves" => &["octave", "oct"],
        "cents" => &["cent", "ct", "¢"],
        _ => &[],
    };
    let strip = |unit: &str| {
        let end = text.len().checked_sub(unit.len()).filter(|_| !unit.is_empty())?;
        let tail = text.get(end..)?;
        tail.eq_ignore_ascii_case(unit).then(|| text[..end].trim_end())
    };
    std::iter::once(&unit).chain(others).find_map(|unit| strip(unit)).unwrap_or(text)
}
