//! A firmware's main loop: what a board gives and takes, and who calls whom.
//!
//! ```text
//! let mut firmware = Firmware::new(build, &mut board);
//! loop {
//!     firmware.serve(&mut board);
//! }
//! ```

use crate::device::{Build, Device};
use crate::frame::MAX_FRAME;
use crate::real::Real;

/// Most bytes taken between two looks at the clock: a wire that never stops stops no tick.
const AT_ONCE: usize = 16;

/// What a board with `KEYS` keys gives and takes.
pub trait Board<const KEYS: usize, F> {
    /// Microseconds since some moment, modulo 2³².
    fn micros(&mut self) -> u32;
    /// Counts of the position sensors, positive down, 0 at rest.
    fn counts(&mut self, counts: &mut [i32; KEYS]);
    /// Forces at the key fronts, N, positive up, until the next call.
    fn newtons(&mut self, forces: &[F; KEYS]);
    /// The next byte that arrived.
    fn receive(&mut self) -> Option<u8>;
    /// Sends a byte; whether there was room for it.
    fn send(&mut self, byte: u8) -> bool;
}

/// A keyboard and the frame on its way out.
#[derive(Clone, Debug)]
pub struct Firmware<const KEYS: usize, F> {
    device: Device<KEYS, F>,
    counts: [i32; KEYS],
    forces: [F; KEYS],
    frame: [u8; MAX_FRAME],
    length: usize,
    sent: usize,
    tick_us: u32,
    next_us: u32,
}

impl<const KEYS: usize, F: Real> Firmware<KEYS, F> {
    /// A keyboard switched on.
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

    /// The keyboard.
    #[must_use]
    pub const fn device(&self) -> &Device<KEYS, F> {
        &self.device
    }

    /// Moves bytes, and ticks where a tick is due; whether one was. To be called without pause. A
    /// processor that stood still for more than a tick skips what it missed.
    pub fn serve(&mut self, board: &mut impl Board<KEYS, F>) -> bool {
        for _ in 0..AT_ONCE {
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
        self.device.tick(now_us, &self.counts, &mut self.forces);
        board.newtons(&self.forces);
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
    use crate::message::{Message, VERSION};

    /// A board whose wire takes a byte every 11 µs, as 921 600 baud.
    #[derive(Default)]
    struct Bench {
        now_us: u32,
        free_us: u32,
        come: std::collections::VecDeque<u8>,
        gone: Vec<u8>,
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
            self.come.pop_front()
        }
        fn send(&mut self, byte: u8) -> bool {
            let is_free = self.now_us >= self.free_us;
            if is_free {
                self.free_us = self.now_us + 11;
                self.gone.push(byte);
            }
            is_free
        }
    }

    #[test]
    fn a_board_ticks_in_time_and_answers() {
        let mut board = Bench::default();
        let mut frame = [0; MAX_FRAME];
        let length = Message::Ask(VERSION).frame(&mut frame).unwrap();
        board.come.extend(&frame[..length]);
        let mut firmware = Firmware::new(history::build(), &mut board);
        while board.now_us < 1_000_000 {
            firmware.serve(&mut board);
        }
        assert!((7990..=8000).contains(&board.ticks), "{} ticks", board.ticks);
        let mut receiver = FrameReceiver::new();
        let (mut hellos, mut states) = (0, 0);
        for byte in &board.gone {
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
