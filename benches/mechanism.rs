//! Cost of a step of mechanisms from files, beside the built-in actions that they describe.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use touchback_action::{ActionKind, ActionSettings, Drive, Key, catalogue};
use touchback_core::math::compass::KeyNumber;

/// Steps of a press and its release: 0.2 s.
const STEPS: u32 = 1600;

/// Presses and releases the key.
fn play(key: &mut dyn Key) {
    for step in 0..STEPS {
        let force = if step < STEPS / 2 { 4.0 } else { 0.0 };
        key.step(Drive::Force([force; 2]), &mut |_, _| ());
    }
}

fn mechanism(c: &mut Criterion) {
    let Some(middle) = KeyNumber::from_midi(60) else { return };
    let settings = ActionSettings::default();
    let mut group = c.benchmark_group("mechanism");
    group.sample_size(20).throughput(Throughput::Elements(u64::from(STEPS)));
    for (name, kind) in [
        ("ball", ActionKind::Ball),
        ("key-hammer", ActionKind::Simplified),
        ("model-a", ActionKind::ModelA),
        ("model-b", ActionKind::ModelB),
        ("harpsichord", ActionKind::Harpsichord),
        ("viennese", ActionKind::Viennese),
    ] {
        let path = format!("{}/../mechanisms/{name}.mechanism.toml", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let file =
            touchback_mechanism::read(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
        let Ok(mut own) = file.key(middle, &[]) else { continue };
        let mut built_in = catalogue::played(kind, middle, &settings);
        group.bench_function(format!("{name}, file"), |b| b.iter(|| play(&mut *own)));
        group.bench_function(format!("{name}, built in"), |b| b.iter(|| play(&mut *built_in)));
        group.bench_function(format!("{name}, a key from its file"), |b| {
            b.iter(|| file.key(middle, &[]))
        });
    }
    group.finish();
}

criterion_group!(benches, mechanism);
criterion_main!(benches);
