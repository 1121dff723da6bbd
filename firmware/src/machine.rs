//! Clock and serial port of QEMU's `ast1030-evb`, a Cortex-M4F: an Aspeed timer at 1 MHz and a 16550
//! with a queue of 16 bytes. QEMU's smaller machines accept one byte per turn of its threads, which is too
//! slow for 1000 commands per second.

use core::ptr::{read_volatile, write_volatile};

use touchback_device::device::Build;
use touchback_device::firmware::{Board, Firmware};

const UART: usize = 0x7E78_4000;
const TIMER: usize = 0x7E78_2000;
const SYSTICK: usize = 0xE000_E010;

fn write(address: usize, value: u32) {
    // SAFETY: the address is a register of the machine, which nothing else uses.
    unsafe { write_volatile(address as *mut u32, value) }
}

fn read(address: usize) -> u32 {
    // SAFETY: the address is a register of the machine, which nothing else uses.
    unsafe { read_volatile(address as *const u32) }
}

/// Clock and serial port of the machine.
pub struct Machine;

impl Machine {
    /// Switches timer and port on.
    pub fn new() -> Self {
        // The first timer counts down from its largest value at 1 MHz.
        write(TIMER + 4, u32::MAX);
        write(TIMER, u32::MAX);
        write(TIMER + 0x30, 3);
        // An interrupt every 62.5 µs of 200 MHz.
        write(SYSTICK + 4, 12_499);
        write(SYSTICK + 8, 0);
        write(SYSTICK, 7);
        // 8 bits, no parity; queues on, with a trigger level of 14 bytes.
        write(UART + 4 * 3, 3);
        write(UART + 4 * 2, 0xC1);
        Self
    }

    /// Microseconds since the start, modulo 2³².
    pub fn micros(&mut self) -> u32 {
        u32::MAX - read(TIMER)
    }

    /// The next received byte.
    pub fn receive(&mut self) -> Option<u8> {
        let has_byte = read(UART + 4 * 5) & 1 != 0;
        let [byte, ..] = if has_byte { read(UART) } else { 0 }.to_le_bytes();
        has_byte.then_some(byte)
    }

    /// Sends a byte. Returns whether there was room for it.
    pub fn send(&mut self, byte: u8) -> bool {
        let is_free = read(UART + 4 * 5) & 0x20 != 0;
        if is_free {
            write(UART, u32::from(byte));
        }
        is_free
    }
}

/// Serves the keyboard of `build` on `board` for ever.
pub fn serve<const N: usize>(build: Build<N, f32>, board: &mut impl Board<N, f32>) -> ! {
    let mut firmware = Firmware::new(build, board);
    loop {
        if !firmware.serve(board) {
            // Lets QEMU's own threads run.
            cortex_m::asm::wfi();
        }
    }
}

/// The interrupt that ends `wfi`.
#[cortex_m_rt::exception]
fn SysTick() {}

/// Stopwatch on SysTick, in counts of 5 ns.
pub struct Stopwatch(u32);

impl Stopwatch {
    /// Lets SysTick use all its 24 bits.
    pub fn calibrate() {
        write(SYSTICK + 4, 0xFF_FFFF);
        write(SYSTICK + 8, 0);
    }

    /// Starts now.
    pub fn start() -> Self {
        Self(read(SYSTICK + 8))
    }

    /// Number of instructions of 1 ns since the start, in steps of 5.
    pub fn instructions(&self) -> u32 {
        5 * (self.0.wrapping_sub(read(SYSTICK + 8)) & 0xFF_FFFF)
    }
}
