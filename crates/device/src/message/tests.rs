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
        Message::Ask(VERSION),
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

#[test]
fn wrong_lengths_and_unknown_kinds_do_not_decode() {
    assert_eq!(Message::decode(&[]), None);
    assert_eq!(Message::decode(&[0x7F]), None);
    assert_eq!(Message::decode(&[0x14, 1]), None);
    assert_eq!(Message::decode(&[0x14, 1, 2, 3]), None);
    // A list of 89 keys.
    let mut bytes = vec![0x11, 0, 0, 0, 0, 0, 0, 89];
    bytes.extend([0; 4 * 89]);
    assert_eq!(Message::decode(&bytes), None);
}

proptest! {
    /// A payload that decodes encodes to the same bytes: every message has one encoding.
    #[test]
    fn a_decoded_message_encodes_to_the_same_bytes(kind in 0u8..0x20, rest in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut bytes = vec![kind];
        bytes.extend(rest);
        if let Some(message) = Message::decode(&bytes) {
            let mut out = [0; crate::frame::MAX_PAYLOAD];
            let length = message.encode(&mut out).unwrap();
            prop_assert_eq!(&out[..length], &bytes[..]);
        }
    }
}
