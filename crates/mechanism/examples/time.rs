//! Times.
use std::time::Instant;
use touchback_action::{ActionKind, ActionSettings, Drive, Key, catalogue};
use touchback_core::math::compass::KeyNumber;
fn play(key: &mut dyn Key) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..20 {
        key.reset_to_rest();
        let begin = Instant::now();
        for step in 0..1600 {
            let force = if step < 800 { 4.0 } else { 0.0 };
            key.step(Drive::Force([force; 2]), &mut |_, _| ());
        }
        best = best.min(begin.elapsed().as_secs_f64() / 1600.0);
    }
    best * 1e9
}
fn main() {
    let key = KeyNumber::from_number(40).unwrap();
    for (name, kind) in [("ball", ActionKind::Ball), ("key-hammer", ActionKind::Simplified), ("model-a", ActionKind::ModelA), ("model-b", ActionKind::ModelB), ("harpsichord", ActionKind::Harpsichord), ("viennese", ActionKind::Viennese)] {
        let text = std::fs::read_to_string(format!("mechanisms/{name}.mechanism.toml")).unwrap();
        let file = touchback_mechanism::read(&text).unwrap();
        let begin = Instant::now();
        for _ in 0..20 { file.key(key, &[]).unwrap(); }
        let load = begin.elapsed().as_secs_f64() / 20.0 * 1e6;
        println!("{name}: file {:.0} ns, built in {:.0} ns a step; a key {load:.0} us", play(&mut *file.key(key, &[]).unwrap()), play(&mut *catalogue::played(kind, key, &ActionSettings::default())));
    }
}
