//! Causes of missed targets, read from `missed.toml`.

use std::sync::LazyLock;

use touchback_offline::bench::Report;

/// The cause of missed rows.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MissedTarget {
    /// Ids of the rows, or the first segments of their ids.
    pub ids: Vec<String>,
    /// The cause.
    pub cause: String,
    /// The part of the program that a remedy would change.
    pub part: String,
    /// Whether the verdict depends on the machine.
    #[serde(default)]
    pub of_machine: bool,
}

/// All causes, by experiment.
static MISSED: LazyLock<Vec<MissedTarget>> = LazyLock::new(|| {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        missed: Vec<MissedTarget>,
    }
    let file: File = toml::from_str(include_str!("missed.toml")).expect("a test reads missed.toml");
    file.missed
});

/// Whether the segments of `id` begin with those of `first`.
fn begins(id: &str, first: &str) -> bool {
    id.strip_prefix(first).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The cause with the longest id that `id`, with its experiment as the first segment, has or begins with, and that id.
fn found(id: &str) -> Option<(&'static MissedTarget, &'static str)> {
    let all = MISSED.iter().flat_map(|cause| cause.ids.iter().map(move |id| (cause, &**id)));
    all.filter(|(_, first)| begins(id, first)).max_by_key(|(_, first)| first.len())
}

/// Adds the causes of the missed rows to `report` of `experiment`; the number of those without a known cause.
pub fn explain(experiment: &str, report: &mut Report) -> usize {
    report.explain(|id| found(&format!("{experiment}.{id}")).map(|(m, _)| &*m.cause))
}

/// The page of the documentation.
#[must_use]
pub fn page() -> String {
    let mut page = String::from(
        "# Missed targets\n\nThis page is written by `touchback lab all --report` from \
         `crates/lab/src/experiment/missed.toml`; a test compares it with this file and the missed rows of \
         `validate`, `contact`, `sound`, `agreement`, `string-law`, `weight-drop` and `key-design`. It lists the targets that are \
         not met, with their causes: *known* was shown by an experiment, *likely* follows from known facts, *open* \
         was not found. An id stands for all rows whose ids begin with it; the first segment is the experiment, \
         whose output has the measured values. Rows marked † depend on the machine.\n\n\
         | ids | cause | part |\n| --- | --- | --- |\n",
    );
    for MissedTarget { ids, cause, part, of_machine } in MISSED.iter() {
        let mark = if *of_machine { " †" } else { "" };
        page += &format!("| `{}`{mark} | {cause} | `{part}` |\n", ids.join("`, `"));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{agreement, key_design, string_law, weight_drop};
    use touchback_offline::bench::{Folder, KeySource};

    /// Ids of the missed rows that a page of docs/ lists; fresh output is compared with the page elsewhere.
    fn on_page(name: &str) -> Vec<String> {
        let path = format!("{}/../../docs/{name}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let ids: Vec<_> = Report::missed_ids(&text).map(String::from).collect();
        let missed = text.lines().filter(|line| line.trim_end().ends_with("| missed  |")).count();
        assert_eq!(ids.len(), missed, "{name}");
        ids
    }

    fn of_report(experiment: &str, report: &Report) -> Vec<String> {
        Report::missed_ids(&report.missed_line(experiment)).map(String::from).collect()
    }

    #[test]
    fn every_missed_row_has_a_cause_and_every_cause_a_missed_row() {
        let dir = tempfile::tempdir().unwrap();
        let (mut folder, keys) = (Folder::new(dir.path()), KeySource::default());
        let rows = [
            ("validate", on_page("validation.md")),
            ("contact", on_page("contact.md")),
            ("sound", on_page("sound.md")),
            ("agreement", of_report("agreement", &agreement::run(&mut folder, &keys).unwrap())),
            ("string-law", of_report("string-law", &string_law::run(&mut folder).unwrap())),
            (
                "weight-drop",
                of_report("weight-drop", &weight_drop::run(&mut folder, &keys).unwrap()),
            ),
            ("key-design", of_report("key-design", &key_design::run(&mut folder).unwrap())),
        ];
        let mut unused: Vec<&str> = MISSED.iter().flat_map(|m| &m.ids).map(|id| &**id).collect();
        unused.retain(|id| rows.iter().any(|(experiment, _)| begins(id, experiment)));
        for id in rows.iter().flat_map(|(_, ids)| ids) {
            let (_, cause) = found(id).unwrap_or_else(|| panic!("no cause for {id}"));
            unused.retain(|other| *other != cause);
        }
        assert!(unused.is_empty(), "these targets are met: {unused:#?}");
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/missed.md");
        let kept = std::fs::read_to_string(path).unwrap();
        assert!(
            kept == page(),
            "docs/missed.md is old: write it with `touchback lab all --report`"
        );
    }

    #[test]
    fn a_cause_states_its_certainty_and_an_existing_part() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        for m in MISSED.iter() {
            let known = m.cause.split(':').next().unwrap();
            assert!(["known", "likely", "open"].contains(&known), "{m:?}");
            let part = m.part.replace("::", "/");
            let (package, file) = part.split_once('/').unwrap_or((&part, "lib"));
            let paths = [
                format!("{root}/crates/{package}/src/{file}.rs"),
                format!("{root}/crates/lab/src/{part}.rs"),
                format!("{root}/{part}"),
            ];
            let exists = paths.iter().any(|path| std::fs::exists(path).unwrap());
            assert!(m.part == "the machine" || exists, "{m:?}");
        }
    }

    #[test]
    fn ids_match_by_whole_segments_and_the_longest_counts() {
        assert!(begins("contact.key88.force", "contact.key88") && begins("a.b", "a.b"));
        assert!(!begins("contact.key88", "contact.key8") && !begins("a", "a.b"));
        let id = |row| found(row).map(|(_, id)| id);
        assert_eq!(id("action-cost.one-key.stroke"), Some("action-cost.one-key.stroke"));
        assert_eq!(id("action-cost.no-key-moving"), Some("action-cost"));
        assert_eq!(id("validate.strongest-blow.key4"), None);
    }
}
