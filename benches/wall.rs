//! Cost of a step of every wall controller, of a transmission line's two ends and of the estimate of the
//! finger.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use touchback_haptics::wall::sampled::controller::{
    Controller, Deadbeat, Hysteresis, Measurement, Placement, Prediction, Standard,
};
use touchback_haptics::wall::sampled::plant::{FINGER, Plant};
use touchback_walls::finger::Adaptive;
use touchback_walls::junction::wave::TransmissionLine;

const DEVICE: Plant = Plant { mass: 0.1, damping: 0.5, stiffness: 0.0, bias: -1.0 };
const T: f64 = 1e-3;
const K: f64 = 2000.0;
/// Steps of one measurement: the motion enters and leaves the wall, and is inside a quarter of the time.
const STEPS: u32 = 4096;

#[allow(clippy::disallowed_methods, reason = "the motion is timed, not written")]
fn motion() -> Vec<Measurement> {
    let at = |i: u32| {
        let (s, c) = (0.13 * f64::from(i)).sin_cos();
        Measurement { position: 1e-3 * (s + 0.7), velocity: 0.13 * c }
    };
    (0..STEPS).map(at).collect()
}

fn wall(criterion: &mut Criterion) {
    let plant = DEVICE.with(FINGER);
    let samples = motion();
    let mut group = criterion.benchmark_group("wall");
    group.throughput(Throughput::Elements(u64::from(STEPS)));
    let mut walls: [(&str, Box<dyn Controller>); 6] = [
        ("standard", Box::new(Standard { stiffness: K, damping: 1.0 })),
        ("hysteresis", Box::new(Hysteresis { stiffness: K, loss: 0.3 })),
        ("prediction", Box::new(Prediction::new(&plant, K, 0.0, T, 0.0))),
        ("placed poles", Box::new(Placement::new(&plant, K, 0.0, T).expect("controllable"))),
        ("deadbeat", Box::new(Deadbeat::new(&plant, K, 0.0, T).expect("controllable"))),
        ("prediction, learning", Box::new(Adaptive::new(&plant, 0.1, K, 0.0, T, 2))),
    ];
    for (name, wall) in &mut walls {
        wall.reset();
        // The sum of the output shows whether a change of the time is also a change of the result.
        let sum: f64 = samples.iter().map(|s| wall.force(*s)).sum();
        println!("{name}: output hash {:016x}", sum.to_bits());
        group.bench_function(*name, |b| {
            b.iter(|| samples.iter().map(|s| wall.force(*s)).sum::<f64>());
        });
    }
    let mut line = TransmissionLine::<4>::new(20.0);
    group.bench_function("line, both ends", |b| {
        b.iter(|| {
            for s in &samples {
                let (port, [near, far]) = (*line.port(), line.arriving());
                let speed = port.spring_velocity(K, s.position, far, T);
                line.send([port.leaving(near, s.velocity), port.leaving(far, speed)]);
            }
            black_box(line.energy(T))
        });
    });
    group.finish();
}

criterion_group!(benches, wall);
criterion_main!(benches);
