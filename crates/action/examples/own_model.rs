//! Changes numbers of a key: the concert grand's middle C with a heavier key stick and a stiffer backcheck,
//! beside the standard key. Both are pressed with the same force.
//!
//! `cargo run --release -p touchback-action --example own_model`

use touchback_action::grand::design::concert::Design;
use touchback_action::{ActionSettings, Drive, GrandKey, Key, KeyEvent, STEP, step_time};
use touchback_core::math::compass::KeyNumber;

/// Force on the key front, N.
const FORCE: f64 = 8.0;
/// Steps of a press, 125 µs each.
const STEPS: u64 = 1600;

fn main() {
    let Some(c4) = KeyNumber::from_midi(60) else { return };
    let settings = ActionSettings::default();
    let standard = Design::new(c4).build(&settings);
    let mut own = standard;
    // Moment of inertia about the balance pin, kg·m²; stiffness of the backcheck, N/m^1.5.
    own.spec.key.inertia *= 1.3;
    own.spec.check.felt.stiffness *= 2.0;
    for (name, built) in [("standard", standard), ("own", own)] {
        let mut key = GrandKey::built(built);
        println!("{name}:");
        for step in 0..STEPS {
            let force = |t: f64| FORCE * (t / 0.02).min(1.0);
            let time = step_time(step);
            let drive = Drive::Force([force(time), force(time + STEP)]);
            key.step(drive, &mut |offset, event| {
                if matches!(event, KeyEvent::Strike { .. } | KeyEvent::Release { .. }) {
                    println!("{:8.3} ms  {event}", (time + offset) * 1e3);
                }
            });
        }
    }
}
