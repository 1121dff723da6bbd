//! `touchback weigh`: a technician's measurements of every key, as a sheet (CSV) and as a page to print.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};

use crate::bench::key_source::{KeySource, OwnNumbers};
use crate::bench::{DataTable, repetition};
use crate::output::{self, Draft, Shown as _, progress};
use crate::paths::{InputPath, OutputFile};
use crate::plot::page::{Page, Panel};
use crate::table::{CsvTable, number};
use crate::{parallel, plot};
use touchback_action::MechanismFile;
use touchback_action::grand::key::weigh::{FIGURES, Figure, Weighed};
use touchback_action::interface::key_sheet::{ActionSheet, QUANTITIES, shortest};
use touchback_core::math::compass::KeyNumber;
use touchback_core::text::note;

/// Largest sheet, bytes.
const LIMIT: u64 = 1_000_000;

/// Prefix of the columns of measured values.
const MEASURED: &str = "measured_";

/// The measurement that [`FIGURES`] does not have: repetition rate of an ideal finger, 1/s.
const REPETITIONS: &str = "repetitions_hz";

/// Options of `touchback weigh`.
#[derive(clap::Args, Debug)]
pub struct WeighOptions {
    #[command(flatten)]
    own: OwnNumbers,
    /// Writes one row per key: its offsets, as --keys reads them, and the measured values
    #[arg(short, long, value_name = "SHEET.csv")]
    output: Option<OutputFile>,
    /// Compares with an earlier sheet written by this command
    #[arg(long, value_name = "SHEET.csv", conflicts_with = "mechanism")]
    before: Option<InputPath>,
    /// Draws all measured values over the keys on one page to print (.svg or .png)
    #[arg(long, value_name = "PAGE.svg", conflicts_with = "mechanism")]
    page: Option<OutputFile>,
    /// Prints the measured values as a JSON array; null, and a reason in `missing`, where a key has none
    #[arg(long)]
    json: bool,
}

/// Measured values of one key.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The key, 1 to 88.
    pub number: u8,
    /// Values in the order and the units of [`names`]; NaN where the key has none.
    pub found: Vec<f64>,
    /// Why a value is missing, in the same order.
    pub missing: Vec<Option<&'static str>>,
}

impl Row {
    /// The measurements `weighed`, and the key's repetition rate, strokes per second.
    fn new(number: u8, weighed: &Weighed, repetitions: f64) -> Self {
        let never = repetitions.is_nan().then_some("no finger repeats the key twice a second");
        let values = FIGURES.iter().map(|figure| (figure.get)(weighed));
        let reasons = FIGURES.iter().map(|figure| weighed.missing(figure));
        Self {
            number,
            found: values.chain([repetitions]).collect(),
            missing: reasons.chain([never]).collect(),
        }
    }
}

/// Weighs keys; without `--output` or `--page`, prints.
///
/// # Errors
/// Bad options, a sheet that cannot be read, a file that cannot be written.
pub fn run(options: &WeighOptions) -> Result<()> {
    if let Some(path) = &options.page {
        plot::format_of(path)?;
    }
    let source = KeySource::open(&options.own)?;
    let all: Vec<u8> = KeyNumber::all().map(KeyNumber::number).collect();
    let numbers = source.numbers(&all);
    if numbers.len() == 1 && options.page.is_some() {
        bail!("--page: a page shows all keys; leave --key and --model out");
    }
    let before = options.before.as_deref().map(read).transpose()?;
    let sheet_draft = options.output.as_deref().map(Draft::create).transpose()?;
    let page_draft = options.page.as_deref().map(Draft::create).transpose()?;
    let rows = match source.mechanism() {
        Some(file) => parallel::map(&numbers, |number| weighed_by_answers(file, *number)),
        None => weigh(&source, &numbers),
    };
    let table = table(&source, &rows, before.as_deref()).csv()?;
    match &sheet_draft {
        Some(draft) => draft.write_all(&table)?,
        _ if options.json => {}
        None if options.page.is_some() => {}
        None => match (&rows[..], &before) {
            ([row], None) if source.mechanism().is_some() => output::print(&plain_listing(row))?,
            ([row], None) => {
                output::print(&listing(row))?;
                for reason in source.built(row.number).regulated.limits.reasons() {
                    output::warn(&format!("warning: {reason}"));
                }
            }
            _ => output::print(&String::from_utf8(table)?)?,
        },
    }
    if options.json {
        output::print(&json(&rows))?;
    }
    if let Some(draft) = &page_draft {
        plot::page::draw(&page(&source, &rows, before.as_deref()), draft)?;
    }
    for draft in [sheet_draft, page_draft].into_iter().flatten() {
        draft.keep()?;
    }
    Ok(())
}

/// Weighs the keys `numbers`, 1 to 88, on all cores.
#[must_use]
pub fn weigh(source: &KeySource, numbers: &[u8]) -> Vec<Row> {
    let bar = progress(numbers.len() as u64, "weighing");
    let rows = parallel::map(numbers, |number| {
        let row = weighed(source, *number);
        bar.inc(1);
        row
    });
    bar.finish_and_clear();
    rows
}

fn weighed(source: &KeySource, number: u8) -> Row {
    let built = source.built(number);
    let rig = source.bench(number);
    let repetitions = repetition::fastest(rig.grand(), built.spec.key.dip);
    Row::new(number, &Weighed::built(built), repetitions)
}

/// The key `number` of the mechanism in `file`, weighed by its answers.
fn weighed_by_answers(file: &MechanismFile, number: u8) -> Row {
    let Some(key) = KeyNumber::from_number(number) else { unreachable!("1…88") };
    let key = file.key(key);
    let weighed = Weighed::of_any(&*key);
    Row::new(number, &weighed, repetition::fastest(&*key, 1e-3 * weighed.dip_mm))
}

/// Names of the measured values, which end with their units.
pub fn names() -> impl Iterator<Item = &'static str> {
    FIGURES.iter().map(|figure| figure.id).chain([REPETITIONS])
}

/// Height per turn of the adjusting screw, mm; `None` for values without a screw.
fn pitches() -> impl Iterator<Item = Option<f64>> {
    FIGURES.iter().map(|figure| figure.pitch_mm).chain([None])
}

/// Repetitions of a grand, 1/s [maker's figure for grands, second hand].
const USUAL_REPETITIONS: &str = "about 15";

/// The measured values of one key, one per line, with the usual figures of concert grands and their source.
fn listing(row: &Row) -> String {
    let line = |name: &str, value: f64, missing: Option<&str>, unit: &str, usual: &str| {
        let text = match missing {
            Some(reason) => format!("{name:<22}{:>9} {reason:<28} {usual}", "–"),
            None => format!("{name:<22}{value:>9.2} {unit:<28}{usual}"),
        };
        format!("{}\n", text.trim_end())
    };
    let key = KeyNumber::from_number(row.number);
    let mut text = format!("key {:<57}usual on concert grands\n", row.number);
    for ((figure, value), missing) in FIGURES.iter().zip(&row.found).zip(&row.missing) {
        let Figure { name, unit, pitch_mm, usual, .. } = figure;
        let unit = match (pitch_mm, *unit) {
            (Some(pitch), unit) => format!("{unit} high, {pitch} mm a turn"),
            (None, "") => "hammer / key travel".into(),
            (None, unit) => unit.into(),
        };
        let usual = usual.zip(key).map_or_else(String::new, |(usual, key)| {
            let usual = usual(key);
            let decimals = usize::from(!matches!(figure.unit, "g"));
            format!("{:<14}{}", usual.text(decimals), usual.source)
        });
        text += &line(name, *value, *missing, &unit, &usual);
    }
    let (found, missing) = (row.found[FIGURES.len()], row.missing[FIGURES.len()]);
    text + &line("Ideal finger repeats", found, missing, "times a second", USUAL_REPETITIONS)
}

/// The values that a key of any mechanism has, one per line.
fn plain_listing(row: &Row) -> String {
    let known = names().zip(&row.found).filter(|(_, value)| value.is_finite());
    known.map(|(name, value)| format!("{name:<22}{value:>9.2}\n")).collect()
}

/// The measured values as a JSON array.
fn json(rows: &[Row]) -> String {
    let entry = |row: &Row| {
        let mut entry = serde_json::json!({ "key": row.number });
        names().zip(&row.found).for_each(|(name, value)| entry[name] = (*value).into());
        for (name, reason) in names().zip(&row.missing) {
            if let Some(reason) = reason {
                entry["missing"][name] = (*reason).into();
            }
        }
        entry
    };
    format!("{:#}\n", serde_json::Value::Array(rows.iter().map(entry).collect()))
}

/// The sheet: offsets, measured values, and earlier values with their changes.
fn table(source: &KeySource, rows: &[Row], before: Option<&[Earlier]>) -> DataTable {
    let mut table = DataTable::new(&["key"]);
    QUANTITIES.iter().for_each(|quantity| table.column(quantity.id));
    for name in names() {
        table.column(&format!("{MEASURED}{name}"));
    }
    if before.is_some() {
        for (name, pitch) in names().zip(pitches()) {
            table.column(&format!("{MEASURED}before_{name}"));
            table.column(&format!("{MEASURED}change_{name}"));
            if pitch.is_some() {
                table.column(&format!("{MEASURED}turns_{}", name.trim_end_matches("_mm")));
            }
        }
    }
    let cell = |value: f64| if value.is_finite() { format!("{value:.4}") } else { String::new() };
    for row in rows {
        let mut cells = vec![row.number.to_string()];
        cells.extend(offsets(source, row.number));
        cells.extend(row.found.iter().map(|value| cell(*value)));
        if let Some(before) = before {
            let earlier = before.iter().find(|earlier| earlier.number == row.number);
            for (i, pitch) in pitches().enumerate() {
                let was = earlier.map_or(f64::NAN, |earlier| earlier.found[i]);
                let change = row.found[i] - was;
                cells.extend([cell(was), cell(change)]);
                cells.extend(pitch.map(|pitch| cell(change / pitch)));
            }
        }
        let cells: Vec<&dyn std::fmt::Display> = cells.iter().map(|c| c as _).collect();
        table.row(&cells);
    }
    table
}

/// The offsets of a key, its unevenness included, as cells of a sheet.
fn offsets(source: &KeySource, number: u8) -> Vec<String> {
    let key = KeyNumber::from_number(number);
    let settings = source.action();
    let mut sheet = ActionSheet::EVEN;
    let cell = |q: usize| match (key, settings) {
        (Some(key), Some(settings)) => {
            sheet.set(key, q, settings.offsets(key)[q]);
            shortest(sheet.get(key, q))
        }
        _ => "0".into(),
    };
    (0..QUANTITIES.len()).map(cell).collect()
}

/// Measured values of a key in an earlier sheet; NaN where a cell is empty.
#[derive(Debug)]
struct Earlier {
    number: u8,
    found: Vec<f64>,
}

/// Reads the measured values of an earlier sheet.
fn read(path: &Path) -> Result<Vec<Earlier>> {
    let file = path.shown();
    let table = CsvTable::read(&file, &output::read(path, LIMIT)?)?;
    let column = |name: &str| {
        table.column(name).with_context(|| {
            format!(
                "{file}, line 1: no column `{name}`; --before takes a sheet of `touchback weigh`"
            )
        })
    };
    let key = column("key")?;
    let columns =
        names().map(|name| column(&format!("{MEASURED}{name}"))).collect::<Result<Vec<_>>>()?;
    let row = |(line, cells): &(u64, Vec<String>)| {
        let number = note::key(&cells[key])
            .ok_or_else(|| anyhow!("{file}, line {line}: `{}` is no key", cells[key]))?
            .number();
        let found = |column: &usize| match cells[*column].as_str() {
            "" => Ok(f64::NAN),
            text => number_of(text).with_context(|| format!("{file}, line {line}")),
        };
        Ok(Earlier { number, found: columns.iter().map(found).collect::<Result<_>>()? })
    };
    table.rows.iter().map(row).collect()
}

fn number_of(text: &str) -> Result<f64> {
    number(text).ok_or_else(|| anyhow!("`{text}` is no number"))
}

fn page(source: &KeySource, rows: &[Row], before: Option<&[Earlier]>) -> Page {
    let heading = |i: usize| match FIGURES.get(i) {
        Some(Figure { name, unit: "", .. }) => (*name).to_owned(),
        Some(Figure { name, pitch_mm: Some(pitch), .. }) => {
            format!("{name}, mm high ({pitch} mm a turn)")
        }
        Some(Figure { name, unit, .. }) => format!("{name}, {unit}"),
        None => "Repetitions of an ideal finger, 1/s".to_owned(),
    };
    let panel = |i: usize| Panel {
        name: heading(i),
        now: rows.iter().map(|row| (row.number.into(), row.found[i])).collect(),
        before: before
            .unwrap_or_default()
            .iter()
            .map(|earlier| (earlier.number.into(), earlier.found[i]))
            .collect(),
    };
    let subject = source.own_numbers().unwrap_or("the standard regulation");
    let foot = match before {
        Some(_) => "Solid: now. Dashed: before. Turns suppose ISO coarse screws, M5 and M4.",
        None => "Turns suppose ISO coarse screws, M5 and M4; those of a piano may differ.",
    };
    Page {
        title: format!("Touchback, every key weighed: {subject}"),
        foot: foot.into(),
        x: "key".into(),
        panels: (0..=FIGURES.len()).map(panel).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_action::ActionSettings;
    use touchback_action::interface::key_sheet::KeySheet;

    #[test]
    fn a_listing_has_the_usual_figures_and_their_source() {
        let row = Row {
            number: 44,
            found: vec![9.5; FIGURES.len() + 1],
            missing: vec![None; FIGURES.len() + 1],
        };
        let listing = listing(&row);
        let line = |name: &str| listing.lines().find(|line| line.starts_with(name)).unwrap();
        assert!(line("Down weight").ends_with("46…56         [regulation sheets]"), "{listing}");
        assert!(line("Up weight").contains("20 or more"), "{listing}");
        assert!(line("Strike weight").contains("7…11"), "{listing}");
        assert!(line("Action ratio").contains("hammer / key travel"), "{listing}");
        assert!(line("Let-off  ").contains("0.8…3.2"), "{listing}");
        assert!(line("Capstan").ends_with("mm a turn"), "{listing}");
        assert_eq!(listing.lines().count(), FIGURES.len() + 2);
    }

    #[test]
    fn a_missing_value_has_a_reason_in_words_and_in_json() {
        for (setting, name, id, reason) in [
            (|s: &mut ActionSettings| s.drop_mm = 4.0, "Drop ", "drop_mm", "falls to the check"),
            (|s| s.jack_clearance_mm = 1.0, "Let-off ", "let_off_mm", "the jack does not slip"),
        ] as [(fn(&mut ActionSettings), _, _, _); 2]
        {
            let mut settings = ActionSettings::default();
            setting(&mut settings);
            let weighed = Weighed::of(KeyNumber::from_index(39).unwrap(), &settings);
            let rows = [Row::new(40, &weighed, f64::NAN)];
            let listing = listing(&rows[0]);
            assert!(!listing.contains("NaN"), "{listing}");
            let line = listing.lines().find(|line| line.starts_with(name)).unwrap();
            assert!(line.contains(reason), "{line}");
            let json: serde_json::Value = serde_json::from_str(&json(&rows)).unwrap();
            assert!(json[0][id].is_null() && json[0]["missing"]["repetitions_hz"].is_string());
            assert!(json[0]["missing"][id].as_str().unwrap().contains(reason), "{json}");
        }
    }

    #[test]
    fn a_sheet_is_read_back_and_compared() {
        let dir = tempfile::tempdir().unwrap();
        let rows = |add: f64| {
            let found = (0..=FIGURES.len()).map(|i| i as f64 + add).collect();
            vec![Row { number: 40, found, missing: vec![None; FIGURES.len() + 1] }]
        };
        let source = KeySource::default();
        let path = dir.path().join("before.csv");
        std::fs::write(&path, table(&source, &rows(0.0), None).csv().unwrap()).unwrap();
        let before = read(&path).unwrap();
        assert_eq!((before.len(), before[0].number), (1, 40));
        let compared = table(&source, &rows(0.7), Some(&before)).csv().unwrap();
        let compared = CsvTable::read("b.csv", &compared).unwrap();
        let cell = |name: &str| compared.rows[0].1[compared.column(name).unwrap()].clone();
        assert_eq!(cell("measured_before_up_weight_g"), "1.0000");
        assert_eq!(cell("measured_change_up_weight_g"), "0.7000");
        assert_eq!(cell("measured_turns_drop_screw_height"), "1.0000");
        // A sheet is one of keys, too.
        let sheet = std::fs::read_to_string(&path).unwrap().parse::<KeySheet>().unwrap();
        assert!(sheet.is_even());
        std::fs::write(&path, "key,drop_mm\n1,1\n").unwrap();
        let error = format!("{:#}", read(&path).unwrap_err());
        assert!(error.contains("no column `measured_down_weight_g`"), "{error}");
    }
}
