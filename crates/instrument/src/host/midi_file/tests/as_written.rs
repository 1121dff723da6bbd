//! Ports, tunings, the end of the music, and note-offs, as programs write them.

use super::*;

/// A track of `head` and a part.
fn on_port(head: &[u8], part: &[u8]) -> Vec<u8> {
    track(&[head, part].concat())
}

fn port(number: u8) -> Vec<u8> {
    vec![0, 0xFF, 0x21, 1, number]
}

fn device(name: &str) -> Vec<u8> {
    [&[0, 0xFF, 0x09, touchback_core::math::cast::byte(name.len())], name.as_bytes()].concat()
}

#[test]
fn ports_have_their_own_programs_banks_and_drums() {
    let bank = |part: Vec<u8>| [vec![0, 0xB0, 0, 127], part].concat();
    for (tracks, expected, left_out) in [
        (
            vec![on_port(&port(0), &part(1, 0, 60)), on_port(&port(1), &part(1, 48, 72))],
            vec![60],
            "left out 1 note of ensemble on channel 1 of port 2",
        ),
        // The other way round; and the first track without a port.
        (
            vec![track(&part(1, 48, 72)), on_port(&port(1), &part(1, 0, 60))],
            vec![60],
            "left out 1 note of ensemble on channel 1 of port 1",
        ),
        (
            vec![
                on_port(&device("Piano"), &part(1, 0, 60)),
                on_port(&device("Strings"), &part(1, 48, 72)),
            ],
            vec![60],
            "left out 1 note of ensemble on channel 1 of port 2",
        ),
        // One device for all, named late: one port.
        (
            vec![
                track(&[0, 0xC0, 48]),
                on_port(&device("All"), &[0, 0x90, 72, 80, 9, 0x80, 72, 0]),
                on_port(&device("All"), &part(2, 0, 60)),
            ],
            vec![60],
            "left out 1 note of ensemble on channel 1;",
        ),
        // Numbers have precedence over names.
        (
            vec![
                on_port(&[device("A"), port(3)].concat(), &part(1, 0, 60)),
                on_port(&[device("B"), port(3)].concat(), &part(2, 24, 62)),
            ],
            vec![60],
            "left out 1 note of guitar on channel 2;",
        ),
        (
            vec![on_port(&port(0), &part(1, 0, 60)), on_port(&port(2), &bank(part(1, 0, 38)))],
            vec![60],
            "left out 1 note of drums on channel 1 of port 3",
        ),
        // Drums of the second port's tenth channel.
        (
            vec![on_port(&port(0), &part(1, 0, 60)), on_port(&port(1), &part(10, 0, 38))],
            vec![60],
            "left out 1 note of drums on channel 10 of port 2",
        ),
    ] {
        let tracks: Vec<&[u8]> = tracks.iter().map(Vec::as_slice).collect();
        let (found, warning) = notes(&file(1, [0, 96], &tracks));
        assert_eq!(found, expected, "{warning}");
        assert!(warning.starts_with(left_out), "{warning}");
    }
}

#[test]
fn pianos_on_two_ports_keep_their_pedals_and_tunings() {
    // Both on channel 1; the second one's pedal and octave tuning are its own.
    let octave = [&[0, 0xF0, 20, 0x7F, 0x7F, 8, 8, 0, 0, 1][..], &[114; 12], &[0xF7]].concat();
    let first = on_port(&port(0), &[0, 0x90, 60, 80, 96, 0x80, 60, 0]);
    let pedal = [0, 0xB0, 64, 127, 0, 0x90, 64, 80, 96, 0x80, 64, 0, 9, 0xB0, 64, 0];
    let second = on_port(&port(1), &[&octave[..], &pedal].concat());
    let score = Score::read("x.mid", &file(1, [0, 96], &[&first, &second])).unwrap();
    let channels: Vec<u8> = score
        .events
        .iter()
        .filter_map(|(_, message)| match message {
            InputMessage::NoteOn { channel, .. } | InputMessage::Controller { channel, .. } => {
                Some(*channel)
            }
            InputMessage::Retune { channels, .. } => {
                assert_eq!(*channels, 1 << 1);
                None
            }
            _ => None,
        })
        .collect();
    assert_eq!(channels, [0, 1, 1, 1]);
    // Seventeen channels: the last one shares.
    let many: Vec<Vec<u8>> =
        (0..17).map(|i| on_port(&port(i), &[0, 0x90, 40 + i, 80, 96, 0x80, 40 + i, 0])).collect();
    let many: Vec<&[u8]> = many.iter().map(Vec::as_slice).collect();
    let (found, warning) = notes(&file(1, [0, 96], &many));
    assert_eq!((found.len(), &warning[..]), (17, ""));
}

#[test]
fn tuning_messages_of_files_tune_their_notes() {
    let messages = |bytes: &[u8]| {
        let mut midi = crate::host::midi::Midi::default();
        let mut out = Vec::new();
        for (_, message) in &Score::read("x.mid", &one(bytes)).unwrap().events {
            midi.translate(message, &crate::Settings::default(), |event| out.push(event));
        }
        out
    };
    let tuned = |events: &[crate::Event]| -> Vec<f64> {
        let tunes = events.iter().filter_map(|event| match event {
            crate::Event::Tune { cents, .. } => Some((cents * 100.0).round() / 100.0),
            _ => None,
        });
        tunes.collect()
    };
    let note = [10, 0x90, 69, 80, 96, 0x80, 69, 0];
    let sysex =
        |data: &[u8]| [&[0, 0xF0, touchback_core::math::cast::byte(data.len())], data].concat();
    let mut octave = [0x7E, 0x7F, 8, 8, 3, 0x7F, 0x7F].to_vec();
    octave.extend([64, 64, 64, 64, 64, 64, 64, 64, 64, 114, 64, 64, 0xF7]);
    assert_eq!(tuned(&messages(&[sysex(&octave), note.to_vec()].concat())), [50.0]);
    // In two pieces, and as an escape.
    let (begin, end) = octave.split_at(9);
    let pieces = [&sysex(begin)[..], &[0, 0xF7, 11], end, &note].concat();
    assert_eq!(tuned(&messages(&pieces)), [50.0]);
    let escape = [&[0, 0xF7, 21, 0xF0][..], &octave, &note].concat();
    assert_eq!(tuned(&messages(&escape)), [50.0]);
    // A sounding note follows a change in real time only.
    for (kind, expected) in [(0x7F, vec![100.0]), (0x7E, vec![])] {
        let change = sysex(&[kind, 0, 8, 7, 0, 0, 1, 69, 70, 0, 0, 0xF7]);
        let both = [&[0, 0x90, 69, 80][..], &change, &[96, 0x80, 69, 0]].concat();
        assert_eq!(tuned(&messages(&both)), expected);
    }
    // Master tuning and volume; two octaves up by coarse tuning.
    let fine = sysex(&[0x7F, 0x7F, 4, 3, 0, 0x60, 0xF7]);
    assert_eq!(tuned(&messages(&[fine, note.to_vec()].concat())), [50.0]);
    let events = messages(&[sysex(&[0x7F, 0x7F, 4, 4, 0, 88, 0xF7]), note.to_vec()].concat());
    assert!(matches!(events[0], crate::Event::NoteOn { key, .. } if key.midi() == 93));
    let volume = [
        &[0, 0xB0, 7, 127][..],
        &sysex(&[0x7F, 0x7F, 4, 1, 0, 0x40, 0xF7]),
        &[0, 0xB0, 7, 0],
        &note,
    ]
    .concat();
    let levels: Vec<f64> = messages(&volume)
        .iter()
        .filter_map(|event| match event {
            crate::Event::Volume(value) => Some((1e3 * value).round() / 1e3),
            _ => None,
        })
        .collect();
    assert_eq!(levels, [1.0, 0.5, 0.0]);
}

#[test]
fn music_ends_with_what_can_be_heard() {
    let hours = [0x84, 0xF8, 0xE4, 0x20];
    let seconds = |bytes: &[u8]| {
        let score = Score::read("x.mid", &one(bytes)).unwrap();
        (score.end(), score.warnings)
    };
    let note = [0, 0x90, 60, 80, 96, 0x80, 60, 64];
    for stray in [
        &[0xB0, 121, 0][..],
        &[0xB0, 64, 0],
        &[0x80, 60, 0],
        &[0xA0, 60, 0],
        &[0xE0, 0, 64],
        &[0xB0, 123, 0],
        &[0xC0, 5],
    ] {
        let (end, warnings) = seconds(&[&note[..], &hours, stray].concat());
        assert!((end - 0.5).abs() < 1e-9, "{stray:x?}: {end}");
        let is_told = stray[0] == 0xC0
            || warnings[0].contains("events after the end of the music left out: 1");
        assert!(is_told, "{stray:x?}: {warnings:?}");
    }
    // A pedal that is lifted soon is heard, and a note at any time.
    let pedal = [0, 0xB0, 64, 127, 0, 0x90, 60, 80, 96, 0x80, 60, 64, 96, 0xB0, 64, 0];
    assert_eq!(seconds(&pedal), (1.0, vec![]));
    assert_eq!(seconds(&[&note[..], &[96, 0xB0, 121, 0]].concat()), (0.5, vec![]));
    assert!(seconds(&[&note[..], &hours, &[0x90, 60, 80, 96, 0x80, 60, 64]].concat()).0 > 3600.0);
    // The note of a key that is held for hours.
    assert!(seconds(&[&[0, 0x90, 60, 80][..], &hours, &[0x80, 60, 0]].concat()).0 > 3600.0);
    let mut late = Score::read("x.mid", &one(&[&hours[..], &note[1..]].concat())).unwrap();
    assert!(late.trim() > 3600.0 && late.end() == 0.5);
}

#[test]
fn missing_and_early_note_offs_are_mended_and_counted() {
    let surplus = [
        0, 0x90, 60, 80, 96, 0x90, 60, 80, 96, 0x80, 60, 64, 0x83, 0x60, 0x90, 62, 80, 96, 0x80,
        62, 64,
    ];
    let (found, warning) = notes(&one(&surplus));
    assert_eq!(found, [60, 60, 62]);
    assert_eq!(warning, "note-ons without a note-off, ended by the next note-off of their key: 1");
    let early = [
        96, 0x80, 62, 64, 0, 0x90, 62, 70, 0, 0x90, 64, 80, 96, 0x80, 64, 64, 96, 0x90, 62, 70, 96,
        0x80, 62, 64,
    ];
    let (found, warning) = notes(&one(&early));
    assert_eq!(found, [62, 64, 62]);
    assert_eq!(warning, "note-offs before the note-on of their note, put behind it: 1");
}

#[test]
fn notes_that_nothing_ends_end_with_the_file() {
    let read = |bytes: &[u8]| {
        let score = Score::read("x.mid", &one(bytes)).unwrap();
        let off =
            |(_, message): &&(u128, InputMessage)| matches!(message, InputMessage::NoteOff { .. });
        let time = |(time, _): &(u128, InputMessage)| *time as f64 / score.per_second as f64;
        let ends: Vec<f64> = score.events.iter().filter(off).map(time).collect();
        (ends, score.warnings)
    };
    let two = [0, 0x90, 60, 80, 96, 0x90, 64, 80];
    let told = vec!["x.mid: note-ons that nothing ends, ended with the file: 2".to_owned()];
    // The file ends with the second note, and 3 s after it.
    assert_eq!(read(&two), (vec![1.0, 1.5], told.clone()));
    let later = [&two[..], &[0x84, 0x40, 0xFF, 1, 0]].concat();
    assert_eq!(read(&later), (vec![3.5, 3.5], told.clone()));
    // A stray event after hours.
    let hours = [&two[..], &[0x84, 0xF8, 0xE4, 0x20, 0xFF, 1, 0]].concat();
    assert_eq!(read(&hours), (vec![20.5, 20.5], told));
    let ended = [&two[..], &[96, 0xB0, 123, 0]].concat();
    assert_eq!(read(&ended), (vec![], vec![]));
}

#[test]
fn channels_without_notes_do_not_change_the_sound() {
    let setup = |channel: u8| {
        [[0, 0xB0 | channel, 7, 20], [0, 0xB0 | channel, 10, 0], [0, 0xE0 | channel, 0, 0]].concat()
    };
    let note = [0, 0x90, 60, 80, 96, 0x80, 60, 64];
    let count = |bytes: &[u8]| Score::read("x.mid", &one(bytes)).unwrap().events.len();
    assert_eq!(count(&[&setup(3)[..], &note].concat()), 2);
    assert_eq!(count(&[&setup(0)[..], &note].concat()), 5);
    // A pedal on a channel of its own stays.
    assert_eq!(count(&[&[0, 0xB3, 64, 127][..], &note, &[9, 0xB3, 64, 0]].concat()), 4);
}
