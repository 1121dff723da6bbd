//! The fit: applies the measured forces, compares depths, and varies parameters as shares of their start
//! values (Levenberg–Marquardt).

mod confidence;

use std::sync::{Arc, Mutex};

use anyhow::{Context, Error, Result, bail};
use indicatif::ProgressBar;
use nalgebra::DMatrix;
use rmpfit::{MPConfig, MPError, MPFitter, MPPar, MPResult, MPSide, MPSuccess};

use super::data::MeasuredPress;
use crate::gesture::{Channel, Gesture, KeyView};
use crate::model::named::NamedModel;
use crate::parallel;
use confidence::confidence;
use touchback_action::grand::design::concert::Built;
use touchback_action::grand::design::regulation::Regulated;
use touchback_action::grand::key::rest;
use touchback_action::grand::{GrandKey, GrandState};
use touchback_action::interface::mechanism::Parameter;
use touchback_action::{Key, Mechanism as _, STEP};
use touchback_core::exchange::lock::lock;
use touchback_core::math::compass::KeyNumber;
use touchback_mechanism::Description;
use touchback_models::catalogue::Model;

/// Unit of deviations, m; scales only the sum of squares.
const UNIT: f64 = 1e-4;

/// Deviation that stands for parameters that cannot be a key's, in units of [`UNIT`].
const IMPOSSIBLE: f64 = 1e3;

/// Relative step of the numerical derivatives, larger than the effect of shifting events (chosen).
const DERIVATIVE_STEP: f64 = 2e-3;

/// Least and largest fitted value as a share of the start value.
const SHARES: [f64; 2] = [0.02, 50.0];

/// Most iterations.
const ITERATIONS: usize = 60;

/// One fitted parameter.
#[derive(Clone, Debug)]
pub struct FoundNumber {
    /// Name in the model.
    pub name: String,
    /// Start value.
    pub start: f64,
    /// Fitted value.
    pub value: f64,
    /// Half the 95 % confidence interval.
    pub half: f64,
}

/// Two parameters and their correlation, −1…1.
pub type Alike = (String, String, f64);

/// The result of a fit.
#[derive(Clone, Debug)]
pub struct Found {
    /// The fitted parameters.
    pub numbers: Vec<FoundNumber>,
    /// The model with the fitted parameters, at rest; none for a mechanism from a file.
    pub model: Option<Model>,
    /// Depths of the fitted key at the samples of each press, m.
    pub depths: Vec<Vec<f64>>,
    /// Root mean square of the deviations before and after the fit, m.
    pub rms: [f64; 2],
    /// The two most correlated parameters, and their correlation.
    pub alike: Option<Alike>,
    /// Whether the optimizer met its convergence criterion.
    pub converged: bool,
}

/// A key of `model` in its own equilibrium.
pub fn at_rest(model: Model) -> Box<dyn Key> {
    match model {
        Model::Grand { start: [key, hammer, lever, _], model, .. } => {
            let regulated = Regulated { rest: [key, hammer, lever], ..Regulated::default() };
            Box::new(GrandKey::built(Built { spec: *model, regulated }))
        }
        other => other.start(),
    }
}

/// Depths from rest, m, of a key of `model` under the force of `press`, at the samples of `press`.
///
/// # Errors
/// A press without samples.
pub fn played(model: &Model, press: &MeasuredPress) -> Result<Vec<f64>> {
    moved(at_rest(model.clone()), press)
}

/// Depths from rest, m, of `key` under the force of `press`, at the samples of `press`.
fn moved(mut key: Box<dyn Key>, press: &MeasuredPress) -> Result<Vec<f64>> {
    let mut gesture = Gesture::of_curve(Channel::ForceN, press.curve()?);
    let rest = key.front()[0];
    let (mut before, mut step) = (0.0, 0);
    let mut depths = Vec::with_capacity(press.times.len());
    let mut now = 0.0;
    for t in &press.times {
        while (step as f64) * STEP < *t {
            before = now;
            key.step(gesture.drive(step, KeyView::of(&*key)), &mut |_, _| {});
            now = key.front()[0] - rest;
            step += 1;
        }
        let share = 1.0 - ((step as f64) * STEP - t) / STEP;
        depths.push(before + share * (now - before));
    }
    Ok(depths)
}

/// Depths of every press, m, for parameters as shares of their start values: [`depths_at`] of each.
pub type Elsewhere<'a> = &'a (dyn Fn(&[f64]) -> Result<Vec<Vec<f64>>> + Sync);

/// What a fit begins with.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A model of the catalogue.
    Model(NamedModel),
    /// A key of a mechanism from a file, with a value for each of its parameters.
    Mechanism(Arc<Description>, KeyNumber, Vec<f64>),
}

impl Origin {
    /// The value of the parameter `name`.
    fn get(&self, name: &str) -> Result<f64> {
        match self {
            Self::Model(named) => named.get(name),
            Self::Mechanism(file, _, values) => Ok(values[own(file, name)?]),
        }
    }

    /// The key at rest with the parameters `names` at `shares` of their `start`.
    fn key(&self, names: &[String], start: &[f64], shares: &[f64]) -> Result<Box<dyn Key>> {
        let Self::Mechanism(file, key, values) = self else {
            return Ok(at_rest(self.model(names, start, shares)?));
        };
        let mut values = values.clone();
        for ((name, start), share) in names.iter().zip(start).zip(shares) {
            let index = own(file, name)?;
            let Parameter { min, max, unit, .. } = &file.parameters()[index];
            values[index] = start * share;
            if !(*min..=*max).contains(&values[index]) {
                bail!("{name} = {}: {min} to {max} {unit}", values[index]);
            }
        }
        file.key(*key, &values).map_err(Error::msg)
    }

    /// The model with the parameters `names` at `shares` of their `start`.
    fn model(&self, names: &[String], start: &[f64], shares: &[f64]) -> Result<Model> {
        match self {
            Self::Model(named) => shared(named.clone(), names, start, shares),
            Self::Mechanism(..) => bail!("a mechanism from a file is no model of the catalogue"),
        }
    }
}

/// Index of the parameter `name` of `file`.
fn own(file: &Description, name: &str) -> Result<usize> {
    let ids = || file.parameters().iter().map(|parameter| parameter.id.as_str());
    ids().position(|id| id == name).with_context(|| {
        let all = ids().collect::<Vec<_>>().join(", ");
        format!("{name}: the mechanism has no such parameter; it has {all}")
    })
}

/// The presses, the model, and its free parameters as shares of their start values.
struct Problem<'a> {
    origin: Origin,
    names: Vec<String>,
    start: Vec<f64>,
    presses: Vec<MeasuredPress>,
    limits: Vec<MPPar>,
    config: MPConfig,
    bar: ProgressBar,
    /// Computes the depths in place of this process.
    elsewhere: Option<Elsewhere<'a>>,
}

/// `named` with the parameters `names` at `shares` of their `start`.
fn shared(mut named: NamedModel, names: &[String], start: &[f64], shares: &[f64]) -> Result<Model> {
    for ((name, start), share) in names.iter().zip(start).zip(shares) {
        named.set(name, start * share)?;
    }
    named.model()
}

/// Depths, m, at the samples of `press` of `model` with the parameters `names` at `shares` of its values.
///
/// # Errors
/// A parameter that the model does not have or that cannot be a key's; a press without samples.
pub fn depths_at(
    model: &Model,
    names: &[String],
    shares: &[f64],
    press: &MeasuredPress,
) -> Result<Vec<f64>> {
    let named = NamedModel::of(model)?;
    let start = names.iter().map(|name| named.get(name)).collect::<Result<Vec<_>>>()?;
    played(&shared(named, names, &start, shares)?, press)
}

impl Problem<'_> {
    /// Depths of every press, on all cores.
    fn depths(&self, shares: &[f64]) -> Result<Vec<Vec<f64>>> {
        if let Some(elsewhere) = self.elsewhere {
            return elsewhere(shares);
        }
        let key = Mutex::new(self.origin.key(&self.names, &self.start, shares)?);
        let depths = |press: &MeasuredPress| {
            let own = lock(&key).duplicate();
            moved(own, press)
        };
        parallel::map(&self.presses, depths).into_iter().collect()
    }

    /// Deviations of fitted from measured depths, in [`UNIT`], press by press.
    fn deviations(&self, shares: &[f64]) -> Result<Vec<Vec<f64>>> {
        let deviations = |(press, depths): (&MeasuredPress, Vec<f64>)| {
            depths.iter().zip(&press.depth).map(|(a, b)| (a - b) / UNIT).collect()
        };
        Ok(self.presses.iter().zip(self.depths(shares)?).map(deviations).collect())
    }

    /// Derivatives of the deviations, one column per parameter, by central differences.
    fn slopes(&self, shares: &[f64]) -> Result<Vec<DMatrix<f64>>> {
        let mut columns = Vec::new();
        for i in 0..shares.len() {
            let sides = [DERIVATIVE_STEP, -DERIVATIVE_STEP].map(|moved| {
                let mut other = shares.to_vec();
                other[i] *= 1.0 + moved;
                self.deviations(&other)
            });
            columns.push(sides);
        }
        let mut slopes = Vec::new();
        for (p, press) in self.presses.iter().enumerate() {
            let mut matrix = DMatrix::zeros(press.times.len(), shares.len());
            for (column, sides) in columns.iter().enumerate() {
                let [Ok(above), Ok(below)] = sides else { bail!("a number stands at its limit") };
                for (row, (a, b)) in above[p].iter().zip(&below[p]).enumerate() {
                    matrix[(row, column)] = (a - b) / (2.0 * DERIVATIVE_STEP * shares[column]);
                }
            }
            slopes.push(matrix);
        }
        Ok(slopes)
    }
}

impl MPFitter for Problem<'_> {
    fn eval(&mut self, params: &[f64], deviates: &mut [f64]) -> MPResult<()> {
        self.bar.inc(1);
        match self.deviations(params) {
            Ok(found) => {
                for (deviate, d) in deviates.iter_mut().zip(found.iter().flatten()) {
                    *deviate =
                        if d.is_finite() { d.clamp(-IMPOSSIBLE, IMPOSSIBLE) } else { IMPOSSIBLE };
                }
            }
            Err(_) => deviates.fill(IMPOSSIBLE),
        }
        Ok(())
    }

    fn number_of_points(&self) -> usize {
        self.presses.iter().map(|p| p.times.len()).sum()
    }

    fn config(&self) -> &MPConfig {
        &self.config
    }

    fn parameters(&self) -> &[MPPar] {
        &self.limits
    }
}

/// Fits the parameters `names` of `model` to `presses`, which `elsewhere` simulates, or all cores.
///
/// # Errors
/// A parameter that the model does not have or that is 0; an optimizer that cannot start.
pub fn fit(
    model: &Model,
    names: &[String],
    presses: Vec<MeasuredPress>,
    bar: &ProgressBar,
    elsewhere: Option<Elsewhere>,
) -> Result<Found> {
    fit_from(Origin::Model(NamedModel::of(model)?), names, presses, bar, elsewhere)
}

/// As [`fit`], beginning with `origin`.
///
/// # Errors
/// As [`fit`].
pub fn fit_from(
    origin: Origin,
    names: &[String],
    presses: Vec<MeasuredPress>,
    bar: &ProgressBar,
    elsewhere: Option<Elsewhere>,
) -> Result<Found> {
    let mut start = Vec::new();
    for name in names {
        let value = origin.get(name)?;
        if value == 0.0 {
            bail!(
                "--free {name}: is 0 in the model, and a fit goes by shares of its start; give it a value"
            );
        }
        start.push(value);
    }
    let limit = || MPPar {
        limited_low: true,
        limited_up: true,
        limit_low: SHARES[0],
        limit_up: SHARES[1],
        rel_step: DERIVATIVE_STEP,
        side: MPSide::Both,
        ..MPPar::new()
    };
    let config = MPConfig { ftol: 1e-6, xtol: 1e-6, max_iter: ITERATIONS, ..MPConfig::new() };
    let limits = names.iter().map(|_| limit()).collect();
    let (names, bar) = (names.to_vec(), bar.clone());
    let mut problem = Problem { origin, names, start, presses, limits, config, bar, elsewhere };
    let mut shares = vec![1.0; problem.names.len()];
    problem.deviations(&shares).context("the model that the fit begins with")?;
    let status = problem.mpfit(&mut shares).map_err(|e| unfit(&e))?;
    let count = problem.number_of_points() as f64;
    let rms = [status.orig_norm, status.best_norm].map(|norm| UNIT * (norm / count).sqrt());
    let converged = status.success != MPSuccess::MaxIter && status.success != MPSuccess::NotDone;
    let (halves, alike) = confidence(&problem, &shares)?;
    let numbers = problem.names.iter().zip(&problem.start).zip(&shares).zip(halves);
    let numbers = numbers.map(|(((name, start), share), half)| FoundNumber {
        name: name.clone(),
        start: *start,
        value: start * share,
        half: half * start.abs(),
    });
    Ok(Found {
        numbers: numbers.collect(),
        model: problem.origin.model(&problem.names, &problem.start, &shares).ok().map(settled),
        depths: problem.depths(&shares)?,
        rms,
        alike,
        converged,
    })
}

/// `model` with its present equilibrium as the start position.
fn settled(model: Model) -> Model {
    match model {
        Model::Grand { phase, start: [key, hammer, lever, _], model, .. } => {
            let rest = rest::pose(&model, &[key, hammer, lever]);
            Model::grand(&GrandState { phase, ..rest }, *model)
        }
        other => other,
    }
}

fn unfit(error: &MPError) -> anyhow::Error {
    anyhow::anyhow!("the fit cannot begin: {error}")
}

/// Correlation above which a warning names the two parameters.
pub const ALIKE: f64 = 0.95;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_of_a_mechanism_from_a_file_is_recovered() {
        let text = include_str!("../../../../mechanisms/toy-piano.mechanism.toml");
        let file = touchback_mechanism::read(text).unwrap();
        let key = KeyNumber::from_midi(60).unwrap();
        let names = ["hammer_mass".to_owned()];
        let heavier = Origin::Mechanism(file.clone(), key, vec![4.2e-3]);
        let presses = [1.5, 2.5, 4.0].map(|force| {
            let times: Vec<f64> = (0..120).map(|i| 0.5e-3 * f64::from(i)).collect();
            let press = MeasuredPress { force: vec![force; 120], depth: vec![0.0; 120], times };
            let depth = moved(heavier.key(&[], &[], &[]).unwrap(), &press).unwrap();
            MeasuredPress { depth, ..press }
        });
        let standard = file.parameters().iter().map(|parameter| parameter.default).collect();
        let origin = Origin::Mechanism(file.clone(), key, standard);
        let bar = ProgressBar::hidden();
        let found = fit_from(origin.clone(), &names, presses.to_vec(), &bar, None).unwrap();
        let FoundNumber { start, value, .. } = found.numbers[0];
        assert_eq!(start, 3e-3);
        assert!((value / 4.2e-3 - 1.0).abs() < 1e-3, "{value}");
        assert!(found.model.is_none() && found.rms[1] < 1e-6, "{:?}", found.rms);
        let unknown = origin.get("mass").unwrap_err().to_string();
        assert!(unknown.contains("it has hammer_mass"), "{unknown}");
    }
}
