//! Odd, invalid and excessive input.

use super::*;
use crate::settings::KeyPressure;

#[test]
fn odd_blocks_and_thousands_of_notes_are_counted_and_rendered() {
    let mut piano = piano(48_000.0, &settings(Timing::Immediate));
    piano.process(&mut [], &mut []);
    let (mut left, mut right) = ([1.0_f32; 8], [1.0_f32; 5]);
    piano.process(&mut left, &mut right);
    assert_eq!(left[5..], [0.0; 3]);
    for _ in 0..60 {
        for note in 21..=108 {
            piano.handle(on(note, 1.0));
        }
    }
    run(&mut piano, 16);
    let counts = piano.counts();
    assert_eq!((counts.notes, counts.strikes, counts.lost), (5280, 5280, 0));
    assert_eq!(piano.strikes().len() as u64 + counts.unlisted, 5280);
    run(&mut piano, 0);
    assert!(!piano.strikes().is_empty(), "a call that renders nothing keeps the list");
    run(&mut piano, 1);
    assert!(piano.strikes().is_empty());
}

#[test]
fn invalid_settings_give_finite_samples() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for timing in [Timing::Immediate, Timing::Natural] {
            let mut settings = settings(timing);
            let mut piano = piano(48_000.0, &settings);
            settings.output_db = bad.min(0.0);
            settings.touch.dynamics = bad;
            settings.touch.release_m_s = bad;
            piano.set(&settings);
            settings.action.key_dip_mm = bad;
            *piano.settings = settings;
            piano.handle(on(60, 1.0));
            let line = run(&mut piano, 48_000);
            piano.handle(off(60));
            run(&mut piano, 96_000);
            assert!(line.iter().all(|s| s.is_finite()));
            assert!(!piano.fingers.moving.contains(key(60)));
        }
    }
}

#[test]
fn all_keys_pressed_at_once_lose_no_event() {
    let mut piano = piano(22_050.0, &settings(Timing::Natural));
    for note in 21..=108 {
        piano.handle(on(note, 1.0));
    }
    run(&mut piano, 8192);
    let counts = piano.counts();
    assert_eq!((counts.strikes, counts.lost, piano.strikes().len()), (88, 0, 88));
}

/// Actions of a host, each after some samples.
fn actions() -> impl Strategy<Value = Vec<(usize, u8, u8, f64)>> {
    prop::collection::vec((0_usize..600, 0_u8..20, 21_u8..=108, 0.0..1.0_f64), 1..80)
}

/// Performs one action.
fn act(piano: &mut Fake, settings: &mut Settings, what: u8, note: u8, value: f64) {
    // Few keys, so that they meet again.
    let key = key(60 + note % 4);
    match what {
        0..=4 => piano.handle(Event::NoteOn { key, velocity: value }),
        5..=7 => piano.handle(Event::NoteOff { key, velocity: value }),
        8 => piano.handle(Event::Sustain(2.0 * value - 0.5)),
        9 => {
            settings.action.key_dip_mm = 9.0 + 2.0 * value;
            settings.sound.brightness_loss = 1.0 - 0.1 * value;
            settings.output_db = -20.0 * value;
            piano.set(settings);
        }
        10 => {
            let natural = settings.touch.timing == Timing::Natural;
            settings.touch.timing = if natural { Timing::Immediate } else { Timing::Natural };
            piano.set(settings);
        }
        11 if value < 0.5 => piano.handle(Event::AllNotesOff),
        11 => piano.handle(Event::AllSoundOff),
        12 => piano.handle(Event::Choke(key)),
        13 => piano.handle(Event::Pressure { key, depth: 1.4 * value - 0.2 }),
        14 => piano.handle(Event::Tune { key, cents: 100.0 * value }),
        15 => piano.handle(Event::Bend(2.0 * value - 1.0)),
        16 => piano.handle(Event::Sostenuto(value)),
        17 => piano.handle(Event::UnaCorda(value)),
        18 => piano.handle(Event::Volume(value)),
        _ => {
            use crate::settings::{StrikeOutput, Switch};
            let on = value < 0.5;
            settings.touch.key_pressure =
                if on { KeyPressure::Position } else { KeyPressure::Ignored };
            settings.touch.strict_repetition = if on { Switch::On } else { Switch::Off };
            settings.touch.silent_below = 40.0 * value;
            settings.midi.strike_output =
                if value < 0.7 { StrikeOutput::Notes } else { StrikeOutput::Off };
            piano.set(settings);
        }
    }
}

proptest! {
    #[test]
    fn block_sizes_change_no_sample(
        actions in actions(),
        cuts in prop::collection::vec(prop_oneof![0_usize..12, 0_usize..3000], 1..60),
        rate in 0_usize..RATES.len(),
        natural in any::<bool>(),
    ) {
        let timing = if natural { Timing::Natural } else { Timing::Immediate };
        let mut results = Vec::new();
        for cut in [None, Some(1), Some(0)] {
            let mut settings = settings(timing);
            let mut piano = piano(RATES[rate], &settings);
            let (mut line, mut strikes, mut sent) = (Vec::new(), Vec::new(), Vec::new());
            let mut cuts = cuts.iter().cycle();
            let rest = [(4000, 12, 60, 0.0)];
            for &(wait, what, note, value) in actions.iter().chain(&rest) {
                let mut left = wait;
                while left > 0 {
                    let block = match cut {
                        None => left,
                        Some(1) => 1,
                        Some(_) => left.min(*cuts.next().unwrap()),
                    };
                    // An empty block is followed by one sample, so that time advances.
                    run(&mut piano, 0);
                    let block = block.max(1);
                    line.extend(run(&mut piano, block).into_iter().map(f32::to_bits));
                    strikes.extend(piano.strikes().iter().map(|s| {
                        // NaN equals itself in bits.
                        (s.time.to_bits(), s.key, s.speed.to_bits(), s.note_on.to_bits())
                    }));
                    sent.extend_from_slice(piano.outgoing());
                    left -= block;
                }
                act(&mut piano, &mut settings, what, note, value);
            }
            prop_assert!(strikes.windows(2).all(|w| w[0].0 <= w[1].0));
            prop_assert!(sent.windows(2).all(|w| w[0].sample <= w[1].sample));
            results.push((line, strikes, sent, piano.counts(), all_calls(&piano).to_vec()));
        }
        prop_assert!(results[0] == results[1], "single samples");
        prop_assert!(results[0] == results[2], "random blocks");
    }
}
