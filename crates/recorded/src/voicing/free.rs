//! Free parameters of a fit: numeric parameters of the whole piano, the felt of each register, the
//! perspective.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};

use crate::verdict::registers;
use touchback_action::interface::key_sheet::QUANTITIES;
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::Settings;
use touchback_instrument::host::params::{self, Parameter, ValueKind};

/// Parameter that is fitted separately in every register.
const FELT: &str = "hammer_hardness";

/// The one choice parameter that recordings can determine.
const PERSPECTIVE: &str = "perspective";

/// The parameters named by `--free`.
pub struct Free {
    /// Numeric parameters of the whole piano.
    pub numbers: Vec<&'static Parameter>,
    /// The felt's parameter, if free.
    pub felt: Option<&'static Parameter>,
    /// The perspective's parameter, if free.
    pub perspective: Option<&'static Parameter>,
}

/// Parses the parameters `ids`.
///
/// # Errors
/// Unknown ids, an id twice, a choice that is not the perspective.
pub fn free(ids: &[String]) -> Result<Free> {
    if ids.iter().map(|id| id.trim()).eq(["none"]) {
        return Ok(Free { numbers: Vec::new(), felt: None, perspective: None });
    }
    let mut seen = BTreeSet::new();
    let mut free = Free { numbers: Vec::new(), felt: None, perspective: None };
    for id in ids {
        let parameter = params::find(id.trim()).context("--free")?;
        if !seen.insert(parameter.id) {
            bail!("--free {id}: name every parameter once");
        }
        match (&parameter.kind, parameter.id) {
            (ValueKind::Number { .. }, FELT) => free.felt = Some(parameter),
            (ValueKind::Number { .. }, _) => free.numbers.push(parameter),
            (_, PERSPECTIVE) => free.perspective = Some(parameter),
            _ => bail!("--free {id}: is a choice, and only numbers and the perspective are fitted"),
        }
    }
    Ok(free)
}

impl Free {
    /// Whether no parameter is free.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty() && self.felt.is_none() && self.perspective.is_none()
    }
}

/// One variable of the fit, from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub enum Variable {
    /// A parameter of the whole piano.
    Number(&'static Parameter),
    /// The felt's parameter in the middle of a register: parameter, name of the register, middle key.
    Felt(&'static Parameter, &'static str, f64),
}

impl Variable {
    /// The variables of `free` for `keys`; felt only in the registers of these keys.
    pub fn all(free: &Free, keys: &[u8]) -> Vec<Self> {
        let registers = registers().filter_map(|(name, numbers)| {
            let middle = 0.5 * (f64::from(*numbers.start()) + f64::from(*numbers.end()));
            keys.iter().any(|key| numbers.contains(key)).then_some((name, middle))
        });
        let felt = registers
            .filter_map(|(name, middle)| Some(Self::Felt(free.felt?, name, middle)))
            .collect::<Vec<_>>();
        free.numbers.iter().map(|p| Self::Number(p)).chain(felt).collect()
    }

    /// The parameter.
    pub const fn parameter(&self) -> &'static Parameter {
        match self {
            Self::Number(parameter) | Self::Felt(parameter, ..) => parameter,
        }
    }

    /// The value in `settings`.
    pub fn value(&self, settings: &Settings) -> f64 {
        let value = self.parameter().get(settings);
        let index = QUANTITIES.iter().position(|q| q.id == FELT);
        match (self, index) {
            (Self::Felt(_, _, middle), Some(index)) => {
                let key =
                    KeyNumber::from_index(touchback_core::math::cast::floor_index(middle - 1.0));
                value + key.map_or(0.0, |key| settings.action.keys.get(key, index))
            }
            _ => value,
        }
    }

    /// The name to print.
    pub fn name(&self) -> String {
        match self {
            Self::Number(parameter) => parameter.id.into(),
            Self::Felt(parameter, register, _) => format!("{} {register}", parameter.id),
        }
    }
}

/// `start` with `variables` at `positions`. The felt's parameter becomes the mean of the registers; the keys'
/// offsets from the mean, linear between registers, go into the key sheet.
pub fn settings(start: &Settings, variables: &[Variable], positions: &[f64]) -> Settings {
    let mut settings = start.clone();
    let mut felt: Vec<(f64, f64)> = Vec::new();
    let mut of_felt = None;
    for (variable, position) in variables.iter().zip(positions) {
        let value = variable.parameter().plain(*position);
        match variable {
            Variable::Number(parameter) => parameter.set(&mut settings, value),
            Variable::Felt(parameter, _, middle) => {
                felt.push((*middle, value));
                of_felt = Some(*parameter);
            }
        }
    }
    let index = QUANTITIES.iter().position(|q| q.id == FELT);
    if let (Some(parameter), Some(index)) = (of_felt, index) {
        let mean = felt.iter().map(|(_, value)| value).sum::<f64>() / felt.len() as f64;
        parameter.set(&mut settings, mean);
        for key in KeyNumber::all() {
            let own = start.action.keys.get(key, index);
            let differs = between(&felt, f64::from(key.number())) - mean;
            settings.action.keys.set(key, index, own + differs);
        }
    }
    settings
}

/// Linear interpolation of `points` at `x`, constant beyond them.
fn between(points: &[(f64, f64)], x: f64) -> f64 {
    let inside = points.windows(2).find(|w| x >= w[0].0 && x <= w[1].0);
    match (inside, points.first(), points.last()) {
        (Some(w), ..) => w[0].1 + (x - w[0].0) / (w[1].0 - w[0].0) * (w[1].1 - w[0].1),
        (None, Some(first), _) if x < first.0 => first.1,
        (None, _, Some(last)) => last.1,
        (None, _, None) => 0.0,
    }
}
