//! Finds sound files by the names in an SFZ file.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Longest name that is searched without regard to case, bytes.
const LONGEST: usize = 4096;
/// Most folders that are listed, and most names in all of them.
const FOLDERS: usize = 10_000;
const NAMES: usize = 1_000_000;

/// Finds files below a folder with either slash and in any case: SFZ files come from systems that do
/// not distinguish them. Every folder is listed once.
pub struct Finder {
    root: PathBuf,
    listed: HashMap<PathBuf, BTreeMap<String, OsString>>,
    names: usize,
}

impl Finder {
    /// For files below the folder `root`.
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), listed: HashMap::new(), names: 0 }
    }

    /// The path of the file `name`, whether or not the file exists.
    pub fn find(&mut self, name: &str) -> PathBuf {
        let name = name.replace('\\', "/");
        let exact = self.root.join(&name);
        if name.len() > LONGEST || exact.exists() {
            return exact;
        }
        let mut path = self.root.clone();
        for part in name.split('/').filter(|part| !part.is_empty()) {
            let name = self.list(&path).and_then(|names| names.get(&part.to_lowercase()));
            match name {
                Some(name) => path.push(name),
                None => path.push(part),
            }
        }
        path
    }

    /// The names in `folder`, keyed by their lower-case form.
    fn list(&mut self, folder: &Path) -> Option<&BTreeMap<String, OsString>> {
        if !self.listed.contains_key(folder) {
            if self.listed.len() == FOLDERS || self.names > NAMES {
                return None;
            }
            let mut names = BTreeMap::new();
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten().take(NAMES) {
                let name = entry.file_name();
                if let Some(text) = name.to_str() {
                    names.entry(text.to_lowercase()).or_insert(name);
                }
            }
            self.names += names.len();
            self.listed.insert(folder.to_owned(), names);
        }
        self.listed.get(folder)
    }
}
