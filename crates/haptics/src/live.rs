//! An emulated keyboard run by the wall clock: in a thread of its own, at an address of this machine
//! ([`Emulated`]), or step by step by the caller, there or on a pseudo-terminal ([`Live`]).

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::emulator::{Emulator, Making};
use super::priority;
use super::script::Script;
#[cfg(unix)]
use super::serial::pty::Pty;
use super::serial::tcp::TcpEnd;
use super::serial::{self, PortError};
use super::simulated_link::{LinkFaults, SimulatedLink};
use touchback_core::exchange::flags::Flag;

/// Largest number of ticks caught up with; a longer pause stops the emulator's time.
const BEHIND: u64 = 400;
/// Longest wait for bytes.
const PATIENCE: Duration = Duration::from_micros(200);
/// Pause in sending after a host that reads nothing.
const DEAF: Duration = Duration::from_millis(50);

/// The keyboard's end of the way to a host.
#[derive(Debug)]
enum End {
    Tcp(TcpEnd),
    #[cfg(unix)]
    Pty(Pty),
}

impl End {
    fn read(&mut self, into: &mut [u8], patience: Duration) -> usize {
        match self {
            Self::Tcp(end) => end.read(into, patience),
            #[cfg(unix)]
            Self::Pty(end) => end.read(into, patience),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> bool {
        match self {
            Self::Tcp(end) => end.write(bytes),
            #[cfg(unix)]
            Self::Pty(end) => end.write(bytes),
        }
    }
}

/// An emulated keyboard and its end of the way to a host.
#[derive(Debug)]
pub struct Live {
    emulator: Emulator,
    end: End,
    path: String,
    wire: SimulatedLink,
    begin: Instant,
    skipped: Duration,
    deaf_until: Instant,
    out: Vec<u8>,
}

impl Live {
    /// A keyboard made like `making` whose fingers do `script` and whose frames suffer `faults`
    /// on the way to the host, on a pseudo-terminal.
    ///
    /// # Errors
    /// No pseudo-terminal can be had.
    #[cfg(unix)]
    pub fn new(making: &Making, script: Script, faults: LinkFaults) -> Result<Self, PortError> {
        let (pty, path) = Pty::new()?;
        Ok(Self::at(End::Pty(pty), path, making, script, faults))
    }

    /// The same at an address of this machine; port 0 takes a free one.
    ///
    /// # Errors
    /// Another machine's address, or one that is taken.
    pub fn listening(
        address: SocketAddr,
        making: &Making,
        script: Script,
        faults: LinkFaults,
    ) -> Result<Self, PortError> {
        let address = serial::loopback(&address.to_string())?;
        let other = |e: std::io::Error| PortError::Other(address.to_string(), e.to_string());
        let (end, path) = TcpEnd::new(address).map_err(other)?;
        Ok(Self::at(End::Tcp(end), path, making, script, faults))
    }

    fn at(end: End, path: String, making: &Making, script: Script, faults: LinkFaults) -> Self {
        let mut wire = SimulatedLink::new(0, 1);
        wire.faults = faults;
        let begin = Instant::now();
        Self {
            emulator: Emulator::new(making, script),
            end,
            path,
            wire,
            begin,
            skipped: Duration::ZERO,
            deaf_until: begin,
            out: Vec::new(),
        }
    }

    /// Port of the other end.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The keyboard.
    #[must_use]
    pub const fn emulator(&self) -> &Emulator {
        &self.emulator
    }

    /// Time it has run, without long pauses.
    #[must_use]
    pub fn passed(&self) -> Duration {
        self.begin.elapsed().saturating_sub(self.skipped)
    }

    /// Waits a little for the host, then runs the ticks that are due; `each` sees the keyboard
    /// after every one.
    pub fn turn(&mut self, mut each: impl FnMut(&Emulator)) {
        let mut bytes = [0; 4096];
        let got = self.end.read(&mut bytes, PATIENCE);
        self.emulator.receive(&bytes[..got]);
        let due = u64::try_from(self.passed().as_micros() / 125).unwrap_or(u64::MAX);
        let behind = due.saturating_sub(self.emulator.ticks());
        if behind > BEHIND {
            self.skipped += Duration::from_micros((behind - BEHIND) * 125);
        }
        for _ in 0..behind.min(BEHIND) {
            self.out.clear();
            self.emulator.tick(&mut self.out);
            self.wire.send(0, &self.out);
            while let Some(frame) = self.wire.receive(0) {
                // Nobody reads: frames are dropped, the keyboard goes on.
                if Instant::now() >= self.deaf_until && !self.end.write(&frame) {
                    self.deaf_until = Instant::now() + DEAF;
                }
            }
            each(&self.emulator);
        }
    }
}

/// An emulated keyboard in a thread of its own, ended on drop.
#[derive(Debug)]
pub struct Emulated {
    path: String,
    ends: Arc<Flag>,
    thread: Option<JoinHandle<()>>,
}

impl Emulated {
    /// Starts a keyboard made like `making` whose fingers do `script`.
    ///
    /// # Errors
    /// No address or thread can be had.
    pub fn start(making: &Making, script: Script) -> Result<Self, PortError> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let mut live = Live::listening(address, making, script, LinkFaults::default())?;
        let path = live.path().to_owned();
        let ends = Arc::new(Flag::new(false));
        let until = ends.clone();
        let thread = std::thread::Builder::new()
            .name("touchback emulator".into())
            .spawn(move || {
                // Without priority ticks come late; the host's status shows it.
                let _ = priority::raise();
                while !until.is_up() {
                    live.turn(|_| ());
                }
            })
            .map_err(|e| PortError::Other("emulated keyboard".into(), e.to_string()))?;
        Ok(Self { path, ends, thread: Some(thread) })
    }

    /// Port at which it is found.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl Drop for Emulated {
    fn drop(&mut self) {
        self.ends.set(true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serial::SerialLink;
    use touchback_device::message::{Message, VERSION};

    /// A host comes, asks, is answered, goes, and the next one too.
    #[test]
    fn hosts_find_it_at_its_address_one_after_another() {
        let emulated = Emulated::start(&Emulator::on_a_desk(), Script::default()).unwrap();
        for _ in 0..2 {
            let mut link =
                SerialLink::open(emulated.path(), "a test", Duration::from_millis(1)).unwrap();
            let mut frame = [0; touchback_device::frame::MAX_FRAME];
            let length = Message::Ask(VERSION).frame(&mut frame).unwrap();
            link.write(&frame[..length]).unwrap();
            let mut receiver = touchback_device::frame::FrameReceiver::new();
            let begin = Instant::now();
            let mut is_answered = false;
            while !is_answered && begin.elapsed() < Duration::from_secs(20) {
                let mut bytes = [0; 256];
                let got = link.read(&mut bytes).unwrap();
                is_answered = bytes[..got].iter().any(|byte| {
                    let payload = receiver.push(*byte);
                    matches!(payload, Some(Ok(p)) if matches!(Message::decode(p), Some(Message::Hello(_))))
                });
            }
            assert!(is_answered);
        }
        drop(emulated);
    }

    #[test]
    fn other_machines_and_nonsense_are_refused() {
        for text in ["10.0.0.1:5000", "localhost", "127.0.0.1", ""] {
            let path = format!("{}{text}", serial::TCP);
            let error = SerialLink::open(&path, "a test", Duration::ZERO).unwrap_err();
            assert!(error.to_string().contains("not an address of this machine"), "{error}");
        }
    }
}
