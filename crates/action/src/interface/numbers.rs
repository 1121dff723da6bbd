//! Which numbers of a model can be used.

use touchback_core::mech::felt::Felt;

/// Why a model cannot be used: nothing but positive, finite numbers where physics needs them.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum SpecError {
    /// A value is outside what the model can take.
    #[error("{name} = {value} must be {must}")]
    Value {
        /// Field.
        name: &'static str,
        /// What it was.
        value: f64,
        /// What it must be.
        must: &'static str,
    },
}

/// Checks a model's numbers: `positive` ones, and felts.
///
/// # Errors
/// The first that cannot be used.
pub fn check(
    positive: &[(&'static str, f64)],
    felts: &[(&'static str, &Felt)],
) -> Result<(), SpecError> {
    for &(name, value) in positive {
        if !(value.is_finite() && value > 0.0) {
            return Err(SpecError::Value { name, value, must: "finite and above zero" });
        }
    }
    for &(name, felt) in felts {
        let sound = felt.stiffness.is_finite()
            && felt.stiffness > 0.0
            && (1.0..=6.0).contains(&felt.exponent)
            && felt.damping.is_finite()
            && felt.damping >= 0.0
            && (0.0..1.0).contains(&felt.hysteresis);
        if !sound {
            let must = "a felt with stiffness > 0, damping ≥ 0, exponent 1…6, hysteresis 0…1";
            return Err(SpecError::Value { name, value: felt.stiffness, must });
        }
    }
    Ok(())
}
