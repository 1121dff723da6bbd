//! `touchback lab figure ID`: a figure or table of the source documents, by the experiments that show it.

use std::fmt;

use anyhow::{Context as _, Result, bail};

use super::seeds::{self, Picture, SYSTEMS, State, System};
use super::{Catalogue, LabOptions};
use touchback_offline::output;
use touchback_offline::paths::OutputFolder;

/// The live figures of the page for browsers.
const LIVE: &str = include_str!("../../../../web/static/figures.json");

/// Options of `touchback lab figure`.
#[derive(clap::Args, Debug)]
pub struct FigureOptions {
    /// Document, figure or table, and number, such as 000-fig-5.8, 003-fig-6 or 000-table-5.2
    #[arg(value_name = "ID")]
    id: FigureId,
    /// Folder for data and figures
    #[arg(long, value_name = "DIR", default_value = "touchback-lab")]
    out: OutputFolder,
    /// Prints the records of the experiments as a JSON array
    #[arg(long)]
    json: bool,
}

/// A figure or table of a source document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FigureId {
    /// Number of the document, three digits.
    pub document: String,
    /// A table, not a figure.
    pub is_table: bool,
    /// Chapter, 0 in a document without, and number.
    pub number: (u32, u32),
}

impl std::str::FromStr for FigureId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("`{text}`: an id has a document, fig or table, and a number: 000-fig-5.8");
        let mut parts = text.splitn(3, '-');
        let mut next = || parts.next().ok_or_else(wrong);
        let document = next()?.to_owned();
        let is_table = match next()? {
            "fig" => false,
            "table" => true,
            _ => return Err(wrong()),
        };
        Ok(Self { document, is_table, number: number(next()?).ok_or_else(wrong)? })
    }
}

impl fmt::Display for FigureId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_table { "table" } else { "fig" };
        let (chapter, n) = self.number;
        match char::from_digit(chapter, 36).filter(char::is_ascii_alphabetic) {
            Some(letter) => {
                write!(f, "{}-{kind}-{}.{n}", self.document, letter.to_ascii_uppercase())
            }
            None if chapter == 0 => write!(f, "{}-{kind}-{n}", self.document),
            None => write!(f, "{}-{kind}-{chapter}.{n}", self.document),
        }
    }
}

/// A number such as 3.5, B.1 or 4 as chapter and number.
fn number(text: &str) -> Option<(u32, u32)> {
    let (chapter, n) = text.split_once('.').unwrap_or(("0", text));
    let letter =
        |c: &str| c.chars().next().filter(char::is_ascii_uppercase).map(|c| u32::from(c) - 55);
    Some((chapter.parse().ok().or_else(|| letter(chapter))?, n.parse().ok()?))
}

impl FigureId {
    /// Whether `places`, such as `000 figs. 3.5–3.8, T3.3; 001`, have it.
    #[must_use]
    pub fn is_in(&self, places: &str) -> bool {
        places.split("; ").filter_map(|place| place.strip_prefix(&*self.document)).any(|place| {
            let mut is_figure = false;
            place.split([' ', ',']).filter(|word| !word.is_empty()).any(|word| {
                if word.starts_with(|c: char| c.is_lowercase() || c == '§') {
                    is_figure = word.starts_with("fig");
                    return false;
                }
                let table = word.strip_prefix('T');
                if table.is_some() != self.is_table || !(self.is_table || is_figure) {
                    return false;
                }
                let (first, last) = word.split_once('–').unwrap_or((word, word));
                let ends = [first, last].map(|end| number(end.trim_start_matches('T')));
                matches!(ends, [Some(first), Some(last)] if first <= self.number && self.number <= last)
            })
        })
    }
}

/// Runs the experiments that show the figure, and says which pictures and pages have it.
///
/// # Errors
/// No such figure; as [`super::run`].
pub fn run(options: &FigureOptions, catalogue: Catalogue) -> Result<()> {
    let id = &options.id;
    let systems: Vec<&System> = SYSTEMS.iter().filter(|s| id.is_in(&s.0)).collect();
    let Some(System(_, name, state, by, why)) = systems.first() else {
        bail!("{id}: no such figure or table; `touchback lab list` has those of every document");
    };
    if *state == State::Not {
        if options.json {
            bail!("{id}: not shown: {why}");
        }
        return output::print(&format!("{id}: {name}\nnot shown: {why}\n"));
    }
    if !options.json {
        output::print(&format!("{id}: {name}\n"))?;
    }
    let pictures: Vec<&Picture> = seeds::pictures().iter().filter(|p| id.is_in(&p.2)).collect();
    // Where the figure is drawn, only what draws it has to run.
    let mut run: Vec<String> = pictures.iter().map(|p| p.1.clone()).collect();
    run.dedup();
    if run.is_empty() {
        run.clone_from(by);
    }
    let runs = LabOptions::of(&run, &options.out, options.json);
    super::run(&runs, catalogue).context(id.to_string())?;
    if options.json {
        return Ok(());
    }
    let missing =
        if *state == State::Partly { format!("not in it: {why}\n") } else { String::new() };
    let mut found: Vec<String> = pictures
        .iter()
        .map(|p| options.out.join(format!("{}.svg", p.0)).display().to_string())
        .collect();
    if found.is_empty() {
        found.push("no picture of its own: the rows above have it".into());
    }
    let others = by.iter().filter(|name| !run.contains(name));
    let others = others.map(|name| format!("touchback lab {name}")).collect::<Vec<_>>();
    let others = if others.is_empty() {
        String::new()
    } else {
        format!("more on it: {}\n", others.join(", "))
    };
    let is_live = LIVE.contains(&format!("\"{id}\""));
    let live = if is_live {
        format!("with sliders: the page's figures.html#{id}\n")
    } else {
        String::new()
    };
    output::print(&format!("\n{id}: {}\n{missing}{live}{others}", found.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_action::ActionKind;
    use touchback_walls::{ball, calculation};

    #[test]
    fn an_id_is_read_as_it_is_written() {
        for text in ["000-fig-5.8", "003-fig-6", "000-table-3.3", "004-fig-B.1"] {
            assert_eq!(text.parse::<FigureId>().unwrap().to_string(), text);
        }
        for text in ["5.8", "000-5.8", "000-fig-", "000-figure-5.8", ""] {
            assert!(text.parse::<FigureId>().is_err(), "{text}");
        }
    }

    /// A picture that is named is drawn by an experiment, and shows figures that the list has as shown.
    #[test]
    fn every_named_picture_is_drawn_for_a_shown_figure() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/experiment");
        let sources: String =
            walk(&folder).iter().map(|f| std::fs::read_to_string(f).unwrap()).collect();
        for Picture(name, by, places) in seeds::pictures() {
            let is_graph =
                name.strip_prefix("states-").is_some_and(|of| ActionKind::named(of).is_some());
            assert!(is_graph || sources.contains(&format!("\"{name}\"")), "{name}");
            let ids = (0..20).flat_map(|c| (1..30).map(move |n| (c, n))).map(|number| FigureId {
                document: places[..3].into(),
                is_table: false,
                number,
            });
            let shown = ids
                .filter(|id| id.is_in(places))
                .filter(|id| SYSTEMS.iter().any(|s| s.3.contains(by) && id.is_in(&s.0)));
            assert!(shown.count() > 0, "{name}: {places}");
        }
    }

    /// A live figure is of a shown system and of its experiment; its columns and sliders are those of a function.
    #[test]
    fn every_live_figure_is_of_a_shown_system_and_a_function() {
        let figures: Vec<serde_json::Value> = serde_json::from_str(LIVE).unwrap();
        assert!(figures.len() > 15);
        for figure in figures {
            let text = |name: &str| figure[name].as_str().unwrap().to_owned();
            let id: FigureId = text("id").parse().unwrap();
            let shown = SYSTEMS.iter().find(|s| s.2 != State::Not && id.is_in(&s.0));
            let by = &shown.unwrap_or_else(|| panic!("{id}")).3;
            assert!(by.contains(&text("lab")) || text("lab") == "long-run", "{id}: {by:?}");
            let of = text("of");
            let calculated = calculation::ALL.iter().find(|c| c.name == of);
            let (columns, numbers) = match calculated {
                Some(c) => (c.columns, c.numbers),
                None if ball::WALLS.contains(&&*of) => (&ball::COLUMNS[..], ball::NUMBERS),
                None => panic!("{id}: {of}"),
            };
            for column in figure["y"].as_array().unwrap() {
                assert!(columns.contains(&column.as_str().unwrap()), "{id}: {column}");
            }
            for (number, ends) in figure["sliders"].as_object().unwrap() {
                let own = numbers.iter().find(|n| n.id == number).unwrap();
                let [least, most] = [0, 1].map(|i| ends[i].as_f64().unwrap());
                assert!(
                    own.range[0] <= least && least < most && most <= own.range[1],
                    "{id}: {number}"
                );
            }
        }
    }

    fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
    }
}
