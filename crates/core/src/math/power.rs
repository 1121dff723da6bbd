//! Powers that give the same bits on every machine and in every lane.

use std::f64::consts::{LN_2, SQRT_2};
use std::ops::Mul;

use crate::math::real::Real;
use crate::math::trig::series;

/// Square x².
#[inline(always)]
#[must_use]
pub fn square<T: Copy + Mul<Output = T>>(x: T) -> T {
    x * x
}

/// 1.5·2⁵²: adding and subtracting it rounds a number to an integer.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// Power xᵖ with a relative error below 1e-12, for positive `x` and results within 1e±300.
#[inline(always)]
#[must_use]
pub fn power<R: Real>(x: R, p: R) -> R {
    let y = p * log2(x);
    let whole = (y + R::of(ROUND)) - R::of(ROUND);
    let t = (y - whole) * R::of(LN_2);
    // eᵗ for |t| ≤ ln 2/2, by its Taylor series.
    let part = series(
        t,
        [
            1.0,
            1.0,
            1.0 / 2.0,
            1.0 / 6.0,
            1.0 / 24.0,
            1.0 / 120.0,
            1.0 / 720.0,
            1.0 / 5040.0,
            1.0 / 40_320.0,
            1.0 / 362_880.0,
            1.0 / 3_628_800.0,
        ],
    );
    part * R::two_to(whole)
}

/// Binary logarithm of a positive number with an error below 1e-13: the exponent, plus the logarithm of the
/// mantissa m between √½ and √2 as twice the inverse hyperbolic tangent of (m − 1)/(m + 1), over ln 2.
#[inline(always)]
fn log2<R: Real>(x: R) -> R {
    let (m, exponent) = x.split();
    let one = R::of(1.0);
    let above = m.gt(R::of(SQRT_2));
    let m = R::select(above, R::of(0.5) * m, m);
    let exponent = R::select(above, exponent + one, exponent);
    let s = (m - one) / (m + one);
    let twice = series(
        s * s,
        [
            2.0 / LN_2,
            2.0 / 3.0 / LN_2,
            2.0 / 5.0 / LN_2,
            2.0 / 7.0 / LN_2,
            2.0 / 9.0 / LN_2,
            2.0 / 11.0 / LN_2,
            2.0 / 13.0 / LN_2,
            2.0 / 15.0 / LN_2,
        ],
    );
    exponent + s * twice
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::kernel::Kernel;
    use crate::math::lane_work::Work;
    use crate::math::random::Random;

    struct Powers<'a>(&'a [f64], &'a [f64]);

    impl Work for Powers<'_> {
        type Out = Vec<f64>;

        fn run<R: Real>(self) -> Vec<f64> {
            let mut out = vec![0.0; self.0.len()];
            for at in (0..out.len()).step_by(R::LANES) {
                power(R::load(&self.0[at..]), R::load(&self.1[at..])).store(&mut out[at..]);
            }
            out
        }
    }

    #[test]
    fn powers_agree_with_the_library_and_have_the_same_bits_in_every_kernel() {
        let mut random = Random::new(1);
        let mut draw = |low: f64, high: f64| -> Vec<f64> {
            (0..8_000).map(|_| low + (high - low) * random.share()).collect()
        };
        let (exponents, powers) = (draw(-60.0, 10.0), draw(0.5, 5.0));
        let numbers: Vec<f64> = exponents.iter().map(|e| e.exp2()).collect();
        let plain = Powers(&numbers, &powers).run::<f64>();
        for ((x, p), found) in numbers.iter().zip(&powers).zip(&plain) {
            let exact = x.powf(*p);
            assert!((found / exact - 1.0).abs() < 1e-12, "{x}^{p}: {found}, not {exact}");
        }
        assert_eq!(power(1.0, 2.5), 1.0);
        for kernel in Kernel::available() {
            let found = kernel.run(Powers(&numbers, &powers));
            assert!(
                found.iter().zip(&plain).all(|(a, b)| a.to_bits() == b.to_bits()),
                "{kernel:?}"
            );
        }
    }
}
