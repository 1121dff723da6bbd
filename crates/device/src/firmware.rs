//! Main loop of a firmware and the trait that a board implements.
//!
//! ```text
//! let mut firmware = Firmware::new(build, &mut board);
//! loop {
//!     firmware.serve(&mut board);
//! }
//! ```

mod homing;
#[cfg(any(test, feature = "embedded-hal"))]
pub mod one_key;
pub mod positions;

use crate::device::safety::DeviceMode;
use crate::device::{Build, Device};
use crate::frame::MAX_FRAME;
use crate::real::Real;
pub use homing::Homing;

/// Largest number of bytes received between two readings of the clock, so that a busy wire delays no tick.
const BYTES_AT_ONCE: usize = 16;

/// Inputs and outputs of a board with `KEYS` keys.
pub trait Board<const KEYS: usize, F> {
    /// Time of a free-running clock, microseconds modulo 2³².
    fn micros(&mut self) -> u32;
    /// Reads the position sensors into `counts`: positive down, 0 at rest.
    fn counts(&mut self, counts: &mut [i32; KEYS]);
    /// Applies forces at the key fronts until the next call, N, positive against downward motion.
    fn newtons(&mut self, forces: &[F; KEYS]);
    /// Present faults of the hardware: bits of [`crate::message::fault::HARDWARE`].
    fn faults(&mut self) -> u16 {
        0
    }
    /// After every tick: switches the motors' supply on or off, and feeds a hardware watchdog of at most 20 ms.
    fn supervise(&mut self, is_on: bool) {
        let _ = is_on;
    }
    /// The next received byte. An overrun must not end reception.
    fn receive(&mut self) -> Option<u8>;
    /// Sends a byte. Returns whether there was room for it.
    fn send(&mut self, byte: u8) -> bool;
}

/// A device and the frame that is being sent.
#[derive(Clone, Debug)]
pub struct Firmware<const KEYS: usize, F> {
    device: Device<KEYS, F>,
    counts: [i32; KEYS],
    forces: [F; KEYS],
    frame: [u8; MAX_FRAME],
    /// Length of the frame, and bytes of it sent.
    length: usize,
    sent: usize,
    /// Length of a tick, and time of the next one, µs.
    tick_us: u32,
    next_us: u32,
}

impl<const KEYS: usize, F: Real> Firmware<KEYS, F> {
    /// A keyboard that has just been switched on.
    pub fn new(build: Build<KEYS, F>, board: &mut impl Board<KEYS, F>) -> Self {
        let now_us = board.micros();
        let tick_us = 1_000_000 / u32::from(build.hello.rate_hz.max(1));
        Self {
            device: Device::new(build, now_us),
            counts: [0; KEYS],
            forces: [F::default(); KEYS],
            frame: [0; MAX_FRAME],
            length: 0,
            sent: 0,
            tick_us,
            next_us: now_us.wrapping_add(tick_us),
        }
    }

    /// The device.
    #[must_use]
    pub const fn device(&self) -> &Device<KEYS, F> {
        &self.device
    }

    /// Receives and sends bytes, and runs a tick where one is due. Returns whether one was due. To be
    /// called in an endless loop. After a pause of more than a tick the missed ticks are skipped.
    pub fn serve(&mut self, board: &mut impl Board<KEYS, F>) -> bool {
        for _ in 0..BYTES_AT_ONCE {
            let Some(byte) = board.receive() else { break };
            self.device.receive(byte);
        }
        self.send(board);
        let now_us = board.micros();
        if now_us.wrapping_sub(self.next_us) > u32::MAX / 2 {
            return false;
        }
        self.next_us = self.next_us.wrapping_add(self.tick_us);
        if now_us.wrapping_sub(self.next_us) <= u32::MAX / 2 {
            self.next_us = now_us.wrapping_add(self.tick_us);
        }
        self.tick(now_us, board);
        true
    }

    /// One tick at `now_us`.
    pub fn tick(&mut self, now_us: u32, board: &mut impl Board<KEYS, F>) {
        board.counts(&mut self.counts);
        self.device.hardware(board.faults());
        self.device.tick(now_us, &self.counts, &mut self.forces);
        board.newtons(&self.forces);
        let mode = self.device.mode();
        board
            .supervise(matches!(mode, DeviceMode::Live | DeviceMode::Fading | DeviceMode::Damping));
        self.send(board);
    }

    fn send(&mut self, board: &mut impl Board<KEYS, F>) {
        loop {
            while let Some(byte) = self.frame.get(self.sent..self.length).and_then(<[u8]>::first) {
                if !board.send(*byte) {
                    return;
                }
                self.sent += 1;
            }
            (self.sent, self.length) = (0, self.device.report(&mut self.frame));
            if self.length == 0 {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::FrameReceiver;
    use crate::history;
    use crate::message::{ASKS, Message};

    /// A board whose wire takes a byte every 11 µs, as at 921 600 baud.
    #[derive(Default)]
    struct Bench {
        now_us: u32,
        free_us: u32,
        received: std::collections::VecDeque<u8>,
        sent: Vec<u8>,
        ticks: u32,
    }

    impl Board<2, f32> for Bench {
        fn micros(&mut self) -> u32 {
            self.now_us += 5;
            self.now_us
        }
        fn counts(&mut self, counts: &mut [i32; 2]) {
            *counts = [500, 0];
        }
        fn newtons(&mut self, forces: &[f32; 2]) {
            assert_eq!(forces, &[0.0; 2]);
            self.ticks += 1;
        }
        fn receive(&mut self) -> Option<u8> {
            self.received.pop_front()
        }
        fn send(&mut self, byte: u8) -> bool {
            let is_free = self.now_us >= self.free_us;
            if is_free {
                self.free_us = self.now_us + 11;
                self.sent.push(byte);
            }
            is_free
        }
    }

    #[test]
    fn a_board_ticks_at_8_khz_and_answers_the_host() {
        let mut board = Bench::default();
        let mut frame = [0; MAX_FRAME];
        let length = ASKS[1].frame(&mut frame).unwrap();
        board.received.extend(&frame[..length]);
        let mut firmware = Firmware::new(history::build(), &mut board);
        while board.now_us < 1_000_000 {
            firmware.serve(&mut board);
        }
        assert!((7990..=8000).contains(&board.ticks), "{} ticks", board.ticks);
        let mut receiver = FrameReceiver::new();
        let (mut hellos, mut states) = (0, 0);
        for byte in &board.sent {
            match receiver.push(*byte).map(|payload| Message::decode(payload.unwrap()).unwrap()) {
                Some(Message::Hello(_)) => hellos += 1,
                Some(Message::State(s)) => {
                    assert_eq!(s.keys.as_slice()[0].x, 2000);
                    states += 1;
                }
                _ => {}
            }
        }
        assert!(hellos == 1 && (990..=1000).contains(&states), "{hellos}, {states}");
    }
}
