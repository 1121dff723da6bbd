//! The piano with a predictable action and predictable strings.

mod damage;
mod manners;
mod sending;

use super::fakes::{Call, FASTEST, FakeKeys, FakeStrings, RATIO, THROW};
use super::*;
use crate::Event;
use crate::play::knocks::caught_speed;
use crate::play::record::Counts;
use crate::settings::{Switch, Timing, TouchSettings};
use proptest::prelude::*;
use touchback_action::STEP;
use touchback_core::math::compass::KeyNumber;
use touchback_sound::Knock;

type Fake = Piano<FakeKeys, FakeStrings>;

const RATES: [f64; 8] =
    [1000.0, 22_050.0, 44_100.0, 48_000.0, 88_200.0, 96_000.0, 192_000.0, 384_000.0];

fn settings(timing: Timing) -> Settings {
    let mut settings = Settings::default();
    settings.touch.timing = timing;
    settings
}

fn piano(rate: f64, settings: &Settings) -> Fake {
    let keys = FakeKeys::new(&settings.action);
    let time = Box::new(Time::new(rate));
    let sink = Sink::here(FakeStrings::default(), time.clock.rate(), settings);
    Piano::with_engines(Box::new(keys), sink, time, settings)
}

/// A key by its MIDI note.
fn key(note: u8) -> KeyNumber {
    KeyNumber::from_midi(note).unwrap()
}

/// A note-on of hammer speed `speed` in the default map.
fn on(note: u8, speed: f64) -> Event {
    Event::NoteOn { key: key(note), velocity: TouchSettings::default().velocity(speed) }
}

fn off(note: u8) -> Event {
    Event::NoteOff { key: key(note), velocity: 0.0 }
}

/// Renders `samples`; the left channel.
fn run(piano: &mut Fake, samples: usize) -> Vec<f32> {
    let (mut left, mut right) = (vec![0.0; samples], vec![0.0; samples]);
    piano.process(&mut left, &mut right);
    left
}

/// All calls of the strings, with their samples.
fn all_calls(piano: &Fake) -> &[(u64, Call)] {
    &piano.output.sink.strings().unwrap().calls
}

fn calls(piano: &Fake, wanted: impl Fn(&Call) -> bool) -> Vec<(u64, Call)> {
    all_calls(piano).iter().filter(|(_, c)| wanted(c)).copied().collect()
}

fn is_strike(call: &Call) -> bool {
    matches!(call, Call::Strike(..))
}

/// Lifts sent to the strings for one key's damper.
fn lifts(piano: &Fake, note: u8) -> Vec<(u64, f64)> {
    let sent = all_calls(piano).iter().filter_map(|(sample, call)| match call {
        Call::Damper(k, lift) if *k == key(note) => Some((*sample, *lift)),
        _ => None,
    });
    sent.collect()
}

#[test]
fn an_immediate_note_strikes_at_its_sample_once_with_the_damper_off() {
    for rate in RATES {
        let mut piano = piano(rate, &settings(Timing::Immediate));
        run(&mut piano, 123);
        piano.handle(on(60, 2.0));
        run(&mut piano, 400);
        assert_eq!(piano.strikes().len(), 1);
        assert_eq!(piano.strikes()[0].time, 123.0 / rate);
        assert_eq!(piano.strikes()[0].note_on, 123.0 / rate);
        let strikes = calls(&piano, is_strike);
        assert_eq!(strikes.len(), 1, "the action's own report is the same strike");
        let (sample, Call::Strike(struck, speed, delay)) = strikes[0] else { unreachable!() };
        assert_eq!((sample, struck, delay), (123, key(60), 0.0));
        assert!((speed - 2.0).abs() < 1e-12);
        let index = all_calls(&piano).iter().position(|c| is_strike(&c.1)).unwrap();
        assert_eq!(all_calls(&piano)[index - 1], (123, Call::Damper(key(60), 1.0)));
    }
}

#[test]
fn an_immediate_note_off_damps_at_its_sample() {
    for rate in RATES {
        let mut piano = piano(rate, &settings(Timing::Immediate));
        piano.handle(on(60, 2.0));
        run(&mut piano, 701);
        assert_eq!(lifts(&piano, 60).last(), Some(&(0, 1.0)));
        piano.handle(off(60));
        run(&mut piano, 1000);
        assert_eq!(lifts(&piano, 60).last(), Some(&(701, 0.0)));
    }
}

#[test]
fn a_natural_note_sounds_after_its_press_and_one_step() {
    for rate in &RATES[1..] {
        for (start, speed) in [(0, 1.0), (7, 1.0), (1001, 0.3), (12_345, 3.0)] {
            let mut piano = piano(*rate, &settings(Timing::Natural));
            run(&mut piano, start);
            piano.handle(on(64, speed));
            run(&mut piano, 200_000);
            let note_on = start as f64 / rate;
            let expected = note_on + THROW * RATIO / speed + STEP;
            let [record] = piano.strikes() else { panic!("one strike") };
            assert!((record.time - expected).abs() < 1e-12, "{} {expected}", record.time);
            assert_eq!((record.key, record.note_on), (key(64), note_on));
            assert!((record.speed - speed).abs() < 1e-9);
            let (sample, Call::Strike(_, _, delay)) = calls(&piano, is_strike)[0] else {
                unreachable!()
            };
            assert!((0.0..1.0).contains(&delay));
            assert!((sample as f64 + delay - expected * rate).abs() < 1e-6);
        }
    }
}

#[test]
fn a_note_beyond_the_fastest_press_strikes_sooner_than_it() {
    let mut last = f64::INFINITY;
    for speed in [FASTEST, FASTEST + 0.01, 6.0, 7.9] {
        let mut piano = piano(48_000.0, &settings(Timing::Natural));
        piano.handle(on(64, speed));
        run(&mut piano, 20_000);
        let [record] = piano.strikes() else { panic!("one strike") };
        assert!(record.time < last, "{speed}");
        let jump = last - record.time;
        assert!(speed != FASTEST + 0.01 || jump < 5e-4, "the two touches join: {jump}");
        last = record.time;
    }
}

#[test]
fn knocks_carry_their_kind_and_speed() {
    let mut piano = piano(48_000.0, &settings(Timing::Natural));
    piano.handle(on(64, 1.0));
    run(&mut piano, 10_000);
    piano.handle(off(64));
    run(&mut piano, 10_000);
    let shank = |c: &Call| matches!(c, Call::Knock(_, Knock::Sway | Knock::Ring, _));
    let shanks = calls(&piano, shank);
    let strike = calls(&piano, |c| matches!(c, Call::Strike(..)))[0].0;
    let [(sway, Call::Knock(_, Knock::Sway, by)), (ring, Call::Knock(_, Knock::Ring, _))] =
        shanks[..]
    else {
        panic!("{shanks:?}")
    };
    // The fake hammer's way is unknown: the blow alone bends its shank.
    assert!((by - 1.45).abs() < 1e-9 && (sway, ring) == (strike, strike));
    let knocks = calls(&piano, |c| matches!(c, Call::Knock(..)) && !shank(c));
    let [(bed, Call::Knock(_, Knock::KeyBed, speed)), (rest, Call::Knock(_, Knock::KeyRest, back))] =
        knocks[..]
    else {
        panic!("{knocks:?}")
    };
    assert!((speed - 0.2).abs() < 1e-9 && (back - 0.2).abs() < 1e-12);
    let expected = (0.01 * RATIO + STEP) * 48_000.0;
    assert!((bed as f64 - expected).abs() <= 1.0, "{bed} {expected}");
    // 10 mm at the middle release speed of 0.3 m/s, seen at the end of a step, one step later.
    let expected = 10_000.0 + (0.01 / 0.3 + STEP) * 48_000.0;
    assert!(rest as f64 >= expected && (rest as f64) < expected + 7.0, "{rest} {expected}");
}

#[test]
fn a_check_knocks_at_the_speed_of_the_falling_hammer() {
    assert_eq!(caught_speed(0.0, -1.0), 0.0);
    assert!((caught_speed(2.0, 0.0) - 0.9).abs() < 1e-12);
    assert!((caught_speed(0.0, 0.015) - 0.5424).abs() < 1e-4);
}

#[test]
fn overlapping_notes_of_a_key_are_counted() {
    for timing in [Timing::Immediate, Timing::Natural] {
        let mut piano = piano(48_000.0, &settings(timing));
        piano.handle(on(60, 1.0));
        run(&mut piano, 8000);
        piano.handle(on(60, 1.0));
        run(&mut piano, 16_000);
        assert_eq!(piano.counts().strikes, 2, "a held key is struck again");
        piano.handle(off(60));
        run(&mut piano, 8000);
        assert_eq!(lifts(&piano, 60).last().unwrap().1, 1.0, "still held by the other note");
        piano.handle(off(60));
        piano.handle(off(60));
        run(&mut piano, 8000);
        assert_eq!(lifts(&piano, 60).last().unwrap().1, 0.0);
        let counts = piano.counts();
        assert_eq!((counts.notes, counts.strikes, counts.silent_presses), (2, 2, 0));
    }
}

#[test]
fn the_pedal_keeps_dampers_off_and_lets_them_down() {
    for timing in [Timing::Immediate, Timing::Natural] {
        let mut piano = piano(48_000.0, &settings(timing));
        run(&mut piano, 96_000);
        piano.handle(Event::Sustain(7.0));
        run(&mut piano, 2400);
        assert_eq!(lifts(&piano, 30).last().unwrap().1, 1.0, "even with every key asleep");
        piano.handle(on(60, 1.0));
        run(&mut piano, 8000);
        piano.handle(off(60));
        run(&mut piano, 48_000);
        assert_eq!(lifts(&piano, 60).last().unwrap().1, 1.0);
        piano.handle(Event::Sustain(0.25));
        run(&mut piano, 2400);
        assert_eq!(lifts(&piano, 60).last().unwrap().1, 0.27);
    }
}

#[test]
fn dampers_are_sent_only_when_they_have_moved() {
    let mut piano = piano(48_000.0, &settings(Timing::Natural));
    piano.handle(on(60, 1.0));
    run(&mut piano, 48_000);
    for note in 21..=108 {
        let sent = lifts(&piano, note);
        assert!(sent.windows(2).all(|w| w[0].1 != w[1].1));
        assert!(note == 60 || sent.len() == 1);
    }
}

#[test]
fn presses_too_soft_or_too_short_are_silent_and_counted() {
    let mut natural = settings(Timing::Natural);
    natural.touch.legato_repair = Switch::Off;
    let mut soft = natural.clone();
    soft.touch.dynamics = 0.05;
    let mut piano = piano(48_000.0, &soft);
    piano.handle(on(60, 1.0));
    run(&mut piano, 96_000);
    assert_eq!((piano.counts().strikes, piano.counts().silent_presses), (0, 1));
    piano.set(&natural);
    piano.handle(off(60));
    piano.handle(on(62, 1.0));
    run(&mut piano, 480);
    piano.handle(off(62));
    run(&mut piano, 4700);
    assert_eq!(piano.counts().silent_presses, 1, "a hammer in flight may still arrive");
    run(&mut piano, 480);
    assert_eq!((piano.counts().strikes, piano.counts().silent_presses), (0, 2));
    assert_eq!(piano.counts().notes, 2);
}

#[test]
fn where_no_strike_can_be_constructed_the_key_is_pressed() {
    let mut blocked = settings(Timing::Immediate);
    blocked.action.let_off_mm = -1.0;
    let mut piano = piano(48_000.0, &blocked);
    piano.handle(on(60, 1.0));
    run(&mut piano, 48_000);
    assert_eq!(piano.mechanism.keys.key_depth(key(60)), 0.01);
    let [record] = piano.strikes() else { panic!("the fake action strikes when pressed") };
    assert!((record.time - THROW * RATIO - STEP).abs() < 1e-9);
}

#[test]
fn a_regulation_reaches_the_action_once_at_the_step_that_covers_it() {
    let mut piano = piano(48_000.0, &settings(Timing::Immediate));
    run(&mut piano, 20);
    let mut changed = settings(Timing::Immediate);
    for dip in [9.0, 8.0, 8.0] {
        changed.action.key_dip_mm = dip;
        piano.set(&changed);
        assert!(piano.mechanism.keys.configured.is_empty());
    }
    run(&mut piano, 1);
    piano.set(&changed);
    run(&mut piano, 2);
    assert!(piano.mechanism.keys.configured.is_empty(), "samples 18…23 are the fourth step");
    run(&mut piano, 1);
    assert_eq!(piano.mechanism.keys.configured, [(3, 8.0)]);
    run(&mut piano, 100);
    assert_eq!(piano.mechanism.keys.configured.len(), 1);
}

#[test]
fn changed_sound_settings_reach_the_strings_at_their_sample() {
    let mut piano = piano(48_000.0, &settings(Timing::Immediate));
    run(&mut piano, 77);
    let mut changed = settings(Timing::Immediate);
    piano.set(&changed);
    changed.sound.brightness_loss = 2.0;
    piano.set(&changed);
    piano.set(&changed);
    assert_eq!(calls(&piano, |c| *c == Call::Set), [(77, Call::Set)]);
    assert_eq!(piano.settings(), &changed);
}

#[test]
fn the_output_level_moves_without_a_click() {
    let mut piano = piano(48_000.0, &settings(Timing::Immediate));
    run(&mut piano, 64);
    piano.handle(on(60, 7.0));
    let mut line = run(&mut piano, 100);
    let mut quiet = settings(Timing::Immediate);
    quiet.output_db = -40.0;
    piano.set(&quiet);
    line.extend(run(&mut piano, 4800));
    // The fake tone flips by a tenth every 32 samples; between flips only the ramp moves it.
    let flips = |i: usize| (i + 1).is_multiple_of(32);
    for (i, w) in line.windows(2).enumerate().filter(|(i, _)| !flips(*i)) {
        assert!((w[1] - w[0]).abs() <= 0.0035 * w[0].abs(), "{i}: {} {}", w[0], w[1]);
    }
    let level = 0.7 * 0.999_f64.powi(4899) * 0.01;
    let last = f64::from(line[4899]);
    assert!((last / level - 0.95).abs() < 0.06, "{last} {level}");
}

#[test]
fn all_notes_off_releases_every_key() {
    for timing in [Timing::Immediate, Timing::Natural] {
        let mut piano = piano(48_000.0, &settings(timing));
        for note in [40, 60, 60, 80] {
            piano.handle(on(note, 1.0));
        }
        run(&mut piano, 9600);
        piano.handle(Event::AllNotesOff);
        run(&mut piano, 9600);
        for note in [40, 60, 80] {
            assert_eq!(lifts(&piano, note).last().unwrap().1, 0.0);
            assert_eq!(piano.mechanism.keys.key_depth(key(note)), 0.0);
        }
        run(&mut piano, 48_000);
        assert!(piano.is_idle());
    }
}

#[test]
fn all_sound_off_fades_within_3_ms_under_a_note_of_the_same_sample() {
    let mut piano = piano(48_000.0, &settings(Timing::Immediate));
    piano.handle(Event::Sustain(1.0));
    run(&mut piano, 960);
    piano.handle(on(60, 6.0));
    let mut line = run(&mut piano, 960);
    piano.handle(Event::AllSoundOff);
    let last = line.len();
    line.extend(run(&mut piano, 300));
    let steepest = line[last - 16..last + 145].windows(2).map(|w| (w[1] - w[0]).abs());
    let steepest = steepest.fold(0.0_f32, f32::max) / line[last - 1];
    assert!(steepest < 0.15, "the fake tone's own flip is a tenth: {steepest}");
    assert!(line[last + 145..].iter().all(|s| *s == 0.0));
    assert!(piano.is_idle());
    run(&mut piano, 480);
    assert_eq!(lifts(&piano, 60).last().unwrap().1, 1.0, "the pedal is still down");

    piano.handle(on(60, 1.0));
    run(&mut piano, 960);
    piano.handle(Event::AllSoundOff);
    piano.handle(on(62, 1.0));
    run(&mut piano, 10);
    assert_eq!(piano.strikes()[0].time, 3660.0 / 48_000.0);
    assert_eq!(piano.counts().strikes, 3);
}

#[test]
fn a_reset_piano_equals_a_new_one() {
    let natural = settings(Timing::Natural);
    let mut used = piano(44_100.0, &Settings::default());
    used.handle(Event::Sustain(1.0));
    used.handle(on(50, 3.0));
    run(&mut used, 1001);
    used.set(&Settings { output_db: -6.0, ..natural.clone() });
    used.reset();
    let mut new = piano(44_100.0, &Settings { output_db: -6.0, ..natural });
    assert_eq!(used.counts(), Counts::default());
    for piano in [&mut used, &mut new] {
        run(piano, 333);
        piano.handle(on(60, 1.0));
    }
    assert_eq!(run(&mut used, 9000), run(&mut new, 9000));
    assert_eq!(used.strikes(), new.strikes());
}
