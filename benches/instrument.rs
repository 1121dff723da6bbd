//! Cost of whole blocks of the instrument, action and sound together: 64 samples at 48 kHz, which last
//! 1.33 ms.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::{Event, Piano, Settings};

const BLOCK: usize = 64;
const RATE: f64 = 48_000.0;

fn block(piano: &mut Piano) {
    let (mut left, mut right) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
    piano.process(&mut left, &mut right);
    black_box((&left, &right));
}

/// A piano after `blocks` blocks with `keys` keys held, spread evenly over the compass.
fn playing(keys: usize, blocks: usize) -> Piano {
    let mut piano = Piano::new(RATE, &Settings::default());
    let step = KeyNumber::all().count() / keys;
    for key in KeyNumber::all().step_by(step).take(keys) {
        piano.handle(Event::NoteOn { key, velocity: 0.8 });
    }
    for _ in 0..blocks {
        block(&mut piano);
    }
    piano
}

fn instrument(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("instrument");
    group.sample_size(10).measurement_time(Duration::from_secs(4));
    let mut idle = Piano::new(RATE, &Settings::default());
    group.bench_function("silent piano", |b| b.iter(|| block(&mut idle)));
    for (name, keys) in [("one note", 1), ("ten-note chord", 10), ("88 keys", 88)] {
        for (moment, blocks) in [("its first block", 0), ("a block 50 ms later", 38)] {
            group.bench_function(format!("{name}, {moment}"), |b| {
                b.iter_batched_ref(|| playing(keys, blocks), block, BatchSize::LargeInput);
            });
        }
    }
    group.finish();
}

criterion_group!(benches, instrument);
criterion_main!(benches);
