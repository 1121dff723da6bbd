//! Levels of neighbouring keys.

use anyhow::Result;

use super::{RATE, SoundBench, TargetBand, key};
use touchback_core::exchange::cancel;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KEYS;
use touchback_offline::render::loudness::Loudness;
use touchback_sound::Sound;
use touchback_sound::output::level_equalization::around;

/// Speed of the blows, m/s: mezzo forte.
const SPEED: f64 = 2.0;

/// K-weighted level of every key's first 0.4 s [ITU-R BS.1770], and the gain that brings it to the mean of its
/// neighbours, both dB.
pub fn run(bench: &mut SoundBench) -> Result<Vec<[f64; 2]>> {
    let levels: Vec<f64> =
        (1..=KEYS).map(|number| level(&mut bench.sound, number)).collect::<Result<_>>()?;
    let (mut squares, mut worst) = (0.0, 0.0f64);
    for w in levels.windows(5) {
        let deviation = w[2] - (w[0] + w[1] + w[3] + w[4]) / 4.0;
        squares += deviation * deviation;
        worst = worst.max(deviation.abs());
    }
    let spread = (squares / (levels.len() - 4) as f64).sqrt();
    let report = &mut bench.report;
    report.check("key against its four neighbours, rms, dB", "1", TargetBand::AtMost(1.5), spread);
    report.check("key against its four neighbours, most, dB", "2", TargetBand::AtMost(2.0), worst);
    let correction = |i: usize| {
        let around = &levels[around(i)];
        around.iter().sum::<f64>() / around.len() as f64 - levels[i]
    };
    Ok((0..KEYS).map(|i| [levels[i], correction(i)]).collect())
}

/// K-weighted level of the first 0.4 s of key `number`, LUFS.
fn level(sound: &mut Sound, number: usize) -> Result<f64> {
    let key = key(number)?;
    let count = floor_index(0.4 * RATE);
    let (mut left, mut right) = (vec![0.0f32; count], vec![0.0f32; count]);
    sound.reset();
    sound.damper(key, 1.0);
    sound.strike(key, SPEED, 0.0);
    cancel::check();
    sound.process(&mut left, &mut right);
    let mut loudness = Loudness::new(floor_index(RATE).try_into()?)?;
    loudness.add(&left, &right)?;
    Ok(loudness.lufs())
}
