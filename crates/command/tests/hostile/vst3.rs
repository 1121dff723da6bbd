//! The built plugin in a VST3 host that breaks the rules.

use touchback_core::math::random::Random;
use touchback_instrument::host::params;

use crate::outputs::{Guarded, Outputs};
use crate::vst3_host::{Plugin, expression, note_off, note_on, strange, system_exclusive};
use crate::{blow, loudest};

const FRAMES: u32 = 512;
const BLOCK: (i32, i32) = (512, 0);

/// Peak of the next `blocks` blocks.
fn listen(plugin: &Plugin, blocks: u32) -> f32 {
    (0..blocks).fold(0.0, |peak, _| {
        let outputs = Outputs::stereo(FRAMES);
        plugin.process(BLOCK, Some(&outputs), &[], &[]).expect("processed");
        outputs.channels.iter().map(loudest).fold(peak, f32::max)
    })
}

#[test]
fn vst3_texts_are_numbers_beside_their_unit_and_are_read_back() {
    let plugin = Plugin::new();
    let all: Vec<_> = params::all().collect();
    let units = plugin.units(i32::try_from(all.len()).unwrap());
    assert_eq!(units.len(), all.len());
    for (parameter, (id, unit)) in all.iter().zip(units) {
        assert_eq!(unit, parameter.unit(), "{}", parameter.id);
        let (text, read) = plugin.text(id, 0.5);
        let is_number = text.parse::<f64>().is_ok();
        assert!(is_number == parameter.choices().is_empty(), "{}: {text}", parameter.id);
        assert!((read - 0.5).abs() < 0.05 || !parameter.choices().is_empty(), "{text}: {read}");
        // The value that was read back has the same text.
        assert_eq!(plugin.text(id, read).0, text);
    }
}

/// Hosts that show hidden parameters ignore the flag.
#[test]
fn vst3_controllers_are_hidden_and_cannot_be_automated_and_pedals_can() {
    const CAN_AUTOMATE: i32 = 1;
    const IS_HIDDEN: i32 = 1 << 4;
    let listed = Plugin::new().listed();
    let (own, controllers) = listed.split_at(params::COUNT + 3 + 8);
    assert_eq!(own[params::COUNT].0, "Sustain pedal");
    for (name, flags) in own {
        assert_eq!(flags & (CAN_AUTOMATE | IS_HIDDEN), CAN_AUTOMATE, "{name}");
    }
    assert!(!controllers.is_empty());
    for (name, flags) in controllers {
        assert!(name.starts_with("MIDI Ch. "), "{name}");
        assert_eq!(flags & (CAN_AUTOMATE | IS_HIDDEN), IS_HIDDEN, "{name}");
    }
}

#[test]
fn vst3_blocks_without_samples_or_outputs_lose_nothing() {
    for block in [(0, 0), BLOCK] {
        let plugin = Plugin::active();
        let sustain = plugin.controller(0, 64);
        let send = |changes: &[_], events: &[_]| {
            plugin.process(block, None, changes, events).expect("processed");
        };
        send(&[], &[note_on(0, 60)]);
        assert!(listen(&plugin, 20) > 0.01, "{block:?}: the note is lost");
        send(&[(sustain, 0, 1.0)], &[]);
        send(&[], &[note_off(0, 60)]);
        listen(&plugin, 60);
        assert!(listen(&plugin, 20) > 1e-3, "{block:?}: the pedal is lost");
        send(&[(sustain, 0, 0.0)], &[]);
        listen(&plugin, 200);
        let ringing = listen(&plugin, 20);
        assert!(ringing < 1e-4, "{block:?}: the note rings on at {ringing}");
        send(&[(blow(), 0, 0.875)], &[]);
        assert!((plugin.value(blow()) - 0.875).abs() < 1e-6, "{block:?}");
    }
}

#[test]
fn vst3_events_outside_the_block_are_played_inside_it() {
    for offset in [i32::MIN, -1, 511, 512, 513, i32::MAX] {
        let plugin = Plugin::active();
        let outputs = Outputs::stereo(FRAMES);
        let changes = [(blow(), offset, 0.875)];
        plugin.process(BLOCK, Some(&outputs), &changes, &[note_on(offset, 60)]).expect("processed");
        assert!((plugin.value(blow()) - 0.875).abs() < 1e-6, "stamped {offset}");
        assert!(listen(&plugin, 8) > 0.001, "stamped {offset}");
    }
}

/// Samples of the next block of the left channel.
fn block(plugin: &Plugin, changes: &[(u32, i32, f64)], note: u8) -> Vec<f32> {
    let outputs = Outputs::stereo(FRAMES);
    let events = [note_on(0, note.into())];
    plugin.process(BLOCK, Some(&outputs), changes, &events).expect("processed");
    outputs.channels[0].samples().to_vec()
}

#[test]
fn vst3_registered_parameters_of_one_sample_are_read_whatever_their_order() {
    let plain = block(&Plugin::active(), &[], 72);
    assert!(plain.iter().any(|x| x.abs() > 1e-4));
    // Coarse tuning by an octave up: parameter 2, value 64 + 12.
    let sent = [(101, 0.0), (100, 2.0), (6, 76.0)];
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
        let plugin = Plugin::active();
        let change = |i: usize| {
            let (number, value) = sent[i];
            (plugin.controller(0, number), 0, value / 127.0)
        };
        assert!(block(&plugin, &order.map(change), 60) == plain, "{order:?}");
    }
}

#[test]
fn vst3_tunings_of_a_host_are_followed_without_allocation() {
    const OCTAVE_UP: &[u8] = &[0xF0, 0x7F, 0x7F, 4, 4, 0, 76, 0xF7];
    const RAISED: &[u8] = &[0xF0, 0x7F, 0x7F, 8, 2, 0, 1, 60, 61, 0, 0, 0xF7];
    let standard = block(&Plugin::active(), &[], 60);
    let played = |messages: &[_]| {
        let plugin = Plugin::active();
        let outputs = Outputs::stereo(FRAMES);
        let events = [messages, &[note_on(0, 60)]].concat();
        assert_eq!(plugin.process(BLOCK, Some(&outputs), &[], &events), Ok(0));
        outputs.channels[0].samples().to_vec()
    };
    assert!(played(&[system_exclusive(0, OCTAVE_UP)]) == block(&Plugin::active(), &[], 72));
    assert!(played(&[system_exclusive(0, RAISED)]) != standard);
    // More than the piano can hold at once, and a block that cannot hold the message.
    let flood = vec![system_exclusive(0, RAISED); 5_000];
    assert!(played(&flood).iter().all(|sample| sample.is_finite()));
    let plugin = Plugin::active();
    plugin.process((0, 0), None, &[], &[system_exclusive(0, RAISED)]).expect("processed");
    assert!(block(&plugin, &[], 60) == standard);
}

#[test]
fn vst3_a_parameter_that_changes_with_the_first_note_is_in_force_at_its_first_sample() {
    let ids = Plugin::new().units(i32::try_from(params::COUNT).unwrap());
    let standard = block(&Plugin::active(), &[], 60);
    // The room answers only after the block.
    for id in ["output_db", "distance", "lid", "a4_hz", "key_dip_mm", "hammer_hardness"] {
        let index = params::all().position(|parameter| parameter.id == id).unwrap();
        let change = [(ids[index].0, 0, 0.0)];
        let at_once = block(&Plugin::active(), &change, 60);
        // A block without samples and an activation before the note.
        let before = Plugin::active();
        before.process((0, 0), None, &change, &[]).expect("processed");
        assert!(before.run(false) && before.activate(false) && before.activate(true));
        assert!(before.run(true));
        assert!(at_once == block(&before, &[], 60), "{id}");
        assert!(at_once != standard, "{id} is not heard");
    }
}

#[test]
fn vst3_nothing_is_processed_before_it_is_set_up() {
    let outputs = Outputs::stereo(FRAMES);
    let note = [note_on(0, 60)];
    let plugin = Plugin::new();
    assert!(plugin.process(BLOCK, Some(&outputs), &[], &note).is_err());
    assert!(plugin.process((0, 0), None, &[(blow(), 0, 0.5)], &note).is_err());
    assert!(plugin.set_up(48_000.0));
    assert!(plugin.process(BLOCK, Some(&outputs), &[], &note).is_err());
    assert!(plugin.activate(true) && plugin.run(true));
    for block in [(-1, 0), (i32::MIN, 0), (512, 1), (512, 7)] {
        // Samples of 64 bits are twice as long.
        let outputs = Outputs::stereo(if block.1 == 1 { 2 * FRAMES } else { FRAMES });
        assert!(plugin.process(block, Some(&outputs), &[], &note).is_err(), "{block:?}");
    }
    assert!(listen(&plugin, 4) < 1e-6);
    plugin.activate(false);
    assert!(plugin.process(BLOCK, Some(&outputs), &[], &note).is_err());
}

/// Carla activates before it sets up.
#[test]
fn vst3_a_plugin_activated_before_setup_plays() {
    let plugin = Plugin::new();
    assert!(plugin.activate(true) && plugin.set_up(48_000.0) && plugin.run(true));
    plugin.process(BLOCK, None, &[], &[note_on(0, 60)]).expect("processed");
    assert!(listen(&plugin, 8) > 0.001);
}

#[test]
fn vst3_any_number_of_events_allocates_nothing() {
    let plugin = Plugin::active();
    let outputs = Outputs::stereo(FRAMES);
    for (count, spread) in [(1_000, 512), (20_000, 512), (40_000, 1)] {
        let at = |i: i32| i * spread / count;
        let events: Vec<_> = (0..count)
            .map(|i| {
                let key = i16::try_from(21 + i / 2 % 88).unwrap();
                if i % 2 == 0 { note_on(at(i), key) } else { note_off(at(i), key) }
            })
            .collect();
        let changes: Vec<_> = (0..200).map(|i| (blow(), at(i * count / 200), 0.3)).collect();
        let allocations = plugin.process(BLOCK, Some(&outputs), &changes, &events);
        assert_eq!(allocations, Ok(0), "{count} events in {spread} samples");
        let mut samples = outputs.channels.iter().flat_map(Guarded::samples);
        assert!(samples.all(|sample| sample.is_finite()));
    }
}

#[test]
fn vst3_outputs_of_any_shape_are_accepted() {
    for lengths in [&[][..], &[512], &[512, 0], &[0, 512], &[0, 0], &[512; 3], &[512, 512, 0, 512]]
    {
        let plugin = Plugin::active();
        let outputs = Outputs::new(lengths);
        plugin.process(BLOCK, Some(&outputs), &[], &[note_on(5, 60)]).expect("processed");
        let mut samples = outputs.channels.iter().flat_map(Guarded::samples);
        assert!(samples.all(|sample| sample.is_finite()), "{lengths:?}");
        assert!(listen(&plugin, 8) > 0.001, "{lengths:?}");
    }
}

/// Random blocks, outputs and events, half of them invalid.
#[test]
fn vst3_a_random_host_does_no_harm() {
    let end = crate::end();
    let ids: Vec<_> = params::all().map(params::Parameter::host_id).collect();
    let (mut blocks, mut seed) = (0_u64, 0);
    // The framework's log allocates at the first line of a thread, which may be that of a changed latency.
    let changes: Vec<_> = ids.iter().map(|id| (*id, 0, 1.0)).collect();
    Plugin::active().process(BLOCK, None, &changes, &[]).expect("processed");
    while std::time::Instant::now() < end {
        seed += 1;
        let mut random = Random::new(seed);
        let mut below = |sides: u32| u32::try_from(random.below(u64::from(sides))).unwrap();
        let plugin = Plugin::new();
        let rate = [8_000.0, 9_600.0, 44_100.0, 48_000.0, 768_000.0][below(5) as usize];
        assert_eq!(plugin.arrange(&[3, 3][below(2) as usize..]), 0);
        assert!(plugin.set_up(rate) && plugin.activate(true) && plugin.run(true));
        // Controllers that are not heard have no assignment; their parameters lie beside the others.
        let first = plugin.controller(0, 64) - 64;
        for _ in 0..40 {
            let frames = [0_u32, 1, 3, 64, 512, 3_000][below(6) as usize];
            let count = [0, 1, 5, 200][below(4) as usize];
            let offset = |below: &mut dyn FnMut(u32) -> u32| match below(4) {
                0 => i32::try_from(frames + below(3)).unwrap(),
                1 => i32::from_le_bytes(below(u32::MAX).to_le_bytes()),
                _ => i32::try_from(below(frames.max(1))).unwrap(),
            };
            let numbers = [0.0, 0.5, 1.0, -7.0, 1e300, f64::NAN, f64::INFINITY];
            let (mut events, mut changes) = (Vec::new(), Vec::new());
            for _ in 0..count {
                let (at, number) = (offset(&mut below), numbers[below(7) as usize]);
                let key = i16::try_from(below(140)).unwrap() - 6;
                match below(8) {
                    0 | 1 => events.push(note_on(at, key)),
                    2 => events.push(note_off(at, key)),
                    3 => events.push(strange(at, u16::try_from(below(65_536)).unwrap())),
                    4 => events.push(expression(at, i32::try_from(below(9)).unwrap() - 2, number)),
                    5 => changes.push((first + below(2_080), at, number)),
                    6 => changes.push((below(u32::MAX), at, number)),
                    _ => {
                        let id = ids[below(u32::try_from(ids.len()).unwrap()) as usize];
                        changes.push((id, at, number));
                    }
                }
            }
            let outputs = crate::any_outputs(&mut below, frames);
            let block = (i32::try_from(frames).unwrap(), 0);
            let played = plugin.process_buses(block, &outputs, &changes, &events);
            assert_eq!(played.map(|(count, _)| count), Ok(0), "seed {seed}");
            blocks += 1;
            assert!(outputs.iter().all(Outputs::are_finite), "seed {seed}: not finite");
        }
    }
    println!("{blocks} blocks of {seed} instances");
}
