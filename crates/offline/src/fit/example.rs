//! Simulated measurements: presses of a model with known parameters, with added noise.

use std::f64::consts::TAU;

use anyhow::{Result, bail};

use super::data::MeasuredPress;
use super::solve::{at_rest, played};
use crate::gesture::{Form, Gesture, KeyView};
use crate::model::named::NamedModel;
use touchback_action::interface::hand::PRESSING;
use touchback_action::{ActionKind, ActionSettings, Drive, STEP};
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::random::Random;
use touchback_models::catalogue::Model;

/// Parameters that differ from the standard key's, and the largest relative difference.
pub const CHANGED: [(&str, f64); 5] = [
    ("key.inertia", 0.25),
    ("key.lead_torque", 0.05),
    ("key.friction", 0.25),
    ("hammer.inertia", 0.2),
    ("key.bed_felt.stiffness", 0.4),
];

/// Noise of a load cell, N rms, and of a laser displacement sensor, m rms.
const NOISE: [f64; 2] = [0.02, 5e-6];

/// Action steps per sample: 2 kHz.
const SAMPLE: usize = 4;

/// Muscle force of the pressed strokes, N, and hand speed of the struck ones, m/s.
const PRESSED: [f64; 7] = [2.5, 3.2, 4.0, 5.0, 6.5, 9.0, 13.0];
const STRUCK: [f64; 5] = [0.2, 0.3, 0.45, 0.6, 0.8];

/// Duration of the press, s, and of the recording after the release, s.
const DOWN: f64 = 0.3;
const UP: f64 = 0.15;

/// Normally distributed numbers.
struct Noise(Random);

impl Noise {
    fn next(&mut self) -> f64 {
        let share = self.0.share().max(1e-12);
        (-2.0 * libm::log(share)).sqrt() * libm::cos(TAU * self.0.share())
    }
}

/// The gestures of the example.
fn gestures() -> Vec<Gesture> {
    // The heavy hand in both touches: with the light finger of a struck touch a number ends at its limit.
    let (duration_s, mass_kg, stiffness_n_m) = (DOWN, PRESSING.mass, PRESSING.stiffness);
    let (damping_n_s_m, drag_n_s_m, rise_s) = (PRESSING.damping, PRESSING.drag, 0.025);
    let pressed = PRESSED.map(|force_n| Form::Pressed {
        force_n,
        duration_s,
        mass_kg,
        stiffness_n_m,
        damping_n_s_m,
        drag_n_s_m,
        rise_s: Some(rise_s),
    });
    let struck = STRUCK.map(|speed_m_s| Form::Struck {
        speed_m_s,
        duration_s,
        mass_kg,
        stiffness_n_m,
        damping_n_s_m,
        drag_n_s_m,
        force_n: Some(0.0),
        rise_s,
    });
    let up = Form::Release { duration_s: UP, speed_m_s: None };
    pressed.into_iter().chain(struck).map(|f| Gesture::of_forms(vec![f, up.clone()])).collect()
}

/// Forces of `gesture` on a key of `model`, at the sample times; no depths.
fn course(model: &Model, mut gesture: Gesture) -> Result<MeasuredPress> {
    let mut mechanism = at_rest(model.clone());
    let mut press = MeasuredPress::default();
    for step in 0..gesture.steps() {
        let drive = gesture.drive(step, KeyView::of(&*mechanism));
        if step % SAMPLE == 0 {
            press.times.push(step as f64 * STEP);
            press.force.push(match drive {
                Drive::Force([force, _]) => force,
                Drive::Free => 0.0,
                _ => bail!("the example's gestures are forces"),
            });
        }
        mechanism.step(drive, &mut |_, _| {});
    }
    Ok(press)
}

/// The standard key, the changed key, and simulated measurements of the changed key.
///
/// The changed key is driven by the sampled forces, linear between samples, exactly as the fit drives it:
/// noise is then the only error. A real load cell adds the error of forces that change between samples.
///
/// # Errors
/// Changed parameters that cannot be a key's.
pub fn of(key: KeyNumber, seed: u64) -> Result<(Model, Model, Vec<MeasuredPress>)> {
    let mut random = Random::new(seed.wrapping_mul(0x9E37_79B9).wrapping_add(key.number().into()));
    let standard = Model::of(ActionKind::Grand, key, &ActionSettings::default());
    let mut named = NamedModel::of(&standard)?;
    for (name, most) in CHANGED {
        named.set(name, named.get(name)? * (1.0 + most * random.signed()))?;
    }
    let changed = named.model()?;
    let mut noise = Noise(random);
    let mut presses = Vec::new();
    for gesture in gestures() {
        let mut press = course(&changed, gesture)?;
        press.depth = played(&changed, &press)?;
        press.force.iter_mut().for_each(|force| *force += NOISE[0] * noise.next());
        press.depth.iter_mut().for_each(|depth| *depth += NOISE[1] * noise.next());
        presses.push(press);
    }
    Ok((standard, changed, presses))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::solve::fit;
    use indicatif::ProgressBar;

    /// `touchback-proof lab fit-recovery` fits ten keys with the same criteria.
    #[test]
    #[ignore = "long: `.ci/run` runs it"]
    fn a_known_model_is_recovered_from_its_own_noisy_data() {
        let names = CHANGED.map(|(name, _)| name.to_owned());
        let key = KeyNumber::from_index(62).unwrap();
        let (standard, changed, presses) = of(key, 1).unwrap();
        let found = fit(&standard, &names, presses, &ProgressBar::hidden(), None).unwrap();
        let truth = NamedModel::of(&changed).unwrap();
        assert!(found.converged && found.rms[1] < 0.2 * found.rms[0], "{found:?}");
        for n in &found.numbers {
            let off = (n.value - truth.get(&n.name).unwrap()).abs();
            assert!(off < 2.0 * n.half, "{n:?} of {}", truth.get(&n.name).unwrap());
            // The key's friction is least certain: lever, hammer and damper add friction of their own.
            let most = if n.name == "key.friction" { 0.2 } else { 0.1 };
            assert!(n.half < most * n.value.abs(), "{n:?}");
        }
    }
}
