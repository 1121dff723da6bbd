//! A key that a finger has left returns by itself without an oscillation.

use super::*;

/// Largest deviation of the motor's force from its mean over 17 ms, N, while the key returns.
const RIPPLE: f64 = 0.8;

/// Forces of the motor, N, each ms from the release on of a key of `mass` kg that a finger has held down; the speed filter
/// is that of `filter_hz`, commands act `command_us` µs late once the motor has proved itself.
fn returning(mass: f64, filter_hz: f64, command_us: u64) -> Vec<f64> {
    let plant = KeyPlant { mass, ..KEY };
    let release = (2.4, FingerAction::Release { within: 0.1 });
    let acts = script(&[(2.0, FingerAction::Reach { depth: 22e-3, within: 0.12 }), release]);
    let finger = EmulatedFinger::default();
    let mut controllers = emulated_moteus::emulated(1, plant, finger, acts, Some(FORCE));
    let defects = &mut controllers.bus.defects;
    (defects.filter_hz, defects.command_us, defects.begin) = (filter_hz, command_us, 1.2);
    let moteus = Moteus::new(Virtual::new(controllers), &[1], DEMAND);
    let bridge = Bridge::new(moteus, &BridgeDesign { plant, ..DESIGN }).unwrap();
    let mut rig = Rig::new(bridge);
    let mut servo = armed(&mut rig);
    let left = 2.4 - rig.time();
    rig.serve(&mut servo, left).unwrap();
    let mut forces = Vec::new();
    while forces.len() < 170 {
        forces.push(rig.motor().force);
        rig.serve(&mut servo, 1e-3).unwrap();
    }
    let status = servo.status();
    assert_eq!(status.state, ConnectionState::Live, "{mass} kg: {:?}", status.halt_reason);
    forces
}

/// Without the filter on the servo's answer the force has a ripple of 1.0 N near 120 Hz with 60 g, and the bridge ends the
/// oscillation of lighter keys. The table is in docs/build-a-key.md.
#[test]
fn a_key_that_returns_by_itself_does_not_oscillate() {
    for mass in [0.03, 0.06, 0.1] {
        let late = [0, 250, 500, 1000].map(|us| (400.0, us));
        for (filter_hz, command_us) in std::iter::once((100.0, 0)).chain(late) {
            let forces = returning(mass, filter_hz, command_us);
            let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
            let ripple = |w: &[f64]| (w[w.len() / 2] - mean(w)).abs();
            let most = forces[62..153].windows(17).map(ripple).fold(0.0, f64::max);
            println!("| {:.0} | {filter_hz} | {command_us} | {most:.2} |", mass * 1e3);
            assert!(most < RIPPLE, "{mass} kg, {filter_hz} Hz, {command_us} µs: {most} N");
        }
    }
}
