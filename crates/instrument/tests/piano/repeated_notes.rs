//! Notes of one key repeated quickly, with and without legato repair.

use touchback_core::math::cast::floor_index;
use touchback_instrument::play::record::StrikeRecord;
use touchback_instrument::settings::{Switch, Timing};
use touchback_instrument::{Piano, Settings};

use crate::touch::{RATE, off, on, run};

/// Numbers of strikes and silent presses of twelve natural notes of one key, each released `gap` s before
/// the next.
fn strikes_of_twelve(gap: f64, legato_repair: Switch) -> (usize, u64) {
    let mut settings = Settings::default();
    settings.touch.timing = Timing::Natural;
    settings.touch.legato_repair = legato_repair;
    let mut piano = Piano::new(RATE, &settings);
    let (step, gap) = (9_600, floor_index(gap * RATE));
    let mut strikes = Vec::new();
    for _ in 0..12 {
        piano.handle(on(48, 60.0));
        strikes.extend(run(&mut piano, step - gap).0);
        piano.handle(off(48));
        strikes.extend(run(&mut piano, gap).0);
    }
    strikes.extend(run(&mut piano, 9_600).0);
    (strikes.len(), piano.counts().silent_presses)
}

#[test]
fn every_repeated_note_strikes_with_legato_repair() {
    let (struck, silent) = strikes_of_twelve(0.014, Switch::Off);
    assert!(struck < 12 && struck as u64 + silent == 12, "{struck} struck, {silent} silent");
    assert_eq!(strikes_of_twelve(0.014, Switch::On), (12, 0));
    // With enough time to rise, legato repair changes nothing.
    assert_eq!(strikes_of_twelve(0.15, Switch::Off), (12, 0));
    assert_eq!(strikes_of_twelve(0.15, Switch::On), (12, 0));
}

/// Natural notes of one key, `gap` s from note-on to note-on and each held for `held` s: the times
/// from their note-ons to their strikes, s, and the presses that stayed silent.
fn short_notes(velocity: f64, gap: f64, held: f64, repair: Switch) -> (Vec<f64>, u64) {
    let mut settings = Settings::default();
    settings.touch.timing = Timing::Natural;
    settings.touch.legato_repair = repair;
    let mut piano = Piano::new(RATE, &settings);
    let [held, rest] = [held, gap - held].map(|time| floor_index(time * RATE));
    let mut strikes = Vec::new();
    for _ in 0..4 {
        piano.handle(on(48, velocity));
        strikes.extend(run(&mut piano, held).0);
        piano.handle(off(48));
        strikes.extend(run(&mut piano, rest).0);
    }
    strikes.extend(run(&mut piano, 48_000).0);
    let late = |strike: &StrikeRecord| strike.time - strike.note_on;
    (strikes.iter().map(late).collect(), piano.counts().silent_presses)
}

#[test]
fn with_legato_repair_every_note_strikes_however_short() {
    for velocity in [20.0, 60.0, 100.0] {
        for held in [0.001, 0.01, 0.03] {
            let (late, silent) = short_notes(velocity, 0.5, held, Switch::On);
            assert_eq!((late.len(), silent), (4, 0), "{velocity} for {held} s");
            let long = short_notes(velocity, 0.5, 0.3, Switch::Off).0[0];
            assert!((late[0] - long).abs() < 1e-5, "{} s, held {long} s", late[0]);
        }
    }
    let (late, silent) = short_notes(20.0, 0.5, 0.01, Switch::Off);
    assert_eq!((late.len(), silent), (0, 4), "released too early");
}

#[test]
fn a_note_repeated_before_its_strike_still_strikes() {
    // Soft notes take 0.1 s: the second comes while the first is being pressed.
    let (late, silent) = short_notes(40.0, 0.3, 0.02, Switch::On);
    assert_eq!((late.len(), silent), (4, 0));
    for velocity in [20.0, 30.0, 40.0, 60.0, 100.0] {
        for gap in [0.025, 0.04, 0.06, 0.08, 0.1, 0.13] {
            for repair in [Switch::On, Switch::Off] {
                let (late, silent) = short_notes(velocity, gap, 0.02, repair);
                let told = format!("{velocity}, {gap} s, {repair:?}: {late:?} and {silent} silent");
                assert_eq!(late.len() as u64 + silent, 4, "{told}");
                // A key repeats 10 times a second; faster, or softly from half-way up, notes may be lost.
                let least = if gap < 0.08 {
                    1
                } else if gap < 0.1 || velocity < 60.0 {
                    2
                } else {
                    4
                };
                assert!(repair == Switch::Off || late.len() >= least, "{told}");
                assert!(late.iter().all(|late| *late > 0.0), "caused by their own notes: {told}");
            }
        }
    }
}
