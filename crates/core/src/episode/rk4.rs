//! The classical fourth-order Runge–Kutta step and its cubic interpolant.

use crate::math::real::Real;

/// Stages 2 to 4: share of the step, and weight relative to the first stage.
const STAGES: [(f64, f64); 3] = [(0.5, 2.0), (0.5, 2.0), (1.0, 1.0)];

/// x' inside one step, as a function of the share (0…1) of the step and of x.
///
/// A trait rather than a closure, so that `#[inline(always)]` applies: code that runs in lanes must be
/// compiled with the target features of its caller.
pub trait Slope<R, const N: usize> {
    /// x' at the share `s` of the step.
    fn at(&self, s: R, x: &[R; N]) -> [R; N];
}

impl<R, F: Fn(R, &[R; N]) -> [R; N], const N: usize> Slope<R, N> for F {
    #[inline(always)]
    fn at(&self, s: R, x: &[R; N]) -> [R; N] {
        self(s, x)
    }
}

/// x at the end of one step of length `h` that begins at `x` with x' = `rate`. Local error O(h⁵).
#[inline(always)]
pub fn step<R: Real, const N: usize>(
    rate: &[R; N],
    slope: &impl Slope<R, N>,
    x: &[R; N],
    h: R,
) -> [R; N] {
    let mut sum = *rate;
    let mut k = *rate;
    // A loop instead of three calls, so that the equations of motion are inlined once.
    for (share, weight) in STAGES {
        let (share, weight) = (R::of(share), R::of(weight));
        let dt = share * h;
        let mut stage = *x;
        for i in 0..N {
            stage[i] = x[i] + dt * k[i];
        }
        k = slope.at(share, &stage);
        for i in 0..N {
            sum[i] = sum[i] + weight * k[i];
        }
    }
    let sixth = h / R::of(6.0);
    let mut end = *x;
    for i in 0..N {
        end[i] = x[i] + sixth * sum[i];
    }
    end
}

/// Cubic Hermite interpolant of a step from the states and rates at both ends; error O(h⁴).
pub struct Interpolant<'a, const N: usize, R = f64> {
    /// Length of the step, s.
    pub h: R,
    /// State and rate at the start.
    pub start: (&'a [R; N], &'a [R; N]),
    /// State and rate at the end.
    pub end: (&'a [R; N], &'a [R; N]),
}

impl<R: Real, const N: usize> Interpolant<'_, N, R> {
    /// The state at the share `s` (0…1) of the step.
    #[inline(always)]
    #[must_use]
    pub fn at(&self, s: R) -> [R; N] {
        let (x0, f0) = self.start;
        let (x1, f1) = self.end;
        let (one, two, three) = (R::of(1.0), R::of(2.0), R::of(3.0));
        let h11 = s * s * (s - one);
        let h10 = s * (s - one) * (s - one);
        let h01 = s * s * (three - two * s);
        let mut x = *x0;
        for i in 0..N {
            x[i] = x0[i] + h01 * (x1[i] - x0[i]) + self.h * (h10 * f0[i] + h11 * f1[i]);
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Error against cos of x'' = −x from (1, 0) after 1 s in `steps` steps.
    fn error(steps: u32) -> f64 {
        let h = 1.0 / f64::from(steps);
        let mut x = [1.0, 0.0];
        for _ in 0..steps {
            x = step(&[x[1], -x[0]], &|_: f64, x: &[f64; 2]| [x[1], -x[0]], &x, h);
        }
        (x[0] - 1f64.cos()).abs()
    }

    #[test]
    fn halving_the_step_divides_the_error_by_sixteen() {
        let ratio = error(20) / error(40);
        assert!((14.5..17.5).contains(&ratio), "{ratio}");
    }

    #[test]
    fn the_interpolant_is_exact_for_cubics() {
        let x = |t: f64| [1.0 + t - 2.0 * t * t + 3.0 * t * t * t];
        let f = |t: f64| [1.0 - 4.0 * t + 9.0 * t * t];
        let h = 0.7;
        let p = Interpolant { h, start: (&x(0.0), &f(0.0)), end: (&x(h), &f(h)) };
        for s in [0.0, 0.13, 0.5, 0.9, 1.0] {
            assert!((p.at(s)[0] - x(s * h)[0]).abs() < 1e-14);
        }
    }
}
