//! The table of docs/build-a-key.md: which impedance is stable at which delay and speed filter, and what the host says.

use super::*;
use touchback_device::frame::MAX_FRAME;
use touchback_device::message::{KeyList, KeyWave, Message, Play};

/// Way to and fro, m, of a key that a finger of `finger` N/m holds in the middle of its way, at the impedance `z`,
/// N·s/m, without waves. A slow approach is none.
fn unrest(mass: f64, finger: f64, z: f64, filter_hz: f64, command_us: u64) -> f64 {
    let plant = KeyPlant { mass, ..KEY };
    let hold = FingerAction::Press { depth: 6e-3, within: 0.02 };
    let finger = EmulatedFinger { stiffness: finger, damping: 1.0, ..EmulatedFinger::default() };
    let mut controllers =
        emulated_moteus::emulated(1, plant, finger, script(&[(0.5, hold)]), Some(FORCE));
    controllers.bus.defects.filter_hz = filter_hz;
    controllers.bus.defects.command_us = command_us;
    // The damping beyond that of the settings, as the table asks for it.
    let gain = DEMAND.gain(60.0);
    controllers.front.text(&format!("conf set servo.pid_position.kd {gain}"));
    let mut rig = rig(controllers).unwrap();
    let mut seq = 0;
    let send = |rig: &mut MoteusRig, message: &Message| {
        let mut frame = [0; MAX_FRAME];
        let length = message.frame(&mut frame).unwrap();
        rig.queue.down.extend_from_slice(&frame[..length]);
    };
    send(&mut rig, &Message::Clear(1));
    let (mut way, mut first, mut last) = (0.0, None, 0.0);
    while rig.time() < 1.2 {
        let mut keys = KeyList::default();
        let impedance = touchback_device::fixed::u8_of(z, 0.5);
        keys.push(KeyWave { key: 0, force: 0, impedance });
        seq += 1;
        let play_us = wrapped(rig.bridge.controller().now_us());
        send(&mut rig, &Message::Wave(Play { seq, play_us, keys }));
        rig.bridge.turn(&mut rig.queue).unwrap();
        if rig.time() > 1.0 {
            let x = rig.motor().key.x;
            way += f64::abs(x - first.map_or(x, |_| last));
            (first, last) = (first.or(Some(x)), x);
        }
    }
    way - f64::abs(last - first.unwrap_or(0.0))
}

/// Largest stable impedance, N·s/m, of those on the wire, for fingers of 0.3, 1 and 3 kN/m.
fn largest(mass: f64, filter_hz: f64, command_us: u64) -> f64 {
    let steps = [5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0];
    // The way in 0.2 s of an oscillation by one step of the sensor is longer.
    let is_stable = |z: &&f64| {
        [300.0, 1000.0, 3000.0].iter().all(|k| unrest(mass, *k, **z, filter_hz, command_us) < 1e-4)
    };
    steps.iter().take_while(is_stable).last().copied().unwrap_or(0.0)
}

/// What the host says of commands that are late by `command_us` µs from `begin`, s, on; where it plays, the largest
/// force, N, and the way to and fro, µm, of a held key in 0.2 s.
fn played(mass: f64, filter_hz: f64, command_us: u64, begin: f64) -> (bool, String) {
    let plant = KeyPlant { mass, ..KEY };
    let hold = FingerAction::Reach { depth: 22e-3, within: 0.15 };
    let script = script(&[(1.0, hold)]);
    let finger = EmulatedFinger::default();
    let mut controllers = emulated_moteus::emulated(1, plant, finger, script, Some(FORCE));
    let defects = &mut controllers.bus.defects;
    (defects.filter_hz, defects.command_us, defects.begin) = (filter_hz, command_us, begin);
    let moteus = Moteus::new(Virtual::new(controllers), &[1], DEMAND);
    let bridge = Bridge::new(moteus, &BridgeDesign { plant, ..DESIGN }).unwrap();
    let mut rig = Rig::new(bridge);
    let mut servo = armed(&mut rig);
    rig.serve(&mut servo, 1.0).unwrap();
    let (mut way, first) = (0.0, rig.motor().key.x);
    let mut last = first;
    for _ in 0..200 {
        rig.serve(&mut servo, 1e-3).unwrap();
        way += (rig.motor().key.x - last).abs();
        last = rig.motor().key.x;
    }
    let way = way - (last - first).abs();
    let status = servo.status();
    if status.state != ConnectionState::Live {
        return (false, format!("{:?}", status.halt_reason));
    }
    (true, format!("{:.1} N, {:.0} µm", rig.wire().peak, way * 1e6))
}

/// Where the host plays, the key is still; delays that come later are found or harmless.
#[test]
#[ignore = "long: `.ci/run` runs it"]
fn the_table_of_impedance_over_delay_and_filter() {
    println!(
        "| key, g | speed filter, Hz | largest stable Z | late by, ms | from the start | from 0.9 s on |"
    );
    for mass in [0.03, 0.06, 0.1] {
        for filter_hz in [100.0, 200.0, 400.0] {
            // The damper is the controller's: late commands do not change it.
            let z = largest(mass, filter_hz, 0);
            assert!(z >= 25.0 && z == largest(mass, filter_hz, 4000), "{mass} {filter_hz}");
            for command_us in [0, 250, 500, 1000, 2000, 4000] {
                let (is_played, first) = played(mass, filter_hz, command_us, 0.0);
                let (is_still_played, later) = played(mass, filter_hz, command_us, 0.9);
                let (grams, delay) = (mass * 1e3, command_us as f64 * 1e-3);
                println!("| {grams:.0} | {filter_hz:.0} | {z} | {delay:.2} | {first} | {later} |");
                let told = format!("{mass} {filter_hz} {command_us}: {first}");
                let is_harmless = command_us == 0 || mass > 0.05 && command_us < 1000;
                let is_refused = command_us > 1000 || mass < 0.05 && command_us > 0;
                assert!(is_played || !is_harmless, "{told}");
                assert!(!is_played || !is_refused && first.ends_with(" 0 µm"), "{told}");
                let is_still = later.ends_with(" 0 µm") || later.ends_with(" 10 µm");
                assert!(!is_still_played || is_still, "{told}, {later}");
            }
        }
    }
}

/// Ten minutes of strokes through a bridge, in virtual time; `TOUCHBACK_STROKES=7200` takes an hour.
#[test]
#[ignore = "long: `.ci/run` runs it"]
fn strokes_for_minutes() {
    let count = std::env::var("TOUCHBACK_STROKES").map_or(1200, |count| count.parse().unwrap());
    let stroke = |n: u32| {
        let at = 1.0 + 0.5 * f64::from(n);
        let press = FingerAction::Reach { depth: 18e-3, within: 0.06 + 0.03 * f64::from(n % 4) };
        [(at, press), (at + 0.3, FingerAction::Release { within: 0.08 })]
    };
    let acts: Vec<_> = (0..count).flat_map(stroke).collect();
    let mut rig = rig(controllers(257.0, &acts)).unwrap();
    let mut servo = armed(&mut rig);
    rig.serve(&mut servo, 0.5 * f64::from(count)).unwrap();
    let (status, peak) = (servo.status(), rig.wire().peak);
    println!("{:?}, {} states, {} lost, {peak:.2} N", status.state, status.states, status.lost);
    assert_eq!((status.state, status.lost), (ConnectionState::Live, 0), "{:?}", status.halt_reason);
    assert!((1.0..=5.05).contains(&peak), "{peak} N");
}
