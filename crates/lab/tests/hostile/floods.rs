//! Hosts that send more than a performance has: values from every thread.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use crate::host::{Event, Instance};
use crate::outputs::Outputs;
use crate::{FRAMES, blow};

/// Values that are flushed while blocks are processed cost no block.
#[test]
fn values_flushed_by_two_threads_cost_no_block() {
    const BLOCKS: u32 = 2_000;
    let instance = Instance::active();
    let (is_over, flushes) = (AtomicBool::new(false), AtomicU32::new(0));
    let refused = std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let values: Vec<_> =
                    (0..64).map(|i| Event::value(0, blow(), f64::from(i) / 63.0)).collect();
                while !is_over.load(Ordering::Relaxed) {
                    instance.flush(&values);
                    flushes.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let outputs = Outputs::stereo(64);
        let refused = (0..BLOCKS)
            .filter(|block| {
                let note = [Event::note_on(0, 60)];
                let events = if block % 100 == 0 { &note[..] } else { &[] };
                let refused = instance.process(64, Some(&outputs), events).is_err();
                std::thread::sleep(Duration::from_micros(200));
                refused
            })
            .count();
        is_over.store(true, Ordering::Relaxed);
        refused
    });
    println!("{} flushes", flushes.load(Ordering::Relaxed));
    assert_eq!(refused, 0, "of {BLOCKS} blocks");
}
