//! Checks that the values of a model file are physically possible.
//!
//! The ranges depend on a field's name and hold for every action; each action has a further check of its
//! own.

use anyhow::{Result, bail};
use toml::{Table, Value};

/// Ranges by field name: least and largest value, SI units. The first entry that the field's name ends
/// with applies.
const RULES: [(&str, f64, f64); 18] = [
    ("mass", 0.0, 100.0),
    ("inertia", 0.0, 100.0),
    ("friction", 0.0, 10.0),
    ("hysteresis", 0.0, 0.999),
    ("reversal_speed", 1e-6, 1e3),
    ("reversal_growth", 0.0, 1e3),
    ("exponent", 1.0, 6.0),
    ("damping", 0.0, 1e6),
    ("stiffness", 0.0, 1e15),
    ("spring_rate", 0.0, 1e6),
    ("arm", 0.0, 10.0),
    ("clear", 0.0, 10.0),
    ("dip", 0.0, 10.0),
    ("travel", 0.0, 10.0),
    ("b1", 0.0, 1e6),
    ("b2", 0.0, 1e6),
    ("coupling", 0.0, 1e9),
    ("parts", 0.0, 1e6),
];

/// Fields that are stiffnesses of metal or wood, N/m.
const SPRINGS: [&str; 4] = ["k1", "k2", "plectrum", "string"];

/// Largest magnitude of any other field: length, m, angle, rad, torque, N·m, or force, N.
const LARGEST: f64 = 1000.0;

/// Checks every number of `model`.
///
/// # Errors
/// Names the first value out of range, and the range.
pub fn check(model: &Table) -> Result<()> {
    table(model, "")
}

fn table(model: &Table, path: &str) -> Result<()> {
    for (name, value) in model {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        field(value, name, &path)?;
    }
    let number = |table: &Table, name: &str| table.get(name).and_then(Value::as_float);
    // Parallel axis theorem: I ≥ m·(x² + y²) about a point at (x, y) from the centre of mass.
    let centre = model.get("centre").and_then(Value::as_table);
    if let (Some(mass), Some(inertia), Some(centre)) =
        (number(model, "mass"), number(model, "inertia"), centre)
    {
        let [x, y] = ["x", "y"].map(|axis| number(centre, axis).unwrap_or(0.0));
        let least = mass * (x * x + y * y);
        if inertia < least {
            bail!(
                "{path}.inertia = {inertia} must be at least {least}: its mass times the square \
                 of its centre's distance"
            );
        }
    }
    Ok(())
}

/// Calls `each` with every real number of `model`, in the table's order.
pub fn each_number(model: &mut Table, each: &mut impl FnMut(&mut f64)) {
    fn numbers(value: &mut Value, each: &mut impl FnMut(&mut f64)) {
        match value {
            Value::Table(inner) => each_number(inner, each),
            Value::Array(list) => list.iter_mut().for_each(|v| numbers(v, each)),
            Value::Float(number) => each(number),
            _ => {}
        }
    }
    model.iter_mut().for_each(|(_, value)| numbers(value, each));
}

fn field(value: &Value, name: &str, path: &str) -> Result<()> {
    match value {
        Value::Table(inner) => table(inner, path),
        Value::Array(list) => list.iter().try_for_each(|value| field(value, name, path)),
        Value::Float(number) => bounded(*number, name, path),
        _ => Ok(()),
    }
}

fn bounded(value: f64, name: &str, path: &str) -> Result<()> {
    let rule = RULES.iter().find(|(end, ..)| name.ends_with(end));
    let (least, most) = match rule {
        Some((_, least, most)) => (*least, *most),
        None if SPRINGS.contains(&name) => (0.0, 1e9),
        None => (-LARGEST, LARGEST),
    };
    if !(least..=most).contains(&value) {
        bail!("{path} = {value} must be a number from {least} to {most:e}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::plants;
    use touchback_action::ActionSettings;
    use touchback_action::interface::kind::NAMES;
    use touchback_core::math::compass::KeyNumber;

    fn exported(name: &str, key: KeyNumber) -> Table {
        let model = plants::model(name, key, &ActionSettings::default()).unwrap();
        Table::try_from(model).unwrap()
    }

    #[test]
    fn the_standard_models_pass() {
        for name in NAMES {
            for key in KeyNumber::all() {
                check(&exported(name, key)).unwrap_or_else(|e| panic!("{name}, {key:?}: {e}"));
            }
        }
    }

    /// NaN, infinities and 1e300 are refused in every field of every action.
    #[test]
    fn every_field_is_checked() {
        for name in NAMES {
            let good = exported(name, KeyNumber::from_midi(60).unwrap());
            let mut count = 0;
            each_number(&mut good.clone(), &mut |_| count += 1);
            assert!(count >= 6, "{name}");
            for index in 0..count {
                for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
                    let (mut model, mut at) = (good.clone(), 0);
                    each_number(&mut model, &mut |number| {
                        if at == index {
                            *number = bad;
                        }
                        at += 1;
                    });
                    assert!(check(&model).is_err(), "{name}: number {index} at {bad}");
                }
            }
        }
    }

    #[test]
    fn impossible_values_are_refused_by_name() {
        for (table, name, value) in [
            ("hammer", "mass", -0.012),
            ("wippen", "mass", -0.009),
            ("key", "friction", -0.01),
            ("key", "capstan_friction", -0.1),
            ("jack", "button_friction", -0.1),
            ("lever", "spring_rate", -0.03),
            ("lever", "damping", -1e-5),
            ("damper", "damping", -0.4),
            ("damper", "arm", -0.2),
            ("hammer", "inertia", 1e-5),
        ] {
            let mut model = exported("grand", KeyNumber::from_midi(60).unwrap());
            model["model"][table][name] = value.into();
            let error = check(&model).unwrap_err().to_string();
            assert!(error.starts_with(&format!("model.{table}.{name} = {value} must")), "{error}");
        }
    }
}
