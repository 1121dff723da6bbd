//! Output folders that are removed again if the work fails.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// An existing folder. The folders that [`NewFolder::create`] made are removed, if empty, when this is
/// dropped without [`NewFolder::keep`].
#[derive(Debug)]
#[must_use = "what was made is removed when this is dropped"]
pub struct NewFolder {
    /// The created folders, outermost first.
    made: Vec<PathBuf>,
}

impl NewFolder {
    /// Creates the folder `path` and its missing parents.
    ///
    /// # Errors
    /// An error of the file system; no created folder is left.
    pub fn create(path: &Path) -> io::Result<Self> {
        let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.is_dir();
        let missing: Vec<&Path> = path.ancestors().take_while(is_missing).collect();
        let mut new = Self { made: Vec::with_capacity(missing.len()) };
        for folder in missing.into_iter().rev() {
            match fs::create_dir(folder) {
                Ok(()) => new.made.push(folder.to_owned()),
                // Another program created the folder meanwhile, or it is `..` of one created here.
                Err(error) if error.kind() == ErrorKind::AlreadyExists && folder.is_dir() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(new)
    }

    /// Keeps the created folders, after the work has succeeded.
    pub fn keep(mut self) {
        self.made.clear();
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        for folder in self.made.iter().rev() {
            // A folder that is not empty stays.
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_folder_is_removed_unless_kept_or_not_empty() {
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
    fn a_folder_that_cannot_be_created_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let long = "x".repeat(300);
        assert!(NewFolder::create(&dir.path().join("a/b").join(long)).is_err());
        fs::write(dir.path().join("file"), "").unwrap();
        assert!(NewFolder::create(&dir.path().join("file")).is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
