//! Balls on sampled walls, and analyses of walls with chosen numbers.

use numpy::{PyArray1, PyArray2, PyArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error;
use crate::interrupt::interruptible;
use touchback_core::text::numbers::{Number, Numbers};
use touchback_walls::ball;
use touchback_walls::calculation::{self, Calculation};

/// The function `name` of tables.
fn calculation(name: &str) -> PyResult<&'static Calculation> {
    const ALL: &[Calculation] = &calculation::ALL;
    let found = ALL.iter().find(|of| of.name == name);
    found.ok_or_else(|| error(&anyhow::anyhow!("{name}: no such function of walls")))
}

/// The usual numbers of `list`, changed by `values`.
fn chosen(list: &'static [Number], values: &Bound<'_, PyDict>) -> PyResult<Numbers> {
    let mut numbers = Numbers::usual(list);
    for (id, value) in values {
        numbers.set(&id.extract::<String>()?, value.extract()?).map_err(|e| error(&e.into()))?;
    }
    Ok(numbers)
}

/// Id, unit, least, greatest and usual value, and meaning of a number.
type NumberRow = (&'static str, &'static str, f64, f64, f64, &'static str);

/// The numbers of the function `name`.
#[pyfunction]
pub(crate) fn wall_numbers(name: &str) -> PyResult<Vec<NumberRow>> {
    let row = |n: &Number| (n.id, n.unit, n.range[0], n.range[1], n.usual, n.about);
    let list = if name == "simulate" { ball::NUMBERS } else { calculation(name)?.numbers };
    Ok(list.iter().map(row).collect())
}

/// Columns by name, and a table (columns, rows), of the function `name`.
#[pyfunction]
pub(crate) fn wall_table<'py>(
    py: Python<'py>,
    name: &str,
    values: &Bound<'_, PyDict>,
) -> PyResult<(Vec<&'static str>, Bound<'py, PyArray2<f64>>)> {
    let of = calculation(name)?;
    let numbers = chosen(of.numbers, values)?;
    let rows = interruptible(py, || (of.rows)(&numbers))?.map_err(|e| error(&e))?;
    let column = |i: usize| rows.iter().map(move |row| row[i]);
    let cells = (0..of.columns.len()).flat_map(column).collect();
    let table = PyArray1::from_vec(py, cells).reshape([of.columns.len(), rows.len()])?;
    Ok((of.columns.to_vec(), table))
}

/// A table (3, samples) of height, m, speed away from the wall, m/s, and force of the wall, N; and the sample period, s.
#[pyfunction]
pub(crate) fn wall_run<'py>(
    py: Python<'py>,
    controller: &str,
    values: &Bound<'_, PyDict>,
) -> PyResult<(Bound<'py, PyArray2<f64>>, f64)> {
    let numbers = chosen(ball::NUMBERS, values)?;
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
