//! What moving parameters cost while ten notes ring.

use std::hash::{DefaultHasher, Hasher as _};
use std::time::Instant;

use touchback_instrument::params::{self, Parameter};
use touchback_instrument::{Piano, Settings};

use super::blocks::strike;

const RATE: f64 = 48_000.0;
/// Samples of a block in which one change comes.
const BLOCK: usize = 64;
/// Samples of a block in which a parameter moves with every sample.
const MOVED: usize = 512;
/// Blocks after a change that are looked at: all that it still costs anything in.
const FOLLOWED: usize = 96;
/// Repetitions, of which the quickest of each block counts.
const REPEATS: usize = 12;

/// What one change costs.
pub(super) struct Change {
    /// Id of the most expensive parameter.
    pub(super) id: &'static str,
    /// Its most expensive block over the block's duration, and the same block without the change.
    pub(super) with: f64,
    pub(super) without: f64,
}

/// Most expensive of all regulation parameters, each changed once by a tenth of its range while ten notes ring;
/// and a hash of the samples.
pub(super) fn once() -> (Change, u64) {
    let mut hash = DefaultHasher::new();
    let mut worst = Change { id: "", with: 0.0, without: 0.0 };
    for parameter in params::all().filter(|p| is_regulation(p)) {
        let mut settings = Settings::default();
        let (low, high) = (parameter.min(), parameter.max());
        let tenth = 0.1 * (high - low);
        let standard = parameter.get(&settings);
        let value = if standard + tenth > high { standard - tenth } else { standard + tenth };
        parameter.set(&mut settings, value);
        let [without, with] = followed(&settings, &mut hash);
        for (without, with) in without.into_iter().zip(with) {
            if with - without > worst.with - worst.without {
                worst = Change { id: parameter.id, with, without };
            }
        }
    }
    (worst, hash.finish())
}

/// Whether `parameter` is a number of the action.
fn is_regulation(parameter: &Parameter) -> bool {
    let [lowest, highest] = [parameter.min(), parameter.max()].map(|value| {
        let mut settings = Settings::default();
        parameter.set(&mut settings, value);
        settings.action
    });
    parameter.choices().is_empty() && lowest != highest
}

/// Time of the blocks after ten notes have rung for a third of a second over their duration: with the
/// standard settings kept, and with `settings` from the first of them on.
fn followed(settings: &Settings, hash: &mut DefaultHasher) -> [Vec<f64>; 2] {
    let standard = Settings::default();
    let mut least = [(); 2].map(|()| vec![f64::INFINITY; FOLLOWED]);
    let (mut left, mut right) = ([0.0; BLOCK], [0.0; BLOCK]);
    let mut piano = Piano::new(RATE, &standard);
    for repeat in 0..REPEATS {
        for (changes, least) in [&standard, settings].into_iter().zip(&mut least) {
            piano.set(&standard);
            piano.reset();
            strike(&mut piano, 10);
            (0..250).for_each(|_| piano.process(&mut left, &mut right));
            for (block, least) in least.iter_mut().enumerate() {
                let begun = Instant::now();
                if block == 0 {
                    piano.set(changes);
                }
                piano.process(&mut left, &mut right);
                *least = least.min(begun.elapsed().as_secs_f64() * RATE / BLOCK as f64);
                if repeat == 0 {
                    left.iter().chain(&right).for_each(|x| hash.write_u32(x.to_bits()));
                }
            }
        }
    }
    least
}

/// Most expensive of all parameters, each moved over its whole range with every sample while ten notes ring: its
/// id and the time of its quickest block over the block's duration; the same of all of them moved at once;
/// and a hash of the samples.
pub(super) fn every_sample() -> ((&'static str, f64), f64, u64) {
    let mut hash = DefaultHasher::new();
    let mut worst = ("", 0.0);
    for parameter in params::all() {
        let share = moved(&[parameter], &mut hash);
        if share > worst.1 {
            worst = (parameter.id, share);
        }
    }
    let all: Vec<_> = params::all().collect();
    (worst, moved(&all, &mut hash), hash.finish())
}

/// Time of the quickest block with `parameters` moved over its duration.
fn moved(parameters: &[&'static Parameter], hash: &mut DefaultHasher) -> f64 {
    let mut settings = Settings::default();
    let mut piano = Piano::new(RATE, &settings);
    let (mut left, mut right) = ([0.0; MOVED], [0.0; MOVED]);
    let (mut least, mut sample) = (f64::INFINITY, 0);
    for repeat in 0..REPEATS {
        if repeat % 4 == 0 {
            strike(&mut piano, 10);
        }
        let begun = Instant::now();
        for (left, right) in left.chunks_mut(1).zip(right.chunks_mut(1)) {
            // There and back in two blocks.
            let place = (sample % (2 * MOVED)) as f64 / MOVED as f64;
            for parameter in parameters {
                parameter.set(&mut settings, parameter.plain(1.0 - (place - 1.0).abs()));
            }
            sample += 1;
            piano.set(&settings);
            piano.process(left, right);
        }
        least = least.min(begun.elapsed().as_secs_f64() * RATE / MOVED as f64);
        left.iter().chain(&right).for_each(|x| hash.write_u32(x.to_bits()));
    }
    least
}
