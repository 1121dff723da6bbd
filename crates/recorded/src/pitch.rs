//! Key of a recorded note by its pitch, and octave of recorded notes relative to their names: programs call middle C
//! C3, C4 or C5.
//!
//! A note whose names are an octave low has no odd multiples of the named fundamental; one whose names are an
//! octave high has multiples of half the fundamental.

use std::path::Path;

use num_complex::Complex32;

use crate::sound_file::{self, Note};
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::{KeyNumber, fundamental};
use touchback_core::math::power::square;
use touchback_offline::parallel;
use touchback_sound::SoundSettings;
use touchback_sound::tuning::stretch;

/// Octaves within which notes are searched.
const SEARCHED: std::ops::RangeInclusive<i32> = -2..=2;

/// Most notes that are measured, evenly over those of the folder.
const MEASURED: usize = 24;

/// Share of the notes that must agree.
const MAJORITY: f64 = 0.6;

/// The window: from after the blow's noise on, s, and its length, s.
const START: f64 = 0.15;
const LENGTH: f64 = 1.0;

/// Half width of a partial's band relative to its frequency: a third of a semitone. Inharmonicity raises the
/// seventh partial by less below the top two octaves (B < 0.0008).
const WIDTH: f64 = 0.02;

/// Least share of the power of all multiples in the odd ones that makes a fundamental: −20 dB. Chosen between
/// −3 dB and less of notes and the noise floor.
const LEAST: f64 = 0.01;

/// Notes whose pitch was measured, and those that are off by the most frequent number of octaves.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Octave {
    /// Octaves to add to the names.
    pub(super) shift: i32,
    pub(super) agree: usize,
    pub(super) measured: usize,
}

/// Octave of the sound files `named`, each with the key of its name, above their names, if most of them
/// agree; files that cannot be read do not count.
pub(super) fn of_files(named: &[(&Path, KeyNumber)]) -> Option<Octave> {
    let count = named.len().min(MEASURED);
    let some: Vec<_> = (0..count).map(|i| named[i * named.len() / count]).collect();
    let found = parallel::map(&some, |(path, key)| {
        sound_file::read(path).ok().and_then(|note| of_note(*key, &note))
    });
    let found: Vec<i32> = found.into_iter().flatten().collect();
    majority(&found)
}

/// Keys whose first partial tells the tuning, and the most that it may be off, cents.
const TUNED: std::ops::RangeInclusive<u8> = 28..=64;
const MOST_CENTS: f64 = 60.0;

/// Median of the pitch of the sound files `named`, each with its key, above that of a piano with `settings`, cents;
/// `None` without a file that can be read and has one of the keys [`TUNED`].
pub(super) fn cents_of_files(
    named: &[(&Path, KeyNumber)],
    settings: &SoundSettings,
) -> Option<f64> {
    let inside: Vec<_> = named.iter().filter(|(_, key)| TUNED.contains(&key.number())).collect();
    let count = inside.len().min(MEASURED);
    let some: Vec<_> = (0..count).map(|i| inside[i * inside.len() / count]).collect();
    let found =
        parallel::map(&some, |(path, key)| cents_of(*key, &sound_file::read(path).ok()?, settings));
    let mut found: Vec<f64> = found.into_iter().flatten().collect();
    found.sort_by(f64::total_cmp);
    found.get(found.len() / 2).copied()
}

/// Pitch of the first partial of `note` above that of `key` with `settings`, cents.
fn cents_of(key: KeyNumber, note: &Note, settings: &SoundSettings) -> Option<f64> {
    let Spectrum { rate, power, .. } = spectrum(note, START)?;
    let bin = rate / (2 * (power.len() - 1)) as f64;
    let wanted = stretch::fundamental(key, settings);
    let [low, high] = [-1.0, 1.0]
        .map(|side| floor_index(wanted * libm::exp2(side * MOST_CENTS / 1200.0) / bin + 0.5));
    let top = (low.max(1)..=high).max_by(|a, b| power[*a].total_cmp(&power[*b]))?;
    // A parabola through three levels of a windowed partial.
    let [before, at, after] = [top - 1, top, top + 1]
        .map(|i| power.get(i).copied().unwrap_or(0.0).max(f64::MIN_POSITIVE))
        .map(libm::log);
    let bend = 2.0 * at - before - after;
    let aside = if bend > 0.0 { 0.5 * (after - before) / bend } else { 0.0 };
    Some(1200.0 * libm::log2((top as f64 + aside) * bin / wanted))
}

fn majority(found: &[i32]) -> Option<Octave> {
    let agreeing = |shift: i32| found.iter().filter(|octave| **octave == shift).count();
    let shift = SEARCHED.max_by_key(|shift| agreeing(*shift))?;
    let (agree, measured) = (agreeing(shift), found.len());
    (agree as f64 >= MAJORITY * measured as f64 && agree > 0).then_some(Octave {
        shift,
        agree,
        measured,
    })
}

/// Octaves by which `note` sounds above `key`; `None` where no multiple of a fundamental stands out.
fn of_note(key: KeyNumber, note: &Note) -> Option<i32> {
    octave_of(key, &spectrum(note, START)?)
}

fn octave_of(key: KeyNumber, spectrum: &Spectrum) -> Option<i32> {
    let bin = spectrum.rate / (2 * (spectrum.power.len() - 1)) as f64;
    let named = fundamental(key);
    // The largest bin in a band of at least three bins around `hz`.
    let peak = |hz: f64| {
        let half = (WIDTH * hz).max(1.5 * bin);
        let (low, high) = (floor_index((hz - half) / bin), floor_index((hz + half) / bin) + 1);
        let band = spectrum.power.get(low..=high.min(spectrum.power.len() - 1));
        band.unwrap_or_default().iter().copied().fold(0.0, f64::max)
    };
    let top = 0.45 * spectrum.rate;
    // Multiples that a band cannot tell apart from others would count as present.
    let odd = |octave: i32| {
        let fundamental = named * libm::exp2(f64::from(octave));
        let multiples = [1.0, 3.0, 5.0, 7.0].map(|k| k * fundamental);
        multiples.into_iter().filter(|hz| *hz < top && *hz > 20.0).map(peak).sum::<f64>()
    };
    let each: Vec<f64> = SEARCHED.map(odd).collect();
    let total: f64 = each.iter().sum();
    if total <= 0.0 {
        return None;
    }
    SEARCHED.zip(each).find(|(_, power)| *power >= LEAST * total).map(|(octave, _)| octave)
}

/// Partials of a key that are summed, half width of their bands, and least share of their power in that of all keys: the
/// key an octave below has as much, but no higher key.
const TELLING: i32 = 12;
const NARROW: f64 = 0.012;
const HELD: f64 = 0.8;

/// A note that falls by this, dB, from the beginning of the window to half a second later is of a high key.
const FALL: f64 = 22.0;
const HIGH: u8 = 64;

/// Samples of a level.
const FRAME: usize = 4096;

/// Start of the window, s: the highest strings have soon decayed, the blow's noise below them has not.
const EARLY: f64 = 0.02;

/// Least share of a key's partials in the whole power.
const TONE: f64 = 0.5;

/// The key of `note`: the highest whose partials, as grands have them, hold its power; `None` where none does.
pub(super) fn key_of(note: &Note) -> Option<KeyNumber> {
    let spectrum = spectrum(note, EARLY)?;
    let bin = spectrum.rate / (2 * (spectrum.power.len() - 1)) as f64;
    let between = |from: f64, to: f64| {
        let [from, to] = [from, to].map(|hz| floor_index(hz / bin + 0.5));
        // By frequency: the blow's noise is loudest below the highest strings.
        (from..=to).map(|i| i as f64 * spectrum.power[i]).sum::<f64>()
    };
    let top = 0.4 * spectrum.rate;
    let held = |key: KeyNumber| {
        let b = stretch::inharmonicity(key);
        let partials = (1..=TELLING)
            .map(f64::from)
            .map(|n| n * fundamental(key) * ((1.0 + b * square(n)) / (1.0 + b)).sqrt());
        let bands = partials.map(|hz| (hz * (1.0 - NARROW), hz * (1.0 + NARROW)));
        bands.take_while(|(_, to)| *to < top).map(|(from, to)| between(from, to)).sum::<f64>()
    };
    let all: Vec<(KeyNumber, f64)> = KeyNumber::all().map(|key| (key, held(key))).collect();
    let most = all.iter().map(|(_, held)| *held).fold(TONE * between(20.0, top), f64::max);
    let (key, _) = all.iter().rev().find(|(_, held)| *held >= HELD * most)?;
    // The blow outlasts the highest strings.
    if key.number() < HIGH && spectrum.fall > FALL {
        return None;
    }
    // A weak first partial makes it an octave higher.
    let index = i32::from(key.number()) - 1 + 12 * octave_of(*key, &spectrum)?;
    KeyNumber::from_index(usize::try_from(index).ok()?)
}

/// Power spectrum of both channels.
struct Spectrum {
    rate: f64,
    power: Vec<f64>,
    /// Fall of the level in half a second, dB.
    fall: f64,
}

fn spectrum(note: &Note, start: f64) -> Option<Spectrum> {
    let [left, right] = &note.channels;
    let loud = |i: usize| left[i].abs().max(right[i].abs());
    let most = (0..left.len()).map(loud).fold(0.0, f32::max);
    let onset = (0..left.len()).position(|i| loud(i) > 0.05 * most)?;
    let length = floor_index(LENGTH * note.rate).next_power_of_two();
    let from = onset + floor_index(start * note.rate);
    let transform = touchback_sound::signal::fourier::forward(length);
    let mut power = vec![0.0; length / 2 + 1];
    for channel in &note.channels {
        let part = channel.get(from..)?;
        let count = part.len().min(length);
        if count < floor_index(0.1 * note.rate) {
            return None;
        }
        let turn = std::f32::consts::TAU / count as f32;
        let mut input = vec![0.0; length];
        for (i, (to, x)) in input.iter_mut().zip(part).enumerate() {
            *to = x * (0.5 - 0.5 * libm::cosf(turn * i as f32));
        }
        let mut output = vec![Complex32::default(); power.len()];
        // Fails only for wrong lengths; these lengths are the transform's.
        let _ = transform.process(&mut input, &mut output);
        power.iter_mut().zip(&output).for_each(|(p, x)| *p += f64::from(x.norm_sqr()));
    }
    let level = |from: usize| {
        let part = note.channels.iter().flat_map(|x| x.iter().skip(from).take(FRAME));
        part.map(|x| square(f64::from(*x))).sum::<f64>().max(f64::MIN_POSITIVE)
    };
    let fall = 10.0 * libm::log10(level(from) / level(from + floor_index(0.5 * note.rate)));
    Some(Spectrum { rate: note.rate, power, fall })
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_core::math::cast::single;
    use touchback_instrument::{Event, Piano, Settings};

    /// `key` of the piano, at a soft and a loud velocity.
    fn played(number: u8, velocity: f64) -> Note {
        let key = KeyNumber::from_number(number).unwrap();
        let mut piano = Piano::new(48_000.0, &Settings::default());
        let mut channels = [(); 2].map(|()| vec![0.0f32; 60_000]);
        let [left, right] = &mut channels;
        piano.process(&mut left[..4800], &mut right[..4800]);
        piano.handle(Event::NoteOn { key, velocity });
        piano.process(&mut left[4800..], &mut right[4800..]);
        Note { channels, rate: 48_000.0, fault: None }
    }

    #[test]
    fn the_piano_s_own_notes_are_found_in_their_octave_under_any_name() {
        for number in [1, 8, 13, 20, 28, 40, 52, 64, 70, 76] {
            for velocity in [0.3, 0.9] {
                let note = played(number, velocity);
                for octave in -1..=1i32 {
                    let named = i32::from(number) - 12 * octave;
                    let Ok(named) = usize::try_from(named - 1) else { continue };
                    let Some(named) = KeyNumber::from_index(named) else { continue };
                    assert_eq!(of_note(named, &note), Some(octave), "key {number}, {velocity}");
                }
            }
        }
    }

    #[test]
    fn the_piano_s_own_notes_have_their_keys() {
        let keys = [1, 4, 11, 20, 28, 40, 47, 58, 64, 70, 76, 83, 88];
        let all = keys.iter().flat_map(|key| [(*key, 0.3), (*key, 0.9)]);
        let found = all.map(|(key, velocity)| {
            (key, velocity, key_of(&played(key, velocity)).map(KeyNumber::number))
        });
        // The blow outlasts the highest strings, above all of soft notes.
        let wrong: Vec<_> = found
            .filter(|(key, _, found)| *found != Some(*key) && (*key < 80 || found.is_some()))
            .collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn noise_and_disagreement_give_no_octave() {
        let silence =
            Note { channels: [vec![0.0; 60_000], vec![0.0; 60_000]], rate: 48e3, fault: None };
        let key = KeyNumber::from_index(39).unwrap();
        assert_eq!(of_note(key, &silence), None);
        assert_eq!(key_of(&silence), None);
        let hum = |i: usize| single(0.1 * (std::f64::consts::TAU * 3111.0 * i as f64 / 48e3).sin());
        let hum: Vec<f32> = (0..60_000).map(hum).collect();
        let _ = of_note(key, &Note { channels: [hum.clone(), hum], rate: 48e3, fault: None });
        assert_eq!(majority(&[]), None);
        assert_eq!(majority(&[1, 0, -1, 1, 0]), None);
        assert_eq!(majority(&[1, 1, 1, 0]), Some(Octave { shift: 1, agree: 3, measured: 4 }));
        assert_eq!(majority(&[0, 0, 1]), Some(Octave { shift: 0, agree: 2, measured: 3 }));
    }

    #[test]
    fn a_detuned_note_is_off_by_what_it_was_detuned() {
        let settings = SoundSettings { a4_hz: 447.7, ..SoundSettings::default() };
        for number in [30, 45, 60] {
            let cents =
                cents_of(KeyNumber::from_number(number).unwrap(), &played(number, 0.5), &settings);
            let cents = cents.unwrap();
            assert!((cents + 30.0).abs() < 3.0, "key {number}: {cents}");
        }
    }
}
