use super::*;
use proptest::prelude::*;

fn round_trip(message: &Message) -> Option<Message> {
    let mut out = [0; crate::frame::MAX_PAYLOAD];
    let length = message.encode(&mut out)?;
    Message::decode(&out[..length])
}

fn full<T: Copy + Default>(item: impl Fn(u8) -> T) -> KeyList<T> {
    let mut list = KeyList::default();
    (0..88).for_each(|k| list.push(item(k)));
    list
}

#[test]
fn every_message_decodes_to_what_was_encoded_with_88_keys() {
    let hello = Hello {
        version: VERSION,
        keys: 88,
        first_key: 1,
        abilities: 0x1234,
        rate_hz: 8000,
        report_us: 1000,
        force_max: 2000,
        force_held: 500,
        step_nm: 2000,
        name: *b"a motor keyboard",
        serial: 0x1122_3344_5566_7788,
        firmware: [1, 2, 3],
        reset_cause: reset_cause::WATCHDOG,
    };
    let config = Config {
        force_max: 1,
        slew: 2,
        force_held: 3,
        thermal_time: 4,
        timeout_ms: 5,
        safe_damping: 6,
        bed_stiffness: 7,
        bed_damping: 8,
        bed: 9,
        guard: 10,
        report_us: 11,
    };
    let play = Play {
        seq: 7,
        play_us: 0xFFFF_0001,
        keys: full(|key| KeyWave { key, force: -i16::from(key), impedance: 50 }),
    };
    let state = StateMessage {
        seq: 65_535,
        t_us: 1 << 31,
        ack: 3,
        mode: 2,
        faults: 0x01FF,
        fault_key: NO_KEY,
        keys: full(|key| KeyState {
            key,
            x: i16::MIN,
            wave_sum: i32::MIN + i32::from(key),
            force: 17,
            impedance: 255,
            speed: NO_SPEED,
        }),
    };
    let facts =
        full(|key| KeyFacts { key, mass: 450, weight: -9, friction: 1, damping: 2, bed: 3 });
    for message in [
        Message::Hello(hello),
        Message::Facts(facts),
        Message::State(state),
        Message::Pong(1, u32::MAX),
        Message::Wave(play),
        Message::Torque(play),
        Message::Config(config),
        Message::Stop(9),
        Message::Clear(10),
        ASKS[0],
        ASKS[1],
        Message::Ping(0xDEAD_BEEF),
    ] {
        assert_eq!(round_trip(&message), Some(message));
        assert!(message.frame(&mut [0; crate::frame::MAX_FRAME]).is_some());
    }
}

#[test]
fn the_bytes_of_a_wave_are_in_the_documented_order() {
    let mut play = Play { seq: 0x0201, play_us: 0x0605_0403, keys: KeyList::default() };
    play.keys.push(KeyWave { key: 7, force: 0x0908, impedance: 10 });
    let mut out = [0; 32];
    let length = Message::Wave(play).encode(&mut out).unwrap();
    assert_eq!(out[..length], [0x11, 1, 2, 3, 4, 5, 6, 1, 7, 8, 9, 10]);
}

/// The examples of docs/protocol.md: their names and messages.
fn examples() -> [(&'static str, Message); 12] {
    let hello = Hello {
        version: 3,
        keys: 1,
        first_key: 40,
        abilities: ability::WAVE | ability::TORQUE | ability::PHYSICAL_BED,
        rate_hz: 8000,
        report_us: 1000,
        force_max: 1500,
        force_held: 500,
        step_nm: 2000,
        name: *b"one key\0\0\0\0\0\0\0\0\0",
        serial: 0x0102_0304_0506_0708,
        firmware: [1, 2, 3],
        reset_cause: reset_cause::POWER,
    };
    let facts = KeyFacts { key: 0, mass: 300, weight: 200, friction: 100, damping: 50, bed: 1000 };
    let key = KeyState {
        key: 0,
        x: 5000,
        wave_sum: -1234,
        force: 250,
        impedance: 50,
        ..KeyState::default()
    };
    let mut state = StateMessage {
        seq: 7,
        t_us: 1_000_000,
        ack: 6,
        mode: 2,
        faults: fault::CLAMPED,
        fault_key: NO_KEY,
        keys: KeyList::default(),
    };
    let mut list = KeyList::default();
    list.push(facts);
    let mut play = Play { seq: 6, play_us: 1_002_000, keys: KeyList::default() };
    play.keys.push(KeyWave { key: 0, force: -250, impedance: 50 });
    state.keys.push(key);
    let mut fast = state;
    fast.keys = KeyList::default();
    fast.keys.push(KeyState { speed: 1000, ..key });
    let config =
        Config { force_max: 2000, slew: 4000, timeout_ms: 20, safe_damping: 6, ..Config::OWN };
    [
        ("ask, version 2", ASKS[0]),
        ("ask", ASKS[1]),
        ("hello", Message::Hello(hello)),
        ("hello, version 2", Message::Hello(Hello { version: 2, ..hello })),
        ("facts", Message::Facts(list)),
        ("state", Message::State(state)),
        ("state, speed", Message::State(fast)),
        ("wave", Message::Wave(play)),
        ("configuration", Message::Config(config)),
        ("clear", Message::Clear(5)),
        ("stop", Message::Stop(8)),
        ("ping", Message::Ping(0xDEAD_BEEF)),
    ]
}

/// Compares every frame of docs/protocol.md with the encoder byte by byte.
#[test]
fn the_example_frames_of_the_documentation_are_those_of_the_encoder() {
    let dumps = examples().map(|(name, message)| {
        let mut frame = [0; crate::frame::MAX_FRAME];
        let length = message.frame(&mut frame).unwrap();
        let bytes: Vec<String> = frame[..length].iter().map(|b| format!("{b:02x}")).collect();
        let lines = bytes
            .chunks(24)
            .enumerate()
            .map(|(i, chunk)| format!("{:17} {}", if i == 0 { name } else { "" }, chunk.join(" ")));
        lines.collect::<Vec<_>>().join("\n")
    });
    let block = format!("```text\n{}\n```", dumps.join("\n"));
    assert!(include_str!("../../../../docs/protocol.md").contains(&block), "{block}");
}

/// The bytes that firmware of version 2 sends and expects.
#[test]
fn the_bytes_of_version_2_are_unchanged() {
    let frozen: [(&str, &[u8]); 5] = [
        ("ask, version 2", &[0x16, 2]),
        (
            "hello, version 2",
            &[
                1, 2, 1, 40, 0x13, 0, 0x40, 0x1F, 0xE8, 3, 0xDC, 5, 0xF4, 1, 0xD0, 7, 0, 0, b'o',
                b'n', b'e', b' ', b'k', b'e', b'y', 0, 0, 0, 0, 0, 0, 0, 0, 0,
            ],
        ),
        ("facts", &[2, 1, 0, 0x2C, 1, 0xC8, 0, 0x64, 0, 0x32, 0, 0xE8, 3]),
        (
            "state",
            &[
                3, 7, 0, 0x40, 0x42, 0x0F, 0, 6, 0, 2, 8, 0, 255, 1, 0, 0x88, 0x13, 0x2E, 0xFB,
                255, 255, 0xFA, 0, 50,
            ],
        ),
        ("wave", &[0x11, 6, 0, 0x10, 0x4A, 0x0F, 0, 1, 0, 6, 255, 50]),
    ];
    for (name, bytes) in frozen {
        let (_, message) = examples().into_iter().find(|(n, _)| *n == name).unwrap();
        let mut out = [0; crate::frame::MAX_PAYLOAD];
        let length = message.encode(&mut out).unwrap();
        assert_eq!(out[..length], *bytes, "{name}");
    }
}

#[test]
fn short_payloads_unknown_kinds_and_too_many_keys_do_not_decode() {
    assert_eq!(Message::decode(&[]), None);
    assert_eq!(Message::decode(&[0x7F]), None);
    assert_eq!(Message::decode(&[0x14, 1]), None);
    // A list of 89 keys.
    let mut bytes = vec![0x11, 0, 0, 0, 0, 0, 0, 89];
    bytes.extend([0; 4 * 89]);
    assert_eq!(Message::decode(&bytes), None);
    // A hello of version 3 without its serial number.
    let mut out = [0; crate::frame::MAX_PAYLOAD];
    let length = Message::Hello(Hello::NONE).encode(&mut out).unwrap();
    assert_eq!(Message::decode(&out[..length - 1]), None);
}

/// A later version may append fields to every message.
#[test]
fn longer_messages_keep_their_known_beginning() {
    for (name, message) in examples() {
        let mut out = [0; crate::frame::MAX_PAYLOAD];
        let length = message.encode(&mut out).unwrap();
        let known = Message::decode(&out[..length]);
        // One byte more is no measured speed of a key; it is the oldest version of a short ask.
        let is_ask = matches!(message, Message::Ask { newest: 2, .. });
        assert!(known.is_some() && Message::decode(&out[..=length]) == known || is_ask, "{name}");
    }
}

proptest! {
    /// A payload that decodes encodes to its known beginning: every message has one encoding.
    #[test]
    fn a_decoded_message_encodes_to_the_beginning_of_the_same_bytes(
        kind in 0u8..0x20,
        rest in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        let mut bytes = vec![kind];
        bytes.extend(rest);
        if let Some(message) = Message::decode(&bytes) {
            let mut out = [0; crate::frame::MAX_PAYLOAD];
            let length = message.encode(&mut out).unwrap();
            prop_assert_eq!(&out[..length], &bytes[..length]);
        }
    }
}
