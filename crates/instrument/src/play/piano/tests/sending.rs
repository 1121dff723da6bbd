//! Strike output.

use super::*;
use crate::play::note_output::Sent;
use crate::settings::StrikeOutput;

fn sends(timing: Timing) -> Settings {
    let mut settings = settings(timing);
    settings.midi.strike_output = StrikeOutput::Notes;
    settings
}

/// Renders `samples`. Returns the messages sent.
fn sent(piano: &mut Fake, samples: usize) -> Vec<(u64, Sent)> {
    run(piano, samples);
    piano.outgoing().iter().map(|s| (s.sample, s.what)).collect()
}

#[test]
fn strikes_and_landings_leave_at_their_samples() {
    let mut piano = piano(48_000.0, &settings(Timing::Immediate));
    piano.handle(on(60, 1.0));
    assert!(sent(&mut piano, 100).is_empty(), "off by default");
    piano.handle(off(60));
    run(&mut piano, 9600);
    piano.set(&sends(Timing::Immediate));
    let start = piano.sample();
    piano.handle(on(60, 1.0));
    piano.handle(on(108, 1.0));
    let got = sent(&mut piano, 500);
    let [(a, Sent::Strike { key: first, speed }), (b, Sent::Strike { key: second, .. })] = got[..]
    else {
        panic!("{got:?}")
    };
    assert_eq!((a, b, first, second), (start, start, key(60), key(108)));
    assert!((speed - 1.0).abs() < 1e-12);
    piano.handle(off(60));
    piano.handle(off(108));
    let at = start + 500;
    assert_eq!(sent(&mut piano, 9600), [60, 108].map(|n| (at, Sent::Landed(key(n)))));
}

#[test]
fn a_natural_note_off_is_sent_when_the_damper_lands() {
    let mut piano = piano(48_000.0, &sends(Timing::Natural));
    piano.handle(on(60, 1.0));
    let got = sent(&mut piano, 20_000);
    assert_eq!(got.len(), 1);
    let expected = (THROW * RATIO + STEP) * 48_000.0;
    assert!((got[0].0 as f64 - expected).abs() <= 1.0, "{}", got[0].0);
    piano.handle(off(60));
    let got = sent(&mut piano, 9600);
    let [(at, Sent::Landed(landed))] = got[..] else { panic!("{got:?}") };
    assert_eq!(landed, key(60));
    assert_eq!(Some(&(at, 0.0)), lifts(&piano, 60).last());
    assert!(at > 20_000);
}

#[test]
fn a_pedal_passes_on_and_keeps_the_note_open() {
    let mut piano = piano(48_000.0, &sends(Timing::Immediate));
    piano.handle(Event::Sustain(1.0));
    run(&mut piano, 960);
    piano.handle(on(60, 1.0));
    run(&mut piano, 960);
    piano.handle(off(60));
    assert!(sent(&mut piano, 9600).is_empty(), "the damper is up");
    let at = piano.sample();
    piano.handle(Event::Sostenuto(0.25));
    piano.handle(Event::UnaCorda(0.5));
    piano.handle(Event::Sustain(0.0));
    let got = sent(&mut piano, 9600);
    let pedal = |number, value| (at, Sent::Pedal { number, value });
    assert_eq!(got[..3], [pedal(66, 0.25), pedal(67, 0.5), pedal(64, 0.0)]);
    assert!(matches!(got[3..], [(_, Sent::Landed(_))]));
}

#[test]
fn silence_and_switching_off_end_the_notes_sent() {
    for by_switch in [true, false] {
        let mut piano = piano(48_000.0, &sends(Timing::Immediate));
        piano.handle(on(60, 1.0));
        run(&mut piano, 100);
        let mut expected = vec![(100, Sent::Landed(key(60)))];
        if by_switch {
            piano.set(&settings(Timing::Immediate));
        } else {
            piano.handle(Event::AllSoundOff);
            expected.push((100, Sent::Silence));
        }
        assert_eq!(sent(&mut piano, 100), expected);
    }
}
