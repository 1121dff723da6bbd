//! Random histories: whatever host, finger and controllers do, a motor's force stays within its limit, and only damps
//! after the host's silence.

use super::*;
use touchback_core::math::random::Random;
use touchback_device::frame::MAX_FRAME;
use touchback_device::message::{Config, KeyList, KeyWave, Message, Play};

/// A number in `least`…`most`.
fn between(random: &mut Random, least: f64, most: f64) -> f64 {
    least + (most - least) * random.share()
}

/// A byte, often 0 or the largest.
fn byte(random: &mut Random) -> u8 {
    match random.below(6) {
        0 => 0,
        1 => u8::MAX,
        _ => u8::try_from(random.below(256)).unwrap(),
    }
}

fn word(random: &mut Random) -> u16 {
    u16::from_le_bytes([byte(random), byte(random)])
}

fn acts(random: &mut Random) -> Vec<(f64, FingerAction)> {
    let mut time = 0.05;
    (0..6)
        .map(|_| {
            time += between(random, 0.01, 0.15);
            let (depth, within) = (between(random, -2e-3, 25e-3), between(random, 0.02, 0.1));
            let action = match random.below(5) {
                0 => FingerAction::Release { within },
                1 => FingerAction::Strike { speed: between(random, 0.1, 1.0) },
                2 => FingerAction::Trill { depth: depth.max(1e-3), rate: 9.0, lasts: 0.2 },
                3 => FingerAction::Rest,
                _ => FingerAction::Press { depth, within },
            };
            (time, action)
        })
        .collect()
}

fn message(random: &mut Random, now_us: u64) -> Message {
    match random.below(24) {
        0 => Message::Clear(word(random)),
        1 => Message::Stop(word(random)),
        2 => Message::Config(Config {
            force_max: word(random),
            slew: word(random),
            force_held: word(random),
            thermal_time: word(random),
            timeout_ms: word(random),
            safe_damping: byte(random),
            guard: word(random),
            report_us: word(random),
            ..Config::OWN
        }),
        3 => Message::Ask { newest: byte(random) % 4, oldest: 2 },
        _ => {
            let mut keys = KeyList::default();
            let force = word(random).cast_signed() >> random.below(8);
            keys.push(KeyWave { key: byte(random) % 2, force, impedance: byte(random) });
            let play_us = wrapped(now_us + random.below(6000));
            let play = Play { seq: u16::try_from(now_us / 1000 % 65_536).unwrap(), play_us, keys };
            if random.below(8) == 0 { Message::Torque(play) } else { Message::Wave(play) }
        }
    }
}

fn send(queue: &mut Queue, message: &Message) {
    let mut frame = [0; MAX_FRAME];
    let length = message.frame(&mut frame).unwrap();
    queue.down.extend_from_slice(&frame[..length]);
}

/// Plays one history. Returns whether force acted in it.
fn play(seed: u64) -> bool {
    let mut random = Random::new(seed);
    let stiffness = between(&mut random, 100.0, 3000.0);
    let acts = acts(&mut random);
    let mut rig = rig(controllers(stiffness, &acts)).unwrap();
    send(&mut rig.queue, &Message::Clear(1));
    let mut pause = 0;
    for _ in 0..250 {
        match random.below(200) {
            0 => (0..random.below(60)).for_each(|_| rig.queue.down.push(byte(&mut random))),
            1 => pause = random.below(15),
            2 => rig.wire().controllers.bus.defects.loss = random.share(),
            3 => rig.wire().controllers.bus.defects.loss = 0.0,
            4 => {
                let now = rig.time();
                let defects = &mut rig.wire().controllers.bus.defects;
                (defects.browns_out, defects.begin) = (random.below(2) == 0, now);
            }
            // The bridge stands still.
            5 => {
                let ticks = random.below(400);
                (0..ticks).for_each(|_| rig.wire().step());
            }
            _ => {}
        }
        rig.bridge.turn(&mut rig.queue).unwrap();
        let now_us = rig.wire().now_us();
        if pause > 0 {
            pause -= 1;
        } else {
            let message = message(&mut random, now_us);
            send(&mut rig.queue, &message);
        }
    }
    let peak = rig.wire().peak;
    assert!(peak <= FORCE + 1e-3, "{seed}: {peak} N");
    // Silence: the timeout of at most 20 ms, the fade, and the last command on the bus.
    rig.queue.down.clear();
    rig.wire().controllers.bus.defects = emulated::ControllerDefects::default();
    (0..34).for_each(|_| rig.bridge.turn(&mut rig.queue).unwrap());
    let mut fastest = [0.0; 12];
    for tick in 0..300 {
        rig.bridge.turn(&mut rig.queue).unwrap();
        let motor = rig.motor();
        fastest[tick % 12] = motor.key.v.abs();
        let speed = fastest.iter().copied().fold(0.0, f64::max);
        // At most the largest safe damping times a speed of the last 12 ms, and a step of the sensor in the filter.
        let allowed = 5.0 * 1.5 * speed + 0.1;
        assert!(
            tick < 12 || motor.force.abs() <= allowed,
            "{seed}: {} N, {speed} m/s",
            motor.force
        );
    }
    peak > 0.5
}

/// The variable `TOUCHBACK_HISTORIES` sets the number of histories.
#[test]
fn force_stays_within_its_limit_and_ends_in_any_history() {
    let count = std::env::var("TOUCHBACK_HISTORIES").ok().and_then(|n| n.parse().ok());
    let count: u64 = count.unwrap_or(60);
    let with_force = (0..count).filter(|seed| play(*seed)).count();
    println!("{count} histories, {with_force} with force");
    assert!(with_force as u64 > count / 2);
}
