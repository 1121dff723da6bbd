//! Files that are whole or absent: written without a name, named when they are finished.
//!
//! A symbolic link is followed, and a file that is replaced keeps its permissions. Devices, pipes
//! and open files (`/dev/stdout`) are sent everything at the end.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
pub enum DraftError {
    /// A path that ends without a name.
    #[error("{}: not a file name", .0.display())]
    Nameless(PathBuf),
    /// A folder of that name.
    #[error("{}: is a folder; name a file", .0.display())]
    Folder(PathBuf),
    /// Nobody said to replace it.
    #[error("{}: is there already", .0.display())]
    Taken(PathBuf),
    /// The disk refuses.
    #[error("{}: cannot write: {}", .0.display(), .1)]
    Disk(PathBuf, io::Error),
}

/// A file being written. It has no name before [`Draft::keep`]: however the program ends before,
/// nothing is left behind.
#[derive(Debug)]
pub struct Draft {
    /// As it was asked for.
    target: PathBuf,
    /// Where it goes, links followed.
    place: PathBuf,
    /// The place takes bytes and cannot be replaced.
    is_stream: bool,
    file: File,
}

impl Draft {
    /// A file for `target`, in its folder.
    ///
    /// # Errors
    /// When the folder cannot be written or `target` is a folder.
    pub fn create(target: &Path) -> Result<Self, DraftError> {
        let path = || target.to_owned();
        if target.file_name().is_none() {
            return Err(DraftError::Nameless(path()));
        }
        let disk = |error| DraftError::Disk(path(), error);
        let place = followed(target).map_err(disk)?;
        let is_stream = match fs::metadata(&place) {
            Ok(m) if m.is_dir() => return Err(DraftError::Folder(path())),
            Ok(m) => !m.is_file() || is_open_file(&place),
            Err(_) => false,
        };
        let file = if is_stream { tempfile::tempfile() } else { nameless(folder(&place)) }
            .map_err(disk)?;
        Ok(Self { target: path(), place, is_stream, file })
    }

    /// The file's final place.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target
    }

    fn told(&self, error: io::Error) -> DraftError {
        DraftError::Disk(self.target.clone(), error)
    }

    /// A buffered writer from the beginning of the file.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn writer(&self) -> Result<BufWriter<File>, DraftError> {
        let begin = || {
            let mut file = self.file.try_clone()?;
            file.rewind()?;
            file.set_len(0)?;
            Ok(file)
        };
        begin().map(BufWriter::new).map_err(|error| self.told(error))
    }

    /// Writes `bytes` as the whole content.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn write_all(&self, bytes: &[u8]) -> Result<(), DraftError> {
        let mut writer = self.writer()?;
        writer.write_all(bytes).and_then(|()| writer.flush()).map_err(|error| self.told(error))
    }

    /// Puts the finished file in its place, where it replaces another.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn keep(self) -> Result<(), DraftError> {
        if self.is_stream {
            return self.send().map_err(|error| self.told(error));
        }
        let named = self.named()?;
        if let Ok(replaced) = fs::metadata(&self.place) {
            let kept = fs::set_permissions(&named, replaced.permissions());
            kept.map_err(|error| self.told(error))?;
        }
        named.persist(&self.place).map_err(|error| self.told(error.error))
    }

    /// Puts the finished file in its place.
    ///
    /// # Errors
    /// [`DraftError::Taken`] where there is another, or when the disk refuses.
    pub fn keep_new(self) -> Result<(), DraftError> {
        if self.is_stream {
            return Err(DraftError::Taken(self.target));
        }
        let named = self.named()?;
        named.persist_noclobber(&self.place).map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => DraftError::Taken(self.target.clone()),
            _ => self.told(error.error),
        })
    }

    /// Sends everything to the stream.
    fn send(&self) -> io::Result<()> {
        // Behind what an open file holds already.
        let mut stream = File::options().append(true).open(&self.place)?;
        (&self.file).rewind()?;
        io::copy(&mut &self.file, &mut stream)?;
        stream.flush()
    }

    /// The file under a hidden name beside its place: for the moment before it is moved there.
    fn named(&self) -> Result<TempPath, DraftError> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".partial-");
        let place = folder(&self.place);
        let name = || {
            self.file.sync_all()?;
            #[cfg(target_os = "linux")]
            if let Ok(named) = builder.make_in(place, |path| link(&self.file, path)) {
                return Ok(named.into_temp_path());
            }
            // What never could have a name is copied.
            let mut named = builder.make_in(place, |path| File::create_new(path))?;
            (&self.file).rewind()?;
            io::copy(&mut &self.file, named.as_file_mut())?;
            named.as_file().sync_all()?;
            Ok(named.into_temp_path())
        };
        name().map_err(|error| self.told(error))
    }
}

/// Where `target` lies.
#[must_use]
pub fn folder(target: &Path) -> &Path {
    target.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Most links that lead from one to the next, as Linux has it.
const LINKS: usize = 40;

/// Where `target` leads through symbolic links, there or not.
///
/// # Errors
/// Links that lead in a circle.
pub fn followed(target: &Path) -> io::Result<PathBuf> {
    let mut place = target.to_owned();
    for _ in 0..LINKS {
        if is_open_file(&place) {
            return Ok(place);
        }
        match fs::read_link(&place) {
            Ok(next) => place = folder(&place).join(next),
            Err(_) => return Ok(place),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Whether `place` names what a process has open: such links lead to no name.
fn is_open_file(place: &Path) -> bool {
    cfg!(unix) && folder(place).canonicalize().is_ok_and(|folder| folder.starts_with("/proc"))
}

/// A file without a name in `folder`.
fn nameless(folder: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{Mode, OFlags, open};
        let how = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
        if let Ok(file) = open(folder, how, Mode::from_raw_mode(0o666)) {
            return Ok(file.into());
        }
    }
    // Another system, or a file system without such files.
    tempfile::tempfile_in(folder)
}

/// Names `file` `path`.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd as _;
    let open = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, open, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(dir: &tempfile::TempDir) -> usize {
        fs::read_dir(dir.path()).unwrap().count()
    }

    #[test]
    fn a_draft_leaves_nothing_and_a_kept_one_everything() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("a.txt");
        let draft = Draft::create(&target).unwrap();
        draft.write_all(b"half").unwrap();
        assert_eq!(count(&dir), 0, "nothing to see while it is written");
        drop(draft);
        assert_eq!(count(&dir), 0);
        for text in [&b"whole and long"[..], b"replaced"] {
            let draft = Draft::create(&target).unwrap();
            draft.write_all(b"what is written again begins anew").unwrap();
            draft.write_all(text).unwrap();
            draft.keep().unwrap();
            assert_eq!(fs::read(&target).unwrap(), text);
            assert_eq!(count(&dir), 1);
        }
        let draft = Draft::create(&target).unwrap();
        draft.write_all(b"new").unwrap();
        assert!(matches!(draft.keep_new(), Err(DraftError::Taken(_))));
        assert_eq!((fs::read(&target).unwrap().as_slice(), count(&dir)), (&b"replaced"[..], 1));
        #[cfg(target_os = "linux")]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let plain = dir.path().join("plain");
            File::create(&plain).unwrap();
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
            assert_eq!(mode(&target), mode(&plain), "as any new file");
        }
    }

    #[test]
    fn a_file_that_cannot_have_a_name_is_copied() {
        let dir = tempfile::tempdir().unwrap();
        let (target, gone) = (dir.path().join("a.txt"), dir.path().join("gone"));
        let file = File::options().read(true).write(true).create_new(true).open(&gone).unwrap();
        fs::remove_file(gone).unwrap();
        let place = target.clone();
        let draft = Draft { target: target.clone(), place, is_stream: false, file };
        draft.write_all(b"whole").unwrap();
        draft.keep_new().unwrap();
        assert_eq!((fs::read(&target).unwrap().as_slice(), count(&dir)), (&b"whole"[..], 1));
    }

    #[test]
    fn what_can_hold_no_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(Draft::create(dir.path()), Err(DraftError::Folder(_))));
        assert!(matches!(Draft::create(Path::new("..")), Err(DraftError::Nameless(_))));
        let nowhere = dir.path().join("none").join("a.txt");
        assert!(matches!(Draft::create(&nowhere), Err(DraftError::Disk(..))));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_permissions_kept() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir(at("sub")).unwrap();
        let write = |name: &str, text: &[u8]| {
            let draft = Draft::create(&at(name)).unwrap();
            draft.write_all(text).unwrap();
            draft.keep()
        };
        symlink("sub/there", at("link")).unwrap();
        symlink("link", at("second")).unwrap();
        for (name, text) in [("link", &b"dangling"[..]), ("second", b"replaced")] {
            write(name, text).unwrap();
            assert_eq!(fs::read(at("sub/there")).unwrap(), text);
            assert!(fs::symlink_metadata(at(name)).unwrap().is_symlink());
        }
        fs::set_permissions(at("sub/there"), fs::Permissions::from_mode(0o640)).unwrap();
        write("second", b"again").unwrap();
        assert_eq!(fs::metadata(at("sub/there")).unwrap().permissions().mode() & 0o777, 0o640);
        symlink("circle", at("circle")).unwrap();
        assert!(matches!(Draft::create(&at("circle")), Err(DraftError::Disk(..))));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn devices_and_open_files_are_written_to() {
        use std::os::fd::AsRawFd as _;
        let draft = Draft::create(Path::new("/dev/null")).unwrap();
        draft.write_all(b"away").unwrap();
        draft.keep().unwrap();
        assert!(matches!(
            Draft::create(Path::new("/dev/null")).unwrap().keep_new(),
            Err(DraftError::Taken(_))
        ));
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        fs::write(&path, "begun ").unwrap();
        let open = File::open(&path).unwrap();
        for folder in ["/proc/self/fd", "/dev/fd"] {
            let draft = Draft::create(&Path::new(folder).join(open.as_raw_fd().to_string()));
            let draft = draft.unwrap();
            draft.write_all(b"sent ").unwrap();
            draft.keep().unwrap();
        }
        assert_eq!(fs::read(&path).unwrap(), b"begun sent sent ");
        assert_eq!(count(&dir), 1);
    }
}
