//! The keyboard's end of a line to a host on this machine: a pseudo-terminal, or an address.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::PortError;
#[cfg(unix)]
use super::pty::Pty;
use super::tcp::TcpEnd;

/// Pause in sending after a write that the host did not accept.
const WRITE_PAUSE: Duration = Duration::from_millis(50);

#[derive(Debug)]
enum End {
    Tcp(TcpEnd),
    #[cfg(unix)]
    Pty(Pty),
}

/// The keyboard's end.
#[derive(Debug)]
pub struct PortEnd {
    end: End,
    path: String,
    paused_until: Instant,
}

impl PortEnd {
    /// Listens at an address of this machine, where port 0 selects a free port, or creates a pseudo-terminal.
    ///
    /// # Errors
    /// The address is another machine's, or in use; the system has no pseudo-terminals.
    pub fn new(listen: Option<SocketAddr>) -> Result<Self, PortError> {
        let (end, path) = match listen {
            Some(address) => {
                let address = super::loopback(&address.to_string())?;
                let other =
                    |e: std::io::Error| PortError::Other(address.to_string(), e.to_string());
                let (end, path) = TcpEnd::new(address).map_err(other)?;
                (End::Tcp(end), path)
            }
            #[cfg(unix)]
            None => {
                let (pty, path) = Pty::new()?;
                (End::Pty(pty), path)
            }
            #[cfg(not(unix))]
            None => {
                let reason = "this system has none; add --listen 127.0.0.1:0";
                return Err(PortError::Other("pseudo-terminals".into(), reason.into()));
            }
        };
        Ok(Self { end, path, paused_until: Instant::now() })
    }

    /// Port name of the host's end.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Reads bytes from the host, waiting at most `timeout`. Returns their number, 0 without a host.
    pub fn read(&mut self, into: &mut [u8], timeout: Duration) -> usize {
        match &mut self.end {
            End::Tcp(end) => end.read(into, timeout),
            #[cfg(unix)]
            End::Pty(end) => end.read(into, timeout),
        }
    }

    /// Sends bytes. Where nobody reads they are dropped, and nothing is sent for a while.
    pub fn write(&mut self, bytes: &[u8]) {
        if Instant::now() < self.paused_until {
            return;
        }
        let is_sent = match &mut self.end {
            End::Tcp(end) => end.write(bytes),
            #[cfg(unix)]
            End::Pty(end) => end.write(bytes),
        };
        if !is_sent {
            self.paused_until = Instant::now() + WRITE_PAUSE;
        }
    }
}
