use super::*;
use crate::host::midi::{Address, InputMessage};
use crate::play::event_scheduler::{EventScheduler, Host};
use crate::play::record::StrikeRecord;
use crate::settings::Latency;

const RATE: f64 = 48_000.0;

fn settings(latency: Latency) -> Settings {
    let mut settings = Settings::default();
    settings.touch.timing = Timing::LookAhead;
    settings.touch.latency = latency;
    settings
}

/// Messages by sample, and the strikes they lead to.
struct Script {
    messages: VecDeque<(u64, InputMessage)>,
    begin: u64,
    end: u64,
    strikes: Vec<StrikeRecord>,
}

impl Host for Script {
    fn next(&mut self) -> Option<(u32, InputMessage)> {
        let (sample, message) = *self.messages.front()?;
        if sample >= self.end {
            return None;
        }
        self.messages.pop_front();
        Some((u32::try_from(sample - self.begin).unwrap(), message))
    }

    fn rendered(&mut self, piano: &Piano, _begin: u64) {
        self.strikes.extend_from_slice(piano.strikes());
    }
}

fn on(note: u8, velocity: f64) -> InputMessage {
    InputMessage::NoteOn { channel: 0, note, id: None, velocity }
}

fn off(note: u8) -> InputMessage {
    InputMessage::NoteOff { to: Address::note(0, note), velocity: 0.0 }
}

/// Plays in blocks of `block`, with new settings at some samples (whole blocks); samples' bits and
/// strikes.
fn play(
    scheduler: &mut EventScheduler,
    messages: &[(u64, InputMessage)],
    changes: &[(u64, Settings)],
    (block, length): (usize, u64),
) -> (Vec<[u32; 2]>, Vec<StrikeRecord>) {
    let mut script = Script {
        messages: messages.iter().copied().collect(),
        begin: 0,
        end: 0,
        strikes: Vec::new(),
    };
    let mut samples = Vec::new();
    let (mut left, mut right) = (vec![0.0f32; block], vec![0.0f32; block]);
    let mut cuts: Vec<u64> = changes.iter().map(|(sample, _)| *sample).collect();
    cuts.push(length);
    while script.end < length {
        script.begin = script.end;
        for (_, settings) in changes.iter().filter(|(sample, _)| *sample == script.begin) {
            scheduler.set(settings);
        }
        let cut = *cuts.iter().find(|cut| **cut > script.begin).unwrap();
        script.end = cut.min(script.begin + block as u64);
        let n = usize::try_from(script.end - script.begin).unwrap();
        scheduler.process(&mut left[..n], &mut right[..n], &mut script);
        let pairs = left[..n].iter().zip(&right[..n]);
        samples.extend(pairs.map(|(l, r)| [l.to_bits(), r.to_bits()]));
    }
    (samples, script.strikes)
}

#[test]
fn strikes_in_the_standard_regulation_are_the_latency_after_their_notes() {
    let settings = settings(Latency::Long);
    let mut scheduler = EventScheduler::new(Piano::new(RATE, &settings));
    assert_eq!((scheduler.event_latency(), scheduler.latency()), (9600, 9600 + 72));
    let (mut messages, mut at) = (Vec::new(), 100);
    for (i, speed) in [0.5, 0.7, 1.0, 2.7, 5.5, 9.0].into_iter().enumerate() {
        for note in [21, 26, 37, 48, 60, 61, 77, 84, 90, 101, 108] {
            let velocity = settings.touch.velocity(speed);
            messages.extend([(at, on(note, velocity)), (at + 9000, off(note))]);
            at += 9_700 + 13 * i as u64;
        }
    }
    let (_, strikes) = play(&mut scheduler, &messages, &[], (512, at + 20_000));
    let notes: Vec<_> = messages.iter().step_by(2).collect();
    assert_eq!((strikes.len(), scheduler.lateness().notes), (notes.len(), 0));
    for (strike, (note, _)) in strikes.iter().zip(notes) {
        let late = strike.time - (note + 9600) as f64 / RATE;
        assert!(late.abs() < 1e-3, "key {} {}: {late}", strike.key.number(), strike.speed);
    }
    assert!(scheduler.is_idle() || scheduler.tail() > 0);
}

#[test]
fn a_note_too_soft_for_the_latency_is_late_and_counted() {
    let settings = settings(Latency::Short);
    let mut scheduler = EventScheduler::new(Piano::new(RATE, &settings));
    let [soft, loud] = [0.3, 4.0].map(|speed| settings.touch.velocity(speed));
    let messages = [(0, on(60, soft)), (24_000, on(64, loud))];
    let (_, strikes) = play(&mut scheduler, &messages, &[], (64, 48_000));
    let late = strikes[0].time - 0.06;
    let lateness = scheduler.lateness();
    assert!(
        lateness.notes == 1 && (lateness.longest - late).abs() < 1e-3 && late > 0.02,
        "{lateness:?} {late}"
    );
    assert!((strikes[1].time - 0.56).abs() < 1e-3);
}

/// A mixture of everything: repeated notes, pedal, bend, silence, settings of every kind, any blocks.
#[test]
fn the_hosts_blocks_change_no_sample() {
    let base = settings(Latency::Middle);
    let mut messages = Vec::new();
    for i in 0..24_u64 {
        let (note, at) = (60 + u8::try_from(i % 3).unwrap(), 1500 * i);
        messages.push((at, on(note, 0.2 + 0.03 * i as f64)));
        messages.push((at + 1200 + 200 * (i % 4), off(note)));
        let (channel, number, value) = (0, 64, (i % 2) as f64);
        messages.push((at + 700, InputMessage::Controller { channel, number, value }));
        messages.push((at + 900, InputMessage::Bend { channel, value: 0.5 - value }));
    }
    let (channel, value) = (0, 0.0);
    messages.push((30_001, InputMessage::Controller { channel, number: 120, value }));
    messages.push((33_001, InputMessage::Controller { channel, number: 123, value }));
    messages.sort_by_key(|(at, _)| *at);
    let changes: Vec<_> = (0..60_u64)
        .map(|i| {
            let mut settings = base.clone();
            settings.action.let_off_mm = 1.5 + 0.05 * i as f64;
            settings.output_db = -0.1 * i as f64;
            settings.touch.timing = if i % 20 == 7 { Timing::Immediate } else { Timing::LookAhead };
            (640 * i, settings)
        })
        .collect();
    let played = [1024, 640, 37, 1].map(|block| {
        let mut scheduler = EventScheduler::new(Piano::new(RATE, &base));
        play(&mut scheduler, &messages, &changes, (block, 48_000))
    });
    assert!(played[0].1.len() > 10, "{}", played[0].1.len());
    assert!(played[0].0[..5760].iter().all(|[l, r]| l | r == 0), "nothing before the latency");
    for other in &played[1..] {
        assert!(*other == played[0]);
    }
}

/// Notes that end where the next note of their key begins: the finger leaves in time, or presses a key that
/// has not risen.
#[test]
fn with_legato_repair_repeated_notes_are_in_time() {
    for (repair, count) in [(Switch::On, 6), (Switch::Off, 1)] {
        let mut settings = settings(Latency::Long);
        settings.touch.legato_repair = repair;
        let mut scheduler = EventScheduler::new(Piano::new(RATE, &settings));
        let messages: Vec<_> = (0..6)
            .flat_map(|i| [(12_000 * i, on(60, 0.5)), (12_000 * (i + 1) - 100, off(60))])
            .collect();
        let (_, strikes) = play(&mut scheduler, &messages, &[], (256, 96_000));
        let notes = (0..6).map(|i| (12_000 * i + 9600) as f64 / RATE);
        let late: Vec<_> = strikes.iter().zip(notes).map(|(s, note)| s.time - note).collect();
        assert!(late.iter().all(|late| late.abs() < 5e-3), "{late:?}");
        assert_eq!((late.len(), scheduler.lateness().notes), (count, 6 - count as u64));
    }
}

#[test]
fn a_reset_removes_waiting_events_and_applies_the_settings_set_last() {
    let base = settings(Latency::Long);
    let mut scheduler = EventScheduler::new(Piano::new(RATE, &base));
    play(&mut scheduler, &[(0, on(60, 0.5))], &[], (64, 64));
    let mut louder = base;
    louder.output_db = 3.0;
    scheduler.set(&louder);
    assert!(!scheduler.is_idle() && scheduler.tail() > 9600);
    assert_eq!(
        (scheduler.settings().output_db, scheduler.piano().settings().output_db),
        (3.0, 0.0)
    );
    scheduler.reset();
    assert_eq!(*scheduler.piano().settings(), louder);
    assert!(scheduler.is_idle() && scheduler.tail() == 0);
    let (samples, strikes) = play(&mut scheduler, &[], &[], (64, 20_000));
    assert!(strikes.is_empty() && samples.iter().all(|[l, r]| l | r == 0));
}

#[test]
fn a_full_queue_loses_no_event() {
    let settings = settings(Latency::Long);
    let mut scheduler = EventScheduler::new(Piano::new(RATE, &settings));
    let message = |i: u64| match i % 2 {
        0 => on(60 + u8::try_from(i % 12).unwrap(), 0.5),
        _ => off(60 + u8::try_from((i - 1) % 12).unwrap()),
    };
    let messages: Vec<_> = (0..40_000).map(|i| (i / 40, message(i))).collect();
    play(&mut scheduler, &messages, &[], (128, 24_000));
    assert_eq!(scheduler.counts().notes, 20_000);
}
