//! Weighing, sweeps, fits, experiments, the list of parameters.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use indicatif::ProgressBar;
use numpy::{PyArray1, PyArray2, PyArrayMethods as _, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::interrupt::{interruptible, on_threads};
use crate::settings::{key_number, model, settings, source};
use crate::{error, is_course, refused};
use touchback_core::exchange::lock::lock;
use touchback_instrument::host::params;
use touchback_lab::experiment::{self as lab, sweep as sweeps};
use touchback_models::catalogue::Model;
use touchback_offline::bench::Report;
use touchback_offline::fit::data::MeasuredPress;
use touchback_offline::fit::solve;
use touchback_offline::{output, weigh as weighing};

/// Names of the measured values, and the table (keys, values).
#[pyfunction]
#[pyo3(signature = (keys, preset, sheet, settings_of, model_text, threads))]
pub(crate) fn weigh<'py>(
    py: Python<'py>,
    keys: Vec<Bound<'_, PyAny>>,
    preset: Option<&str>,
    sheet: Option<&str>,
    settings_of: Option<&Bound<'_, PyDict>>,
    model_text: Option<&str>,
    threads: Option<NonZeroUsize>,
) -> PyResult<(Vec<&'static str>, Bound<'py, PyArray2<f64>>)> {
    let source = source(preset, sheet, settings_of, model_text, None)?;
    let numbers =
        keys.iter().map(|key| Ok(key_number(key)?.number())).collect::<PyResult<Vec<u8>>>()?;
    let rows = on_threads(py, threads, || weighing::weigh(&source, &numbers))?;
    let names: Vec<_> = weighing::names().collect();
    let table: Vec<f64> = rows.iter().flat_map(|row| row.found.iter().copied()).collect();
    let shape = [rows.len(), names.len()];
    Ok((names, PyArray1::from_vec(py, table).reshape(shape)?))
}

/// The quantity `measure` at each of `values` of `id`.
#[pyfunction]
#[pyo3(signature = (id, values, measure, key, preset, sheet, settings_of, model_text, threads))]
#[expect(clippy::too_many_arguments, reason = "the arguments of Python's function, by name there")]
pub(crate) fn sweep<'py>(
    py: Python<'py>,
    id: &str,
    values: PyReadonlyArray1<'py, f64>,
    measure: &str,
    key: &Bound<'_, PyAny>,
    preset: Option<&str>,
    sheet: Option<&str>,
    settings_of: Option<&Bound<'_, PyDict>>,
    model_text: Option<&str>,
    threads: Option<NonZeroUsize>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let number = key_number(key)?.number();
    let source = source(preset, sheet, settings_of, model_text, Some(number))?;
    // Other threads may write to the array while the lock is released.
    let values = values.as_slice()?.to_vec();
    let points = on_threads(py, threads, || sweeps::points(id, &values, measure, &source, number))?;
    let points = points.map_err(|e| error(&e))?;
    Ok(PyArray1::from_vec(py, points.into_iter().map(|(_, found)| found).collect()))
}

/// Names and descriptions of the quantities of `sweep`.
#[pyfunction]
pub(crate) fn quantities() -> Vec<(&'static str, &'static str)> {
    sweeps::quantities().collect()
}

/// One measured press: times, s, depths, m, and forces, N.
type Measured<'py> =
    (PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>);

/// A fitted number: name, start, value, half the 95 % interval.
type Fitted = (String, f64, f64, f64);

/// Fitted numbers, text of the fitted model, deviation before and after, m rms, whether the fit converged.
type Fit = (Vec<Fitted>, String, [f64; 2], bool);

/// The model with which a fit begins.
fn start_of_fit(key: &Bound<'_, PyAny>, action: &str, model_text: Option<&str>) -> PyResult<Model> {
    let key = key_number(key)?;
    model(action, key, &settings(None, None, None, None)?, model_text, None)
}

/// A press from Python's arrays.
fn press((times, depth, force): &Measured<'_>) -> PyResult<MeasuredPress> {
    let [times, depth, force] =
        [times.as_slice()?.to_vec(), depth.as_slice()?.to_vec(), force.as_slice()?.to_vec()];
    if times.len() < 2 || !is_course(&times, &[&depth, &force]) {
        return Err(refused(
            "a press has times that rise from 0, and a finite depth and force for each",
        ));
    }
    Ok(MeasuredPress { times, depth, force })
}

/// Depths, m, of one press with the numbers `free` at `shares` of their values: a part of a fit elsewhere.
#[pyfunction]
#[pyo3(signature = (measured, free, shares, key, action, model_text))]
pub(crate) fn fit_depths(
    py: Python<'_>,
    measured: Measured<'_>,
    free: Vec<String>,
    shares: Vec<f64>,
    key: &Bound<'_, PyAny>,
    action: &str,
    model_text: Option<&str>,
) -> PyResult<Vec<f64>> {
    let (start, press) = (start_of_fit(key, action, model_text)?, press(&measured)?);
    let depths = interruptible(py, || solve::depths_at(&start, &free, &shares, &press))?;
    depths.map_err(|e| error(&e))
}

/// Fits the numbers `free` of a model to presses; `elsewhere` returns [`fit_depths`] of every press for shares.
#[pyfunction]
#[pyo3(signature = (presses, free, key, action, model_text, threads, elsewhere))]
#[expect(clippy::too_many_arguments, reason = "the arguments of Python's function, by name there")]
pub(crate) fn fit(
    py: Python<'_>,
    presses: Vec<Measured<'_>>,
    free: Vec<String>,
    key: &Bound<'_, PyAny>,
    action: &str,
    model_text: Option<&str>,
    threads: Option<NonZeroUsize>,
    elsewhere: Option<Py<PyAny>>,
) -> PyResult<Fit> {
    let start = start_of_fit(key, action, model_text)?;
    let presses = presses.iter().map(press).collect::<PyResult<Vec<_>>>()?;
    if presses.is_empty() {
        return Err(refused("a fit needs at least one press"));
    }
    // A model that cannot be played is a poor one to the fit; an exception of Python ends it.
    let raised: Mutex<Option<PyErr>> = Mutex::new(None);
    let call = |shares: &[f64]| {
        let Some(work) = elsewhere.as_ref().filter(|_| lock(&raised).is_none()) else {
            anyhow::bail!("an exception of Python")
        };
        let depths = Python::attach(|py| work.call1(py, (shares.to_vec(),))?.extract(py));
        depths.map_err(|exception: PyErr| {
            let text = exception.to_string();
            lock(&raised).get_or_insert(exception);
            anyhow::Error::msg(text)
        })
    };
    let fit = || {
        let elsewhere: Option<solve::Elsewhere> = elsewhere.as_ref().map(|_| &call as _);
        solve::fit(&start, &free, presses, &ProgressBar::hidden(), elsewhere)
    };
    let found = on_threads(py, threads, fit)?;
    if let Some(exception) = lock(&raised).take() {
        return Err(exception);
    }
    let found = found.map_err(|e| error(&e))?;
    let numbers = found.numbers.into_iter().map(|n| (n.name, n.start, n.value, n.half)).collect();
    let text = toml::to_string_pretty(&found.model).map_err(|e| error(&e.into()))?;
    Ok((numbers, text, found.rms, found.converged))
}

/// Names and descriptions of the experiments.
#[pyfunction]
pub(crate) fn experiments() -> Vec<(&'static str, &'static str)> {
    lab::names().collect()
}

/// Rows, notes and files of an experiment.
type Findings<'py> = (Vec<Bound<'py, PyDict>>, Vec<String>, Vec<String>);

/// Runs an experiment; its files go into the folder `out`, or nowhere.
#[pyfunction]
#[pyo3(signature = (name, preset, sheet, settings_of, model_text, key, count, out))]
#[expect(clippy::too_many_arguments, reason = "the arguments of Python's function, by name there")]
pub(crate) fn experiment<'py>(
    py: Python<'py>,
    name: &str,
    preset: Option<&str>,
    sheet: Option<&str>,
    settings_of: Option<&Bound<'_, PyDict>>,
    model_text: Option<&str>,
    key: Option<&Bound<'_, PyAny>>,
    count: Option<u32>,
    out: Option<PathBuf>,
) -> PyResult<Findings<'py>> {
    let key = key.map(key_number).transpose()?.map(|key| key.number());
    let is_numbered = lab::takes_numbers(name);
    let numbers = match settings_of {
        Some(settings) if is_numbered => settings
            .iter()
            .map(|(id, value)| Ok(format!("{}={}", id.str()?, value.str()?)))
            .collect(),
        _ => PyResult::Ok(Vec::new()),
    }?;
    let settings_of = settings_of.filter(|_| !is_numbered);
    let source = source(preset, sheet, settings_of, model_text, key)?;
    let run = |folder: &Path| match numbers.is_empty() {
        true => lab::one(name, &source, count, folder),
        false => lab::one_with_numbers(name, &numbers, folder),
    };
    let report = interruptible(py, || match &out {
        Some(path) => {
            let folder = output::new_folder(path)?;
            let report = run(path)?;
            folder.keep();
            Ok(report)
        }
        None => run(tempfile::tempdir()?.path()),
    })?;
    let report: Report = report.map_err(|e| error(&e))?;
    let row = |row: &touchback_offline::bench::report::ReportRow| {
        let of = PyDict::new(py);
        let [quantity, target, band, measured, verdict] = &row.cells;
        of.set_item("quantity", quantity)?;
        of.set_item("target", target)?;
        of.set_item("band", band)?;
        of.set_item("measured", measured)?;
        of.set_item("verdict", verdict)?;
        of.set_item("kind", row.kind.name())?;
        of.set_item("low", row.band[0])?;
        of.set_item("high", row.band[1])?;
        of.set_item("value", row.measured)?;
        of.set_item("source", &row.source)?;
        of.set_item("cause", &row.cause)?;
        of.set_item("id", format!("{name}.{}", row.id))?;
        Ok(of)
    };
    let rows = report.rows().iter().map(row).collect::<PyResult<Vec<_>>>()?;
    Ok((rows, report.notes().to_vec(), report.figures().to_vec()))
}

/// Every parameter of the instrument.
#[pyfunction]
pub(crate) fn parameters(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let listed = |(listing, parameter): (params::Listing, &params::Parameter)| {
        let of = PyDict::new(py);
        of.set_item("id", listing.id)?;
        of.set_item("name", listing.name)?;
        of.set_item("group", listing.group)?;
        of.set_item("unit", listing.unit)?;
        of.set_item("min", listing.min)?;
        of.set_item("max", listing.max)?;
        of.set_item("default", listing.default)?;
        of.set_item("choices", listing.choices.to_vec())?;
        of.set_item("about", parameter.doc)?;
        Ok(of)
    };
    params::listing().into_iter().zip(params::all()).map(listed).collect()
}
