//! Cost of the grand action: one key and all keys under each load, with each instruction set, and an idle
//! keyboard.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::{Duration, Instant};
use touchback_action::interface::events::EventList;
use touchback_action::keyboard::load::Load;
use touchback_action::{ActionSettings, Keyboard};
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::kernel::Kernel;

/// Computing time of the steps of one `load` on `keys`, without its preparation.
fn once(
    load: Load,
    keyboard: &mut Keyboard,
    keys: &[KeyNumber],
    events: &mut EventList,
) -> Duration {
    let mut loaded = load.prepare(keyboard, keys, events);
    let mut time = Duration::ZERO;
    for _ in 0..load.steps() {
        loaded.drive(keyboard, keys);
        events.clear();
        let begin = Instant::now();
        keyboard.step(events);
        time += begin.elapsed();
    }
    black_box(events.len());
    time
}

fn action(c: &mut Criterion) {
    let settings = ActionSettings::default();
    let mut events = EventList::default();
    let all: Vec<KeyNumber> = KeyNumber::all().collect();
    let mut group = c.benchmark_group("action");
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    for kernel in Kernel::available() {
        let mut keyboard = Keyboard::with_kernel(&settings, kernel);
        for load in Load::ALL {
            for (name, keys) in [("one key", &all[39..40]), ("88 keys", &all[..])] {
                if keys.len() == 1 && kernel != Kernel::Plain {
                    // A single key always uses the plain instructions.
                    continue;
                }
                let key_steps = u64::from(load.steps()) * keys.len() as u64;
                group.throughput(Throughput::Elements(key_steps));
                group.bench_function(format!("{name}, {}, {kernel:?}", load.name()), |b| {
                    b.iter_custom(|n| {
                        (0..n).map(|_| once(load, &mut keyboard, keys, &mut events)).sum()
                    });
                });
            }
        }
    }
    let mut keyboard = Keyboard::new(&settings);
    group.throughput(Throughput::Elements(1));
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
