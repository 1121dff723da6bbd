//! Processor time of the blocks of 64 samples (1.33 ms at 48 kHz) after a chord:
//! `cargo run --release -p touchback-instrument --example block_cost [NOTES [BLOCKS [RUNS]]] [ID=VALUE]… [OUT.f32]`;
//! `NOTES` may be `dense`, 16 notes a second under the pedal, or `10@20`, ten notes of velocity 20 instead of 100. The
//! samples of each block, left then right, go to the file.
//!
//! Each figure is the least of several runs of the same block, % of its time, so that other programs do not enter.
//! The first line is the mean and the most expensive block, then the blocks in their order.

use std::hash::{DefaultHasher, Hasher as _};
use std::time::Instant;

use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::random::Random;
use touchback_instrument::host::params;
use touchback_instrument::play::benchmark;
use touchback_instrument::{Event, Piano, Settings};

const BLOCK: usize = 64;
const RATE: f64 = 48_000.0;

/// Blocks between two notes of dense music.
const BEAT: usize = benchmark::BEAT / BLOCK;

fn main() {
    let (mut words, mut samples) = (std::env::args().skip(1).collect::<Vec<_>>(), Vec::new());
    let file = words.pop_if(|word| word.ends_with(".f32"));
    let (changes, words): (Vec<_>, Vec<_>) = words.into_iter().partition(|word| word.contains('='));
    let mut settings = Settings::default();
    params::apply(&mut settings, changes.iter().map(String::as_str))
        .unwrap_or_else(|error| panic!("{error}"));
    let first = words.first().map_or("10", String::as_str);
    let (count, velocity) = first.split_once('@').unwrap_or((first, "100"));
    let velocity = velocity.parse().unwrap_or(100.0) / 127.0;
    let number = |i: usize, default| words.get(i).and_then(|w| w.parse().ok()).unwrap_or(default);
    let is_dense = first == "dense";
    let (notes, blocks, runs) =
        (count.parse().unwrap_or(10).clamp(1, KEYS), number(1, 45), number(2, 200));
    let mut piano = Piano::new(RATE, &settings);
    let (mut left, mut right) = ([0.0; BLOCK], [0.0; BLOCK]);
    let mut least = vec![f64::INFINITY; blocks];
    let mut hash = DefaultHasher::new();
    for run in 0..runs {
        piano.reset();
        piano.process(&mut left, &mut right);
        let mut random = Random::new(1);
        for (block, least) in least.iter_mut().enumerate() {
            let begin = Instant::now();
            // The events count towards the block.
            if is_dense && block % BEAT == 0 {
                benchmark::dense(&mut piano, block / BEAT, &mut random);
            }
            for i in (0..notes).filter(|_| block == 0 && !is_dense) {
                if let Some(key) = KeyNumber::from_index((i * KEYS + KEYS / 2) / notes) {
                    piano.handle(Event::NoteOn { key, velocity });
                }
            }
            piano.process(&mut left, &mut right);
            *least = least.min(100.0 * begin.elapsed().as_secs_f64() * RATE / BLOCK as f64);
            if run == 0 {
                left.iter().chain(&right).for_each(|x| hash.write_u32(x.to_bits()));
                samples.extend(left.iter().chain(&right).flat_map(|x| x.to_le_bytes()));
            }
        }
    }
    if let Some(file) = file {
        std::fs::write(&file, &samples).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
    let mean = least.iter().sum::<f64>() / blocks as f64;
    let most = least.iter().copied().fold(0.0, f64::max);
    let keys = piano.load().mean_keys();
    println!(
        "mean {mean:.2} %, most {most:.2} %, {keys:.2} keys move, hash {:016x}",
        hash.finish()
    );
    let shares: Vec<String> = least.iter().take(45).map(|share| format!("{share:.1}")).collect();
    println!("{}", shares.join(" "));
}
