//! 88 keys without motors on a NUCLEO-G474RE: a hall or reflective sensor under each, six multiplexers of 16 channels
//! (CD74HC4067), the board's own serial port.
//!
//! | pin | use |
//! | --- | --- |
//! | PA2, PA3 | LPUART1, 921 600 baud, to the ST-LINK's USB port |
//! | PB3, PB4, PB5, PB6 | address of all multiplexers, bits 0 to 3 |
//! | PC0, PC1, PC2, PC3, PA0, PA1 | outputs of the multiplexers 0 to 5 (ADC1 inputs 6 to 9, 1, 2) |
//!
//! Key k of the keyboard is channel k mod 16 of multiplexer k div 16. A scan takes 16 × (2 µs of settling and six
//! conversions of 0.9 µs), 0.14 ms; three scans are averaged for every tick of 2 ms. The law of 88 keys takes another
//! 0.6 ms at 1.5 cycles an instruction (firmware/README.md).
#![no_std]
#![no_main]

#[path = "../src/clock_170_mhz.rs"]
mod clock_170_mhz;
mod keys;

use clock_170_mhz::CLOCK;
use panic_halt as _;
use stm32g4::stm32g474 as pac;
use touchback_device::firmware::positions::{Calibration, PositionKey};
use touchback_device::firmware::{Board, Firmware};
use touchback_device::message::fault;

const KEYS: usize = 88;
const BAUD: u32 = 921_600;
/// ADC1 inputs of the multiplexers' outputs.
const INPUTS: [u32; 6] = [6, 7, 8, 9, 1, 2];
/// Scans per tick.
const SCANS: u32 = 3;
/// Keys in a state: what 921 600 baud carry every 2 ms.
const STATE_KEYS: u8 = 16;

/// Readings of every key at rest, at let-off and on the bed, as measured (README.md).
const CALIBRATIONS: [Calibration; KEYS] = [keys::TYPICAL; KEYS];

struct Scanner {
    chip: pac::Peripherals,
    keys: [Option<PositionKey<f32>>; KEYS],
    read_us: u32,
}

impl Scanner {
    /// Reads ADC1's `input`, 12 bits.
    fn convert(&mut self, input: u32) -> u16 {
        let adc = &self.chip.ADC1;
        // SAFETY: a sequence of one conversion (RM0440, chapter ADC).
        unsafe {
            adc.sqr1().write(|w| w.bits(input << 6));
            adc.isr().write(|w| w.bits(1 << 2));
            adc.cr().write(|w| w.bits(1 << 28 | 1 << 2));
        }
        while adc.isr().read().bits() & 1 << 2 == 0 {}
        let [low, high, ..] = adc.dr().read().bits().to_le_bytes();
        u16::from_le_bytes([low, high])
    }
}

impl Board<KEYS, f32> for Scanner {
    fn micros(&mut self) -> u32 {
        self.chip.TIM2.cnt().read().bits()
    }

    fn counts(&mut self, counts: &mut [i32; KEYS]) {
        let mut sums = [0u32; KEYS];
        for _ in 0..SCANS {
            for channel in 0..16 {
                // SAFETY: the four address pins of port B.
                unsafe {
                    let bits = (channel as u32) << 3 | (!channel as u32 & 0xF) << 19;
                    self.chip.GPIOB.bsrr().write(|w| w.bits(bits));
                }
                // 2 µs: the multiplexers and the converter's capacitor settle.
                cortex_m::asm::delay(CLOCK / 500_000);
                for (i, input) in INPUTS.into_iter().enumerate() {
                    let reading = self.convert(input);
                    if let Some(sum) = sums.get_mut(16 * i + channel) {
                        *sum += u32::from(reading);
                    }
                }
            }
        }
        let now_us = self.micros();
        let passed_us = now_us.wrapping_sub(core::mem::replace(&mut self.read_us, now_us));
        for ((key, count), sum) in self.keys.iter_mut().zip(counts).zip(sums) {
            let reading = (sum / SCANS) as u16;
            *count = key.as_mut().map_or(0, |key| key.count(reading, passed_us));
        }
    }

    fn newtons(&mut self, _: &[f32; KEYS]) {}

    fn faults(&mut self) -> u16 {
        // A key that has never been at rest, or whose calibration is impossible.
        let is_found = self.keys.iter().all(|key| key.is_some_and(|key| key.is_found()));
        if is_found { 0 } else { fault::NO_ZERO }
    }

    fn receive(&mut self) -> Option<u8> {
        let has_byte = self.chip.LPUART1.isr().read().bits() & 1 << 5 != 0;
        let [byte, ..] =
            if has_byte { self.chip.LPUART1.rdr().read().bits() } else { 0 }.to_le_bytes();
        has_byte.then_some(byte)
    }

    fn send(&mut self, byte: u8) -> bool {
        let is_free = self.chip.LPUART1.isr().read().bits() & 1 << 7 != 0;
        if is_free {
            // SAFETY: any byte may be sent.
            unsafe {
                self.chip.LPUART1.tdr().write(|w| w.bits(u32::from(byte).try_into().unwrap_or(0)));
            }
        }
        is_free
    }
}

/// Switches on pins, timer, port and converter.
fn begin(chip: &pac::Peripherals) {
    let two = |pin: u32, mode: u32| mode << (2 * pin);
    // SAFETY: values within the registers' fields, in the order of RM0440 after a reset; only the pins of the table.
    unsafe {
        // Ports A, B, C, ADC12; LPUART1; TIM2.
        chip.RCC.ahb2enr().modify(|r, w| w.bits(r.bits() | 7 | 1 << 13));
        chip.RCC.apb1enr2().modify(|r, w| w.bits(r.bits() | 1));
        chip.RCC.apb1enr1().modify(|r, w| w.bits(r.bits() | 1));
        // Serial port and converter by the system's clock.
        chip.RCC.ccipr().modify(|r, w| w.bits(r.bits() & !(3 << 10 | 3 << 28) | 1 << 10 | 2 << 28));
        let kept = !(two(2, 3) | two(3, 3));
        chip.GPIOA.afrl().write(|w| w.bits(12 << 8 | 12 << 12));
        chip.GPIOA
            .moder()
            .modify(|r, w| w.bits(r.bits() & kept | two(2, 2) | two(3, 2) | two(0, 3) | two(1, 3)));
        let address = two(3, 1) | two(4, 1) | two(5, 1) | two(6, 1);
        chip.GPIOB.moder().modify(|r, w| w.bits(r.bits() & !(3 * address) | address));
        chip.TIM2.psc().write(|w| w.bits((CLOCK / 1_000_000 - 1).try_into().unwrap_or(0)));
        chip.TIM2.egr().write(|w| w.bits(1));
        chip.TIM2.cr1().write(|w| w.bits(1));
        // 256 times the clock over the baud rate; an overrun loses a byte and nothing else.
        let divisor = (u64::from(CLOCK) * 256 / u64::from(BAUD)) as u32;
        chip.LPUART1.brr().write(|w| w.bits(divisor));
        chip.LPUART1.cr3().write(|w| w.bits(1 << 12));
        chip.LPUART1.cr1().write(|w| w.bits(1 << 29 | 1 << 3 | 1 << 2 | 1));
        // Converter: a quarter of the clock, regulator, calibration, on; 24.5 cycles of sampling.
        chip.ADC12_COMMON.ccr().modify(|r, w| w.bits(r.bits() | 3 << 16));
        chip.ADC1.cr().write(|w| w.bits(1 << 28));
        cortex_m::asm::delay(CLOCK / 50_000);
        chip.ADC1.cr().write(|w| w.bits(1 << 31 | 1 << 28));
        while chip.ADC1.cr().read().bits() & 1 << 31 != 0 {}
        chip.ADC1.smpr1().write(|w| w.bits(0x1B6D_B6DB));
        chip.ADC1.isr().write(|w| w.bits(1));
        chip.ADC1.cr().write(|w| w.bits(1 << 28 | 1));
        while chip.ADC1.isr().read().bits() & 1 == 0 {}
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let Some(chip) = pac::Peripherals::take() else { loop {} };
    clock_170_mhz::begin(&chip);
    begin(&chip);
    let keys = CALIBRATIONS.each_ref().map(PositionKey::new);
    let mut board = Scanner { chip, keys, read_us: 0 };
    let mut build = keys::numbered(const { keys::build::<KEYS>(1, STATE_KEYS, 500) });
    build.hello.name = *b"nucleo-g474re\0\0\0";
    let mut firmware = Firmware::new(build, &mut board);
    loop {
        firmware.serve(&mut board);
    }
}
