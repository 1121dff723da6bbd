use super::*;
use crate::slewed_key::SlewedKey;
use touchback_action::Drive;
use touchback_action::grand::GrandKey;
use touchback_action::grand::equations::held_friction::HeldFriction;
use touchback_action::grand::key::rest;
use touchback_action::interface::slew::Slew;
use touchback_device::port::Port;

fn middle() -> KeyNumber {
    KeyNumber::from_midi(60).unwrap()
}

/// A compensation that exceeds the mass, weight and friction of every key.
const ALL: DynamicsCompensation =
    DynamicsCompensation { mass: 1.0, weight: 5.0, friction: 5.0, has_bed: true };

/// At every impedance of the wire the key receives no more energy than the waves carry, and the readout has
/// the force of the junction at the key's speed.
#[test]
fn a_wave_gives_the_lightest_key_of_any_action_no_extra_energy() {
    for action in Action::ALL {
        for impedance in [0.5, 25.0, 127.5] {
            let settings = ActionSettings::default();
            let (mut key, residual) = action.key(middle(), &settings, &ALL);
            assert!(residual.mass > 0.0, "{action:?}");
            let port = Port::new(impedance);
            let mut carried = 0.0;
            let (mut got, mut fastest) = (0.0, 0.0f64);
            for i in 0..4000 {
                let force = if i % 800 < 400 { 8.0 } else { 0.5 } * (0.01 * f64::from(i)).cos();
                let drive = Drive::Wave { force, impedance };
                let [from, _] = key.front();
                key.step(drive, &mut |_, _| ());
                let [depth, speed] = key.front();
                let back = port.leaving(port.wave(force), (depth - from) / STEP);
                carried += Port::energy(port.wave(force), back, STEP);
                fastest = fastest.max(speed.abs());
                let readout = key.readout(drive);
                assert!(
                    (readout.key_force - (force - impedance * speed)).abs() < 1e-9,
                    "{action:?}"
                );
                got = readout.work;
            }
            assert!(got <= carried + 1e-6, "{action:?}: {got} J of {carried}");
            assert!(
                key.save().is_finite() && fastest > 0.01 && fastest < 17.0,
                "{action:?} {fastest}"
            );
        }
    }
}

#[test]
fn every_compensated_key_is_heavier_than_the_junction_needs() {
    for number in [1, 40, 88] {
        let key = KeyNumber::from_index(number - 1).unwrap();
        let settings = ActionSettings { key_mass: 0.5, ..ActionSettings::default() };
        let mut key = GrandKey::new(key, &settings);
        key.compensate(&ALL);
        key.reset_to_rest();
        let (parts, at) = (key.assembly(), key.state());
        let evaluation =
            parts.grand.evaluation(at.phase, &HeldFriction::default(), &rest::UNTOUCHED, &at.x);
        let front = parts.spec.key.front;
        let mass = 1.0 / (evaluation.balance.mass.inv_key * front * front);
        assert!(mass > LIGHTEST, "{number}: {mass} kg");
    }
}

/// The energy of regulation changes on a moving key is counted, and the energy balance closes.
#[test]
fn changes_of_regulation_on_a_moving_key_are_in_the_energy_balance() {
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
        ..standard.clone()
    };
    for action in [Action::GRAND, Action::Wall] {
        let (simulated, _) = action.key(middle(), &standard, &DynamicsCompensation::default());
        let mut key = SlewedKey::new(middle(), simulated);
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
        // The error of the method per step is 1e-5 of the energy exchanged.
        assert!(most < 1e-3 * work.abs(), "{action:?}: {most} J of {work} J, {turned} J turned");
        assert!(turned > 2.0 * most, "{action:?}: {turned} J turned, {most} J missing");
    }
}
