//! An emulated keyboard on a pseudo-terminal, run by the wall clock: in a thread of its own
//! ([`Emulated`]) or step by step by the caller ([`Live`]).

use std::thread::JoinHandle;

use super::emulator::{Emulator, Making};
use super::script::Script;
use super::serial::PortError;
use super::simulated_link::LinkFaults;

#[cfg(unix)]
pub use unix::{Emulated, Live};

#[cfg(not(unix))]
pub use elsewhere::Emulated;

#[cfg(unix)]
mod unix {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use super::{Emulator, JoinHandle, LinkFaults, Making, PortError, Script};
    use crate::exchange::flags::Flag;
    use crate::haptics::priority;
    use crate::haptics::serial::pty::Pty;
    use crate::haptics::simulated_link::SimulatedLink;

    /// Largest number of ticks caught up with; a longer pause stops the emulator's time.
    const BEHIND: u64 = 400;
    /// Longest wait for bytes.
    const PATIENCE: Duration = Duration::from_micros(200);
    /// Pause in sending after a host that reads nothing.
    const DEAF: Duration = Duration::from_millis(50);

    /// An emulated keyboard and its end of a pseudo-terminal.
    #[derive(Debug)]
    pub struct Live {
        emulator: Emulator,
        pty: Pty,
        path: String,
        wire: SimulatedLink,
        begin: Instant,
        skipped: Duration,
        deaf_until: Instant,
        out: Vec<u8>,
    }

    impl Live {
        /// A keyboard made like `making` whose fingers do `script` and whose frames suffer `faults`
        /// on the way to the host.
        ///
        /// # Errors
        /// No pseudo-terminal can be had.
        pub fn new(making: &Making, script: Script, faults: LinkFaults) -> Result<Self, PortError> {
            let (pty, path) = Pty::new()?;
            let mut wire = SimulatedLink::new(0, 1);
            wire.faults = faults;
            let begin = Instant::now();
            Ok(Self {
                emulator: Emulator::new(making, script),
                pty,
                path,
                wire,
                begin,
                skipped: Duration::ZERO,
                deaf_until: begin,
                out: Vec::new(),
            })
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
            let got = self.pty.read(&mut bytes, PATIENCE);
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
                    if Instant::now() >= self.deaf_until && !self.pty.write(&frame) {
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
        /// No pseudo-terminal or thread can be had.
        pub fn start(making: &Making, script: Script) -> Result<Self, PortError> {
            let mut live = Live::new(making, script, LinkFaults::default())?;
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
}

#[cfg(not(unix))]
mod elsewhere {
    use super::{Making, PortError, Script};

    /// There is none without pseudo-terminals.
    #[derive(Debug)]
    pub struct Emulated(std::convert::Infallible);

    impl Emulated {
        /// Cannot start.
        ///
        /// # Errors
        /// Always: this system has no pseudo-terminals.
        pub fn start(_: &Making, _: Script) -> Result<Self, PortError> {
            let what = "this system has no pseudo-terminals; use Linux or macOS";
            Err(PortError::Other("emulated keyboard".into(), what.into()))
        }

        /// Port at which it is found.
        #[must_use]
        pub fn path(&self) -> &str {
            match self.0 {}
        }
    }
}
