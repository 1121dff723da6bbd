//! Into how many parts a step of a smaller action is cut, so that its contacts are followed.
//!
//! A felt of static force F brakes what slides on it like a damper of F (λ + η/v₀) N·s/m where its
//! motion turns round ([`touchback_core::mech::felt`]). With the contacts' inverse masses w that is a rate
//! of Σ F (λ + η/v₀) w, 1/s, above which no motion of the bodies dies away; classical Runge–Kutta
//! is stable while rate · part < 2.785.

use crate::STEP;
use crate::interface::numbers::SpecError;
use touchback_core::mech::felt::Felt;

/// Largest rate · part: what dies away at once still does so monotonically.
const DAMPED: f64 = 2.0;

/// Largest swing of a pressed contact on its tangent, rad a part.
const SWING: f64 = 1.0;

/// Most parts: a contact is followed to forces that no hand has.
const MOST: u32 = 256;

/// Force at which the contacts of an action's numbers must be within [`MOST`] parts, N: twice a
/// hard blow's.
const LOUDEST: f64 = 100.0;

/// A contact as it is pressed.
#[derive(Clone, Copy, Debug)]
pub struct Pressed<'a> {
    /// Its law.
    pub felt: &'a Felt,
    /// Compression, m; negative is a gap.
    pub compression: f64,
    /// Inverse of the mass that it moves, 1/kg.
    pub mobility: f64,
}

/// Parts, a power of two and no fewer than `least`, in which all of `contacts` are followed.
#[must_use]
pub fn parts(least: u32, contacts: &[Pressed<'_>]) -> u32 {
    let (mut damped, mut swing) = (0.0, 0.0);
    for contact in contacts {
        if contact.compression > 0.0 {
            damped += contact.felt.reversal_damping(contact.compression) * contact.mobility;
            swing += contact.felt.tangent(contact.compression) * contact.mobility;
        }
    }
    enough(least, damped, swing)
}

/// Parts, no fewer than `least`, for a damping of `damped`, 1/s, and a squared swing of `swing`,
/// 1/s².
fn enough(least: u32, damped: f64, swing: f64) -> u32 {
    let needed = (damped * STEP / DAMPED).max(swing.sqrt() * STEP / SWING);
    let mut parts = least.max(1);
    while parts < MOST && needed > f64::from(parts) {
        parts *= 2;
    }
    parts
}

/// Checks that the contacts called `name` of `felt`, moving what has the inverse mass `mobility`,
/// can be followed.
///
/// # Errors
/// Names the first that cannot.
pub fn check(contacts: &[(&'static str, &Felt, f64)]) -> Result<(), SpecError> {
    let most = f64::from(MOST);
    for &(name, felt, mobility) in contacts {
        let pressed = felt.compression(LOUDEST);
        let damped = felt.reversal_damping(pressed) * mobility * STEP / most;
        let swing = (felt.tangent(pressed) * mobility).sqrt() * STEP / most;
        // No number is not followed either.
        let followed = damped <= DAMPED && swing <= SWING;
        if !followed {
            return Err(SpecError::Value {
                name,
                value: felt.stiffness,
                must: "softer, less damped or on a heavier part: its motion under 100 N is faster \
                       than the solver's finest step",
            });
        }
    }
    Ok(())
}

/// Parts, a power of two, into which a step is cut while `mass` kg moving at `speed` m/s presses
/// `felt` by `depth` m: no more than 0.2 rad of the stiffest moment a part.
#[must_use]
pub fn contact_parts(felt: &Felt, mass: f64, depth: f64, speed: f64) -> u32 {
    if depth < 0.0 || (depth == 0.0 && speed <= 0.0) {
        return 1;
    }
    let held = 0.5 * mass * speed * speed + felt.energy(depth);
    let p = felt.exponent + 1.0;
    let deepest = libm::pow(p * held / felt.stiffness, 1.0 / p);
    let rate = (felt.tangent(deepest) / mass).sqrt();
    let mut parts = 1;
    while parts < 32 && rate * STEP > 0.2 * f64::from(parts) {
        parts *= 2;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 20 g on a felt under a steady force: the energy of its last millisecond is heat alone.
    fn comes_to_rest(force: f64, cut: bool) -> f64 {
        let felt = Felt { hysteresis: 0.7, ..Felt::new(1.2e6, 1.5, 0.6) };
        let mass = 0.02;
        let mut x = [0.0, 0.0];
        let slope = |_: f64, x: &[f64; 2]| [x[1], (force - felt.contact(x[0], x[1]).force) / mass];
        for _ in 0..20_000 {
            let pressed = Pressed { felt: &felt, compression: x[0], mobility: 1.0 / mass };
            let count = if cut { parts(1, &[pressed]) } else { 1 };
            for _ in 0..count {
                x = touchback_core::episode::rk4::step(
                    &slope(0.0, &x),
                    &slope,
                    &x,
                    STEP / f64::from(count),
                );
            }
        }
        x[1].abs()
    }

    #[test]
    fn what_is_pressed_comes_to_rest() {
        for force in [5.0, 50.0, 200.0, 1000.0] {
            assert!(comes_to_rest(force, true) < 1e-6, "{force}");
        }
        // The rule is needed: the whole step chatters.
        assert!(comes_to_rest(200.0, false) > 1e-3);
    }

    #[test]
    fn a_part_too_light_for_its_felt_is_refused() {
        let felt = Felt { hysteresis: 0.7, ..Felt::new(1.2e6, 1.5, 0.6) };
        assert!(check(&[("bed", &felt, 1.0 / 0.02)]).is_ok());
        assert!(check(&[("bed", &felt, 1e5)]).unwrap_err().to_string().starts_with("bed = "));
        assert!(check(&[("bed", &felt.stiffened(1e9), 100.0)]).is_err());
    }
}
