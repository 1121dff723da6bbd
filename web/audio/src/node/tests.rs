use super::*;
use midly::MidiMessage;
use midly::num::u7;
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::host::midi_file::write;
use touchback_instrument::watch::monitor::remote::RemoteSettings;

const RATE: f64 = 48_000.0;

fn node() -> Node {
    Node::new(RATE, || 0.0)
}

fn send(node: &mut Node, messages: &[ToPiano]) {
    node.receive(&remote::bytes(&messages));
}

/// Renders `count` samples in blocks of `block` samples.
fn render(node: &mut Node, count: usize, block: usize) -> Vec<f32> {
    let mut samples = Vec::new();
    let (mut left, mut right) = (vec![0.0; block], vec![0.0; block]);
    while samples.len() < count {
        node.process(&mut left, &mut right);
        samples.extend_from_slice(&left);
    }
    samples.truncate(count);
    samples
}

fn arrived(node: &mut Node) -> Vec<ToWindow> {
    node.take().map_or_else(Vec::new, |bytes| remote::message(&bytes).unwrap())
}

/// A MIDI file of 400 ms with a note at 10 ms and one at 210 ms.
fn file() -> Vec<u8> {
    let note = |note: u8, velocity: u8| midly::TrackEventKind::Midi {
        channel: 0.into(),
        message: MidiMessage::NoteOn { key: u7::new(note), vel: velocity.into() },
    };
    let events =
        vec![(10, note(60, 80)), (210, note(67, 80)), (390, note(60, 0)), (390, note(67, 0))];
    write::bytes(500, events, 400)
}

#[test]
fn a_file_sounds_the_same_in_every_block_size_and_its_end_is_reported() {
    let play = |block: usize| {
        let mut node = node();
        send(&mut node, &[ToPiano::Perform(file())]);
        let samples = render(&mut node, 24_000, block);
        let positions: Vec<Option<f64>> = arrived(&mut node)
            .iter()
            .filter_map(|m| if let ToWindow::Position(at, _) = m { Some(*at) } else { None })
            .collect();
        (samples, positions)
    };
    let (samples, positions) = play(128);
    assert!(samples.iter().any(|s| s.abs() > 1e-3));
    assert!(positions.first().is_some_and(Option::is_some), "{positions:?}");
    assert_eq!(positions.last(), Some(&None));
    assert!(play(512).0 == samples);
}

#[test]
fn a_keyboard_and_the_window_play_and_all_stops() {
    let mut node = node();
    let key = KeyNumber::from_midi(64).unwrap();
    send(&mut node, &[ToPiano::Midi([0x90, 60, 90]), ToPiano::Midi([0xb0, 64, 127])]);
    send(&mut node, &[ToPiano::Play(Event::NoteOn { key, velocity: 0.6 })]);
    let loudest = render(&mut node, 9600, 128).iter().fold(0.0f32, |a, b| a.max(b.abs()));
    assert!(loudest > 1e-3);
    let messages = arrived(&mut node);
    let keyboard = messages.iter().rev().find_map(|m| match m {
        ToWindow::Keyboard(snapshot) => Some(**snapshot),
        _ => None,
    });
    let keyboard = keyboard.unwrap();
    assert!(keyboard.counts.notes == 2 && keyboard.sustain == 1.0);
    let played: usize =
        messages.iter().map(|m| if let ToWindow::Played(p) = m { p.len() } else { 0 }).sum();
    // Two note-ons, each with a velocity prefix if its velocity lies between two of MIDI's, and the pedal.
    assert!((3..=5).contains(&played), "{played}");
    send(&mut node, &[ToPiano::Stop]);
    let after = render(&mut node, 48_000, 128);
    let left = after[24_000..].iter().fold(0.0f32, |a, b| a.max(b.abs()));
    // The room still rings below −80 dBFS.
    assert!(left < 1e-4, "{left}");
}

#[test]
fn settings_reach_the_piano_and_wrong_bytes_change_nothing() {
    let mut settings = Settings::default();
    let parameter = touchback_instrument::host::params::find("let_off_mm").unwrap();
    parameter.set(&mut settings, 5.0);
    let mut node = node();
    send(&mut node, &[ToPiano::Set(Box::new(RemoteSettings::of(&settings, None)))]);
    render(&mut node, 128, 128);
    assert_eq!(parameter.get(node.scheduler.settings()), 5.0);
    node.receive(b"nonsense");
    send(&mut node, &[ToPiano::Perform(b"no MIDI".to_vec())]);
    render(&mut node, 1024, 128);
    assert_eq!(parameter.get(node.scheduler.settings()), 5.0);
    let warned =
        |m: &ToWindow| matches!(m, ToWindow::Warning(text) if text.contains("no MIDI file"));
    assert!(arrived(&mut node).iter().any(warned));
}

/// Settings that arrive before the first block are those of the first note, also under a pedal.
#[test]
fn a_file_sounds_with_the_settings_sent_before_it() {
    let mut settings = Settings::default();
    for (id, value) in [("let_off_mm", 6.0), ("hammer_mass", 0.9)] {
        touchback_instrument::host::params::find(id).unwrap().set(&mut settings, value);
    }
    let set = ToPiano::Set(Box::new(RemoteSettings::of(&settings, None)));
    let mut changed = node();
    send(&mut changed, &[set, ToPiano::Midi([0xb0, 64, 127]), ToPiano::Perform(file())]);
    let mut built = Node::with(RATE, &settings, || 0.0);
    send(&mut built, &[ToPiano::Midi([0xb0, 64, 127]), ToPiano::Perform(file())]);
    let (there, here) = (render(&mut changed, 24_000, 128), render(&mut built, 24_000, 128));
    let apart = there.iter().zip(&here).map(|(a, b)| (a - b).abs()).fold(0.0f32, f32::max);
    assert!(here.iter().any(|s| s.abs() > 1e-3));
    assert!(apart == 0.0, "{apart}");
}
