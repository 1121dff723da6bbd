//! The stroke over a pseudo-terminal.

use std::time::Duration;

use crate::rig::acceptance::{design, line, options, stroke};
use crate::rig::co_simulation::HostLine;
use touchback_haptics::keyboard::plant::KeyPlant;
use touchback_haptics::line::serial::SerialLink;
use touchback_haptics::line::serial::pty::Pty;

const PATIENCE: Duration = Duration::from_millis(100);

/// Both ends in lock-step: sent bytes arrive at once and completely.
struct Lockstep {
    keyboard: Pty,
    host: SerialLink,
    /// Bytes sent and not yet read, up and down.
    under_way: [usize; 2],
}

impl Lockstep {
    fn new() -> Self {
        let (keyboard, path) = Pty::new().unwrap();
        let host = SerialLink::open(&path, "a test", PATIENCE).unwrap();
        Self { keyboard, host, under_way: [0; 2] }
    }
}

fn take(under_way: &mut usize, into: &mut Vec<u8>, mut read: impl FnMut(&mut [u8]) -> usize) {
    let mut bytes = [0; 4096];
    while *under_way > 0 {
        let most = bytes.len().min(*under_way);
        let n = read(&mut bytes[..most]);
        assert!(n > 0, "bytes are lost");
        *under_way -= n;
        into.extend_from_slice(&bytes[..n]);
    }
}

impl HostLine for Lockstep {
    fn up(&mut self, _: u64, bytes: &[u8]) {
        assert!(self.keyboard.write(bytes));
        self.under_way[0] += bytes.len();
    }
    fn down(&mut self, _: u64, bytes: &[u8]) {
        self.host.write(bytes).unwrap();
        self.under_way[1] += bytes.len();
    }
    fn at_host(&mut self, _: u64, into: &mut Vec<u8>) {
        take(&mut self.under_way[0], into, |bytes| self.host.read(bytes).unwrap());
    }
    fn at_keyboard(&mut self, _: u64, into: &mut Vec<u8>) {
        take(&mut self.under_way[1], into, |bytes| self.keyboard.read(bytes, PATIENCE));
    }
}

/// The stroke through the port in lock-step gives the same bits as in memory.
#[test]
fn a_stroke_over_a_pseudo_terminal_is_the_same() {
    for block in [0, 64, 128, 256] {
        let by_pty = stroke(&design(&KeyPlant::THREE[1]), options(block), Lockstep::new());
        let by_memory = stroke(&design(&KeyPlant::THREE[1]), options(block), line());
        assert_eq!(by_pty, by_memory);
        assert!(by_pty.is_some());
    }
}
