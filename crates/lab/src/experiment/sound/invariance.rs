//! Invariance under block size and sample rate, and parameter changes without clicks.

use anyhow::Result;

use super::decay::bend;
use super::{RATE, SoundBench, TargetBand, key};
use touchback_core::exchange::cancel;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_core::mech::hammer::HammerSettings;
use touchback_sound::measure::{self, db};
use touchback_sound::output::perspective::Perspective;
use touchback_sound::tuning::scale::StringSpec;
use touchback_sound::tuning::temperament::Temperament;
use touchback_sound::{Knock, Sound, SoundSettings};

/// Notes that sound during a change.
const RINGING: [usize; 4] = [16, 28, 40, 59];

/// Keys compared between sample rates.
const KEYS: [usize; 3] = [16, 40, 64];

pub fn run(bench: &mut SoundBench) -> Result<()> {
    blocks(bench)?;
    rates(bench)?;
    changes(bench)
}

/// Renders 2 s of mixed events in blocks of `size` samples: left channel, then right.
fn passage(sound: &mut Sound, voicing: &SoundSettings, size: usize) -> Result<Vec<f32>> {
    sound.set(voicing);
    sound.reset();
    let (mut lefts, mut rights) = (Vec::new(), Vec::new());
    for step in 0..40usize {
        let struck = key(1 + (step * 29) % 88)?;
        sound.damper(struck, 1.0);
        sound.strike(struck, 0.5 + 0.1 * step as f64, 0.025 * step as f64);
        sound.knock(struck, Knock::KeyBed, 0.4);
        match step {
            8 => KeyNumber::all().for_each(|key| sound.damper(key, 1.0)),
            16 => sound.una_corda(1.0),
            20 => sound.retune(struck, -70.0),
            24 => sound.set(&SoundSettings { a4_hz: 430.0, lid: 0.2, ..voicing.clone() }),
            32 => KeyNumber::all().for_each(|key| sound.damper(key, 0.3)),
            _ => {}
        }
        cancel::check();
        // A length that is no multiple of a block.
        let (mut left, mut right) = ([0.0f32; 2399], [0.0f32; 2399]);
        for (left, right) in left.chunks_mut(size).zip(right.chunks_mut(size)) {
            sound.process(left, right);
        }
        lefts.extend(left);
        rights.extend(right);
    }
    sound.set(voicing);
    Ok([lefts, rights].concat())
}

fn blocks(bench: &mut SoundBench) -> Result<()> {
    let usual = passage(&mut bench.sound, &bench.voicing, 512)?;
    let mut worst = 0.0f32;
    for size in [1, 37, 64, 4096] {
        let other = passage(&mut bench.sound, &bench.voicing, size)?;
        for (a, b) in usual.iter().zip(&other) {
            let apart = (a - b).abs();
            worst = if apart <= worst { worst } else { apart };
        }
    }
    let quantity = "blocks of 1, 37, 64 and 4096 samples against 512: largest difference, dBFS";
    let report = &mut bench.report;
    report.check(quantity, "none", TargetBand::AtMost(-100.0), db(f64::from(worst)));
    Ok(())
}

fn rates(bench: &mut SoundBench) -> Result<()> {
    for rate in [44_100.0, 96_000.0, 192_000.0] {
        let mut other = Sound::new(rate, &bench.voicing);
        let (mut level, mut pitch, mut time) = (0.0f64, 0.0f64, 0.0f64);
        for number in KEYS {
            let key = key(number)?;
            let string = StringSpec::of(key, &bench.voicing);
            let a = measure::strike_free(&mut bench.sound, key, 2.0, 1.2, RATE);
            let b = measure::strike_free(&mut other, key, 2.0, 1.2, rate);
            for k in (1..=8).filter(|&k| string.partial_hz(k) < 12_000.0) {
                let hz = string.partial_hz(k);
                let by = |r: &measure::RenderedNote| db(r.amplitude(hz, 0.0, 0.5));
                level = level.max((by(&a) - by(&b)).abs());
            }
            let hz = string.partial_hz(1);
            let found = |r: &measure::RenderedNote| r.peak_hz(hz, 12.0, 0.02, 1.2);
            pitch = pitch.max((1200.0 * libm::log2(found(&a) / found(&b))).abs());
            // After the board's response to the strike.
            let fall = |r: &measure::RenderedNote| {
                db(r.amplitude(hz, 0.5, 0.7)) - db(r.amplitude(hz, 1.0, 1.2))
            };
            time = time.max(100.0 * (fall(&a) / fall(&b) - 1.0).abs());
        }
        let report = &mut bench.report;
        let name = format!("{} kHz against 48", rate / 1000.0);
        let quantity = format!("{name}: partials 1–8 of C2, C4, C6, most, dB");
        report.check(&quantity, "0", TargetBand::AtMost(1.0), level);
        report.id(&["rate", &format!("{} kHz", rate / 1000.0), "partials"]);
        report.check(&format!("{name}: pitch, most, cents"), "0", TargetBand::AtMost(0.2), pitch);
        report.check(&format!("{name}: decay, most, %"), "0", TargetBand::AtMost(5.0), time);
    }
    Ok(())
}

/// The changes: at least as large as a step of a control moved by hand.
fn moved(v: SoundSettings) -> [(&'static str, SoundSettings, HammerSettings); 17] {
    let h = HammerSettings::CONCERT;
    [
        ("pitch, 440 to 446 Hz", SoundSettings { a4_hz: 446.0, ..v.clone() }, h),
        ("stretch, 1 to 1.5", SoundSettings { stretch: 1.5, ..v.clone() }, h),
        ("temperament", SoundSettings { temperament: Temperament::QuarterComma, ..v.clone() }, h),
        ("unison width, 1 to 5 cents", SoundSettings { unison_width_cents: 5.0, ..v.clone() }, h),
        ("string length, 1 to 0.85", SoundSettings { string_length: 0.85, ..v.clone() }, h),
        ("strike point, 1 to 1.4", v.clone(), HammerSettings { strike_point: 1.4, ..h }),
        ("hammer hardness, 0 to 1", v.clone(), HammerSettings { hardness: 1.0, ..h }),
        ("sustain, 1 to 0.5", SoundSettings { sustain: 0.5, ..v.clone() }, h),
        ("treble damping, 1 to 2", SoundSettings { brightness_loss: 2.0, ..v.clone() }, h),
        ("damping time, 1 to 2", SoundSettings { damper_time: 2.0, ..v.clone() }, h),
        ("soundboard, 1 to 0.3", SoundSettings { board: 0.3, ..v.clone() }, h),
        ("stereo width, 1 to 0.2", SoundSettings { width: 0.2, ..v.clone() }, h),
        ("lid, open to closed", SoundSettings { lid: 0.0, ..v.clone() }, h),
        ("perspective", SoundSettings { perspective: Perspective::Audience, ..v.clone() }, h),
        ("distance, 1.5 to 4 m", SoundSettings { distance: 4.0, ..v.clone() }, h),
        ("room, none to −12 dB", SoundSettings { room_db: -12.0, ..v.clone() }, h),
        ("room's size and time", SoundSettings { room_size: 20.0, room_time: 1.5, ..v }, h),
    ]
}

/// Second differences that a change adds to four sounding notes in the next 0.7 s, relative to their
/// peak.
fn changes(bench: &mut SoundBench) -> Result<()> {
    let usual = bench.voicing.clone();
    let standard = HammerSettings::CONCERT;
    for (name, voicing, hammers) in moved(usual.clone()) {
        let sound = &mut bench.sound;
        let mut bend_after = |to: &SoundSettings, hammers: &HammerSettings| -> Result<(f64, f64)> {
            sound.set(&usual);
            sound.set_hammers(&standard);
            sound.reset();
            for number in RINGING {
                sound.damper(key(number)?, 1.0);
                sound.strike(key(number)?, 3.0, 0.0);
            }
            let before = measure::render(sound, 0.5, RATE);
            sound.set(to);
            sound.set_hammers(hammers);
            let after = measure::render(sound, 0.7, RATE);
            let tail = before.samples.len() - floor_index(0.1 * RATE);
            let loudest = before.samples.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            Ok((bend(&after.samples) - bend(&before.samples[tail..]), loudest))
        };
        let (with, loudest) = bend_after(&voicing, &hammers)?;
        let (without, _) = bend_after(&usual, &standard)?;
        let extra = db((with - without.max(0.0)).max(0.0) / loudest);
        let quantity = format!("while notes ring, {name}: click, dB re notes");
        bench.report.check(&quantity, "none", TargetBand::AtMost(-60.0), extra);
    }
    bench.sound.set(&usual);
    bench.sound.set_hammers(&standard);
    bench.sound.reset();
    Ok(())
}
