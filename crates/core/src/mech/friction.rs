//! Coulomb friction as an implicit update.
//!
//! Several friction elements act on a system of `D` speeds u. Element i opposes the sliding speed
//! sᵢ = gᵢ·u with |fᵢ| ≤ bᵢ. The forces are computed once for each (sub)step so that the sliding speeds
//! at its end would vanish, and clamped to the bounds: an element that can stick sticks without creep,
//! a sliding element is opposed by its bound, and friction does not limit the step [Moreau 1988: the
//! time-stepping form of the set-valued law]. First order in the step.

use crate::math::real::{Mask, Real};

/// One friction element on `D` speeds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Element<const D: usize, R = f64> {
    /// gᵢ: sliding speed per unit of each of the speeds.
    pub direction: [R; D],
    /// bᵢ: largest force, N, or torque, N·m; ≥ 0.
    pub bound: R,
}

impl<const D: usize, R: Real> Element<D, R> {
    /// Sliding speed at the speeds `u`.
    #[inline(always)]
    #[must_use]
    pub fn speed(&self, u: &[R; D]) -> R {
        dot(&self.direction, u)
    }
}

#[inline(always)]
fn dot<const D: usize, R: Real>(a: &[R; D], b: &[R; D]) -> R {
    let mut sum = a[0] * b[0];
    for i in 1..D {
        sum = sum + a[i] * b[i];
    }
    sum
}

/// The inverse of a mass matrix.
///
/// A trait rather than a closure, so that `#[inline(always)]` applies.
pub trait InverseMass<const D: usize, R> {
    /// Accelerations M⁻¹·f caused by the generalized `forces` f.
    fn apply(&self, forces: &[R; D]) -> [R; D];
}

/// A diagonal inverse mass matrix: the reciprocal of the inertia of each speed.
impl<const D: usize, R: Real> InverseMass<D, R> for [R; D] {
    #[inline(always)]
    fn apply(&self, forces: &[R; D]) -> [R; D] {
        let mut accelerations = *forces;
        for i in 0..D {
            accelerations[i] = self[i] * forces[i];
        }
        accelerations
    }
}

/// Most sweeps over the elements: with the few, weakly coupled elements of these models the residual
/// falls below a thousandth of the bounds.
const SWEEPS: u32 = 6;

/// Change of a sliding speed below which the iteration has converged, m/s or rad/s.
const CONVERGED: f64 = 1e-10;

/// Friction forces for the speeds `u`, the friction-free accelerations `a`, the inverse mass matrix
/// `system` and a (sub)step of `dt` s, by projected Gauss–Seidel iteration.
///
/// The iteration runs on the forces alone, through the compliance matrix Cₑ_f = dt·gₑ·M⁻¹·g_f: the change
/// of sliding speed of element e caused by a unit force of element f. Elements whose bound is zero are
/// left out.
#[inline(always)]
#[must_use]
pub fn forces<const D: usize, const E: usize, R: Real>(
    elements: &[Element<D, R>; E],
    system: &impl InverseMass<D, R>,
    u: &[R; D],
    a: &[R; D],
    dt: R,
) -> [R; E] {
    let zero = R::of(0.0);
    let mut force = [zero; E];
    let mut is_active = [false; E];
    // Force that would stop the sliding of each element at the present forces of the others.
    let mut stopping = [zero; E];
    let mut stiffness = [zero; E];
    let mut compliance = [[zero; E]; E];
    // Loops instead of closures, because code that runs in lanes must be inlined.
    let mut free_speeds = *u;
    for i in 0..D {
        free_speeds[i] = u[i] + dt * a[i];
    }
    for e in 0..E {
        let bounded = elements[e].bound.gt(zero);
        if !bounded.any() {
            continue;
        }
        is_active[e] = true;
        let response = system.apply(&elements[e].direction);
        for f in 0..=e {
            if is_active[f] {
                // The matrix is symmetric: each pair is computed once.
                let entry = dt * dot(&response, &elements[f].direction);
                compliance[e][f] = entry;
                compliance[f][e] = entry;
            }
        }
        let usable = bounded & compliance[e][e].gt(zero);
        stiffness[e] = R::select(usable, R::of(1.0) / compliance[e][e], zero);
        stopping[e] = -(elements[e].speed(&free_speeds) * stiffness[e]);
    }
    let mut iterating = !R::Mask::none();
    for _ in 0..SWEEPS {
        let mut largest = zero;
        for e in 0..E {
            if !is_active[e] {
                continue;
            }
            let bound = elements[e].bound;
            let clamped = stopping[e].min(bound).max(-bound);
            let change = R::select(iterating, clamped - force[e], zero);
            force[e] = R::select(iterating, clamped, force[e]);
            for f in 0..E {
                if f != e && is_active[f] {
                    stopping[f] = stopping[f] - (compliance[e][f] * stiffness[f]) * change;
                }
            }
            largest = (change * compliance[e][e]).abs().max(largest);
        }
        iterating = iterating & largest.ge(R::of(CONVERGED));
        if !iterating.any() {
            break;
        }
    }
    force
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An inverse mass matrix, row by row.
    struct Matrix<const D: usize>([[f64; D]; D]);

    impl<const D: usize> InverseMass<D, f64> for Matrix<D> {
        fn apply(&self, forces: &[f64; D]) -> [f64; D] {
            self.0.map(|row| dot(&row, forces))
        }
    }

    #[test]
    fn a_block_sticks_below_the_bound_and_slides_above_it() {
        let element = [Element { direction: [1.0], bound: 2.0 }];
        let (mass, dt) = (0.5, 1e-3);
        for push in [0.0, 1.0, -1.9, 3.0] {
            let (mut u, mut x) = (0.0, 0.0);
            for _ in 0..1000 {
                let f = forces(&element, &[1.0 / mass], &[u], &[push / mass], dt)[0];
                u += dt * (push + f) / mass;
                x += dt * u;
            }
            if f64::abs(push) <= 2.0 {
                assert!(f64::abs(x) < 1e-12, "creeps {x}");
            } else {
                assert!((u - (push - 2.0) / mass).abs() < 1e-9, "{u}");
            }
        }
    }

    #[test]
    fn a_sliding_block_stops_and_stays_at_rest() {
        let element = [Element { direction: [1.0], bound: 1.0 }];
        let mut u = 1.0;
        for _ in 0..3000 {
            u += 1e-3 * forces(&element, &[1.0], &[u], &[0.0], 1e-3)[0];
        }
        assert!(f64::abs(u) < 1e-15);
    }

    #[test]
    fn coupled_elements_all_come_to_rest() {
        let w = [[2.0, 0.5], [0.5, 1.0]];
        let elements = [
            Element { direction: [1.0, 0.0], bound: 5.0 },
            Element { direction: [0.3, -1.0], bound: 5.0 },
        ];
        let (u, a, dt) = ([1e-3, -2e-3], [0.4, 0.3], 1e-3);
        let f = forces(&elements, &Matrix(w), &u, &a, dt);
        let end: [f64; 2] = std::array::from_fn(|i| {
            let push: f64 = (0..2)
                .map(|e| {
                    f[e] * (w[i][0] * elements[e].direction[0] + w[i][1] * elements[e].direction[1])
                })
                .sum();
            u[i] + dt * (a[i] + push)
        });
        for e in &elements {
            assert!(e.speed(&end).abs() < 1e-6, "{end:?}");
        }
    }
}
