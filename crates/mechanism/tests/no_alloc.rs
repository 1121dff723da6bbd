//! Stepping, reading and striking a mechanism from a file allocates nothing.

mod files;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use touchback_action::Drive;
use touchback_action::Mechanism as _;
use touchback_core::math::compass::KeyNumber;
use touchback_mechanism::read;

struct Counting;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is passed to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
        // SAFETY: the conditions are those of the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
        // SAFETY: the conditions are those of the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_step_allocates_nothing() {
    for (name, text) in files::all() {
        let file = read(&text).unwrap();
        let mut key = file.key(KeyNumber::from_number(40).unwrap(), &[]).unwrap();
        let before = CALLS.get();
        assert!(before > 100, "the counter counts");
        let mut events = 0;
        for drive in
            [Drive::Force([6.0; 2]), Drive::Free, Drive::Finger([0.01; 2]), Drive::line([1e-3; 2])]
        {
            for _ in 0..800 {
                key.step(drive, &mut |_, _| events += 1);
                assert!(key.readout(drive).key.is_finite());
                assert!(key.elements(drive).iter().all(|(_, value)| value.force.is_finite()));
                assert!(key.damper_lift() >= 0.0);
            }
            key.strike(2.0);
            key.release(0.2);
            let saved = key.save();
            key.adopt(&saved);
            key.reset_to_rest();
        }
        assert_eq!(CALLS.get() - before, 0, "{name}");
        assert!(events > 0, "{name}");
    }
}
