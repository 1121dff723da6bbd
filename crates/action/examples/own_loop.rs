//! Steps one key inside a control loop of 1 kHz: the loop imposes the position of the key front and reads the
//! force on it. A haptic controller or a game can step a key in the same way.
//!
//! `cargo run --release -p touchback-action --example own_loop`

use touchback_action::interface::trajectory::Trajectory;
use touchback_action::{ActionSettings, Drive, GrandKey, Key, STEP};
use touchback_core::math::compass::KeyNumber;

/// Action steps in a cycle of the loop: 8 of 125 µs, a loop of 1 kHz.
const STEPS: u32 = 8;
/// Cycles of the loop.
const CYCLES: u32 = 120;

/// Depth of the key front that the loop measures, m: down by 9.5 mm in 80 ms, slow at both ends, then held.
fn measured(time: f64) -> f64 {
    0.5 * 9.5e-3 * (1.0 - libm::cos(std::f64::consts::PI * (time / 0.08).min(1.0)))
}

fn main() {
    let Some(c4) = KeyNumber::from_midi(60) else { return };
    let mut key = GrandKey::new(c4, &ActionSettings::default());
    let (mut time, mut depth) = (0.0, 0.0);
    let mut motion = Trajectory::at(depth, 0.0);
    for cycle in 0..CYCLES {
        depth = measured(f64::from(cycle + 1) * f64::from(STEPS) * STEP);
        // From the position of the last cycle to that of this one, at continuous speed.
        let way = motion.reach(depth, f64::from(STEPS) * STEP);
        let mut force = 0.0;
        for step in 0..STEPS {
            let at = |step: u32| way.at(f64::from(step) * STEP);
            let drive = Drive::between(at(step), at(step + 1));
            key.step(drive, &mut |offset, event| {
                println!("{:8.3} ms  {event}", (time + offset) * 1e3);
            });
            time += STEP;
            force = key.readout(drive).key_force;
        }
        if cycle % 5 == 4 {
            println!("{:8.3} ms  {:6.3} mm  {force:7.3} N", time * 1e3, depth * 1e3);
        }
    }
}
