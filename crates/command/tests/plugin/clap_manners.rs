//! Notes, controllers, state and strike output of the built plugin in a host.

use std::collections::BTreeMap;
use std::path::Path;

use crate::clap_host::parameter;
use crate::host::{Message, Plugin, Sent, bits, blocks, control, library, off};
use clack_host::events::event_types::NoteExpressionType;
use touchback_command::host::ClapId;
use touchback_instrument::host::params;

const RATE: f64 = 24_000.0;

/// The host's event that sets a parameter to a choice or value.
fn set(id: &str, text: &str) -> Message {
    let parameter = parameter(id);
    let value = parameter.parse(text).unwrap();
    let position = if parameter.choices().is_empty() { parameter.normalized(value) } else { value };
    control(parameter, position)
}

/// Notes at uneven times under natural timing, with pedal, repetitions and releases.
fn performance() -> Vec<(usize, Message)> {
    let mut events = Vec::new();
    for i in 0..24_usize {
        let note = i16::try_from(48 + i * 7 % 31).unwrap();
        let at = 100 + i * 1_117;
        events.push((at, Message::NoteOn(note, 0.3 + 0.027 * i as f64)));
        events.push((at + 1_900, off(note)));
        if i % 6 == 2 {
            events.push((at + 3, Message::Midi([0xB0, 64, if i % 12 == 2 { 127 } else { 0 }])));
        }
    }
    events.sort_by_key(|event| event.0);
    events
}

const LENGTH: usize = 36_000;

/// Output of one plugin, and output of a second plugin that plays the first one's output.
fn loop_through(output: &str) -> [Vec<(usize, Sent)>; 2] {
    let entry = library();
    let mut first = Plugin::active(&entry, RATE);
    let mut events = vec![(0, set("timing", "Natural")), (0, set("strike_output", output))];
    events.extend(performance());
    first.processor().render(blocks(LENGTH, 480), &events);
    let sent = first.processor().sent.clone();

    let mut second = Plugin::active(&entry, RATE);
    let mut events = vec![(0, set("strike_output", output))];
    events.extend(sent.iter().map(|(at, what)| {
        let send = match *what {
            Sent::NoteOn(note, velocity) => Message::NoteOn(i16::try_from(note).unwrap(), velocity),
            Sent::NoteOff(note) => off(i16::try_from(note).unwrap()),
            Sent::Midi(data) => Message::Midi(data),
        };
        (*at, send)
    }));
    second.processor().render(blocks(LENGTH, 1_000), &events);
    let again = second.processor().sent.clone();
    [sent, again]
}

/// Strikes alone: sample, note, velocity.
fn strikes(sent: &[(usize, Sent)]) -> Vec<(usize, u16, f64)> {
    let strike = |(at, what): &(usize, Sent)| match what {
        Sent::NoteOn(note, velocity) => Some((*at, *note, *velocity)),
        _ => None,
    };
    sent.iter().filter_map(strike).collect()
}

#[test]
fn strikes_sent_to_a_second_plugin_strike_there_as_fast() {
    let [sent, again] = loop_through("Notes");
    let (sent, again) = (strikes(&sent), strikes(&again));
    assert!(sent.len() >= 20, "{}", sent.len());
    assert_eq!(sent.len(), again.len());
    for (a, b) in sent.iter().zip(&again) {
        assert_eq!((a.0, a.1), (b.0, b.1));
        // Only the single precision of the velocity is lost.
        assert!((a.2 - b.2).abs() < 1e-6, "{a:?} {b:?}");
    }
    let fine = sent.iter().filter(|s| (127.0 * s.2 - (127.0 * s.2).round()).abs() > 1e-3).count();
    assert!(fine > sent.len() / 2, "velocities are finer than MIDI's");
}

#[test]
fn with_controller_88_the_second_plugin_sends_the_same_again() {
    let [sent, again] = loop_through("Notes and CC 88");
    assert!(strikes(&sent).len() >= 20);
    let finer = |sent: &[(usize, Sent)]| {
        let is = |(_, what): &(usize, Sent)| matches!(what, Sent::Midi([0xB0, 88, _]));
        sent.iter().filter(|sent| is(sent)).count()
    };
    assert!(finer(&sent) > 10);
    let played = |sent: &[(usize, Sent)]| {
        let off = |what: &Sent| matches!(what, Sent::NoteOff(_));
        sent.iter().filter(|(_, what)| !off(what)).copied().collect::<Vec<_>>()
    };
    assert_eq!(played(&sent), played(&again));
    // Every note ends in both outputs.
    for sent in [&sent, &again] {
        let mut open: BTreeMap<u16, i32> = BTreeMap::new();
        for (_, what) in sent {
            match what {
                Sent::NoteOn(note, _) => *open.entry(*note).or_default() += 1,
                Sent::NoteOff(note) => *open.entry(*note).or_default() -= 1,
                Sent::Midi(_) => {}
            }
            assert!(open.values().all(|count| (0..=1).contains(count)));
        }
        assert!(open.values().all(|count| *count == 0));
    }
}

#[test]
fn every_parameter_is_on_one_page_of_its_group() {
    let pages = Plugin::new(&library()).host.pages().unwrap();
    let on_pages: Vec<_> = pages.iter().flat_map(|page| page.2.clone()).collect();
    let pedals = ["sustain_pedal", "sostenuto_pedal", "una_corda_pedal"];
    let pedals = pedals.map(|id| ClapId::new(params::host_id(id)));
    let mechanism = (1..=8).map(|n| ClapId::new(params::host_id(&format!("mechanism_{n}"))));
    let table: Vec<_> =
        params::all().map(crate::host::clap_id).chain(pedals).chain(mechanism).collect();
    assert_eq!(on_pages, table);
    for (section, name, ids) in pages {
        assert!(ids.len() <= 8 && name.starts_with(&section), "{section}: {name}");
        for parameter in params::all().filter(|p| ids.contains(&crate::host::clap_id(p))) {
            assert_eq!(parameter.group.name(), section, "{}", parameter.id);
        }
    }
}

#[test]
fn expressions_retune_and_only_enabled_pressure_is_a_position() {
    let entry = library();
    let render = |events: &[(usize, Message)]| {
        let mut plugin = Plugin::active(&entry, RATE);
        bits(&plugin.processor().render(blocks(9_600, 333), events))
    };
    let note = (10, Message::NoteOn(60, 0.5));
    let plain = render(&[note]);
    for ignored in [
        Message::Express(60, NoteExpressionType::Vibrato, 0.5),
        Message::Express(60, NoteExpressionType::Brightness, 0.5),
        Message::Express(60, NoteExpressionType::Pressure, 0.5),
        Message::Midi([0xA0, 60, 100]),
        Message::Midi([0xD0, 100, 0]),
    ] {
        assert!(render(&[note, (2_000, ignored)]) == plain, "{ignored:?}");
    }
    for heard in
        [Message::Midi([0xB0, 7, 64]), Message::Midi([0xB0, 10, 0]), Message::Midi([0xB0, 11, 64])]
    {
        let changed = render(&[note, (2_000, heard)]);
        assert!(changed[..2_000] == plain[..2_000] && changed != plain, "{heard:?}");
    }
    let mut sensed = vec![(0, set("key_pressure", "Position"))];
    for step in 0..=127_u8 {
        sensed.push((usize::from(step) * 12, Message::Midi([0xA0, 60, step])));
    }
    assert!(render(&sensed).iter().flatten().any(|sample| f32::from_bits(*sample).abs() > 1e-3));
}

#[test]
fn tunings_of_a_host_retune_at_their_sample() {
    const RAISED: &[u8] = &[0xF0, 0x7F, 0x7F, 8, 2, 0, 1, 69, 70, 0, 0, 0xF7];
    const OCTAVE: &[u8] = &[
        0xF0, 0x7E, 0x7F, 8, 8, 3, 127, 127, 64, 64, 64, 64, 64, 64, 64, 64, 64, 114, 64, 64, 0xF7,
    ];
    const BACK: &[u8] = &[0xF0, 0x7F, 0x7F, 8, 2, 0, 1, 69, 69, 0, 0, 0xF7];
    const SOFTER: &[u8] = &[0xF0, 0x7F, 0x7F, 4, 1, 0, 0x40, 0xF7];
    let entry = library();
    let render = |block: usize, events: &[(usize, Message)]| {
        let mut plugin = Plugin::active(&entry, RATE);
        bits(&plugin.processor().render(blocks(9_600, block), events))
    };
    let note = (10, Message::NoteOn(69, 0.5));
    let expressed =
        |at, semitones| (at, Message::Express(69, NoteExpressionType::Tuning, semitones));
    let system = |at, bytes| (at, Message::System(bytes));
    let plain = render(333, &[note]);
    let raised = render(333, &[note, expressed(10, 1.0)]);
    assert!(raised != plain);
    for block in [333, 4_096] {
        assert!(render(block, &[system(0, RAISED), note]) == raised);
        assert!(render(block, &[system(0, RAISED), system(5, BACK), note]) == plain);
        let expected = render(333, &[note, expressed(10, 0.5), expressed(5_000, 1.0)]);
        assert!(render(block, &[system(10, OCTAVE), note, system(5_000, RAISED)]) == expected);
    }
    let softer = render(333, &[note, system(5_000, SOFTER)]);
    assert!(softer[..5_000] == plain[..5_000] && softer != plain);
    // General MIDI's reset says nothing about tunings.
    assert!(render(333, &[system(0, &[0xF0, 0x7E, 0x7F, 9, 1, 0xF7]), note]) == plain);
}

#[test]
fn ten_thousand_events_in_one_block_are_taken() {
    let mut plugin = Plugin::active(&library(), RATE);
    let mut events = Vec::new();
    for i in 0..10_000_usize {
        let note = i16::try_from(21 + i % 88).unwrap();
        let send = match i % 4 {
            0 => Message::NoteOn(note, 0.4),
            1 => off(note),
            2 => Message::Midi([0xE0, 0, 0x40]),
            _ => Message::Midi([0xB0, 64, 0]),
        };
        events.push((i / 20, send));
    }
    let samples = plugin.processor().render([600], &events);
    assert!(samples.iter().flatten().all(|s| s.is_finite()));
}

/// A state loaded between two blocks applies in the next block, as if its values had been sent there.
#[test]
fn a_state_loaded_while_playing_applies_in_the_next_block() {
    let entry = library();
    let changes = [("hammer_hardness", "1.5"), ("let_off_mm", "3.00"), ("output_db", "-9.0")];
    let saved = {
        let mut plugin = Plugin::active(&entry, RATE);
        let events = changes.map(|(id, text)| (0, set(id, text)));
        plugin.processor().render([1], &events);
        plugin.save()
    };
    let notes =
        |from: usize| [(from, Message::NoteOn(60, 0.7)), (from + 700, Message::NoteOn(67, 0.7))];
    let mut loading = Plugin::active(&entry, RATE);
    let mut heard = loading.processor().render([512, 512], &notes(0));
    assert!(loading.load(&saved));
    heard.extend(loading.processor().render([512, 2_048], &notes(1_024)));

    let mut sending = Plugin::active(&entry, RATE);
    let mut events = notes(0).to_vec();
    events.extend(changes.map(|(id, text)| (1_024, set(id, text))));
    events.extend(notes(1_024));
    events.sort_by_key(|event| event.0);
    let expected = sending.processor().render([512, 512, 512, 2_048], &events);
    assert!(bits(&heard) == bits(&expected));
}

/// `saved` with a field added.
fn with_field(saved: &[u8], field: &str, text: &str) -> Vec<u8> {
    let mut json: serde_json::Value = serde_json::from_slice(&saved[8..]).unwrap();
    json["fields"][field] = text.into();
    let json = serde_json::to_vec(&json).unwrap();
    let mut state = (json.len() as u64).to_le_bytes().to_vec();
    state.extend(json);
    state
}

/// A controller mapped to a parameter applies from its sample on, like a host event there, for any block size;
/// its value is saved, and later host events override it.
#[test]
fn a_controller_moves_its_parameter_at_its_sample() {
    let entry = library();
    let hardness = parameter("hammer_hardness");
    let state = {
        let saved = Plugin::active(&entry, RATE).save();
        with_field(&saved, "controllers", "21=hammer_hardness\n")
    };
    let notes = [(0, Message::NoteOn(60, 0.7)), (1_500, Message::NoteOn(67, 0.7))];
    let moved = |message: Message| {
        let mut events = notes.to_vec();
        events.insert(1, (700, message));
        events
    };
    let steered = moved(Message::Midi([0xB0, 21, 127]));
    let render = |size: usize, events: &[(usize, Message)]| {
        let mut plugin = Plugin::active(&entry, RATE);
        assert!(plugin.load(&state));
        let heard = bits(&plugin.processor().render(blocks(4_096, size), events));
        (plugin, heard)
    };
    let (_, still) = render(512, &notes);
    let (_, set) = render(512, &moved(control(hardness, 1.0)));
    assert!(still != set);
    for size in [64, 512, 4_096] {
        assert!(render(size, &steered).1 == set, "{size}");
    }
    // The value is saved although the host was not notified.
    let (mut plugin, _) = render(512, &steered);
    let mut other = Plugin::active(&entry, RATE);
    assert!(other.load(&plugin.save()));
    assert_eq!(other.control(hardness), 1.0);
    // The host's event overrides.
    plugin.processor().render([64], &[(4_096, control(hardness, 0.25))]);
    assert!(other.load(&plugin.save()));
    assert!((other.control(hardness) - 0.25).abs() < 1e-6);
}

/// Every kept state of a released version loads with all its values; missing parameters get their earlier
/// behaviour.
#[test]
fn saved_states_load() {
    let entry = library();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/states");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 2);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(text.as_bytes());
        let mut plugin = Plugin::active(&entry, RATE);
        assert!(plugin.load(&bytes), "{}", file.display());
        let saved = json["params"].as_object().unwrap();
        for parameter in params::all() {
            let value = match saved.get(parameter.id) {
                Some(saved) => saved.as_object().unwrap().values().next().unwrap().as_f64(),
                None => Some(parameter.value_where_absent()),
            };
            let control = plugin.control(parameter);
            let wanted = parameter.text(value.unwrap());
            let shown = plugin.text(parameter, control);
            assert_eq!(shown, wanted, "{}: {}", file.display(), parameter.id);
        }
        let known = |id: &String| params::find(id).is_ok();
        assert!(saved.keys().all(known), "{}: an id was lost", file.display());
        let samples =
            plugin.processor().render(blocks(2_000, 333), &[(5, Message::NoteOn(60, 0.9))]);
        assert!(samples.iter().flatten().all(|s| s.is_finite()));
    }
}

/// A full session: every instance plays as a single one, and all are ready in time.
#[test]
fn thirty_two_instances_play_as_one_does() {
    let entry = library();
    let music = [(0, Message::NoteOn(48, 0.7)), (700, Message::NoteOn(64, 0.4)), (2_000, off(48))];
    let play =
        |plugin: &mut Plugin, block| bits(&plugin.processor().render(blocks(2_400, block), &music));
    let expected = play(&mut Plugin::active(&entry, RATE), 240);
    let mut all: Vec<_> = (0..32).map(|_| Plugin::active(&entry, RATE)).collect();
    for (i, plugin) in all.iter_mut().enumerate() {
        assert!(play(plugin, 64 + 7 * i) == expected, "instance {i}");
    }
}
