//! Serial ports: listing, opening, and one owner per port.
//!
//! A port name `tcp:127.0.0.1:PORT` is a keyboard on this machine that listens at the address, such as an
//! emulated one.
//!
//! The owner of a port holds a lock of the operating system on a file, and writes its name to a second file.
//! The system releases the lock with the process, however it ends.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

use serialport::{SerialPort, SerialPortType};

use touchback_core::files::input;

pub mod port_end;

/// Baud rate; USB devices ignore it.
pub const BAUD: u32 = 921_600;

/// Error of a port; the message names the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PortError {
    /// The system refuses access.
    #[error(
        "{0}: permission denied; add yourself to the group that owns the port (often `dialout` or \
         `uucp`), log in again and retry"
    )]
    Permission(String),
    /// The file is not a serial port.
    #[error("{0}: not a serial port; `touchback keyboard list` lists the ports")]
    NotSerial(String),
    /// Nothing listens at the address.
    #[error(
        "{0}: nothing listens there; `touchback keyboard emulate --listen` emulates a keyboard at an address"
    )]
    NotListening(String),
    /// The port does not exist.
    #[error("{0}: no such port; `touchback keyboard list` lists the ports")]
    Missing(String),
    /// Another process or plugin has the port.
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
    /// Description of the device by the system.
    pub description: String,
}

/// All serial ports of this system.
///
/// # Errors
/// The system cannot list its ports.
pub fn list() -> Result<Vec<PortInfo>, PortError> {
    let ports = serialport::available_ports()
        .map_err(|e| PortError::Other("serial ports".into(), e.to_string()))?;
    let description = |kind: SerialPortType| match kind {
        SerialPortType::UsbPort(usb) => {
            let name = usb.product.unwrap_or_else(|| "USB device".into());
            format!("{name} (USB {:04x}:{:04x})", usb.vid, usb.pid)
        }
        SerialPortType::BluetoothPort => "Bluetooth (too slow for force)".into(),
        SerialPortType::PciPort => "built in".into(),
        SerialPortType::Unknown => "unknown".into(),
    };
    Ok(ports
        .into_iter()
        .map(|p| PortInfo { path: p.port_name, description: description(p.port_type) })
        .collect())
}

/// The lock on a port, released on drop.
#[derive(Debug)]
pub struct Claim {
    _file: File,
    #[cfg(unix)]
    lock: PathBuf,
    note: PathBuf,
}

impl Drop for Claim {
    fn drop(&mut self) {
        // Both files are removed while the lock is held, the owner's name first. A process that locks a
        // removed file tries again.
        let _ = std::fs::remove_file(&self.note);
        #[cfg(unix)]
        let _ = std::fs::remove_file(&self.lock);
    }
}

/// The folder of the locks. Only this user can write to it, so that no other user can place a link there or
/// block a port.
fn locks() -> Result<PathBuf, (PathBuf, std::io::Error)> {
    let temporary = std::env::temp_dir();
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::MetadataExt as _;
        let user = match std::fs::metadata("/proc/self") {
            Ok(process) => process.uid(),
            Err(error) => return Err((temporary, error)),
        };
        // The runtime folder of this user, with or without XDG_RUNTIME_DIR.
        let own = [dirs::runtime_dir(), Some(format!("/run/user/{user}").into())];
        if let Some(folder) = own.into_iter().flatten().find(|folder| is_own(folder, user)) {
            return Ok(folder);
        }
        // No other user can create a folder in the home first.
        let home = dirs::cache_dir().map(|caches| caches.join("Touchback").join("ports"));
        let last = temporary.join(format!("touchback-{user}"));
        first_own(home.into_iter().chain([last.clone()]), user).ok_or_else(|| {
            (last, std::io::Error::other("is not a folder that only this user can use"))
        })
    }
    // On other systems the folder of temporary files belongs to the user.
    #[cfg(not(target_os = "linux"))]
    Ok(temporary)
}

/// `folder` is a folder that only `user` can read and write.
#[cfg(target_os = "linux")]
fn is_own(folder: &std::path::Path, user: u32) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let about = std::fs::symlink_metadata(folder);
    about.is_ok_and(|m| m.is_dir() && m.uid() == user && m.mode() & 0o077 == 0)
}

/// The first of `folders` that belongs, or can be created to belong, to `user` alone.
#[cfg(target_os = "linux")]
fn first_own(mut folders: impl Iterator<Item = PathBuf>, user: u32) -> Option<PathBuf> {
    use std::os::unix::fs::DirBuilderExt as _;
    folders.find(|folder| {
        // An error is ignored, because the check decides.
        let _ = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
        is_own(folder, user)
    })
}

/// `path` as part of a file name, different for every path.
fn file_name_of(path: &std::path::Path) -> String {
    let letter = |byte: &u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' => char::from(*byte).to_string(),
        b'/' => "_".into(),
        other => format!("%{other:02x}"),
    };
    path.as_os_str().as_encoded_bytes().iter().map(letter).collect()
}

/// Claims the port `path` for `owner`.
///
/// # Errors
/// [`PortError::Taken`] with the name of the present owner, or an error of the system.
pub fn claim(path: &str, owner: &str) -> Result<Claim, PortError> {
    let folder = locks().map_err(|(folder, error)| {
        PortError::Other(folder.display().to_string(), error.to_string())
    })?;
    claim_in(&folder, path, owner)
}

fn claim_in(folder: &std::path::Path, path: &str, owner: &str) -> Result<Claim, PortError> {
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
    let name = file_name_of(&real);
    let lock = folder.join(format!("touchback{name}.lock"));
    let note = folder.join(format!("touchback{name}.owner"));
    let other = |e: std::io::Error| PortError::Other(lock.display().to_string(), e.to_string());
    let file = loop {
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&lock);
        let file = file.map_err(other)?;
        match is_locked(&file, &lock) {
            Ok(true) => break file,
            // The last owner has removed the file between opening and locking.
            Ok(false) => {}
            Err(std::fs::TryLockError::WouldBlock) => {
                let who = input::read_text(&note, MAX_OWNER_LENGTH).unwrap_or_default();
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

/// Largest length of an owner's name, bytes.
const MAX_OWNER_LENGTH: u64 = 4096;

/// Locks `file`, which was opened by `name`. Returns whether `name` still names it.
fn is_locked(file: &File, name: &std::path::Path) -> Result<bool, std::fs::TryLockError> {
    file.try_lock()?;
    Ok(has_name(file, name))
}

/// Whether `name` still names `file`. Always true on systems that cannot remove open files.
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

/// Prefix of a port name that is an address on this machine.
pub(crate) const TCP: &str = "tcp:";

/// Transport of a link.
enum Wire {
    Serial(Box<dyn SerialPort>),
    /// Stream, and longest wait of a read.
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

/// Parses an address of this machine.
///
/// # Errors
/// `text` is no address, or that of another machine: force is not transmitted over a network.
pub(crate) fn loopback(text: &str) -> Result<SocketAddr, PortError> {
    let address = text.parse::<SocketAddr>().ok().filter(|a| a.ip().is_loopback());
    address.ok_or_else(|| {
        PortError::Other(text.into(), "not an address of this machine like 127.0.0.1:5000".into())
    })
}

impl SerialLink {
    /// Opens the port `path` for `owner`; reads wait at most `timeout`.
    ///
    /// # Errors
    /// The port cannot be opened.
    pub fn open(path: &str, owner: &str, timeout: Duration) -> Result<Self, PortError> {
        let claim = claim(path, owner)?;
        if let Some(address) = path.strip_prefix(TCP) {
            let missing = |_| PortError::NotListening(path.into());
            let stream = TcpStream::connect(loopback(address)?).map_err(missing)?;
            let is_set = stream.set_nodelay(true).and(stream.set_nonblocking(true));
            is_set.map_err(|e| PortError::Other(path.into(), e.to_string()))?;
            return Ok(Self { wire: Wire::Tcp(stream, timeout), _claim: claim });
        }
        let opened = serialport::new(path, BAUD).timeout(timeout).open();
        let port = opened.map_err(|e| match e.kind {
            serialport::ErrorKind::NoDevice | serialport::ErrorKind::Io(ErrorKind::NotFound) => {
                PortError::Missing(path.into())
            }
            serialport::ErrorKind::Io(ErrorKind::PermissionDenied) => {
                PortError::Permission(path.into())
            }
            _ if is_no_port(path, &e.description) => PortError::NotSerial(path.into()),
            _ => PortError::Other(path.into(), e.description),
        })?;
        Ok(Self { wire: Wire::Serial(port), _claim: claim })
    }

    /// Reads received bytes into `into`. Returns their number, 0 where nothing came in time.
    ///
    /// # Errors
    /// The port is gone.
    pub fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let read = match &mut self.wire {
            Wire::Serial(port) => port.read(into),
            Wire::Tcp(stream, timeout) => read_within(stream, into, *timeout),
        };
        match read {
            Ok(0) => Err(ErrorKind::BrokenPipe.into()),
            Err(e) if is_timeout(&e) => Ok(0),
            other => other,
        }
    }

    /// Sends all of `bytes`.
    ///
    /// # Errors
    /// The port is gone or does not accept bytes.
    pub fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        match &mut self.wire {
            _ if bytes.is_empty() => Ok(()),
            Wire::Serial(port) => port.write_all(bytes),
            Wire::Tcp(stream, _) => stream.write_all(bytes),
        }
    }
}

/// The system has refused line settings to `path`: it is a file, a folder or a device without them. `text` is the
/// system's text of ENOTTY, in which C libraries differ.
fn is_no_port(path: &str, text: &str) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        let about = std::fs::metadata(path);
        let is_device = about.is_ok_and(|about| about.file_type().is_char_device());
        !is_device || ["typewriter", "ioctl", "tty"].iter().any(|word| text.contains(word))
    }
    #[cfg(not(unix))]
    {
        let _ = (path, text);
        false
    }
}

/// The error is that of a read without bytes in time.
fn is_timeout(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// Time between polls of a stream. Timeouts of the system have a resolution of up to 10 ms.
const POLL_INTERVAL: Duration = Duration::from_micros(50);

/// Reads a non-blocking stream, waiting at most `timeout`.
fn read_within(
    stream: &mut TcpStream,
    into: &mut [u8],
    timeout: Duration,
) -> std::io::Result<usize> {
    let begin = std::time::Instant::now();
    loop {
        match stream.read(into) {
            Err(e) if is_timeout(&e) && begin.elapsed() < timeout => {
                std::thread::sleep(POLL_INTERVAL)
            }
            other => return other,
        }
    }
}

/// The emulator's end of a connection by address, for one host at a time.
pub mod tcp {
    use super::{Duration, SocketAddr, TCP, TcpStream, Write, is_timeout, read_within};
    use std::net::TcpListener;

    /// The emulator's end.
    #[derive(Debug)]
    pub struct TcpEnd {
        listener: TcpListener,
        host: Option<TcpStream>,
    }

    impl TcpEnd {
        /// Listens at `address`. Also returns the port name for hosts.
        ///
        /// # Errors
        /// The address cannot be used.
        pub fn new(address: SocketAddr) -> std::io::Result<(Self, String)> {
            let listener = TcpListener::bind(address)?;
            listener.set_nonblocking(true)?;
            let name = format!("{TCP}{}", listener.local_addr()?);
            Ok((Self { listener, host: None }, name))
        }

        /// Reads bytes from the host, waiting at most `timeout`. Returns their number, 0 without a host.
        pub fn read(&mut self, into: &mut [u8], timeout: Duration) -> usize {
            if self.host.is_none() {
                self.host = self.accept();
            }
            let Some(host) = &mut self.host else {
                std::thread::sleep(timeout);
                return 0;
            };
            match read_within(host, into, timeout) {
                Ok(n) if n > 0 => n,
                Err(e) if is_timeout(&e) => 0,
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

        /// Sends bytes to the host. Returns `false` where the host does not accept them.
        pub fn write(&mut self, bytes: &[u8]) -> bool {
            self.host.as_mut().is_none_or(|host| host.write_all(bytes).is_ok())
        }
    }
}

/// The emulator's end of a pseudo-terminal.
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
        /// Creates a pseudo-terminal. Also returns the port name for hosts.
        ///
        /// # Errors
        /// The system has no pseudo-terminal.
        pub fn new() -> Result<(Self, String), PortError> {
            let other =
                |e: serialport::Error| PortError::Other("pseudo-terminal".into(), e.description);
            let (ours, theirs) = TTYPort::pair().map_err(other)?;
            Ok((Self { ours }, theirs.name().unwrap_or_default()))
        }

        /// Reads bytes from the host, waiting at most `timeout`. Returns their number, 0 without a host.
        pub fn read(&mut self, into: &mut [u8], timeout: Duration) -> usize {
            let read = self.ours.set_timeout(timeout).map(|()| self.ours.read(into));
            match read {
                Ok(Ok(n)) => n,
                Ok(Err(e)) if e.kind() == ErrorKind::TimedOut => 0,
                Ok(Err(_)) | Err(_) => {
                    std::thread::sleep(timeout);
                    0
                }
            }
        }

        /// Sends bytes to the host. Returns `false` where the host does not accept them within 1 ms.
        pub fn write(&mut self, bytes: &[u8]) -> bool {
            self.ours.set_timeout(Duration::from_millis(1)).is_ok()
                && self.ours.write_all(bytes).is_ok()
        }
    }
}

#[cfg(test)]
mod tests;
