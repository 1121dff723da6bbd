//! Balls on sampled walls.

use numpy::{PyArray1, PyArray2, PyArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error;
use crate::interrupt::interruptible;
use touchback_offline::bench::numbers::Numbers;
use touchback_walls::ball::{self, NUMBERS};

/// Id, unit, least, greatest and usual value, and meaning of each number.
#[pyfunction]
pub(crate) fn wall_numbers() -> Vec<(&'static str, &'static str, f64, f64, f64, &'static str)> {
    let row = |n: &ball::Number| (n.id, n.unit, n.range[0], n.range[1], n.usual, n.about);
    NUMBERS.iter().map(row).collect()
}

/// A table (3, samples) of height, m, speed away from the wall, m/s, and force of the wall, N; and the sample period, s.
#[pyfunction]
pub(crate) fn wall_run<'py>(
    py: Python<'py>,
    controller: &str,
    values: &Bound<'_, PyDict>,
) -> PyResult<(Bound<'py, PyArray2<f64>>, f64)> {
    let mut numbers = Numbers::usual(NUMBERS);
    for (id, value) in values {
        numbers.set(&id.extract::<String>()?, value.extract()?).map_err(|e| error(&e))?;
    }
    let steps = interruptible(py, || ball::simulate(controller, &numbers))?;
    let steps = steps.map_err(|e| error(&e))?;
    let columns = [
        steps.iter().map(|s| -s.state[0]).collect::<Vec<_>>(),
        steps.iter().map(|s| -s.state[1]).collect(),
        steps.iter().map(|s| s.force).collect(),
    ];
    let table = PyArray1::from_vec(py, columns.concat()).reshape([3, steps.len()])?;
    Ok((table, numbers.get("t")))
}
