//! Clock and serial port of QEMU's `ast1030-evb`, a Cortex-M4F: an Aspeed timer at 1 MHz and a 16550
//! with a queue of 16 bytes. (QEMU's smaller machines take one byte a turn of its own threads, which
//! is too slow for 1000 commands a second.)

use core::ptr::{read_volatile, write_volatile};

const UART: usize = 0x7E78_4000;
const TIMER: usize = 0x7E78_2000;
const SYSTICK: usize = 0xE000_E010;

fn write(address: usize, value: u32) {
    // SAFETY: a register of the machine; nothing else uses it.
    unsafe { write_volatile(address as *mut u32, value) }
}

fn read(address: usize) -> u32 {
    // SAFETY: a register of the machine; nothing else uses it.
    unsafe { read_volatile(address as *const u32) }
}

/// The machine's clock and wire.
pub struct Machine;

impl Machine {
    /// Timer and port switched on.
    pub fn new() -> Self {
        // The first timer counts down from its largest value, at 1 MHz.
        write(TIMER + 4, u32::MAX);
        write(TIMER, u32::MAX);
        write(TIMER + 0x30, 3);
        // An interrupt every 62.5 µs of 200 MHz.
        write(SYSTICK + 4, 12_499);
        write(SYSTICK + 8, 0);
        write(SYSTICK, 7);
        // 8 bits, no parity; queues on, of 14 bytes before they are told.
        write(UART + 4 * 3, 3);
        write(UART + 4 * 2, 0xC1);
        Self
    }

    /// Microseconds since the start, modulo 2³².
    pub fn micros(&mut self) -> u32 {
        u32::MAX - read(TIMER)
    }

    /// The next byte that arrived.
    pub fn receive(&mut self) -> Option<u8> {
        let has_come = read(UART + 4 * 5) & 1 != 0;
        let [byte, ..] = if has_come { read(UART) } else { 0 }.to_le_bytes();
        has_come.then_some(byte)
    }

    /// Sends a byte where there is room.
    pub fn send(&mut self, byte: u8) -> bool {
        let is_free = read(UART + 4 * 5) & 0x20 != 0;
        if is_free {
            write(UART, u32::from(byte));
        }
        is_free
    }
}

/// Counts of SysTick, 5 ns each, from a moment on.
pub struct Stopwatch(u32);

impl Stopwatch {
    /// SysTick goes round all of its 24 bits.
    pub fn calibrate() {
        write(SYSTICK + 4, 0xFF_FFFF);
        write(SYSTICK + 8, 0);
    }

    /// Now.
    pub fn start() -> Self {
        Self(read(SYSTICK + 8))
    }

    /// Instructions since the start where one takes 1 ns, to five.
    pub fn instructions(&self) -> u32 {
        5 * (self.0.wrapping_sub(read(SYSTICK + 8)) & 0xFF_FFFF)
    }
}
