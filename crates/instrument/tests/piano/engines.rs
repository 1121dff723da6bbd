//! A piano with its own engines.

use touchback_core::math::compass::KeyNumber;
use touchback_instrument::Event::{NoteOff, NoteOn};
use touchback_instrument::play::record::{Counts, StrikeRecord};
use touchback_instrument::watch::trace::Sample;
use touchback_instrument::{Event, Piano, Settings, Snapshot};

#[test]
fn an_immediate_note_is_a_strike_at_its_own_sample() {
    for rate in [22_050.0, 44_100.0, 48_000.0, 96_000.0, 192_000.0, 384_000.0] {
        let mut piano = Piano::new(rate, &Settings::default());
        let (mut left, mut right) = ([0.0_f32; 100], [0.0_f32; 100]);
        piano.process(&mut left[..77], &mut right[..77]);
        assert!(piano.strikes().is_empty());
        let key = KeyNumber::from_midi(60).expect("a key");
        piano.handle(NoteOn { key, velocity: 52.0 / 127.0 });
        piano.process(&mut left, &mut right);
        let time = 77.0 / rate;
        assert_eq!(piano.strikes(), [StrikeRecord { time, key, speed: 1.0, note_on: time }]);
        piano.handle(NoteOff { key, velocity: 0.5 });
        piano.process(&mut left[..1], &mut right[..1]);
        assert!(piano.strikes().is_empty());
        let counts = piano.counts();
        assert_eq!((counts.notes, counts.strikes, counts.silent_presses), (1, 1, 0));
    }
}

#[test]
fn values_that_are_not_finite_are_counted_and_ignored() {
    let mut piano = Piano::new(48_000.0, &Settings::default());
    let key = KeyNumber::from_midi(60).expect("a key");
    piano.handle(NoteOn { key, velocity: f64::NAN });
    piano.handle(NoteOff { key, velocity: f64::INFINITY });
    piano.handle(Event::Sustain(f64::NAN));
    assert_eq!(piano.counts(), Counts { ignored: 3, ..Counts::default() });
}

#[test]
fn a_watched_key_is_recorded_at_every_step_and_sounds_the_same() {
    let (mut plain, mut watched) =
        (Piano::new(48_000.0, &Settings::default()), Piano::new(48_000.0, &Settings::default()));
    watched.watch(true);
    let key = KeyNumber::from_midi(60).expect("a key");
    let mut seen: Vec<Sample> = Vec::new();
    for block in 0..24 {
        if block == 2 {
            plain.handle(NoteOn { key, velocity: 0.5 });
            watched.handle(NoteOn { key, velocity: 0.5 });
        }
        let (mut a, mut b) = ([0.0_f32; 200], [0.0_f32; 200]);
        let (mut c, mut d) = ([0.0_f32; 200], [0.0_f32; 200]);
        plain.process(&mut a, &mut b);
        watched.process(&mut c, &mut d);
        assert_eq!((a, b), (c, d));
        seen.extend(watched.trace());
        watched.trace_read();
    }
    assert!(plain.trace().is_empty());
    // 22 blocks of 200 samples are 92 ms or 733 steps; the key moves through all of them.
    assert!((727..=735).contains(&seen.len()), "{}", seen.len());
    assert!(seen.windows(2).all(|w| w[1].step == w[0].step + 1 && w[1].key == key));
    let mut snapshot = Snapshot::default();
    watched.show(&mut snapshot);
    assert_eq!(snapshot.touched, Some(key));
    assert!((0.009..0.012).contains(&snapshot.depth[key.index()]), "{snapshot:?}");
    assert!(snapshot.struck[key.index()] > 0.5 && snapshot.damper[key.index()] == 1.0);
}

/// Both channels of `seconds` of a piano with repeated C4 and G4, rendered `block` samples at a time; a
/// fifth of the time later its keys differ by `sheet` and `unevenness`.
fn with_sheet(sheet: &str, unevenness: f64, seconds: f64, block: usize) -> Vec<(f32, f32)> {
    let mut settings = Settings::default();
    settings.touch.timing = touchback_instrument::settings::Timing::Natural;
    let mut piano = Piano::new(48_000.0, &settings);
    settings.set_key_sheet(sheet.parse().expect("a sheet"));
    settings.action.unevenness = unevenness;
    let length = touchback_core::math::cast::floor_index(seconds * 48_000.0);
    let mut out = Vec::new();
    let changes = |at: usize| at.is_multiple_of(6_000) || at == length / 5;
    while out.len() < length {
        let at = out.len();
        if at == length / 5 {
            piano.set(&settings);
        }
        if at.is_multiple_of(6_000) {
            let key = KeyNumber::from_midi(60 + 7 * u8::from(at % 12_000 != 0)).expect("a key");
            piano.handle(NoteOff { key, velocity: 0.5 });
            piano.handle(NoteOn { key, velocity: 0.5 });
        }
        let next = (at + 1..length).find(|next| changes(*next)).unwrap_or(length);
        let count = block.min(next - at);
        let (mut left, mut right) = (vec![0.0; count], vec![0.0; count]);
        piano.process(&mut left, &mut right);
        out.extend(left.into_iter().zip(right));
    }
    out
}

#[test]
fn differences_of_single_keys_sound_the_same_for_every_block_size() {
    let even = with_sheet("key", 0.0, 1.0, 480);
    let sheet = "key,let_off_mm,strike_weight_g,unison_width_cents\n40,1,0.5,4\n";
    let one = with_sheet(sheet, 0.0, 1.0, 480);
    assert_eq!(one[..9_600], even[..9_600]);
    assert_ne!(one, even);
    assert_eq!(one, with_sheet(sheet, 0.0, 1.0, 37));
    let uneven = with_sheet(sheet, 0.7, 1.0, 480);
    assert_eq!(uneven, with_sheet(sheet, 0.7, 1.0, 111));
    assert!(uneven != one && uneven.iter().all(|(l, r)| l.is_finite() && r.is_finite()));
    // A key that is not played does not sound.
    assert_eq!(with_sheet("key,let_off_mm\n7,2\n", 0.0, 0.5, 480), even[..24_000]);
}
