//! The report of an experiment: targets, measured values and verdicts, notes and figures.

use std::fmt::Write as _;

use touchback_core::exchange::cancel;
use touchback_core::text::number::short;

use super::record::split;

/// Beginning of the line of a page with the ids of its missed rows.
const MISSED_LINE: &str = "Missed rows, with their causes in [Missed targets](missed.md): ";

/// The band of accepted values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum TargetBand {
    /// From the first to the second value, both included.
    Within(f64, f64),
    /// Target, and largest relative deviation.
    Near(f64, f64),
    /// Not above this value.
    AtMost(f64),
    /// Not below this value.
    AtLeast(f64),
}

impl TargetBand {
    /// Whether `value` is in the band; NaN is in none.
    #[must_use]
    pub fn holds(self, value: f64) -> bool {
        match self {
            Self::Within(low, high) => value >= low && value <= high,
            Self::Near(target, share) => (value - target).abs() <= share * target.abs(),
            Self::AtMost(high) => value <= high,
            Self::AtLeast(low) => value >= low,
        }
    }

    /// Lowest and highest accepted value, where there is one.
    #[must_use]
    pub const fn ends(self) -> [Option<f64>; 2] {
        match self {
            Self::Within(low, high) => [Some(low), Some(high)],
            Self::Near(target, share) => {
                let half = share * target.abs();
                [Some(target - half), Some(target + half)]
            }
            Self::AtMost(high) => [None, Some(high)],
            Self::AtLeast(low) => [Some(low), None],
        }
    }

    fn text(self) -> String {
        match self {
            Self::Within(low, high) => format!("{}…{}", short(low), short(high)),
            Self::Near(_, share) => format!("± {} %", short(100.0 * share)),
            Self::AtMost(high) => format!("≤ {}", short(high)),
            Self::AtLeast(low) => format!("≥ {}", short(low)),
        }
    }
}

/// What a row tells about the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RowKind {
    /// The value is a result: no input fixes it.
    #[default]
    Result,
    /// An input was chosen so that the value is met.
    Fitted,
    /// The inputs or the equations fix the value.
    Given,
}

impl RowKind {
    /// Name in tables and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Result => "result",
            Self::Fitted => "fitted",
            Self::Given => "given",
        }
    }
}

/// `text` as a segment of an id: its words in lower case with hyphens between them, `key 40` as one word.
fn segment(text: &str) -> String {
    let text = text.replace('−', " minus ").replace('+', " plus ").replace('×', " times ");
    let mut id = String::new();
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        let is_key_number = id.ends_with("key") && word.starts_with(|c: char| c.is_ascii_digit());
        if !id.is_empty() && !is_key_number {
            id.push('-');
        }
        id += &word.to_ascii_lowercase();
    }
    id
}

/// One row: its five cells as text and as numbers, its source, and an erratum of the source.
#[derive(Clone, Debug)]
pub struct ReportRow {
    /// Quantity with unit, target, band, measured value, verdict.
    pub cells: [String; 5],
    /// Lower and upper end of the band, where there is one.
    pub band: [Option<f64>; 2],
    /// Measured value, if it is a number.
    pub measured: Option<f64>,
    /// Document and equation, table or figure; empty for none.
    pub source: String,
    /// Erratum of the source; empty for none.
    pub erratum: String,
    /// Cause of a missed target; empty if unknown or met.
    pub cause: String,
    /// Whether the value is a result.
    pub kind: RowKind,
    /// Name of the target within its experiment, unique and free of values: words with hyphens, in segments
    /// with dots between them, from the general to the particular.
    pub id: String,
}

impl ReportRow {
    /// Whether the target was met.
    #[must_use]
    pub fn is_met(&self) -> bool {
        self.cells[4] == "ok"
    }
}

/// The report of one experiment: a table of verdicts, notes and figures.
#[derive(Clone, Default, Debug)]
pub struct Report {
    rows: Vec<ReportRow>,
    source: String,
    notes: Vec<String>,
    figures: Vec<String>,
}

impl Report {
    /// Sets the source of the rows that follow: document and equation, table or figure of the source
    /// documents. Empty for none.
    pub fn source(&mut self, source: &str) {
        self.source = source.into();
    }

    /// The source of the rows that follow.
    #[must_use]
    pub fn current_source(&self) -> Option<&str> {
        (!self.source.is_empty()).then_some(self.source.as_str())
    }

    /// Notes an erratum of the source that the last row corrects.
    pub fn erratum(&mut self, text: &str) {
        if let Some(row) = self.rows.last_mut() {
            row.erratum = text.into();
        }
    }

    /// Says of the last row that its value is not a result.
    pub fn kind(&mut self, kind: RowKind) {
        if let Some(row) = self.rows.last_mut() {
            row.kind = kind;
        }
    }

    /// Number of rows of `kind`.
    #[must_use]
    pub fn count_of(&self, kind: RowKind) -> usize {
        self.rows.iter().filter(|row| row.kind == kind).count()
    }

    fn push(
        &mut self,
        cells: [&str; 4],
        band: [Option<f64>; 2],
        measured: Option<f64>,
        holds: bool,
    ) {
        let verdict = if holds { "ok" } else { "missed" };
        let [quantity, target, wanted, found] = cells.map(String::from);
        let cells = [quantity, target, wanted, found, verdict.into()];
        let (source, [erratum, cause, id]) = (self.source.clone(), Default::default());
        let text = split(&cells[0]).0.replace(": ", ", ");
        let kind = RowKind::default();
        self.rows.push(ReportRow { cells, band, measured, source, erratum, cause, kind, id });
        self.id(&text.split(", ").collect::<Vec<_>>());
    }

    /// Sets the id of the last row from its segments. Without it the id follows from the quantity's words, and
    /// changes with them: a row with a recorded cause has its own.
    pub fn id(&mut self, segments: &[&str]) {
        let Some((row, others)) = self.rows.split_last_mut() else { return };
        let id = segments.iter().map(|text| segment(text)).collect::<Vec<_>>().join(".");
        let is_free = |id: &String| others.iter().all(|other| other.id != *id);
        let more = (2..).map(|n: usize| format!("{id}-{n}"));
        row.id = std::iter::once(id.clone()).chain(more).find(is_free).unwrap_or_default();
    }

    /// Adds a row; `quantity` includes the unit, `target` is shown as text.
    pub fn check(&mut self, quantity: &str, target: &str, band: TargetBand, measured: f64) {
        cancel::check();
        let cells = [quantity, target, &band.text(), &short(measured)];
        self.push(cells, band.ends(), Some(measured), band.holds(measured));
    }

    /// Adds a row for a value that should round to `target` at this many decimals.
    pub fn digits(&mut self, quantity: &str, target: f64, decimals: usize, measured: f64) {
        let half = 0.5 * libm::exp10(f64::from(-i32::try_from(decimals).unwrap_or(i32::MAX)));
        // The tolerance accepts a tie rounded either way.
        let holds = (measured - target).abs() <= half * (1.0 + 1e-6);
        let [wanted, found] = [target, measured].map(|x| format!("{x:.decimals$}"));
        let band = [Some(target - half), Some(target + half)];
        self.push([quantity, &wanted, "every digit", &found], band, Some(measured), holds);
    }

    /// Adds a row for a value that should lie within `share` of `target`.
    pub fn near(&mut self, quantity: &str, target: f64, share: f64, measured: f64) {
        self.check(quantity, &short(target), TargetBand::Near(target, share), measured);
    }

    /// Adds a row for a condition that must hold.
    pub fn holds(&mut self, quantity: &str, measured: bool) {
        let found = if measured { "yes" } else { "no" };
        self.push([quantity, "yes", "yes", found], [None; 2], None, measured);
    }

    /// Adds a paragraph, or lines to copy, below the table.
    pub fn note(&mut self, text: &str) {
        self.notes.push(text.into());
    }

    /// A line of Markdown with the ids of the missed rows of `experiment`, of which
    /// [`missed_ids`](Self::missed_ids) is the reader.
    #[must_use]
    pub fn missed_line(&self, experiment: &str) -> String {
        let missed = self.rows.iter().filter(|row| !row.is_met());
        let ids: Vec<_> = missed.map(|row| format!("`{experiment}.{}`", row.id)).collect();
        format!("{MISSED_LINE}{}.\n", ids.join(", "))
    }

    /// The ids of [`missed_line`](Self::missed_line) on a page.
    pub fn missed_ids(page: &str) -> impl Iterator<Item = &str> {
        let lines = page.lines().filter_map(|line| line.strip_prefix(MISSED_LINE));
        lines.flat_map(|line| line.split('`').skip(1).step_by(2))
    }

    /// Adds the cause of every missed row, by its id; the number of rows without a known cause.
    pub fn explain(&mut self, cause_of: impl Fn(&str) -> Option<&'static str>) -> usize {
        let (mut lines, mut without) = (Vec::new(), 0);
        for row in self.rows.iter_mut().filter(|row| !row.is_met()) {
            let quantity = &row.cells[0];
            match cause_of(&row.id) {
                Some(cause) => {
                    lines.push(format!("- {quantity}: {cause}"));
                    row.cause = cause.into();
                }
                None => {
                    without += 1;
                    lines.push(format!("- {quantity}: no recorded cause"));
                }
            }
        }
        if !lines.is_empty() {
            self.note(&format!("Missed:\n\n{}", lines.join("\n")));
        }
        without
    }

    /// Adds a figure by its file name in the output folder.
    pub fn figure(&mut self, file: &str) {
        self.figures.push(file.into());
    }

    /// The rows, in order.
    #[must_use]
    pub fn rows(&self) -> &[ReportRow] {
        &self.rows
    }

    /// The notes.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The files of the figures, in the output folder.
    #[must_use]
    pub fn figures(&self) -> &[String] {
        &self.figures
    }

    /// Number of rows, and of missed targets.
    #[must_use]
    pub fn count(&self) -> (usize, usize) {
        (self.rows.len(), self.rows.iter().filter(|r| !r.is_met()).count())
    }

    /// The rows with a source as lines of a Markdown table: source, command, quantity, expected, measured, kind,
    /// verdict, erratum.
    #[must_use]
    pub fn sourced(&self, experiment: &str) -> String {
        let line = |row: &ReportRow| {
            let [quantity, target, band, measured, verdict] = &row.cells;
            let expected = match band.as_str() {
                "yes" | "every digit" => target.clone(),
                _ if target == band => band.clone(),
                _ => format!("{target} ({band})"),
            };
            format!(
                "| {} | `lab {experiment}` | {quantity} | {expected} | {measured} | {} | {verdict} | {} |\n",
                row.source,
                row.kind.name(),
                row.erratum
            )
        };
        self.rows.iter().filter(|r| !r.source.is_empty()).map(line).collect()
    }

    /// Table and notes as Markdown aligned for plain text; with `figures`, also links to the figures. The band of a
    /// row that is no result says so.
    #[must_use]
    pub fn text(&self, figures: bool) -> String {
        let mut text = String::new();
        if !self.rows.is_empty() {
            let header = ["quantity", "target", "band", "measured", "verdict"].map(String::from);
            let cells = |row: &ReportRow| {
                let mut cells = row.cells.clone();
                if row.kind != RowKind::Result {
                    cells[2] = format!("{}, {}", cells[2], row.kind.name());
                }
                cells
            };
            let rows: Vec<[String; 5]> =
                std::iter::once(header).chain(self.rows.iter().map(cells)).collect();
            let width =
                |i: usize| rows.iter().map(|r| r[i].chars().count()).max().unwrap_or_default();
            let widths = [0, 1, 2, 3, 4].map(width);
            for (i, row) in rows.iter().enumerate() {
                for (cell, width) in row.iter().zip(widths) {
                    let _ = write!(text, "| {cell:width$} ");
                }
                text += "|\n";
                if i == 0 {
                    text += &"| --- ".repeat(5);
                    text += "|\n";
                }
            }
        }
        for note in &self.notes {
            let _ = write!(text, "\n{note}\n");
        }
        if figures {
            for figure in &self.figures {
                let _ = write!(text, "\n![{figure}]({figure})\n");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_follow_the_bands_and_nan_is_in_none() {
        let bands = [
            TargetBand::Within(1.0, 2.0),
            TargetBand::Near(1.5, 0.1),
            TargetBand::AtMost(2.0),
            TargetBand::AtLeast(1.0),
        ];
        for band in bands {
            assert!(band.holds(1.5) && !band.holds(f64::NAN), "{band:?}");
        }
        assert!(
            !TargetBand::Within(1.0, 2.0).holds(2.1) && !TargetBand::Near(-2.0, 0.1).holds(-2.3)
        );
        assert!(!TargetBand::AtMost(2.0).holds(2.1) && !TargetBand::AtLeast(1.0).holds(0.9));
        let mut report = Report::default();
        report.near("time, ms", 2.0, 0.2, 2.1);
        report.check("force, N", "30", TargetBand::AtMost(31.0), f64::NAN);
        report.holds("order kept", true);
        assert_eq!(report.count(), (3, 1));
        let text = report.text(false);
        assert_eq!(text.matches("missed").count(), 1);
        assert_eq!(text.lines().count(), 5);
        report.source("000 eq. 1.1");
        report.digits("ratio", 1.2346, 4, 1.234_56);
        report.digits("ratio", 1.2346, 4, 1.234_66);
        report.erratum("a sign");
        assert_eq!(report.count(), (5, 2));
        let lines = report.sourced("name");
        assert_eq!(lines.lines().count(), 2);
        assert!(lines.ends_with("| 1.2346 | 1.2347 | result | missed | a sign |\n"), "{lines}");
        let first = "| 000 eq. 1.1 | `lab name` | ratio | 1.2346 | 1.2346 | result | ok |  |";
        assert!(lines.starts_with(first));
        assert!(text.lines().nth(3).is_some_and(|l| l.contains("none") && l.contains("missed")));
    }

    #[test]
    fn a_row_that_is_no_result_says_so_beside_its_band() {
        let mut report = Report::default();
        report.check("let-off, s", "0.18", TargetBand::Within(0.17, 0.19), 0.181);
        report.kind(RowKind::Fitted);
        report.holds("order kept", true);
        let text = report.text(false);
        let last = |line: usize, cell: usize| {
            let cells: Vec<_> = text.lines().nth(line).unwrap().split('|').map(str::trim).collect();
            cells[cell].to_owned()
        };
        assert_eq!((last(2, 3).as_str(), last(2, 5).as_str()), ("0.17…0.19, fitted", "ok"));
        assert_eq!(last(3, 3), "yes");
        assert_eq!(report.rows()[0].cells[2], "0.17…0.19");
        assert_eq!([RowKind::Fitted, RowKind::Given].map(|kind| report.count_of(kind)), [1, 0]);
    }

    #[test]
    fn ids_are_unique_words_in_segments() {
        let mut report = Report::default();
        for quantity in ["key 4, mass × 0.7: Contact, ms", "key 4, mass × 0.7: contact"] {
            report.holds(quantity, false);
        }
        report.holds("a long sentence", true);
        report.id(&["key 4", "weight −2.5 g"]);
        let ids: Vec<_> = report.rows().iter().map(|row| &*row.id).collect();
        let contact = "key4.mass-times-0-7.contact";
        assert_eq!(ids, [contact, &format!("{contact}-2"), "key4.weight-minus-2-5-g"]);
        let page = format!("A page.\n\n{}", report.missed_line("x"));
        let missed: Vec<_> = Report::missed_ids(&page).collect();
        assert_eq!(missed, [format!("x.{contact}"), format!("x.{contact}-2")]);
    }
}
