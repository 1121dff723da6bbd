//! Clock of an STM32G4.

use super::pac;

/// Clock of processor and timers, Hz.
pub const CLOCK: u32 = 170_000_000;

/// 170 MHz from the 16 MHz oscillator (RM0440: RCC, PWR range 1 boost, four wait states).
pub fn begin(chip: &pac::Peripherals) {
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
    }
}
