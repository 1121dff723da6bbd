//! Energy balance of keys under large forces.

use touchback_action::interface::kind::NAMES;
use touchback_action::{ActionSettings, Drive, STEP};
use touchback_core::math::compass::KeyNumber;
use touchback_models::catalogue::Model;

/// Error of the energy balance after a force that rises to `peak` N in 50 ms and falls in 50 ms, relative
/// to the largest energy in the 300 ms.
fn gap(name: &str, key: KeyNumber, peak: f64) -> f64 {
    let mut key = Model::named(name, key, &ActionSettings::default()).unwrap().start();
    let force = |time: f64| peak * (1.0 - (time / 0.05 - 1.0).abs()).max(0.0);
    let mut at = 0.0;
    let (mut largest, mut first, mut left) = (1e-3_f64, None, 0.0);
    while at < 0.3 {
        let drive = Drive::Force([force(at), force(at + STEP)]);
        key.step(drive, &mut |_, _| ());
        at += STEP;
        let r = key.readout(drive);
        left = r.kinetic + r.potential + r.dissipated - r.work;
        first.get_or_insert(left);
        largest = largest.max(r.work.abs()).max(r.kinetic);
    }
    (left - first.unwrap_or(f64::NAN)).abs() / largest
}

#[test]
#[ignore = "long: `.ci/run` runs it"]
fn the_energy_balance_closes_under_any_force() {
    for name in NAMES {
        for midi in [24, 60, 100] {
            for peak in [20.0, 50.0, 100.0, 200.0, 500.0, 1000.0] {
                let gap = gap(name, KeyNumber::from_midi(midi).unwrap(), peak);
                assert!(gap < 0.005, "{name}, key {midi}, {peak} N: {gap:.2e}");
            }
        }
    }
}
