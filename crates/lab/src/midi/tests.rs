use super::*;
use proptest::prelude::*;

/// A file of `format` with the given division and track contents.
fn file(format: u8, division: [u8; 2], tracks: &[&[u8]]) -> Vec<u8> {
    let count = touchback_core::math::cast::byte(tracks.len());
    let mut bytes = b"MThd\0\0\0\x06\0".to_vec();
    bytes.extend([format, 0, count, division[0], division[1]]);
    for track in tracks {
        bytes.extend(b"MTrk");
        bytes.extend(u32::try_from(track.len()).unwrap().to_be_bytes());
        bytes.extend(*track);
    }
    bytes
}

const END: [u8; 4] = [0, 0xFF, 0x2F, 0];

fn track(events: &[u8]) -> Vec<u8> {
    [events, &END].concat()
}

fn refused(bytes: &[u8]) -> String {
    let error = Score::read("x.mid", bytes).unwrap_err().to_string();
    assert!(error.starts_with("x.mid") && !error.contains('\n'), "{error}");
    error
}

#[test]
fn running_status_and_velocity_zero_are_read() {
    let notes = track(&[0, 0x90, 60, 127, 96, 60, 0, 0, 0x80, 62, 127]);
    let score = Score::read("x.mid", &file(0, [0, 96], &[&notes])).unwrap();
    let on = |velocity| InputMessage::NoteOn { channel: 0, note: 60, id: None, velocity };
    let expected = [
        (0, on(1.0)),
        (48_000_000, on(0.0)),
        (48_000_000, InputMessage::NoteOff { to: Address::note(0, 62), velocity: 1.0 }),
    ];
    assert_eq!(score.events, expected);
    assert_eq!(score.sample(48_000_000, 48_000), 24_000);
    assert!(score.warnings.is_empty());
}

#[test]
fn the_tempo_map_of_one_track_moves_the_notes_of_another() {
    // 250 ms a quarter from tick 96 on.
    let tempo = track(&[96, 0xFF, 0x51, 3, 0x03, 0xD0, 0x90]);
    let notes = track(&[0x81, 0x40, 0x90, 60, 1]);
    let score = Score::read("x.mid", &file(1, [0, 96], &[&tempo, &notes])).unwrap();
    assert_eq!(score.sample(score.events[0].0, 44_100), 33_075);
    assert!((score.end() - 0.75).abs() < 1e-12);
}

#[test]
fn smpte_time_counts_frames() {
    let notes = track(&[100, 0x90, 60, 1]);
    for (division, samples) in
        [([0xE7, 40], 4800), ([0xE8, 100], 2000), ([0xE3, 100], 1602), ([0xE2, 80], 2000)]
    {
        let score = Score::read("x.mid", &file(0, division, &[&notes])).unwrap();
        assert_eq!(score.sample(score.events[0].0, 48_000), samples, "{division:?}");
    }
}

#[test]
fn samples_round_to_the_nearest() {
    let score = Score { events: vec![], per_second: 3, warnings: vec![] };
    assert_eq!((0..5).map(|t| score.sample(t, 1)).collect::<Vec<_>>(), [0, 0, 1, 1, 1]);
}

#[test]
fn controllers_bend_and_pressure_are_read() {
    let bytes = [0, 0xB1, 64, 127, 0, 0xE0, 0, 0x40, 0, 0xA2, 60, 127, 0, 0xC0, 5, 0, 0xD0, 9];
    let score = Score::read("x.mid", &file(0, [0, 96], &[&track(&bytes)])).unwrap();
    let messages: Vec<_> = score.events.iter().map(|e| e.1).collect();
    let expected = [
        InputMessage::Controller { channel: 1, number: 64, value: 1.0 },
        InputMessage::Bend { channel: 0, value: 0.0 },
        InputMessage::Pressure { to: Address::note(2, 60), value: 1.0 },
        InputMessage::ChannelPressure { channel: 0, value: 9.0 / 127.0 },
    ];
    assert_eq!(messages, expected);
}

#[test]
fn damaged_files_are_refused_by_name_and_byte() {
    let good = file(0, [0, 96], &[&track(&[0, 0x90, 60, 1])]);
    assert!(refused(&good[..good.len() - 1]).contains("byte 14: a chunk declares 8 bytes"));
    assert!(refused(&good[..14]).contains("no track"));
    assert!(refused(&good[..12]).contains("header chunk"));
    assert!(refused(b"RIFF....").contains("no MIDI file"));
    assert!(refused(&[]).contains("no MIDI file"));
    assert!(refused(&file(2, [0, 96], &[&END])).contains("format 2"));
    assert!(refused(&file(0, [0, 0], &[&END])).contains("zero ticks"));
    assert!(refused(&file(0, [0xE7, 0], &[&END])).contains("zero ticks"));
    assert!(refused(&file(0, [0x9C, 4], &[&END])).contains("100 frames"));
    assert!(refused(&file(0, [0, 96], &[&[0, 0x90, 60]])).contains("byte 22: broken event"));
}

#[test]
fn trailing_bytes_and_missing_ends_are_warnings() {
    let mut bytes = file(0, [0, 96], &[&[0, 0x90, 60, 1]]);
    bytes.extend(b"junk");
    let score = Score::read("x.mid", &bytes).unwrap();
    assert_eq!(score.warnings.len(), 2);
    assert_eq!(score.warnings[0], "x.mid: 1 of 1 tracks have no end-of-track event");
    assert!(score.warnings[1].contains("4 bytes after the last chunk"));
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = Score::read("x.mid", &bytes);
        let _ = Score::read("x.mid", &file(1, [0, 96], &[&bytes]));
    }

    #[test]
    fn arbitrary_tracks_give_events_in_time_order(
        bytes in proptest::collection::vec((0u8..128, 0x80u8..0xF0, 0u8..128, 0u8..128), 0..60)
    ) {
        let events: Vec<u8> = bytes.iter().flat_map(|&(d, s, a, b)| {
            if (0xC0..0xE0).contains(&s) { vec![d, s, a] } else { vec![d, s, a, b] }
        }).collect();
        let score = Score::read("x.mid", &file(0, [0, 96], &[&track(&events)])).unwrap();
        prop_assert!(score.events.is_sorted_by_key(|e| e.0));
        prop_assert!(score.warnings.is_empty());
    }
}
