//! Cost of a tick: instructions, stack and RAM, printed on the serial port. For
//! `qemu-system-arm -M ast1030-evb -icount shift=0`, where an instruction takes 1 ns of SysTick's time.
//!
//! The program emulates no key, so that it measures firmware in f32 alone.
#![no_std]
#![no_main]

mod keyboard;
#[allow(dead_code, reason = "the other program uses the clock in microseconds")]
mod machine;
mod stack;

use core::fmt::Write;
use machine::{Machine, Stopwatch};
use panic_halt as _;
use touchback_device::device::Device;
use touchback_device::firmware::Firmware;
use touchback_device::frame::MAX_FRAME;
use touchback_device::message::{ASKS, KeyFacts, KeyList, KeyWave, Message, Play, reset_cause};

/// Number of measured ticks: 1 s.
const TICKS: u32 = 8000;

struct Console(Machine);

impl Write for Console {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        for byte in text.bytes() {
            while !self.0.send(byte) {}
        }
        Ok(())
    }
}

/// Sum, number and maximum of durations, instructions.
#[derive(Default)]
struct Cost(u32, u32, u32);

impl Cost {
    fn add(&mut self, instructions: u32) {
        self.0 += instructions;
        self.1 += 1;
        self.2 = self.2.max(instructions);
    }
    fn mean(&self) -> u32 {
        self.0 / self.1.max(1)
    }
}

/// Passes a message to the device. Returns the instructions that it took.
fn receive(device: &mut Device<1, f32>, message: &Message) -> u32 {
    let mut frame = [0; MAX_FRAME];
    let length = message.frame(&mut frame).unwrap_or(0);
    let stopwatch = Stopwatch::start();
    for byte in frame.iter().take(length) {
        device.receive(*byte);
    }
    stopwatch.instructions()
}

/// 1 s of strokes under waves. Returns the costs of ticks, received waves and written states.
#[inline(never)]
fn strokes() -> [Cost; 3] {
    let facts = KeyFacts { key: 0, mass: 500, weight: 0, friction: 0, damping: 100, bed: 1000 };
    let identity = keyboard::Identity {
        name: *b"measured\0\0\0\0\0\0\0\0",
        serial: 1,
        reset_cause: reset_cause::POWER,
    };
    let build = keyboard::build(facts, 2000, &identity);
    let mut device: Device<1, f32> = Device::new(build, 0);
    receive(&mut device, &ASKS[1]);
    receive(&mut device, &Message::Clear(1));
    let (mut forces, mut out) = ([0.0], [0; MAX_FRAME]);
    let [mut tick, mut wave, mut state] = [Cost::default(), Cost::default(), Cost::default()];
    for i in 0..TICKS {
        let now = i * 125;
        if i % 8 == 0 {
            let mut play = Play { seq: (i / 8) as u16, play_us: now, keys: KeyList::default() };
            play.keys.push(KeyWave { key: 0, force: (i % 1000) as i16, impedance: 50 });
            wave.add(receive(&mut device, &Message::Wave(play)));
        }
        // Down 10 mm in 62.5 ms and up again.
        let phase = (i % 1000) as i32;
        let count = 10 * if phase < 500 { phase } else { 1000 - phase };
        let stopwatch = Stopwatch::start();
        device.tick(now, &[count], &mut forces);
        tick.add(stopwatch.instructions());
        let stopwatch = Stopwatch::start();
        if device.report(&mut out) > 0 {
            state.add(stopwatch.instructions());
        }
    }
    [tick, wave, state]
}

#[cortex_m_rt::entry]
fn main() -> ! {
    stack::paint();
    let mut console = Console(Machine::new());
    Stopwatch::calibrate();
    let costs = strokes();
    let used = stack::used();
    for (name, cost) in ["tick", "wave received", "state written"].into_iter().zip(&costs) {
        _ = writeln!(console, "{name}: {} instructions, {} at most", cost.mean(), cost.2);
    }
    let size = size_of::<Firmware<1, f32>>();
    _ = writeln!(
        console,
        "firmware object: {size} bytes; stack with a keyboard on it: {used} bytes"
    );
    _ = writeln!(console, "done");
    loop {
        cortex_m::asm::wfi();
    }
}
