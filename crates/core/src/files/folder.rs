//! Folders for outputs: those that had to be made go again when the work fails.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A folder that is there. What [`NewFolder::create`] made of it and above it is removed when this is
/// dropped without [`NewFolder::keep`], as far as nothing lies in it.
#[derive(Debug)]
#[must_use = "what was made is removed when this is dropped"]
pub struct NewFolder {
    /// Outermost first.
    made: Vec<PathBuf>,
}

impl NewFolder {
    /// Makes the folder `path` and those that it lies in, where they are missing.
    ///
    /// # Errors
    /// What the system says; nothing is left then.
    pub fn create(path: &Path) -> io::Result<Self> {
        let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.is_dir();
        let missing: Vec<&Path> = path.ancestors().take_while(is_missing).collect();
        let mut new = Self { made: Vec::with_capacity(missing.len()) };
        for folder in missing.into_iter().rev() {
            match fs::create_dir(folder) {
                Ok(()) => new.made.push(folder.to_owned()),
                // Another program made it meanwhile, or it is `..` of one that was made here.
                Err(error) if error.kind() == ErrorKind::AlreadyExists && folder.is_dir() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(new)
    }

    /// Keeps what was made: the work has succeeded.
    pub fn keep(mut self) {
        self.made.clear();
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        for folder in self.made.iter().rev() {
            // One that holds something stays.
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_goes_unless_it_is_kept_or_holds_something() {
        let dir = tempfile::tempdir().unwrap();
        let (old, deep) = (dir.path().join("old"), dir.path().join("old/new/deep"));
        fs::create_dir(&old).unwrap();
        let new = NewFolder::create(&deep).unwrap();
        assert!(deep.is_dir());
        drop(new);
        assert!(old.is_dir() && !old.join("new").exists());
        NewFolder::create(&deep).unwrap().keep();
        drop(NewFolder::create(&deep).unwrap());
        assert!(deep.is_dir(), "it was there");
        let new = NewFolder::create(&old.join("other/deep")).unwrap();
        fs::write(old.join("other/file"), "").unwrap();
        drop(new);
        assert!(old.join("other/file").exists() && !old.join("other/deep").exists());
    }

    #[test]
    fn a_folder_that_cannot_be_made_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let long = "x".repeat(300);
        assert!(NewFolder::create(&dir.path().join("a/b").join(long)).is_err());
        fs::write(dir.path().join("file"), "").unwrap();
        assert!(NewFolder::create(&dir.path().join("file")).is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
