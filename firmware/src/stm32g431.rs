//! One key on a NUCLEO-G431KB with an encoder, a current amplifier whose set point is a pulse width, and the
//! board's own serial port.
//!
//! | pin | use |
//! | --- | --- |
//! | PA2, PA3 | USART2, 921 600 baud, to the ST-LINK's USB port |
//! | PA6, PA7 | A and B of the encoder (TIM3); B leads when the key moves down |
//! | PA8 | set point (TIM1 channel 1, 20 kHz): 50 % no current, 90 % and 10 % the largest currents |
//! | PB0 | high enables the amplifier; a resistor to ground keeps it off without firmware |
//!
//! An independent watchdog of 16 ms resets the processor when ticks cease, which releases PB0. [`FULL`] depends
//! on the gain of the amplifier and on the capstan.
#![no_std]
#![no_main]

mod keyboard;

use stm32g4::stm32g431 as pac;
use touchback_device::device::safety::DeviceMode;
use touchback_device::firmware::{Board, Firmware};
use touchback_device::message::KeyFacts;

/// Clock of processor and timers, Hz.
const CLOCK: u32 = 170_000_000;
const BAUD: u32 = 921_600;
/// Counts of the set point's period: 20 kHz.
const PERIOD: u16 = 8500;
/// Force at the key front at a pulse width of 90 %, N, against downward motion.
const FULL: f32 = 15.0;
/// Motion of the key front per count of the encoder, nm.
const STEP_NM: f32 = 2000.0;

// `FACTS`, `MOTOR` and `SCALE`, which build.rs writes from the file that TOUCHBACK_FACTS names.
include!(concat!(env!("OUT_DIR"), "/facts.rs"));

/// Releases the amplifier's enable pin and waits for the watchdog.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    // SAFETY: a single write to the set-reset register; nothing else runs any more.
    unsafe {
        (*pac::GPIOB::ptr()).bsrr().write(|w| w.bits(1 << 16));
    }
    loop {}
}

struct Nucleo {
    chip: pac::Peripherals,
    /// Count of the timer at the last reading, and count since the start.
    last: u16,
    count: i32,
}

impl Nucleo {
    fn new(chip: pac::Peripherals) -> Self {
        clocks(&chip);
        pins(&chip);
        timers(&chip);
        // 8 bits, no parity, queues of 8 bytes; the same clock as the timers.
        let divisor = CLOCK.div_ceil(BAUD);
        // SAFETY: values within the registers' fields (RM0440, chapter USART).
        unsafe {
            chip.USART2.brr().write(|w| w.bits(divisor));
            // An overrun loses a byte and nothing else (OVRDIS): with ORE set, this port receives no more.
            chip.USART2.cr3().write(|w| w.bits(1 << 12));
            chip.USART2.cr1().write(|w| w.bits(1 << 29 | 1 << 3 | 1 << 2 | 1));
        }
        Self { chip, last: 0, count: 0 }
    }

    /// Switches the amplifier on or off and feeds the watchdog.
    fn supervise(&mut self, is_on: bool) {
        // SAFETY: single writes to set-reset and key registers.
        unsafe {
            self.chip.GPIOB.bsrr().write(|w| w.bits(if is_on { 1 } else { 1 << 16 }));
            self.chip.IWDG.kr().write(|w| w.bits(0xAAAA));
        }
    }
}

impl Board<1, f32> for Nucleo {
    fn micros(&mut self) -> u32 {
        self.chip.TIM2.cnt().read().bits()
    }
    fn counts(&mut self, counts: &mut [i32; 1]) {
        let [low, high, ..] = self.chip.TIM3.cnt().read().bits().to_le_bytes();
        let now = u16::from_le_bytes([low, high]);
        self.count = self.count.wrapping_add(i32::from(now.wrapping_sub(self.last).cast_signed()));
        self.last = now;
        *counts = [self.count];
    }
    fn newtons(&mut self, forces: &[f32; 1]) {
        let [force] = *forces;
        let share = 0.5 + 0.4 * (force / (FULL * MOTOR)).clamp(-1.0, 1.0);
        let pulse = (share * f32::from(PERIOD)) as u32;
        // SAFETY: a compare value below the period.
        unsafe {
            self.chip.TIM1.ccr1().write(|w| w.bits(pulse));
        }
    }
    fn receive(&mut self) -> Option<u8> {
        let has_byte = self.chip.USART2.isr().read().bits() & 1 << 5 != 0;
        let [byte, ..] =
            if has_byte { self.chip.USART2.rdr().read().bits() } else { 0 }.to_le_bytes();
        has_byte.then_some(byte)
    }
    fn send(&mut self, byte: u8) -> bool {
        let is_free = self.chip.USART2.isr().read().bits() & 1 << 7 != 0;
        if is_free {
            // SAFETY: any byte may be sent.
            unsafe {
                self.chip.USART2.tdr().write(|w| w.bits(u32::from(byte).try_into().unwrap_or(0)));
            }
        }
        is_free
    }
}

/// 170 MHz from the 16 MHz oscillator (RM0440: RCC, PWR range 1 boost, four wait states).
fn clocks(chip: &pac::Peripherals) {
    // SAFETY: the sequence of RM0440 for a processor that has just been reset.
    unsafe {
        chip.RCC.apb1enr1().modify(|r, w| w.bits(r.bits() | 1 << 28));
        chip.PWR.cr5().modify(|r, w| w.bits(r.bits() & !(1 << 8)));
        chip.FLASH.acr().modify(|r, w| w.bits(r.bits() & !0xF | 4 | 1 << 8));
        while chip.FLASH.acr().read().bits() & 0xF != 4 {}
        // 16 MHz / 4 · 85 / 2.
        chip.RCC.pllcfgr().write(|w| w.bits(2 | 3 << 4 | 85 << 8 | 1 << 24));
        chip.RCC.cr().modify(|r, w| w.bits(r.bits() | 1 << 24));
        while chip.RCC.cr().read().bits() & 1 << 25 == 0 {}
        // Through half the speed, which is required above 80 MHz.
        chip.RCC.cfgr().write(|w| w.bits(3 | 8 << 4));
        while chip.RCC.cfgr().read().bits() >> 2 & 3 != 3 {}
        cortex_m::asm::delay(1000);
        chip.RCC.cfgr().write(|w| w.bits(3));
        // Ports A and B; TIM1; TIM2, TIM3, USART2.
        chip.RCC.ahb2enr().modify(|r, w| w.bits(r.bits() | 3));
        chip.RCC.apb2enr().modify(|r, w| w.bits(r.bits() | 1 << 11));
        chip.RCC.apb1enr1().modify(|r, w| w.bits(r.bits() | 1 << 17 | 1 << 1 | 1));
    }
}

fn pins(chip: &pac::Peripherals) {
    // SAFETY: only the pins of the table above.
    unsafe {
        // Two bits per pin: 2 alternate function, 1 output.
        let two = |pin: u32, mode: u32| mode << (2 * pin);
        let kept = !(two(2, 3) | two(3, 3) | two(6, 3) | two(7, 3) | two(8, 3));
        let modes = two(2, 2) | two(3, 2) | two(6, 2) | two(7, 2) | two(8, 2);
        chip.GPIOA.afrl().write(|w| w.bits(7 << 8 | 7 << 12 | 2 << 24 | 2 << 28));
        chip.GPIOA.afrh().modify(|r, w| w.bits(r.bits() & !0xF | 6));
        // Pull-ups at A and B of the encoder: a cable that falls off leaves no floating inputs.
        chip.GPIOA.pupdr().modify(|r, w| w.bits(r.bits() & !(two(6, 3) | two(7, 3)) | two(6, 1) | two(7, 1)));
        chip.GPIOA.moder().modify(|r, w| w.bits(r.bits() & kept | modes));
        chip.GPIOB.bsrr().write(|w| w.bits(1 << 16));
        chip.GPIOB.moder().modify(|r, w| w.bits(r.bits() & !3 | 1));
    }
}

fn timers(chip: &pac::Peripherals) {
    // SAFETY: values within the registers' fields (RM0440, chapters TIM and IWDG).
    unsafe {
        // TIM2: 1 MHz, 32 bits.
        chip.TIM2.psc().write(|w| w.bits((CLOCK / 1_000_000 - 1).try_into().unwrap_or(0)));
        chip.TIM2.egr().write(|w| w.bits(1));
        chip.TIM2.cr1().write(|w| w.bits(1));
        // TIM3: encoder, both edges of A and B, each confirmed by eight samples (94 ns).
        chip.TIM3.ccmr1_input().write(|w| w.bits(1 | 1 << 8 | 3 << 4 | 3 << 12));
        chip.TIM3.smcr().write(|w| w.bits(3));
        chip.TIM3.cr1().write(|w| w.bits(1));
        // TIM1: pulse width, 50 % at first.
        chip.TIM1.arr().write(|w| w.bits((PERIOD - 1).into()));
        chip.TIM1.ccr1().write(|w| w.bits((PERIOD / 2).into()));
        chip.TIM1.ccmr1_output().write(|w| w.bits(6 << 4 | 1 << 3));
        chip.TIM1.ccer().write(|w| w.bits(1));
        chip.TIM1.bdtr().write(|w| w.bits(1 << 15));
        chip.TIM1.cr1().write(|w| w.bits(1));
        // Watchdog: 128 counts of 32 kHz / 4, 16 ms.
        chip.IWDG.kr().write(|w| w.bits(0xCCCC));
        chip.IWDG.kr().write(|w| w.bits(0x5555));
        chip.IWDG.pr().write(|w| w.bits(0));
        chip.IWDG.rlr().write(|w| w.bits(128));
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let Some(chip) = pac::Peripherals::take() else { loop {} };
    let mut board = Nucleo::new(chip);
    let build = keyboard::build(FACTS, (STEP_NM * SCALE) as u32, *b"nucleo-g431kb\0\0\0");
    let mut firmware = Firmware::new(build, &mut board);
    loop {
        if firmware.serve(&mut board) {
            let mode = firmware.device().mode();
            let is_on = matches!(mode, DeviceMode::Live | DeviceMode::Fading | DeviceMode::Damping);
            board.supervise(is_on);
        }
    }
}
