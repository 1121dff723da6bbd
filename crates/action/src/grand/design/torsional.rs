//! Torsional felts in model files: without a reversal speed they have that of a torsional stop.

use serde::{Deserialize, Deserializer};
use touchback_core::mech::felt::{ANGULAR_REVERSAL_SPEED, Felt};

/// The numbers of a torsional felt in a file.
#[derive(Deserialize)]
struct Numbers {
    stiffness: f64,
    exponent: f64,
    damping: f64,
    #[serde(default)]
    hysteresis: f64,
    reversal_speed: Option<f64>,
    #[serde(default)]
    reversal_growth: f64,
}

/// Reads a torsional felt; older model files have no reversal speed.
pub(crate) fn torsional<'de, D: Deserializer<'de>>(file: D) -> Result<Felt, D::Error> {
    let numbers = Numbers::deserialize(file)?;
    Ok(Felt {
        stiffness: numbers.stiffness,
        exponent: numbers.exponent,
        damping: numbers.damping,
        hysteresis: numbers.hysteresis,
        reversal_speed: numbers.reversal_speed.unwrap_or(ANGULAR_REVERSAL_SPEED),
        reversal_growth: numbers.reversal_growth,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_reversal_speed_has_that_of_a_torsional_stop() {
        let old = r#"{"stiffness": 50.0, "exponent": 1.0, "damping": 0.0, "hysteresis": 0.9}"#;
        let felt = torsional(&mut serde_json::Deserializer::from_str(old)).unwrap();
        assert_eq!((felt.hysteresis, felt.reversal_speed), (0.9, ANGULAR_REVERSAL_SPEED));
        let new = r#"{"stiffness": 50.0, "exponent": 1.0, "damping": 0.0, "reversal_speed": 0.5}"#;
        let felt = torsional(&mut serde_json::Deserializer::from_str(new)).unwrap();
        assert_eq!((felt.hysteresis, felt.reversal_speed), (0.0, 0.5));
    }
}
