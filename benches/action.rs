//! Cost of the grand action: one key through a stroke, all keys at once, none.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use touchback::action::events::EventList;
use touchback::action::{ActionSettings, Drive, Keyboard, STEP};
use touchback::math::compass::Key;

/// Steps of one measured stroke: 0.2 s of a pressed touch with its check.
const STROKE: u32 = 1600;

fn stroke(keyboard: &mut Keyboard, keys: &[Key], events: &mut EventList) {
    keyboard.reset();
    for i in 0..STROKE {
        let depth = |t: f64| (t * 0.2).min(0.0165);
        let t = f64::from(i) * STEP;
        for &key in keys {
            // A hair of motion keeps a held key from being skipped.
            let end = depth(t + STEP) + 1e-9 * f64::from(i % 2);
            keyboard.drive(key, Drive::Finger([depth(t), end]));
        }
        events.clear();
        keyboard.step(events);
    }
    black_box(events.len());
}

fn action(c: &mut Criterion) {
    let mut keyboard = Keyboard::new(&ActionSettings::default());
    let mut events = EventList::default();
    let all: Vec<Key> = Key::all().collect();
    let mut group = c.benchmark_group("action");
    group.throughput(criterion::Throughput::Elements(u64::from(STROKE)));
    group.bench_function("one key, a stroke", |b| {
        b.iter(|| stroke(&mut keyboard, &all[39..40], &mut events));
    });
    group.throughput(criterion::Throughput::Elements(u64::from(STROKE) * 88));
    group.bench_function("88 keys, a stroke", |b| {
        b.iter(|| stroke(&mut keyboard, &all, &mut events));
    });
    keyboard.reset();
    group.throughput(criterion::Throughput::Elements(1));
    group.bench_function("idle step", |b| {
        b.iter(|| {
            events.clear();
            keyboard.step(&mut events);
        });
    });
    group.finish();
}

criterion_group!(benches, action);
criterion_main!(benches);
