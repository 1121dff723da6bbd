//! Sympathetic resonance: pedals, silently held keys, and all strings at once.

use anyhow::Result;

use super::{RATE, SoundBench, TargetBand, key, without_tail};
use touchback_core::exchange::cancel;
use touchback_core::math::compass::KeyNumber;
use touchback_sound::Sound;
use touchback_sound::measure::{self, sympathetic_resonance};

/// A chord of ten notes for both hands.
const CHORD: [usize; 10] = [16, 28, 32, 35, 40, 44, 47, 52, 56, 59];

pub fn run(bench: &mut SoundBench) -> Result<()> {
    let voicing = bench.voicing.clone();
    let (sound, report) = (&mut bench.sound, &mut bench.report);
    sound.set(&without_tail(&voicing));
    for (number, seconds) in sympathetic_resonance::PEDAL_KEYS {
        let ratio = sympathetic_resonance::pedal_effect(sound, key(number)?, seconds, RATE);
        let change = ratio.map_or(f64::NAN, |r| 100.0 * (r - 1.0));
        let middle = (28..=52).contains(&number);
        let (target, band) = if middle {
            ("10–60", TargetBand::Within(10.0, 60.0))
        } else {
            ("0", TargetBand::Within(-10.0, 10.0))
        };
        report.check(&format!("key {number}: pedal, early T60, %"), target, band, change);
    }
    for number in [28, 40, 52, 64] {
        let at = [0.1, 0.3, 1.0];
        let spans = at.map(|time| (0.8 * time, 1.2 * time));
        let levels = sympathetic_resonance::pedal_levels(sound, key(number)?, spans, RATE);
        for (time, level) in at.into_iter().zip(levels) {
            let quantity = format!("key {number}: pedal down over up at {time} s, dB");
            report.check(&quantity, "above 0", TargetBand::Within(-0.3, 8.0), level);
        }
    }
    sound.set(&voicing);
    // C3 held silently under a staccato C4: its partials 2 and 4 are near the fundamentals of C4 and C5.
    for (partial, name) in [(2, "C4"), (4, "C5")] {
        let mut response = |is_held| {
            Ok::<_, anyhow::Error>(sympathetic_resonance::silent_key(
                sound,
                key(28)?,
                partial,
                key(40)?,
                is_held,
                RATE,
            ))
        };
        let (held, free) = (response(true)?, response(false)?);
        let quantity = format!("C3 held silently: response at {name}, dB re strike");
        report.check(&quantity, "-25…-50", TargetBand::Within(-50.0, -25.0), held);
        let quantity = format!("C3 not held: response at {name}, dB below held");
        report.check(&quantity, "30", TargetBand::AtLeast(20.0), held - free);
    }
    let (blow, after) = sympathetic_resonance::una_corda(sound, key(40)?, RATE);
    report.check("C4: una corda, first 0.3 s, dB", "-3", TargetBand::Within(-8.0, -1.0), blow);
    report.check(
        "C4: una corda, aftersound over blow, dB",
        "3",
        TargetBand::AtLeast(1.0),
        after - blow,
    );
    let peak = measure::strike_free(sound, key(40)?, 2.0, 0.3, RATE).peak_db();
    report.check("C4 at 2 m/s, peak, dBFS", "-24", TargetBand::Within(-25.5, -22.5), peak);
    let chord = chord_peak(sound);
    report.check(
        "ten notes at 5 m/s, pedal down, peak, dBFS",
        "-6",
        TargetBand::AtMost(-3.0),
        chord,
    );
    Ok(())
}

/// Peak of ten simultaneous notes with every damper raised, dBFS, louder channel.
fn chord_peak(sound: &mut Sound) -> f64 {
    sound.reset();
    KeyNumber::all().for_each(|key| sound.damper(key, 1.0));
    for key in CHORD.iter().filter_map(|n| KeyNumber::from_index(n - 1)) {
        sound.strike(key, 5.0, 0.0);
    }
    let (mut left, mut right) = (vec![0.0f32; 24_000], vec![0.0f32; 24_000]);
    cancel::check();
    sound.process(&mut left, &mut right);
    measure::db(left.iter().chain(&right).fold(0.0f64, |m, x| m.max(f64::from(x.abs()))))
}
