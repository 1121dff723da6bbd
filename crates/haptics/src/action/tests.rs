use super::super::slewed_key::SlewedKey;
use super::*;
use touchback_action::Drive;
use touchback_action::grand::equations::held_friction::HeldFriction;
use touchback_action::grand::key::rest;
use touchback_action::interface::slew::Slew;
use touchback_device::port::Port;

fn middle() -> KeyNumber {
    KeyNumber::from_midi(60).unwrap()
}

/// Everything a keyboard could declare of its own, and more than any key has.
const ALL: DynamicsCompensation =
    DynamicsCompensation { mass: 1.0, weight: 5.0, friction: 5.0, has_bed: true };

/// The key gets no more than the waves bring, at any impedance that a keyboard can name, and what
/// is shown as its force is the junction's at its own speed.
#[test]
fn a_wave_drives_the_lightest_key_of_any_action_without_giving_it_energy() {
    for action in Action::ALL {
        for impedance in [0.5, 25.0, 127.5] {
            let settings = ActionSettings::default();
            let (mut key, left) = action.key(middle(), &settings, &ALL);
            assert!(left.mass > 0.0, "{action:?}");
            let port = Port::new(impedance);
            let mut brought = 0.0;
            let (mut got, mut fastest) = (0.0, 0.0f64);
            for i in 0..4000 {
                let force = if i % 800 < 400 { 8.0 } else { 0.5 } * (0.01 * f64::from(i)).cos();
                let drive = Drive::Wave { force, impedance };
                let [from, _] = key.front();
                key.step(drive, &mut |_, _| ());
                let [depth, speed] = key.front();
                let back = port.leaving(port.wave(force), (depth - from) / STEP);
                brought += Port::energy(port.wave(force), back, STEP);
                fastest = fastest.max(speed.abs());
                let shown = key.readout(drive);
                assert!((shown.key_force - (force - impedance * speed)).abs() < 1e-9, "{action:?}");
                got = shown.work;
            }
            assert!(got <= brought + 1e-6, "{action:?}: {got} J of {brought}");
            assert!(
                key.save().is_finite() && fastest > 0.01 && fastest < 17.0,
                "{action:?} {fastest}"
            );
        }
    }
}

#[test]
fn no_key_is_lighter_than_the_junction_bears() {
    for number in [1, 40, 88] {
        let key = KeyNumber::from_index(number - 1).unwrap();
        let settings = ActionSettings { key_mass: 0.5, ..ActionSettings::default() };
        let mut key = GrandKey::new(key, &settings);
        key.compensate(&ALL);
        key.reset_to_rest();
        let (parts, at) = (key.assembly(), key.state());
        let moment =
            parts.grand.evaluation(at.phase, &HeldFriction::default(), &rest::UNTOUCHED, &at.x);
        let front = parts.spec.key.front;
        let mass = 1.0 / (moment.balance.mass.inv_key * front * front);
        assert!(mass > LIGHTEST, "{number}: {mass} kg");
    }
}

/// Screws turned under a key in play: what they do on it is counted, and the sum closes.
#[test]
fn regulation_that_is_turned_in_play_is_in_the_balance() {
    let standard = ActionSettings::default();
    let other = ActionSettings {
        key_dip_mm: 11.0,
        blow_mm: 43.0,
        let_off_mm: 3.5,
        drop_mm: 3.0,
        check_mm: 12.0,
        key_mass: 1.6,
        hammer_mass: 1.5,
        repetition_spring: 1.3,
        key_bed_stiffness: 2.0 * standard.key_bed_stiffness,
        ..standard
    };
    for action in [Action::GRAND, Action::Wall] {
        let (made, _) = action.key(middle(), &standard, &DynamicsCompensation::default());
        let mut key = SlewedKey::new(made);
        let mut settings = Slew::new(&standard);
        key.apply(&settings, 0);
        let start = key.key().readout(Drive::Free).imbalance();
        let (mut turned, mut most) = (0.0f64, 0.0f64);
        for step in 0..8000 {
            match step {
                1000 | 4100 => settings.aim(&other, step),
                2500 | 4180 => settings.aim(&standard, step),
                _ => {}
            }
            let force = if step % 1600 < 800 { 5.0 } else { 0.2 };
            let drive = Drive::Wave { force, impedance: 4.0 };
            key.step(&settings, step, drive, &mut |_, _| ());
            let shown = key.key().readout(drive);
            turned = turned.max(key.turned().abs());
            most = most.max((shown.imbalance() + key.turned() - start).abs());
            assert!(key.key().save().is_finite());
        }
        let work = key.key().work();
        // A step's error of the method is 1e-5 of what is turned over.
        assert!(most < 1e-3 * work.abs(), "{action:?}: {most} J of {work} J, {turned} J turned");
        assert!(turned > 2.0 * most, "{action:?}: {turned} J turned, {most} J missing");
    }
}
