//! Coulomb friction as an implicit update.
//!
//! Several friction elements act on a system of `D` speeds u. Element
//! i opposes the sliding speed sᵢ = gᵢ·u with |fᵢ| ≤ bᵢ. The forces are found once a (sub)step so
//! that the sliding speed *at its end* would vanish, and clamped to the bound: what can stick
//! sticks without creep, what slides is opposed at full strength, and friction never sets the
//! step [Moreau 1988: the time-stepping form of the set-valued law]. First order in the step.

use crate::math::real::{Mask, Real};

/// One friction element on `D` speeds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Element<const D: usize, R = f64> {
    /// Sliding speed per unit of each speed.
    pub direction: [R; D],
    /// Largest force (or torque), ≥ 0.
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

/// How a system answers forces on its speeds.
///
/// A trait, because a closure cannot be told to be inlined.
pub trait InverseMass<const D: usize, R> {
    /// Accelerations under the generalized `forces` alone.
    fn apply(&self, forces: &[R; D]) -> [R; D];
}

/// One over the inertia of each speed, none coupled to another.
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

/// Sweeps over the elements: enough for the residual to fall below a thousandth of the bounds
/// with the few, weakly coupled elements this is used for.
const SWEEPS: u32 = 6;

/// Change of a sliding speed below which the sweeps have settled, m/s or rad/s.
const SETTLED: f64 = 1e-10;

/// Friction forces, each opposing its own sliding, for speeds `u`, friction-free accelerations
/// `a`, a system that yields as `system` says and a (sub)step of `dt` s (projected Gauss–Seidel).
///
/// Works on the forces alone, through the matrix of what each takes off the one that another would
/// need to stop its sliding. Elements without a bound take no part.
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
    let mut lives = [false; E];
    // What would stop each one's sliding, the others' forces being what they are.
    let mut stopping = [zero; E];
    let mut stiffness = [zero; E];
    let mut yields = [[zero; E]; E];
    // Loops and no closures: what runs in lanes must be inlined.
    let mut ahead = *u;
    for i in 0..D {
        ahead[i] = u[i] + dt * a[i];
    }
    for e in 0..E {
        let bounded = elements[e].bound.gt(zero);
        if !bounded.any() {
            continue;
        }
        lives[e] = true;
        let push = system.apply(&elements[e].direction);
        for f in 0..=e {
            if lives[f] {
                // Symmetric: each pair once.
                let yielding = dt * dot(&push, &elements[f].direction);
                yields[e][f] = yielding;
                yields[f][e] = yielding;
            }
        }
        let usable = bounded & yields[e][e].gt(zero);
        stiffness[e] = R::select(usable, R::of(1.0) / yields[e][e], zero);
        stopping[e] = -(elements[e].speed(&ahead) * stiffness[e]);
    }
    let mut going = !R::Mask::none();
    for _ in 0..SWEEPS {
        let mut largest = zero;
        for e in 0..E {
            if !lives[e] {
                continue;
            }
            let bound = elements[e].bound;
            let wanted = stopping[e].min(bound).max(-bound);
            let change = R::select(going, wanted - force[e], zero);
            force[e] = R::select(going, wanted, force[e]);
            for f in 0..E {
                if f != e && lives[f] {
                    stopping[f] = stopping[f] - (yields[e][f] * stiffness[f]) * change;
                }
            }
            largest = (change * yields[e][e]).abs().max(largest);
        }
        going = going & largest.ge(R::of(SETTLED));
        if !going.any() {
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
    fn a_sliding_block_stops_and_stays() {
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
