//! Stability of the integration at the contacts of a key.
//!
//! A contact that carries the load F damps the part on it at the rate F (λ + η/v) w, 1/s, and gives it
//! the natural frequency √(w dF/dξ), rad/s; w is the mobility of the part. The classical Runge–Kutta method
//! is stable while the rate times the substep is below 2.785 and the frequency times the step below 2.828.
//! Beyond these limits a contact at rest would generate energy. [`substeps`](super::substeps) follow the
//! load up to [`MOST_SUBSTEPS`].

use crate::grand::design::spec::{Hammer, Spec};
use crate::grand::equations::mobility::Mobilities;
use crate::grand::equations::precomputed::MOST_SUBSTEPS;
use crate::interface::numbers::SpecError;
use crate::{GRAVITY, STEP};
use touchback_core::mech::felt::Felt;

/// Stability limit of the damping rate times the substep.
const MAX_DAMPING: f64 = 2.785;
/// Stability limit of the natural frequency times the step.
const MAX_FREQUENCY: f64 = 2.828;

/// Force of a firm finger on the key bed, N.
const FINGER: f64 = 20.0;
/// Load on the jack under that finger, N.
const ON_JACK: f64 = 4.0;
/// Load in the backcheck under that finger, N.
const IN_CHECK: f64 = 4.0;
/// Loads of a hard blow over those under that finger.
const BLOW: f64 = 10.0;

/// A loaded contact.
struct Loaded<'a> {
    /// Name of the felt in the specification.
    name: &'static str,
    felt: &'a Felt,
    /// Load under a firm finger, N or N·m.
    load: f64,
    /// Mobility of the moved parts, 1/kg or 1/(kg·m²).
    mobility: f64,
}

impl Loaded<'_> {
    fn is_stable(&self) -> bool {
        let Self { felt, load, mobility, .. } = *self;
        if load <= 0.0 || felt.stiffness <= 0.0 {
            return true;
        }
        let blow = felt.reversal_damping(felt.compression(BLOW * load));
        let damping = blow * mobility * STEP / MOST_SUBSTEPS;
        let frequency = (felt.tangent(felt.compression(load)) * mobility).sqrt() * STEP;
        damping < MAX_DAMPING && frequency < MAX_FREQUENCY
    }
}

/// Checks that the integration is stable at the contacts of the key `spec`.
///
/// # Errors
/// Names the first unstable contact.
pub fn check(spec: &Spec) -> Result<(), SpecError> {
    let Spec { key, jack, lever, hammer, check, damper, .. } = spec;
    let m = Mobilities::new(spec);
    let toe = jack.toe.x.abs();
    let on_toe = (jack.spring_torque + ON_JACK * hammer.knuckle_friction * jack.length) / toe;
    let weight = hammer.mass * GRAVITY * hammer.centre.x.abs();
    let spring = lever.spring_torque.abs();
    let loaded = |name, felt, load, mobility| Loaded { name, felt, load, mobility };
    let rest = key.rest_compression.max(0.0);
    let on_rest = key.rest_felt.tangent(rest) * rest / key.rest_felt.exponent;
    let at_knuckle = if spec.is_rigid() { m.knuckle } else { m.knuckle.max(m.side) };
    let contacts = [
        loaded("key.bed_felt", &key.bed_felt, FINGER, m.front),
        loaded("key.rest_felt", &key.rest_felt, on_rest, m.front),
        loaded("jack.button_felt", &jack.button_felt, on_toe, m.toe),
        loaded("jack.stop_felt", &jack.stop_felt, jack.spring_torque, m.jack),
        loaded("lever.stop_felt", &lever.stop_felt, spring, m.lever),
        loaded("lever.knuckle_felt", &lever.knuckle_felt, weight / hammer.knuckle, m.on_lever),
        loaded("lever.drop_felt", &lever.drop_felt, spring / lever.drop_reach.abs(), m.drop),
        loaded("hammer.knuckle_felt", &hammer.knuckle_felt, ON_JACK, at_knuckle),
        loaded("hammer.rail_felt", &hammer.rail_felt, weight / hammer.crown, m.crown),
        loaded("check.felt", &check.felt, IN_CHECK, m.tail),
        loaded("damper.lift_felt", &damper.lift_felt, damper.weight, m.damper),
        loaded("damper.seat_felt", &damper.seat_felt, damper.weight, m.damper),
    ];
    let must = "softer, less damped or on a heavier part: the step of 125 µs does not follow its \
                motion";
    if hammer.bends() && !is_shank_stable(hammer) {
        let value = hammer.shank.stiffness;
        return Err(SpecError::Value { name: "hammer.shank", value, must });
    }
    match contacts.iter().find(|contact| !contact.is_stable()) {
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
