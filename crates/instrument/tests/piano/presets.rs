//! Presets written by released versions load value for value: one file for each
//! version in `crates/instrument/tests/presets`.

use std::path::Path;

use touchback_instrument::host::params::{self, ValueKind};
use touchback_instrument::host::preset::user_presets;

#[test]
fn saved_presets_load() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/presets");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 2);
    for file in files {
        let show = file.display();
        let (saved, losses) = user_presets::read(&file).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(losses.message(), None, "{show}");
        assert!(!saved.name.is_empty(), "{show}");
        let text = std::fs::read_to_string(&file).unwrap();
        let table: toml::Table = text.parse().unwrap();
        let values = table["values"].as_table().unwrap();
        for parameter in params::all() {
            let got = parameter.get(&saved.settings);
            let expected = match (parameter.kind, values.get(parameter.id)) {
                (_, None) => parameter.value_where_absent(),
                (ValueKind::Choice(names), Some(value)) => {
                    let name = value.as_str().unwrap();
                    names.iter().position(|n| *n == name).unwrap() as f64
                }
                (ValueKind::Number { .. }, Some(value)) => value.as_float().unwrap(),
            };
            assert_eq!(got.to_bits(), expected.to_bits(), "{show}: {}", parameter.id);
        }
        let known = |id: &String| params::find(id).is_ok();
        assert!(values.keys().all(known), "{show}: an id was lost");
        // Written again it says the same.
        let (again, _) =
            touchback_instrument::host::preset::file::NamedPiano::read(&saved.text().unwrap())
                .unwrap();
        assert_eq!(again, saved, "{show}");
    }
}
