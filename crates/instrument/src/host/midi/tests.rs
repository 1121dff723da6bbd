//! Translation of messages.

use super::*;
use crate::settings::{KeyPressure, Polarity, TouchSettings, VelocityMap};
use proptest::prelude::*;

mod pedals;

fn key(note: u8) -> KeyNumber {
    KeyNumber::from_midi(note).unwrap()
}

/// The events of one message under plain settings.
fn means(midi: &mut Midi, message: InputMessage) -> Vec<Event> {
    under(midi, message, &Settings::default())
}

fn under(midi: &mut Midi, message: InputMessage, settings: &Settings) -> Vec<Event> {
    let mut events = Vec::new();
    midi.translate(&message, settings, |event| events.push(event));
    events
}

const fn on(channel: u8, note: u8, velocity: f64) -> InputMessage {
    InputMessage::NoteOn { channel, note, id: None, velocity }
}

const fn off(channel: u8, note: u8) -> InputMessage {
    InputMessage::NoteOff { to: Address::note(channel, note), velocity: 0.25 }
}

const fn control(channel: u8, number: u8, value: f64) -> InputMessage {
    InputMessage::Controller { channel, number, value }
}

#[test]
fn single_precision_values_count_as_midi_values() {
    let mut midi = Midi::default();
    for steps in 1..=127u8 {
        let exact = f64::from(steps) / 127.0;
        let small = f32::from(steps) / 127.0;
        for carried in [small, f32::from(steps) * (1.0 / 127.0)].map(f64::from) {
            assert_eq!(means(&mut midi, on(0, 60, carried)), pressed(60, exact));
            let sustain = means(&mut midi, control(0, controller::SUSTAIN, carried));
            assert_eq!(sustain, [Event::Sustain(exact)]);
        }
    }
    // With the finer part, and between the steps of MIDI.
    let fine = (64.0 + 37.0 / 128.0) / 127.0;
    for velocity in [fine, 0.123_456] {
        let carried = f64::from(touchback_core::math::cast::single(velocity));
        let expected = if velocity == fine { fine } else { carried };
        assert_eq!(means(&mut midi, on(0, 60, carried)), pressed(60, expected));
    }
}

fn pressed(note: u8, velocity: f64) -> Vec<Event> {
    vec![Event::NoteOn { key: key(note), velocity }]
}

fn released(note: u8, velocity: f64) -> Vec<Event> {
    vec![Event::NoteOff { key: key(note), velocity }]
}

#[test]
fn notes_outside_the_compass_are_ignored_and_counted() {
    let mut midi = Midi::default();
    for note in 21..=108 {
        assert_eq!(means(&mut midi, on(0, note, 0.5)), pressed(note, 0.5));
    }
    assert_eq!(means(&mut midi, on(0, 60, 7.0)), pressed(60, 1.0));
    assert_eq!(midi.ignored(), Ignored::default());
    for note in [0, 20, 109, 127] {
        assert!(means(&mut midi, on(0, note, 0.5)).is_empty());
        assert!(means(&mut midi, off(0, note)).is_empty());
    }
    assert!(means(&mut midi, on(0, 60, f64::NAN)).is_empty());
    assert!(means(&mut midi, InputMessage::Unsupported).is_empty());
    assert_eq!(midi.ignored(), Ignored { outside: 4, invalid: 1, foreign: 1 });
    midi.reset();
    assert_eq!(midi.ignored().outside, 4);
}

#[test]
fn presses_are_counted_per_channel_and_velocity_0_releases() {
    let mut midi = Midi::default();
    assert!(means(&mut midi, off(0, 60)).is_empty(), "nothing to release");
    means(&mut midi, on(0, 60, 0.5));
    means(&mut midi, on(0, 60, 0.5));
    means(&mut midi, on(5, 60, 0.5));
    assert!(means(&mut midi, off(1, 60)).is_empty(), "another channel's note");
    assert_eq!(means(&mut midi, off(5, 60)), released(60, 0.25));
    assert_eq!(means(&mut midi, on(0, 60, 0.0)), released(60, 0.0));
    assert_eq!(means(&mut midi, off(0, 60)), released(60, 0.25));
    assert!(means(&mut midi, off(0, 60)).is_empty());
}

#[test]
fn a_release_addresses_its_note_by_number_or_id_or_all_notes() {
    let mut midi = Midi::default();
    let by_id = |id| InputMessage::NoteOff {
        to: Address { id: Some(id), ..Address::default() },
        velocity: f64::NAN,
    };
    means(&mut midi, InputMessage::NoteOn { channel: 2, note: 61, id: Some(7), velocity: 0.5 });
    assert!(means(&mut midi, by_id(8)).is_empty());
    assert_eq!(means(&mut midi, by_id(7)), released(61, 0.0), "a bad velocity still releases");
    assert!(means(&mut midi, by_id(7)).is_empty());

    let any_channel = Address { note: Some(62), ..Address::default() };
    means(&mut midi, on(9, 62, 0.5));
    assert_eq!(
        means(&mut midi, InputMessage::NoteOff { to: any_channel, velocity: 0.5 }),
        released(62, 0.5)
    );

    let all = InputMessage::NoteOff { to: Address::default(), velocity: 0.0 };
    means(&mut midi, on(9, 62, 0.5));
    assert_eq!(means(&mut midi, all), [Event::AllNotesOff]);
    assert!(means(&mut midi, off(9, 62)).is_empty());
}

#[test]
fn ending_a_channel_leaves_the_notes_of_others() {
    let mut midi = Midi::default();
    means(&mut midi, on(0, 60, 0.5));
    means(&mut midi, on(1, 60, 0.5));
    means(&mut midi, on(1, 64, 0.5));
    for mode in 123..=127 {
        let mut midi = midi.clone();
        let ended = means(&mut midi, control(1, mode, 0.0));
        assert_eq!(ended, [released(60, 0.0), released(64, 0.0)].concat());
        assert_eq!(means(&mut midi, control(0, mode, 0.0)), [Event::AllNotesOff]);
    }
    let channel = Address { channel: Some(0), ..Address::default() };
    let ended = means(&mut midi, InputMessage::NoteOff { to: channel, velocity: 0.5 });
    assert_eq!(ended, released(60, 0.0));
}

#[test]
fn a_choke_ends_every_press_of_its_note_or_all_sound() {
    let mut midi = Midi::default();
    means(&mut midi, on(0, 60, 0.5));
    means(&mut midi, on(1, 60, 0.5));
    let choke = InputMessage::Choke(Address::note(0, 60));
    assert_eq!(means(&mut midi, choke), [Event::Choke(key(60))]);
    assert!(means(&mut midi, off(0, 60)).is_empty());
    assert_eq!(means(&mut midi, choke), [Event::Choke(key(60))], "a note that rings on");
    assert_eq!(means(&mut midi, InputMessage::Choke(Address::default())), [Event::AllSoundOff]);
    assert_eq!(means(&mut midi, control(3, 120, 0.0)), [Event::AllSoundOff]);
    let channel = InputMessage::Choke(Address { channel: Some(0), ..Address::default() });
    means(&mut midi, on(0, 60, 0.5));
    assert_eq!(means(&mut midi.clone(), channel), [Event::AllSoundOff]);
    means(&mut midi, on(1, 64, 0.5));
    assert_eq!(means(&mut midi, channel), [Event::Choke(key(60))]);
}

#[test]
fn volume_balance_and_bend_are_translated() {
    let mut midi = Midi::default();
    assert_eq!(means(&mut midi, control(0, 7, 0.5)), [Event::Volume(0.5)]);
    assert_eq!(means(&mut midi, control(0, 11, 0.5)), [Event::Expression(0.5)]);
    for (seven_bit, balance) in [(0, 0.0), (1, 0.0), (64, 0.5), (127, 1.0)] {
        let value = f64::from(seven_bit) / 127.0;
        assert_eq!(means(&mut midi, control(0, 10, value)), [Event::Pan(balance)]);
    }
    for (fourteen_bit, share) in [(0, -1.0), (8192, 0.0), (16_383, 1.0), (4096, -0.5)] {
        assert_eq!(bend(f64::from(fourteen_bit) / 16_383.0), share);
    }
    assert_eq!(means(&mut midi, InputMessage::Bend { channel: 5, value: 0.5 }), [Event::Bend(0.5)]);
    for other in [0, 1, 2, 6, 38, 65, 68, 90, 119, 122] {
        assert!(means(&mut midi, control(0, other, 1.0)).is_empty());
    }
    let tune = InputMessage::Tuning { to: Address::note(0, 60), semitones: 0.25 };
    assert_eq!(means(&mut midi, tune), [Event::Tune { key: key(60), cents: 25.0 }]);
    let all = InputMessage::Tuning { to: Address::default(), semitones: 1.0 };
    assert_eq!(means(&mut midi, all).len(), 88);
    let press = InputMessage::Pressure { to: Address::note(0, 60), value: 0.5 };
    assert_eq!(means(&mut midi, press), [Event::Pressure { key: key(60), depth: 0.5 }]);
}

#[test]
fn a_velocity_prefix_applies_to_the_next_note_of_its_channel_only() {
    let mut midi = Midi::default();
    let prefix = control(0, 88, 64.0 / 127.0);
    means(&mut midi, prefix);
    assert_eq!(means(&mut midi, on(1, 60, 100.0 / 127.0)), pressed(60, 100.0 / 127.0));
    assert_eq!(means(&mut midi, on(0, 62, 100.0 / 127.0)), pressed(62, 100.5 / 127.0));
    assert_eq!(means(&mut midi, on(0, 64, 100.0 / 127.0)), pressed(64, 100.0 / 127.0));
    // A velocity between the steps keeps its value.
    means(&mut midi, prefix);
    assert_eq!(means(&mut midi, on(0, 60, 100.3 / 127.0)), pressed(60, 100.3 / 127.0));
    // A note-off uses up its own prefix.
    means(&mut midi, prefix);
    means(&mut midi, off(0, 64));
    assert_eq!(means(&mut midi, on(0, 64, 100.0 / 127.0)), pressed(64, 100.0 / 127.0));
    // The largest velocity is not raised.
    means(&mut midi, prefix);
    assert_eq!(means(&mut midi, on(0, 66, 1.0)), pressed(66, 1.0));
}

#[test]
fn transposition_does_not_move_held_notes() {
    let mut midi = Midi::default();
    let mut up = Settings::default();
    up.midi.transpose = 12.0;
    assert_eq!(under(&mut midi, on(0, 60, 0.5), &up), pressed(72, 0.5));
    assert_eq!(means(&mut midi, off(0, 60)), released(72, 0.25), "as it was pressed");
    assert_eq!(under(&mut midi, on(0, 15, 0.5), &up), pressed(27, 0.5));
    assert!(under(&mut midi, on(0, 100, 0.5), &up).is_empty());
    assert_eq!(midi.ignored().outside, 1);
    up.midi.transpose = f64::NAN;
    assert_eq!(under(&mut midi, on(0, 60, 0.5), &up), pressed(60, 0.5));
}

#[test]
fn bend_and_pressure_of_an_mpe_channel_act_on_its_notes_only() {
    let mut midi = Midi::default();
    let mut mpe = Settings::default();
    mpe.midi.mpe = Switch::On;
    let bend = |channel, value| InputMessage::Bend { channel, value };
    let tune = |note, cents| Event::Tune { key: key(note), cents };
    let note_on = |note| pressed(note, 0.5)[0];
    assert!(under(&mut midi, bend(3, 0.25), &mpe).is_empty(), "bent before its note");
    assert_eq!(under(&mut midi, on(3, 60, 0.5), &mpe), [note_on(60), tune(60, 1200.0)]);
    assert_eq!(under(&mut midi, on(4, 64, 0.5), &mpe), [note_on(64), tune(64, 0.0)]);
    assert_eq!(under(&mut midi, bend(3, -1.0), &mpe), [tune(60, -4800.0)]);
    let deep = InputMessage::ChannelPressure { channel: 4, value: 0.5 };
    let pressed_deep = [Event::Pressure { key: key(64), depth: 0.5 }];
    assert_eq!(under(&mut midi, deep, &mpe), pressed_deep);
    // The first channel controls the whole piano.
    assert_eq!(under(&mut midi, bend(0, 0.5), &mpe), [Event::Bend(0.5)]);
    assert_eq!(under(&mut midi, on(0, 67, 0.5), &mpe), [note_on(67), tune(67, 0.0)]);
    // A released note keeps its detuning.
    under(&mut midi, off(3, 60), &mpe);
    assert!(under(&mut midi, bend(3, 0.0), &mpe).is_empty());
    assert!(
        under(&mut midi, InputMessage::ChannelPressure { channel: 3, value: 1.0 }, &mpe).is_empty()
    );
    assert_eq!(under(&mut midi, control(4, 121, 0.0), &mpe)[3], tune(64, 0.0));
    // Without MPE its keys are in tune again, and all channels are equal.
    let plain = Settings::default();
    let back = [tune(60, 0.0), tune(64, 0.0), tune(67, 0.0), Event::Bend(0.5)];
    assert_eq!(under(&mut midi, bend(3, 0.5), &plain), back);
    assert!(under(&mut midi, deep, &plain).is_empty());
    // As aftertouch it presses the keys that the channel holds.
    let mut force = Settings::default();
    force.touch.key_pressure = KeyPressure::Force;
    assert_eq!(under(&mut midi, deep, &force), pressed_deep);
}

fn message() -> impl Strategy<Value = InputMessage> {
    let value = prop_oneof![
        0.0..1.0_f64,
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(-3.0),
        Just(1e300),
        Just(0.0)
    ];
    let to =
        (prop::option::of(any::<u8>()), prop::option::of(any::<u8>()), prop::option::of(0_i32..4));
    (0_u8..9, any::<u8>(), any::<u8>(), to, value).prop_map(|(kind, a, b, to, value)| {
        let to = Address { channel: to.0, note: to.1, id: to.2 };
        match kind {
            0 | 1 => InputMessage::NoteOn { channel: a, note: b, id: to.id, velocity: value },
            2 => InputMessage::NoteOff { to, velocity: value },
            3 => InputMessage::Choke(to),
            4 => InputMessage::Pressure { to, value },
            5 => InputMessage::Tuning { to, semitones: value },
            6 => InputMessage::Bend { channel: a, value },
            7 => InputMessage::ChannelPressure { channel: a, value },
            _ => InputMessage::Controller { channel: a, number: b, value },
        }
    })
}

proptest! {
    /// Under any messages values are finite, no note is released that was not pressed, and
    /// "all notes off" on every channel releases every key.
    #[test]
    fn no_note_sticks_and_none_is_released_twice(
        messages in prop::collection::vec(message(), 0..200),
        transpose in -60.0..60.0_f64,
    ) {
        let mut midi = Midi::default();
        let mut settings = Settings::default();
        settings.midi.transpose = transpose;
        let mut down = [0_i64; touchback_core::math::compass::KEYS];
        let ends = (0..16).map(|channel| control(channel, 123, 0.0));
        for message in messages.into_iter().chain(ends) {
            midi.translate(&message, &settings, |event| {
                assert!(event.value().is_none_or(f64::is_finite));
                match event {
                    Event::NoteOn { key, .. } => down[key.index()] += 1,
                    Event::NoteOff { key, .. } => down[key.index()] -= 1,
                    Event::Choke(key) => down[key.index()] = 0,
                    Event::AllNotesOff | Event::AllSoundOff => down.fill(0),
                    _ => {}
                }
                assert!(down.iter().all(|count| *count >= 0));
            });
        }
        prop_assert!(down.iter().all(|count| *count == 0));
    }
}

#[test]
fn split_velocities_keep_the_speed_within_their_resolution() {
    let se290 = TouchSettings::default();
    let disklavier =
        TouchSettings { velocity_map: VelocityMap::Disklavier, ..TouchSettings::default() };
    for touch in [se290, disklavier] {
        for speed in [0.25, 0.4, 1.0, 2.345, 5.0, 7.9] {
            let (coarse, fine) = split_velocity(touch.velocity(speed));
            assert!((1..=127).contains(&coarse) && fine < 128);
            let velocity = (f64::from(coarse) + f64::from(fine) / 128.0) / 127.0;
            let back = touch.hammer_speed(velocity);
            // Half a step of 1/128 velocity: 0.011 % of speed in the steeper map, up to 0.04 % in the lowest 16.
            let resolution = if speed < 0.3 { 4.0e-4 } else { 1.4e-4 };
            assert!((back / speed - 1.0).abs() < resolution, "{speed}: {back}");
        }
    }
    assert_eq!(split_velocity(se290.velocity(0.0)), (1, 0));
    assert_eq!(split_velocity(se290.velocity(99.0)), (127, 0));
}
/// Sends a registered parameter on `channel`.
fn register(midi: &mut Midi, channel: u8, parameter: u8, value: u8) -> Vec<Event> {
    let sent = [(101, 0), (100, parameter), (6, value), (101, 127), (100, 127)];
    let sent = sent.map(|(number, value)| control(channel, number, f64::from(value) / 127.0));
    sent.into_iter().flat_map(|message| means(midi, message)).collect()
}

const fn bend_of(channel: u8, value: f64) -> InputMessage {
    InputMessage::Bend { channel, value }
}

fn tuned(note: u8, cents: f64) -> Event {
    Event::Tune { key: key(note), cents }
}

#[test]
fn a_channel_s_bend_range_and_tuning_are_obeyed_unless_switched_off() {
    let mut midi = Midi::default();
    assert!(register(&mut midi, 2, 0, 12).is_empty());
    let bent = [Event::BendRange(Some(12.0)), Event::Bend(0.5)];
    assert_eq!(means(&mut midi, bend_of(2, 0.5)), bent);
    assert_eq!(means(&mut midi, bend_of(2, 1.0)), [Event::Bend(1.0)]);
    // Another channel has the range of the settings.
    let plain = [Event::BendRange(None), Event::Bend(0.5)];
    assert_eq!(means(&mut midi, bend_of(0, 0.5)), plain);
    // Fine tuning moves held notes and tunes later ones; coarse tuning plays other keys.
    means(&mut midi, on(3, 60, 0.5));
    assert_eq!(register(&mut midi, 3, 1, 96), [tuned(60, 50.0)]);
    assert_eq!(means(&mut midi, on(3, 62, 0.5)), [pressed(62, 0.5)[0], tuned(62, 50.0)]);
    assert_eq!(means(&mut midi, on(4, 64, 0.5)), pressed(64, 0.5));
    register(&mut midi, 3, 2, 64 + 12);
    assert_eq!(means(&mut midi, off(3, 60)), released(60, 0.25), "as it was pressed");
    assert_eq!(means(&mut midi, on(3, 60, 0.5)), [pressed(72, 0.5)[0], tuned(72, 50.0)]);
    assert_eq!(means(&mut midi, on(0, 60, 0.5)), pressed(60, 0.5), "other channels do not move");
    assert_eq!(means(&mut midi, off(3, 60)), released(72, 0.25));
    assert_eq!(means(&mut midi, off(0, 60)), released(60, 0.25));
    // Resets keep what keyboards send once.
    means(&mut midi, control(2, controller::RESET, 0.0));
    midi.reset();
    assert_eq!(means(&mut midi, bend_of(2, 0.5)), bent);
    assert_eq!(means(&mut midi, on(3, 60, 0.5)), [pressed(72, 0.5)[0], tuned(72, 50.0)]);
    let mut own = Settings::default();
    own.midi.rpn = Switch::Off;
    let back = under(&mut midi, bend_of(2, 0.5), &own);
    assert_eq!(back, [tuned(72, 0.0), Event::Bend(0.5)]);
    under(&mut midi, control(2, 101, 0.0), &own);
    assert_eq!(under(&mut midi, on(3, 50, 0.5), &own), pressed(50, 0.5));
}

#[test]
fn mpe_zones_configure_themselves() {
    let mut midi = Midi::default();
    assert!(register(&mut midi, 0, 6, 7).is_empty());
    // Channels 2 to 8 are fingers, with 48 semitones until they say otherwise; 9 is none.
    means(&mut midi, bend_of(1, 0.25));
    assert_eq!(means(&mut midi, on(1, 57, 0.5)), [pressed(57, 0.5)[0], tuned(57, 1200.0)]);
    assert_eq!(means(&mut midi, bend_of(8, 0.25)), [Event::Bend(0.25)]);
    register(&mut midi, 3, 0, 24);
    assert_eq!(
        means(&mut midi, bend_of(1, 0.5)),
        [tuned(57, 1200.0)],
        "a range counts for the zone"
    );
    // The zone's own channel bends all notes, over its own range.
    register(&mut midi, 0, 0, 3);
    let whole = [Event::BendRange(Some(3.0)), Event::Bend(1.0)];
    assert_eq!(means(&mut midi, bend_of(0, 1.0)), whole);
    // An upper zone of eight fingers leaves six to the lower one; its announcement resets no other range.
    register(&mut midi, 15, 6, 8);
    means(&mut midi, on(14, 60, 0.5));
    assert_eq!(means(&mut midi, bend_of(14, 0.5)), [tuned(60, 2400.0)]);
    assert!(means(&mut midi, bend_of(7, 0.5)).is_empty(), "now a finger of the upper zone");
    assert!(matches!(means(&mut midi, bend_of(15, 0.0))[..], [.., Event::Bend(_)]));
    // No fingers: the channels are equal again, the keys in tune.
    register(&mut midi, 15, 6, 0);
    assert!(register(&mut midi, 0, 6, 0).is_empty());
    assert!(matches!(means(&mut midi, bend_of(1, 0.5))[..], [.., Event::Bend(0.5)]));
    // Other channels announce nothing.
    register(&mut midi, 4, 6, 15);
    assert!(matches!(means(&mut midi, bend_of(5, 0.5))[..], [.., Event::Bend(0.5)]));
    // With MPE by the settings, a finger's range is obeyed too.
    let mut mpe = Settings::default();
    mpe.midi.mpe = Switch::On;
    let mut midi = Midi::default();
    for (number, value) in [(101, 0.0), (100, 0.0), (6, 24.0 / 127.0)] {
        under(&mut midi, control(1, number, value), &mpe);
    }
    under(&mut midi, bend_of(1, 0.5), &mpe);
    assert_eq!(under(&mut midi, on(1, 57, 0.5), &mpe), [pressed(57, 0.5)[0], tuned(57, 1200.0)]);
}

#[test]
fn finer_velocities_of_a_disklavier_are_heard() {
    let mut midi = Midi::default();
    // Three bits in the upper bits of the controller: eighths of a velocity step.
    for (fine, eighths) in [(0.0, 0.0), (16.0, 1.0), (112.0, 7.0)] {
        means(&mut midi, control(0, 16, fine / 127.0));
        let velocity = (64.0 + eighths / 8.0) / 127.0;
        assert_eq!(means(&mut midi, on(0, 60, 64.0 / 127.0)), pressed(60, velocity));
        assert_eq!(means(&mut midi, on(0, 62, 64.0 / 127.0)), pressed(62, 64.0 / 127.0));
    }
    // The finer part of a key's position or of a key sensor's speed belongs to no note.
    let press = InputMessage::Pressure { to: Address::note(0, 60), value: 28.0 / 127.0 };
    let position = Event::Pressure { key: key(60), depth: (28.0 + 112.0 / 128.0) / 127.0 };
    for (sensor, finer) in [(press, vec![position]), (control(0, 81, 0.5), vec![])] {
        means(&mut midi, sensor);
        assert_eq!(means(&mut midi, control(0, 16, 112.0 / 127.0)), finer);
        assert_eq!(means(&mut midi, on(0, 60, 64.0 / 127.0)), pressed(60, 64.0 / 127.0));
    }
    means(&mut midi, control(0, 16, 32.0 / 127.0));
    assert_eq!(means(&mut midi, on(0, 60, 64.0 / 127.0)), pressed(60, 64.25 / 127.0));
}

#[test]
fn a_held_bend_follows_its_range() {
    let mut midi = Midi::default();
    means(&mut midi, bend_of(2, 0.5));
    assert_eq!(register(&mut midi, 2, 0, 12), [Event::BendRange(Some(12.0))]);
    assert!(register(&mut midi, 3, 0, 7).is_empty(), "another channel has bent last");
    // Steps of a cent, from the settings' range where a channel has sent none.
    let step = |midi: &mut Midi, channel, number| {
        [(101, 0.0), (100, 0.0), (number, 1.0)]
            .into_iter()
            .flat_map(|(number, value)| means(midi, control(channel, number, value)))
            .collect::<Vec<_>>()
    };
    assert_eq!(step(&mut midi, 2, 97), [Event::BendRange(Some(11.99))]);
    let mut midi = Midi::default();
    means(&mut midi, bend_of(0, 1.0));
    assert_eq!(step(&mut midi, 0, 96), [Event::BendRange(Some(2.01))]);
    // Fingers of MPE zones, by their own range and by that of the settings.
    let mut mpe = Settings::default();
    mpe.midi.mpe = Switch::On;
    let mut midi = Midi::default();
    under(&mut midi, bend_of(1, 0.5), &mpe);
    under(&mut midi, on(1, 57, 0.5), &mpe);
    mpe.midi.mpe_bend_range = 24.0;
    assert_eq!(under(&mut midi, control(9, 1, 0.0), &mpe), [tuned(57, 1200.0)]);
    for (number, value) in [(101, 0.0), (100, 0.0)] {
        under(&mut midi, control(1, number, value), &mpe);
    }
    assert_eq!(under(&mut midi, control(1, 6, 12.0 / 127.0), &mpe), [tuned(57, 600.0)]);
}
