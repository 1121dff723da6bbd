//! scratch
use std::time::{Duration, Instant};
use touchback::action::events::EventList;
use touchback::action::load::Load;
use touchback::action::{ActionSettings, Keyboard};
use touchback::math::compass::Key;
use touchback::math::kernel::Kernel;
fn main() {
    let only: Option<String> = std::env::args().nth(1);
    let settings = ActionSettings::default();
    let mut events = EventList::default();
    let all: Vec<Key> = Key::all().collect();
    for kernel in Kernel::available() {
        let mut keyboard = Keyboard::with_kernel(&settings, kernel);
        for load in Load::ALL {
            for (name, keys) in [("one", &all[39..40]), ("88", &all[..])] {
                if keys.len() == 1 && kernel != Kernel::Plain {
                    continue;
                }
                if let Some(o) = &only {
                    if *o != name {
                        continue;
                    }
                }
                let mut best = f64::INFINITY;
                for _ in 0..(if keys.len() == 1 { 400 } else { 12 }) {
                    let mut loaded = load.prepare(&mut keyboard, keys, &mut events);
                    let mut time = Duration::ZERO;
                    for _ in 0..load.steps() {
                        loaded.drive(&mut keyboard, keys);
                        events.clear();
                        let begin = Instant::now();
                        keyboard.step(&mut events);
                        time += begin.elapsed();
                    }
                    let ns = time.as_nanos() as f64 / f64::from(load.steps()) / keys.len() as f64;
                    best = best.min(ns);
                }
                println!("{name} {} {kernel:?} {best:.0} ns", load.name());
            }
        }
    }
}
