//! Coulomb friction as an implicit update.
//!
//! Several friction elements act on a system of `D` speeds u with inverse mass matrix W. Element
//! i opposes the sliding speed sᵢ = gᵢ·u with |fᵢ| ≤ bᵢ. The forces are found once a (sub)step so
//! that the sliding speed *at its end* would vanish, and clamped to the bound: what can stick
//! sticks without creep, what slides is opposed at full strength, and friction never sets the
//! step [Moreau 1988: the time-stepping form of the set-valued law]. First order in the step.

/// One friction element on `D` speeds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Element<const D: usize> {
    /// Sliding speed per unit of each speed.
    pub direction: [f64; D],
    /// Largest force (or torque), ≥ 0.
    pub bound: f64,
}

impl<const D: usize> Element<D> {
    /// Sliding speed at the speeds `u`.
    #[inline]
    #[must_use]
    pub fn speed(&self, u: &[f64; D]) -> f64 {
        dot(&self.direction, u)
    }
}

#[inline]
fn dot<const D: usize>(a: &[f64; D], b: &[f64; D]) -> f64 {
    let mut sum = 0.0;
    for i in 0..D {
        sum += a[i] * b[i];
    }
    sum
}

/// Sweeps over the elements: enough for the residual to fall below a thousandth of the bounds
/// with the few, weakly coupled elements this is used for.
const SWEEPS: u32 = 6;

/// Change of a sliding speed below which the sweeps have settled, m/s or rad/s.
const SETTLED: f64 = 1e-10;

/// Friction forces, each opposing its own sliding, for speeds `u`, friction-free accelerations
/// `a`, inverse mass matrix `w` and a (sub)step of `dt` s (projected Gauss–Seidel).
#[must_use]
pub fn forces<const D: usize, const E: usize>(
    elements: &[Element<D>; E],
    w: &[[f64; D]; D],
    u: &[f64; D],
    a: &[f64; D],
    dt: f64,
) -> [f64; E] {
    let mut force = [0.0; E];
    let mut ahead: [f64; D] = std::array::from_fn(|i| u[i] + dt * a[i]);
    let push: [[f64; D]; E] =
        std::array::from_fn(|e| std::array::from_fn(|i| dt * dot(&w[i], &elements[e].direction)));
    let compliance: [f64; E] = std::array::from_fn(|e| dot(&push[e], &elements[e].direction));
    for _ in 0..SWEEPS {
        let mut largest = 0.0f64;
        for e in 0..E {
            let element = &elements[e];
            if element.bound <= 0.0 || compliance[e] <= 0.0 {
                continue;
            }
            let wanted = force[e] - element.speed(&ahead) / compliance[e];
            // Not `clamp`, which panics where a diverged caller hands over NaN.
            let clamped = wanted.min(element.bound).max(-element.bound);
            let change = clamped - force[e];
            if change != 0.0 {
                for i in 0..D {
                    ahead[i] += push[e][i] * change;
                }
                force[e] = clamped;
                largest = largest.max((change * compliance[e]).abs());
            }
        }
        if largest < SETTLED {
            break;
        }
    }
    force
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_sticks_below_the_bound_and_slides_above_it() {
        let element = [Element { direction: [1.0], bound: 2.0 }];
        let (mass, dt) = (0.5, 1e-3);
        for push in [0.0, 1.0, -1.9, 3.0] {
            let (mut u, mut x) = (0.0, 0.0);
            for _ in 0..1000 {
                let f = forces(&element, &[[1.0 / mass]], &[u], &[push / mass], dt)[0];
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
            u += 1e-3 * forces(&element, &[[1.0]], &[u], &[0.0], 1e-3)[0];
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
        let f = forces(&elements, &w, &u, &a, dt);
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
