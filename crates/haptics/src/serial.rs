//! Serial ports: finding, opening, and one owner a port.
//!
//! `tcp:127.0.0.1:PORT` in place of a port is a keyboard on this machine that listens there, as
//! the emulated ones do.
//!
//! One owner a port by an operating-system lock on a file beside which the owner writes its name:
//! the lock goes with its process, however that ends.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

use serialport::{SerialPort, SerialPortType};

use touchback_core::files::input;

/// Rate asked for, baud; USB devices ignore it.
pub const BAUD: u32 = 921_600;

/// Why a port could not be opened; the message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum PortError {
    /// The system refuses access.
    #[error(
        "{0}: permission denied; add yourself to the group that owns the port (often `dialout` or \
         `uucp`), log in again and retry"
    )]
    Permission(String),
    /// No such port.
    #[error("{0}: no such port; `touchback keyboard list` names those there are")]
    Missing(String),
    /// Another process or plugin has it.
    #[error("{0}: in use by {1}; close it there first")]
    Taken(String, String),
    /// Any other error of the system.
    #[error("{0}: {1}")]
    Other(String, String),
}

/// A serial port of this system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PortInfo {
    /// Path or name by which it is opened.
    pub path: String,
    /// The system's description of the device.
    pub what: String,
}

/// All serial ports of this system.
///
/// # Errors
/// What the system says.
pub fn list() -> Result<Vec<PortInfo>, PortError> {
    let ports = serialport::available_ports()
        .map_err(|e| PortError::Other("serial ports".into(), e.to_string()))?;
    let what = |kind: SerialPortType| match kind {
        SerialPortType::UsbPort(usb) => {
            let name = usb.product.unwrap_or_else(|| "USB device".into());
            format!("{name} (USB {:04x}:{:04x})", usb.vid, usb.pid)
        }
        SerialPortType::BluetoothPort => "Bluetooth (too slow for force)".into(),
        SerialPortType::PciPort => "built in".into(),
        SerialPortType::Unknown => "unknown".into(),
    };
    Ok(ports.into_iter().map(|p| PortInfo { path: p.port_name, what: what(p.port_type) }).collect())
}

/// The lock on a port, held as long as this lives.
#[derive(Debug)]
pub struct Claim {
    _file: File,
    #[cfg(unix)]
    lock: PathBuf,
    note: PathBuf,
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Both names go while the lock is held, the owner's first: whoever locks a file that has lost
        // its name meanwhile tries again.
        let _ = std::fs::remove_file(&self.note);
        #[cfg(unix)]
        let _ = std::fs::remove_file(&self.lock);
    }
}

/// The folder of the locks, which only this user can write: nobody else can lay a link there, and
/// another user's lock is not in the way.
fn locks() -> Result<PathBuf, (PathBuf, std::io::Error)> {
    let temporary = std::env::temp_dir();
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::MetadataExt as _;
        let user = match std::fs::metadata("/proc/self") {
            Ok(process) => process.uid(),
            Err(error) => return Err((temporary, error)),
        };
        // The system's folder for this user, whether this session knows of it or not.
        let own = [dirs::runtime_dir(), Some(format!("/run/user/{user}").into())];
        if let Some(folder) = own.into_iter().flatten().find(|folder| is_own(folder, user)) {
            return Ok(folder);
        }
        // In the home no other user can be first.
        let home = dirs::cache_dir().map(|caches| caches.join("Touchback").join("ports"));
        let last = temporary.join(format!("touchback-{user}"));
        first_own(home.into_iter().chain([last.clone()]), user).ok_or_else(|| {
            (last, std::io::Error::other("is not a folder that only this user can use"))
        })
    }
    // Elsewhere the folder of temporary files is the user's own.
    #[cfg(not(target_os = "linux"))]
    Ok(temporary)
}

/// `folder` is one that only `user` can look into and write.
#[cfg(target_os = "linux")]
fn is_own(folder: &std::path::Path, user: u32) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let about = std::fs::symlink_metadata(folder);
    about.is_ok_and(|m| m.is_dir() && m.uid() == user && m.mode() & 0o077 == 0)
}

/// The first of `folders` that is or can be made one of `user` alone.
#[cfg(target_os = "linux")]
fn first_own(mut folders: impl Iterator<Item = PathBuf>, user: u32) -> Option<PathBuf> {
    use std::os::unix::fs::DirBuilderExt as _;
    folders.find(|folder| {
        // There already, or it cannot be made: what is there tells.
        let _ = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
        is_own(folder, user)
    })
}

/// `path` as part of a file's name; no other path has the same.
fn plain(path: &std::path::Path) -> String {
    let letter = |byte: &u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' => char::from(*byte).to_string(),
        b'/' => "_".into(),
        other => format!("%{other:02x}"),
    };
    path.as_os_str().as_encoded_bytes().iter().map(letter).collect()
}

/// Claims `path` for `owner`.
///
/// # Errors
/// [`PortError::Taken`] with the owner's name, or what the system says.
pub fn claim(path: &str, owner: &str) -> Result<Claim, PortError> {
    let folder = locks().map_err(|(folder, error)| {
        PortError::Other(folder.display().to_string(), error.to_string())
    })?;
    claim_in(&folder, path, owner)
}

fn claim_in(folder: &std::path::Path, path: &str, owner: &str) -> Result<Claim, PortError> {
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
    let plain = plain(&real);
    let lock = folder.join(format!("touchback{plain}.lock"));
    let note = folder.join(format!("touchback{plain}.owner"));
    let other = |e: std::io::Error| PortError::Other(lock.display().to_string(), e.to_string());
    let file = loop {
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&lock);
        let file = file.map_err(other)?;
        match is_locked(&file, &lock) {
            Ok(true) => break file,
            // Its last owner took the name away between opening and locking.
            Ok(false) => {}
            Err(std::fs::TryLockError::WouldBlock) => {
                let who = input::read_text(&note, LONGEST_OWNER).unwrap_or_default();
                let who = if who.trim().is_empty() { "another program" } else { who.trim() };
                return Err(PortError::Taken(path.into(), who.into()));
            }
            Err(std::fs::TryLockError::Error(e)) => return Err(other(e)),
        }
    };
    let claim = Claim {
        _file: file,
        #[cfg(unix)]
        lock: lock.clone(),
        note,
    };
    let name = format!("{owner} (process {})\n", std::process::id());
    std::fs::write(&claim.note, name).map_err(other)?;
    Ok(claim)
}

/// Longest name of an owner, bytes.
const LONGEST_OWNER: u64 = 4096;

/// Locks `file`, which was opened by its `name`; whether that name is still its own.
fn is_locked(file: &File, name: &std::path::Path) -> Result<bool, std::fs::TryLockError> {
    file.try_lock()?;
    Ok(has_name(file, name))
}

/// Whether `file` is still the one called `name`. Where names of open files are not taken away, it is.
fn has_name(file: &File, name: &std::path::Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let number = |about: std::fs::Metadata| (about.dev(), about.ino());
        let own = file.metadata().map(number);
        own.is_ok_and(|own| std::fs::metadata(name).map(number).is_ok_and(|named| named == own))
    }
    #[cfg(not(unix))]
    {
        let _ = (file, name);
        true
    }
}

/// What a keyboard's address on this machine begins with.
pub const TCP: &str = "tcp:";

/// What carries the bytes.
enum Wire {
    Serial(Box<dyn SerialPort>),
    /// With the longest wait of a reading.
    Tcp(TcpStream, Duration),
}

/// An open port.
pub struct SerialLink {
    wire: Wire,
    _claim: Claim,
}

impl std::fmt::Debug for SerialLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match &self.wire {
            Wire::Serial(port) => port.name(),
            Wire::Tcp(stream, _) => stream.peer_addr().ok().map(|address| address.to_string()),
        };
        f.debug_struct("Port").field("name", &name).finish()
    }
}

/// The address of this machine in `text`.
///
/// # Errors
/// It is none, or another machine's: force does not go over a network.
pub fn loopback(text: &str) -> Result<SocketAddr, PortError> {
    let address = text.parse::<SocketAddr>().ok().filter(|a| a.ip().is_loopback());
    address.ok_or_else(|| {
        PortError::Other(text.into(), "not an address of this machine like 127.0.0.1:5000".into())
    })
}

impl SerialLink {
    /// Opens `path` for `owner`; reading waits at most `patience`.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub fn open(path: &str, owner: &str, patience: Duration) -> Result<Self, PortError> {
        let claim = claim(path, owner)?;
        if let Some(address) = path.strip_prefix(TCP) {
            let missing = |_| PortError::Missing(path.into());
            let stream = TcpStream::connect(loopback(address)?).map_err(missing)?;
            let is_set = stream.set_nodelay(true).and(stream.set_nonblocking(true));
            is_set.map_err(|e| PortError::Other(path.into(), e.to_string()))?;
            return Ok(Self { wire: Wire::Tcp(stream, patience), _claim: claim });
        }
        let opened = serialport::new(path, BAUD).timeout(patience).open();
        let port = opened.map_err(|e| match e.kind {
            serialport::ErrorKind::NoDevice | serialport::ErrorKind::Io(ErrorKind::NotFound) => {
                PortError::Missing(path.into())
            }
            serialport::ErrorKind::Io(ErrorKind::PermissionDenied) => {
                PortError::Permission(path.into())
            }
            _ => PortError::Other(path.into(), e.description),
        })?;
        Ok(Self { wire: Wire::Serial(port), _claim: claim })
    }

    /// What has arrived, at most the buffer's length; 0 where nothing came in time.
    ///
    /// # Errors
    /// The port is gone.
    pub fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let read = match &mut self.wire {
            Wire::Serial(port) => port.read(into),
            Wire::Tcp(stream, patience) => read_within(stream, into, *patience),
        };
        match read {
            Ok(0) => Err(ErrorKind::BrokenPipe.into()),
            Err(e) if has_waited(&e) => Ok(0),
            other => other,
        }
    }

    /// Sends all of `bytes`.
    ///
    /// # Errors
    /// The port is gone or takes nothing.
    pub fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        match &mut self.wire {
            _ if bytes.is_empty() => Ok(()),
            Wire::Serial(port) => port.write_all(bytes),
            Wire::Tcp(stream, _) => stream.write_all(bytes),
        }
    }
}

/// Nothing came within the time to wait.
fn has_waited(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// Time between looks at a stream. (Its own time-out is counted in ticks of the system, of up to
/// 10 ms.)
const NAP: Duration = Duration::from_micros(50);

/// Reads a stream that does not wait, for at most `patience`.
fn read_within(
    stream: &mut TcpStream,
    into: &mut [u8],
    patience: Duration,
) -> std::io::Result<usize> {
    let begin = std::time::Instant::now();
    loop {
        match stream.read(into) {
            Err(e) if has_waited(&e) && begin.elapsed() < patience => std::thread::sleep(NAP),
            other => return other,
        }
    }
}

/// A keyboard's own end of an address on this machine: one host at a time.
pub mod tcp {
    use super::{Duration, SocketAddr, TCP, TcpStream, Write, has_waited, read_within};
    use std::net::TcpListener;

    /// The emulator's end.
    #[derive(Debug)]
    pub struct TcpEnd {
        listener: TcpListener,
        host: Option<TcpStream>,
    }

    impl TcpEnd {
        /// Listens at `address`, and the port by which a host opens it.
        ///
        /// # Errors
        /// What the system says.
        pub fn new(address: SocketAddr) -> std::io::Result<(Self, String)> {
            let listener = TcpListener::bind(address)?;
            listener.set_nonblocking(true)?;
            let name = format!("{TCP}{}", listener.local_addr()?);
            Ok((Self { listener, host: None }, name))
        }

        /// What a host sent, waiting at most `patience`; nothing while there is none.
        pub fn read(&mut self, into: &mut [u8], patience: Duration) -> usize {
            if self.host.is_none() {
                self.host = self.accept();
            }
            let Some(host) = &mut self.host else {
                std::thread::sleep(patience);
                return 0;
            };
            match read_within(host, into, patience) {
                Ok(n) if n > 0 => n,
                Err(e) if has_waited(&e) => 0,
                _ => {
                    self.host = None;
                    0
                }
            }
        }

        fn accept(&self) -> Option<TcpStream> {
            let (host, _) = self.listener.accept().ok()?;
            let is_set = host.set_nonblocking(true).and(host.set_nodelay(true));
            is_set.is_ok().then_some(host)
        }

        /// Sends to the host; `false` where it takes nothing more.
        pub fn write(&mut self, bytes: &[u8]) -> bool {
            self.host.as_mut().is_none_or(|host| host.write_all(bytes).is_ok())
        }
    }
}

/// A pseudo-terminal: the emulator's end, and the path of the other.
#[cfg(unix)]
pub mod pty {
    use super::{Duration, ErrorKind, PortError, Read, SerialPort, Write};
    use serialport::TTYPort;

    /// The emulator's end.
    #[derive(Debug)]
    pub struct Pty {
        ours: TTYPort,
    }

    impl Pty {
        /// A new one, and the path at which a host opens it.
        ///
        /// # Errors
        /// What the system says.
        pub fn new() -> Result<(Self, String), PortError> {
            let other =
                |e: serialport::Error| PortError::Other("pseudo-terminal".into(), e.description);
            let (ours, theirs) = TTYPort::pair().map_err(other)?;
            Ok((Self { ours }, theirs.name().unwrap_or_default()))
        }

        /// What a host sent, waiting at most `patience`; nothing while nobody has the other end.
        pub fn read(&mut self, into: &mut [u8], patience: Duration) -> usize {
            let read = self.ours.set_timeout(patience).map(|()| self.ours.read(into));
            match read {
                Ok(Ok(n)) => n,
                Ok(Err(e)) if e.kind() == ErrorKind::TimedOut => 0,
                Ok(Err(_)) | Err(_) => {
                    std::thread::sleep(patience);
                    0
                }
            }
        }

        /// Sends to the host; `false` where it takes nothing for a millisecond.
        pub fn write(&mut self, bytes: &[u8]) -> bool {
            self.ours.set_timeout(Duration::from_millis(1)).is_ok()
                && self.ours.write_all(bytes).is_ok()
        }
    }
}

#[cfg(test)]
mod tests;
