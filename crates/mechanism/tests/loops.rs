//! Bodies on bodies and closed loops: the derived equations against conservation of energy.

use touchback_action::{Drive, Key, Mechanism as _, STEP};
use touchback_core::math::compass::KeyNumber;
use touchback_mechanism::read;

fn key(text: &str) -> Box<dyn Key> {
    let file = read(text).unwrap_or_else(|error| panic!("{error}"));
    file.key(KeyNumber::from_number(40).unwrap(), &[]).unwrap()
}

/// A swinging lever that carries a swinging one, a slider and, by a spring, a free body; no loss anywhere.
const SWINGING: &str = r#"
name = "swinging"
[port]
body = "a"
[[body]]
name = "a"
pin = [0, 0]
angle = -1.4
mass = 0.2
centre = [0.1, 0.01]
inertia = 3e-3
points = { far = [0.2, 0] }
[[body]]
name = "b"
on = "a"
pin = [0.2, 0.02]
mass = 0.1
centre = [0.08, -0.02]
inertia = 9e-4
angle = -1.5
[[body]]
name = "c"
on = "b"
slide = [1, 0.2]
at = [0.05, 0]
mass = 0.03
inertia = 1e-5
centre = [0.01, 0.004]
[[body]]
name = "d"
free = [0.3, -0.3]
mass = 0.05
centre = [0.01, 0]
inertia = 2e-5
[[contact]]
name = "spring of c"
law = "spring"
compression = "position('c')"
stiffness = 60
[[contact]]
name = "x of d"
law = "spring"
compression = "x('d') - x('a.far') - 0.2"
stiffness = 100
[[contact]]
name = "y of d"
law = "spring"
compression = "y('d') - y('a.far')"
stiffness = 120
[[contact]]
name = "turn of d"
law = "spring"
compression = "angle('d')"
stiffness = 0.01
torque = true
"#;

/// The energy of four bodies that swing on and by one another for a second: 10⁻⁸ of it, the error of the integration.
#[test]
fn swinging_bodies_keep_their_energy() {
    let mut key = key(SWINGING);
    let start = key.readout(Drive::Free);
    let mut largest = 0.0f64;
    for step in 0..8000 {
        let force = if step < 800 { 3.0 } else { 0.0 };
        let drive = Drive::Force([force; 2]);
        key.step(drive, &mut |_, _| ());
        let now = key.readout(drive);
        largest = largest.max(now.kinetic);
        let off = now.imbalance() - start.imbalance();
        assert!(off.abs() < 4e-8, "{off} J after step {step} of {}", now.kinetic);
        assert!(now.dissipated == 0.0);
    }
    assert!(largest > 0.1, "{largest} J");
}

/// A lever, a coupler and a rocker: the loop is closed by two rigid contacts.
const FOUR_BAR: &str = r#"
name = "four-bar"
[port]
body = "crank"
[[body]]
name = "crank"
pin = [0, 0]
mass = 0.1
centre = [0.05, 0]
inertia = 5e-4
points = { end = [0.1, 0] }
[[body]]
name = "coupler"
on = "crank"
pin = [0.1, 0]
angle = 0.8
mass = 0.1
centre = [0.1, 0.01]
inertia = 2e-3
points = { end = [0.2, 0] }
[[body]]
name = "rocker"
pin = [0.25, 0]
angle = 1.9
mass = 0.1
centre = [0.07, 0]
inertia = 8e-4
points = { end = [0.15, 0] }
[[contact]]
name = "across"
law = "rigid"
compression = "x('coupler.end') - x('rocker.end')"
closes = "coupler"
[[contact]]
name = "up"
law = "rigid"
compression = "y('coupler.end') - y('rocker.end')"
closes = "rocker"
[[contact]]
name = "spring"
law = "spring"
compression = "angle('crank') - 0.2"
stiffness = 3
torque = true
[[submodel]]
name = "closed"
holds = ["across", "up"]
[readings]
q = ["x('coupler.end') - x('rocker.end')", "y('coupler.end') - y('rocker.end')", "angle('rocker')"]
"#;

#[test]
fn a_closed_loop_stays_closed_and_keeps_its_energy() {
    let mut key = key(FOUR_BAR);
    let start = key.readout(Drive::Free);
    let mut turned = [f64::MAX, f64::MIN];
    for step in 0..8000 {
        let force = if step < 400 { 2.0 } else { 0.0 };
        let drive = Drive::Force([force; 2]);
        key.step(drive, &mut |_, _| ());
        let now = key.readout(drive);
        let off = now.imbalance() - start.imbalance();
        assert!(off.abs() < 1e-8, "{off} J after step {step}");
        assert!(now.q[0].abs() < 1e-12 && now.q[1].abs() < 1e-12, "{:?}", now.q);
        turned = [turned[0].min(now.q[2]), turned[1].max(now.q[2])];
    }
    assert!(turned[1] - turned[0] > 0.1, "{turned:?} rad");
}

/// The force that answers the motion of a press is that of the press: the inertia of everything that the loop moves.
#[test]
fn an_imposed_motion_of_a_closed_loop_takes_the_force_of_the_press() {
    let (mut pressed, mut moved) = (key(FOUR_BAR), key(FOUR_BAR));
    let mut from = pressed.front();
    for step in 0..800 {
        let force = libm::sin(f64::from(step) * STEP * 60.0);
        pressed.step(Drive::Force([force; 2]), &mut |_, _| ());
        let to = pressed.front();
        let drive = Drive::between(from, to);
        moved.step(drive, &mut |_, _| ());
        let answer = moved.readout(drive).key_force;
        assert!((answer - force).abs() < 1e-3, "step {step}: {answer} N for {force} N");
        from = to;
    }
}

/// Coulomb friction at a pin holds a lever against less than its bound, and turns the work of a larger force into heat.
#[test]
fn friction_holds_and_heats() {
    let text = r#"
name = "brake"
[port]
body = "key"
arm = 0.2
[[body]]
name = "key"
pin = [0, 0]
inertia = 1e-3
[[friction]]
name = "pin"
along = "angle('key')"
bound = 0.1
torque = true
"#;
    let mut key = key(text);
    for _ in 0..800 {
        key.step(Drive::Force([0.45; 2]), &mut |_, _| ());
    }
    assert!(key.front()[0].abs() < 1e-12, "{:?}", key.front());
    for _ in 0..800 {
        key.step(Drive::Force([0.8; 2]), &mut |_, _| ());
    }
    let now = key.readout(Drive::Force([0.8; 2]));
    // 0.8 N less 0.5 N on 25 g for 0.1 s: 1.2 m/s and 60 mm.
    assert!((now.key_speed - 1.2).abs() < 1e-6 && (now.key - 0.06).abs() < 1e-4, "{now:?}");
    assert!(
        (now.dissipated - 0.5 * now.key).abs() < 1e-6 && now.imbalance().abs() < 1e-9,
        "{now:?}"
    );
}

/// Reading a key leaves its friction as it is: watched or not, the motion is the same.
#[test]
fn reading_a_key_does_not_change_its_motion() {
    for name in ["upright", "thesis"] {
        let path = format!("{}/../../mechanisms/{name}.mechanism.toml", env!("CARGO_MANIFEST_DIR"));
        let file = touchback_mechanism::read(&std::fs::read_to_string(path).unwrap()).unwrap();
        let mut watched = file.key(KeyNumber::from_midi(60).unwrap(), &[]).unwrap();
        let mut alone = watched.duplicate();
        for step in 0..2400 {
            let drive = Drive::Force([if step < 1200 { 5.0 } else { 0.0 }; 2]);
            watched.step(drive, &mut |_, _| ());
            alone.step(drive, &mut |_, _| ());
            assert!(watched.readout(drive).key.is_finite() && !watched.pose().parts.is_empty());
            let _ = watched.elements(drive);
            assert_eq!(watched.save().bits(), alone.save().bits(), "{name}, step {step}");
        }
        // At rest again, it forgets the friction of the press.
        watched.reset_to_rest();
        let mut fresh = file.key(KeyNumber::from_midi(60).unwrap(), &[]).unwrap();
        for _ in 0..800 {
            for key in [&mut watched, &mut fresh] {
                key.step(Drive::Force([5.0; 2]), &mut |_, _| ());
            }
        }
        assert_eq!(watched.save().bits(), fresh.save().bits(), "{name}");
    }
}
