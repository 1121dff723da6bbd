//! Experiments with settings, keys and models from the command line.

use std::path::Path;
use std::process::{Command, Output};

fn lab(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_touchback"));
    command.current_dir(folder).arg("lab").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn results_with_own_numbers_are_marked_and_in_a_folder_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let asked = ["weight-drop", "geometry", "--set", "let_off_mm=3", "--key", "52"];
    let output = lab(dir.path(), &asked);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let changes = "let_off_mm = 3, key 52";
    assert!(text(&output.stdout).contains(&format!("Custom parameters: {changes}.")));
    let out = dir.path().join("touchback-lab-own");
    assert!(!dir.path().join("touchback-lab").exists());
    assert_eq!(
        json(&out.join("manifest.json"))["experiments"]["weight-drop"]["own_numbers"],
        changes
    );
    assert_eq!(json(&out.join("weight-drop.json"))["own_numbers"], changes);
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    for name in ["README.md", "weight-drop.svg", "action-own.svg"] {
        assert!(read(name).contains(changes), "{name}");
    }
    // The page differs from the documentation's page.
    let page = read("action-own.md");
    assert!(page.contains("| custom |") && !out.join("action-concert.md").exists());

    // A model exported from the same key gives the same run.
    let model = dir.path().join("mine.toml");
    let export = ["model", "export", "--key", "52", "-o", model.to_str().unwrap()];
    assert!(Command::new(env!("CARGO_BIN_EXE_touchback")).args(export).status().unwrap().success());
    let rows = |name: &str| json(&dir.path().join(name).join("weight-drop.json"))["rows"].clone();
    let by_model =
        lab(dir.path(), &["weight-drop", "--model", "mine.toml", "--key", "52", "--out", "a"]);
    let by_key = lab(dir.path(), &["weight-drop", "--key", "52", "--out", "b"]);
    assert!(by_model.status.success() && by_key.status.success(), "{}", text(&by_model.stderr));
    let found = |rows: serde_json::Value| -> Vec<String> {
        rows.as_array().unwrap().iter().map(|row| row["found"].to_string()).collect()
    };
    assert_eq!(found(rows("a")), found(rows("b")));
}

#[test]
fn invalid_combinations_are_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    for (arguments, part) in [
        (&["ball", "--set", "let_off_mm=3"][..], "let_off_mm: no such number; there are m, k"),
        (&["walls", "--set", "let_off_mm=3"], "let_off_mm: no such number; there are k, b"),
        (&["walls", "--key", "3"], "lab walls takes no --preset"),
        (&["all", "--key", "3"], "takes no"),
        (&["sweeps", "--key", "3"], "lab sweeps takes no --model, --key"),
        (&["energy", "--set", "let_off=3"], "let_off"),
        (&["energy", "--preset", "viennese"], "the grand's"),
        (&["energy", "--model", "none.toml"], "none.toml"),
        (&["energy", "--model", "a.toml", "--set", "let_off_mm=3"], "cannot be used with"),
        (&["help", "nothing"], "no such experiment"),
        (&["sweep", "let_off_mm", "1", "2", "--measure", "weight"], "down_weight_g"),
        (&["sweep", "let_off_mm", "1", "99", "--measure", "ratio"], "let_off_mm: 99"),
        (&["sweep", "room_db", "-20", "-10", "--measure", "ratio"], "change nothing in a key"),
        (&["sweep", "hammer.weight", "0", "1", "--measure", "ratio"], "no `weight`"),
        (&["sweep", "hammer.mass", "-1", "1", "--measure", "ratio"], "hammer.mass = -1"),
    ] {
        let output = lab(dir.path(), arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.lines().count() == 1 && message.contains(part), "{arguments:?}: {message}");
        assert!(std::fs::read_dir(dir.path()).unwrap().next().is_none(), "{arguments:?}");
    }
}

#[test]
fn every_experiment_has_help() {
    let dir = tempfile::tempdir().unwrap();
    let message = text(&lab(dir.path(), &["help", "energy"]).stdout);
    for part in ["energy", "--model FILE.toml", "about 0.3 s", "touchback lab energy"] {
        assert!(message.contains(part), "{part} in {message}");
    }
    let message = text(&lab(dir.path(), &["help", "sweep"]).stdout);
    assert!(message.contains("down_weight_g") && message.contains("hammer.mass"), "{message}");
}

#[test]
fn a_sweep_is_data_and_figure() {
    let dir = tempfile::tempdir().unwrap();
    let asked = ["sweep", "let_off_mm", "1", "3", "--measure", "let_off_height_mm"];
    let output = lab(dir.path(), &[&asked[..], &["--steps", "5"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let out = dir.path().join("touchback-lab-own");
    let record = json(&out.join("sweep-let_off_mm-let_off_height_mm.json"));
    let points = record["points"].as_array().unwrap();
    assert_eq!(points.len(), 5);
    // A slow press lets off at the set distance, up to the compression of the felts.
    for point in points {
        let [screw, found] = [0, 1].map(|i| point[i].as_f64().unwrap());
        assert!((screw - found).abs() < 0.3, "{screw} {found}");
    }
    let table = std::fs::read(out.join("sweep-let_off_mm-let_off_height_mm.csv")).unwrap();
    assert_eq!(csv::Reader::from_reader(&table[..]).records().count(), 5);
    for ending in ["png", "svg"] {
        let figure = out.join(format!("sweep-let_off_mm-let_off_height_mm.{ending}"));
        assert!(figure.metadata().unwrap().len() > 1000);
    }
    let page = std::fs::read_to_string(out.join("README.md")).unwrap();
    assert!(page.contains("let_off_mm from 1 to 3"), "{page}");
}
