//! The servo's coupling to a keyboard without a wave junction, with and without compensation of its sampling.

use super::acceptance::{biased, direct, ideal, line, shaken, stroke};
use super::z_width::{CHATTER, hold};
use touchback_action::ActionSettings;
use touchback_haptics::action::Action;
use touchback_haptics::keyboard::plant::KeyPlant;
use touchback_haptics::servo::{Coupling, ServoOptions};

/// Stiffnesses tried, N/m, and their ratio.
const RANGE: [f64; 2] = [800.0, 2e5];
const RATIO: f64 = 1.5;

/// Force of the hand, N, with which the softest coupling gives by less than the range of reported positions, and time, s, in
/// which a key on it comes to rest.
const HELD: [f64; 2] = [2.0, 2.5];

/// A stroke of the bench load beside the same parts rigidly joined, and what a hand feels of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stroke {
    /// Strike later than the ideal one, s.
    pub late: f64,
    /// Its speed over the ideal one.
    pub speed: f64,
    /// Energy that the loop has created in press and release, J.
    pub created: f64,
    /// Drag, N·s/m, at 5 Hz.
    pub drag: f64,
    /// Peak-to-peak motion under 1 N without a finger, m.
    pub unrest: f64,
}

fn options(action: Action, coupling: Coupling) -> ServoOptions {
    ServoOptions { action, coupling, deducts: false, ..ServoOptions::default() }
}

/// Stiffness, N/m, to which the `coupling` can be stiffened until a key that a finger holds on the bed of the `action` with
/// 2 and 3 N chatters; 0 if the softest does.
#[must_use]
pub fn stiffest(plant: &KeyPlant, action: Action, coupling: Coupling) -> f64 {
    let (mut found, mut stiffness) = (0.0, RANGE[0]);
    while stiffness <= RANGE[1] {
        let options = options(action, Coupling { stiffness, ..coupling });
        match hold(plant, false, HELD, options) {
            Some([_, unrest]) if unrest <= CHATTER => found = stiffness,
            _ => break,
        }
        stiffness *= RATIO;
    }
    found
}

/// Peak-to-peak motion, m, of a key held on the bed of the `action`, `scale` times as stiff as it is, through the wave
/// junction; `None` if force was lost.
#[must_use]
pub fn through_junction(plant: &KeyPlant, action: Action, scale: f64) -> Option<f64> {
    let settings = ActionSettings { key_bed_stiffness: scale, ..ActionSettings::default() };
    let options = ServoOptions { settings, ..options(action, Coupling::default()) };
    hold(plant, true, HELD, options).map(|[_, unrest]| unrest)
}

/// A stroke of the bench load through the `coupling`; `None` if force was lost.
#[must_use]
pub fn struck(plant: &KeyPlant, coupling: Coupling) -> Option<Stroke> {
    let aim = ideal(plant);
    let options = options(Action::Bench, coupling);
    let got = stroke(&direct(plant), options.clone(), line())?;
    let [drag, _] = shaken(&direct(plant), options.clone(), 5.0)?;
    let unrest = biased(&direct(plant), options)?;
    let (late, speed) = (got.time - aim.time, got.speed / aim.speed);
    Some(Stroke { late, speed, created: got.created, drag, unrest })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without a finger and without damping in the keyboard, a key on the mean of the past interval shakes; compensated it
    /// rests, is felt without drag, and strikes in time.
    #[test]
    fn a_compensated_coupling_rests_without_damping() {
        let coupling = Coupling { local: 0.0, ..Coupling::COMPENSATED };
        let past = Coupling { is_compensated: false, ..coupling };
        let [compensated, past] =
            [coupling, past].map(|coupling| struck(&KeyPlant::THREE[0], coupling).unwrap());
        assert!(past.unrest > 1e-3 && compensated.unrest < CHATTER, "{past:?} {compensated:?}");
        assert!(past.drag > 0.3 && compensated.drag.abs() < 0.1, "{past:?} {compensated:?}");
        assert!(compensated.late.abs() < 2e-3 && compensated.created < 0.0, "{compensated:?}");
    }
}
