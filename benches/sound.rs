//! Cost of the sound engine: one second of audio at 48 kHz in blocks of 64 samples. A result of 10 ms is a
//! load of 1 % of a core.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::kernel::Kernel;
use touchback_sound::{Sound, SoundSettings};

const RATE: usize = 48_000;
const BLOCK: usize = 64;

fn second(sound: &mut Sound) {
    let (mut left, mut right) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
    for _ in 0..RATE / BLOCK {
        sound.process(&mut left, &mut right);
        black_box((&left, &right));
    }
}

fn chord(sound: &mut Sound, notes: &[u8]) {
    for key in notes.iter().filter_map(|&n| KeyNumber::from_midi(n)) {
        sound.damper(key, 1.0);
        sound.strike(key, 3.0, 0.0);
    }
}

fn sound(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sound");
    group.sample_size(10).measurement_time(Duration::from_secs(4));
    let rate = 48_000.0;
    let mut engine = Sound::new(rate, &SoundSettings::default());
    let ten = [36, 43, 48, 52, 55, 60, 64, 67, 72, 76];
    group.bench_function("ten-note chord, first second", |b| {
        b.iter(|| {
            engine.reset();
            chord(&mut engine, &ten);
            second(&mut engine);
        });
    });
    let all: Vec<u8> = (21..=108).collect();
    group.bench_function("88 notes with pedal, first second", |b| {
        b.iter(|| {
            engine.reset();
            chord(&mut engine, &all);
            second(&mut engine);
        });
    });
    group.bench_function("ten-note chord, its first block alone", |b| {
        b.iter(|| {
            engine.reset();
            chord(&mut engine, &ten);
            let (mut left, mut right) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
            engine.process(&mut left, &mut right);
            black_box((&left, &right));
        });
    });
    for kernel in Kernel::available() {
        let mut engine = Sound::with_kernel(rate, &SoundSettings::default(), kernel);
        group.bench_function(format!("88 notes with pedal, second second, {kernel:?}"), |b| {
            b.iter_batched(
                || {
                    engine.reset();
                    chord(&mut engine, &all);
                    second(&mut engine);
                    std::mem::replace(
                        &mut engine,
                        Sound::with_kernel(rate, &SoundSettings::default(), kernel),
                    )
                },
                |mut engine| {
                    second(&mut engine);
                    engine
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.bench_function("one note with pedal, first second", |b| {
        b.iter(|| {
            engine.reset();
            KeyNumber::all().for_each(|key| engine.damper(key, 1.0));
            chord(&mut engine, &[60]);
            second(&mut engine);
        });
    });
    group.bench_function("reset", |b| b.iter(|| engine.reset()));
    engine.reset();
    group.bench_function("idle second", |b| b.iter(|| second(&mut engine)));
    group.bench_function("prepare", |b| b.iter(|| Sound::new(rate, &SoundSettings::default())));
    group.finish();
}

criterion_group!(benches, sound);
criterion_main!(benches);
