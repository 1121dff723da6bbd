//! Checks of the values of a model.

use touchback_core::mech::felt::Felt;

/// Why the values of a model were rejected.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// A value is outside its valid range.
    #[error("{name} = {value} must be {must}")]
    Value {
        /// Name of the field.
        name: &'static str,
        /// Value of the field.
        value: f64,
        /// Requirement, as a continuation of *must be*.
        must: &'static str,
    },
}

/// Checks that the numbers `positive` are finite and above zero and that the felts are valid.
///
/// # Errors
/// The first invalid value.
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
        let is_valid = felt.stiffness.is_finite()
            && felt.stiffness > 0.0
            && (1.0..=6.0).contains(&felt.exponent)
            && felt.damping.is_finite()
            && felt.damping >= 0.0
            && (0.0..1.0).contains(&felt.hysteresis)
            && felt.reversal_speed.is_finite()
            && felt.reversal_speed > 0.0
            && felt.reversal_growth.is_finite()
            && felt.reversal_growth >= 0.0;
        if !is_valid {
            let must = "a felt with stiffness and reversal speed > 0, damping and reversal growth ≥ 0, \
                        exponent 1…6, hysteresis 0…1";
            return Err(SpecError::Value { name, value: felt.stiffness, must });
        }
    }
    Ok(())
}
