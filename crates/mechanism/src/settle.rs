//! What is computed at load from numbers: the pose at rest, the moved masses of the contacts, and checks.

use crate::build::Built;
use crate::dynamics::massless;
use crate::error::{Fault, Result};
use crate::file::File;
use crate::geometry::MOST;
use crate::program::{FRONT, Registers, STATES};
use crate::submodel::{GUARDS, TRANSITIONS};
use touchback_action::STEP;
use touchback_action::simple::substeps;

/// Largest motion of a coordinate in an iteration, m or rad.
const STRIDE: f64 = 2e-3;
/// Most iterations.
const TRIALS: usize = 400;
/// Largest natural frequency of a spring times a step of 125 µs: half a radian in the most substeps, 32.
const FASTEST: f64 = 16.0;
/// Step of differences, m or rad.
const DELTA: f64 = 1e-7;

/// Inverse of the leading `n` rows and columns of a symmetric positive matrix, from the row `from` on; rows before it
/// are 0.
pub(crate) fn inverse(mass: &[[f64; MOST]; MOST], n: usize, from: usize) -> [[f64; MOST]; MOST] {
    let mut m = *mass;
    let mut inverse = [[0.0; MOST]; MOST];
    (from..n).for_each(|i| inverse[i][i] = 1.0);
    for i in from..n {
        let pivot = 1.0 / m[i][i];
        for k in 0..n {
            m[i][k] *= pivot;
            inverse[i][k] *= pivot;
        }
        for j in (from..n).filter(|j| *j != i) {
            let factor = m[j][i];
            for k in 0..n {
                m[j][k] -= factor * m[i][k];
                inverse[j][k] -= factor * inverse[i][k];
            }
        }
    }
    inverse
}

/// The key while it settles.
struct Settling<'a> {
    built: &'a Built,
    r: Registers,
}

impl Settling<'_> {
    /// Closes the loops of the first submodel; the largest last correction.
    fn close(&mut self, x: &mut [f64; STATES]) -> f64 {
        let submodel = &self.built.submodels[0];
        let mut moved = 0.0;
        for _ in 0..40 {
            self.r[..STATES].copy_from_slice(x);
            submodel.close.run(&self.built.felts, &mut self.r);
            moved = 0.0f64;
            for (i, d) in submodel.dependent.iter().enumerate() {
                let to = submodel.close.result(2 * i, &self.r);
                moved = moved.max((to - x[2 * d]).abs());
                x[2 * d] = to;
            }
            if !(moved > 1e-14) {
                break;
            }
        }
        moved
    }

    /// Forces on the independent coordinates at rest, and the reduced mass matrix.
    fn forces(&mut self, x: &[f64; STATES]) -> ([f64; MOST], [[f64; MOST]; MOST]) {
        let mut closed = *x;
        self.close(&mut closed);
        self.r[..STATES].copy_from_slice(&closed);
        let submodel = &self.built.submodels[0];
        submodel.statics.run(&self.built.felts, &mut self.r);
        let n = submodel.independent.len();
        let (mut force, mut mass) = ([0.0; MOST], [[0.0; MOST]; MOST]);
        for i in 0..n {
            force[i] = submodel.statics.result(i, &self.r);
            for j in 0..n {
                mass[i][j] = submodel.statics.result(n + n * i + j, &self.r);
            }
        }
        (force, mass)
    }
}

/// Sum of fᵢ²/mᵢᵢ: forces as accelerations.
fn size(force: &[f64; MOST], mass: &[[f64; MOST]; MOST], n: usize) -> f64 {
    (0..n).map(|i| force[i] * force[i] / mass[i][i]).sum()
}

/// The states at rest in the first submodel, untouched, and whether they are in balance.
pub(crate) fn rest(built: &Built, file: &File) -> Result<([f64; STATES], bool)> {
    let mut settling = Settling { built, r: built.initial.clone() };
    settling.r[usize::from(FRONT)] = built.front;
    let mut x = [0.0; STATES];
    x.iter_mut().step_by(2).zip(&built.start).for_each(|(to, from)| *to = *from);
    let open = settling.close(&mut x);
    if !(open < 1e-9) {
        let held = file.submodel.first().and_then(|submodel| submodel.holds.first());
        let message = "the loop does not close from the values of start: give start values nearer to a closed loop";
        return Err(
            held.map_or_else(|| Fault::new(message), |held| Fault::at(&held.span(), message))
        );
    }
    let independent = &built.submodels[0].independent;
    let n = independent.len();
    let begin = x;
    let (mut force, mut mass) = settling.forces(&x);
    for (i, k) in independent.iter().enumerate() {
        if !(mass[i][i] > 0.0 && mass[i][i].is_finite()) {
            return Err(massless(file, *k));
        }
    }
    if file.balance == Some(false) {
        return Ok((begin, true));
    }
    let (mut now, mut damping) = (size(&force, &mass, n), 1e3);
    for _ in 0..TRIALS {
        if now < 1e-26 || damping > 1e14 {
            break;
        }
        // −∂f/∂q + damping · M, by differences.
        let mut matrix = mass;
        for (column, k) in independent.iter().enumerate() {
            let ends = [DELTA, -DELTA].map(|delta| {
                let mut at = x;
                at[2 * k] += delta;
                settling.forces(&at).0
            });
            for row in 0..n {
                let slope = (ends[0][row] - ends[1][row]) / (2.0 * DELTA);
                matrix[row][column] = damping * mass[row][column] - slope;
            }
        }
        let inverse = inverse(&matrix, n, 0);
        let (mut trial, mut work) = (x, 0.0);
        for (i, k) in independent.iter().enumerate() {
            let step: f64 = inverse[i][..n].iter().zip(&force).map(|(a, f)| a * f).sum();
            trial[2 * k] += step.clamp(-STRIDE, STRIDE);
            work += step * force[i];
        }
        let (to, at) = settling.forces(&trial);
        let then = size(&to, &at, n);
        // A step against the forces leads to a balance that is not stable.
        if then < now && work > 0.0 {
            (x, force, mass, now) = (trial, to, at, then);
            damping *= 0.1;
        } else {
            damping = (damping * 8.0).max(1e-3);
        }
    }
    settling.close(&mut x);
    let is_balanced = now < 1e-8;
    Ok((if is_balanced { x } else { begin }, is_balanced))
}

/// Checks at the pose `rest` that the contacts are not too stiff, and finds the fastest springs.
pub(crate) fn stiffness(built: &mut Built, file: &File, rest: &[f64; STATES]) -> Result<()> {
    let mut r = built.initial.clone();
    for submodel in &mut built.submodels {
        r[..STATES].copy_from_slice(rest);
        r[usize::from(FRONT)] = built.front;
        let (program, mut fastest) = (&submodel.beginning[0], submodel.fastest);
        program.run(&built.felts, &mut r);
        let mobility = |index: usize| {
            let first = TRANSITIONS + GUARDS + 2 * submodel.pressing.len();
            program.result(first + index, &r)
        };
        for (index, pressing) in submodel.pressing.iter().enumerate() {
            let found = mobility(index);
            let mobility = pressing.mass.map_or(found, |mass| 1.0 / mass);
            let felt = &built.felts[usize::from(pressing.felt)];
            let name = built.elements[pressing.element].name;
            substeps::check(&[(name, felt, mobility)]).map_err(|fault| {
                Fault::at(&file.contact[pressing.element].name.span(), fault.to_string())
            })?;
        }
        for (index, (element, [stiffness, damping])) in submodel.springs.iter().enumerate() {
            let mobility = mobility(submodel.pressing.len() + index);
            // Runge–Kutta's decay is monotonic up to 2 rad, a frequency is resolved up to half a radian.
            let frequency = (stiffness * mobility).sqrt().max(0.25 * damping * mobility);
            if !(frequency * STEP < FASTEST) {
                let contact = &file.contact[*element].name;
                let message = format!(
                    "spring {:?} is too stiff or damped for its mass: {frequency:.0} rad/s, at most {:.0}; make it softer or rigid",
                    contact.get_ref(),
                    FASTEST / STEP
                );
                return Err(Fault::at(&contact.span(), message));
            }
            fastest = fastest.max(frequency);
        }
        submodel.fastest = fastest;
    }
    Ok(())
}
