//! Frequent criticisms of modelled pianos, as measurements: steps and metallic timbre, identical attacks,
//! identical repetitions, an unnatural release. Most bands are chosen, not measured on a piano; their
//! targets say so.

use anyhow::Result;

use super::{RATE, SoundBench, TargetBand, key};
use touchback_core::math::cast::single;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::power::square;
use touchback_sound::Sound;
use touchback_sound::measure::{self, RenderedNote, db};
use touchback_sound::tuning::scale::StringSpec;

/// Measured keys: C2, C4, C6.
const KEYS: [usize; 3] = [16, 40, 64];

/// Samples of a spectrum, 0.34 s.
pub const LENGTH: usize = 16_384;

pub fn run(bench: &mut SoundBench) -> Result<()> {
    for number in KEYS {
        steps(bench, number)?;
        metal(bench, number)?;
        attack(bench, number)?;
        repetition(bench, number)?;
        release(bench, number)?;
    }
    Ok(())
}

/// Power per bin (sample rate / `LENGTH`) of the first samples under half a Hann window.
pub fn spectrum(samples: &[f64]) -> Vec<f64> {
    let plan = touchback_sound::signal::fourier::forward(LENGTH);
    let (mut input, mut output) = (plan.make_input_vec(), plan.make_output_vec());
    for (n, (slot, x)) in input.iter_mut().zip(samples).enumerate() {
        let fade = 0.5 + 0.5 * libm::cos(std::f64::consts::PI * n as f64 / LENGTH as f64);
        *slot = single(x * fade);
    }
    if plan.process(&mut input, &mut output).is_err() {
        return Vec::new();
    }
    output.iter().map(|w| f64::from(w.norm_sqr())).collect()
}

/// Centre frequency of a bin, Hz.
fn hz(bin: usize) -> f64 {
    bin as f64 * RATE / LENGTH as f64
}

/// Amplitude-weighted mean frequency, Hz.
pub fn centroid(power: &[f64]) -> f64 {
    let (mut weighted, mut sum) = (0.0, 0.0);
    for (bin, power) in power.iter().enumerate() {
        weighted += hz(bin) * power.sqrt();
        sum += power.sqrt();
    }
    weighted / sum
}

fn strike(sound: &mut Sound, key: KeyNumber, speed: f64) -> RenderedNote {
    measure::strike_free(sound, key, speed, LENGTH as f64 / RATE, RATE)
}

/// Level and centroid at 40 speeds from the softest to fortissimo: deviation of each from the line through
/// its neighbours.
fn steps(bench: &mut SoundBench, number: usize) -> Result<()> {
    let key = key(number)?;
    let (mut levels, mut centroids) = (Vec::new(), Vec::new());
    for i in 0..40 {
        let sound = strike(&mut bench.sound, key, 0.3 * libm::pow(20.0, f64::from(i) / 39.0));
        levels.push(sound.rms_db(0.0, 0.3));
        centroids.push(1200.0 * libm::log2(centroid(&spectrum(&sound.samples))));
    }
    let largest_step = |x: &[f64]| {
        let steps = x.windows(3).map(|w| (w[1] - 0.5 * (w[0] + w[2])).abs());
        steps.fold(0.0, |m, x| if x <= m { m } else { x })
    };
    let quantity = format!("key {number}: level over forty speeds, largest step, dB");
    bench.report.check(&quantity, "none", TargetBand::AtMost(0.5), largest_step(&levels));
    let quantity = format!("key {number}: centroid over forty speeds, largest step, cents");
    bench.report.check(&quantity, "none", TargetBand::AtMost(50.0), largest_step(&centroids));
    let rises = centroids.windows(2).all(|w| w[1] > w[0] - 5.0);
    let quantity = format!("key {number}: centroid rises with every step from 0.3 to 6 m/s");
    bench.report.holds(&quantity, rises);
    Ok(())
}

/// Power between the partials of a fortissimo note, and the slope of its partials over frequency.
fn metal(bench: &mut SoundBench, number: usize) -> Result<()> {
    let key = key(number)?;
    let string = StringSpec::of(key, &bench.voicing);
    let sound = strike(&mut bench.sound, key, 5.0);
    let power = spectrum(&sound.samples);
    let near = |hz: f64| {
        let k = (1..)
            .map(|k| string.partial_hz(k))
            .take_while(|p| *p < 20_000.0)
            .map(|p| (p - hz).abs());
        k.fold(f64::INFINITY, f64::min) < 0.25 * string.ideal_hz
    };
    let (mut between, mut sum, mut high) = (0.0, 0.0, 0.0);
    for (bin, power) in power.iter().enumerate().filter(|(bin, _)| hz(*bin) > 150.0) {
        let hz = hz(bin);
        sum += power;
        between += if near(hz) { 0.0 } else { *power };
        high += if hz > 6000.0 { *power } else { 0.0 };
    }
    let quantity = format!("key {number}: at 5 m/s between its partials, dB re note");
    bench.report.check(&quantity, "below -25", TargetBand::AtMost(-25.0), 0.5 * db(between / sum));
    bench.report.id(&["between-partials", &format!("key {number}")]);
    let quantity = format!("key {number}: at 5 m/s above 6 kHz, dB re note");
    bench.report.check(&quantity, "below -20", TargetBand::AtMost(-20.0), 0.5 * db(high / sum));
    Ok(())
}

/// Whether the first 50 ms of two strikes are the same.
fn attack(bench: &mut SoundBench, number: usize) -> Result<()> {
    let key = key(number)?;
    let sound = strike(&mut bench.sound, key, 2.0);
    // A string struck while it vibrates never gives the same samples twice.
    let piano = &mut bench.sound;
    piano.reset();
    piano.damper(key, 1.0);
    piano.strike(key, 2.0, 0.0);
    let _ = measure::render(piano, 0.41, RATE);
    let before = measure::render(piano, 0.05, RATE);
    piano.strike(key, 2.0, 0.0);
    let again = measure::render(piano, 0.05, RATE);
    let count = again.samples.len();
    let difference = RenderedNote {
        samples: again.samples.iter().zip(&sound.samples[..count]).map(|(a, b)| a - b).collect(),
        rate: RATE,
    };
    let ringing = before.rms_db(0.0, 0.05);
    let apart = difference.rms_db(0.0, 0.05);
    let quantity =
        format!("key {number}: first 50 ms of a second blow, difference from the first, dB");
    let own = sound.rms_db(0.0, 0.05);
    bench.report.check(&quantity, "above -30", TargetBand::AtLeast(-30.0), apart - own);
    // More than the sum with the old sound: a vibrating string changes the contact.
    let quantity = format!("key {number}: that difference over the sound still ringing, dB");
    bench.report.check(&quantity, "not 0", TargetBand::AtLeast(-6.0), apart - ringing);
    Ok(())
}

/// `samples` under a Hann window: without it, cutting a sounding string adds high frequencies.
fn faded(samples: &[f64]) -> Vec<f64> {
    let turn = std::f64::consts::PI / samples.len() as f64;
    let fade = |n: usize| square(libm::sin(turn * (n as f64 + 0.5)));
    samples.iter().enumerate().map(|(n, x)| x * fade(n)).collect()
}

/// Eight equal strikes at 8 per second, each damped before the next.
fn repetition(bench: &mut SoundBench, number: usize) -> Result<()> {
    let key = key(number)?;
    let sound = &mut bench.sound;
    sound.reset();
    let (mut levels, mut centroids) = (Vec::new(), Vec::new());
    for _ in 0..8 {
        sound.damper(key, 1.0);
        sound.strike(key, 2.0, 0.0);
        let held = measure::render(sound, 0.09, RATE);
        sound.damper(key, 0.0);
        let _ = measure::render(sound, 0.035, RATE);
        levels.push(held.rms_db(0.0, 0.09));
        centroids.push(1200.0 * libm::log2(centroid(&spectrum(&faded(&held.samples)))));
    }
    let quantity = format!("key {number}: eighth of eight repetitions over the first, dB");
    bench.report.check(&quantity, "0", TargetBand::Within(-1.5, 3.0), levels[7] - levels[0]);
    let quantity = format!("key {number}: centroid of the eighth repetition over the first, cents");
    bench.report.check(
        &quantity,
        "0",
        TargetBand::Within(-200.0, 200.0),
        centroids[7] - centroids[0],
    );
    bench.report.id(&["repetition-centroid", &format!("key {number}")]);
    let span = |x: &[f64]| {
        x.iter().copied().fold(f64::NEG_INFINITY, f64::max)
            - x.iter().copied().fold(f64::INFINITY, f64::min)
    };
    let quantity = format!("key {number}: eight repetitions, loudest over softest, dB");
    bench.report.check(&quantity, "0.05–3", TargetBand::Within(0.02, 4.0), span(&levels));
    Ok(())
}

/// The damper attenuates partials at different rates, unlike a gate.
fn release(bench: &mut SoundBench, number: usize) -> Result<()> {
    let key = key(number)?;
    let string = StringSpec::of(key, &bench.voicing);
    let sound = &mut bench.sound;
    sound.reset();
    sound.damper(key, 1.0);
    sound.strike(key, 4.0, 0.0);
    let _ = measure::render(sound, 0.3, RATE);
    sound.damper(key, 0.0);
    let rest = measure::render(sound, 1.0, RATE);
    let mut times = Vec::new();
    for k in (1..=10).filter(|&k| string.partial_hz(k) < 9000.0) {
        let window = (5.0 / string.ideal_hz).max(0.03);
        let envelope = rest.envelope_db(string.partial_hz(k), window, 0.25 * window);
        times.extend(measure::decay_time(&envelope, 3.0, 20.0));
    }
    let (low, high) =
        times.iter().fold((f64::INFINITY, 0.0f64), |(a, b), t| (a.min(*t), b.max(*t)));
    let quantity = format!("key {number}: damped partials, slowest over fastest");
    bench.report.check(&quantity, "above 1.5", TargetBand::AtLeast(1.5), high / low);
    Ok(())
}
