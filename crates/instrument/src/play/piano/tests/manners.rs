//! Repetition, silent presses, positions, pedals, chokes, pitch.

use super::*;
use crate::settings::{KeyPressure, Switch};

fn strict() -> Settings {
    let mut settings = settings(Timing::Immediate);
    settings.touch.strict_repetition = Switch::On;
    settings
}

fn positioned() -> Settings {
    let mut settings = settings(Timing::Immediate);
    settings.touch.key_pressure = KeyPressure::Position;
    settings
}

#[test]
fn strict_repetition_misses_notes_before_the_jack_has_re_set() {
    for (settings, expected, missed) in [(strict(), 2, 1), (settings(Timing::Immediate), 3, 0)] {
        let mut piano = piano(48_000.0, &settings);
        piano.handle(on(60, 2.0));
        run(&mut piano, 2400);
        piano.handle(off(60));
        // Too early for the key to rise.
        run(&mut piano, 5);
        piano.mechanism.keys.put(key(60), 0.008);
        piano.handle(on(60, 2.0));
        run(&mut piano, 2400);
        piano.handle(off(60));
        run(&mut piano, 4800);
        piano.handle(on(60, 2.0));
        run(&mut piano, 100);
        let counts = piano.counts();
        assert_eq!((counts.strikes, counts.missed_repetitions), (expected, missed));
        assert_eq!(counts.notes, 3);
    }
}

#[test]
fn a_missed_repetition_still_holds_its_damper_up() {
    let mut piano = piano(48_000.0, &strict());
    piano.handle(on(60, 2.0));
    run(&mut piano, 480);
    piano.handle(on(60, 2.0));
    piano.handle(off(60));
    run(&mut piano, 48_000);
    assert_eq!((piano.counts().strikes, piano.counts().missed_repetitions), (1, 1));
    assert_eq!(lifts(&piano, 60).last().unwrap().1, 1.0);
}

#[test]
fn presses_below_silent_below_lift_their_damper_silently() {
    for timing in [Timing::Immediate, Timing::Natural] {
        let mut settings = settings(timing);
        let mut piano = piano(48_000.0, &settings);
        piano.handle(Event::NoteOn { key: key(50), velocity: 1.0 / 127.0 });
        run(&mut piano, 40_000);
        assert_eq!(piano.counts().strikes, 1, "off by default");
        settings.touch.silent_below = 10.0;
        piano.set(&settings);
        piano.handle(Event::NoteOn { key: key(60), velocity: 9.9 / 127.0 });
        run(&mut piano, 48_000);
        assert_eq!(piano.counts().strikes, 1);
        assert_eq!(lifts(&piano, 60).last().unwrap().1, 1.0);
        piano.handle(off(60));
        run(&mut piano, 9600);
        assert_eq!(lifts(&piano, 60).last().unwrap().1, 0.0);
        piano.handle(Event::NoteOn { key: key(60), velocity: 10.0 / 127.0 });
        run(&mut piano, 20_000);
        assert_eq!(piano.counts().strikes, 2);
    }
}

#[test]
fn pressure_moves_keys_only_where_it_is_read_as_position() {
    let mut piano = piano(48_000.0, &settings(Timing::Immediate));
    piano.handle(Event::Pressure { key: key(60), depth: 1.0 });
    run(&mut piano, 9600);
    assert_eq!((piano.counts().strikes, piano.counts().aftertouch), (0, 1));
    assert_eq!(piano.mechanism.keys.key_depth(key(60)), 0.0);

    let mut piano = super::piano(48_000.0, &positioned());
    // 10 mm in 100 ms, every 2 ms.
    let mut strikes = Vec::new();
    for i in 1..=60_u32 {
        piano.handle(Event::Pressure { key: key(60), depth: f64::from(i) / 50.0 });
        run(&mut piano, 96);
        strikes.extend_from_slice(piano.strikes());
    }
    let [strike] = strikes[..] else { panic!("one strike") };
    assert!(strike.note_on.is_nan());
    // The fake throws at 9 mm, which comes 6 ms after it was sent.
    assert!((strike.time - 0.09 - 0.006).abs() < 0.003, "{}", strike.time);
    assert!((strike.speed / RATIO - 0.1).abs() < 0.01, "{}", strike.speed);
    // Notes of a key that follows positions strike nothing.
    piano.handle(on(60, 2.0));
    run(&mut piano, 960);
    piano.handle(off(60));
    run(&mut piano, 960);
    assert_eq!(piano.counts().strikes, 1);
    assert_eq!(lifts(&piano, 60).last().unwrap().1, 1.0);
    piano.handle(Event::Pressure { key: key(60), depth: 0.0 });
    run(&mut piano, 9600);
    assert_eq!(piano.mechanism.keys.key_depth(key(60)), 0.0);
    piano.handle(on(60, 2.0));
    run(&mut piano, 10);
    assert_eq!(piano.counts().strikes, 2, "let up, it is played by notes again");
    run(&mut piano, 48_000);
    piano.handle(off(60));
    run(&mut piano, 48_000);
    assert!(piano.is_idle());
}

#[test]
fn a_release_of_a_key_that_is_up_moves_nothing() {
    // A note held over a key that followed positions and was let up by them.
    let mut piano = piano(48_000.0, &positioned());
    piano.handle(Event::Pressure { key: key(60), depth: 0.5 });
    run(&mut piano, 4800);
    piano.handle(on(60, 1.0));
    piano.handle(Event::Pressure { key: key(60), depth: 0.0 });
    run(&mut piano, 48_000);
    let before = all_calls(&piano).len();
    piano.handle(off(60));
    run(&mut piano, 4800);
    assert_eq!(all_calls(&piano).len(), before);
    // A silent press that has just begun.
    let mut soft = settings(Timing::Immediate);
    soft.touch.silent_below = 100.0;
    let mut piano = super::piano(48_000.0, &soft);
    run(&mut piano, 48);
    let before = all_calls(&piano).len();
    piano.handle(on(60, 1.0));
    run(&mut piano, 480);
    piano.handle(off(60));
    run(&mut piano, 4800);
    let knocks = |call: &(u64, Call)| matches!(call.1, Call::Knock(_, Knock::KeyRest, _));
    assert!(all_calls(&piano)[before..].iter().all(knocks));
}

#[test]
fn switching_positions_off_or_all_notes_off_lets_the_keys_up() {
    for by_switch in [true, false] {
        let mut piano = piano(48_000.0, &positioned());
        piano.handle(Event::Pressure { key: key(60), depth: 0.7 });
        run(&mut piano, 4800);
        assert!((piano.mechanism.keys.key_depth(key(60)) - 0.00707).abs() < 1e-5);
        if by_switch {
            piano.set(&settings(Timing::Immediate));
        } else {
            piano.handle(Event::AllNotesOff);
        }
        run(&mut piano, 48_000);
        assert_eq!(piano.mechanism.keys.key_depth(key(60)), 0.0);
        assert!(piano.is_idle());
        assert_eq!(piano.counts().silent_presses, 1);
    }
}

#[test]
fn the_pedal_zone_and_its_settings_move_the_tray() {
    let mut settings = settings(Timing::Immediate);
    settings.pedals.pedal_from = 20.0;
    settings.pedals.pedal_to = 60.0;
    let mut piano = piano(48_000.0, &settings);
    for (travel, lift) in [(0.2, 0.0), (0.39, 0.34), (0.6, 1.0), (1.0, 1.0)] {
        piano.handle(Event::Sustain(travel));
        run(&mut piano, 4800);
        assert!((lifts(&piano, 30).last().unwrap().1 - lift).abs() < 1e-9, "{travel}");
    }
    // A pedal that does not move follows changes of its zone.
    settings.pedals.pedal_to = 100.0;
    settings.pedals.pedal_from = 100.0;
    piano.handle(Event::Sustain(0.9));
    piano.set(&settings);
    run(&mut piano, 4800);
    assert_eq!(lifts(&piano, 30).last().unwrap().1, 0.0);
}

#[test]
fn sostenuto_holds_only_dampers_that_were_up() {
    for timing in [Timing::Immediate, Timing::Natural] {
        let mut piano = piano(48_000.0, &settings(timing));
        piano.handle(on(60, 1.0));
        run(&mut piano, 9600);
        piano.handle(Event::Sostenuto(1.0));
        piano.handle(on(64, 1.0));
        run(&mut piano, 9600);
        piano.handle(off(60));
        piano.handle(off(64));
        run(&mut piano, 9600);
        assert_eq!(lifts(&piano, 60).last().unwrap().1, 1.0);
        assert_eq!(lifts(&piano, 64).last().unwrap().1, 0.0);
        piano.handle(Event::Sostenuto(0.4));
        run(&mut piano, 960);
        assert_eq!(lifts(&piano, 60).last().unwrap().1, 0.0);
    }
}

#[test]
fn a_choke_damps_at_its_sample_whatever_the_pedals_do() {
    for timing in [Timing::Immediate, Timing::Natural] {
        let mut piano = piano(48_000.0, &settings(timing));
        piano.handle(Event::Sustain(1.0));
        for _ in 0..3 {
            piano.handle(on(60, 1.0));
            run(&mut piano, 9600);
        }
        let now = piano.sample();
        piano.handle(Event::Choke(key(60)));
        run(&mut piano, 9600);
        assert_eq!(lifts(&piano, 60).last(), Some(&(now, 0.0)));
        piano.handle(off(60));
        piano.handle(on(60, 1.0));
        run(&mut piano, 9600);
        assert_eq!(lifts(&piano, 60).last().unwrap().1, 1.0, "played anew");
    }
}

#[test]
fn pitch_reaches_the_strings_once_a_step_and_a_new_note_is_in_tune() {
    let retunes = |piano: &Fake| {
        let sent = all_calls(piano).iter().filter_map(|(_, call)| match call {
            Call::Retune(k, cents) => Some((*k, *cents)),
            _ => None,
        });
        sent.collect::<Vec<_>>()
    };
    let mut piano = piano(48_000.0, &settings(Timing::Immediate));
    piano.handle(on(60, 1.0));
    for i in 0..100 {
        piano.handle(Event::Tune { key: key(60), cents: f64::from(i) });
    }
    run(&mut piano, 48);
    assert_eq!(retunes(&piano), [(key(60), 99.0)]);
    piano.handle(off(60));
    piano.handle(on(60, 1.0));
    run(&mut piano, 48);
    assert_eq!(retunes(&piano).last(), Some(&(key(60), 0.0)));
    piano.handle(Event::Bend(0.5));
    run(&mut piano, 48);
    assert_eq!(retunes(&piano).len(), 90);
    assert_eq!(retunes(&piano).last().unwrap().1, 100.0, "half of two semitones");
    let mut wide = settings(Timing::Immediate);
    wide.midi.bend_range = 12.0;
    piano.set(&wide);
    run(&mut piano, 48);
    assert_eq!(retunes(&piano).last().unwrap().1, 600.0);
    // A reset of the strings clears their detuning; it is sent again.
    piano.handle(Event::AllSoundOff);
    run(&mut piano, 48);
    assert_eq!(retunes(&piano).len(), 90 + 88 + 88);
}

#[test]
fn volume_expression_and_pan_move_the_level_without_a_click() {
    let mut piano = piano(48_000.0, &settings(Timing::Immediate));
    piano.handle(Event::Volume(0.5));
    piano.handle(Event::Expression(0.5));
    piano.handle(Event::Pan(1.0));
    run(&mut piano, 48_000);
    piano.handle(on(60, 1.0));
    let (mut left, mut right) = (vec![0.0; 4], vec![0.0; 4]);
    piano.process(&mut left, &mut right);
    assert_eq!(left, [0.0; 4]);
    assert!((f64::from(right[0]) + 0.1 * 0.0625).abs() < 1e-6, "{}", right[0]);
    piano.reset();
    piano.handle(on(60, 1.0));
    assert!((run(&mut piano, 4)[0] - 0.1).abs() < 1e-6, "reset opens the level at once");
}

#[test]
fn una_corda_reaches_the_strings_and_survives_silence() {
    let mut piano = piano(48_000.0, &settings(Timing::Immediate));
    piano.handle(Event::UnaCorda(0.75));
    piano.handle(Event::AllSoundOff);
    piano.reset();
    let sent = calls(&piano, |c| matches!(c, Call::UnaCorda(_)));
    assert_eq!(sent.iter().map(|c| c.1).collect::<Vec<_>>(), [0.75, 0.75, 0.0].map(Call::UnaCorda));
}
