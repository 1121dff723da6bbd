//! Reading of input files: plain files of a bounded size.
//!
//! Opening a pipe would wait for a writer, and opening a device may have effects. The kind of file is
//! therefore checked before it is opened. In case the file is replaced in between, it is opened without
//! waiting and checked again.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Why an input was not read; the message begins with the path.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// An error of the file system.
    #[error("{}: cannot read: {}", .0.display(), .1)]
    Disk(PathBuf, io::Error),
    /// A folder.
    #[error("{}: is a folder; name a file", .0.display())]
    Folder(PathBuf),
    /// A pipe, a device or a socket.
    #[error("{}: is not a plain file", .0.display())]
    Special(PathBuf),
    /// The file is larger than the limit, bytes.
    #[error("{}: is larger than {}", .0.display(), size(*.1))]
    Large(PathBuf, u64),
    /// The content is not UTF-8.
    #[error("{}: is no text in UTF-8", .0.display())]
    Text(PathBuf),
}

fn size(bytes: u64) -> String {
    match bytes {
        1_000_000.. => format!("{} MB", bytes / 1_000_000),
        _ => format!("{} kB", bytes / 1000),
    }
}

/// Path of standard input, also on systems that have no such file.
pub const STDIN: &str = "/dev/stdin";

/// Whether `path` is standard input.
#[must_use]
pub fn is_stdin(path: &Path) -> bool {
    [STDIN, "/dev/fd/0", "/proc/self/fd/0"].iter().any(|name| path == Path::new(name))
}

/// Opens the plain file at `path`, following links.
///
/// # Errors
/// The file is missing, is not a plain file, or cannot be opened.
pub fn open(path: &Path) -> Result<File, InputError> {
    let disk = |error| InputError::Disk(path.to_owned(), error);
    refuse_other(path, &fs::metadata(path).map_err(disk)?)?;
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed());
    }
    let file = options.open(path).map_err(disk)?;
    refuse_other(path, &file.metadata().map_err(disk)?)?;
    Ok(file)
}

/// Refuses everything but a plain file.
fn refuse_other(path: &Path, metadata: &Metadata) -> Result<(), InputError> {
    if metadata.is_dir() {
        return Err(InputError::Folder(path.to_owned()));
    }
    if !metadata.is_file() {
        return Err(InputError::Special(path.to_owned()));
    }
    Ok(())
}

/// Opens the plain file at `path` if it has at most `limit` bytes.
///
/// # Errors
/// As [`open`], or [`InputError::Large`].
pub fn open_bounded(path: &Path, limit: u64) -> Result<File, InputError> {
    let file = open(path)?;
    match file.metadata() {
        Ok(metadata) if metadata.len() <= limit => Ok(file),
        Ok(_) => Err(InputError::Large(path.to_owned(), limit)),
        Err(error) => Err(InputError::Disk(path.to_owned(), error)),
    }
}

/// Reads the plain file at `path`, of at most `limit` bytes.
///
/// # Errors
/// As [`open_bounded`].
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, InputError> {
    read_all(path, open_bounded(path, limit)?, limit)
}

/// Reads `file`, which is that at `path`, to its end; at most `limit` bytes.
///
/// # Errors
/// An error of the file system, or [`InputError::Large`].
pub fn read_all(path: &Path, file: impl io::Read, limit: u64) -> Result<Vec<u8>, InputError> {
    let mut bytes = Vec::new();
    // The file may grow while it is read.
    let read = file.take(limit.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| InputError::Disk(path.to_owned(), error))?;
    if bytes.len() as u64 > limit {
        return Err(InputError::Large(path.to_owned(), limit));
    }
    Ok(bytes)
}

/// Reads the text file at `path`, of at most `limit` bytes.
///
/// # Errors
/// As [`read`], or [`InputError::Text`].
pub fn read_text(path: &Path, limit: u64) -> Result<String, InputError> {
    String::from_utf8(read(path, limit)?).map_err(|_| InputError::Text(path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_file_is_read_up_to_its_limit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        fs::write(&path, "twelve bytes").unwrap();
        assert_eq!(read_text(&path, 12).unwrap(), "twelve bytes");
        assert!(matches!(read(&path, 11), Err(InputError::Large(_, 11))));
        fs::write(&path, b"\xff").unwrap();
        assert!(matches!(read_text(&path, 12), Err(InputError::Text(_))));
        let message = read(dir.path(), 1).unwrap_err().to_string();
        assert!(message.ends_with(": is a folder; name a file"), "{message}");
        let message = read(&dir.path().join("none"), 1).unwrap_err().to_string();
        assert!(message.contains("none: cannot read: "), "{message}");
        // A sparse file of 1 TiB.
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        let message = read(&path, 2_000_000).unwrap_err().to_string();
        assert!(message.ends_with("a: is larger than 2 MB"), "{message}");
    }

    /// The pipe has no writer: opening it as a plain file would wait for ever.
    #[cfg(unix)]
    #[test]
    fn pipes_devices_and_sockets_are_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap();
        assert!(made.success());
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        std::os::unix::fs::symlink("pipe", at("link")).unwrap();
        for path in [at("pipe"), at("link"), at("socket"), "/dev/zero".into(), "/dev/tty".into()] {
            let message = read(&path, 10).unwrap_err().to_string();
            assert!(message.ends_with(": is not a plain file"), "{message}");
        }
    }
}
