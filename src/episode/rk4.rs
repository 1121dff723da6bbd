//! The classical fourth-order Runge–Kutta step and its cubic interpolant.

/// x + k·h, component by component.
#[inline]
fn moved<const N: usize>(x: &[f64; N], k: &[f64; N], h: f64) -> [f64; N] {
    std::array::from_fn(|i| x[i] + h * k[i])
}

/// One step of length `h` of x' = `f`(s, x), s in 0…1 the share of the step.
///
/// Returns x at the end and x' at the start. Local error O(h⁵).
#[inline]
pub fn step<const N: usize>(
    mut f: impl FnMut(f64, &[f64; N]) -> [f64; N],
    x: &[f64; N],
    h: f64,
) -> ([f64; N], [f64; N]) {
    let k1 = f(0.0, x);
    let k2 = f(0.5, &moved(x, &k1, 0.5 * h));
    let k3 = f(0.5, &moved(x, &k2, 0.5 * h));
    let k4 = f(1.0, &moved(x, &k3, h));
    let end = std::array::from_fn(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
    (end, k1)
}

/// A step's cubic Hermite interpolant: values and rates at both ends; error O(h⁴).
pub struct Interpolant<'a, const N: usize> {
    /// Length of the step, s.
    pub h: f64,
    /// State and rate at the start.
    pub start: (&'a [f64; N], &'a [f64; N]),
    /// State and rate at the end.
    pub end: (&'a [f64; N], &'a [f64; N]),
}

impl<const N: usize> Interpolant<'_, N> {
    /// The state a share `s` (0…1) into the step.
    #[must_use]
    pub fn at(&self, s: f64) -> [f64; N] {
        let (x0, f0) = self.start;
        let (x1, f1) = self.end;
        let h11 = s * s * (s - 1.0);
        let h10 = s * (s - 1.0) * (s - 1.0);
        let h01 = s * s * (3.0 - 2.0 * s);
        std::array::from_fn(|i| {
            x0[i] + h01 * (x1[i] - x0[i]) + self.h * (h10 * f0[i] + h11 * f1[i])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x'' = −x from (1, 0): error after 1 s against cos.
    fn error(steps: u32) -> f64 {
        let h = 1.0 / f64::from(steps);
        let mut x = [1.0, 0.0];
        for _ in 0..steps {
            x = step(|_, x: &[f64; 2]| [x[1], -x[0]], &x, h).0;
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
