//! The laboratory's own CLAP host, with the built plugin in it.

use touchback_command::host::{self, Host, Message, Timed};
use touchback_haptics::connection::Choice;
use touchback_haptics::connection::host_interface::KeyboardState;
use touchback_instrument::host::params;

const RATE: f64 = 48_000.0;

fn plugin() -> Host {
    let library = host::find().expect("the library lies beside the tests");
    Host::load(&library).expect("the library holds the plugin")
}

/// CLAP id of the parameter with the table's id `id`.
fn clap_id(host: &mut Host, id: &str) -> host::ClapId {
    let name = params::find(id).expect(id).name;
    let all = host.parameters().expect("parameters");
    all.iter().find(|p| p.name == name).expect(name).id
}

/// 0.25 s of two notes, a pedal and a parameter change, in blocks of `block` samples.
fn render(block: usize) -> Vec<u32> {
    let mut host = plugin();
    let hardness = clap_id(&mut host, "hammer_hardness");
    let hard = host.value_of(hardness, "1.5").expect("a value");
    let music = [
        (0, Message::NoteOn(60, 0.7)),
        (1001, Message::Midi([0xB0, 64, 127])),
        (2222, Message::Parameter(hardness, hard)),
        (2222, Message::NoteOn(67, 0.9)),
        (7001, Message::NoteOff(60, 0.5)),
        (9000, Message::Midi([0xB0, 64, 20])),
    ];
    host.activate(RATE, 4096).expect("active");
    let mut bits = Vec::new();
    let (mut left, mut right) = (vec![0.0; block], vec![0.0; block]);
    for start in (0..12_000).step_by(block) {
        let frames = block.min(12_000 - start);
        let messages: Vec<Timed> = music
            .iter()
            .filter(|(at, _)| (start..start + frames).contains(at))
            .map(|(at, what)| Timed { at: u32::try_from(at - start).expect("small"), what: *what })
            .collect();
        host.process(&messages, &mut left[..frames], &mut right[..frames]).expect("a block");
        let pairs = left[..frames].iter().zip(&right[..frames]);
        bits.extend(pairs.flat_map(|(l, r)| [l.to_bits(), r.to_bits()]));
    }
    bits
}

#[test]
fn every_parameter_of_the_table_is_announced_with_its_default() {
    let mut host = plugin();
    let announced = host.parameters().expect("parameters");
    let names: Vec<_> = announced.iter().map(|p| p.name.as_str()).collect();
    // The pedals and the mechanism's follow the table.
    let own = params::all().map(|p| p.name);
    assert_eq!(names[..params::COUNT], own.collect::<Vec<_>>());
    for (parameter, seen) in params::all().zip(&announced) {
        let text = parameter.text(parameter.default_value());
        let value = host.value_of(seen.id, &text).expect(parameter.id);
        let scale = seen.max - seen.min;
        assert!((value - seen.default).abs() < 1e-6 * scale, "{}: {text}", parameter.id);
    }
}

#[test]
fn a_saved_state_restores_the_values() {
    let mut host = plugin();
    let id = clap_id(&mut host, "let_off_mm");
    let wide = host.value_of(id, "3 mm").expect("a value");
    let before = host.value(id).expect("a value");
    assert!((wide - before).abs() > 1e-3);
    host.activate(RATE, 64).expect("active");
    let change = [Timed { at: 5, what: Message::Parameter(id, wide) }];
    host.process(&change, &mut [0.0; 64], &mut [0.0; 64]).expect("a block");
    let state = host.save().expect("a state");

    let mut other = plugin();
    other.restore(&state).expect("the state is taken");
    let after = other.value(id).expect("a value");
    assert!((after - wide).abs() < 1e-6, "{after} instead of {wide}");
    assert!(other.restore(b"nonsense").is_err());
}

#[test]
fn the_hosts_block_size_changes_no_sample() {
    let reference = render(480);
    for block in [1, 77, 4096] {
        assert!(render(block) == reference, "block {block} differs from block 480");
    }
}

#[test]
fn calls_in_the_wrong_state_or_with_wrong_lengths_are_errors() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("libother.so");
    std::fs::write(&path, b"not a library").expect("a file");
    assert!(Host::load(&path).is_err());
    let mut host = plugin();
    assert!(host.process(&[], &mut [0.0; 8], &mut [0.0; 8]).is_err(), "not active");
    host.activate(RATE, 8).expect("active");
    assert!(host.activate(RATE, 8).is_err(), "already active");
    assert!(host.process(&[], &mut [0.0; 9], &mut [0.0; 9]).is_err(), "too long");
    assert!(host.process(&[], &mut [0.0; 8], &mut [0.0; 7]).is_err(), "unequal");
    assert!(host.process(&[], &mut [0.0; 8], &mut [0.0; 8]).is_ok());
}

#[test]
fn a_keyboard_is_chosen_by_a_project_and_its_error_is_reported() {
    let mut host = plugin();
    assert_eq!(host.keyboard().unwrap(), KeyboardState::default());
    // There is nothing to arm.
    host.arm(true).unwrap();
    let choice = Choice { ports: vec!["/no/such/port".into()], ..Choice::default() };
    host.choose_keyboard(&choice).unwrap();
    host.activate(RATE, 256).unwrap();
    let state = host.keyboard().unwrap();
    assert!(state.ports.is_empty() && state.error.contains("/no/such/port"), "{state:?}");
    host.deactivate();
    assert_eq!(host.keyboard().unwrap(), KeyboardState::default());
}
