//! Largest use of the stack: it is filled with a pattern, and the remainder of the pattern measured later.

const PAINT: u32 = 0xA55A_5AA5;
/// Bytes below the caller's frame that are not filled.
const CLEAR: usize = 256;

unsafe extern "C" {
    static mut __ebss: u32;
    static _stack_start: u32;
}

/// Fills the RAM between the static variables and the used stack.
#[inline(never)]
pub fn paint() {
    let here = 0u32;
    let end = (&raw const here as usize) - CLEAR;
    let mut address = &raw mut __ebss;
    while (address as usize) < end {
        // SAFETY: the address lies above the static variables and below the used stack; nothing uses it.
        unsafe {
            address.write_volatile(PAINT);
            address = address.add(1);
        }
    }
}

/// Largest use of the stack so far, bytes.
pub fn used() -> usize {
    let top = &raw const _stack_start as usize;
    let mut address = &raw const __ebss;
    // SAFETY: RAM between the static variables and the top of the stack.
    unsafe {
        while (address as usize) < top && address.read_volatile() == PAINT {
            address = address.add(1);
        }
    }
    top - address as usize
}
