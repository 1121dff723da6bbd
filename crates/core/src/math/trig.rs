//! Sine, cosine and their inverse for the angles of levers, with the same bits on every machine.

use crate::math::real::{Mask, Real};
use crate::math::vec2::Vec2;

/// `Σ coefficients[i] sⁱ`. The higher powers are summed in two independent chains, which halves the
/// latency; because they are small this costs no accuracy.
#[inline(always)]
pub(super) fn series<R: Real, const N: usize>(s: R, coefficients: [f64; N]) -> R {
    let square = s * s;
    let mut sums = [R::of(coefficients[N - 2]), R::of(coefficients[N - 1])];
    let mut i = N - 2;
    while i > 2 {
        i -= 1;
        // Powers of the parity of N−1 in the second sum, the others in the first.
        let sum = &mut sums[1 - (N - 1 - i) % 2];
        *sum = R::of(coefficients[i]) + square * *sum;
    }
    let [even, odd] = if N % 2 == 1 { [sums[1], sums[0]] } else { sums };
    R::of(coefficients[0]) + s * (R::of(coefficients[1]) + s * (even + s * odd))
}

/// (cos x, sin x) for |x| ≤ 1 rad with an error below 3e-16, by Taylor series; faster than the library's
/// and the same on every platform. The accuracy decreases gradually for larger angles.
#[inline(always)]
#[must_use]
pub fn direction<R: Real>(x: R) -> Vec2<R> {
    by_series::<R, 9, 9>(x)
}

/// [`direction`] for |x| ≤ 0.3 rad, with fewer terms and the same accuracy.
#[inline(always)]
#[must_use]
pub fn small_direction<R: Real>(x: R) -> Vec2<R> {
    by_series::<R, 7, 6>(x)
}

/// [`direction`] for |x| ≤ 0.1 rad, with the fewest terms and the same accuracy.
#[inline(always)]
#[must_use]
pub fn slight_direction<R: Real>(x: R) -> Vec2<R> {
    by_series::<R, 6, 5>(x)
}

/// (cos x, sin x) from the first `COS` and `SIN` coefficients of the series.
#[inline(always)]
fn by_series<R: Real, const COS: usize, const SIN: usize>(x: R) -> Vec2<R> {
    let s = x * x;
    let (cos, sin) = const { (leading::<COS>(&COSINE), leading::<SIN>(&SINE)) };
    Vec2::new(series(s, cos), x * series(s, sin))
}

/// Series of (sin x)/x in x².
const SINE: [f64; 9] = [
    1.0,
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 1_307_674_368_000.0,
    1.0 / 355_687_428_096_000.0,
];
/// Series of cos x in x².
const COSINE: [f64; 9] = [
    1.0,
    -0.5,
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
];

/// The first `N` coefficients of a series.
const fn leading<const N: usize>(all: &[f64; 9]) -> [f64; N] {
    let mut first = [0.0; N];
    let mut i = 0;
    while i < N {
        first[i] = all[i];
        i += 1;
    }
    first
}

/// Tangent of the half angle up to which [`angle`] uses the series: angles up to 0.53 rad.
const SERIES: f64 = 0.27;

/// Angle of a unit vector from the x axis, rad in (−π, π], with an error below 3e-16.
///
/// Twice the arctangent of y/(1 + x), the tangent of the half angle: by Taylor series up to 0.53 rad, by
/// the library above.
#[inline(always)]
#[must_use]
pub fn angle<R: Real>(v: Vec2<R>) -> R {
    let half = v.y / (R::of(1.0) + v.x);
    let s = half * half;
    let near = half
        * series(
            s,
            [
                2.0,
                -2.0 / 3.0,
                2.0 / 5.0,
                -2.0 / 7.0,
                2.0 / 9.0,
                -2.0 / 11.0,
                2.0 / 13.0,
                -2.0 / 15.0,
                2.0 / 17.0,
                -2.0 / 19.0,
                2.0 / 21.0,
                -2.0 / 23.0,
                2.0 / 25.0,
            ],
        );
    let in_reach = half.abs().le(R::of(SERIES));
    if in_reach.all() {
        return near;
    }
    R::select(in_reach, near, v.y.zip(v.x, libm::atan2))
}

/// Sine up to which [`small_angle`] uses the series.
const SMALL: f64 = 0.18;

/// Angle of a unit vector from the x axis, rad, with an error below 3e-16. Below 0.18 rad it is faster than
/// [`angle`]: it uses the Taylor series of the arcsine.
#[inline(always)]
#[must_use]
pub fn small_angle<R: Real>(v: Vec2<R>) -> R {
    let s = v.y * v.y;
    let near = v.y
        * series(
            s,
            [
                1.0,
                1.0 / 6.0,
                3.0 / 40.0,
                5.0 / 112.0,
                35.0 / 1152.0,
                63.0 / 2816.0,
                231.0 / 13_312.0,
                143.0 / 10_240.0,
                6_435.0 / 557_056.0,
                12_155.0 / 1_245_184.0,
            ],
        );
    let in_reach = v.y.abs().le(R::of(SMALL)) & v.x.gt(R::of(0.0));
    if in_reach.all() {
        return near;
    }
    R::select(in_reach, near, angle(v))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_agree_with_the_library() {
        for i in -1000..=1000 {
            let x = f64::from(i) / 1000.0;
            let d = direction(x);
            assert!((d.x - x.cos()).abs() < 3e-16 && (d.y - x.sin()).abs() < 3e-16, "{x}");
            for (x, d) in
                [(0.3 * x, small_direction(0.3 * x)), (0.1 * x, slight_direction(0.1 * x))]
            {
                assert!((d.x - x.cos()).abs() < 3e-16 && (d.y - x.sin()).abs() < 3e-16, "{x}");
            }
        }
    }

    #[test]
    fn angles_invert_directions() {
        for i in -3100..=3100 {
            let x = f64::from(i) / 1000.0;
            let found = angle(Vec2::unit(x));
            assert!((found - x).abs() < 3e-16 * x.abs().max(1.0), "{x} {found}");
            let small = small_angle(Vec2::unit(x));
            assert!((small - x).abs() < 3e-16 * x.abs().max(1.0), "{x} {small}");
        }
    }
}
