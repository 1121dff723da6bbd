//! Systems and figures of the source documents, read from `seeds.toml`, each with the experiments that show it, and
//! with what is missing.

use std::fmt::Write as _;
use std::sync::LazyLock;

/// Text above the table of measured values.
pub const HEAD: &str = "\
# Systems of the source documents

Written by `touchback lab all --report`. Every line of the first table is a value of a system, equation or figure of a
source document that concerns simulation or control, with the command that computes it, the expected and the measured
value. A *result* follows from the model; *fitted* means that an input was chosen so that the value is met, *given* that
the inputs or the equations fix it. The second table lists every system, figure, table and named idea of the documents:
shown; partly shown, with what is missing; or not shown, with the reason. [The sources, chapter by
chapter](sources/README.md) explains them, with exercises.

000: Gillespie 1996, thesis. 001: chapter 3 of the thesis. 002: Gillespie 1994, the virtual piano action. 003:
Gillespie and Cutkosky 1993, interactive dynamics. 004: Tsai 1996; only its abstract and contents are public, so that
its systems are re-derived. T is a table.

| source | command | quantity | expected | measured | kind | verdict | erratum in the source |
| --- | --- | --- | --- | --- | --- | --- | --- |
";

/// How much of a system the experiments show.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// All of it.
    Shown,
    /// Not all of it.
    Partly,
    /// None of it.
    Not,
}

/// A system, figure, table or idea: documents and places, name, state, experiments, and what is missing and why.
#[derive(Debug, serde::Deserialize)]
pub struct System(pub String, pub String, pub State, pub Vec<String>, pub String);

/// A drawn figure: its name, without its end, the experiment that draws it, and the places that it shows.
#[derive(Debug, serde::Deserialize)]
pub struct Picture(pub String, pub String, pub String);

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    systems: Vec<System>,
    pictures: Vec<Picture>,
}

static FILE: LazyLock<File> =
    LazyLock::new(|| toml::from_str(include_str!("seeds.toml")).expect("a test reads seeds.toml"));

/// All systems, by document.
pub static SYSTEMS: LazyLock<&'static [System]> = LazyLock::new(|| &FILE.systems);

/// The drawn figures that show figures of the documents.
pub fn pictures() -> &'static [Picture] {
    &FILE.pictures
}

impl System {
    /// The experiments, each name enclosed in `mark`, and what is missing.
    fn shown(&self, mark: &str) -> String {
        let Self(.., state, by, why) = self;
        let names: Vec<_> = by.iter().map(|name| format!("{mark}{name}{mark}")).collect();
        match state {
            State::Shown => names.join(", "),
            State::Partly => format!("partly, {}: {why}", names.join(", ")),
            State::Not => format!("not shown: {why}"),
        }
    }
}

/// The number of systems, and of those in each state, as a sentence.
pub fn summary() -> String {
    let count = |state| SYSTEMS.iter().filter(|s| s.2 == state).count();
    let [shown, partly, not] = [State::Shown, State::Partly, State::Not].map(count);
    format!(
        "Of {} systems, figures, tables and ideas {shown} are shown, {partly} partly, and {not} are not, each \
         with the reason.",
        SYSTEMS.len()
    )
}

/// All systems as lines of text in columns.
pub fn list() -> String {
    let width = |of: fn(&System) -> &str| {
        SYSTEMS.iter().map(|s| of(s).chars().count()).max().unwrap_or_default()
    };
    let (source_width, system_width) = (width(|s| &s.0), width(|s| &s.1));
    let mut text = String::new();
    for s in SYSTEMS.iter() {
        let _ = writeln!(text, "{:source_width$}  {:system_width$}  {}", s.0, s.1, s.shown(""));
    }
    text + "\n" + &summary() + "\n"
}

/// All systems as a Markdown table with a heading.
pub fn table() -> String {
    let mut text = format!(
        "\n## Systems and their experiments\n\n{}\n\n| source | system | experiment |\n| --- | --- | --- |\n",
        summary()
    );
    for s in SYSTEMS.iter() {
        let _ = writeln!(text, "| {} | {} | {} |", s.0, s.1, s.shown("`"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::EXPERIMENTS;
    use crate::experiment::figure::FigureId;

    #[test]
    fn every_system_has_an_experiment_or_a_reason() {
        for System(source, name, state, by, why) in SYSTEMS.iter() {
            assert!(!source.is_empty() && !name.is_empty());
            assert_eq!(*state == State::Shown, why.is_empty(), "{name}");
            assert_eq!(*state == State::Not, by.is_empty(), "{name}");
            assert!(by.iter().all(|by| EXPERIMENTS.iter().any(|e| e.name == by)), "{name}: {by:?}");
        }
        let paper = include_str!("../../../../paper/paper.md");
        let flowed = paper.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flowed.contains(&summary()), "paper.md lacks: {}", summary());
    }

    #[test]
    fn every_figure_and_table_of_the_documents_is_listed() {
        // Document, whether tables, chapter, number of its figures or tables.
        const COUNTS: [(&str, bool, u32, u32); 21] = [
            ("000", false, 1, 1),
            ("000", false, 2, 6),
            ("000", false, 3, 18),
            ("000", false, 4, 11),
            ("000", false, 5, 19),
            ("000", false, 6, 15),
            ("000", true, 3, 5),
            ("000", true, 5, 4),
            ("002", false, 0, 3),
            ("003", false, 0, 6),
            ("003", true, 0, 2),
            ("004", false, 0, 1),
            ("004", false, 2, 2),
            ("004", false, 3, 9),
            ("004", false, 4, 10),
            ("004", false, 5, 5),
            ("004", false, 6, 18),
            ("004", false, 11, 5),
            ("004", false, 12, 2),
            ("004", true, 6, 2),
            ("000", true, 6, 3),
        ];
        for (document, is_table, chapter, count) in COUNTS {
            // Tables 6.3.1 and 6.3.2 of the thesis are written T6.3.
            let first = if (document, is_table, chapter) == ("000", true, 6) { 3 } else { 1 };
            for n in first..=count {
                let id = FigureId { document: document.into(), is_table, number: (chapter, n) };
                assert!(SYSTEMS.iter().any(|s| id.is_in(&s.0)), "{id:?}");
            }
        }
    }
}
