//! Losses inside the string and under the damper; [`mobility`](crate::strings::mobility) has the loss to the bridge.
//!
//! A single string loses σ_k = b1 + b3 ω_k² inside and 2 f0 Z Re Y(f_k) to the bridge
//! [Weinreich 1977], with the wave impedance Z and the bridge mobility Y. N strings in phase lose N
//! times as much to the bridge, which causes the two-stage decay.

use std::f64::consts::PI;

use touchback_core::math::compass::{KeyNumber, log_linear};

/// b1 by key number, 1/s: fitted, with b3 and the bridge's mobility, to the decays of two recorded
/// grands of different makers (`touchback lab recorded`), within the bands of measured early decay
/// (10-20 s at A0, 4-8 s at C4, 0.15-0.3 s at C8) and with an aftersound that falls at a quarter to
/// a third of its rate. [Bensa 2003] has 0.25 at C2. From key 64 on b1, b3 and
/// [`SIDEWAYS_SHARE`](crate::strings::unison) are fitted together to the body of three recorded grands at every third key.
const INTERNAL: [(f64, f64); 10] = [
    (1.0, 0.2),
    (16.0, 0.135),
    (28.0, 0.28),
    (40.0, 0.4),
    (52.0, 0.6),
    (60.0, 0.59),
    (64.0, 1.5),
    (70.0, 1.4),
    (76.0, 1.3),
    (88.0, 0.7),
];

/// b3 by key number, s: fitted as b1; [Bensa 2003]'s b2 over the square of the wave speed is 2.9e-9
/// at C2, 2.5e-9 at C4 and 1.2e-8 at C7.
const INTERNAL_SLOPE: [(f64, f64); 7] = [
    (16.0, 2.25e-9),
    (40.0, 1.2e-9),
    (52.0, 2.9e-9),
    (60.0, 2.1e-9),
    (70.0, 2.6e-9),
    (76.0, 1.4e-8),
    (88.0, 1.6e-8),
];

/// Decay time (60 dB) of the first partial under the resting damper by key number, s: fitted so
/// that the whole sound falls in 1.7, 1.1, 0.6, 0.5 and 0.4 s at A0, C2, C3, C4 and C5, as Sondius
/// loop gains; above C5 the times lengthen again. E6 has the last damper.
const DAMPED_T60: [(f64, f64); 7] =
    [(1.0, 2.8), (16.0, 1.6), (28.0, 0.69), (40.0, 0.61), (52.0, 0.57), (64.0, 1.0), (68.0, 1.5)];

/// Number of the last key with a damper, E6.
pub const LAST_DAMPER: u8 = 68;

/// Whether `key` has a damper.
#[must_use]
pub const fn has_damper(key: KeyNumber) -> bool {
    key.number() <= LAST_DAMPER
}

/// Middle and half-width of the damper felt over the string's length. Dampers are above the
/// hammers; the felt is so long that few partials have a node under it.
const DAMPER_FELT: (f64, f64) = (0.13, 0.02);

/// Loss of low partials inside one string of `key`, 1/s.
#[must_use]
pub fn internal(key: KeyNumber) -> f64 {
    log_linear(&INTERNAL, f64::from(key.number()))
}

/// Smallest [`internal`] loss of any key, 1/s.
#[must_use]
pub(crate) fn least_internal() -> f64 {
    INTERNAL.iter().fold(f64::INFINITY, |least, (_, loss)| least.min(*loss))
}

/// Growth of the loss inside a string of `key` with ω², s.
#[must_use]
pub(crate) fn internal_slope(key: KeyNumber) -> f64 {
    log_linear(&INTERNAL_SLOPE, f64::from(key.number()))
}

/// Loss that the resting damper adds to partial `k` of `key`, 1/s; 0 where there is no damper.
///
/// The felt absorbs in proportion to the partial's motion under it, x = sin² averaged over the felt and
/// relative to the first partial's, but not more than arrives there: 2 x/(1 + x) of the first partial's
/// loss. Partials with a node under the felt keep ringing.
#[must_use]
pub fn damper(key: KeyNumber, k: usize) -> f64 {
    if !has_damper(key) {
        return 0.0;
    }
    let (middle, half) = DAMPER_FELT;
    let motion = |k: f64| {
        let a = 2.0 * PI * k * half;
        0.5 - 0.5 * libm::cos(2.0 * PI * k * middle) * libm::sin(a) / a
    };
    let x = motion(k as f64) / motion(1.0);
    2.0 * x / (1.0 + x) * libm::log(1000.0) / log_linear(&DAMPED_T60, f64::from(key.number()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dampers_end_at_e6() {
        assert!(damper(KeyNumber::from_index(67).unwrap(), 1) > 1.0);
        assert_eq!(damper(KeyNumber::from_index(68).unwrap(), 1), 0.0);
    }
}
