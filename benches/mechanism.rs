//! Cost of a step of mechanisms from files, beside the built-in actions that they describe.

use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use touchback_action::{ActionKind, ActionSettings, Drive, Key, Mechanism as _};
use touchback_core::math::compass::KeyNumber;
use touchback_mechanism::Description;
use touchback_models::catalogue;

/// Steps of a press and its release: 0.2 s.
const STEPS: u32 = 1600;

/// Five bodies of a grand's kind: key, wippen in a closed loop, jack and lever on the wippen, hammer.
const FIVE: &str = r#"
name = "five bodies"
[port]
body = "key"
arm = 0.22
[[body]]
name = "key"
pin = [0, 0]
inertia = 2e-3
points = { capstan = [0.12, 0.03] }
[[body]]
name = "wippen"
pin = [0.22, 0.05]
inertia = 1e-4
mass = 0.02
centre = [-0.05, 0]
[[body]]
name = "jack"
on = "wippen"
pin = [-0.09, 0]
mass = 4e-3
centre = [0, 0.02]
inertia = 4e-6
points = { head = [0, 0.055] }
[[body]]
name = "lever"
on = "wippen"
pin = [-0.05, 0.02]
mass = 8e-3
centre = [-0.01, 0]
inertia = 1e-5
points = { front = [-0.045, 0.02] }
[[body]]
name = "hammer"
pin = [0.112, 0.124]
mass = 9e-3
centre = [0.12, 0]
inertia = 1.3e-4
points = { knuckle = [0.017, -0.018] }
[[contact]]
name = "capstan"
law = "rigid"
compression = "y('key.capstan', 'wippen') + 0.02"
closes = "wippen"
[[contact]]
name = "jack on knuckle"
compression = "y('jack.head', 'hammer') + 0.0185"
stiffness = 2e4
hysteresis = 0.4
[[contact]]
name = "lever on knuckle"
compression = "y('lever.front', 'hammer') + 0.019"
stiffness = 3e3
hysteresis = 0.4
[[contact]]
name = "jack spring"
law = "spring"
compression = "angle('jack') - angle('wippen')"
stiffness = 0.5
damping = 5e-4
torque = true
[[contact]]
name = "lever spring"
law = "spring"
compression = "angle('lever') - angle('wippen')"
stiffness = 2
damping = 1e-3
torque = true
[[contact]]
name = "bed"
compression = "depth - 0.01"
stiffness = 1e6
exponent = 1.5
damping = 0.6
hysteresis = 0.7
[[contact]]
name = "rest"
compression = "-depth"
stiffness = 4e5
exponent = 1.5
damping = 1.5
hysteresis = 0.7
[[contact]]
name = "string"
compression = "0.13 * angle('hammer') - 0.045"
stiffness = 1e6
exponent = 1.5
hysteresis = 0.3
impact = true
[[submodel]]
name = "all"
holds = ["capstan"]
[[event]]
kind = "strike"
when = "0.13 * angle('hammer') >= 0.045"
value = "0.13 * rate(angle('hammer'))"
"#;

/// Presses and releases the key.
fn play(key: &mut dyn Key) {
    for step in 0..STEPS {
        let force = if step < STEPS / 2 { 4.0 } else { 0.0 };
        key.step(Drive::Force([force; 2]), &mut |_, _| ());
    }
}

/// The mechanism `name` of the repository.
fn file(name: &str) -> Arc<Description> {
    let path = format!("{}/../mechanisms/{name}.mechanism.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    touchback_mechanism::read(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
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
        let file = file(name);
        let Ok(mut own) = file.key(middle, &[]) else { continue };
        let mut built_in = catalogue::played(kind, middle, &settings);
        group.bench_function(format!("{name}, file"), |b| b.iter(|| play(&mut *own)));
        group.bench_function(format!("{name}, built in"), |b| b.iter(|| play(&mut *built_in)));
        group.bench_function(format!("{name}, a key from its file"), |b| {
            b.iter(|| file.key(middle, &[]))
        });
    }
    for name in ["thesis", "upright"] {
        let Ok(mut key) = file(name).key(middle, &[]) else { continue };
        group.bench_function(format!("{name}, file"), |b| b.iter(|| play(&mut *key)));
    }
    let five = touchback_mechanism::read(FIVE).unwrap_or_else(|error| panic!("{error}"));
    if let Ok(mut key) = five.key(middle, &[]) {
        group.bench_function("five bodies, file", |b| b.iter(|| play(&mut *key)));
    }
    group.finish();
}

criterion_group!(benches, mechanism);
criterion_main!(benches);
