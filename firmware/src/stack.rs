//! How much of the stack was ever used: it is painted first, and looked at later.

const PAINT: u32 = 0xA55A_5AA5;
/// Bytes below the caller's frame that are left alone.
const CLEAR: usize = 256;

unsafe extern "C" {
    static mut __ebss: u32;
    static _stack_start: u32;
}

/// Paints what lies between the static variables and the stack in use.
#[inline(never)]
pub fn paint() {
    let here = 0u32;
    let end = (&raw const here as usize) - CLEAR;
    let mut place = &raw mut __ebss;
    while (place as usize) < end {
        // SAFETY: RAM above the static variables and below the stack: nobody's.
        unsafe {
            place.write_volatile(PAINT);
            place = place.add(1);
        }
    }
}

/// Bytes of the stack that were ever used.
pub fn used() -> usize {
    let top = &raw const _stack_start as usize;
    let mut place = &raw const __ebss;
    // SAFETY: as above; reading ends at the stack's top.
    unsafe {
        while (place as usize) < top && place.read_volatile() == PAINT {
            place = place.add(1);
        }
    }
    top - place as usize
}
