//! The line to motor controllers: bytes, and a clock.

use std::time::{Duration, Instant};

use super::BridgeError;
use crate::line::serial::{PortError, SerialLink};

/// A line of text to an adapter for a bus of controllers, with its clock.
pub trait ControllerWire {
    /// Time, µs.
    fn now_us(&mut self) -> u64;
    /// Waits until `at_us`.
    fn wait(&mut self, at_us: u64);
    /// Sends bytes.
    ///
    /// # Errors
    /// A message: the line has ended.
    fn send(&mut self, bytes: &[u8]) -> Result<(), String>;
    /// Appends received bytes to `into`; waits for some until `until_us`.
    ///
    /// # Errors
    /// A message: the line has ended.
    fn receive(&mut self, into: &mut Vec<u8>, until_us: u64) -> Result<(), String>;
}

/// Time before a tick in which late answers are dropped, µs: longer than a read of an empty port takes.
pub(super) const DROP_US: u64 = 150;

/// Splits received text into lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    bytes: Vec<u8>,
}

/// Longest line, bytes; a longer one is dropped.
const LONGEST: usize = 400;

impl Lines {
    /// Where received bytes are appended.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Takes the next complete line into `line`, without its end. Returns whether there was one. Lines end with a
    /// carriage return, a line feed, or both; a bell, with which an SLCAN adapter refuses a command, is a line.
    pub fn next(&mut self, line: &mut Vec<u8>) -> bool {
        line.clear();
        let is_end = |byte: &u8| matches!(byte, b'\r' | b'\n' | 7);
        let Some(end) = self.bytes.iter().position(is_end) else {
            if self.bytes.len() > LONGEST {
                self.bytes.clear();
            }
            return false;
        };
        line.extend(self.bytes.drain(..=end));
        if line.last() != Some(&7) {
            line.pop();
        }
        true
    }
}

/// Longest wait of one read of the port; also how far before a tick a sleep ends, because the system wakes late.
const READ_TIMEOUT: Duration = Duration::from_micros(100);

/// A serial port.
#[derive(Debug)]
pub struct SerialWire {
    port: SerialLink,
    begin: Instant,
}

impl SerialWire {
    /// Opens the port `path`.
    ///
    /// # Errors
    /// The port cannot be opened.
    pub fn open(path: &str) -> Result<Self, PortError> {
        let port = SerialLink::open(path, "touchback keyboard bridge", READ_TIMEOUT)?;
        Ok(Self { port, begin: Instant::now() })
    }
}

impl ControllerWire for SerialWire {
    fn now_us(&mut self) -> u64 {
        u64::try_from(self.begin.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn wait(&mut self, at_us: u64) {
        let left = Duration::from_micros(at_us.saturating_sub(self.now_us()));
        std::thread::sleep(left.saturating_sub(READ_TIMEOUT));
        while self.now_us() < at_us {
            std::hint::spin_loop();
        }
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.port.write(bytes).map_err(|error| format!("the port is gone ({error})"))
    }

    fn receive(&mut self, into: &mut Vec<u8>, until_us: u64) -> Result<(), String> {
        let mut bytes = [0; 1024];
        loop {
            let got = self.port.read(&mut bytes);
            let got = got.map_err(|error| format!("the port is gone ({error})"))?;
            into.extend_from_slice(&bytes[..got]);
            if got > 0 || self.now_us() >= until_us {
                return Ok(());
            }
        }
    }
}

/// Frames of several controllers over one line.
pub(super) trait FrameLine {
    /// The line.
    type Wire: ControllerWire;
    /// A frame.
    type Frame;

    /// The line, what has come over it, and what is to be sent.
    fn parts(&mut self) -> (&mut Self::Wire, &mut Lines, &mut Vec<u8>);

    /// The next frame that has come, with the index of its controller.
    fn received(&mut self) -> Option<(usize, Self::Frame)>;

    /// Sends what is queued.
    fn flush(&mut self) -> Result<(), BridgeError> {
        let (wire, _, text) = self.parts();
        let sent = wire.send(text);
        text.clear();
        sent.map_err(BridgeError::Line)
    }

    /// Receives until a frame has come or the time is `until_us`.
    fn wait_frame(&mut self, until_us: u64) -> Result<Option<(usize, Self::Frame)>, BridgeError> {
        loop {
            let found = self.received();
            let (wire, lines, _) = self.parts();
            if found.is_some() || wire.now_us() >= until_us {
                return Ok(found);
            }
            wire.receive(lines.buffer(), until_us).map_err(BridgeError::Line)?;
        }
    }

    /// Drops what has come late.
    fn drop_late(&mut self) -> Result<(), BridgeError> {
        let (wire, lines, _) = self.parts();
        let now_us = wire.now_us();
        wire.receive(lines.buffer(), now_us).map_err(BridgeError::Line)?;
        while self.received().is_some() {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_with_any_end_and_a_bell_is_a_line() {
        let mut lines = Lines::default();
        let mut line = Vec::new();
        lines.buffer().extend_from_slice(b"OK\r\nrcv 100\n\x07t00");
        let mut all = Vec::new();
        while lines.next(&mut line) {
            all.push(line.clone());
        }
        assert_eq!(all, [&b"OK"[..], b"", b"rcv 100", b"\x07"]);
        lines.buffer().extend_from_slice(b"1\r");
        assert!(lines.next(&mut line) && line == b"t001");
        lines.buffer().extend(std::iter::repeat_n(b'x', 500));
        assert!(!lines.next(&mut line) && lines.buffer().is_empty());
    }
}
