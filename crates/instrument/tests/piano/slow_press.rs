//! In a slow press the force agrees with the work, and no element generates energy.

use touchback_action::grand::GrandKey;
use touchback_action::{ActionSettings, Drive, Key, STEP};
use touchback_core::math::compass::KeyNumber;

/// Speed of the key front, m/s.
const SPEED: f64 = 8e-3;
/// Key travel over which force and work are compared, m.
const SPAN: f64 = 0.25e-3;

/// Messages about violations in a press of `key` to 9.7 mm.
fn faults(key: KeyNumber, settings: &ActionSettings) -> Vec<String> {
    let mut grand = GrandKey::new(key, settings);
    let mut heats = [0.0; 25];
    let mut names = Vec::new();
    let mut faults = Vec::new();
    let (mut shown, mut steps, mut worked, mut from) = (0.0, 0u32, 0.0, 0.0);
    // Submodel, and whether it was the only one in the span.
    let (mut phase, mut is_one) = ("", true);
    let mut depth = 0.0;
    while depth < 9.7e-3 {
        let next = depth + SPEED * STEP;
        let drive = Drive::line([depth, next]);
        grand.step(drive, &mut |_, _| ());
        depth = next;
        let readout = grand.readout(drive);
        names = readout.losses.iter().map(|(name, _)| name).collect();
        for (heat, (_, watts)) in heats.iter_mut().zip(readout.losses.iter()) {
            *heat += watts * STEP;
        }
        (shown, steps) = (shown + readout.key_force, steps + 1);
        is_one &= phase == readout.phase;
        phase = readout.phase;
        if depth - from >= SPAN {
            let (mean, true_mean) =
                (shown / f64::from(steps), (readout.work - worked) / (depth - from));
            // The first span contains the onset of the press; where the submodel changes, the force falls
            // inside a step.
            if from > 0.0 && is_one && (mean - true_mean).abs() > 0.01 * true_mean.abs().max(0.2) {
                faults.push(format!(
                    "{:.2} mm: shows {mean:.4} N, work over way {true_mean:.4} N",
                    depth * 1e3
                ));
            }
            (shown, steps, worked, from) = (0.0, 0, readout.work, depth);
            is_one = true;
        }
    }
    for (name, heat) in names.iter().zip(heats) {
        if heat < -1e-9 {
            faults.push(format!("{name}: {heat:.2e} J of heat"));
        }
    }
    faults
}

fn none(key: KeyNumber, settings: &ActionSettings, what: &str) {
    let faults = faults(key, settings);
    assert!(faults.is_empty(), "key {} {what}: {faults:#?}", key.number());
}

#[test]
fn force_agrees_with_work_on_every_key() {
    for key in KeyNumber::all() {
        none(key, &ActionSettings::default(), "in the standard regulation");
    }
}

/// Springs and felts over the whole ranges of their settings.
#[test]
fn force_agrees_with_work_for_any_spring_and_felt() {
    let d = ActionSettings::default();
    for number in [1, 40, 88] {
        let key = KeyNumber::from_index(number - 1).unwrap();
        for scale in [0.25, 0.5, 2.0, 4.0] {
            none(
                key,
                &ActionSettings { jack_spring: scale, ..d.clone() },
                &format!("jack {scale}"),
            );
            none(
                key,
                &ActionSettings { knuckle_stiffness: scale, ..d.clone() },
                &format!("knuckle {scale}"),
            );
            none(
                key,
                &ActionSettings { key_bed_stiffness: scale, ..d.clone() },
                &format!("bed {scale}"),
            );
            none(
                key,
                &ActionSettings { damper_weight: scale, ..d.clone() },
                &format!("damper {scale}"),
            );
        }
        for scale in [0.0, 0.5, 0.9, 1.1, 1.2, 1.5, 2.0] {
            none(
                key,
                &ActionSettings { repetition_spring: scale, ..d.clone() },
                &format!("spring {scale}"),
            );
            none(
                key,
                &ActionSettings { friction: scale, ..d.clone() },
                &format!("friction {scale}"),
            );
        }
    }
}
