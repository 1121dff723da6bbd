//! `simulate --step-us`: what a shorter step of integration changes in a run.

use anyhow::{Context, Result, bail};

use crate::bench::DataTable;
use touchback_action::{EventKind, Readout, STEP, TimedEvent};
use touchback_core::math::cast::rounded_i32;
use touchback_core::math::power::square;

/// Most parts of an action step: a step of 2 µs.
const MOST_PARTS: u32 = 64;

/// Number of integration steps of `step_us` µs in an action step.
///
/// # Errors
/// A step of which not a whole number, 2 to 64, makes an action step.
pub fn parts(step_us: f64) -> Result<u32> {
    let exact = STEP * 1e6 / step_us;
    let parts = u32::try_from(rounded_i32(exact)).unwrap_or(0);
    let is_whole = (exact - f64::from(parts)).abs() < 1e-3 * exact;
    if !is_whole || !(2..=MOST_PARTS).contains(&parts) {
        bail!(
            "--step-us {step_us}: write 125 divided by a whole number from 2 to {MOST_PARTS}, as 62.5, 25 \
             or 12.5"
        );
    }
    Ok(parts)
}

/// The quantities of a run that are compared.
#[derive(Default)]
pub struct Trace {
    /// Depth of the key front, m, height of the crown, m, and force on the key, N, after every action step.
    rows: Vec<[f64; 3]>,
    /// Largest force on the key and of the jack on the knuckle, N.
    forces: [f64; 2],
}

/// Names of [`Trace::rows`].
const ROWS: [&str; 3] = ["key_m", "hammer_m", "key_force_n"];
/// Names of [`Trace::forces`].
const FORCES: [&str; 2] = ["key_force_n", "jack_knuckle_force_n"];

impl Trace {
    /// Adds the state after a step.
    pub fn push(&mut self, r: &Readout) {
        self.rows.push([r.key, r.hammer, r.key_force]);
        for (most, force) in self.forces.iter_mut().zip([r.key_force, r.contact_force]) {
            *most = most.max(force);
        }
    }

    /// Root mean square of the difference of each of [`ROWS`]; NaN for one that the action does not have.
    fn apart(&self, other: &Self) -> [f64; 3] {
        let count = self.rows.len().max(1) as f64;
        std::array::from_fn(|i| {
            let squares = self.rows.iter().zip(&other.rows).map(|(a, b)| square(a[i] - b[i]));
            (squares.sum::<f64>() / count).sqrt()
        })
    }
}

/// A run: its events and its trace.
pub type Run = (Vec<TimedEvent>, Trace);

/// One row for time and value of each event, for the largest forces, and for the root mean square of the
/// differences: in steps of `step_us` µs, and in those of play.
///
/// # Errors
/// None but of the table itself.
pub fn table(fine: &Run, play: &Run, step_us: f64) -> Result<String> {
    let name = |step: f64| format!("at_{step}_us");
    let columns = ["quantity".to_owned(), name(STEP * 1e6), name(step_us), "change".to_owned()];
    let mut table = DataTable::new(&columns.each_ref().map(String::as_str));
    let mut row = |quantity: &str, play: Option<f64>, fine: Option<f64>| {
        let cell = |x: Option<f64>| x.map_or_else(String::new, |x| format!("{x}"));
        let change = play.zip(fine).map(|(play, fine)| fine - play);
        table.row(&[&quantity, &cell(play), &cell(fine), &cell(change)]);
    };
    for kind in EventKind::ALL.iter().copied() {
        let of = |run: &Run| -> Vec<(f64, f64)> {
            let events = run.0.iter().filter(|e| e.event.kind() == kind);
            events.map(|e| (e.time(), e.event.value())).collect()
        };
        let (play, fine) = (of(play), of(fine));
        for i in 0..play.len().max(fine.len()) {
            let (play, fine) = (play.get(i), fine.get(i));
            let what = format!("{} {}", kind.name(), i + 1);
            row(&format!("{what}: time_s"), play.map(|e| e.0), fine.map(|e| e.0));
            let value = format!("{what}: value in {}", kind.unit());
            row(&value, play.map(|e| e.1), fine.map(|e| e.1));
        }
    }
    let has = |x: f64| (x.is_finite() && x > 0.0).then_some(x);
    for (i, name) in FORCES.into_iter().enumerate() {
        row(&format!("largest {name}"), has(play.1.forces[i]), has(fine.1.forces[i]));
    }
    for (name, apart) in ROWS.into_iter().zip(fine.1.apart(&play.1)) {
        if apart.is_finite() {
            table.row(&[&format!("{name}: rms of the difference"), &"", &"", &apart]);
        }
    }
    String::from_utf8(table.csv()?).context("the table is no text")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_divides_the_action_step() {
        for (step, expected) in [(62.5, 2), (25.0, 5), (1.953_125, 64), (41.667, 3)] {
            assert_eq!(parts(step).unwrap(), expected);
        }
        for step in [125.0, 50.0, 1.0, 0.0, -62.5, f64::NAN, f64::INFINITY] {
            let error = parts(step).unwrap_err().to_string();
            assert!(error.contains("--step-us") && error.contains("62.5"), "{error}");
        }
    }
}
