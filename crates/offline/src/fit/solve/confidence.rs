//! Confidence intervals of fitted shares, and the pair of parameters that is hardest to tell apart.

use anyhow::{Context, Result};
use nalgebra::{DMatrix, DVector};
use rmpfit::MPFitter as _;

use super::{Alike, Problem};
use touchback_core::math::cast::floor_index;
use touchback_core::math::power::square;

/// Two-sided 95 % points of Student's distribution, for 1 to 15 degrees of freedom.
const STUDENT: [f64; 15] = [
    12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131,
];

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
pub(super) fn confidence(problem: &Problem, shares: &[f64]) -> Result<(Vec<f64>, Option<Alike>)> {
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
