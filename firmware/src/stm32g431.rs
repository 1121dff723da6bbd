//! One key on a NUCLEO-G431KB with an encoder, a current amplifier whose set point is a pulse width, and the
//! board's own serial port. The file makes the parts of [`OneKey`] from the chip's registers; another board is
//! another such file.
//!
//! | pin | use |
//! | --- | --- |
//! | PA2, PA3 | USART2, 921 600 baud, to the ST-LINK's USB port |
//! | PA6, PA7 | A and B of the encoder (TIM3); B leads when the key moves down |
//! | PA8 | set point (TIM1 channel 1, 20 kHz): 50 % no current, 90 % and 10 % the largest currents |
//! | PB0 | high enables the amplifier; a resistor to ground keeps it off without firmware |
//! | PB4 | fault output of the amplifier, low while it reports a fault (open drain; the pin pulls up) |
//! | PB5 | the motor's supply behind the switch at hand, divided to 3 V (24 V: 68 kΩ and 10 kΩ); the pin pulls down |
//!
//! An independent watchdog of 16 ms resets the processor when ticks cease, which releases PB0. [`FULL`] depends
//! on the gain of the amplifier and on the capstan. The encoder has no index: the key finds its zero at rest.
#![no_std]
#![no_main]

mod clock_170_mhz;
mod keyboard;

use core::convert::Infallible;

use clock_170_mhz::CLOCK;
use embedded_hal::digital::{self, InputPin, OutputPin};
use embedded_hal::pwm::{self, SetDutyCycle};
use embedded_hal_nb::serial::{self, ErrorKind};
use stm32g4::stm32g431 as pac;
use touchback_device::firmware::one_key::{Clock, Encoder, OneKey, Watchdog};
use touchback_device::firmware::{Firmware, Homing};
use touchback_device::message::{KeyFacts, reset_cause};

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

/// TIM2, 1 MHz.
struct Micros(pac::TIM2);

impl Clock for Micros {
    fn micros(&mut self) -> u32 {
        self.0.cnt().read().bits()
    }
}

/// TIM3 as an encoder of 16 bits: its last count, and the count since the start.
struct Quadrature(pac::TIM3, u16, i32);

impl Encoder for Quadrature {
    fn count(&mut self) -> i32 {
        let [low, high, ..] = self.0.cnt().read().bits().to_le_bytes();
        let now = u16::from_le_bytes([low, high]);
        self.2 = self.2.wrapping_add(i32::from(now.wrapping_sub(self.1).cast_signed()));
        self.1 = now;
        self.2
    }
}

/// Channel 1 of TIM1.
struct SetPoint(pac::TIM1);

impl pwm::ErrorType for SetPoint {
    type Error = Infallible;
}

impl SetDutyCycle for SetPoint {
    fn max_duty_cycle(&self) -> u16 {
        PERIOD
    }
    fn set_duty_cycle(&mut self, duty: u16) -> Result<(), Infallible> {
        // SAFETY: a compare value up to the period.
        unsafe {
            self.0.ccr1().write(|w| w.bits(duty.min(PERIOD).into()));
        }
        Ok(())
    }
}

/// A pin of port B.
struct PinB(u32);

impl digital::ErrorType for PinB {
    type Error = Infallible;
}

impl OutputPin for PinB {
    fn set_low(&mut self) -> Result<(), Infallible> {
        // SAFETY: a single write to the set-reset register.
        unsafe {
            (*pac::GPIOB::ptr()).bsrr().write(|w| w.bits(1 << (16 + self.0)));
        }
        Ok(())
    }
    fn set_high(&mut self) -> Result<(), Infallible> {
        // SAFETY: a single write to the set-reset register.
        unsafe {
            (*pac::GPIOB::ptr()).bsrr().write(|w| w.bits(1 << self.0));
        }
        Ok(())
    }
}

impl InputPin for PinB {
    fn is_high(&mut self) -> Result<bool, Infallible> {
        // SAFETY: a read of the input register.
        Ok(unsafe { (*pac::GPIOB::ptr()).idr().read().bits() } & 1 << self.0 != 0)
    }
    fn is_low(&mut self) -> Result<bool, Infallible> {
        Ok(!self.is_high()?)
    }
}

/// USART2.
struct Port(pac::USART2);

impl serial::ErrorType for Port {
    type Error = ErrorKind;
}

impl serial::Read for Port {
    fn read(&mut self) -> nb::Result<u8, ErrorKind> {
        let status = self.0.isr().read().bits();
        if status & 1 << 5 == 0 {
            return Err(nb::Error::WouldBlock);
        }
        let [byte, ..] = self.0.rdr().read().bits().to_le_bytes();
        if status & 1 << 1 != 0 {
            // SAFETY: clears the framing error (FECF).
            unsafe {
                self.0.icr().write(|w| w.bits(1 << 1));
            }
            return Err(nb::Error::Other(ErrorKind::FrameFormat));
        }
        Ok(byte)
    }
}

impl serial::Write for Port {
    fn write(&mut self, byte: u8) -> nb::Result<(), ErrorKind> {
        if self.0.isr().read().bits() & 1 << 7 == 0 {
            return Err(nb::Error::WouldBlock);
        }
        // SAFETY: any byte may be sent.
        unsafe {
            self.0.tdr().write(|w| w.bits(u32::from(byte).try_into().unwrap_or(0)));
        }
        Ok(())
    }
    fn flush(&mut self) -> nb::Result<(), ErrorKind> {
        let is_sent = self.0.isr().read().bits() & 1 << 6 != 0;
        if is_sent { Ok(()) } else { Err(nb::Error::WouldBlock) }
    }
}

/// Independent watchdog.
struct Dog(pac::IWDG);

impl Watchdog for Dog {
    fn feed(&mut self) {
        // SAFETY: the key that begins its time anew.
        unsafe {
            self.0.kr().write(|w| w.bits(0xAAAA));
        }
    }
}

/// Cause of the last reset, from the flags of RCC_CSR, which are then cleared.
fn reset_cause(chip: &pac::Peripherals) -> u8 {
    let flags = chip.RCC.csr().read().bits();
    // SAFETY: clears the flags (RMVF).
    unsafe {
        chip.RCC.csr().modify(|r, w| w.bits(r.bits() | 1 << 23));
    }
    let is_set = |bit: u32| flags & 1 << bit != 0;
    if is_set(29) || is_set(30) {
        reset_cause::WATCHDOG
    } else if is_set(28) {
        reset_cause::SOFTWARE
    } else if is_set(27) {
        // BORRSTF is set at power-up too.
        reset_cause::POWER
    } else if is_set(26) {
        reset_cause::INPUT
    } else {
        reset_cause::UNKNOWN
    }
}

/// Serial number: the chip's 96 bits folded to 64 (RM0440, chapter 47).
fn serial_number() -> u64 {
    let word = |i: usize| {
        // SAFETY: three words of read-only memory at this address.
        u64::from(unsafe { core::ptr::read_volatile((0x1FFF_7590 as *const u32).add(i)) })
    };
    word(0) << 32 ^ word(1) << 16 ^ word(2)
}

fn pins(chip: &pac::Peripherals) {
    // SAFETY: only the pins of the table above.
    unsafe {
        // Ports A and B; TIM1; TIM2, TIM3, USART2.
        chip.RCC.ahb2enr().modify(|r, w| w.bits(r.bits() | 3));
        chip.RCC.apb2enr().modify(|r, w| w.bits(r.bits() | 1 << 11));
        chip.RCC.apb1enr1().modify(|r, w| w.bits(r.bits() | 1 << 17 | 1 << 1 | 1));
        // Two bits per pin: 2 alternate function, 1 output.
        let two = |pin: u32, mode: u32| mode << (2 * pin);
        let kept = !(two(2, 3) | two(3, 3) | two(6, 3) | two(7, 3) | two(8, 3));
        let modes = two(2, 2) | two(3, 2) | two(6, 2) | two(7, 2) | two(8, 2);
        chip.GPIOA.afrl().write(|w| w.bits(7 << 8 | 7 << 12 | 2 << 24 | 2 << 28));
        chip.GPIOA.afrh().modify(|r, w| w.bits(r.bits() & !0xF | 6));
        // Pull-ups at A and B of the encoder: a cable that falls off leaves no floating inputs.
        chip.GPIOA
            .pupdr()
            .modify(|r, w| w.bits(r.bits() & !(two(6, 3) | two(7, 3)) | two(6, 1) | two(7, 1)));
        chip.GPIOA.moder().modify(|r, w| w.bits(r.bits() & kept | modes));
        chip.GPIOB.bsrr().write(|w| w.bits(1 << 16));
        // PB4 pulls up, PB5 down: a cable that falls off is a fault.
        let kept = !(two(4, 3) | two(5, 3));
        chip.GPIOB.pupdr().modify(|r, w| w.bits(r.bits() & kept | two(4, 1) | two(5, 2)));
        chip.GPIOB.moder().modify(|r, w| w.bits(r.bits() & kept & !3 | 1));
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

/// USART2: 8 bits, no parity, queues of 8 bytes; the same clock as the timers.
fn port(chip: &pac::Peripherals) {
    // SAFETY: values within the registers' fields (RM0440, chapter USART).
    unsafe {
        chip.USART2.brr().write(|w| w.bits(CLOCK.div_ceil(BAUD)));
        // An overrun loses a byte and nothing else (OVRDIS): with ORE set, this port receives no more.
        chip.USART2.cr3().write(|w| w.bits(1 << 12));
        chip.USART2.cr1().write(|w| w.bits(1 << 29 | 1 << 3 | 1 << 2 | 1));
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let Some(chip) = pac::Peripherals::take() else { loop {} };
    clock_170_mhz::begin(&chip);
    pins(&chip);
    timers(&chip);
    port(&chip);
    let identity = keyboard::Identity {
        name: *b"nucleo-g431kb\0\0\0",
        serial: serial_number(),
        reset_cause: reset_cause(&chip),
    };
    let step_nm = (STEP_NM * SCALE) as u32;
    let build = keyboard::build(FACTS, step_nm, &identity);
    let mut board = OneKey {
        clock: Micros(chip.TIM2),
        encoder: Quadrature(chip.TIM3, 0, 0),
        serial: Port(chip.USART2),
        set_point: SetPoint(chip.TIM1),
        enable: PinB(0),
        driver: PinB(4),
        supply: PinB(5),
        watchdog: Dog(chip.IWDG),
        full: FULL * MOTOR,
        homing: Some(Homing::new(0, step_nm)),
        read_us: 0,
    };
    let mut firmware = Firmware::new(build, &mut board);
    loop {
        firmware.serve(&mut board);
    }
}
