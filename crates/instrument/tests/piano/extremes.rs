//! The piano plays under all settings in the table's ranges.

use proptest::prelude::*;
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::host::params;
use touchback_instrument::{Event, Piano, Settings};

const RATE: f64 = 48_000.0;

/// Plays bass, middle and top at three velocities, a repetition, half and full pedal, then requests
/// silence. Returns the largest absolute sample.
fn peak(piano: &mut Piano) -> f32 {
    piano.reset();
    let (mut left, mut right) = (vec![0.0; 1_500], vec![0.0; 1_500]);
    let mut peak = 0.0f32;
    let mut play = |piano: &mut Piano| {
        piano.process(&mut left, &mut right);
        for sample in left.iter().chain(&right) {
            assert!(sample.is_finite(), "a sample is not finite");
            peak = peak.max(sample.abs());
        }
    };
    let keys = [21, 60, 108].map(|note| KeyNumber::from_midi(note).unwrap());
    for (key, velocity) in keys.into_iter().zip([1.0, 0.5, 0.05]) {
        piano.handle(Event::NoteOn { key, velocity });
        play(piano);
        piano.handle(Event::NoteOff { key, velocity: 1.0 });
        piano.handle(Event::NoteOn { key, velocity });
        play(piano);
        piano.handle(Event::Sustain(velocity));
        piano.handle(Event::NoteOff { key, velocity: 0.0 });
        play(piano);
    }
    piano.handle(Event::AllSoundOff);
    play(piano);
    peak
}

/// Limit of the peak with one parameter at an end of its range.
const HARMLESS: f32 = 30.0;

/// Limit of the peak with any combination: twice the largest, 87, that a search from the loudest of 400
/// random combinations found, one parameter after the other at its ends and middle. Its largest gains are
/// the output level (+12 dB), the dynamics (twice the range) and hammers of twice the mass.
const HARMLESS_COMBINATION: f32 = 174.0;

#[test]
#[ignore = "long: `.ci/run` runs it"]
fn every_parameter_plays_at_both_ends() {
    let mut piano = Piano::new(RATE, &Settings::default());
    for parameter in params::all() {
        for value in [parameter.min(), parameter.max()] {
            let mut settings = Settings::default();
            parameter.set(&mut settings, value);
            piano.set(&settings);
            let peak = peak(&mut piano);
            assert!(peak < HARMLESS, "{} at {value}: peak {peak}", parameter.id);
        }
    }
    // After the reset the piano plays like a new one.
    piano.set(&Settings::default());
    let after = peak(&mut piano);
    let new = peak(&mut Piano::new(RATE, &Settings::default()));
    assert_eq!(after.to_bits(), new.to_bits());
}

/// Keys without a partial below the rate's limit too, struck between block boundaries of the engine while
/// settings change.
#[test]
#[ignore = "long: `.ci/run` runs it"]
fn samples_are_finite_at_every_rate() {
    let rates =
        [1_000.0, 2_345.6, 8_000.0, 8_363.0, 8_800.0, 9_200.0, 9_697.2, 11_025.0, 768_000.0];
    for rate in rates {
        let mut piano = Piano::new(rate, &Settings::default());
        let (mut left, mut right) = (vec![0.0; 357], vec![0.0; 357]);
        let hardness = params::find("hammer_hardness").unwrap();
        for key in KeyNumber::all() {
            let mut settings = Settings::default();
            hardness.set(&mut settings, key.number() as f64 / 88.0);
            piano.set(&settings);
            piano.handle(Event::NoteOn { key, velocity: 0.9 });
            piano.process(&mut left, &mut right);
            let is_finite = left.iter().chain(&right).all(|sample| sample.is_finite());
            assert!(is_finite, "{rate} Hz, {key:?}");
            piano.handle(Event::NoteOff { key, velocity: 0.5 });
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "long: `.ci/run` runs it"]
    fn random_combinations_of_parameters_stay_within_the_level_limit(
        positions in prop::collection::vec(
            prop_oneof![Just(0.0), Just(1.0), 0.0f64..=1.0],
            params::COUNT,
        ),
    ) {
        let mut settings = Settings::default();
        for (parameter, position) in params::all().zip(positions) {
            parameter.set(&mut settings, parameter.plain(position));
        }
        let mut piano = Piano::new(RATE, &settings);
        prop_assert!(peak(&mut piano) < HARMLESS_COMBINATION);
    }
}
