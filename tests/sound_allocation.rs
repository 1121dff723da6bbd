//! The sound engine does not allocate while it plays.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use touchback::math::compass::Key;
use touchback::sound::{Knock, Sound, Voicing};

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is handed to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|c| c.set(c.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        COUNT.with(|c| c.set(c.get() + 1));
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn playing_never_allocates() {
    let before = COUNT.with(Cell::get);
    let mut sound = Sound::new(48_000.0, &Voicing::default());
    assert!(COUNT.with(Cell::get) > before, "the counter counts");
    let (mut left, mut right) = ([0.0f32; 777], [0.0f32; 777]);
    let before = COUNT.with(Cell::get);
    for round in 0..20 {
        for key in Key::all().skip(round).step_by(9) {
            sound.damper(key, 0.7);
            sound.strike(key, 3.0, 0.5);
            sound.knock(key, Knock::KeyBed, 0.5);
        }
        let a4_hz = if round % 2 == 0 { 441.0 } else { 439.0 };
        sound.set(&Voicing { a4_hz, board: 0.5, ..Voicing::default() });
        sound.process(&mut left, &mut right);
    }
    sound.reset();
    assert_eq!(COUNT.with(Cell::get), before);
}
