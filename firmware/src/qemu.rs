//! The keyboard on QEMU's `ast1030-evb`, a Cortex-M4F: the serial port is the wire, the key is emulated.
//!
//! The key advances by a tick when the firmware reads its sensor. On a machine that does not keep up the key
//! slows down, while the firmware's clock stays right.
#![no_std]
#![no_main]

// `math` has what the emulated key takes from that package.
extern crate self as touchback_core;

mod keyboard;
#[allow(dead_code, reason = "the other program uses the stopwatch")]
mod machine;
mod math;
#[path = "../../crates/haptics/src/keyboard/plant.rs"]
#[allow(dead_code, reason = "the emulator uses the other items")]
mod plant;

use machine::Machine;
use panic_halt as _;
use plant::{EmulatedFinger, EmulatedKey, FingerDrive, KeyPlant};
use touchback_device::firmware::Board;
use touchback_device::fixed::{i16_of, u16_of};
use touchback_device::message::{KeyFacts, reset_cause};

// `PERIOD`, `ABOVE` and `ACTS`, which build.rs writes from hand.csv.
include!(concat!(env!("OUT_DIR"), "/hand.rs"));

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

/// The hand of `hand.csv`, repeated. Between its strokes it is 5 mm above the key.
fn hand(time: f64) -> FingerDrive {
    let rounds = touchback_device::real::Real::truncated(time / PERIOD);
    let t = time - f64::from(rounds) * PERIOD;
    let mut from = ABOVE;
    let mut drive = FingerDrive::Hand { depth: from, speed: 0.0 };
    for (begins, to, within) in ACTS {
        if t < begins {
            break;
        }
        let share = ((t - begins) / within).min(1.0);
        let speed = if share < 1.0 { (to - from) / within } else { 0.0 };
        drive = FingerDrive::Hand { depth: from + (to - from) * share, speed };
        from = to;
    }
    drive
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let plant = KeyPlant::DESK;
    let mut board = Emulated {
        machine: Machine::new(),
        key: EmulatedKey::new(plant, EmulatedFinger::default()),
        force: 0.0,
        ticks: 0,
    };
    let facts = KeyFacts {
        key: 0,
        mass: u16_of(plant.mass, 1e-4),
        weight: i16_of(plant.weight, 1e-3),
        friction: u16_of(plant.friction, 1e-3),
        damping: u16_of(plant.damping, 1e-3),
        bed: u16_of(plant.bed.depth, 10e-6),
    };
    let identity = keyboard::Identity {
        name: *b"qemu ast1030\0\0\0\0",
        serial: 0x0E0F_0000_0000_0002,
        reset_cause: reset_cause::POWER,
    };
    let build = keyboard::build(facts, 2000, &identity);
    machine::serve(build, &mut board)
}
