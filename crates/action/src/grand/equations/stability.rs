//! Stability of the integration step at the contacts of a key at rest.
//!
//! A contact that carries the load F damps the part on it at the rate F (λ + η/v₀) w, 1/s, and gives it
//! the natural frequency √(w dF/dξ), rad/s; w is the inverse of the moved mass or inertia. The classical
//! Runge–Kutta method is stable while the rate times the step is below 2.785 and the frequency times the
//! step below 2.828. Beyond these limits a contact at rest would generate energy.

use crate::STEP;
use crate::grand::design::spec::{GRAVITY, Hammer, Spec};
use crate::grand::equations::precomputed::MOST_SUBSTEPS;
use crate::interface::numbers::SpecError;
use touchback_core::mech::felt::{ANGULAR_TURN, Felt, TURN};

/// Stability limit of the damping rate times the step.
const MAX_DAMPING: f64 = 2.785;
/// Stability limit of the natural frequency times the step.
const MAX_FREQUENCY: f64 = 2.828;

/// Force of a firm finger on the key bed, N.
const FINGER: f64 = 20.0;
/// Load on the jack under that finger, N.
const ON_JACK: f64 = 4.0;
/// Load in the backcheck under that finger, N.
const IN_CHECK: f64 = 4.0;

/// A loaded contact at rest.
struct Resting<'a> {
    /// Name of the felt in the specification.
    name: &'static str,
    felt: &'a Felt,
    /// Speed v₀ of the hysteresis, m/s or rad/s.
    reversal_speed: f64,
    /// Load, N or N·m.
    load: f64,
    /// Inverse of the moved mass or inertia.
    mobility: f64,
    /// Number of substeps of a step in this contact.
    substeps: f64,
}

impl Resting<'_> {
    fn is_stable(&self) -> bool {
        let Self { felt, reversal_speed, load, mobility, substeps, .. } = *self;
        if load <= 0.0 || felt.stiffness <= 0.0 {
            return true;
        }
        let damping =
            load * (felt.damping + felt.hysteresis / reversal_speed) * mobility * STEP / substeps;
        let frequency = (felt.tangent(felt.compression(load)) * mobility).sqrt() * STEP / substeps;
        damping < MAX_DAMPING && frequency < MAX_FREQUENCY
    }
}

/// Checks that the step is stable at the contacts of the key `spec`.
///
/// # Errors
/// Names the first unstable contact.
pub fn check(spec: &Spec) -> Result<(), SpecError> {
    let Spec { key, jack, lever, hammer, check, damper, .. } = spec;
    let toe = jack.toe.x.abs();
    let on_toe = (jack.spring_torque + ON_JACK * hammer.knuckle_friction * jack.length) / toe;
    let front = key.front * key.front / key.inertia;
    let about = |arm: f64| arm * arm / hammer.inertia;
    // With a flexible shank the knuckle moves the butt alone.
    let butt = if hammer.bends() { hammer.butt_inertia() } else { hammer.inertia };
    let at_knuckle = hammer.knuckle * hammer.knuckle / butt;
    let on_lever = lever.drop_reach * lever.drop_reach / lever.inertia;
    let weight = hammer.mass * GRAVITY * hammer.centre.x.abs();
    let spring = lever.spring_torque.abs();
    let felt = |name, felt, load, mobility| Resting {
        name,
        felt,
        reversal_speed: TURN,
        load,
        mobility,
        substeps: 1.0,
    };
    let rest = key.rest_compression.max(0.0);
    let on_rest = if rest > 0.0 { key.rest_felt.tangent(rest) * rest } else { 0.0 };
    let resting = [
        Resting { substeps: MOST_SUBSTEPS, ..felt("key.bed_felt", &key.bed_felt, FINGER, front) },
        felt("key.rest_felt", &key.rest_felt, on_rest / key.rest_felt.exponent, front),
        felt("jack.button_felt", &jack.button_felt, on_toe, toe * toe / jack.inertia),
        Resting {
            reversal_speed: ANGULAR_TURN,
            ..felt("jack.stop_felt", &jack.stop_felt, jack.spring_torque, 1.0 / jack.inertia)
        },
        Resting {
            reversal_speed: ANGULAR_TURN,
            ..felt("lever.stop_felt", &lever.stop_felt, spring, 1.0 / lever.inertia)
        },
        felt(
            "lever.knuckle_felt",
            &lever.knuckle_felt,
            weight / hammer.knuckle,
            at_knuckle + on_lever,
        ),
        felt("lever.drop_felt", &lever.drop_felt, spring / lever.drop_reach.abs(), on_lever),
        felt("hammer.knuckle_felt", &hammer.knuckle_felt, ON_JACK, at_knuckle),
        felt("hammer.rail_felt", &hammer.rail_felt, weight / hammer.crown, about(hammer.crown)),
        felt("check.felt", &check.felt, IN_CHECK, about(check.tail.norm_squared().sqrt())),
        felt("damper.lift_felt", &damper.lift_felt, damper.weight, 1.0 / damper.mass),
        felt("damper.seat_felt", &damper.seat_felt, damper.weight, 1.0 / damper.mass),
    ];
    let must = "softer, less damped or on a heavier part: the step of 125 µs does not follow its \
                motion";
    if hammer.bends() && !is_shank_stable(hammer) {
        let value = hammer.shank.stiffness;
        return Err(SpecError::Value { name: "hammer.shank", value, must });
    }
    match resting.iter().find(|contact| !contact.is_stable()) {
        None => Ok(()),
        Some(contact) => {
            Err(SpecError::Value { name: contact.name, value: contact.felt.stiffness, must })
        }
    }
}

/// Whether the step is stable for the vibration of the shank of a hammer in flight, where its frequency is
/// highest.
fn is_shank_stable(hammer: &Hammer) -> bool {
    let share = hammer.bend_share();
    let mobility = hammer.inertia / (share * share * hammer.head_inertia() * hammer.butt_inertia());
    hammer.shank.damping * mobility * STEP < MAX_DAMPING
        && (hammer.shank.stiffness * mobility).sqrt() * STEP < MAX_FREQUENCY
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ActionSettings;
    use crate::grand::design::concert::Design;
    use crate::grand::design::thesis;
    use touchback_core::math::compass::KeyNumber;

    fn concert(key: KeyNumber) -> Spec {
        Design::new(key).build(&ActionSettings::default()).spec
    }

    #[test]
    fn the_step_is_stable_for_every_key_of_the_designs() {
        for key in KeyNumber::all() {
            assert_eq!(check(&concert(key)), Ok(()), "{key:?}");
        }
        assert_eq!(check(&thesis::build().spec), Ok(()));
    }

    #[test]
    fn an_unstable_contact_is_refused_by_name() {
        let spec = concert(KeyNumber::from_midi(60).unwrap());
        for (name, change) in [
            ("lever.stop_felt", (|s| s.lever.stop_felt.stiffness = 3e6) as fn(&mut Spec)),
            ("lever.stop_felt", |s| s.lever.inertia *= 0.01),
            ("hammer.knuckle_felt", |s| s.hammer.knuckle_felt.damping = 1e4),
            ("key.bed_felt", |s| s.key.bed_felt.damping = 1e5),
            ("damper.lift_felt", |s| s.damper.mass = 1e-5),
        ] {
            let mut spec = spec;
            change(&mut spec);
            let error = check(&spec).unwrap_err().to_string();
            assert!(error.starts_with(name), "{name}: {error}");
        }
    }
}
