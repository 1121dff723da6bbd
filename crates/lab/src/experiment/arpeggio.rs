//! `arpeggio`: timing heard as timbre [Gillespie 1996, §2.1.3].
//!
//! Four tones at equal hammer speeds, once slurred, so that each damper falls after the next strike, once detached, so
//! that it falls before it. The thesis supposes that listeners hear this timing as tone colour. Here the last tone is
//! taken apart: the tone itself, and what still sounds of those before it. `examples/python/arpeggio.py` measures the
//! files again.

use anyhow::{Context, Result};

use super::sound::{LENGTH, RATE, centroid, spectrum};
use touchback_core::exchange::cancel;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::power::square;
use touchback_core::text::numbers::{Number, Numbers};
use touchback_instrument::Settings;
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, short};
use touchback_offline::plot::{Axis, Figure, Series, Subplot, palette};
use touchback_offline::wave::Wave;
use touchback_sound::Sound;
use touchback_sound::measure::db;

/// The numbers of the experiment.
pub const NUMBERS: &[Number] = &[
    Number {
        id: "speed",
        unit: "m/s",
        range: [0.3, 6.0],
        usual: 1.0,
        about: "speed of the hammers",
    },
    Number {
        id: "spacing",
        unit: "s",
        range: [0.05, 1.0],
        usual: 0.16,
        about: "time from tone to tone",
    },
    Number {
        id: "overlap",
        unit: "s",
        range: [0.0, 1.0],
        usual: 0.1,
        about: "time from a strike to the fall of the damper before it, slurred",
    },
    Number {
        id: "gap",
        unit: "s",
        range: [0.0, 0.5],
        usual: 0.08,
        about: "time from the fall of a damper to the next strike, detached",
    },
];

/// The keys, C4 to C5, and the length of a file after its last strike, s.
const KEYS: [u8; 4] = [40, 44, 47, 52];
const AFTER: f64 = 1.5;

/// Time of the first strike, and that of each rise of a damper before its strike, s.
const FIRST: f64 = 0.1;
const LIFT: f64 = 0.03;

/// Time that a tone keeps its damper up at least, s.
const SHORTEST: f64 = 0.02;

/// What a key does at a sample.
enum Act {
    Damper(f64),
    Strike,
}

/// Both channels of the arpeggio whose dampers fall `after` s after the next strike; the last damper stays up.
/// `strikes` says of each tone whether its hammer strikes.
fn play(sound: &mut Sound, of: &Numbers, after: f64, strikes: [bool; 4]) -> Result<[Vec<f32>; 2]> {
    let (speed, spacing) = (of.get("speed"), of.get("spacing"));
    let sample = |time: f64| floor_index((time * RATE).max(0.0));
    let strike = |i: usize| FIRST + spacing * i as f64;
    let mut acts = Vec::new();
    for (i, number) in KEYS.into_iter().enumerate() {
        let key = KeyNumber::from_number(number).context("no such key")?;
        acts.push((sample(strike(i) - LIFT), key, Act::Damper(1.0)));
        if strikes[i] {
            acts.push((sample(strike(i)), key, Act::Strike));
        }
        if i + 1 < KEYS.len() {
            let falls = (strike(i + 1) + after).max(strike(i) + SHORTEST);
            acts.push((sample(falls), key, Act::Damper(0.0)));
        }
    }
    acts.sort_by_key(|act| act.0);
    let count = sample(strike(KEYS.len() - 1) + AFTER);
    let [mut left, mut right] = [vec![0.0f32; count], vec![0.0f32; count]];
    sound.reset();
    let mut done = 0;
    for (at, key, act) in acts {
        cancel::check();
        sound.process(&mut left[done..at], &mut right[done..at]);
        done = at;
        match act {
            Act::Damper(lift) => sound.damper(key, lift),
            Act::Strike => sound.strike(key, speed, 0.0),
        }
    }
    sound.process(&mut left[done..], &mut right[done..]);
    Ok([left, right])
}

/// The sum of both channels from the last strike on.
fn last(sound: &[Vec<f32>; 2], of: &Numbers) -> Vec<f64> {
    let from = floor_index((FIRST + of.get("spacing") * (KEYS.len() - 1) as f64) * RATE);
    let [left, right] = sound;
    left[from..].iter().zip(&right[from..]).map(|(a, b)| f64::from(a + b)).collect()
}

/// Root mean square of the first samples, as many as a spectrum has, dB.
fn level(samples: &[f64]) -> f64 {
    db((samples[..LENGTH].iter().map(|x| square(*x)).sum::<f64>() / LENGTH as f64).sqrt())
}

/// Runs the experiment.
pub fn run(folder: &mut Folder, numbers: &Numbers) -> Result<Report> {
    let mut report = Report::default();
    let mut sound = Sound::new(RATE, &Settings::default().strings());
    let ways = [("slurred", numbers.get("overlap")), ("detached", -numbers.get("gap"))];
    let mut csv = DataTable::new(&[
        "way",
        "level_db",
        "earlier_tones_db",
        "centroid_hz",
        "centroid_of_tone_hz",
    ]);
    let (mut found, mut tones, mut series) = (Vec::new(), Vec::new(), Vec::new());
    for (i, (name, after)) in ways.into_iter().enumerate() {
        let whole = play(&mut sound, numbers, after, [true; 4])?;
        let before = last(&play(&mut sound, numbers, after, [true, true, true, false])?, numbers);
        let [left, right] = &whole;
        let mut wave = Wave::new(folder.draft(&format!("{name}.wav"))?, 48_000)?;
        wave.write(left, right)?;
        wave.finish()?;
        let heard = last(&whole, numbers);
        let tone: Vec<f64> = heard.iter().zip(&before).map(|(a, b)| a - b).collect();
        let power = spectrum(&heard);
        let own = [level(&heard), level(&before), centroid(&power), centroid(&spectrum(&tone))];
        csv.numbers(&name, &own);
        let line = power.iter().enumerate().skip(1).take(1500);
        let points =
            line.map(|(bin, p)| (bin as f64 * RATE / LENGTH as f64, 10.0 * libm::log10(*p)));
        series.push(Series::line(name, points.collect(), palette(i)));
        found.push(own);
        tones.push(tone);
    }
    let ([slurred, detached], [first, second]) = (&found[..], &tones[..]) else {
        return Ok(report);
    };
    let apart: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
    let of_tone = level(&apart) - level(first);
    let ratio = slurred[2] / detached[2];
    report.note(&format!(
        "The last tone with what sounds under it, slurred and detached: spectral centroid {:.0} and {:.0} Hz, level {:.1} \
         and {:.1} dB, earlier tones {:.1} and {:.1} dB; the tone itself differs by {} dB of itself.",
        slurred[2],
        detached[2],
        slurred[0],
        detached[0],
        slurred[1],
        detached[1],
        short(of_tone)
    ));
    if numbers.changed().is_none() {
        report.source("000 §2.1.3");
        let quantity = "the last tone itself, slurred less detached, dB of it";
        report.check(quantity, "equal", TargetBand::AtMost(-40.0), of_tone);
        let quantity = "earlier tones under the last, slurred over detached, dB";
        report.check(quantity, "louder", TargetBand::AtLeast(6.0), slurred[1] - detached[1]);
        let quantity = "spectral centroid with the last tone, slurred over detached";
        report.check(quantity, "differs", TargetBand::AtLeast(1.05), ratio);
    }
    folder.table("arpeggio.csv", &csv)?;
    report.note("Files: slurred.wav, detached.wav.");
    let figure = Figure {
        title: "Spectrum from the last strike on, at equal hammer speeds".into(),
        x: Axis::new("Hz").log(),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![Subplot::new(Axis::new("power, dB"), series)],
    };
    folder.draw("arpeggio", &figure, &mut report)?;
    Ok(report)
}
