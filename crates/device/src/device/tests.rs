use super::*;
use crate::history::build;
use message::{KeyFacts, KeyWave, ability};

mod report;
mod versions;

const OWN: Config = Config::OWN;

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

/// Runs `ticks` of 125 µs from `now` on with both keys at `counts`; returns the last forces, N.
fn run(device: &mut Device<2>, now: &mut u32, ticks: u32, counts: [i32; 2]) -> [f64; 2] {
    let mut forces = [0.0; 2];
    for _ in 0..ticks {
        *now = now.wrapping_add(125);
        device.tick(*now, &counts, &mut forces);
    }
    forces
}

#[test]
fn a_device_answers_asks_and_pings() {
    let mut device = Device::new(build::<f64>(), 0);
    send(&mut device, &message::ASKS[1]);
    send(&mut device, &Message::Ping(77));
    run(&mut device, &mut 0, 8, [0; 2]);
    let messages = sent(&mut device);
    assert!(matches!(&messages[0], Message::State(s) if s.t_us == 1000 && s.mode == 0));
    assert_eq!(messages[1], Message::Hello(build::<f64>().hello));
    assert!(matches!(&messages[2], Message::Facts(l) if l.as_slice().len() == 2));
    assert_eq!(messages[3], Message::Pong(77, 1000));
    assert_eq!(messages.len(), 4);
}

#[test]
fn force_begins_only_after_a_clear_and_at_the_play_out_time() {
    let mut device = Device::new(build::<f64>(), 0);
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
fn a_silent_host_leads_to_damping_until_a_clear() {
    let mut device = Device::new(build::<f64>(), 0);
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
    // The force is the safe damping of 3 N·s/m alone.
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

/// A live device with 5 N on the first key after 0.1 s; `reading` gives the count of the second key for
/// each tick.
fn live_with(reading: impl Fn(u32) -> i32) -> Device<2> {
    let mut device = Device::new(build::<f64>(), 0);
    let mut now = 0;
    send(&mut device, &Message::Clear(1));
    for tick in 0..800u32 {
        if tick % 8 == 0 {
            send(&mut device, &torque(u16::try_from(tick).unwrap(), now, 5.0));
        }
        let forces = run(&mut device, &mut now, 1, [0, reading(tick)]);
        assert!(device.mode() != DeviceMode::Live || tick < 8 || forces[0] == 5.0);
        // A fault takes the force of every key at once, also of those before the faulty one.
        assert!(device.mode() != DeviceMode::Fault || forces == [0.0; 2]);
    }
    device
}

#[test]
fn few_implausible_readings_are_ignored_and_more_end_the_force() {
    let every = |n: u32| live_with(move |tick| if tick % n == 1 { 100_000 } else { 0 });
    for n in [50, 6, 5] {
        assert_eq!(every(n).mode(), DeviceMode::Live, "one of {n}");
    }
    for n in [2, 3, 4] {
        assert_eq!(every(n).mode(), DeviceMode::Fault, "one of {n}");
    }
    // Two readings of three, and a jump at every reading.
    let two = live_with(|tick| if tick % 3 == 0 { 0 } else { 100_000 });
    let jumps = live_with(|tick| if tick % 2 == 0 { 0 } else { 4000 });
    for mut device in [two, jumps] {
        assert_eq!(device.mode(), DeviceMode::Fault);
        assert_eq!(device.faults() & fault::SENSOR, fault::SENSOR);
        let messages = sent(&mut device);
        assert!(matches!(&messages[0], Message::State(s) if s.fault_key == 1), "{messages:?}");
        // After repair and clear the faulty key is not reported any more.
        let mut now = 100_000;
        run(&mut device, &mut now, 8, [0; 2]);
        send(&mut device, &Message::Clear(9));
        run(&mut device, &mut now, 16, [0; 2]);
        assert_eq!(device.mode(), DeviceMode::Ready);
        let messages = sent(&mut device);
        assert!(
            matches!(messages.last(), Some(Message::State(s)) if s.fault_key == message::NO_KEY)
        );
    }
}

#[test]
fn a_configuration_cannot_lift_the_limits_of_the_build() {
    let huge = Config {
        force_max: u16::MAX,
        slew: u16::MAX,
        force_held: u16::MAX,
        thermal_time: u16::MAX,
        timeout_ms: u16::MAX,
        safe_damping: 6,
        guard: u16::MAX,
        ..OWN
    };
    for config in [huge, OWN] {
        let mut device = Device::new(build::<f64>(), 0);
        let mut now = 0;
        send(&mut device, &Message::Config(config));
        // Tighter upper limits of the build are no fault.
        assert_eq!(device.faults(), 0);
        let limits = device.limits();
        assert_eq!(
            (limits.force, limits.held, limits.time, limits.slew),
            (20.0, 5.0, 2.0, 20_000.0)
        );
        assert_eq!(device.rules.guard, build::<f64>().guard);
        send(&mut device, &Message::Clear(1));
        for i in 0..50 {
            send(&mut device, &torque(i, now, 100.0));
            assert!(run(&mut device, &mut now, 8, [0; 2])[0] <= 20.0);
        }
        // The timeout stays at the 20 ms of the build.
        run(&mut device, &mut now, 162, [0; 2]);
        assert_eq!(device.mode(), DeviceMode::Fading);
    }
}

/// Fault 128 is set exactly where the device renders less than the configuration requests.
#[test]
fn a_configuration_that_exceeds_the_build_sets_fault_128() {
    let bed = Config { bed_stiffness: 2000, bed_damping: 100, bed: 1000, ..OWN };
    for (config, is_cut) in [
        (OWN, false),
        (bed, false),
        (Config { bed_stiffness: 4001, ..bed }, true),
        (Config { bed_damping: 201, ..bed }, true),
        (Config { bed: 499, ..bed }, true),
        (Config { safe_damping: 3, ..OWN }, true),
        (Config { safe_damping: 11, ..OWN }, true),
        (Config { report_us: 249, ..OWN }, true),
        (Config { report_us: 20_001, ..OWN }, true),
        (Config { force_max: 500, slew: 1, thermal_time: 1, guard: 1, ..OWN }, false),
    ] {
        let mut device = Device::new(build::<f64>(), 0);
        send(&mut device, &Message::Config(config));
        assert_eq!(device.faults() == fault::CONFIG, is_cut, "{config:?}");
        let bed = &device.rules.bed;
        assert!(bed.stiffness <= 40e3 && bed.damping <= 20.0);
        assert!(bed.stiffness == 0.0 || bed.depth >= 5e-3);
        assert!((2.0..=5.0).contains(&device.safe_damping()));
    }
    let mut other = build::<f64>();
    other.hello.abilities &= !ability::KEYBED;
    let mut device = Device::new(other, 0);
    send(&mut device, &Message::Config(bed));
    assert_eq!((device.faults(), device.rules.bed.stiffness), (fault::CONFIG, 0.0));
}

#[test]
fn the_rendered_bed_acts_while_live_and_fades() {
    let mut device = Device::new(build::<f64>(), 0);
    let mut now = 0;
    let bed = Config { bed_stiffness: 2000, bed_damping: 100, bed: 1000, ..OWN };
    send(&mut device, &Message::Config(bed));
    // 0.5 mm deep in the bed.
    let held = [5250, 0];
    assert_eq!(run(&mut device, &mut now, 8, held), [0.0; 2]);
    send(&mut device, &Message::Clear(1));
    assert_eq!(run(&mut device, &mut now, 8, held), [0.0; 2]);
    let play = Play { seq: 1, play_us: now, keys: KeyList::default() };
    send(&mut device, &Message::Wave(play));
    assert!((run(&mut device, &mut now, 16, held)[0] - 10.0).abs() < 1e-9);
    send(&mut device, &Message::Stop(1));
    let mut last = 10.0;
    for _ in 0..80 {
        let force = run(&mut device, &mut now, 1, held)[0];
        assert!(force <= last);
        last = force;
    }
    assert_eq!((device.mode(), last), (DeviceMode::Damping, 0.0));
}

/// The smallest slew, thermal time and guard and the stiffest bed do not prolong a force.
#[test]
fn force_ends_with_the_fade_in_every_configuration() {
    for config in [
        Config { slew: 1, ..OWN },
        Config { thermal_time: 1, guard: 1, ..OWN },
        Config { bed_stiffness: u16::MAX, bed_damping: u16::MAX, safe_damping: 255, ..OWN },
    ] {
        let mut device = Device::new(build::<f64>(), 0);
        let mut now = 0;
        send(&mut device, &Message::Clear(1));
        send(&mut device, &torque(1, now, 15.0));
        assert_eq!(run(&mut device, &mut now, 16, [1000; 2])[0], 15.0);
        send(&mut device, &Message::Config(config));
        run(&mut device, &mut now, 160, [1000; 2]);
        assert!(device.mode() == DeviceMode::Fading);
        assert_eq!(run(&mut device, &mut now, 81, [1000; 2]), [0.0; 2], "{config:?}");
    }
}

#[test]
fn the_timeout_counts_time_and_not_ticks() {
    for (between_us, ticks) in [(125, 240), (250, 120), (1000, 30), (300_000, 1)] {
        let mut device = Device::new(build::<f64>(), 0);
        let mut now = 0;
        send(&mut device, &Message::Clear(1));
        send(&mut device, &torque(1, now, 5.0));
        run(&mut device, &mut now, 1, [0; 2]);
        let mut forces = [0.0; 2];
        for _ in 0..ticks {
            now += between_us;
            device.tick(now, &[0; 2], &mut forces);
        }
        assert_eq!((device.mode(), forces), (DeviceMode::Damping, [0.0; 2]), "{between_us} µs");
    }
}

/// A plausible speed is at most 4 m/s: 0.55 mm in 137.5 µs. A tick of less than half the nominal length counts as half
/// a tick.
#[test]
fn a_late_tick_calculates_with_the_time_that_has_passed() {
    for (passed_us, is_plausible) in
        [(1, false), (100, false), (137, false), (138, true), (188, true)]
    {
        let mut device = Device::new(build::<f64>(), 0);
        let mut now = 0;
        run(&mut device, &mut now, 8, [0; 2]);
        let jump = 275;
        device.tick(now + passed_us, &[jump, 0], &mut [0.0; 2]);
        let expected = if is_plausible { f64::from(jump) * 2e-6 } else { 0.0 };
        let position = device.key(0).unwrap().position();
        assert!((position - expected).abs() < 1e-12, "{passed_us} µs: {position} m");
    }
}

/// A key at a constant speed under a constant wave, every eighth tick late and the next on the grid: the integral is
/// that of the law, and the force is even.
#[test]
fn late_and_early_ticks_are_booked_with_their_own_time() {
    for late_us in [0u32, 36, 62, 63, 90, 107] {
        let mut device = Device::new(build::<f64>(), 0);
        let mut now = 0;
        send(&mut device, &Message::Config(OWN));
        send(&mut device, &Message::Clear(1));
        let (force, z) = (-0.5, 25.0);
        let (mut sum, mut span, mut from) = (0i32, 0.0f64, 0.0f64);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for tick in 1..=3200u32 {
            if tick % 8 == 1 {
                let key = KeyWave { key: 0, force: -125, impedance: 50 };
                let mut keys = KeyList::default();
                keys.push(key);
                let seq = u16::try_from(tick / 8 + 1).unwrap();
                send(&mut device, &Message::Wave(Play { seq, play_us: now, keys }));
            }
            now = 125 * tick + if tick % 8 == 3 { late_us } else { 0 };
            // 20 mm/s are 10 counts a millisecond.
            let count = i32::try_from(now / 100).unwrap();
            let mut forces = [0.0; 2];
            device.tick(now, &[count, 0], &mut forces);
            let key = device.key(0).unwrap();
            if tick == 2400 {
                (sum, span, from) = (key.wave_sum(), f64::from(now) * 1e-6, key.position());
            } else if tick > 2400 {
                (low, high) = (low.min(forces[0]), high.max(forces[0]));
            }
        }
        let key = device.key(0).unwrap();
        let root = (2.0f64 * z).sqrt();
        let span = f64::from(now) * 1e-6 - span;
        let law = root * (key.position() - from) + force * span / root;
        let grown = f64::from(key.wave_sum().wrapping_sub(sum)) * 1e-6;
        assert!((grown - law).abs() < 5e-6, "{late_us} µs: {grown} √W·s, {law} by the law");
        // Steps of the sensor alone cause 0.12 N at this speed.
        assert!(high - low < 0.6, "{late_us} µs: {low} to {high} N");
    }
}

#[test]
fn a_clear_while_live_changes_nothing() {
    let mut device = Device::new(build::<f64>(), 0);
    let mut now = 0;
    send(&mut device, &Message::Clear(1));
    send(&mut device, &torque(1, now, 5.0));
    device.safety.note(fault::THERMAL);
    for i in 0..230 {
        send(&mut device, &Message::Clear(i));
        run(&mut device, &mut now, 1, [0; 2]);
    }
    // The clears neither reset the fault nor prolonged the timeout.
    assert_eq!(device.mode(), DeviceMode::Fading);
    assert_eq!(device.faults() & fault::THERMAL, fault::THERMAL);
}

/// Commands that name no key let the force decay; copies and commands too far ahead do not count as
/// commands.
#[test]
fn commands_age_by_key_and_only_accepted_ones_prolong_the_timeout() {
    type MakeCommand = fn(u16, u32) -> Message;
    let nothing: MakeCommand =
        |seq, play_us| Message::Torque(Play { seq, play_us, keys: KeyList::default() });
    let copies: MakeCommand = |_, now| torque(1, now, 5.0);
    let future: MakeCommand = |seq, now| torque(seq, now + 60_000, 5.0);
    for (made, mode) in
        [(nothing, DeviceMode::Live), (copies, DeviceMode::Damping), (future, DeviceMode::Damping)]
    {
        let mut device = Device::new(build::<f64>(), 0);
        let mut now = 0;
        send(&mut device, &Message::Clear(1));
        send(&mut device, &torque(1, now, 5.0));
        assert_eq!(run(&mut device, &mut now, 8, [0; 2])[0], 5.0);
        let mut force = 0.0;
        for seq in 2..62 {
            send(&mut device, &made(seq, now));
            force = run(&mut device, &mut now, 8, [0; 2])[0];
        }
        assert!(force < 1e-3, "{force} N");
        assert_eq!(device.mode(), mode);
    }
}

#[test]
fn a_session_of_torques_refuses_waves() {
    let mut device = Device::new(build::<f64>(), 0);
    let mut now = 0;
    send(&mut device, &Message::Clear(1));
    send(&mut device, &torque(1, now, 1.0));
    run(&mut device, &mut now, 8, [0; 2]);
    send(&mut device, &Message::Wave(Play { seq: 2, play_us: now, keys: KeyList::default() }));
    assert_eq!(device.faults(), fault::FRAME);
    assert_eq!(run(&mut device, &mut now, 8, [0; 2])[0], 1.0);
}

#[test]
fn a_build_with_too_many_keys_has_as_many_as_there_is_room_for() {
    let mut other = build::<f64>();
    other.hello.keys = 88;
    assert_eq!(Device::new(other, 0).hello().keys, 2);
    other.hello.keys = 1;
    let mut forces = [7.7; 2];
    Device::new(other, 0).tick(125, &[0; 2], &mut forces);
    assert_eq!(forces, [0.0; 2]);
}

/// A host asks and pings at every tick; the wire carries one frame per tick.
#[test]
fn a_state_is_sent_every_report_interval_whatever_the_host_asks() {
    let mut device = Device::new(build::<f64>(), 0);
    let (mut out, mut now, mut sizes) = ([0; crate::frame::MAX_FRAME], 0, [0, 0]);
    for _ in 0..8000 {
        send(&mut device, &message::ASKS[1]);
        send(&mut device, &Message::Ping(1));
        run(&mut device, &mut now, 1, [0; 2]);
        let is_state = device.pending.state;
        sizes[usize::from(is_state)] += usize::from(device.report(&mut out) > 0);
    }
    assert_eq!(sizes, [7000, 1000]);
}

#[test]
fn a_wave_decays_without_further_commands() {
    let mut device = Device::new(build::<f64>(), 0);
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

/// A hard stroke against waves gives the same in f32 and f64 within 1 mN and 4 µ√W·s.
#[test]
fn single_precision_agrees_with_double() {
    fn stroke<F: Real>() -> Vec<(f64, i32)> {
        let mut device: Device<2, F> = Device::new(build(), 0);
        let mut frame = [0; crate::frame::MAX_FRAME];
        let mut send = |device: &mut Device<2, F>, message: &Message| {
            let length = message.frame(&mut frame).unwrap();
            frame[..length].iter().for_each(|b| device.receive(*b));
        };
        send(&mut device, &Message::Clear(1));
        let mut forces = [F::default(); 2];
        let mut all = Vec::new();
        for tick in 0..16_000u16 {
            let (now, time) = (u32::from(tick) * 125, f64::from(tick) * 125e-6);
            if tick % 8 == 0 {
                let mut play = Play { seq: tick, play_us: now, keys: KeyList::default() };
                let force = i16_of(3.0 * (40.0 * time).sin(), FORCE);
                play.keys.push(KeyWave { key: 0, force, impedance: 50 });
                send(&mut device, &Message::Wave(play));
            }
            let x = 5e-3 * (1.0 - (25.0 * time).cos());
            device.tick(now, &[(x / 2e-6).rounded(), 0], &mut forces);
            all.push((forces[0].into(), device.key(0).unwrap().wave_sum()));
        }
        all
    }
    let (single, double) = (stroke::<f32>(), stroke::<f64>());
    let largest = double.iter().fold(0.0, |most: f64, (f, _)| most.max(f.abs()));
    let (mut force, mut sum) = (0.0f64, 0);
    for (a, b) in single.iter().zip(&double) {
        force = force.max((a.0 - b.0).abs());
        sum = sum.max(a.1.wrapping_sub(b.1).abs());
    }
    println!("of {largest} N: {force} N, {sum} µ√W·s apart");
    assert!(largest > 3.0 && force < 1e-3 && sum < 4, "{force} N, {sum} µ√W·s");
}
