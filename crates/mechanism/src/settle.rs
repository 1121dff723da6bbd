//! What is computed at load from numbers: the pose at rest, the moved masses of the contacts, and checks.

use crate::build::Built;
use crate::error::{Fault, Result};
use crate::file::File;
use crate::geometry::MOST;
use crate::names::intern;
use crate::program::{FRONT, Registers, STATES};
use touchback_action::simple::substeps;

/// Largest motion of a coordinate in an iteration, m or rad.
const STRIDE: f64 = 2e-3;
/// Most iterations.
const TRIALS: usize = 400;
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

/// The states at rest in the first submodel, untouched.
pub(crate) fn rest(built: &Built, file: &File) -> Result<[f64; STATES]> {
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
    let (mut force, mut mass) = settling.forces(&x);
    for (i, k) in independent.iter().enumerate() {
        if !(mass[i][i] > 0.0 && mass[i][i].is_finite()) {
            return Err(massless(file, *k));
        }
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
        let mut trial = x;
        for (i, k) in independent.iter().enumerate() {
            let step: f64 = inverse[i][..n].iter().zip(&force).map(|(a, f)| a * f).sum();
            trial[2 * k] += step.clamp(-STRIDE, STRIDE);
        }
        let (to, at) = settling.forces(&trial);
        let then = size(&to, &at, n);
        if then < now {
            (x, force, mass, now) = (trial, to, at, then);
            damping *= 0.1;
        } else {
            damping = (damping * 8.0).max(1e-3);
        }
    }
    settling.close(&mut x);
    if !(now < 1e-8) {
        let first = crate::build::submodel_names(file);
        return Err(Fault::at(
            &file.port.body.span(),
            format!(
                "the mechanism does not come to rest in its first submodel {:?}: give it stops and start values nearer to rest",
                first[0]
            ),
        ));
    }
    Ok(x)
}

fn massless(file: &File, coordinate: usize) -> Fault {
    // The port is placed first, the others in the order of the file.
    let port = file.port.body.get_ref();
    let mut names: Vec<_> = file.body.iter().filter(|body| body.name.get_ref() == port).collect();
    names.extend(file.body.iter().filter(|body| body.name.get_ref() != port));
    match names.get(coordinate) {
        Some(body) => Fault::at(
            &body.name.span(),
            format!("body {:?} has no inertia: give it mass or inertia", body.name.get_ref()),
        ),
        None => Fault::new("a body has no inertia: give it mass or inertia"),
    }
}

/// Sets the moved masses of all contacts at the pose `rest`, and checks that they are not too stiff.
pub(crate) fn stiffness(built: &mut Built, file: &File, rest: &[f64; STATES]) -> Result<()> {
    let mut r = built.initial.clone();
    r[..STATES].copy_from_slice(rest);
    r[usize::from(FRONT)] = built.front;
    built.mobility.run(&built.felts, &mut r);
    let n = built.coordinates;
    let mut mass = [[0.0; MOST]; MOST];
    for i in 0..n {
        for j in 0..n {
            mass[i][j] = built.mobility.result(n * i + j, &r);
        }
        if !(mass[i][i] > 0.0) {
            return Err(massless(file, i));
        }
    }
    let inverse = inverse(&mass, n, 0);
    let mobility = |element: usize| -> f64 {
        let at = n * n + element * (n + 1) + 1;
        let by = |i: usize| built.mobility.result(at + i, &r);
        (0..n).map(|i| (0..n).map(|j| by(i) * inverse[i][j] * by(j)).sum::<f64>()).sum()
    };
    for (submodel, names) in built.submodels.iter_mut().zip(crate::build::submodel_names(file)) {
        for pressing in &mut submodel.pressing {
            let found = mobility(pressing.element);
            pressing.mobility = if pressing.mass > 0.0 { 1.0 / pressing.mass } else { found };
            pressing.mass = 1.0 / pressing.mobility;
            let felt = &built.felts[usize::from(pressing.felt)];
            let name = built.elements[pressing.element].name;
            substeps::check(&[(intern(name), felt, pressing.mobility)]).map_err(|fault| {
                Fault::at(&file.contact[pressing.element].name.span(), fault.to_string())
            })?;
        }
        for (element, stiffness) in &submodel.springs {
            let frequency = (stiffness * mobility(*element)).sqrt();
            if !(frequency * touchback_action::STEP < 16.0) {
                let contact = &file.contact[*element].name;
                return Err(Fault::at(
                    &contact.span(),
                    format!(
                        "spring {:?} in {names:?} is too stiff for its mass: {frequency:.0} rad/s, at most 128000; make \
                         it rigid or softer",
                        contact.get_ref()
                    ),
                ));
            }
            submodel.fastest = submodel.fastest.max(frequency);
        }
    }
    Ok(())
}
