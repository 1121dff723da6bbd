//! Key sheet: differences of single keys from the settings of all keys.
//!
//! A sheet is a technician's record of an uneven piano: the differences of let-off, weights, felt and so on
//! for any of the 88 keys. Its two parts go different ways: the [action's](ActionSheet) to the settings of the
//! action, the [tones](KeyTones) to those of the strings. Its text is CSV: a column `key` (1…88 or the note, C4), then any of [`QUANTITIES`]
//! by id, in their units, and any of the [tones](KeyTones) of the strings. Commas, semicolons or tabs
//! separate cells, and numbers may have decimal commas. Missing rows, missing columns and empty cells are
//! zero. `#` begins a comment line, and columns whose names begin with `measured_` are ignored.

use std::fmt;
use std::str::FromStr;

use touchback_core::exchange::shared::{Neutral, Shared};
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::steps::{self, MOST, stepped};
use touchback_core::mech::key_tones::{KeyTones, ToneQuantity};
use touchback_core::text::note;
use touchback_core::text::number::number;
use touchback_core::text::table::{ColumnName, Form, take_units};

/// A quantity in which keys can differ.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Quantity {
    /// Column in files, and id of the parameter to which the difference is added.
    pub id: &'static str,
    /// Displayed name.
    pub name: &'static str,
    /// Displayed unit.
    pub unit: &'static str,
    /// Resolution: sheets store multiples of this from −127 to 127.
    pub step: f64,
    /// Standard deviation over the keys of a neglected piano (unevenness 1).
    pub spread: f64,
}

/// Number of quantities.
pub const COUNT: usize = 10;

/// Column of the key numbers.
const KEY: &str = "key";

/// Prefix of the names of ignored columns.
const MEASURED: &str = "measured_";

const fn quantity(
    id: &'static str,
    name: &'static str,
    unit: &'static str,
    step: f64,
    spread: f64,
) -> Quantity {
    Quantity { id, name, unit, step, spread }
}

/// All quantities, in the order of the columns.
///
/// Steps are finer than a technician works. Spreads are chosen: a quarter of the range of factory sheets
/// and published sets for pianos in order, so that ± 2 standard deviations fill that range on one piano:
/// let-off 0.8–3.2 mm, drop 1–2 mm, check 12.7–16 mm (half again as much where wear alone spreads it),
/// down weight 46–56 g [regulation sheets]; friction ± 2 of 13 g, strike weights of one unsorted set
/// ± 1 g [Stanwood tables]. Springs, felt and dampers have the same relative spread.
pub const QUANTITIES: [Quantity; COUNT] = [
    quantity("let_off_mm", "Let-off", "mm", 0.025, 0.6),
    quantity("drop_mm", "Drop", "mm", 0.025, 0.4),
    quantity("check_mm", "Check distance", "mm", 0.1, 1.3),
    quantity("repetition_spring", "Repetition spring", "×", 0.01, 0.15),
    quantity("key_lead_g", "Key lead removed", "g", 0.1, 2.5),
    quantity("strike_weight_g", "Strike weight", "g", 0.01, 0.4),
    quantity("hammer_hardness", "Hammer hardness", "octaves", 0.01, 0.4),
    quantity("friction", "Friction", "×", 0.01, 0.15),
    quantity("unison_width_cents", "Unison width", "cents", 0.1, 4.0),
    quantity("damper_pickup", "Damper pick-up", "of blow", 0.005, 0.06),
];

/// Index of each quantity in [`QUANTITIES`].
pub(super) const LET_OFF: usize = 0;
pub(super) const DROP: usize = 1;
pub(super) const CHECK: usize = 2;
pub(super) const REPETITION_SPRING: usize = 3;
pub(super) const KEY_LEAD: usize = 4;
pub(super) const STRIKE_WEIGHT: usize = 5;
pub(super) const HARDNESS: usize = 6;
pub(super) const FRICTION: usize = 7;
pub(super) const UNISON: usize = 8;
pub(super) const DAMPER: usize = 9;

/// Differences of one key, in the order and units of [`QUANTITIES`].
pub type KeyOffsets = [f64; COUNT];

/// Differences of the actions of all keys, in multiples of [`Quantity::step`].
#[derive(Clone, PartialEq, Eq)]
pub struct ActionSheet([[i8; COUNT]; KEYS]);

impl ActionSheet {
    /// The sheet without differences.
    pub const EVEN: Self = Self([[0; COUNT]; KEYS]);

    /// Differences of `key`.
    #[must_use]
    pub fn of(&self, key: KeyNumber) -> KeyOffsets {
        std::array::from_fn(|q| self.get(key, q))
    }

    /// Difference of `key` in the quantity of an index into [`QUANTITIES`].
    #[must_use]
    pub fn get(&self, key: KeyNumber, quantity: usize) -> f64 {
        f64::from(self.0[key.index()][quantity]) * QUANTITIES[quantity].step
    }

    /// Sets the difference of `key` in a quantity to `value`, rounded to a step and clamped to 127 steps. NaN
    /// changes nothing.
    pub fn set(&mut self, key: KeyNumber, quantity: usize, value: f64) {
        if !value.is_nan() {
            self.0[key.index()][quantity] = stepped(value / QUANTITIES[quantity].step);
        }
    }

    /// Moves every difference linearly toward `target`, which is reached at share 1; rounded to steps.
    pub fn approach(&mut self, target: &Self, share: f64) {
        steps::toward(self.0.as_flattened_mut(), target.0.as_flattened(), share);
    }

    /// Differences of `key` after [`Self::approach`].
    pub(super) fn between(&self, target: &Self, key: KeyNumber, share: f64) -> KeyOffsets {
        let mut row = self.0[key.index()];
        steps::toward(&mut row, &target.0[key.index()], share);
        std::array::from_fn(|q| f64::from(row[q]) * QUANTITIES[q].step)
    }
}

impl Neutral for ActionSheet {
    const NEUTRAL: &'static Self = &Self::EVEN;
}

impl fmt::Debug for ActionSheet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        KeySheet::from(self).fmt(f)
    }
}

/// Differences of all keys.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct KeySheet {
    /// Those of the action.
    pub action: Shared<ActionSheet>,
    /// Those of the strings.
    pub tones: Shared<KeyTones>,
}

impl From<&ActionSheet> for KeySheet {
    fn from(action: &ActionSheet) -> Self {
        Self { action: action.clone().into(), ..Self::EVEN }
    }
}

impl KeySheet {
    /// The sheet without differences.
    pub const EVEN: Self = Self { action: Shared::NEUTRAL, tones: Shared::NEUTRAL };

    /// Whether no key differs.
    #[must_use]
    pub fn is_even(&self) -> bool {
        self.action.is_neutral() && self.tones.is_neutral()
    }

    /// Linear interpolation from `self` at share 0 to `target` at share 1, rounded to steps.
    #[must_use]
    pub fn toward(&self, target: &Self, share: f64) -> Self {
        let mut action = self.action.clone();
        action.approach(&target.action, share);
        Self { action, tones: self.tones.toward(&target.tones, share).into() }
    }

    /// The sheet as CSV, with the columns and keys that have a difference.
    #[must_use]
    pub fn text(&self) -> String {
        let used = |column: &Column| KeyNumber::all().any(|key| self.value(key, *column) != 0.0);
        let columns: Vec<Column> = Column::values().filter(used).collect();
        let mut text = String::from(KEY);
        for column in &columns {
            text += &format!(",{}", column.name());
        }
        for key in KeyNumber::all() {
            let values: Vec<f64> = columns.iter().map(|column| self.value(key, *column)).collect();
            if values.iter().any(|value| *value != 0.0) {
                text += &format!("\n{}", key.number());
                values.iter().for_each(|value| text += &format!(",{}", shortest(*value)));
            }
        }
        text + "\n"
    }
}

/// Shortest decimal form of a multiple of a step; no step has more than three decimals.
#[must_use]
pub fn shortest(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

impl fmt::Debug for KeySheet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&one_line(self))
    }
}

/// Error in the text of a sheet.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct SheetError {
    /// Line number, from 1.
    pub line: usize,
    /// The error and the remedy.
    pub what: String,
}

/// Content of a column.
#[derive(Clone, Copy)]
enum Column {
    Key,
    Quantity(usize),
    Tone(ToneQuantity, usize),
    Measured,
}

impl Column {
    /// The columns with values, in the order of the text.
    fn values() -> impl Iterator<Item = Self> {
        let tones = ToneQuantity::ALL.into_iter();
        (0..COUNT)
            .map(Self::Quantity)
            .chain(tones.flat_map(|q| (0..q.count()).map(move |i| Self::Tone(q, i))))
    }

    fn name(self) -> String {
        match self {
            Self::Key => KEY.into(),
            Self::Quantity(q) => QUANTITIES[q].id.into(),
            Self::Tone(quantity, index) => quantity.column(index),
            Self::Measured => MEASURED.into(),
        }
    }

    /// Largest value that a sheet stores.
    fn most(self) -> f64 {
        match self {
            Self::Quantity(q) => f64::from(MOST) * QUANTITIES[q].step,
            Self::Tone(quantity, _) => quantity.most(),
            Self::Key | Self::Measured => 0.0,
        }
    }
}

impl FromStr for KeySheet {
    type Err = SheetError;

    fn from_str(text: &str) -> Result<Self, SheetError> {
        let text = text.trim_start_matches('\u{feff}');
        // Projects hold a sheet on one line.
        let ends = ['\n', '/'];
        let form = Form::of(text, &ends)
            .ok_or_else(|| SheetError { line: 1, what: "the sheet is empty".into() })?;
        let mut names: Vec<ColumnName> = form.cells(form.header).map(ColumnName::of).collect();
        while names.last().is_some_and(ColumnName::is_empty) {
            names.pop();
        }
        let is_row = |(_, row): &(usize, &str)| {
            !row.trim_start().starts_with('#') && !form.cells(row).all(str::is_empty)
        };
        let mut rows = (1..).zip(text.split(ends)).skip(form.line).filter(is_row).peekable();
        if let Some((line, row)) = rows.peek().copied() {
            let has_units = take_units(&mut names, &form.cells(row).collect::<Vec<_>>());
            if has_units.map_err(|what| SheetError { line, what })? {
                rows.next();
            }
        }
        let columns = columns(&names).map_err(|what| SheetError { line: form.line, what })?;
        let mut sheet = Self::EVEN;
        let mut seen = [false; KEYS];
        for (line, row) in rows {
            let cells: Vec<&str> = form.cells(row).collect();
            sheet.read(&cells, &columns, &mut seen).map_err(|what| SheetError { line, what })?;
        }
        Ok(sheet)
    }
}

fn columns(names: &[ColumnName]) -> Result<Vec<Column>, String> {
    let mut columns: Vec<Column> = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let text = name.to_string().to_ascii_lowercase();
        if names[..i].iter().any(|other| other.is(&text)) {
            return Err(format!("column `{text}` appears twice"));
        }
        columns.push(if name.is(KEY) {
            Column::Key
        } else if text.is_empty() || text.starts_with(MEASURED) {
            // Also the number of the row, as pandas and R write it.
            Column::Measured
        } else if let Some(column) = Column::values().find(|column| name.is(&column.name())) {
            column
        } else {
            let ids = QUANTITIES.map(|q| q.id).join(", ");
            let tones = ToneQuantity::ALL.map(|q| q.column(0)).join(", ");
            return Err(format!(
                "column `{text}` is unknown; the columns are {KEY}, {ids}, {tones} and so on"
            ));
        });
    }
    if names.iter().any(|name| name.is(KEY)) {
        Ok(columns)
    } else {
        Err(format!("no column `{KEY}`"))
    }
}

impl KeySheet {
    fn value(&self, key: KeyNumber, column: Column) -> f64 {
        match column {
            Column::Quantity(q) => self.action.get(key, q),
            Column::Tone(quantity, index) => self.tones.get(key, quantity, index),
            Column::Key | Column::Measured => 0.0,
        }
    }

    fn set_value(&mut self, key: KeyNumber, column: Column, value: f64) {
        match column {
            Column::Quantity(q) => self.action.set(key, q, value),
            Column::Tone(quantity, index) => self.tones.set(key, quantity, index, value),
            Column::Key | Column::Measured => (),
        }
    }

    fn read(
        &mut self,
        cells: &[&str],
        columns: &[Column],
        seen: &mut [bool; KEYS],
    ) -> Result<(), String> {
        let (own, surplus) = cells.split_at(cells.len().min(columns.len()));
        if own.len() != columns.len() || surplus.iter().any(|cell| !cell.is_empty()) {
            return Err(format!("{} fields where the head has {}", cells.len(), columns.len()));
        }
        let cells = || columns.iter().zip(own);
        let name = cells().find_map(|(c, cell)| matches!(c, Column::Key).then_some(*cell));
        let name = name.unwrap_or_default();
        let key = note::key(name).ok_or_else(|| {
            format!("`{name}` is no key; keys are 1 to {KEYS}, or notes from A0 to C8")
        })?;
        if std::mem::replace(&mut seen[key.index()], true) {
            return Err(format!("key {name} appears twice"));
        }
        for (column, cell) in cells() {
            if matches!(column, Column::Key | Column::Measured) || cell.is_empty() {
                continue;
            }
            let (name, most) = (column.name(), column.most());
            let value = number(cell).ok_or_else(|| format!("{name}: `{cell}` is no number"))?;
            if value.abs() > most {
                let most = shortest(most);
                return Err(format!("{name}: {cell} is out of range: -{most} to {most}"));
            }
            self.set_value(key, *column, value);
        }
        Ok(())
    }
}

/// Text of the sheet on one line, with `/` between rows.
fn one_line(sheet: &KeySheet) -> String {
    sheet.text().trim_end().replace('\n', "/")
}

impl serde::Serialize for KeySheet {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&one_line(self))
    }
}

impl serde::Serialize for ActionSheet {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        KeySheet::from(self).serialize(serializer)
    }
}

/// Tones are read too, as takes of earlier versions have them, and left out.
impl<'de> serde::Deserialize<'de> for ActionSheet {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        KeySheet::deserialize(deserializer).map(|sheet| (*sheet.action).clone())
    }
}

impl<'de> serde::Deserialize<'de> for KeySheet {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests;
