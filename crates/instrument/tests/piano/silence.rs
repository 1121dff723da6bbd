//! A piano whose settings change in silence plays the next note as a piano made with them.

use touchback_core::math::compass::KeyNumber;
use touchback_instrument::host::params::{self, Parameter, ValueKind};
use touchback_instrument::{Event, Piano, Settings};

const RATE: f64 = 48_000.0;

/// Samples of silence before a change, and between a change and the note: within a block of the strings and
/// within an action step.
const BEFORE: [(usize, usize); 2] = [(0, 0), (1003, 5)];

/// Blocks of these lengths, one after another.
const BLOCKS: [usize; 4] = [64, 1, 333, 17];

fn process(piano: &mut Piano, samples: usize) -> Vec<f32> {
    let (mut left, mut right) = (vec![0.0; samples], vec![0.0; samples]);
    let mut done = 0;
    for length in BLOCKS.into_iter().cycle() {
        let to = samples.min(done + length);
        piano.process(&mut left[done..to], &mut right[done..to]);
        done = to;
        if done == samples {
            break;
        }
    }
    left.extend(right);
    left
}

/// A chord of two notes after `samples` of silence, 0.15 s of it.
fn chord(piano: &mut Piano, samples: usize) -> Vec<f32> {
    assert!(process(piano, samples).iter().all(|x| *x == 0.0));
    chord_at_once(piano)
}

/// A chord of two notes, 0.15 s of it.
fn chord_at_once(piano: &mut Piano) -> Vec<f32> {
    for (note, velocity) in [(45, 0.7), (72, 0.5)] {
        let key = KeyNumber::from_midi(note).unwrap();
        piano.handle(Event::NoteOn { key, velocity });
    }
    process(piano, 7200)
}

/// The settings with `parameter` at the end of its range that is farther from its default.
fn far(parameter: &Parameter) -> Settings {
    let default = parameter.default_value();
    let far = match parameter.kind {
        ValueKind::Number { min, max, .. } if default - min > max - default => min,
        ValueKind::Number { max, .. } => max,
        ValueKind::Choice(names) if default + 1.0 < names.len() as f64 => names.len() as f64 - 1.0,
        ValueKind::Choice(_) => 0.0,
    };
    let mut settings = Settings::default();
    parameter.set(&mut settings, far);
    assert_ne!(parameter.get(&settings), default, "{}", parameter.id);
    settings
}

#[test]
#[ignore = "long: `.ci/run` runs it"]
fn every_parameter_that_changes_in_silence_is_in_force_at_the_next_note() {
    let mut changed = Piano::new(RATE, &Settings::default());
    let standard = chord(&mut changed, 0);
    let mut heard = 0;
    for parameter in params::all() {
        let settings = far(parameter);
        for (before, between) in BEFORE {
            changed.set(&Settings::default());
            changed.reset();
            process(&mut changed, before);
            changed.set(&settings);
            let got = chord(&mut changed, between);
            let mut made = Piano::new(RATE, &settings);
            process(&mut made, before);
            let meant = chord(&mut made, between);
            assert!(got == meant, "{} after {before} + {between} samples", parameter.id);
            heard += usize::from(before + between == 0 && meant != standard);
        }
    }
    assert!(heard >= 40, "only {heard} parameters change the chord");
}

/// The pedal is down without a knock, and the settings change twice, the second time before the first change
/// is complete.
#[test]
fn settings_that_change_under_the_held_pedal_are_in_force_at_the_next_note() {
    let mut quiet = Settings::default();
    quiet.sound.knocks = 0.0;
    let with = |ids: &[&str]| {
        let mut settings = quiet.clone();
        for parameter in ids.iter().map(|id| params::find(id).unwrap()) {
            parameter.set(&mut settings, parameter.get(&far(parameter)));
        }
        settings
    };
    let settings =
        with(&["a4_hz", "hammer_mass", "strike_point", "unevenness", "distance", "damper_weight"]);
    let mut meant = Piano::new(RATE, &settings);
    meant.handle(Event::Sustain(0.4));
    process(&mut meant, 2400);
    let mut changed = Piano::new(RATE, &quiet);
    changed.handle(Event::Sustain(0.4));
    process(&mut changed, 1200);
    changed.set(&with(&["key_dip_mm", "a4_hz", "board"]));
    process(&mut changed, 1200);
    changed.set(&settings);
    assert!(chord(&mut changed, 0) == chord(&mut meant, 0));
}

/// The sound of a moving pedal must not keep the slews of new settings going.
#[test]
fn settings_that_change_in_silence_are_in_force_when_a_pedal_moves_first() {
    let mut settings = Settings::default();
    for parameter in ["let_off_mm", "hammer_mass", "a4_hz"].map(|id| params::find(id).unwrap()) {
        parameter.set(&mut settings, parameter.get(&far(parameter)));
    }
    for pedal in [Event::Sustain(1.0), Event::UnaCorda(1.0), Event::Sostenuto(1.0)] {
        let play = |mut piano: Piano| {
            piano.handle(pedal);
            let knock = process(&mut piano, 480);
            (knock, chord_at_once(&mut piano))
        };
        let mut changed = Piano::new(RATE, &Settings::default());
        changed.set(&settings);
        assert!(play(changed) == play(Piano::new(RATE, &settings)), "{pedal:?}");
    }
}

/// A level that changes while a note sounds does not jump.
#[test]
fn nothing_jumps_under_a_sounding_note() {
    let mut piano = Piano::new(RATE, &Settings::default());
    chord(&mut piano, 0);
    let before = process(&mut piano, 480);
    let settings = far(params::find("output_db").unwrap());
    piano.set(&settings);
    piano.handle(Event::NoteOn { key: KeyNumber::from_midi(100).unwrap(), velocity: 0.01 });
    let after = process(&mut piano, 2400);
    let peak = |x: &[f32]| x.iter().fold(0.0f32, |most, x| most.max(x.abs()));
    assert!(peak(&after[..48]) > 0.3 * peak(&before), "{}", peak(&after[..48]));
    assert!(peak(&after[2352..2400]) < 0.1 * peak(&before));
}
