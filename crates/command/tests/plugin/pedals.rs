//! The pedals as parameters of the built plugin in a CLAP host.

use crate::host::{Message, Plugin, bits, blocks, library, off};
use touchback_command::host::ClapId;
use touchback_instrument::host::params::host_id;

const RATE: f64 = 48_000.0;

/// The message that moves a pedal's parameter.
fn pedal(id: &str, travel: f64) -> Message {
    Message::Parameter(ClapId::new(host_id(id)), travel)
}

/// Notes with a pedal that `down` and `up` move, at offsets that are no multiples of a block length.
fn notes(down: Message, up: Message) -> Vec<(usize, Message)> {
    vec![
        (5, Message::NoteOn(48, 0.7)),
        (2_003, down),
        (2_950, Message::NoteOn(60, 0.8)),
        (4_001, off(48)),
        (4_001, off(60)),
        (9_007, up),
    ]
}

fn render(events: &[(usize, Message)], block: usize) -> Vec<[u32; 2]> {
    let mut plugin = Plugin::active(&library(), RATE);
    bits(&plugin.processor().render(blocks(14_400, block), events))
}

/// By parameter and by controller, at any block length: the same samples.
#[test]
fn a_pedals_parameter_moves_the_pedal_as_its_controller_does() {
    for (id, number) in [("sustain_pedal", 64), ("sostenuto_pedal", 66), ("una_corda_pedal", 67)] {
        let midi = |value: u8| Message::Midi([0xb0, number, value]);
        let by_midi = render(&notes(midi(127), midi(0)), 512);
        let by_parameter = notes(pedal(id, 1.0), pedal(id, 0.0));
        for block in [512, 33, 14_400] {
            assert!(render(&by_parameter, block) == by_midi, "{id} in blocks of {block}");
        }
        assert!(render(&notes(pedal(id, 0.0), pedal(id, 0.0)), 512) != by_midi, "{id} is heard");
    }
    // Half pedals too.
    let half = render(&notes(Message::Midi([0xb0, 64, 60]), Message::Midi([0xb0, 64, 0])), 512);
    let parameter = notes(pedal("sustain_pedal", 60.0 / 127.0), pedal("sustain_pedal", 0.0));
    let near = render(&parameter, 512);
    let most = near.iter().zip(&half).flat_map(|(a, b)| {
        [0, 1].map(|side| (f32::from_bits(a[side]) - f32::from_bits(b[side])).abs())
    });
    // A parameter has single precision, a controller 7 bits.
    assert!(most.fold(0.0, f32::max) < 1e-5);
}

#[test]
fn the_last_change_of_a_pedal_wins_by_parameter_or_midi() {
    let (down, up) = (Message::Midi([0xb0, 64, 127]), Message::Midi([0xb0, 64, 0]));
    let released = |last: &[(usize, Message)]| {
        let mut events = vec![(5, Message::NoteOn(48, 0.7)), (4_001, off(48))];
        events.extend_from_slice(last);
        events.sort_by_key(|event| event.0);
        render(&events, 512)
    };
    let (held, free) = (released(&[(2_003, down)]), released(&[]));
    assert!(held != free);
    let by = |first, last| released(&[(1_000, first), (2_003, last)]);
    let unmoved = pedal("sustain_pedal", 0.0);
    assert!(by(down, unmoved) == released(&[(1_000, down)]), "0 is no change of the parameter");
    let moved = |travel| pedal("sustain_pedal", travel);
    let end = |samples: &[[u32; 2]]| samples[12_000..].to_vec();
    let of = |events: &[(usize, Message)]| end(&released(events));
    // MIDI raises a pedal that the parameter holds, and the parameter one that MIDI holds.
    assert!(of(&[(1_000, moved(1.0)), (2_003, up)]) == of(&[(1_000, down), (2_003, up)]));
    let both = [(1_000, down), (1_500, moved(1.0)), (2_003, moved(0.0))];
    assert!(of(&both) == of(&[(1_000, down), (2_003, up)]));
}

/// A host that stops and starts its transport resets; the lane still says that the pedal is down.
#[test]
fn a_pedals_parameter_holds_after_a_reset_and_in_a_project() {
    let note = [(100, Message::NoteOn(48, 0.7)), (4_000, off(48))];
    let held = {
        let mut events = note.to_vec();
        events.insert(0, (0, pedal("sustain_pedal", 1.0)));
        render(&events, 480)
    };
    let entry = library();
    let mut plugin = Plugin::active(&entry, RATE);
    plugin.processor().render([480], &[(0, pedal("sustain_pedal", 1.0))]);
    let saved = plugin.save();
    plugin.processor().reset();
    let again = bits(&plugin.processor().render(blocks(14_400, 480), &note));
    assert!(again == held, "after a reset");
    let mut other = Plugin::new(&entry);
    assert!(other.load(&saved));
    other.activate(RATE).expect("active");
    let loaded = bits(&other.processor().render(blocks(14_400, 480), &note));
    assert!(loaded == held, "in a loaded project");
}

/// A pedal is no setting: presets, and projects of versions without these parameters, move none.
#[test]
fn a_state_without_pedals_moves_none() {
    let entry = library();
    let mut plugin = Plugin::active(&entry, RATE);
    let saved = plugin.save();
    let mut json: serde_json::Value = serde_json::from_slice(&saved[8..]).expect("a state");
    let params = json["params"].as_object_mut().expect("values");
    params.retain(|id, _| !id.ends_with("_pedal"));
    let json = serde_json::to_vec(&json).expect("a state");
    let mut preset = (json.len() as u64).to_le_bytes().to_vec();
    preset.extend(json);
    plugin.processor().render([480], &[(0, pedal("sustain_pedal", 1.0))]);
    let sustain = ClapId::new(host_id("sustain_pedal"));
    assert!(plugin.load(&preset));
    assert_eq!(plugin.host.value(sustain).expect("a value"), 1.0);
    assert!(plugin.load(&saved));
    assert_eq!(plugin.host.value(sustain).expect("a value"), 0.0);
}
