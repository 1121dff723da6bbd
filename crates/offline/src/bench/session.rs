//! One run of the laboratory into one output folder: its manifest, and the files written last.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::folder::Folder;
use super::manifest::{self, Finished, Manifest};
use crate::output::{self, NewFolder, Shown as _};

/// A run that writes into one folder. A folder that the run created is removed again unless
/// [`Session::finish`] succeeds.
#[derive(Debug)]
pub struct Session {
    path: PathBuf,
    created: NewFolder,
    manifest: Manifest,
}

impl Session {
    /// Creates the folder `path` where it is missing and reads the manifest that it holds.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn open(path: &Path) -> Result<Self> {
        let created = output::new_folder(path)?;
        Ok(Self { path: path.to_owned(), created, manifest: Manifest::of(path) })
    }

    /// Enters a finished experiment in the manifest.
    ///
    /// # Errors
    /// One of its files cannot be read.
    pub fn enter(&mut self, finished: &Finished<'_>) -> Result<()> {
        self.manifest.enter(finished)
    }

    /// Writes the manifest, its page and `pages` (name and text), and keeps the folder; the paths
    /// of these files.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn finish(self, pages: &[(&str, &str)]) -> Result<Vec<PathBuf>> {
        let mut folder = Folder::new(&self.path);
        folder.write(manifest::MANIFEST, self.manifest.json()?.as_bytes())?;
        folder.write(manifest::README, self.manifest.page().as_bytes())?;
        for (name, text) in pages {
            folder.write(name, text.as_bytes())?;
        }
        let files = folder.keep()?;
        self.created.keep();
        Ok(files)
    }
}

/// One line `wrote PATH` for each of `files`.
#[must_use]
pub fn wrote<'a>(files: impl IntoIterator<Item = &'a PathBuf>) -> String {
    files.into_iter().map(|path| format!("wrote {}\n", path.shown())).collect()
}
