use super::*;
use proptest::prelude::*;

mod as_written;

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

/// The score in `bytes`, with notes that nothing ends as they are.
pub(super) fn open(file: &str, bytes: &[u8]) -> Result<Score, MidiFileError> {
    Score::read_open(file, bytes, &Parts::default()).map(|(score, _)| score)
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
    let score = open("x.mid", &file(1, [0, 96], &[&tempo, &notes])).unwrap();
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
fn divisions_outside_the_standard_are_read() {
    let notes = track(&[120, 0x90, 60, 1]);
    for (division, samples, words) in [
        ([0, 0], 6000, "a time division of zero, read as 480 ticks per quarter note"),
        ([0xE7, 0], 5760, "a time division of zero, read as 40 ticks per frame"),
        ([0x9C, 4], 14_400, "a time division of 100 frames per second"),
    ] {
        let score = open("x.mid", &file(0, division, &[&notes])).unwrap();
        assert_eq!(score.sample(score.events[0].0, 48_000), samples, "{division:?}");
        assert_eq!(score.warnings, [format!("x.mid: {words}")]);
    }
    let both = open("x.mid", &file(0, [0x9C, 0], &[&notes])).unwrap();
    assert_eq!(both.warnings.len(), 1);
}

/// Ticks of the note-ons of a file whose second note comes `delta` after the first one's note-off at tick 96.
fn ticks(delta: &[u8]) -> (Vec<u64>, String) {
    let second = [&melody(&[60])[..], delta, &melody(&[62, 64])[1..]].concat();
    let bytes = one(&second);
    assert_eq!(notes(&bytes).0, [60, 62, 64], "{delta:x?}");
    let score = Score::read("x.mid", &bytes).unwrap();
    let on = |(_, message): &&(u128, InputMessage)| matches!(message, InputMessage::NoteOn { .. });
    let times = score.events.iter().filter(on).map(|(time, _)| score.sample(*time, 192));
    (times.collect(), notes(&bytes).1)
}

#[test]
fn delta_times_of_more_than_four_bytes_are_read() {
    for (delta, second) in [
        (&[0x80, 0x80, 0x80, 0x80, 0x10][..], 96 + 16),
        (&[0x80, 0x80, 0x80, 0x80, 0x81, 0x10], 96 + 144),
        (&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00], 96),
        // Times of 32 bits: 16 ticks back, and more than four bytes express.
        (&[0x8F, 0xFF, 0xFF, 0xFF, 0x70], 96 - 16),
        (&[0x81, 0x80, 0x80, 0x80, 0x20], 96),
    ] {
        let (found, warning) = ticks(delta);
        assert_eq!(found, [0, second, second + 96], "{delta:x?}");
        assert_eq!(warning, "delta times of more than four bytes (1); first at byte 30");
    }
    assert_eq!(ticks(&[0x80, 0x80, 0x80, 0x10]), (vec![0, 112, 208], String::new()));
    // At the beginning of a track, and with running status.
    let first =
        [0x8F, 0xFF, 0xFF, 0xFF, 0x70, 0x90, 60, 80, 0x80, 0x80, 0x80, 0x80, 16, 62, 80, 9, 64, 80];
    let (found, warning) = notes(&one(&first));
    assert_eq!(found, [60, 62, 64]);
    assert_eq!(warning, "delta times of more than four bytes (2); first at byte 22");
}

#[test]
fn tempo_events_of_zero_or_of_a_wrong_length_stop_nothing() {
    let tempo = |bytes: &[u8]| {
        let length = touchback_core::math::cast::byte(bytes.len());
        let bytes = one(&[&[0, 0xFF, 0x51, length][..], bytes, &melody(&[60, 62])].concat());
        let score = Score::read("x.mid", &bytes).unwrap();
        (score.sample(score.events[2].0, 48_000), notes(&bytes).1)
    };
    let words = "tempo events of zero or not of three bytes (1); first at byte 22";
    assert_eq!(tempo(&[3, 0xD0, 0x90]), (12_000, String::new()));
    assert_eq!(tempo(&[0, 3, 0xD0, 0x90]), (12_000, words.into()));
    for ignored in [&[0, 0, 0][..], &[0xD0, 0x90], &[], &[0; 9], &[1, 0, 0, 0], &[0xFF; 9]] {
        assert_eq!(tempo(ignored), (24_000, words.into()), "{ignored:x?}");
    }
}

#[test]
fn samples_round_to_the_nearest() {
    let score = Score { events: vec![], per_second: 3, warnings: vec![] };
    assert_eq!((0..5).map(|t| score.sample(t, 1)).collect::<Vec<_>>(), [0, 0, 1, 1, 1]);
}

#[test]
fn controllers_bend_and_pressure_are_read() {
    let bytes = [0, 0xB1, 64, 127, 0, 0xE2, 0, 0x40, 0, 0xA2, 60, 127, 0, 0xC0, 5, 0, 0xD0, 9];
    let score = Score::read("x.mid", &file(0, [0, 96], &[&track(&bytes)])).unwrap();
    let messages: Vec<_> = score.events.iter().map(|e| e.1).collect();
    let expected = [
        InputMessage::Controller { channel: 1, number: 64, value: 1.0 },
        InputMessage::Bend { channel: 2, value: 0.0 },
        InputMessage::Pressure { to: Address::note(2, 60), value: 1.0 },
        InputMessage::ChannelPressure { channel: 0, value: 9.0 / 127.0 },
    ];
    assert_eq!(messages, expected);
}

#[test]
fn files_without_sense_are_refused_by_name() {
    let good = file(0, [0, 96], &[&track(&[0, 0x90, 60, 1])]);
    assert!(refused(&good[..14]).contains("no track"));
    assert!(refused(&good[..12]).contains("byte 8: the header chunk is cut off"));
    assert!(refused(b"RIFF....").contains("no MIDI file"));
    assert!(refused(&[]).contains("no MIDI file"));
    assert!(refused(&file(0, [0, 96], &[&END])).ends_with("x.mid: holds no note"));
    assert!(refused(&file(0, [0, 96], &[&[0, 0x90, 60]])).contains("holds no note"));
    let pedal_and_velocity_0 = track(&[0, 0xB0, 64, 127, 0, 0x90, 60, 0]);
    assert!(refused(&file(0, [0, 96], &[&pedal_and_velocity_0])).contains("holds no note"));
}

/// Notes (from 60 on) of `bytes` in order, and the only warning without the file's name.
pub(super) fn notes(bytes: &[u8]) -> (Vec<u8>, String) {
    let score = open("x.mid", bytes).unwrap();
    let on = |(_, message): &(u128, InputMessage)| match message {
        InputMessage::NoteOn { note, velocity, .. } if *velocity > 0.0 => Some(*note),
        _ => None,
    };
    assert!(score.warnings.len() <= 1, "{:?}", score.warnings);
    let warning = score.warnings.first().map_or("x.mid: ", String::as_str);
    (score.events.iter().filter_map(on).collect(), warning.strip_prefix("x.mid: ").unwrap().into())
}

/// Events of notes, one after another, each with its own status.
fn melody(notes: &[u8]) -> Vec<u8> {
    notes.iter().flat_map(|note| [0, 0x90, *note, 80, 96, 0x80, *note, 64]).collect()
}

/// A whole file of one track with `events` and an end of track.
pub(super) fn one(events: &[u8]) -> Vec<u8> {
    file(0, [0, 96], &[&track(events)])
}

#[test]
fn damaged_events_are_read_on_with_one_warning() {
    let (a, b) = (melody(&[60]), melody(&[62, 64]));
    let all = vec![60, 62, 64];
    for (between, words) in [
        (&[0, 0xF8][..], "real-time or system messages inside a track (1); first at byte 30"),
        (
            &[0, 0xFE, 0, 0xF6, 0, 0xF1, 5, 0, 0xF2, 1, 2],
            "real-time or system messages inside a track (4)",
        ),
        (&[0, 0xF0, 0x7E, 0x7F, 9, 1, 0xF7], "meta or SysEx events with a wrong length (1)"),
        (&[0, 0xB0, 7, 0xE4], "data bytes over 127 (1)"),
        (&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF], "stray bytes skipped"),
        (&[0, 0xFF, 1, 0x7F, b'h', b'i'], "stray bytes skipped (6)"),
        (&[0, 0xF5], "real-time or system"),
    ] {
        let (found, warning) = notes(&one(&[&a, between, &b[..]].concat()));
        assert_eq!(found, all, "{between:x?}: {warning}");
        assert!(warning.contains(words), "{between:x?}: {warning}");
    }
    for (events, words) in [
        // Running status after a text, a SysEx message, a tempo, at several places.
        (
            &[0, 0x90, 60, 80, 10, 0xFF, 1, 2, 37, 43, 96, 60, 0, 0, 62, 80, 96, 62, 0, 0, 64, 80]
                [..],
            "running status after a meta or SysEx event (1)",
        ),
        (
            &[
                0, 0x90, 60, 80, 0, 0xF0, 5, 0x7E, 0x7F, 9, 1, 0xF7, 9, 60, 0, 0, 62, 80, 0, 0xFF,
                0x51, 3, 7, 0xA1, 0x20, 0, 64, 80,
            ],
            "running status after a meta or SysEx event (2)",
        ),
        // Velocities of eight bits, also in chords.
        (
            &[0, 0x90, 60, 0xD0, 0, 0x90, 62, 0xE4, 0, 0x90, 64, 0xFF, 9, 0x80, 60, 0],
            "data bytes over 127 (3)",
        ),
        (&[0, 0x90, 60, 0xD0, 0, 62, 0xE4, 0, 64, 0xFF, 9, 60, 0], "data bytes over 127 (3)"),
        // A clock between the bytes of a message.
        (
            &[0, 0x90, 60, 0xF8, 80, 9, 62, 80, 0, 64, 80, 0, 60, 0, 0, 62, 0, 0, 64, 0],
            "inside a track (1)",
        ),
    ] {
        let (found, warning) = notes(&one(events));
        assert_eq!(found, all, "{events:x?}: {warning}");
        assert!(warning.contains(words), "{events:x?}: {warning}");
    }
    let clock = [&[0, 0x90, 60, 0xF8, 80, 0x30, 60, 0][..], &melody(&[62, 64])].concat();
    assert_eq!(notes(&one(&clock)).0, all);
    let masked = open("x.mid", &one(&[0, 0x90, 60, 0xD0])).unwrap();
    let on = InputMessage::NoteOn { channel: 0, note: 60, id: None, velocity: 80.0 / 127.0 };
    assert_eq!(masked.events, [(0, on)]);
}

#[test]
fn chunks_with_wrong_lengths_are_found() {
    let (a, b) = (track(&melody(&[60, 62, 64])), track(&melody(&[48, 50])));
    let two = file(1, [0, 96], &[&a, &b]);
    let both = vec![60, 48, 62, 50, 64];
    assert_eq!(notes(&two), (both.clone(), String::new()));
    let declared = |at: usize, length: u32| {
        let mut bytes = two.clone();
        bytes[at..at + 4].copy_from_slice(&length.to_be_bytes());
        bytes
    };
    let (first, second) = (18, 22 + a.len() + 4);
    let (long, short) = (u32::try_from(a.len()).unwrap(), u32::try_from(b.len()).unwrap());
    for (bytes, words) in [
        (declared(first, long - 4), "wrong chunk lengths (1); first at byte 14"),
        (declared(first, 0), "wrong chunk lengths (1)"),
        (declared(first, long + 1), "wrong chunk lengths (1)"),
        (declared(first, long + 8 + short), "wrong chunk lengths (1)"),
        (declared(first, u32::MAX), "wrong chunk lengths (1)"),
        (declared(second, 0), "wrong chunk lengths (1)"),
        (declared(second, short - 1), "wrong chunk lengths (1)"),
        (declared(second, short + 50), "wrong chunk lengths (1)"),
        (declared(4, 8), "wrong length of the header"),
        (declared(4, 0), "wrong length of the header"),
        ([&two[..second - 4], b"\0\0junk", &two[second - 4..]].concat(), "stray bytes skipped (6)"),
        ([&two[..second - 4], b"XFIH\0\0\0\x01a", &two[second - 4..]].concat(), ""),
        ([&two[..], b"junk"].concat(), "stray bytes skipped (4)"),
        ([&two[..], &[0; 100]].concat(), "stray bytes skipped (100)"),
        ([&[0; 128], &two[..]].concat(), "128 bytes before the header skipped"),
        ([b"\xEF\xBB\xBF", &two[..]].concat(), "3 bytes before the header skipped"),
    ] {
        let (found, warning) = notes(&bytes);
        assert_eq!(found, both, "{warning}");
        assert!(
            warning.contains(words) && warning.is_empty() == words.is_empty(),
            "{words}: {warning}"
        );
    }
    // `MTrk` in a text is no chunk.
    let named = track(&[&[0, 0xFF, 3, 8][..], b"MTrk\0\0\0\0", &melody(&[60])].concat());
    assert_eq!(notes(&file(1, [0, 96], &[&named, &b])), (vec![60, 48, 50], String::new()));
}

#[test]
fn counts_ends_and_formats_may_be_wrong() {
    let (a, b) = (track(&melody(&[60, 62])), track(&melody(&[48])));
    let mut bytes = file(1, [0, 96], &[&a, &b]);
    for count in [0, 1, 9] {
        bytes[11] = count;
        let (found, warning) = notes(&bytes);
        assert_eq!(found, [60, 48, 62]);
        assert_eq!(warning, format!("declares {count} tracks and holds 2"));
    }
    bytes[11] = 2;
    bytes[9] = 7;
    assert_eq!(notes(&bytes), (vec![60, 48, 62], "unknown format 7, played as format 1".into()));
    // Pieces of format 2 follow one another, each with its own tempo.
    let slow = track(&[&[0, 0xFF, 0x51, 3, 0x0F, 0x42, 0x40][..], &melody(&[48])].concat());
    let pieces = file(2, [0, 96], &[&slow, &a]);
    let score = Score::read("x.mid", &pieces).unwrap();
    assert_eq!(score.warnings, ["x.mid: format 2: its 2 pieces are played one by one"]);
    let starts: Vec<u64> = score.events.iter().map(|(t, _)| score.sample(*t, 1000)).collect();
    assert_eq!(starts, [0, 1000, 1000, 1500, 1500, 2000]);
    assert_eq!(notes(&file(2, [0, 96], &[&a])), (vec![60, 62], String::new()));
    // An end of track before the end of the notes.
    let early = [&melody(&[60])[..], &END, &melody(&[62]), &END].concat();
    let (found, warning) = notes(&file(0, [0, 96], &[&early]));
    assert_eq!(
        (found, &warning[..]),
        (vec![60, 62], "events after an end-of-track event (1); first at byte 30")
    );
    let (found, warning) =
        notes(&file(0, [0, 96], &[&[&melody(&[60])[..], &END, &[0; 9]].concat()]));
    assert_eq!((found, &warning[..]), (vec![60], "stray bytes skipped (9); first at byte 34"));
    // No end of track.
    let (found, warning) = notes(&file(0, [0, 96], &[&melody(&[60])]));
    assert_eq!((found, &warning[..]), (vec![60], "1 of 1 tracks have no end-of-track event"));
}

#[test]
fn cut_files_are_played_to_their_end() {
    let whole = file(1, [0, 96], &[&track(&melody(&[60, 62, 64])), &track(&melody(&[48, 50]))]);
    for length in 26..whole.len() {
        let (found, warning) = notes(&whole[..length]);
        assert!(
            !found.is_empty()
                && [60, 48, 62, 50, 64].iter().filter(|n| found.contains(n)).count() == found.len()
        );
        assert!(!warning.is_empty(), "{length}");
    }
    let cut = one(&melody(&[60, 62, 64]));
    assert_eq!(notes(&cut[..cut.len() - 6]), (vec![60, 62, 64], "the file is cut off".into()));
}

#[test]
fn riff_wrappers_are_removed() {
    let inner = one(&melody(&[60]));
    let wrapped = |length: u32, before: &[u8], after: &[u8]| {
        [b"RIFF\0\0\0\0RMID", before, b"data", &length.to_le_bytes(), &inner, after].concat()
    };
    let length = u32::try_from(inner.len()).unwrap();
    for bytes in [
        wrapped(length, b"", b""),
        wrapped(length, b"", b"LIST\x04\0\0\0INFO"),
        wrapped(length, b"DISP\x04\0\0\0song", b"\0DLS \0\0\0\0"),
        wrapped(0, b"", b""),
        wrapped(u32::MAX, b"", b""),
    ] {
        assert_eq!(notes(&bytes), (vec![60], String::new()));
    }
    assert!(refused(b"RIFF\x10\0\0\0RMIDdata\x04\0\0\0junk").contains("no MIDI file"));
}

/// A program change and a note of channel `channel`, from 1.
fn part(channel: u8, program: u8, note: u8) -> Vec<u8> {
    let c = channel - 1;
    let pedal = [0, 0xB0 | c, 64, 127];
    [&[0, 0xC0 | c, program][..], &pedal, &[0, 0x90 | c, note, 80, 96, 0x80 | c, note, 0]].concat()
}

#[test]
fn drums_and_other_instruments_are_left_out() {
    let band = [part(1, 0, 60), part(2, 33, 36), part(3, 48, 72), part(10, 0, 38), part(11, 4, 64)];
    let band: Vec<Vec<u8>> = band.iter().map(|part| track(part)).collect();
    let band: Vec<&[u8]> = band.iter().map(Vec::as_slice).collect();
    let bytes = file(1, [0, 96], &band);
    let (found, warning) = notes(&bytes);
    assert_eq!(found, [60, 64]);
    assert_eq!(
        warning,
        "left out 1 note of bass on channel 2, 1 note of ensemble on channel 3, 1 note of drums on \
         channel 10; --channels selects others"
    );
    let heard = |channels: Option<&str>, tracks: Option<&str>| {
        let numbers = |text: Option<&str>| text.map(|text| text.parse().unwrap());
        let parts = Parts { channels: numbers(channels), tracks: numbers(tracks) };
        Score::read_parts("x.mid", &bytes, &parts).map(|score| {
            assert!(score.warnings.is_empty());
            let events = score.events.iter();
            events.filter(|(_, m)| matches!(m, InputMessage::NoteOn { .. })).count()
        })
    };
    assert_eq!(heard(Some("all"), None).unwrap(), 5);
    assert_eq!(heard(Some("2-3,10"), None).unwrap(), 3);
    assert_eq!(heard(None, Some("1,4")).unwrap(), 2);
    assert_eq!(heard(Some("10"), Some("4")).unwrap(), 1);
    let error = heard(Some("5"), None).unwrap_err().to_string();
    assert!(
        error.starts_with("x.mid: no note in the chosen channels and tracks; the file has 1 on"),
        "{error}"
    );
    for bad in ["0", "1-", "x", "", "3-1", "1;2"] {
        assert!(bad.parse::<Numbers>().is_err(), "{bad}");
    }
    // A pedal of another instrument does not lift the piano's dampers.
    let score = Score::read("x.mid", &bytes).unwrap();
    let lifts = score.events.iter().filter(|(_, message)| {
        matches!(message, InputMessage::Controller { channel, .. } if [1, 2, 9].contains(channel))
    });
    assert_eq!(lifts.count(), 0);
}

#[test]
fn files_without_a_piano_are_played_without_the_drums() {
    let (harp, drums) = (track(&part(1, 46, 60)), track(&part(10, 0, 38)));
    let (found, warning) = notes(&file(1, [0, 96], &[&harp, &drums]));
    assert_eq!(
        (found, &warning[..]),
        (vec![60], "has no piano part; its strings played on the piano")
    );
    let (found, warning) = notes(&file(0, [0, 96], &[&drums]));
    assert_eq!(
        (found, &warning[..]),
        (vec![38], "has no piano part; its drums played on the piano")
    );
    // A part that becomes another instrument.
    let changed = track(&[part(1, 0, 60), part(1, 40, 62), part(1, 1, 64)].concat());
    assert_eq!(notes(&file(0, [0, 96], &[&changed])).0, [60, 64]);
    // Banks of drums on other channels.
    let bank = track(&[&[0, 0xB1, 0, 127][..], &part(2, 0, 38), &part(1, 0, 60)].concat());
    assert_eq!(notes(&file(0, [0, 96], &[&bank])).0, [60]);
    // MPE: channel 10 is a finger.
    let mpe = [&[0, 0xB0, 101, 0, 0, 0xB0, 100, 6, 0, 0xB0, 6, 15][..], &part(10, 0, 38)].concat();
    assert_eq!(notes(&one(&mpe)), (vec![38], String::new()));
}

#[test]
fn finer_velocities_of_disklavier_files_come_before_their_notes() {
    // Key sensor, its coarse and finer speed, then the note and its finer part, as the piano writes them.
    let events = [
        0, 0xA0, 67, 28, 0, 0xB0, 81, 61, 0, 0xB0, 16, 96, 28, 0x90, 67, 69, 0, 0xB0, 16, 64, 90,
        0x80, 67, 62, 0, 0xB0, 16, 0,
    ];
    let score = open("x.mid", &one(&events)).unwrap();
    let at = |number: u8| {
        let is = |(_, m): &&(u128, InputMessage)| matches!(m, InputMessage::Controller { number: n, .. } if *n == number);
        score.events.iter().filter(is).count()
    };
    assert_eq!((at(16), at(81), score.events.len()), (1, 1, 5));
    let fine = InputMessage::Controller { channel: 0, number: 16, value: 64.0 / 127.0 };
    assert_eq!(score.events[2].1, fine);
    assert!(matches!(score.events[3].1, InputMessage::NoteOn { note: 67, .. }));
    // As transmitted: before the note.
    let sent = [0, 0xB0, 16, 64, 0, 0x90, 67, 69, 90, 0xB0, 16, 32, 0, 0x90, 60, 50];
    let score = open("x.mid", &one(&sent)).unwrap();
    assert_eq!(score.events[0].1, fine);
    assert_eq!(score.events.len(), 4);
    // Positions of a key beside the note of another: their finer parts stay behind them.
    let both = [
        0, 0xA0, 67, 28, 0, 0xB0, 16, 96, 0, 0x90, 60, 69, 0, 0xB0, 16, 64, 10, 0xA0, 67, 30, 0,
        0xB0, 16, 32, 5, 0x80, 60, 62, 0, 0xB0, 16, 0,
    ];
    let score = Score::read("x.mid", &one(&both)).unwrap();
    let numbers = score.events.iter().map(|(_, message)| match message {
        InputMessage::Controller { number: 16, value, .. } => (127.0 * value).round(),
        InputMessage::NoteOn { .. } => 200.0,
        InputMessage::Pressure { .. } => 300.0,
        _ => 400.0,
    });
    assert_eq!(numbers.collect::<Vec<_>>(), [300.0, 96.0, 64.0, 200.0, 300.0, 32.0, 400.0]);
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
        let all = Parts::ALL;
        let score = Score::read_parts("x.mid", &file(0, [0, 96], &[&track(&events)]), &all);
        if let Ok(score) = score {
            prop_assert!(score.events.is_sorted_by_key(|e| e.0));
            let is_known = |warning: &String| {
                ["joined", "note-o", "end of the music"].iter().any(|words| warning.contains(words))
            };
            prop_assert!(score.warnings.iter().all(is_known));
        }
    }
}
