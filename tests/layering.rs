//! The directions between the parts of the house, and where outside crates may be named.

#[path = "support/paths.rs"]
mod paths;

use std::collections::BTreeMap;
use std::path::Path;

use paths::{Reference, references};

/// What each part may name; a part may always name itself.
///
/// math → {episode, mech} → {action, sound, wall} → instrument → params → preset → editor →
/// plugin; exchange, files and guard stand alone; monitor lies between instrument and {editor, plugin}.
const DIRECTIONS: [(&str, &[&str]); 16] = [
    ("math", &[]),
    ("exchange", &[]),
    ("files", &[]),
    ("guard", &[]),
    ("episode", &["math"]),
    ("mech", &["math"]),
    ("action", &["math", "episode", "mech"]),
    ("sound", &["math", "episode", "mech"]),
    ("wall", &["math", "episode", "mech"]),
    ("instrument", &["math", "episode", "mech", "action", "sound", "wall"]),
    ("haptics", &["math", "episode", "mech", "action", "wall", "exchange", "files"]),
    ("monitor", &["math", "action", "instrument", "exchange"]),
    ("params", &["math", "episode", "mech", "action", "sound", "wall", "instrument", "exchange"]),
    (
        "preset",
        &["math", "episode", "mech", "action", "sound", "wall", "instrument", "params", "files"],
    ),
    (
        "editor",
        &[
            "math",
            "episode",
            "mech",
            "action",
            "sound",
            "wall",
            "instrument",
            "preset",
            "params",
            "exchange",
            "files",
            "guard",
            "haptics",
            "monitor",
        ],
    ),
    (
        "plugin",
        &[
            "math",
            "episode",
            "mech",
            "action",
            "sound",
            "wall",
            "instrument",
            "preset",
            "params",
            "exchange",
            "files",
            "guard",
            "haptics",
            "monitor",
            "editor",
        ],
    ),
];

/// Files and parts, as paths below `src`, that may name a crate; crates not listed are free.
const CRATES: [(&str, &[&str]); 7] = [
    ("nice_plug", &["lib.rs", "guard", "params", "editor", "plugin"]),
    ("nice_plug_egui", &["editor/app.rs", "editor/app"]),
    ("egui", &["editor"]),
    ("midly", &["editor"]),
    ("serialport", &["haptics"]),
    ("touchback_device", &["wall", "haptics"]),
    ("serde_json", &["preset", "params/tests.rs", "plugin", "haptics"]),
];

/// The parts' names.
fn parts() -> Vec<&'static str> {
    DIRECTIONS.iter().map(|(part, _)| *part).collect()
}

/// `file` (a path below `src`) is `place` or lies in it.
fn is_in(file: &str, place: &str) -> bool {
    file.strip_prefix(place).is_some_and(|rest| {
        place.ends_with(".rs") && rest.is_empty() || rest.starts_with('/') || rest == ".rs"
    })
}

/// What `source`, the text of `file` (a path below `src`, with `/`), may not name.
fn violations(file: &str, source: &str) -> Vec<String> {
    let part = file.split(['/', '.']).next().unwrap_or_default();
    let is_root = file == "lib.rs";
    let Some((_, allowed)) =
        DIRECTIONS.iter().find(|(p, _)| *p == part).or(is_root.then_some(&("", &[])))
    else {
        return vec![format!("{file}: the part `{part}` has no place in the house plan")];
    };
    references(file, source)
        .into_iter()
        .filter_map(|reference| match reference {
            Reference::Part(name) => {
                let is_free = is_root || name == part || !parts().contains(&name.as_str());
                (!is_free && !allowed.contains(&name.as_str()))
                    .then(|| format!("{file}: `{part}` may not use `{name}`"))
            }
            Reference::Crate(name) => CRATES
                .iter()
                .find(|(c, _)| *c == name)
                .filter(|(_, places)| !places.iter().any(|place| is_in(file, place)))
                .map(|_| format!("{file}: the crate `{name}` may not be named here")),
        })
        .collect()
}

/// Every source file below `src`, by its path there.
fn sources() -> BTreeMap<String, String> {
    fn walk(folder: &Path, below: &str, into: &mut BTreeMap<String, String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let below = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
            if path.is_dir() {
                walk(&path, &below, into);
            } else if path.extension().is_some_and(|e| e == "rs") {
                into.insert(below, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    let mut into = BTreeMap::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut into);
    into
}

#[test]
fn the_house_keeps_its_directions() {
    let sources = sources();
    let found: Vec<_> = sources.iter().flat_map(|(f, s)| violations(f, s)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
    // The check sees what there is to see.
    let seen: usize = sources.iter().map(|(f, s)| references(f, s).len()).sum();
    assert!(sources.len() > 20 && seen > 40, "{} files, {seen} references", sources.len());
}

#[test]
fn the_directions_have_no_circle() {
    let mut settled: Vec<&str> = Vec::new();
    while settled.len() < DIRECTIONS.len() {
        let next = DIRECTIONS.iter().find(|(part, uses)| {
            !settled.contains(part) && uses.iter().all(|used| settled.contains(used))
        });
        settled.push(next.expect("a circle among the rest").0);
    }
}

#[test]
fn violations_are_found() {
    let found = |file: &str, source: &str| violations(file, source).len();
    for (file, source) in [
        ("sound/engine.rs", "use crate::plugin::Touchback;"),
        ("sound.rs", "pub use crate::action;"),
        ("action/keyboard.rs", "use crate::{math::compass::Key, instrument::{self, Piano}};"),
        ("instrument/piano.rs", "fn f() { crate::editor::run() }"),
        ("math/vec2.rs", "fn f(p: &crate::mech::Felt) {}"),
        ("action/grand/key.rs", "use super::super::super::sound::Voicing;"),
        ("mech.rs", "use super::action::STEP;"),
        ("exchange.rs", "use crate::math::cast::single;"),
        ("params.rs", "use crate::\n    editor::App;"),
        ("instrument/piano.rs", "use nice_plug::prelude::*;"),
        ("plugin.rs", "fn f(ui: &mut egui::Ui) {}"),
        ("editor/window.rs", "use nice_plug_egui as adapter;"),
        ("editor/window.rs", "use {egui::Ui, nice_plug_egui::App};"),
        ("plugin/process.rs", "extern crate egui;"),
        ("params/table.rs", "use serde_json::Value;"),
        ("cellar/wine.rs", ""),
    ] {
        assert_eq!(found(file, source), 1, "{file}: {source}");
    }
}

#[test]
fn what_is_allowed_passes() {
    for (file, source) in [
        ("sound/engine.rs", "use crate::math::{cast, compass::Key}; use crate::sound::Voicing;"),
        (
            "sound/engine.rs",
            "// use crate::plugin;\n/* crate::editor /* nested */ crate::plugin */",
        ),
        ("sound/engine.rs", "const A: &str = \"crate::plugin\"; const B: char = '\"';"),
        ("sound/engine.rs", "const A: &str = r#\"a \" crate::plugin\"#; fn f<'a>(x: &'a u8) {}"),
        (
            "sound/engine.rs",
            "/// See [`crate::plugin`].\nfn plugin() { self::plugin::egui(); x.egui(); }",
        ),
        ("sound/engine/felt.rs", "use super::super::Voicing; mod tests { use super::*; }"),
        ("math.rs", "mod tests { use super::*; use super::vec2::Vec2; }"),
        ("plugin/process.rs", "use crate::{editor, haptics::Status, exchange}; use nice_plug::x;"),
        ("editor/app.rs", "use nice_plug_egui::App; use egui::Ui;"),
        ("lib.rs", "pub mod sound; mod plugin; nice_plug::nice_export_clap!(plugin::Touchback);"),
    ] {
        assert_eq!(violations(file, source), Vec::<String>::new(), "{file}: {source}");
    }
}

/// `pattern` (a path whose parts may be `*`) exists below `root`.
fn exists(root: &Path, pattern: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else { return root.join(pattern).exists() };
    let Ok(entries) = std::fs::read_dir(root.join(before)) else { return false };
    entries.flatten().any(|entry| exists(&entry.path(), after.trim_start_matches('/')))
}

/// Every file and folder that a document names is there: whole paths, and names that stand in the
/// same line after a path, in its folder or in one above it.
#[test]
fn the_documents_name_what_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut documents = vec![root.join("README.md")];
    let docs = std::fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    documents.extend(docs.filter(|path| path.extension().is_some_and(|e| e == "md")));
    let (mut seen, mut missing) = (0, Vec::new());
    for document in documents {
        for line in std::fs::read_to_string(&document).unwrap().lines() {
            let mut last: Option<&str> = None;
            for name in line.split('`').skip(1).step_by(2) {
                let is_whole = ["src/", "crates/", "tests/", "benches/", "examples/", "xtask/"]
                    .iter()
                    .any(|folder| name.starts_with(folder));
                let is_path = name.chars().all(|c| c.is_alphanumeric() || "/_-.*".contains(c));
                let is_there = if is_whole && is_path {
                    last = Some(name);
                    exists(root, name)
                } else if name.ends_with(".rs") && is_path {
                    last.is_none_or(|last| {
                        Path::new(last).ancestors().any(|above| exists(&root.join(above), name))
                    })
                } else {
                    continue;
                };
                seen += 1;
                if !is_there {
                    missing.push(format!("{}: `{name}`", document.display()));
                }
            }
        }
    }
    assert!(seen > 60 && missing.is_empty(), "{seen} seen; not there: {missing:#?}");
}
