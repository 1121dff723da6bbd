//! Whether the step follows a key's contacts where they rest.
//!
//! A contact that carries F brakes what it bears by F (λ + η/v₀) w, 1/s, and lets it swing at
//! √(w dF/dξ), rad/s, w the inverse of the mass or inertia that it moves. Classical Runge–Kutta is
//! stable while the first times the step is below 2.785 and the second below 2.828: beyond, a
//! contact at rest makes energy.

use crate::STEP;
use crate::grand::design::spec::{GRAVITY, Hammer, Spec};
use crate::grand::equations::precomputed::MOST_SUBSTEPS;
use crate::interface::numbers::SpecError;
use touchback_core::mech::felt::{ANGULAR_TURN, Felt, TURN};

const DAMPED: f64 = 2.785;
const SWING: f64 = 2.828;

/// A firm finger on the key bed, N; what of it jack and check carry, N.
const FINGER: f64 = 20.0;
const ON_JACK: f64 = 4.0;
const IN_CHECK: f64 = 4.0;

/// A contact: its felt, the speed at which its hysteresis turns round, the load that it carries,
/// N or N·m, the inverse of the mass or inertia that it moves, and the substeps it is given.
struct Resting<'a> {
    name: &'static str,
    felt: &'a Felt,
    turn: f64,
    load: f64,
    mobility: f64,
    parts: f64,
}

impl Resting<'_> {
    fn is_followed(&self) -> bool {
        let Self { felt, turn, load, mobility, parts, .. } = *self;
        if load <= 0.0 || felt.stiffness <= 0.0 {
            return true;
        }
        let damped = load * (felt.damping + felt.hysteresis / turn) * mobility * STEP / parts;
        let swing = (felt.tangent(felt.compression(load)) * mobility).sqrt() * STEP / parts;
        damped < DAMPED && swing < SWING
    }
}

/// Checks the contacts of the key `spec`.
///
/// # Errors
/// Names the first that the step cannot follow.
pub fn check(spec: &Spec) -> Result<(), SpecError> {
    let Spec { key, jack, lever, hammer, check, damper, .. } = spec;
    let toe = jack.toe.x.abs();
    let on_toe = (jack.spring_torque + ON_JACK * hammer.knuckle_friction * jack.length) / toe;
    let front = key.front * key.front / key.inertia;
    let about = |arm: f64| arm * arm / hammer.inertia;
    // A knuckle bears on the butt alone where the shank bends.
    let butt = if hammer.bends() { hammer.butt_inertia() } else { hammer.inertia };
    let at_knuckle = hammer.knuckle * hammer.knuckle / butt;
    let on_lever = lever.drop_reach * lever.drop_reach / lever.inertia;
    let weight = hammer.mass * GRAVITY * hammer.centre.x.abs();
    let spring = lever.spring_torque.abs();
    let felt =
        |name, felt, load, mobility| Resting { name, felt, turn: TURN, load, mobility, parts: 1.0 };
    let rest = key.rest_compression.max(0.0);
    let on_rest = if rest > 0.0 { key.rest_felt.tangent(rest) * rest } else { 0.0 };
    let resting = [
        Resting { parts: MOST_SUBSTEPS, ..felt("key.bed_felt", &key.bed_felt, FINGER, front) },
        felt("key.rest_felt", &key.rest_felt, on_rest / key.rest_felt.exponent, front),
        felt("jack.button_felt", &jack.button_felt, on_toe, toe * toe / jack.inertia),
        Resting {
            turn: ANGULAR_TURN,
            ..felt("jack.stop_felt", &jack.stop_felt, jack.spring_torque, 1.0 / jack.inertia)
        },
        Resting {
            turn: ANGULAR_TURN,
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
    if hammer.bends() && !is_shank_followed(hammer) {
        let value = hammer.shank.stiffness;
        return Err(SpecError::Value { name: "hammer.shank", value, must });
    }
    match resting.iter().find(|contact| !contact.is_followed()) {
        None => Ok(()),
        Some(contact) => {
            Err(SpecError::Value { name: contact.name, value: contact.felt.stiffness, must })
        }
    }
}

/// Whether the step follows the shank's swing with the hammer in flight, its quickest.
fn is_shank_followed(hammer: &Hammer) -> bool {
    let share = hammer.bend_share();
    let mobility = hammer.inertia / (share * share * hammer.head_inertia() * hammer.butt_inertia());
    hammer.shank.damping * mobility * STEP < DAMPED
        && (hammer.shank.stiffness * mobility).sqrt() * STEP < SWING
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
    fn the_keys_own_numbers_are_followed() {
        for key in KeyNumber::all() {
            assert_eq!(check(&concert(key)), Ok(()), "{key:?}");
        }
        assert_eq!(check(&thesis::build().spec), Ok(()));
    }

    #[test]
    fn what_the_step_does_not_follow_is_refused_by_name() {
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
