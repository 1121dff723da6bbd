use super::*;
use message::{KeyWave, ability};

const BUILD: Build<2> = Build {
    hello: Hello {
        version: message::VERSION,
        keys: 2,
        first_key: 40,
        abilities: ability::WAVE | ability::TORQUE | ability::KEYBED,
        rate_hz: 8000,
        report_us: 1000,
        force_max: 2000,
        force_held: 500,
        step_nm: 2000,
        name: *b"a test keyboard\0",
    },
    facts: [KeyFacts { key: 0, mass: 0, weight: 0, friction: 0, damping: 0, bed: 0 }; 2],
    slew: 20_000.0,
    thermal_time: 2.0,
    timeout_us: 20_000,
};

fn send(device: &mut Device<2>, message: &Message) {
    let mut out = [0; crate::frame::MAX_FRAME];
    let length = message.frame(&mut out).unwrap();
    out[..length].iter().for_each(|b| device.receive(*b));
}

fn sent(device: &mut Device<2>) -> Vec<Message> {
    let mut out = [0; crate::frame::MAX_FRAME];
    let mut receiver = FrameReceiver::new();
    let mut messages = Vec::new();
    loop {
        let length = device.report(&mut out);
        if length == 0 {
            return messages;
        }
        for byte in &out[..length] {
            if let Some(payload) = receiver.push(*byte) {
                messages.push(Message::decode(payload.unwrap()).unwrap());
            }
        }
    }
}

fn torque(seq: u16, play_us: u32, force: f64) -> Message {
    let mut play = Play { seq, play_us, keys: KeyList::default() };
    play.keys.push(KeyWave { key: 0, force: i16_of(force, FORCE), impedance: 0 });
    Message::Torque(play)
}

/// `ticks` of 125 µs from `now` on with both keys at `counts`; the last forces.
fn run(device: &mut Device<2>, now: &mut u32, ticks: u32, counts: [i32; 2]) -> [f64; 2] {
    let mut forces = [0.0; 2];
    for _ in 0..ticks {
        *now = now.wrapping_add(125);
        device.tick(*now, &counts, &mut forces);
    }
    forces
}

#[test]
fn it_says_who_it_is_and_answers_pings() {
    let mut device = Device::new(BUILD, 0);
    send(&mut device, &Message::Ask(message::VERSION));
    send(&mut device, &Message::Ping(77));
    run(&mut device, &mut 0, 8, [0; 2]);
    let messages = sent(&mut device);
    assert_eq!(messages[0], Message::Hello(BUILD.hello));
    assert!(matches!(&messages[1], Message::Facts(l) if l.as_slice().len() == 2));
    assert_eq!(messages[2], Message::Pong(77, 1000));
    assert!(matches!(&messages[3], Message::State(s) if s.t_us == 1000 && s.mode == 0));
    assert_eq!(messages.len(), 4);
}

#[test]
fn force_comes_only_when_cleared_and_at_its_time() {
    let mut device = Device::new(BUILD, 0);
    let mut now = 0;
    send(&mut device, &torque(1, 0, 1.0));
    assert_eq!(run(&mut device, &mut now, 8, [0; 2]), [0.0; 2]);
    send(&mut device, &Message::Clear(1));
    assert_eq!(run(&mut device, &mut now, 8, [0; 2]), [0.0; 2]);
    send(&mut device, &torque(2, now + 500, 1.0));
    assert_eq!(run(&mut device, &mut now, 3, [0; 2]), [0.0; 2]);
    assert_eq!(run(&mut device, &mut now, 4, [0; 2]), [1.0, 0.0]);
}

#[test]
fn a_silent_host_leaves_damping_until_cleared() {
    let mut device = Device::new(BUILD, 0);
    let mut now = 0;
    send(&mut device, &Message::Clear(1));
    send(&mut device, &torque(1, 0, 5.0));
    run(&mut device, &mut now, 16, [0; 2]);
    run(&mut device, &mut now, 160, [0; 2]);
    assert_eq!(device.mode(), DeviceMode::Fading);
    assert_eq!(run(&mut device, &mut now, 90, [0; 2]), [0.0; 2]);
    assert_eq!(
        (device.mode(), device.faults() & fault::TIMEOUT),
        (DeviceMode::Damping, fault::TIMEOUT)
    );
    // It resists motion, and nothing else.
    let mut forces = [0.0; 2];
    for i in 0..80 {
        now += 125;
        device.tick(now, &[i * 6, 0], &mut forces);
    }
    let speed: f64 = 6.0 * 2e-6 / 125e-6;
    assert!((forces[0] - 3.0 * speed).abs() < 0.02, "{} N", forces[0]);
    send(&mut device, &torque(2, now, 5.0));
    assert!(run(&mut device, &mut now, 40, [480, 0])[0].abs() < 0.01);
    send(&mut device, &Message::Clear(2));
    send(&mut device, &torque(3, now, 5.0));
    assert_eq!(run(&mut device, &mut now, 8, [480, 0])[0], 5.0);
}

#[test]
fn a_wild_sensor_takes_all_force_away() {
    let mut device = Device::new(BUILD, 0);
    let mut now = 0;
    send(&mut device, &Message::Clear(1));
    for i in 0..40u16 {
        send(&mut device, &torque(i, now, 5.0));
        // One wild reading is bridged.
        let count = if i == 20 { 100_000 } else { 0 };
        run(&mut device, &mut now, 1, [0, count]);
        run(&mut device, &mut now, 7, [0; 2]);
    }
    assert_eq!(device.mode(), DeviceMode::Live);
    assert_eq!(run(&mut device, &mut now, 3, [100_000, 0]), [0.0; 2]);
    assert_eq!(
        (device.mode(), device.faults() & fault::SENSOR),
        (DeviceMode::Fault, fault::SENSOR)
    );
}

#[test]
fn a_configuration_cannot_lift_the_limits_it_was_built_with() {
    let mut device = Device::new(BUILD, 0);
    let mut now = 0;
    let config = Config {
        force_max: u16::MAX,
        slew: u16::MAX,
        force_held: u16::MAX,
        thermal_time: u16::MAX,
        timeout_ms: u16::MAX,
        safe_damping: 255,
        bed_stiffness: 0,
        bed_damping: 0,
        bed: 0,
        guard: 0,
        report_us: 0,
        lever_ratio: 0,
        first_key: 0,
    };
    send(&mut device, &Message::Config(config));
    assert_eq!(device.faults(), fault::CONFIG);
    assert_eq!((device.limits().force, device.limits().held), (20.0, 5.0));
    send(&mut device, &Message::Clear(1));
    for i in 0..50 {
        send(&mut device, &torque(i, now, 100.0));
        assert!(run(&mut device, &mut now, 8, [0; 2])[0] <= 20.0);
    }
    // Still the 20 ms of its firmware.
    run(&mut device, &mut now, 162, [0; 2]);
    assert_eq!(device.mode(), DeviceMode::Fading);
}

#[test]
fn a_wave_lost_for_long_runs_out() {
    let mut device = Device::new(BUILD, 0);
    let mut now = 0;
    send(&mut device, &Message::Clear(1));
    let mut play = Play { seq: 1, play_us: 0, keys: KeyList::default() };
    play.keys.push(KeyWave { key: 0, force: 500, impedance: 50 });
    send(&mut device, &Message::Wave(play));
    let held = run(&mut device, &mut now, 24, [0; 2])[0];
    assert!((held - 2.0).abs() < 0.02, "{held} N");
    let after = run(&mut device, &mut now, 120, [0; 2])[0];
    assert!(after < 0.25, "{after} N");
}

#[test]
fn a_keyboard_of_88_reports_what_moves_and_one_of_the_rest() {
    let mut build = Build {
        hello: Hello { keys: 88, ..BUILD.hello },
        facts: [KeyFacts::default(); 88],
        slew: BUILD.slew,
        thermal_time: BUILD.thermal_time,
        timeout_us: BUILD.timeout_us,
    };
    build.hello.first_key = 1;
    let mut device = Device::new(build, 0);
    let (mut counts, mut forces, mut now) = ([0; 88], [0.0; 88], 0);
    let mut out = [0; crate::frame::MAX_FRAME];
    let mut seen = std::collections::BTreeSet::new();
    for tick in 0..8 * 400 {
        now += 125;
        counts[30] = tick / 8;
        device.tick(now, &counts, &mut forces);
        while device.report(&mut out) > 0 {
            let mut receiver = FrameReceiver::new();
            let bytes: Vec<u8> = out.iter().copied().take_while(|b| *b != 0).chain([0]).collect();
            let payload = bytes.iter().find_map(|b| receiver.push(*b).map(|p| p.unwrap().to_vec()));
            let Some(Message::State(state)) = Message::decode(&payload.unwrap()) else { panic!() };
            let keys: Vec<u8> = state.keys.as_slice().iter().map(|k| k.key).collect();
            if tick > 1000 {
                assert!(keys.contains(&30) && keys.len() <= 2, "{keys:?}");
                seen.extend(keys);
            }
        }
    }
    assert_eq!(seen.len(), 88);
}
