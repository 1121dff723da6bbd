//! An emulated keyboard on the wall clock: in a thread of its own at an address of this machine
//! ([`Emulated`]), or run by the caller at an address or on a pseudo-terminal ([`Live`]).

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::keyboard::emulator::defect::Defects;
use crate::keyboard::emulator::{Emulator, KeyboardDesign};
use crate::keyboard::script::Script;
use crate::line::priority;
use crate::line::serial::PortError;
use crate::line::serial::port_end::PortEnd;
use crate::line::simulated_link::{LinkFaults, SimulatedLink};
use touchback_core::exchange::flags::Flag;

/// Largest number of late ticks that are made up for; beyond it the emulator's time stands still. 10 ms: in more at once
/// the emulated keyboard would miss the host's commands by its own fault, and end force.
const MAX_LATE_TICKS: u64 = 80;
/// Longest wait for bytes.
const READ_TIMEOUT: Duration = Duration::from_micros(200);

/// An emulated keyboard and its end of the line to a host.
#[derive(Debug)]
pub struct Live {
    emulator: Emulator,
    end: PortEnd,
    wire: SimulatedLink,
    begin: Instant,
    skipped: Duration,
    out: Vec<u8>,
}

impl Live {
    /// A keyboard with this `design` at an address of this machine, where port 0 selects a free port, or on a
    /// pseudo-terminal. Its fingers follow `script`; its frames to the host suffer `faults`.
    ///
    /// # Errors
    /// The address is another machine's, or in use; the system has no pseudo-terminal.
    pub fn new(
        listen: Option<SocketAddr>,
        design: &KeyboardDesign,
        script: Script,
        faults: LinkFaults,
    ) -> Result<Self, PortError> {
        let mut wire = SimulatedLink::new(0, 1);
        wire.faults = faults;
        Ok(Self {
            emulator: Emulator::new(design, script),
            end: PortEnd::new(listen)?,
            wire,
            begin: Instant::now(),
            skipped: Duration::ZERO,
            out: Vec::new(),
        })
    }

    /// Port name of the host's end.
    #[must_use]
    pub fn path(&self) -> &str {
        self.end.path()
    }

    /// The keyboard.
    #[must_use]
    pub const fn emulator(&self) -> &Emulator {
        &self.emulator
    }

    /// Sets the script of the fingers; times count from power-up.
    pub fn play(&mut self, script: Script) {
        self.emulator.play(script);
    }

    /// Sets the defects of the keyboard.
    pub const fn set_defects(&mut self, defects: Defects) {
        self.emulator.set_defects(defects);
    }

    /// Time that the keyboard has run, without long pauses.
    #[must_use]
    pub fn passed(&self) -> Duration {
        self.begin.elapsed().saturating_sub(self.skipped)
    }

    /// Waits at most 200 µs for bytes, then runs the due ticks. Calls `each` after every tick.
    pub fn turn(&mut self, mut each: impl FnMut(&Emulator)) {
        let mut bytes = [0; 4096];
        let got = self.end.read(&mut bytes, READ_TIMEOUT);
        self.emulator.receive(&bytes[..got]);
        let due = u64::try_from(self.passed().as_micros() / 125).unwrap_or(u64::MAX);
        let late = due.saturating_sub(self.emulator.ticks());
        if late > MAX_LATE_TICKS {
            self.skipped += Duration::from_micros((late - MAX_LATE_TICKS) * 125);
        }
        for _ in 0..late.min(MAX_LATE_TICKS) {
            self.out.clear();
            self.emulator.tick(&mut self.out);
            let now = self.emulator.ticks();
            self.wire.send(now, &self.out);
            while let Some(frame) = self.wire.receive(now) {
                self.end.write(&frame);
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
    /// Starts a keyboard with this `design` whose fingers follow `script`.
    ///
    /// # Errors
    /// The system has no free address or thread.
    pub fn start(design: &KeyboardDesign, script: Script) -> Result<Self, PortError> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let mut live = Live::new(Some(address), design, script, LinkFaults::default())?;
        let path = live.path().to_owned();
        let ends = Arc::new(Flag::new(false));
        let until = ends.clone();
        let thread = std::thread::Builder::new()
            .name("touchback emulator".into())
            .spawn(move || {
                // Without priority ticks may be late, which the host's status shows.
                let _ = priority::raise();
                while !until.is_up() {
                    live.turn(|_| ());
                }
            })
            .map_err(|e| PortError::Other("emulated keyboard".into(), e.to_string()))?;
        Ok(Self { path, ends, thread: Some(thread) })
    }

    /// Port name of the keyboard.
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
    use crate::line::serial::SerialLink;
    use touchback_device::message::{ASKS, Message};

    #[test]
    fn two_hosts_in_turn_are_answered_at_the_address() {
        let emulated = Emulated::start(&Emulator::on_a_desk(), Script::default()).unwrap();
        for _ in 0..2 {
            let mut link =
                SerialLink::open(emulated.path(), "a test", Duration::from_millis(1)).unwrap();
            let mut frame = [0; touchback_device::frame::MAX_FRAME];
            let length = ASKS[1].frame(&mut frame).unwrap();
            let mut receiver = touchback_device::frame::FrameReceiver::new();
            let begin = Instant::now();
            let mut is_answered = false;
            while !is_answered && begin.elapsed() < Duration::from_secs(20) {
                // Asked again at every reading, as hosts do: a request may be lost.
                link.write(&frame[..length]).unwrap();
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
    fn addresses_of_other_machines_and_invalid_ones_are_refused() {
        for text in ["10.0.0.1:5000", "localhost", "127.0.0.1", ""] {
            let path = format!("{}{text}", crate::line::serial::TCP);
            let error = SerialLink::open(&path, "a test", Duration::ZERO).unwrap_err();
            assert!(error.to_string().contains("not an address of this machine"), "{error}");
        }
    }
}
