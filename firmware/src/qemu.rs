//! QEMU's `ast1030-evb`, a Cortex-M4F: the serial port is the wire, the key is emulated.
//!
//! The key ticks when the firmware reads its sensor, so that a machine that cannot keep up slows the
//! key's world with it and not the firmware's clock.
#![no_std]
#![no_main]

mod keyboard;
#[allow(dead_code, reason = "the stopwatch is the other program's")]
mod machine;
mod math;
#[path = "../../src/haptics/plant.rs"]
#[allow(dead_code, reason = "the emulator uses the rest of it")]
mod plant;

use machine::Machine;
use panic_halt as _;
use plant::{EmulatedFinger, EmulatedKey, FingerDrive, KeyPlant};
use touchback_device::firmware::{Board, Firmware};

/// Strokes follow one another at this time, s.
const EVERY: f64 = 2.0;

struct Emulated {
    machine: Machine,
    key: EmulatedKey,
    force: f32,
    ticks: u32,
}

impl Board<1, f32> for Emulated {
    fn micros(&mut self) -> u32 {
        self.machine.micros()
    }
    fn counts(&mut self, counts: &mut [i32; 1]) {
        let drive = hand(f64::from(self.ticks) * 125e-6);
        self.ticks = self.ticks.wrapping_add(1);
        self.key.tick(f64::from(self.force), drive);
        *counts = [self.key.count()];
    }
    fn newtons(&mut self, forces: &[f32; 1]) {
        [self.force] = *forces;
    }
    fn receive(&mut self) -> Option<u8> {
        self.machine.receive()
    }
    fn send(&mut self, byte: u8) -> bool {
        self.machine.send(byte)
    }
}

/// A slow press to 14 mm in 0.25 s, a hard one to 22 mm in 0.06 s, in turn; between them the hand is
/// 5 mm above the key.
fn hand(time: f64) -> FingerDrive {
    let stroke = touchback_device::real::Real::truncated(time / EVERY);
    let t = time - f64::from(stroke) * EVERY - 1.0;
    let (deep, within) = if stroke % 2 == 0 { (14e-3, 0.25) } else { (22e-3, 0.06) };
    let way = |t: f64, within: f64| (t / within).clamp(0.0, 1.0);
    let (down, up) = (way(t, within), way(t - 0.6, 0.1));
    let speed = |way: f64, within: f64| {
        if way > 0.0 && way < 1.0 { (deep + 5e-3) / within } else { 0.0 }
    };
    FingerDrive::Hand {
        depth: -5e-3 + (deep + 5e-3) * (down - up),
        speed: speed(down, within) - speed(up, 0.1),
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let plant = KeyPlant::THREE[0];
    let mut board = Emulated {
        machine: Machine::new(),
        key: EmulatedKey::new(plant, EmulatedFinger::default()),
        force: 0.0,
        ticks: 0,
    };
    let build = keyboard::build(500, 1000, *b"qemu ast1030\0\0\0\0");
    let mut firmware = Firmware::new(build, &mut board);
    loop {
        if !firmware.serve(&mut board) {
            // QEMU's own threads get their turn.
            cortex_m::asm::wfi();
        }
    }
}

/// Ends the wait for an interrupt.
#[cortex_m_rt::exception]
fn SysTick() {}
