//! Computing time of parameter changes while 10 notes sound.

use std::hash::{DefaultHasher, Hasher as _};
use std::time::Instant;

use touchback_instrument::host::params::{self, Parameter};
use touchback_instrument::{Piano, Settings};

use super::blocks::strike;
use touchback_core::exchange::cancel;

const RATE: f64 = 48_000.0;
/// Samples of a block with one change.
const BLOCK: usize = 64;
/// Samples of a block in which a parameter moves at every sample.
const MOVED: usize = 512;
/// Blocks measured after a change, longer than its effect.
const FOLLOWED: usize = 96;
/// Repetitions; the quickest of each block counts.
const REPEATS: usize = 12;

/// Computing time of one change.
pub(super) struct Change {
    /// Id of the most expensive parameter.
    pub(super) id: &'static str,
    /// Computing time of its most expensive block relative to the block's duration, with the change and
    /// without.
    pub(super) with: f64,
    pub(super) without: f64,
}

/// The most expensive of all regulation parameters, each changed once by a tenth of its range while 10
/// notes sound; and a hash of the samples.
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

/// Whether `parameter` is a numeric parameter of the action.
fn is_regulation(parameter: &Parameter) -> bool {
    let [lowest, highest] = [parameter.min(), parameter.max()].map(|value| {
        let mut settings = Settings::default();
        parameter.set(&mut settings, value);
        settings.action
    });
    parameter.choices().is_empty() && lowest != highest
}

/// Computing time of blocks relative to their duration, 1/3 s after the start of 10 notes: with the
/// standard settings, and with `settings` from the first of these blocks on.
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
            cancel::check();
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

/// The most expensive of all parameters, each moved over its range at every sample while 10 notes sound:
/// its id and the relative computing time of its quickest block; that time with all parameters moved at
/// once; and a hash of the samples.
pub(super) fn every_sample() -> ((&'static str, f64), f64, u64) {
    let mut hash = DefaultHasher::new();
    let mut worst = ("", 0.0);
    for parameter in params::all() {
        let share = changed(&[parameter], &mut hash);
        if share > worst.1 {
            worst = (parameter.id, share);
        }
    }
    let all: Vec<_> = params::all().collect();
    (worst, changed(&all, &mut hash), hash.finish())
}

/// Computing time, relative to its duration, of the quickest block with `parameters` changed at every sample.
fn changed(parameters: &[&'static Parameter], hash: &mut DefaultHasher) -> f64 {
    let mut settings = Settings::default();
    let mut piano = Piano::new(RATE, &settings);
    let (mut left, mut right) = ([0.0; MOVED], [0.0; MOVED]);
    let (mut least, mut sample) = (f64::INFINITY, 0);
    for repeat in 0..REPEATS {
        cancel::check();
        if repeat % 4 == 0 {
            strike(&mut piano, 10);
        }
        let begun = Instant::now();
        for (left, right) in left.chunks_mut(1).zip(right.chunks_mut(1)) {
            // From end to end and back in two blocks.
            let position = (sample % (2 * MOVED)) as f64 / MOVED as f64;
            for parameter in parameters {
                parameter.set(&mut settings, parameter.plain(1.0 - (position - 1.0).abs()));
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
