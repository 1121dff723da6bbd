//! The toy piano of the worksheet `docs/lab/see-saw.md`, written from `docs/mechanisms.md` alone: a balanced hammer that is
//! thrown, caught and let go again.

use touchback_action::{Drive, EventKind, Key, Mechanism as _, STEP};
use touchback_core::math::compass::KeyNumber;

fn key(number: u8) -> Box<dyn Key> {
    let path =
        format!("{}/../../docs/lab/balance-hammer.mechanism.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap();
    let file = touchback_mechanism::read(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
    file.key(KeyNumber::from_number(number).unwrap(), &[]).unwrap()
}

/// Events of two presses of `newton`, 0.3 s each, with pauses of 0.2 s; no energy may come or go.
fn pressed(key: &mut dyn Key, newton: f64) -> Vec<EventKind> {
    let (mut events, start) = (Vec::new(), key.readout(Drive::Free).imbalance());
    let (mut most, mut worst) = (1e-3f64, 0.0f64);
    for step in 0..8000u32 {
        let time = f64::from(step % 4000) * STEP;
        let force = |t: f64| if t < 0.3 { newton * (t / 0.03).min(1.0) } else { 0.0 };
        let drive = Drive::Force([force(time), force(time + STEP)]);
        key.step(drive, &mut |_, event| events.push(event.kind()));
        let now = key.readout(drive);
        most = most.max(now.work.abs());
        worst = worst.max((now.imbalance() - start).abs());
    }
    assert!(worst < 1e-3 * most, "{newton} N: {worst} of {most} J");
    events
}

#[test]
fn the_catch_holds_the_hammer_until_the_key_rises() {
    use EventKind::{Check, Release, Reset, Strike};
    for number in [1, 40, 88] {
        for newton in [2.0, 4.0, 10.0] {
            let mut key = key(number);
            let events = pressed(&mut *key, newton);
            assert_eq!(events, [Release, Strike, Check, Reset].repeat(2), "{number}, {newton} N");
        }
    }
}

#[test]
fn it_is_drawn_with_its_rod_and_what_touches() {
    let mut key = key(40);
    let closed = |key: &dyn Key| {
        let pose = key.pose();
        let names: Vec<_> = pose.parts.iter().map(|part| part.name).collect();
        assert_eq!(names, ["key", "hammer", "rod"]);
        let touching = pose.contacts.into_iter().filter(|touch| touch.is_closed);
        touching.map(|touch| touch.name).collect::<Vec<_>>()
    };
    let before = closed(&*key);
    for _ in 0..1600 {
        key.step(Drive::Force([4.0; 2]), &mut |_, _| ());
    }
    assert_eq!(key.readout(Drive::Free).phase, "caught");
    assert_ne!(closed(&*key), before);
}
