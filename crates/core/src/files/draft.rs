//! Atomic writing of files: a file is written without a name and named when it is complete.
//!
//! Symbolic links are followed, and a replaced file keeps its permissions. Devices, pipes and open files receive the
//! whole content at the end. So does standard output, `/dev/stdout` on every system, unless its content is
//! [streamed](Draft::stream).

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

/// Why a file was not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DraftError {
    /// The path has no file name.
    #[error("{}: not a file name", .0.display())]
    Nameless(PathBuf),
    /// The path is a folder.
    #[error("{}: is a folder; name a file", .0.display())]
    Folder(PathBuf),
    /// The file exists and replacing was not requested.
    #[error("{}: is there already", .0.display())]
    Taken(PathBuf),
    /// An error of the file system.
    #[error("{}: cannot write: {}", .0.display(), .1)]
    Disk(PathBuf, io::Error),
    /// The reader of standard output has closed the pipe.
    #[error("{}: its reader has closed it", STDOUT)]
    Closed,
    /// Standard output is a terminal and the content no text.
    #[error("{}: is a terminal; redirect it to a file or pipe it into a program", STDOUT)]
    Terminal,
}

/// Path of standard output, also on systems that have no such file.
pub const STDOUT: &str = "/dev/stdout";

/// Whether `path` is standard output.
#[must_use]
pub fn is_stdout(path: &Path) -> bool {
    [STDOUT, "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

/// Standard output without a buffer.
fn stdout() -> io::Result<File> {
    #[cfg(unix)]
    return Ok(std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned()?.into());
    #[cfg(windows)]
    return Ok(std::os::windows::io::AsHandle::as_handle(&io::stdout())
        .try_clone_to_owned()?
        .into());
    #[cfg(not(any(unix, windows)))]
    return Err(io::ErrorKind::Unsupported.into());
}

/// A file whose content arrives at its target while it is written.
#[derive(Debug)]
pub struct Stream {
    /// The file, at its beginning or behind what others have written.
    pub file: File,
    /// Position of the first byte, if bytes that were written can be replaced.
    pub begin: Option<u64>,
}

impl Stream {
    /// Standard output. Only a plain file that is not appended to can be rewritten.
    fn stdout() -> io::Result<Self> {
        let mut file = stdout()?;
        #[cfg(unix)]
        let is_appended = rustix::fs::fcntl_getfl(&file)?.contains(rustix::fs::OFlags::APPEND);
        #[cfg(not(unix))]
        let is_appended = false;
        let is_rewritable = !is_appended && file.metadata().is_ok_and(|about| about.is_file());
        let begin = if is_rewritable { file.stream_position().ok() } else { None };
        Ok(Self { file, begin })
    }
}

/// A file being written. It has no name before [`Draft::keep`], so that a program that ends earlier leaves
/// nothing behind.
#[derive(Debug)]
pub struct Draft {
    /// The requested path.
    target: PathBuf,
    /// The requested path with links followed.
    resolved: PathBuf,
    /// Whether the target is a device, pipe or open file, which receives bytes and cannot be replaced.
    is_stream: bool,
    file: File,
}

impl Draft {
    /// Creates a file for `target`, in the folder of `target`.
    ///
    /// # Errors
    /// The folder cannot be written, or `target` is a folder.
    pub fn create(target: &Path) -> Result<Self, DraftError> {
        let path = || target.to_owned();
        if target.file_name().is_none() {
            return Err(DraftError::Nameless(path()));
        }
        let disk = |error| DraftError::Disk(path(), error);
        if is_stdout(target) {
            let file = tempfile::tempfile().map_err(disk)?;
            return Ok(Self { target: path(), resolved: path(), is_stream: true, file });
        }
        let resolved = followed(target).map_err(disk)?;
        let is_stream = match fs::metadata(&resolved) {
            Ok(m) if m.is_dir() => return Err(DraftError::Folder(path())),
            Ok(m) => !m.is_file() || is_open_file(&resolved),
            Err(_) => false,
        };
        let file = if is_stream { tempfile::tempfile() } else { nameless(folder(&resolved)) }
            .map_err(disk)?;
        Ok(Self { target: path(), resolved, is_stream, file })
    }

    /// The requested path.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The error of a draft that `error` has stopped.
    #[must_use]
    pub fn error(&self, error: io::Error) -> DraftError {
        match error.kind() {
            io::ErrorKind::BrokenPipe if is_stdout(&self.target) => DraftError::Closed,
            _ => DraftError::Disk(self.target.clone(), error),
        }
    }

    /// The emptied file, or standard output itself, whose reader then need not wait for the end; the draft must
    /// have no other content.
    ///
    /// # Errors
    /// An error of the file system; standard output that is a terminal.
    pub fn stream(&self) -> Result<Stream, DraftError> {
        if is_stdout(&self.target) {
            if io::stdout().is_terminal() {
                return Err(DraftError::Terminal);
            }
            return Stream::stdout().map_err(|error| self.error(error));
        }
        Ok(Stream { file: self.emptied()?, begin: Some(0) })
    }

    /// Empties the file and returns a buffered writer.
    ///
    /// # Errors
    /// An error of the file system.
    pub fn writer(&self) -> Result<BufWriter<File>, DraftError> {
        self.emptied().map(BufWriter::new)
    }

    fn emptied(&self) -> Result<File, DraftError> {
        let begin = || {
            let mut file = self.file.try_clone()?;
            file.rewind()?;
            file.set_len(0)?;
            Ok(file)
        };
        begin().map_err(|error| self.error(error))
    }

    /// Writes `bytes` as the whole content.
    ///
    /// # Errors
    /// An error of the file system.
    pub fn write_all(&self, bytes: &[u8]) -> Result<(), DraftError> {
        let mut writer = self.writer()?;
        writer.write_all(bytes).and_then(|()| writer.flush()).map_err(|error| self.error(error))
    }

    /// Moves the complete file to its target, replacing an existing file.
    ///
    /// # Errors
    /// An error of the file system.
    pub fn keep(self) -> Result<(), DraftError> {
        if self.is_stream {
            return self.send().map_err(|error| self.error(error));
        }
        let named = self.named()?;
        if let Ok(replaced) = fs::metadata(&self.resolved) {
            let kept = fs::set_permissions(&named, replaced.permissions());
            kept.map_err(|error| self.error(error))?;
        }
        named.persist(&self.resolved).map_err(|error| self.error(error.error))
    }

    /// Moves the complete file to its target, which must not exist.
    ///
    /// # Errors
    /// [`DraftError::Taken`] if the target exists, or an error of the file system.
    pub fn keep_new(self) -> Result<(), DraftError> {
        if self.is_stream {
            return Err(DraftError::Taken(self.target));
        }
        let named = self.named()?;
        named.persist_noclobber(&self.resolved).map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => DraftError::Taken(self.target.clone()),
            _ => self.error(error.error),
        })
    }

    /// Sends the whole content to the stream.
    fn send(&self) -> io::Result<()> {
        let mut stream = if is_stdout(&self.target) {
            stdout()?
        } else {
            // Appends to the content of an open file.
            File::options().append(true).open(&self.resolved)?
        };
        (&self.file).rewind()?;
        io::copy(&mut &self.file, &mut stream)?;
        stream.flush()
    }

    /// The file under a hidden temporary name in the folder of its target.
    fn named(&self) -> Result<TempPath, DraftError> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".partial-");
        let directory = folder(&self.resolved);
        let name = || {
            self.file.sync_all()?;
            #[cfg(target_os = "linux")]
            if let Ok(named) = builder.make_in(directory, |path| link(&self.file, path)) {
                return Ok(named.into_temp_path());
            }
            // A file that cannot be linked to a name is copied.
            let mut named = builder.make_in(directory, |path| File::create_new(path))?;
            (&self.file).rewind()?;
            io::copy(&mut &self.file, named.as_file_mut())?;
            named.as_file().sync_all()?;
            Ok(named.into_temp_path())
        };
        name().map_err(|error| self.error(error))
    }
}

/// Folder of `target`; `.` if the path has none.
#[must_use]
pub fn folder(target: &Path) -> &Path {
    target.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Longest chain of symbolic links, as in Linux.
const LINKS: usize = 40;

/// Path to which `target` leads through symbolic links, whether it exists or not.
///
/// # Errors
/// A cycle of links.
pub fn followed(target: &Path) -> io::Result<PathBuf> {
    let mut path = target.to_owned();
    for _ in 0..LINKS {
        if is_open_file(&path) {
            return Ok(path);
        }
        match fs::read_link(&path) {
            Ok(next) => path = folder(&path).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Whether `path` is an open file of a process: links to these have no target path.
fn is_open_file(path: &Path) -> bool {
    cfg!(unix) && folder(path).canonicalize().is_ok_and(|folder| folder.starts_with("/proc"))
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
    // Other systems, and file systems without unnamed files.
    tempfile::tempfile_in(folder)
}

/// Links the unnamed `file` to `path`.
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
    fn a_dropped_draft_leaves_nothing_and_a_kept_one_is_complete() {
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
    fn a_file_that_cannot_be_linked_is_copied() {
        let dir = tempfile::tempdir().unwrap();
        let (target, gone) = (dir.path().join("a.txt"), dir.path().join("gone"));
        let file = File::options().read(true).write(true).create_new(true).open(&gone).unwrap();
        fs::remove_file(gone).unwrap();
        let resolved = target.clone();
        let draft = Draft { target: target.clone(), resolved, is_stream: false, file };
        draft.write_all(b"whole").unwrap();
        draft.keep_new().unwrap();
        assert_eq!((fs::read(&target).unwrap().as_slice(), count(&dir)), (&b"whole"[..], 1));
    }

    #[test]
    fn paths_that_cannot_be_files_are_refused() {
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
    fn devices_and_open_files_receive_the_content() {
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
