//! A bridge, and emulated controllers, on the wall clock, in the calling thread.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use super::emulated::{EmulatedControllers, Front, TICK_US};
use super::{Bridge, BridgeDesign, BridgeError, Controller, HostEnd};
use crate::line::serial::PortError;
use crate::line::serial::port_end::PortEnd;

/// Largest number of late ticks of emulated controllers that are made up for: 10 ms.
const MAX_LATE_TICKS: u64 = 80;
/// Longest wait for bytes of a bridge.
const READ_TIMEOUT: Duration = Duration::from_micros(50);

/// A bridge with the end of the line that its host opens.
#[derive(Debug)]
pub struct LiveBridge<C> {
    bridge: Bridge<C>,
    end: PortEnd,
}

impl HostEnd for PortEnd {
    fn read(&mut self, into: &mut [u8]) -> usize {
        Self::read(self, into, Duration::ZERO)
    }

    fn write(&mut self, frame: &[u8]) {
        Self::write(self, frame);
    }
}

impl<C: Controller> LiveBridge<C> {
    /// Checks the controllers and opens the host's end: a pseudo-terminal, or an address of this machine.
    ///
    /// # Errors
    /// Controllers that give no force, or no pseudo-terminal or address.
    pub fn new(
        controller: C,
        design: &BridgeDesign,
        listen: Option<SocketAddr>,
    ) -> Result<Self, BridgeError> {
        let line = |error: PortError| BridgeError::Line(error.to_string());
        let end = PortEnd::new(listen).map_err(line)?;
        Ok(Self { bridge: Bridge::new(controller, design)?, end })
    }

    /// Port name for hosts.
    #[must_use]
    pub fn path(&self) -> &str {
        self.end.path()
    }

    /// The bridge.
    #[must_use]
    pub const fn bridge(&self) -> &Bridge<C> {
        &self.bridge
    }

    /// Ticks until `is_over`, then switches the motors off.
    ///
    /// # Errors
    /// The line to the controllers has ended; their watchdogs end force.
    pub fn run(&mut self, mut is_over: impl FnMut() -> bool) -> Result<(), BridgeError> {
        while !is_over() {
            self.bridge.turn(&mut self.end)?;
        }
        self.bridge.stop()
    }
}

/// Emulated controllers with the end of the line that a bridge opens.
#[derive(Debug)]
pub struct LiveControllers<F> {
    controllers: EmulatedControllers<F>,
    end: PortEnd,
    begin: Instant,
    skipped: Duration,
    out: Vec<u8>,
}

impl<F: Front> LiveControllers<F> {
    /// Puts controllers on a pseudo-terminal or at an address of this machine.
    ///
    /// # Errors
    /// No pseudo-terminal or address.
    pub fn new(
        controllers: EmulatedControllers<F>,
        listen: Option<SocketAddr>,
    ) -> Result<Self, PortError> {
        let (end, begin) = (PortEnd::new(listen)?, Instant::now());
        Ok(Self { controllers, end, begin, skipped: Duration::ZERO, out: Vec::new() })
    }

    /// Port name for bridges.
    #[must_use]
    pub fn path(&self) -> &str {
        self.end.path()
    }

    /// Time that the controllers have run, without long pauses.
    #[must_use]
    pub fn passed(&self) -> Duration {
        self.begin.elapsed().saturating_sub(self.skipped)
    }

    /// Waits a little for bytes, then runs the due ticks. Calls `each` after every tick.
    pub fn turn(&mut self, mut each: impl FnMut(&EmulatedControllers<F>)) {
        let mut bytes = [0; 4096];
        let got = self.end.read(&mut bytes, READ_TIMEOUT);
        self.controllers.receive(&bytes[..got]);
        let passed_us = u64::try_from(self.passed().as_micros()).unwrap_or(u64::MAX);
        let late = (passed_us / TICK_US).saturating_sub(self.controllers.now_us() / TICK_US);
        if late > MAX_LATE_TICKS {
            self.skipped += Duration::from_micros((late - MAX_LATE_TICKS) * TICK_US);
        }
        for _ in 0..late.min(MAX_LATE_TICKS) {
            self.out.clear();
            self.controllers.tick(&mut self.out);
            if !self.out.is_empty() {
                self.end.write(&self.out);
            }
            each(&self.controllers);
        }
    }
}
