//! Sounds other than the speaking strings: knocks, shank, tray, duplex; and intermediate pedal positions.

use anyhow::Result;

use super::{RATE, SoundBench, TargetBand, key};
use touchback_core::exchange::cancel;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::kernel::Kernel;
use touchback_core::mech::hammer::Hammer;
use touchback_instrument::{Event, Piano, Settings};
use touchback_sound::measure::{self, RenderedNote, db, decay_time};
use touchback_sound::signal::slow_rate::SlowRate;
use touchback_sound::strings::bank::BLOCK;
use touchback_sound::strings::note::Note;
use touchback_sound::strings::overtones::Overtones;
use touchback_sound::tuning::scale::StringSpec;
use touchback_sound::{Knock, SoundSettings};

/// Each noise with its speed at mezzo-forte and its level relative to C4 at 2 m/s, dB.
const NOISES: [(&str, Knock, f64, &str, f64, f64); 8] = [
    ("key on its bed, 0.4 m/s", Knock::KeyBed, 0.4, "-30", -40.0, -20.0),
    ("key on its rest felt, 0.3 m/s", Knock::KeyRest, 0.3, "below the bed's", -50.0, -25.0),
    ("hammer in the check, 1 m/s", Knock::Check, 1.0, "below the bed's", -60.0, -25.0),
    ("damper landing, 0.15 m/s", Knock::Damper, 0.15, "below the bed's", -65.0, -30.0),
    ("jack leaving, 2 m/s", Knock::Jack, 2.0, "below the bed's", -60.0, -25.0),
    ("shank swaying, 2.9 m/s", Knock::Sway, 2.9, "below the bed's", -70.0, -25.0),
    ("shank ringing, 1.5 m/s", Knock::Ring, 1.5, "below the bed's", -60.0, -25.0),
    ("tray landing, 0.55 m/s, four quarters", Knock::Tray, 0.55, "-46", -54.0, -38.0),
];

/// Keys whose duplex is measured.
const DUPLEX: [usize; 3] = [52, 64, 76];

pub fn run(bench: &mut SoundBench) -> Result<()> {
    let middle = key(40)?;
    let note = measure::strike_free(&mut bench.sound, middle, 2.0, 0.3, RATE).peak_db();
    for (name, knock, speed, target, low, high) in NOISES {
        let sound = &mut bench.sound;
        sound.reset();
        let keys: &[usize] = if knock == Knock::Tray { &[9, 26, 43, 60] } else { &[40] };
        for number in keys {
            sound.knock(key(*number)?, knock, speed);
        }
        let level = measure::render(sound, 0.3, RATE).peak_db() - note;
        let quantity = format!("{name}: peak, dB re C4 at 2 m/s");
        bench.report.check(&quantity, target, TargetBand::Within(low, high), level);
    }
    for number in DUPLEX {
        let (level, time) = duplex(key(number)?, &bench.voicing);
        let quantity = format!("key {number}: duplex, dB re note");
        bench.report.check(&quantity, "-35", TargetBand::Within(-45.0, -25.0), level);
        let quantity = format!("key {number}: duplex, T60, s");
        let time = time.unwrap_or(f64::NAN);
        bench.report.check(&quantity, "0.3–1", TargetBand::Within(0.3, 1.0), time);
    }
    half_pedal(bench)?;
    sostenuto(bench)
}

/// Level of the duplex in the first 0.3 s relative to the note, both as force on the bridge, and the
/// duplex's decay after an impulse.
fn duplex(key: KeyNumber, voicing: &SoundSettings) -> (f64, Option<f64>) {
    let (rates, hammer) = (SlowRate::both(RATE), Hammer::concert(key));
    let mut note = Note::new(key, voicing, &hammer, RATE, &rates, Kernel::detect());
    note.damper(1.0);
    note.strike(2.0, 0.0);
    let (mut speaking, mut overtones) = (Vec::new(), Vec::new());
    for block in 0..750 {
        let mut force = [0.0f32; BLOCK];
        note.control(block, 0.0, 0.0, 0.0);
        note.process_alone(0, &mut force);
        speaking.extend(force.iter().map(|x| f64::from(*x)));
        let plain = force;
        note.add_overtones(&mut force);
        overtones.extend(force.iter().zip(&plain).map(|(with, x)| f64::from(with - x)));
    }
    let [speaking, overtones] =
        [speaking, overtones].map(|samples| RenderedNote { samples, rate: RATE });
    let mut lengths = Overtones::new(key, &StringSpec::of(key, voicing), RATE, Kernel::detect());
    let mut samples = Vec::new();
    for block in 0..750 {
        let mut force = [0.0f32; BLOCK];
        force[0] = if block == 0 { 1.0 } else { 0.0 };
        let pushed = force;
        lengths.process(&mut force, &[]);
        samples.extend(force.iter().zip(&pushed).map(|(all, x)| f64::from(all - x)));
    }
    let alone = RenderedNote { samples, rate: RATE };
    let levels: Vec<(f64, f64)> =
        (0..48).map(|i| f64::from(i) * 0.02).map(|t| (t, alone.rms_db(t, t + 0.02))).collect();
    (overtones.rms_db(0.0, 0.3) - speaking.rms_db(0.0, 0.3), decay_time(&levels, 5.0, 25.0))
}

/// Decay under a damper that is lifted step by step.
fn half_pedal(bench: &mut SoundBench) -> Result<()> {
    let key = key(28)?;
    let mut last = 0.0;
    let mut rises = true;
    for lift in [0.0, 0.25, 0.5, 0.75, 0.9] {
        let sound = &mut bench.sound;
        sound.reset();
        sound.damper(key, 1.0);
        sound.strike(key, 2.0, 0.0);
        let _ = measure::render(sound, 0.3, RATE);
        sound.damper(key, lift);
        let rest = measure::render(sound, 4.0, RATE);
        let levels: Vec<(f64, f64)> =
            (0..190).map(|i| f64::from(i) * 0.02).map(|t| (t, rest.rms_db(t, t + 0.04))).collect();
        let time = decay_time(&levels, 3.0, 15.0).unwrap_or(f64::INFINITY);
        rises &= time > 1.15 * last;
        last = time;
    }
    bench.report.holds("C3: decay grows at every quarter of a half-pedal's lift", rises);
    Ok(())
}

/// On the whole piano: a note held by the sostenuto rod sustains, a later note does not.
fn sostenuto(bench: &mut SoundBench) -> Result<()> {
    let rate = RATE;
    let sound = SoundSettings { knocks: 0.0, ..bench.voicing.clone() };
    let settings = Settings { sound, ..Settings::default() };
    let mut piano = Piano::new(rate, &settings);
    let (caught, free) = (key(28)?, key(35)?);
    let mut play = |events: &[Event], seconds: f64| {
        events.iter().for_each(|event| piano.handle(*event));
        let count = touchback_core::math::cast::floor_index(seconds * rate);
        let (mut left, mut right) = (vec![0.0f32; count], vec![0.0f32; count]);
        cancel::check();
        piano.process(&mut left, &mut right);
        let samples = left.iter().zip(&right).map(|(l, r)| 0.5 * f64::from(l + r)).collect();
        RenderedNote { samples, rate }
    };
    let down = |key| Event::NoteOn { key, velocity: 0.6 };
    let up = |key| Event::NoteOff { key, velocity: 0.5 };
    play(&[down(caught)], 0.3);
    play(&[Event::Sostenuto(1.0)], 0.1);
    play(&[up(caught), down(free)], 0.3);
    play(&[up(free)], 0.7);
    let rest = play(&[], 0.5);
    let at = |key| {
        let hz = StringSpec::of(key, &bench.voicing).partial_hz(1);
        db(rest.amplitude(hz, 0.0, 0.5))
    };
    let quantity =
        "sostenuto: caught C3 over a G3 struck later, 1 s after both keys are released, dB";
    bench.report.check(quantity, "rings on", TargetBand::AtLeast(25.0), at(caught) - at(free));
    Ok(())
}
