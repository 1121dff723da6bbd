//! Sixteen keys without motors on QEMU's `ast1030-evb`: the serial port is the wire. Readings are those of reflective
//! sensors with noise under keys that hands of `hand.csv` hold, each a quarter of a second after the one before.
#![no_std]
#![no_main]

mod keys;
#[path = "../src/machine.rs"]
#[allow(dead_code, reason = "the other programs use the stopwatch")]
mod machine;

use machine::Machine;
use panic_halt as _;
use touchback_device::firmware::positions::PositionKey;
use touchback_device::firmware::Board;
use touchback_device::message::reset_cause;

// `PERIOD`, `ABOVE` and `ACTS`, which build.rs writes from hand.csv.
include!(concat!(env!("OUT_DIR"), "/hand.rs"));

const KEYS: usize = 16;
/// Depth of the key bed, m.
const BED: f32 = 10e-3;

struct Sensed {
    machine: Machine,
    keys: [PositionKey<f32>; KEYS],
    read_us: u32,
    random: u32,
}

impl Sensed {
    /// A reading of 12 bits at the depth `x`, m, with noise of 1 count rms (a Galois shift register).
    fn reading(&mut self, x: f32) -> u16 {
        let near = 3e-3 / (13.5e-3 - x);
        let mut sum = 0;
        for _ in 0..4 {
            self.random = self.random >> 1 ^ (self.random & 1).wrapping_neg() & 0xA300_0000;
            sum += (self.random & 1) as i32;
        }
        (300.0 + 3500.0 * near * near + (sum - 2) as f32 + 0.5) as u16
    }
}

impl Board<KEYS, f32> for Sensed {
    fn micros(&mut self) -> u32 {
        self.machine.micros()
    }
    fn counts(&mut self, counts: &mut [i32; KEYS]) {
        let now_us = self.machine.micros();
        let passed_us = now_us.wrapping_sub(core::mem::replace(&mut self.read_us, now_us));
        for (i, count) in counts.iter_mut().enumerate() {
            let time = (now_us / 1000) as f32 * 1e-3 - 0.25 * i as f32;
            let reading = self.reading(depth(time.max(0.0)));
            *count = self.keys[i].count(reading, passed_us);
        }
    }
    fn newtons(&mut self, _: &[f32; KEYS]) {}
    fn receive(&mut self) -> Option<u8> {
        self.machine.receive()
    }
    fn send(&mut self, byte: u8) -> bool {
        self.machine.send(byte)
    }
}

/// Depth of a key under the hand of `hand.csv`, repeated, m.
fn depth(time: f32) -> f32 {
    let rounds = (time / PERIOD as f32) as u32;
    let t = time - rounds as f32 * PERIOD as f32;
    let (mut from, mut hand) = (ABOVE as f32, ABOVE as f32);
    for (begins, to, within) in ACTS {
        let share = ((t - begins as f32) / within as f32).clamp(0.0, 1.0);
        hand = from + (to as f32 - from) * share;
        if share < 1.0 {
            break;
        }
        from = to as f32;
    }
    hand.clamp(0.0, BED)
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let Some(key) = PositionKey::new(&keys::TYPICAL) else { loop {} };
    let mut board = Sensed { machine: Machine::new(), keys: [key; KEYS], read_us: 0, random: 1 };
    let mut build = keys::numbered(const { keys::build::<KEYS>(40, 16, 1000) });
    build.hello.name = *b"qemu positions\0\0";
    build.hello.reset_cause = reset_cause::POWER;
    machine::serve(build, &mut board)
}
