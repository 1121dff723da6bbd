//! What music costs block by block, at the block sizes hosts use.

use std::hash::{DefaultHasher, Hasher as _};
use std::time::Instant;

use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::random::Random;
use touchback_instrument::{Event, Piano, Settings};

const RATE: f64 = 48_000.0;

/// Samples of a block.
pub(super) const SIZES: [usize; 4] = [32, 64, 128, 256];

/// Runs of a piece; of each block the quickest counts: the others were disturbed.
const REPEATS: usize = 4;

/// Samples between events: whole blocks of every size.
const BEAT: usize = 3072;

/// Something to play.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// A note each beat under the pedal, which is changed every second.
    Dense,
    /// Ten notes over the compass, held for a quarter of a second every half.
    Chord,
    /// All keys, likewise.
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

    /// Plays what comes with `beat`.
    fn play(self, piano: &mut Piano, beat: usize, random: &mut Random) {
        let notes = match self {
            Self::Dense => {
                if beat.is_multiple_of(16) {
                    piano.handle(Event::Sustain(0.0));
                } else if beat % 16 == 1 {
                    piano.handle(Event::Sustain(1.0));
                }
                let index = usize::try_from(12 + random.below(60)).unwrap_or(0);
                if let Some(key) = KeyNumber::from_index(index) {
                    let velocity = (40 + random.below(70)) as f64 / 127.0;
                    piano.handle(Event::NoteOff { key, velocity: 0.5 });
                    piano.handle(Event::NoteOn { key, velocity });
                }
                return;
            }
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

/// Time of blocks over their own duration, and a hash of the samples.
pub(super) struct Blocks {
    /// Of all blocks together.
    pub(super) mean: f64,
    /// Shares that half, 99 % and 99.9 % of the blocks do not exceed, and the most expensive one.
    pub(super) quantiles: [f64; 4],
    pub(super) hash: u64,
}

/// Four seconds of `piece` in blocks of `size` samples.
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
            if (block * size).is_multiple_of(BEAT) {
                piece.play(&mut piano, block * size / BEAT, &mut random);
            }
            piano.process(&mut left, &mut right);
            *least = least.min(begun.elapsed().as_secs_f64() * RATE / size as f64);
            // Sample by sample, so that every block size has the same hash.
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
