//! The laboratory command on the built program.

use std::path::Path;
use std::process::{Command, Output};

fn lab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_touchback")).arg("lab").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn the_list_names_every_experiment_and_system() {
    let output = lab(&["list"]);
    assert_eq!(output.status.code(), Some(0));
    let list = text(&output.stdout);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/command.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (experiments, systems) = list.split_once("\n\n").unwrap();
    assert!(experiments.lines().count() > 20, "{experiments}");
    for line in experiments.lines() {
        let name = line.split_whitespace().next().unwrap();
        assert!(line.ends_with('.'), "{line}");
        assert!(page.contains(&format!("`{name}`")), "docs/command.md does not name `{name}`");
    }
    for place in ["fig. 3.9", "T5.4", "fig. 6.15", "001", "002 eqs. 7–10", "003", "004 app. A"] {
        assert!(systems.contains(place), "{place} in {systems}");
    }
}

#[test]
fn an_unknown_experiment_is_refused_before_anything_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let output = lab(&["ball", "nothing", "--out", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(message.lines().count() == 1 && message.contains("nothing"), "{message}");
    assert!(!out.exists());
    assert_eq!(lab(&[]).status.code(), Some(2));
}

#[test]
fn experiments_print_tables_and_write_the_files_they_name() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    let output = lab(&["ball", "thesis-run", "weight-drop", "geometry", "--report", "--out", out]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let message = text(&output.stdout);
    let mut verdicts = 0;
    for line in message.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let [_, _, _, _, _, verdict, _] = cells[..]
            && !["verdict", "---"].contains(&verdict)
        {
            assert!(["ok", "missed"].contains(&verdict), "{line}");
            verdicts += 1;
        } else {
            assert!(line.ends_with("missed.md") || !line.contains("missed"), "{line}");
        }
    }
    assert!(verdicts > 20, "{message}");
    for path in message.lines().filter_map(|l| l.strip_prefix("wrote ")) {
        assert!(Path::new(path).metadata().unwrap().len() > 0, "{path}");
    }
    let page = std::fs::read_to_string(dir.path().join("report.md")).unwrap();
    assert!(page.contains("## ball") && page.contains("](thesis-run.svg)"));
    // Two pages of the documentation are output of this experiment.
    for name in ["action-concert.md", "action-thesis.md"] {
        let written = std::fs::read_to_string(dir.path().join(name)).unwrap();
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
        let kept = std::fs::read_to_string(kept).unwrap();
        assert!(written == kept, "docs/{name} is old: write it with `touchback lab geometry`");
    }
}

/// Endings of columns with units.
const UNITS: &[&str] =
    &["cents", "j", "kg", "m", "m_s", "mm", "ms", "n", "n_m", "n_s_m", "ns", "rad", "s", "share"];
/// Columns without a unit: names, counts, and columns whose unit is in `quantity`.
const BARE: &[&str] = &[
    "action",
    "block",
    "case",
    "delay_periods",
    "event",
    "finger",
    "from",
    "gesture",
    "hash",
    "imaginary",
    "kernel",
    "key",
    "machine",
    "measured",
    "note",
    "phase",
    "pole_of_hammer_1994",
    "quantity",
    "real",
    "share_of_a_core",
    "times",
    "to",
    "value",
    "velocity",
    "wall",
    "when",
];

/// Every file of the fast experiments reads back: rows as long as the header, a unit for each column, and the
/// manifest's values.
#[test]
#[ignore = "long: `.ci/run` runs it"]
fn written_files_can_be_loaded() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    let names = [
        "ball",
        "dynamic-object",
        "finger",
        "key-design",
        "lines",
        "models-ab",
        "state-graphs",
        "thesis-run",
        "wall-damping",
        "wall-display",
        "walls",
        "weight-drop",
    ];
    let output = lab(&[&names[..], &["--out", out]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let read = |name: &str| std::fs::read(dir.path().join(name)).unwrap();
    let json = |name: &str| serde_json::from_slice::<serde_json::Value>(&read(name)).unwrap();
    let manifest = json("manifest.json");
    let page = String::from_utf8(read("README.md")).unwrap();
    let mut tables = 0;
    for name in names {
        let entry = &manifest["experiments"][name];
        let record = json(&format!("{name}.json"));
        assert_eq!(record["rows"].as_array().unwrap().len(), entry["targets"], "{name}");
        for file in entry["files"].as_array().unwrap() {
            let file_name = file["name"].as_str().unwrap();
            assert_eq!(read(file_name).len(), file["bytes"], "{file_name}");
            assert!(page.contains(&format!("- `{file_name}`")), "{file_name}");
            if !file_name.ends_with(".csv") {
                continue;
            }
            let bytes = read(file_name);
            let mut table = csv::Reader::from_reader(&bytes[..]);
            for column in table.headers().unwrap() {
                let has_unit = UNITS.iter().any(|u| column.ends_with(&format!("_{u}")));
                assert!(has_unit || BARE.contains(&column), "{file_name}: {column}");
            }
            let rows =
                table.records().map(|row| row.unwrap_or_else(|e| panic!("{file_name}: {e}")));
            assert!(rows.count() > 0, "{file_name}");
            tables += 1;
        }
    }
    assert!(tables >= names.len(), "{tables}");
}

/// The part of the table from fast experiments; `touchback lab all --report` writes the whole table.
#[test]
#[ignore = "long: `.ci/run` runs it"]
fn the_table_of_the_source_documents_is_fresh() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    let names = [
        "ball",
        "dynamic-object",
        "finger",
        "lines",
        "state-graphs",
        "wall-damping",
        "wall-display",
        "walls",
    ];
    let output = lab(&[&names[..], &["--report", "--out", out]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let written = std::fs::read_to_string(dir.path().join("seeds.md")).unwrap();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/seeds.md");
    let kept = std::fs::read_to_string(kept).unwrap();
    assert!(written.lines().count() > 100);
    // Rounding residuals may differ between builds; all other cells are equal.
    let is_residual = |cell: &str| cell.parse().is_ok_and(|x: f64| x.abs() < 1e-8);
    let steady = |line: &str| -> String {
        line.split('|').map(|cell| if is_residual(cell.trim()) { "~" } else { cell }).collect()
    };
    let kept: Vec<String> = kept.lines().map(steady).collect();
    for line in written.lines() {
        let old = "docs/seeds.md is old: write it with `touchback lab all --report`";
        assert!(kept.contains(&steady(line)), "{old}: {line}");
    }
}

/// The run is strict: it fails if a target is missed.
#[test]
#[ignore = "long: `.ci/run` runs it"]
fn the_validation_page_is_the_commands_output() {
    let dir = tempfile::tempdir().unwrap();
    let output = lab(&["validate", "--strict", "--out", dir.path().to_str().unwrap()]);
    let is_missed = text(&output.stdout).contains("| missed");
    assert_eq!(output.status.code(), Some(i32::from(is_missed)), "{}", text(&output.stderr));
    for name in ["validation.md", "validation-travel.svg", "validation-bottom.svg"] {
        let written = std::fs::read_to_string(dir.path().join(name)).unwrap();
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
        let kept = std::fs::read_to_string(kept).unwrap();
        assert!(written == kept, "docs/{name} is old: write it with `touchback lab validate`");
    }
}
