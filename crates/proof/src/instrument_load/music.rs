//! Computing time of music block by block, at the usual block sizes of hosts.

use std::hash::{DefaultHasher, Hasher as _};
use std::time::Instant;

use touchback_core::exchange::cancel;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::random::Random;
use touchback_instrument::play::benchmark::{self, BEAT};
use touchback_instrument::{Event, Piano, Settings};

const RATE: f64 = 48_000.0;

/// Samples per block.
pub(super) const SIZES: [usize; 4] = [32, 64, 128, 256];

/// Runs of a piece; the quickest run of each block counts, because the others were disturbed.
const REPEATS: usize = 4;

/// A piece of music.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// One note per beat under the pedal, which is changed every second.
    Dense,
    /// Ten notes over the compass every 0.5 s, held for 0.25 s.
    Chord,
    /// All keys every 0.5 s, held for 0.25 s.
    Cluster,
}

impl Piece {
    pub(super) const ALL: [Self; 3] = [Self::Dense, Self::Chord, Self::Cluster];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Dense => "16 notes a second under the pedal",
            Self::Chord => "ten-note chords",
            Self::Cluster => "88 keys together",
        }
    }

    /// Plays the events of `beat`.
    fn play(self, piano: &mut Piano, beat: usize, random: &mut Random) {
        let notes = match self {
            Self::Dense => return benchmark::dense(piano, beat, random),
            Self::Chord => 10,
            Self::Cluster => KEYS,
        };
        for i in 0..notes {
            let Some(key) = KeyNumber::from_index((i * KEYS + KEYS / 2) / notes) else { continue };
            match beat % 8 {
                0 => piano.handle(Event::NoteOn { key, velocity: 100.0 / 127.0 }),
                4 => piano.handle(Event::NoteOff { key, velocity: 0.5 }),
                _ => {}
            }
        }
    }
}

/// Computing time of blocks relative to their duration, and a hash of the samples.
pub(super) struct Blocks {
    /// Mean over all blocks.
    pub(super) mean: f64,
    /// Quantiles at 50 %, 99 % and 99.9 %, and the maximum.
    pub(super) quantiles: [f64; 4],
    pub(super) hash: u64,
}

/// Plays 4 s of `piece` in blocks of `size` samples.
pub(super) fn played(piece: Piece, size: usize) -> Blocks {
    let beats = 64;
    let mut piano = Piano::new(RATE, &Settings::default());
    let (mut left, mut right) = (vec![0.0f32; size], vec![0.0f32; size]);
    let mut least = vec![f64::INFINITY; beats * BEAT / size];
    let mut hash = 0;
    for _ in 0..REPEATS {
        piano.reset();
        let (mut random, mut sum) = (Random::new(1), DefaultHasher::new());
        for (block, least) in least.iter_mut().enumerate() {
            let begun = Instant::now();
            cancel::check();
            if (block * size).is_multiple_of(BEAT) {
                piece.play(&mut piano, block * size / BEAT, &mut random);
            }
            piano.process(&mut left, &mut right);
            *least = least.min(begun.elapsed().as_secs_f64() * RATE / size as f64);
            // Hashed by sample, so that the hash does not depend on the block size.
            for (l, r) in left.iter().zip(&right) {
                sum.write_u32(l.to_bits());
                sum.write_u32(r.to_bits());
            }
        }
        hash = sum.finish();
    }
    let mean = least.iter().sum::<f64>() / least.len() as f64;
    least.sort_by(f64::total_cmp);
    let last = least.len() - 1;
    let quantiles = [0.5, 0.99, 0.999, 1.0].map(|q| least[floor_index(q * last as f64)]);
    Blocks { mean, quantiles, hash }
}
