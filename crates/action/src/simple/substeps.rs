//! Number of substeps of a step of a simple action, from the stability of its contacts.
//!
//! Where its motion reverses, a felt of static force F acts as a damper of F (λ + η/v₀) N·s/m
//! ([`touchback_core::mech::felt`]). With the inverse masses w of the contacts the largest decay rate is
//! Σ F (λ + η/v₀) w, 1/s. The classical Runge–Kutta method is stable while rate · substep < 2.785.

use crate::STEP;
use crate::interface::numbers::SpecError;
use touchback_core::mech::felt::Felt;

/// Largest decay rate times substep: below 2 the numerical decay is monotonic.
const MAX_DAMPING: f64 = 2.0;

/// Largest natural frequency of a contact times substep, rad.
const MAX_FREQUENCY: f64 = 1.0;

/// Largest number of substeps: enough for forces beyond those of any hand.
const MAX_SUBSTEPS: u32 = 256;

/// Force at which every contact of an action must be stable with [`MAX_SUBSTEPS`], N: twice that of a hard
/// blow.
const MAX_FORCE: f64 = 100.0;

/// A contact and its compression.
#[derive(Clone, Copy, Debug)]
pub struct Pressed<'a> {
    /// Contact law.
    pub felt: &'a Felt,
    /// Compression, m; negative is a gap.
    pub compression: f64,
    /// Inverse of the moved mass, 1/kg.
    pub mobility: f64,
}

/// Number of substeps, `least` times a power of two, with which all of `contacts` are stable.
#[must_use]
pub fn count(least: u32, contacts: &[Pressed<'_>]) -> u32 {
    let (mut damping, mut frequency_squared) = (0.0, 0.0);
    for contact in contacts {
        if contact.compression > 0.0 {
            damping += contact.felt.reversal_damping(contact.compression) * contact.mobility;
            frequency_squared += contact.felt.tangent(contact.compression) * contact.mobility;
        }
    }
    let frequency = frequency_squared.sqrt();
    let needed = (damping * STEP / MAX_DAMPING).max(frequency * STEP / MAX_FREQUENCY);
    let mut substeps = least.max(1);
    while substeps < MAX_SUBSTEPS && needed > f64::from(substeps) {
        substeps *= 2;
    }
    substeps
}

/// Checks that each of the contacts, given by name, law and inverse moved mass, 1/kg, is stable up to
/// `MAX_FORCE`.
///
/// # Errors
/// Names the first unstable contact.
pub fn check(contacts: &[(&'static str, &Felt, f64)]) -> Result<(), SpecError> {
    let most = f64::from(MAX_SUBSTEPS);
    for &(name, felt, mobility) in contacts {
        let pressed = felt.compression(MAX_FORCE);
        let damping = felt.reversal_damping(pressed) * mobility * STEP / most;
        let frequency = (felt.tangent(pressed) * mobility).sqrt() * STEP / most;
        // False for NaN too.
        let is_stable = damping <= MAX_DAMPING && frequency <= MAX_FREQUENCY;
        if !is_stable {
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

/// Number of substeps, a power of two, while a mass of `mass` kg that moves at `speed` m/s compresses `felt`
/// by `depth` m: at most 0.2 rad of the natural frequency at the largest compression in a substep.
#[must_use]
pub fn contact_substeps(felt: &Felt, mass: f64, depth: f64, speed: f64) -> u32 {
    if depth < 0.0 || (depth == 0.0 && speed <= 0.0) {
        return 1;
    }
    let energy = 0.5 * mass * speed * speed + felt.energy(depth);
    let p = felt.exponent + 1.0;
    let largest_compression = libm::pow(p * energy / felt.stiffness, 1.0 / p);
    let frequency = (felt.tangent(largest_compression) / mass).sqrt();
    let mut substeps = 1;
    while substeps < 32 && frequency * STEP > 0.2 * f64::from(substeps) {
        substeps *= 2;
    }
    substeps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Speed, m/s, of 20 g on a felt after 2.5 s under a constant force, with substeps or without.
    fn final_speed(force: f64, with_substeps: bool) -> f64 {
        let felt = Felt { hysteresis: 0.7, ..Felt::new(1.2e6, 1.5, 0.6) };
        let mass = 0.02;
        let mut x = [0.0, 0.0];
        let slope = |_: f64, x: &[f64; 2]| [x[1], (force - felt.contact(x[0], x[1]).force) / mass];
        for _ in 0..20_000 {
            let pressed = Pressed { felt: &felt, compression: x[0], mobility: 1.0 / mass };
            let count = if with_substeps { count(1, &[pressed]) } else { 1 };
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
    fn a_pressed_part_comes_to_rest_with_substeps_only() {
        for force in [5.0, 50.0, 200.0, 1000.0] {
            assert!(final_speed(force, true) < 1e-6, "{force}");
        }
        assert!(final_speed(200.0, false) > 1e-3);
    }

    #[test]
    fn a_part_too_light_for_its_felt_is_refused() {
        let felt = Felt { hysteresis: 0.7, ..Felt::new(1.2e6, 1.5, 0.6) };
        assert!(check(&[("bed", &felt, 1.0 / 0.02)]).is_ok());
        assert!(check(&[("bed", &felt, 1e5)]).unwrap_err().to_string().starts_with("bed = "));
        assert!(check(&[("bed", &felt.stiffened(1e9), 100.0)]).is_err());
    }
}
