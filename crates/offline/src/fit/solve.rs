//! The fit: applies the measured forces, compares depths, and varies parameters as shares of their start
//! values (Levenberg–Marquardt); confidence intervals.

use std::sync::{Arc, Mutex};

use anyhow::{Context, Error, Result, bail};
use indicatif::ProgressBar;
use nalgebra::{DMatrix, DVector};
use rmpfit::{MPConfig, MPError, MPFitter, MPPar, MPResult, MPSide, MPSuccess};

use super::data::MeasuredPress;
use crate::gesture::{Channel, Gesture, KeyView};
use crate::model::named::NamedModel;
use crate::parallel;
use touchback_action::catalogue::Model;
use touchback_action::grand::design::concert::Built;
use touchback_action::grand::design::regulation::Regulated;
use touchback_action::grand::key::rest;
use touchback_action::grand::{GrandKey, GrandState};
use touchback_action::interface::mechanism::Parameter;
use touchback_action::{Key, Mechanism as _, STEP};
use touchback_core::exchange::lock::lock;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::power::square;
use touchback_mechanism::Description;

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

/// Two-sided 95 % points of Student's distribution, for 1 to 15 degrees of freedom.
const STUDENT: [f64; 15] = [
    12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131,
];

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

/// Two-sided 95 % point of Student's distribution with `freedom` degrees of freedom, at least 1; between whole
/// numbers linear in the reciprocal, in which it is nearly straight.
fn student(freedom: f64) -> f64 {
    let freedom = freedom.max(1.0);
    let below = floor_index(freedom);
    let last = STUDENT.len();
    let point = |n: usize| STUDENT[n.min(last) - 1];
    if below >= last {
        return 1.96 + (point(last) - 1.96) * last as f64 / freedom;
    }
    let [from, to] = [below as f64, (below + 1) as f64];
    let share = (1.0 / from - 1.0 / freedom) / (1.0 / from - 1.0 / to);
    point(below) + share * (point(below + 1) - point(below))
}

/// Degrees of freedom of the scatter over presses of each parameter.
///
/// With the share a of each press in the parameter's variance, for equal errors of all samples, the sum of
/// squares over presses has the mean Σa and, for normal errors, the variance 2 Σa². A sum of squares with
/// (Σa)²/Σa² degrees of freedom has the same ratio of both [Satterthwaite 1946]. One is lost, because the
/// contributions of all presses add up to 0. Presses of equal weight have their number less one; a parameter
/// that few presses carry has fewer.
fn freedoms(slopes: &[DMatrix<f64>], inverse: &DMatrix<f64>) -> Vec<f64> {
    let carried: Vec<DMatrix<f64>> =
        slopes.iter().map(|j| inverse * (j.transpose() * j) * inverse).collect();
    let freedom = |i: usize| {
        let sum: f64 = carried.iter().map(|c| c[(i, i)]).sum();
        let squares: f64 = carried.iter().map(|c| square(c[(i, i)])).sum();
        sum * sum / squares - 1.0
    };
    (0..inverse.nrows()).map(freedom).collect()
}

/// Half the 95 % confidence interval of each share, and the most correlated pair.
///
/// Several presses: the jackknife over presses, one Gauss–Newton step for each omitted press, so that an
/// error that lasts through a press (sensor drift, force noise that the key integrates) counts once, with the
/// degrees of freedom of [`freedoms`]. A single press: the scatter of its samples alone.
fn confidence(problem: &Problem, shares: &[f64]) -> Result<(Vec<f64>, Option<Alike>)> {
    let slopes = problem.slopes(shares)?;
    let residuals: Vec<DVector<f64>> =
        problem.deviations(shares)?.into_iter().map(DVector::from_vec).collect();
    let n = shares.len();
    let normal = slopes.iter().fold(DMatrix::zeros(n, n), |sum, j| sum + j.transpose() * j);
    let inverse = normal.clone().try_inverse();
    let inseparable = "two of the free numbers do the same: leave one of them out";
    let inverse = inverse.context(inseparable)?;
    let groups = slopes.len();
    let covariance = if groups < 2 {
        let square: f64 = residuals.iter().map(DVector::norm_squared).sum();
        let freedom = problem.number_of_points().saturating_sub(n).max(1) as f64;
        inverse.clone() * (square / freedom)
    } else {
        let mut sum = DMatrix::zeros(n, n);
        for (j, r) in slopes.iter().zip(&residuals) {
            let rest = (&normal - j.transpose() * j).try_inverse().context(inseparable)?;
            let moved = rest * (j.transpose() * r);
            sum += &moved * moved.transpose();
        }
        sum * ((groups - 1) as f64 / groups as f64)
    };
    let freedoms = if groups < 2 { vec![f64::INFINITY; n] } else { freedoms(&slopes, &inverse) };
    let halves = (0..n).map(|i| student(freedoms[i]) * covariance[(i, i)].sqrt()).collect();
    let mut alike: Option<Alike> = None;
    for a in 0..n {
        for b in 0..a {
            let r = inverse[(a, b)] / (inverse[(a, a)] * inverse[(b, b)]).sqrt();
            if alike.as_ref().is_none_or(|most| r.abs() > most.2.abs()) {
                alike = Some((problem.names[b].clone(), problem.names[a].clone(), r));
            }
        }
    }
    Ok((halves, alike))
}

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

    #[test]
    fn student_is_that_of_the_tables_and_falls() {
        for (freedom, expected) in [(1.0, 12.71), (2.0, 4.303), (11.0, 2.201), (15.0, 2.131)] {
            assert!((student(freedom) - expected).abs() < 1e-9, "{freedom}");
        }
        // Tables have 2.042 for 30 and 1.980 for 120 degrees of freedom.
        assert!((student(30.0) - 2.042).abs() < 5e-3 && (student(120.0) - 1.980).abs() < 3e-3);
        assert!((student(f64::INFINITY) - 1.96).abs() < 1e-9 && student(0.0) == 12.71);
        let points: Vec<f64> = (10..400).map(|n| student(0.1 * f64::from(n))).collect();
        assert!(points.windows(2).all(|pair| pair[1] < pair[0]));
    }

    #[test]
    fn a_parameter_that_few_presses_carry_has_fewer_degrees_of_freedom() {
        // Six presses carry the first parameter alike, one of them nearly alone the second.
        let slopes: Vec<_> = (0..6)
            .map(|p| {
                DMatrix::from_row_slice(2, 2, &[1.0, 0.0, 0.0, if p == 0 { 10.0 } else { 1.0 }])
            })
            .collect();
        let normal = slopes.iter().fold(DMatrix::zeros(2, 2), |sum, j| sum + j.transpose() * j);
        let found = freedoms(&slopes, &normal.try_inverse().unwrap());
        assert!((found[0] - 5.0).abs() < 1e-9, "{found:?}");
        // (105)²/(10 005) − 1.
        assert!((found[1] - 0.10195).abs() < 1e-4, "{found:?}");
    }
}
