//! Marginal stability of a sampled spring on a damped mass, alone or held by a finger.
//!
//! The closed loop Φ − ΓK[1 0] has complex poles on the unit circle if its determinant is 1: [Gillespie 1996, eqs. 6.5 and 6.13] for the manipulandum alone and with the finger.

use nalgebra::{Complex, Matrix2};
use touchback_core::exchange::cancel;

use touchback_core::episode::locate::first_nonpositive;
use touchback_haptics::wall::sampled::plant::Plant;

/// The loop of `plant` and a sampled spring K over one period.
#[must_use]
pub fn closed_loop(plant: &Plant, stiffness: f64, period: f64) -> Matrix2<f64> {
    let d = plant.discrete(period);
    d.phi - d.gamma * nalgebra::RowVector2::new(stiffness, 0.0)
}

/// Poles of the loop of `plant` and a sampled spring.
#[must_use]
pub fn poles(plant: &Plant, stiffness: f64, period: f64) -> [Complex<f64>; 2] {
    let a = closed_loop(plant, stiffness, period);
    let (half, det) = (0.5 * a.trace(), a.determinant());
    let square = half * half - det;
    let root = square.abs().sqrt();
    if square < 0.0 {
        [Complex::new(half, root), Complex::new(half, -root)]
    } else {
        [Complex::new(half + root, 0.0), Complex::new(half - root, 0.0)]
    }
}

/// The damping of the plant, N·s/m, that puts the poles of the sampled spring on the unit circle; the damping
/// in `plant` is not used. Negative if a finger has more damping than needed; `None` if no damping within
/// ±10³ K T does.
#[must_use]
pub fn damping(plant: &Plant, stiffness: f64, period: f64) -> Option<f64> {
    let excess = |b: f64| {
        let plant = Plant { damping: plant.damping + b, ..*plant };
        closed_loop(&plant, stiffness, period).determinant() - 1.0
    };
    // Searched from the continuous limit outward: the determinant falls with the damping.
    let mut reach = stiffness * period;
    for _ in 0..10 {
        cancel::check();
        let (low, high) = (excess(-reach), excess(reach));
        if low > 0.0 && high <= 0.0 {
            let at = |s: f64| excess(-reach + 2.0 * s * reach);
            return Some(-reach + 2.0 * reach * first_nonpositive(at, low, high, 1e-16));
        }
        reach *= 2.0;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_haptics::wall::sampled::plant::FINGER;

    const MASS: Plant = Plant { mass: 0.3, damping: 0.0, stiffness: 0.0, bias: 0.0 };
    const K: f64 = 5000.0;

    #[test]
    fn marginal_dampings_of_the_mass_agree_with_the_reference() {
        let expected =
            [(0.5, 1.24957), (1.0, 2.49653), (2.0, 4.97238), (5.0, 12.08081), (10.0, 21.97488)];
        for (ms, b) in expected {
            let t = ms * 1e-3;
            let got = damping(&MASS, K, t).unwrap();
            assert!((got - b).abs() < 5.1e-6, "{ms} ms: {got}");
            // Equation 6.5, and both poles on the circle.
            let m = MASS.mass;
            let printed = (-got * t / m).exp() * (1.0 - (K * t / got) / (1.0 - m * K / got / got));
            assert!((printed - 1.0).abs() < 1e-11, "{printed}");
            for pole in poles(&Plant { damping: got, ..MASS }, K, t) {
                assert!(pole.im != 0.0 && (pole.norm() - 1.0).abs() < 1e-13);
            }
        }
        let t = 1e-6;
        assert!((damping(&MASS, K, t).unwrap() / (0.5 * K * t) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_finger_reduces_the_required_damping() {
        let expected = [
            (0.5, -2.5004),
            (1.0, -1.2534),
            (2.0, 1.2228),
            (3.0, 3.6587),
            (5.0, 8.3363),
            (10.0, 18.2531),
        ];
        for (ms, b) in expected {
            let t = ms * 1e-3;
            let got = damping(&MASS.with(FINGER), K, t).unwrap();
            assert!((got - b).abs() < 5.1e-5, "{ms} ms: {got}");
            // Equation 6.13 with its exponents corrected.
            let m = MASS.mass + FINGER.mass;
            let a = 0.5 * (got + FINGER.damping) / m;
            let w = (FINGER.stiffness / m - a * a).sqrt();
            let (s, c) = (w * t).sin_cos();
            let e = (-a * t).exp();
            let b6 = e * e + a / w * e * s - e * c;
            if w.is_finite() {
                let printed = K / FINGER.stiffness * b6 + e * e;
                assert!((printed - 1.0).abs() < 1e-11, "{printed}");
            }
        }
        let free = |t: f64| damping(&MASS.with(FINGER), K, t).unwrap();
        assert!(free(1.50464e-3) < 0.0 && free(1.50466e-3) > 0.0);
    }
}
