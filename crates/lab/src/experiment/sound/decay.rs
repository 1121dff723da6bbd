//! Decay: free, in two stages, under the damper.

use anyhow::Result;

use super::{RATE, SoundBench, TargetBand, key, short, without_tail};
use touchback_core::math::compass::KeyNumber;
use touchback_sound::measure;
use touchback_sound::tuning::scale::StringSpec;

pub fn run(bench: &mut SoundBench) -> Result<()> {
    let voicing = bench.voicing.clone();
    let (sound, report) = (&mut bench.sound, &mut bench.report);
    sound.set(&without_tail(&voicing));
    for (number, low, high, seconds) in measure::FREE_DECAY {
        let found = measure::early_decay(sound, &voicing, key(number)?, RATE, seconds);
        bench.decays.push((number as f64, found.unwrap_or(f64::NAN)));
        let band = TargetBand::Within(low / 1.5, high * 1.5);
        let quantity = format!("key {number}: early T60, s");
        report.check(&quantity, &format!("{low}–{high}"), band, found.unwrap_or(f64::NAN));
    }
    let stages: Vec<_> = KeyNumber::all()
        .filter(|key| (28..=64).contains(&key.number()))
        .map(|key| measure::two_stages(key, &voicing))
        .collect();
    let shown = stages.iter().filter(|(early, late, knee)| {
        (0.125..=0.334).contains(&(late / early)) && (10.0..=25.0).contains(knee)
    });
    let share = 100.0 * shown.count() as f64 / stages.len() as f64;
    report.check("C3–C6: triples with two stages, %", "100", TargetBand::AtLeast(80.0), share);
    for number in [16, 40, 64] {
        let key = key(number)?;
        let hz = StringSpec::of(key, &voicing).partial_hz(1);
        let seconds = if number == 64 { 1.2 } else { 4.0 };
        let mut time = |speed: f64| {
            let recording = measure::strike_free(sound, key, speed, seconds, RATE);
            let window = (5.0 / hz).max(0.05);
            measure::decay_time(&recording.envelope_db(hz, window, 0.5 * window), 3.0, 12.0)
                .unwrap_or(f64::NAN)
        };
        let change = 100.0 * (time(5.0) / time(1.0) - 1.0).abs();
        let quantity = format!("key {number}: change of decay, 1 to 5 m/s, %");
        report.check(&quantity, "0", TargetBand::AtMost(5.0), change);
    }
    for (number, time) in measure::DAMPED_DECAY {
        let found = measure::damped_decay(sound, key(number)?, RATE).unwrap_or(f64::NAN);
        bench.damped.push((number as f64, found));
        let band = TargetBand::Within(time / 1.6, time * 1.6);
        report.check(&format!("key {number}: damped T60, s"), &short(time), band, found);
    }
    let mut click = f64::NEG_INFINITY;
    for number in [4, 16, 40, 52, 64] {
        let key = key(number)?;
        sound.reset();
        sound.damper(key, 1.0);
        sound.strike(key, 2.0, 0.0);
        let before = measure::render(sound, 0.5, RATE);
        sound.damper(key, 0.0);
        let after = measure::render(sound, 0.01, RATE);
        let peak = before.samples.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let last = &before.samples[before.samples.len() - after.samples.len()..];
        let extra = bend(&after.samples) - bend(last);
        click = click.max(measure::db(extra.max(0.0) / peak));
    }
    report.check("click of a falling damper, dB re note", "none", TargetBand::AtMost(-60.0), click);
    sound.set(&voicing);
    Ok(())
}

/// Largest second difference, which a click increases.
pub fn bend(samples: &[f64]) -> f64 {
    samples.windows(3).map(|w| (w[2] - 2.0 * w[1] + w[0]).abs()).fold(0.0, f64::max)
}
