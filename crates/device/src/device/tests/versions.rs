//! Versions of the protocol, and what version 3 adds: speeds, faults of the hardware, late ticks.

use super::*;

fn hello_of(device: &mut Device<2>) -> Vec<Hello> {
    let is_hello = |message| if let Message::Hello(hello) = message { Some(hello) } else { None };
    sent(device).into_iter().filter_map(is_hello).collect()
}

#[test]
fn a_host_of_another_version_receives_the_hello_and_cannot_command() {
    let mut device = Device::new(build::<f64>(), 0);
    let mut now = 0;
    send(&mut device, &Message::Clear(1));
    send(&mut device, &torque(1, now, 5.0));
    run(&mut device, &mut now, 16, [0; 2]);
    send(&mut device, &Message::Ask { newest: 1, oldest: 1 });
    run(&mut device, &mut now, 100, [0; 2]);
    assert_eq!(device.mode(), DeviceMode::Damping);
    send(&mut device, &Message::Clear(2));
    assert_eq!(device.mode(), DeviceMode::Damping);
    let answers = sent(&mut device);
    assert!(matches!(answers[0], Message::State(s) if s.faults & fault::VERSION != 0));
    let old = Hello { version: message::OLDEST_VERSION, ..build::<f64>().hello };
    assert_eq!(answers[1..], [Message::Hello(old)]);
    send(&mut device, &message::ASKS[1]);
    send(&mut device, &Message::Clear(3));
    assert_eq!((device.mode(), device.faults()), (DeviceMode::Ready, 0));
}

/// The newest common version is spoken; without a common one the hello shows the nearest.
#[test]
fn host_and_device_speak_the_newest_common_version() {
    for (newest, oldest, spoken, is_common) in [
        (3, 2, 3, true),
        (2, 2, 2, true),
        (9, 1, 3, true),
        (9, 4, 3, false),
        (1, 1, 2, false),
        (0, 0, 2, false),
    ] {
        let mut device = Device::new(build::<f64>(), 0);
        send(&mut device, &Message::Ask { newest, oldest });
        let hello = hello_of(&mut device);
        assert_eq!(hello, [Hello { version: spoken, ..build::<f64>().hello }], "{newest} {oldest}");
        send(&mut device, &Message::Clear(1));
        let mode = if is_common { DeviceMode::Ready } else { DeviceMode::Idle };
        assert_eq!((device.mode(), device.faults() & fault::VERSION != 0), (mode, !is_common));
    }
}

/// The asks that a host sends together lead to version 3; one that hears the short one only speaks version 2.
#[test]
fn both_asks_of_a_host_lead_to_the_newest_version() {
    let mut device = Device::new(build::<f64>(), 0);
    message::ASKS.iter().for_each(|ask| send(&mut device, ask));
    assert_eq!(hello_of(&mut device).iter().map(|h| h.version).collect::<Vec<_>>(), [3]);
    send(&mut device, &message::ASKS[0]);
    assert_eq!(hello_of(&mut device).iter().map(|h| h.version).collect::<Vec<_>>(), [2]);
}

/// Measured speeds go to hosts of version 3 alone: version 2 drops longer states.
#[test]
fn a_state_has_measured_speeds_from_version_3_on() {
    let mut with = build::<f64>();
    with.hello.abilities |= ability::SPEED;
    for (ask, expected) in [(message::ASKS[0], NO_SPEED), (message::ASKS[1], -1500)] {
        let mut device = Device::new(with, 0);
        let mut now = 0;
        send(&mut device, &ask);
        device.measured_speed(0, -0.3);
        device.measured_speed(7, 1.0);
        run(&mut device, &mut now, 8, [0; 2]);
        let state = sent(&mut device).into_iter().find_map(|message| match message {
            Message::State(state) => Some(state),
            _ => None,
        });
        assert_eq!(state.unwrap().keys.as_slice()[0].speed, expected);
        // A speed beyond the range of the field is not taken for none.
        device.measured_speed(0, -100.0);
        assert_eq!(device.speeds[0], -i16::MAX);
    }
}

#[test]
fn the_motor_is_off_while_its_supply_is() {
    let mut device = Device::new(build::<f64>(), 0);
    let mut now = 0;
    send(&mut device, &Message::Clear(1));
    send(&mut device, &torque(1, now, 5.0));
    assert_eq!(run(&mut device, &mut now, 8, [0; 2])[0], 5.0);
    device.hardware(fault::SUPPLY);
    assert_eq!(run(&mut device, &mut now, 1, [0; 2]), [0.0; 2]);
    send(&mut device, &Message::Clear(2));
    send(&mut device, &torque(2, now, 5.0));
    assert_eq!(run(&mut device, &mut now, 8, [0; 2]), [0.0; 2]);
    assert_eq!((device.mode(), device.faults()), (DeviceMode::Fault, fault::SUPPLY));
    device.hardware(0);
    send(&mut device, &Message::Clear(3));
    send(&mut device, &torque(3, now, 5.0));
    assert_eq!(run(&mut device, &mut now, 8, [0; 2])[0], 5.0);
}

#[test]
fn a_late_tick_and_a_reset_by_the_watchdog_are_told() {
    let mut reset = build::<f64>();
    reset.hello.reset_cause = message::reset_cause::WATCHDOG;
    let mut device = Device::new(reset, 0);
    assert_eq!(device.faults(), fault::WATCHDOG_RESET);
    send(&mut device, &Message::Clear(1));
    assert_eq!(device.faults(), 0);
    let mut forces = [0.0; 2];
    for (now, is_late) in [(125, false), (250, false), (374, false), (623, false), (873, true)] {
        device.tick(now, &[0; 2], &mut forces);
        assert_eq!(device.faults() & fault::LATE_TICK != 0, is_late, "{now} µs");
    }
}

/// A reading beyond the reach of a key in a tick that is 78 ms late is refused, and the way since the one before it says
/// nothing of the present speed: 3.6 mm in 1 ms would give 18 N. Neither does the way within the late tick.
#[test]
fn after_a_refused_reading_or_a_long_pause_the_speed_starts_at_0() {
    let count = |x: f64| i16_of(x, 2e-6).into();
    for (late, next) in [(16.008e-3, 15.392e-3), (15.8e-3, 15.8e-3)] {
        let mut device = Device::new(build::<f64>(), 0);
        let (mut now, held) = (0, count(11.776e-3));
        send(&mut device, &Message::Config(Config { safe_damping: 10, ..OWN }));
        send(&mut device, &Message::Clear(1));
        send(&mut device, &Message::Wave(Play { seq: 1, play_us: 0, keys: KeyList::default() }));
        run(&mut device, &mut now, 8 * 60, [held; 2]);
        assert_eq!(device.mode(), DeviceMode::Damping);
        let sum = device.key(0).unwrap().wave_sum();
        let mut forces = [0.0; 2];
        for (passed, x) in [(78_000, late), (1000, next)] {
            now += passed;
            device.tick(now, &[count(x); 2], &mut forces);
            assert_eq!(forces, [0.0; 2], "{x} m");
        }
        // The wave carries the whole way: √(2Z)·Δx with 5 N·s/m.
        let wave = f64::from(device.key(0).unwrap().wave_sum() - sum) * message::WAVE;
        let way = 10f64.sqrt() * (next - 11.776e-3);
        assert!((wave - way).abs() < 0.01 * way, "{wave} against {way}");
        // The damper acts again from the next tick on.
        now += 125;
        device.tick(now, &[count(next - 0.1e-3); 2], &mut forces);
        assert!(forces[0] < -1.0, "{forces:?}");
    }
}

/// A host that has died: damping lasts until every key has been at rest for 1 s, also where the last wave was large.
#[test]
fn damping_ends_when_the_keys_have_been_at_rest_for_a_second() {
    let mut device = Device::new(build::<f64>(), 0);
    let mut now = 0;
    send(&mut device, &Message::Clear(1));
    let mut play = Play { seq: 1, play_us: 0, keys: KeyList::default() };
    play.keys.push(KeyWave { key: 0, force: 2000, impedance: 50 });
    send(&mut device, &Message::Wave(play));
    run(&mut device, &mut now, 8 * 60, [0; 2]);
    assert_eq!(device.mode(), DeviceMode::Damping);
    for i in 0..8 * 1500 {
        run(&mut device, &mut now, 1, [i / 16, 0]);
    }
    assert_eq!(device.mode(), DeviceMode::Damping);
    run(&mut device, &mut now, 8 * 990, [750, 0]);
    assert_eq!(device.mode(), DeviceMode::Damping);
    run(&mut device, &mut now, 8 * 20, [750, 0]);
    assert_eq!(device.mode(), DeviceMode::Idle);
}
