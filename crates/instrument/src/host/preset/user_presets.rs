//! The player's own pianos: a folder of preset files.
//!
//! An existing file is replaced only on request. Not for the audio thread.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::file::{FileError, NamedPiano, PresetLosses};
use touchback_core::files::draft::{Draft, DraftError};
use touchback_core::files::folder::NewFolder;
use touchback_core::files::input::{self, InputError};

/// File name extension of presets.
pub const EXTENSION: &str = "toml";
/// Name of the list of favourites in the folder, one name per line.
const FAVOURITES: &str = "favourites.txt";
/// Largest file that is read, bytes: a hundred times the size of a preset.
pub const LIMIT: u64 = 512 * 1024;
/// Largest number of files of a folder that are read.
const MOST: usize = 5000;
/// Largest number of characters of a file's name, for systems with a limit of 255 bytes.
const LONGEST: usize = 60;

/// Errors of reading and writing preset files.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PresetError {
    /// The file exists and replacing it was not requested.
    #[error("{} is there already", .0.display())]
    Taken(PathBuf),
    /// The file is not a preset.
    #[error("{}: {}", .0.display(), .1)]
    File(PathBuf, FileError),
    /// The file cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The system's error for this path.
    #[error("{}: {}", .0.display(), .1)]
    Disk(PathBuf, io::Error),
    /// The TOML writer's error.
    #[error("{0}")]
    Unwritable(String),
    /// The name contains neither a letter nor a digit.
    #[error("the piano needs a name with a letter or a digit")]
    Nameless,
}

impl From<DraftError> for PresetError {
    fn from(error: DraftError) -> Self {
        match error {
            DraftError::Taken(path) => Self::Taken(path),
            DraftError::Disk(path, error) => Self::Disk(path, error),
            other => Self::Unwritable(other.to_string()),
        }
    }
}

/// One file of the folder, read.
#[derive(Clone, PartialEq, Debug)]
pub struct PresetEntry {
    /// Path of the file.
    pub path: PathBuf,
    /// The piano and the losses in reading it, or the message of the error.
    pub held: Result<(NamedPiano, PresetLosses), String>,
}

/// The player's folder of presets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UserPresets {
    folder: PathBuf,
}

impl UserPresets {
    /// The folder at `folder`, which need not exist.
    #[must_use]
    pub const fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// `Touchback/Presets` where this system keeps a user's data (on Linux
    /// `~/.local/share`, on a Mac `~/Library/Application Support`, on Windows `%APPDATA%`); `None`
    /// for a user without a home.
    #[must_use]
    pub fn usual() -> Option<Self> {
        dirs::data_dir().map(|data| Self::at(data.join("Touchback").join("Presets")))
    }

    /// Path of the folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All files of the folder, by name; empty if the folder does not exist.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn entries(&self) -> Result<Vec<PresetEntry>, PresetError> {
        let trouble = |error| PresetError::Disk(self.folder.clone(), error);
        let files = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            files => files.map_err(trouble)?,
        };
        let mut paths: Vec<PathBuf> = files
            .filter_map(|file| Some(file.ok()?.path()))
            .filter(|path| path.extension() == Some(OsStr::new(EXTENSION)) && !is_hidden(path))
            .take(MOST)
            .collect();
        paths.sort();
        let entry = |path: PathBuf| {
            let held = read(&path).map_err(|trouble| trouble.to_string());
            PresetEntry { path, held }
        };
        Ok(paths.into_iter().map(entry).collect())
    }

    /// Names of the player's favourites; empty if the list cannot be read.
    #[must_use]
    pub fn favourites(&self) -> BTreeSet<String> {
        let text = input::read_text(&self.folder.join(FAVOURITES), LIMIT).unwrap_or_default();
        text.lines().map(str::to_owned).filter(|name| !name.is_empty()).collect()
    }

    /// Writes the list of favourites.
    ///
    /// # Errors
    /// The system's error.
    pub fn keep_favourites(&self, names: &BTreeSet<String>) -> Result<(), PresetError> {
        let path = self.folder.join(FAVOURITES);
        let failed = |error| PresetError::Disk(path.clone(), error);
        let new = NewFolder::create(&self.folder).map_err(failed)?;
        let draft = Draft::create(&path)?;
        let text: String = names.iter().map(|name| format!("{name}\n")).collect();
        draft.write_all(text.as_bytes())?;
        draft.keep()?;
        new.keep();
        Ok(())
    }

    /// Writes `saved` under its name. Returns the path.
    ///
    /// # Errors
    /// [`PresetError::Taken`] if a file of this name exists and `replaces` is not set.
    pub fn keep(&self, saved: &NamedPiano, replaces: bool) -> Result<PathBuf, PresetError> {
        let path = self.folder.join(file_name(&saved.name).ok_or(PresetError::Nameless)?);
        write(saved, &path, replaces)?;
        Ok(path)
    }

    /// Copies the piano of the file `from` into the folder. Returns path and losses.
    ///
    /// # Errors
    /// Those of [`read`] and [`UserPresets::keep`].
    pub fn import(
        &self,
        from: &Path,
        replaces: bool,
    ) -> Result<(PathBuf, PresetLosses), PresetError> {
        let (saved, losses) = read(from)?;
        Ok((self.keep(&saved, replaces)?, losses))
    }

    /// Deletes a file of the folder.
    ///
    /// # Errors
    /// The system's error.
    pub fn remove(&self, path: &Path) -> Result<(), PresetError> {
        fs::remove_file(path).map_err(|error| PresetError::Disk(path.to_owned(), error))
    }
}

/// Reads one preset file; a piano without a name gets that of the file.
///
/// # Errors
/// [`PresetError`] with the file, and the line of an error in it.
pub fn read(path: &Path) -> Result<(NamedPiano, PresetLosses), PresetError> {
    let text = input::read_text(path, LIMIT)?;
    // Some Windows editors begin files with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let (mut saved, losses) =
        NamedPiano::read(text).map_err(|error| PresetError::File(path.to_owned(), error))?;
    if saved.name.is_empty() {
        saved.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    }
    Ok((saved, losses))
}

/// Writes `saved` to `path` atomically.
///
/// # Errors
/// [`PresetError::Taken`] if the path exists and `replaces` is not set.
pub fn write(saved: &NamedPiano, path: &Path, replaces: bool) -> Result<(), PresetError> {
    let text = saved.text().map_err(PresetError::Unwritable)?;
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let new = NewFolder::create(folder).map_err(|e| PresetError::Disk(path.to_owned(), e))?;
    let draft = Draft::create(path)?;
    draft.write_all(text.as_bytes())?;
    if replaces { draft.keep() } else { draft.keep_new() }?;
    new.keep();
    Ok(())
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
}

/// A file name that is valid on every system for a piano called `name`; `None` for a name without a
/// letter or a digit.
fn file_name(name: &str) -> Option<String> {
    /// Names that Windows reserves for devices, with any extension.
    const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];
    let plain: String = name
        .trim()
        .chars()
        .take(LONGEST)
        .map(|c| if c.is_alphanumeric() || " -_()+,".contains(c) { c } else { '_' })
        .collect();
    let plain = plain.trim();
    plain.chars().any(char::is_alphanumeric).then(|| {
        let stem = plain.trim_end_matches(|c: char| c.is_ascii_digit()).to_lowercase();
        let mark = if DEVICES.contains(&stem.as_str()) { "_" } else { "" };
        format!("{plain}{mark}.{EXTENSION}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::params::find as parameter;

    fn piano(name: &str, blow: f64) -> NamedPiano {
        let mut saved = NamedPiano { name: name.into(), ..NamedPiano::default() };
        parameter("blow_mm").unwrap().set(&mut saved.settings, blow);
        saved
    }

    #[test]
    fn pianos_are_kept_listed_replaced_and_removed() {
        let dir = tempfile::tempdir().unwrap();
        let shelf = UserPresets::at(dir.path().join("deep").join("er"));
        assert_eq!(shelf.entries().unwrap(), []);
        let path = shelf.keep(&piano("Mine", 44.0), false).unwrap();
        let taken = shelf.keep(&piano("Mine", 45.0), false).unwrap_err();
        assert!(matches!(&taken, PresetError::Taken(p) if *p == path), "{taken}");
        let blow = |shelf: &UserPresets| {
            let entries = shelf.entries().unwrap();
            assert_eq!(entries.len(), 1);
            entries[0].held.as_ref().unwrap().0.settings.action.blow_mm
        };
        assert_eq!(blow(&shelf), 44.0);
        shelf.keep(&piano("Mine", 45.0), true).unwrap();
        assert_eq!(blow(&shelf), 45.0);
        // The folder contains the file only.
        assert_eq!(fs::read_dir(shelf.folder()).unwrap().count(), 1);
        shelf.remove(&path).unwrap();
        assert_eq!(shelf.entries().unwrap(), []);
        assert!(matches!(shelf.remove(&path), Err(PresetError::Disk(..))));
    }

    #[test]
    fn invalid_files_are_listed_with_their_errors() {
        let dir = tempfile::tempdir().unwrap();
        let shelf = UserPresets::at(dir.path().into());
        let put = |name: &str, bytes: &[u8]| fs::write(dir.path().join(name), bytes).unwrap();
        put("a.toml", b"format = 1\nname = ");
        put("b.toml", b"\xff\xfe\x00");
        put("c.toml", &vec![b'#'; 600_000]);
        put("d.toml", "\u{feff}format = 1\n[values]\n".as_bytes());
        put(".hidden.toml", b"");
        put("e.txt", b"");
        fs::create_dir(dir.path().join("f.toml")).unwrap();
        let entries = shelf.entries().unwrap();
        assert_eq!(entries.len(), 5);
        for (entry, words) in entries.iter().zip(["line 2", "UTF-8", "larger than 524 kB"]) {
            let message = entry.held.as_ref().unwrap_err();
            assert!(message.contains(words) && message.contains(".toml"), "{message}");
        }
        assert_eq!(entries[3].held.as_ref().unwrap().0.name, "d");
        assert!(entries[4].held.is_err());
        #[cfg(unix)]
        {
            // A pipe without a writer: opening it like a file would block.
            let pipe = dir.path().join("pipe.toml");
            assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            assert!(read(&pipe).unwrap_err().to_string().ends_with("is not a plain file"));
            assert!(shelf.entries().unwrap().last().unwrap().held.is_err());
        }
        // A folder that is a file.
        assert!(UserPresets::at(dir.path().join("a.toml")).entries().is_err());
        assert!(UserPresets::at(dir.path().join("a.toml")).keep(&piano("x", 47.0), true).is_err());
    }

    #[test]
    fn a_piano_is_exported_and_imported() {
        let dir = tempfile::tempdir().unwrap();
        let shelf = UserPresets::at(dir.path().join("shelf"));
        let out = dir.path().join("out.toml");
        write(&piano("Trip", 50.0), &out, false).unwrap();
        assert!(matches!(write(&piano("Trip", 51.0), &out, false), Err(PresetError::Taken(_))));
        let (path, losses) = shelf.import(&out, false).unwrap();
        assert_eq!((path.file_name(), losses.message()), (Some(OsStr::new("Trip.toml")), None));
        assert_eq!(read(&path).unwrap().0, piano("Trip", 50.0));
        assert!(matches!(shelf.import(&out, false), Err(PresetError::Taken(_))));
        assert!(shelf.import(&dir.path().join("none.toml"), false).is_err());
    }

    #[test]
    fn every_name_makes_a_file_name() {
        for (name, file) in [
            ("Dark & deep", Some("Dark _ deep.toml")),
            ("../../etc/passwd", Some("______etc_passwd.toml")),
            (" .hidden", Some("_hidden.toml")),
            ("CON", Some("CON_.toml")),
            ("com1", Some("com1_.toml")),
            ("Flügel 2", Some("Flügel 2.toml")),
            ("", None),
            (" ... ", None),
        ] {
            assert_eq!(file_name(name).as_deref(), file, "{name}");
        }
        assert!(file_name(&"long".repeat(50)).unwrap().len() < 255);
    }
}
