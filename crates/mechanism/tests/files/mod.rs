//! The mechanisms of the repository.

use std::collections::BTreeMap;

/// The text of every file of the folder `mechanisms`, by its name without endings.
pub fn all() -> BTreeMap<String, String> {
    let folder = format!("{}/../../mechanisms", env!("CARGO_MANIFEST_DIR"));
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let named = |path: std::path::PathBuf| {
        let name = path.file_name()?.to_str()?.strip_suffix(".mechanism.toml")?.to_owned();
        Some((name, std::fs::read_to_string(&path).unwrap()))
    };
    let files: BTreeMap<_, _> = paths.filter_map(named).collect();
    assert!(files.len() >= 11, "{:?}", files.keys());
    files
}
