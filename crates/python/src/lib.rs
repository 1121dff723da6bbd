//! The compiled part of the Python package `touchback`, which documents what users call: `python/touchback`.
//!
//! | module | part |
//! | --- | --- |
//! | `settings` | settings and models from Python's values |
//! | `key` | one key of any action: whole gestures, and step by step |
//! | `bank` | many keys of the grand, in lanes and on all cores |
//! | `piano` | the instrument: block by block, and whole MIDI files |
//! | `laboratory` | weighing, sweeps, fits, experiments, the list of parameters |
//! | `walls` | balls on sampled walls |
//! | `interrupt` | Ctrl-C during a call |
//! | `c_library` | functions that older C libraries have in another version |
//!
//! Long work runs without the interpreter's lock. The module needs no lock either (`gil_used = false`): PyO3 checks
//! every access to a `Key`, `Bank` or `Piano` at run time, two threads in one of them get a `RuntimeError`, and the
//! packages below share between calls only what is built once or behind a lock.

mod bank;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod c_library;
mod interrupt;
mod key;
mod laboratory;
mod piano;
mod settings;
mod walls;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

/// An error in one line: of a file as `OSError`, any other as `ValueError`.
fn error(error: &anyhow::Error) -> PyErr {
    let text = format!("{error:#}");
    match error.chain().any(|cause| cause.is::<std::io::Error>()) {
        true => PyOSError::new_err(text),
        false => PyValueError::new_err(text),
    }
}

/// An error of a value that has no cause of its own.
fn refused(text: impl Into<String>) -> PyErr {
    PyValueError::new_err(text.into())
}

/// Whether `times`, s, rise from 0 and each of `values` has a finite value for every time.
fn is_course(times: &[f64], values: &[&[f64]]) -> bool {
    let is_finite = |list: &[f64]| list.iter().all(|x| x.is_finite());
    times.first() == Some(&0.0)
        && is_finite(times)
        && times.windows(2).all(|pair| pair[0] < pair[1])
        && values.iter().all(|list| list.len() == times.len() && is_finite(list))
}

/// The compiled part of `touchback`.
#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("STEP", touchback_action::STEP)?;
    module.add_class::<key::Key>()?;
    module.add_class::<bank::Bank>()?;
    module.add_class::<piano::Piano>()?;
    module.add_function(wrap_pyfunction!(piano::render, module)?)?;
    module.add_function(wrap_pyfunction!(walls::wall_numbers, module)?)?;
    module.add_function(wrap_pyfunction!(walls::wall_table, module)?)?;
    module.add_function(wrap_pyfunction!(walls::wall_run, module)?)?;
    module.add_function(wrap_pyfunction!(laboratory::weigh, module)?)?;
    module.add_function(wrap_pyfunction!(laboratory::sweep, module)?)?;
    module.add_function(wrap_pyfunction!(laboratory::quantities, module)?)?;
    module.add_function(wrap_pyfunction!(laboratory::fit, module)?)?;
    module.add_function(wrap_pyfunction!(laboratory::fit_depths, module)?)?;
    module.add_function(wrap_pyfunction!(laboratory::experiments, module)?)?;
    module.add_function(wrap_pyfunction!(laboratory::experiment, module)?)?;
    module.add_function(wrap_pyfunction!(laboratory::parameters, module)?)?;
    Ok(())
}
