//! What a controller's stored settings must be before a bridge gives force, as data.

use std::fmt::Write as _;

use super::{BridgeError, FORCE_MOST};

/// Largest damping that a controller is asked for, N·s/m: the junction's largest.
pub const DAMPING: f64 = 25.0;
/// Speed of the front from which a controller must reduce its force, m/s: a hard blow moves a key at 1 m/s.
pub const SPEED: f64 = 1.0;
/// Depths that the position bounds must contain, and between which they must lie, m: beyond them a controller must end
/// its force by itself.
pub const INNER: [f64; 2] = [-1e-3, 11e-3];
/// See [`INNER`].
pub const OUTER: [f64; 2] = [-4e-3, 15e-3];

/// What a user asks of every controller.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Demand {
    /// Largest force that the stored settings may allow, N at the front.
    pub force: f64,
    /// Distance from the motor's axle to the key's front, m.
    pub lever: f64,
}

impl Demand {
    /// The demand of a user.
    ///
    /// # Errors
    /// A lever or force that no key has.
    pub fn new(lever: f64, force: f64) -> Result<Self, String> {
        if !(0.01..=0.5).contains(&lever) {
            return Err(format!("a lever of {} mm: between 10 and 500 mm", lever * 1e3));
        }
        if !(0.5..=FORCE_MOST).contains(&force) {
            return Err(format!("a largest force of {force} N: between 0.5 and {FORCE_MOST} N"));
        }
        Ok(Self { force, lever })
    }

    /// Way of the front per turn of the motor, m.
    #[must_use]
    pub fn turn(&self) -> f64 {
        std::f64::consts::TAU * self.lever
    }

    /// Damping in N·m per turn a second, of `damping`, N·s/m at the front.
    #[must_use]
    pub fn gain(&self, damping: f64) -> f64 {
        damping * self.lever * self.turn()
    }
}

/// One required setting of a controller.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Requirement {
    /// Name of the setting.
    pub name: &'static str,
    /// Least and greatest value; not a number where the setting must be unset.
    pub range: [f64; 2],
    /// The value that the printed command sets.
    pub set: f64,
    /// What it is for.
    pub why: &'static str,
}

impl Requirement {
    /// A setting that must have the value `set`.
    #[must_use]
    pub const fn exactly(name: &'static str, set: f64, why: &'static str) -> Self {
        Self { name, range: [set, set], set, why }
    }

    /// A setting in `range`, which the printed command sets to `set`.
    #[must_use]
    pub const fn within(name: &'static str, range: [f64; 2], set: f64, why: &'static str) -> Self {
        Self { name, range, set, why }
    }

    fn is_met(&self, value: f64) -> bool {
        let [least, most] = self.range;
        // Settings are stored in single precision and printed with four digits.
        let slack = 1e-3 * least.abs().max(most.abs());
        (least - slack..=most + slack).contains(&value) || (least.is_nan() && value.is_nan())
    }

    fn text(&self) -> String {
        match self.range {
            [least, _] if least.is_nan() => "nan".into(),
            [least, most] if least == most => short(least),
            [least, most] => format!("{} to {}", short(least), short(most)),
        }
    }
}

/// A number with four digits, as a controller reads it.
#[must_use]
pub fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string().to_lowercase();
    }
    let digits = 3.0 - libm::floor(libm::log10(value.abs()));
    let text = format!("{:.*}", touchback_core::math::cast::floor_index(digits), value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

/// Compares the settings of the controller `id`, read by `read`, with `requirements`. Returns the values in their order.
///
/// # Errors
/// A setting that cannot be read, or settings that are not as required: one line for each, and the commands that set
/// them, written by `command`, with those of `save` at the end.
pub fn check(
    id: u8,
    requirements: &[Requirement],
    mut read: impl FnMut(&str) -> Result<f64, BridgeError>,
    command: impl Fn(&Requirement) -> String,
    save: &str,
) -> Result<Vec<f64>, BridgeError> {
    let values: Result<Vec<f64>, _> = requirements.iter().map(|r| read(r.name)).collect();
    let values = values?;
    let (mut text, mut commands) = (String::new(), String::new());
    for (requirement, value) in requirements.iter().zip(&values) {
        if !requirement.is_met(*value) {
            let Requirement { name, why, .. } = requirement;
            // Writing to a `String` cannot fail.
            let _ =
                write!(text, "\n  {name} is {}, not {}: {why}", short(*value), requirement.text());
            let _ = write!(commands, "\n  {}", command(requirement));
        }
    }
    if text.is_empty() {
        return Ok(values);
    }
    Err(BridgeError::Unsafe(format!(
        "controller {id} is not set for a key, no force:{text}\nSet it with\n{}\n  {save}",
        commands.trim_start_matches('\n')
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        for (value, text) in [
            (0.0, "0"),
            (25.0, "25"),
            (0.012_345_6, "0.01235"),
            (123_456.0, "123456"),
            (-3.5, "-3.5"),
            (f64::NAN, "nan"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn a_setting_that_is_not_as_required_is_named_with_its_command() {
        let requirements = [
            Requirement::within("a", [1.0, 2.0], 1.5, "one"),
            Requirement::exactly("b", f64::NAN, "two"),
            Requirement::exactly("c", 15.0, "three"),
        ];
        let run = |values: [f64; 3]| {
            let mut values = values.into_iter();
            let command = |r: &Requirement| format!("set {} {}", r.name, short(r.set));
            check(7, &requirements, |_| Ok(values.next().unwrap()), command, "write")
        };
        let right = [0.999_5, f64::NAN, 15.0];
        assert_eq!(run(right).unwrap()[2], 15.0);
        for (wrong, named) in [
            ([0.9, f64::NAN, 15.0], "set a 1.5\n  write"),
            ([f64::NAN, f64::NAN, 15.0], "a is nan, not 1 to 2: one"),
            ([1.0, 3.0, 15.0], "b is 3, not nan: two"),
            ([1.0, f64::NAN, 12.0], "set c 15\n  write"),
        ] {
            let error = run(wrong).unwrap_err().to_string();
            assert!(error.contains(named) && error.starts_with("controller 7"), "{error}");
        }
    }
}
