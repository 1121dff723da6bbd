//! Presses C4 with a finger moving at 0.2 m/s and prints what happens inside the action.
//!
//! `cargo run --release -p touchback-action --example press`

use touchback_action::interface::events::EventList;
use touchback_action::{ActionSettings, Drive, Keyboard, STEP, step_time};
use touchback_core::math::compass::KeyNumber;

fn main() {
    let Some(c4) = KeyNumber::from_midi(60) else { return };
    let mut keyboard = Keyboard::new(&ActionSettings::default());
    let mut events = EventList::default();
    // The finger's target: down to 6 mm below the key bed, a hold of 3 N, then off the key.
    let target = |t: f64| if t < 0.3 { (0.2 * t).min(0.016) } else { 0.016 - 0.3 * (t - 0.3) };
    for step in 0..4000 {
        let t = step_time(step);
        keyboard.drive(c4, Drive::Finger([target(t), target(t + STEP)]));
        events.begin(step);
        keyboard.step(&mut events);
        for event in events.iter() {
            println!("{:8.3} ms  {}", event.time() * 1e3, event.event);
        }
    }
}
