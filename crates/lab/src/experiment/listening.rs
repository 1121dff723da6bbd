//! `listening`: a fixed set of sound files of the engine, with spectrograms.

use anyhow::Result;

use touchback_core::exchange::cancel;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::Settings;
use touchback_instrument::host::midi_file::Score;
use touchback_offline::bench::{Folder, Report, TargetBand, key};
use touchback_offline::output::progress;
use touchback_offline::wave::Wave;
use touchback_offline::{prelude, render};
use touchback_sound::measure::db;
use touchback_sound::{Knock, Sound};

const RATE: u32 = 48_000;

/// An event for the sound engine.
#[derive(Clone, Copy)]
enum SoundEvent {
    /// Hammer of a key at a speed, m/s, with its damper raised.
    Strike(usize, f64),
    /// Damper of a key, 0 (on the string) to 1 (raised).
    Damper(usize, f64),
    /// All dampers.
    Pedal(f64),
    /// Left pedal.
    Soft(f64),
}

/// One file: events with their times, s, and its length, s.
struct Piece {
    name: &'static str,
    events: Vec<(f64, SoundEvent)>,
    seconds: f64,
}

/// Adds a note with its damper.
fn note(events: &mut Vec<(f64, SoundEvent)>, at: f64, held: f64, number: usize, speed: f64) {
    events.push((at, SoundEvent::Strike(number, speed)));
    events.push((at + held, SoundEvent::Damper(number, 0.0)));
}

/// The set: scales at five dynamics, repeated notes, a trill, notes under the pedal, half pedal, a
/// silently held key, the left pedal.
fn pieces() -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut scale = Vec::new();
    let steps = [0, 2, 4, 5, 7, 9, 11];
    for (i, speed) in [0.4, 0.9, 1.8, 3.2, 5.5].into_iter().enumerate() {
        for (j, octave) in (0..7).enumerate() {
            for (k, step) in steps.into_iter().enumerate() {
                let at = i as f64 * 7.5 + (j * 7 + k) as f64 * 0.14;
                note(&mut scale, at, 0.16, 4 + 12 * octave + step, speed);
            }
        }
    }
    pieces.push(Piece { name: "scales.wav", events: scale, seconds: 39.0 });
    let mut repeats = Vec::new();
    for (i, number) in [16, 40, 64].into_iter().enumerate() {
        for j in 0..24 {
            let speed = 0.8 + 0.18 * f64::from(j);
            note(&mut repeats, i as f64 * 3.2 + f64::from(j) * 0.11, 0.08, number, speed);
        }
    }
    pieces.push(Piece { name: "repeated-notes.wav", events: repeats, seconds: 10.5 });
    let mut trill = Vec::new();
    for j in 0..60 {
        let number = if j % 2 == 0 { 52 } else { 54 };
        let speed = 1.0 + 2.0 * (f64::from(j) / 60.0);
        note(&mut trill, f64::from(j) * 0.07, 0.08, number, speed);
    }
    pieces.push(Piece { name: "trill.wav", events: trill, seconds: 5.5 });
    let mut wash = vec![(0.0, SoundEvent::Pedal(1.0))];
    for (i, number) in [4, 11, 16, 20, 23, 28, 32, 35, 40, 44, 47, 52, 56, 59, 64, 68, 71, 76]
        .into_iter()
        .enumerate()
    {
        wash.push((0.1 + i as f64 * 0.12, SoundEvent::Strike(number, 2.5)));
    }
    wash.push((6.0, SoundEvent::Pedal(0.0)));
    pieces.push(Piece { name: "pedal-wash.wav", events: wash, seconds: 8.0 });
    let mut half = vec![(0.0, SoundEvent::Pedal(1.0))];
    half.extend([16, 28, 40, 44, 47, 52].map(|n| (0.1, SoundEvent::Strike(n, 3.0))));
    for (i, lift) in [0.7, 0.5, 0.35, 1.0, 0.2, 1.0, 0.0].into_iter().enumerate() {
        half.push((1.0 + 0.7 * i as f64, SoundEvent::Pedal(lift)));
    }
    pieces.push(Piece { name: "half-pedal.wav", events: half, seconds: 7.0 });
    let mut silent = vec![(0.0, SoundEvent::Damper(28, 1.0)), (0.0, SoundEvent::Damper(35, 1.0))];
    for (i, number) in [40, 52, 47, 59, 44].into_iter().enumerate() {
        note(&mut silent, 0.2 + 1.6 * i as f64, 0.15, number, 5.0);
    }
    pieces.push(Piece { name: "silent-keys.wav", events: silent, seconds: 9.0 });
    let mut soft = Vec::new();
    for (i, amount) in [0.0, 1.0].into_iter().enumerate() {
        soft.push((4.0 * i as f64, SoundEvent::Soft(amount)));
        for (j, number) in [28, 40, 44, 47, 52].into_iter().enumerate() {
            note(&mut soft, 4.0 * i as f64 + 0.1 + 0.25 * j as f64, 2.6, number, 1.5);
        }
    }
    pieces.push(Piece { name: "una-corda.wav", events: soft, seconds: 8.5 });
    pieces
}

/// Applies one event.
fn apply(sound: &mut Sound, event: SoundEvent) -> Result<()> {
    match event {
        SoundEvent::Strike(number, speed) => {
            let key = key(number)?;
            sound.damper(key, 1.0);
            sound.strike(key, speed, 0.0);
            // The key lands on its bed with about a tenth of the hammer's speed.
            sound.knock(key, Knock::KeyBed, 0.1 * speed);
        }
        SoundEvent::Damper(number, lift) => {
            let key = key(number)?;
            sound.damper(key, lift);
            if lift == 0.0 {
                sound.knock(key, Knock::Damper, 0.15);
            }
        }
        SoundEvent::Pedal(lift) => KeyNumber::all().for_each(|key| sound.damper(key, lift)),
        SoundEvent::Soft(amount) => sound.una_corda(amount),
    }
    Ok(())
}

/// Writes one file and its spectrogram.
fn write(
    folder: &mut Folder,
    report: &mut Report,
    name: &str,
    left: &[f32],
    right: &[f32],
) -> Result<()> {
    let mut wave = Wave::new(folder.draft(name)?, RATE)?;
    wave.write(left, right)?;
    wave.finish()?;
    let peak = left.iter().chain(right).fold(0.0f32, |m, x| m.max(x.abs()));
    let quantity = format!("{name}: peak, dBFS");
    report.check(&quantity, "below -1", TargetBand::Within(-45.0, -1.0), db(f64::from(peak)));
    let picture = name.replace(".wav", ".png");
    folder.spectrogram(&picture, left, f64::from(RATE))?;
    report.figure(&picture);
    Ok(())
}

/// Renders the set: the engine alone, then the demonstration's piece on the whole piano.
pub fn run(folder: &mut Folder, settings: &Settings) -> Result<Report> {
    let mut report = Report::default();
    let pieces = pieces();
    let bar = progress(pieces.len() as u64, "rendering");
    let rate = f64::from(RATE);
    let mut sound = Sound::new(rate, &settings.sound);
    for Piece { name, mut events, seconds } in pieces {
        events.sort_by(|a, b| a.0.total_cmp(&b.0));
        sound.reset();
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let ends = events.iter().skip(1).map(|a| a.0).chain([seconds]);
        for ((_, event), end) in events.iter().zip(ends) {
            apply(&mut sound, *event)?;
            cancel::check();
            let (from, to) = (left.len(), floor_index(end * rate));
            left.resize(to.max(from), 0.0f32);
            right.resize(to.max(from), 0.0f32);
            sound.process(&mut left[from..], &mut right[from..]);
        }
        write(folder, &mut report, name, &left, &right)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    let score = Score::read("demonstration.mid", &prelude::midi(prelude::BARS))?;
    let (mut left, mut right) = (Vec::new(), Vec::new());
    render::perform(&score, settings, RATE, |l, r| {
        left.extend_from_slice(l);
        right.extend_from_slice(r);
        Ok(())
    })?;
    write(folder, &mut report, "demonstration.wav", &left, &right)?;
    report.note("Each file has its spectrogram beside it: 0–8 kHz, 90 dB from black to white.");
    Ok(report)
}
