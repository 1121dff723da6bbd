//! A virtual mass coupled to the device by a sampled spring and damper: the largest stable stiffness.
//!
//! Device and finger move exactly under the held coupling force; the virtual mass is integrated
//! semi-implicitly; velocities are differences of sampled positions. In admittance display the
//! measured hand force drives the virtual mass and the coupling is the position servo K_p, K_d.

use nalgebra::{Complex, SMatrix};
use touchback_core::exchange::cancel;

use touchback_haptics::wall::sampled::plant::{FingerImpedance, Plant};

/// States: device y, v; its last sampled position; virtual Y, V.
const STATES: usize = 5;

/// The input of the virtual mass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheme {
    /// The coupling's reaction: the device's motion is the input.
    Impedance,
    /// The measured force of the hand on the device: the virtual motion is the servo's command.
    Admittance,
}

/// Device, finger, coupling and virtual mass.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Coupled {
    /// Input of the virtual mass.
    pub scheme: Scheme,
    /// The device alone.
    pub device: Plant,
    /// The finger on the device; a force sensor measures its force.
    pub finger: FingerImpedance,
    /// Virtual mass, kg.
    pub mass: f64,
    /// Coupling stiffness, N/m.
    pub stiffness: f64,
    /// Coupling damping, N·s/m.
    pub damping: f64,
    /// T, s.
    pub period: f64,
}

impl Coupled {
    /// The loop over one period, free of input.
    #[must_use]
    pub fn step(&self) -> SMatrix<f64, STATES, STATES> {
        let t = self.period;
        // The plant does not separate the inertia of the glued finger from the device's; the finger's force on
        // the device, −(m* a + b* v + k* y), is what the sensor reads.
        let whole = self.device.with(self.finger);
        let d = whole.discrete(t);
        let row = |v: [f64; STATES]| SMatrix::<f64, 1, STATES>::from_row_slice(&v);
        // Coupling force on the virtual mass, from sampled positions and their differences.
        let (k, b) = (self.stiffness, self.damping);
        let coupling = row([k + b / t, 0.0, -b / t, -k, -b]);
        let mut a = SMatrix::<f64, STATES, STATES>::zeros();
        for i in 0..2 {
            a[(i, 0)] = d.phi[(i, 0)];
            a[(i, 1)] = d.phi[(i, 1)];
            let on = a.row(i) - coupling * d.gamma[i];
            a.set_row(i, &on);
        }
        a[(2, 0)] = 1.0;
        let drive = match self.scheme {
            Scheme::Impedance => coupling,
            Scheme::Admittance => {
                // Acceleration of the whole under finger and coupling, now.
                let f = &self.finger;
                let load = row([f.stiffness, f.damping, 0.0, 0.0, 0.0]);
                let friction = row([self.device.stiffness, self.device.damping, 0.0, 0.0, 0.0]);
                let acceleration = -(load + friction + coupling) / whole.mass;
                -(load + acceleration * f.mass)
            }
        };
        let mut speed = drive * (t / self.mass);
        speed[4] += 1.0;
        a.set_row(4, &speed);
        let mut place = speed * t;
        place[3] += 1.0;
        a.set_row(3, &place);
        a
    }

    /// Largest modulus of a pole.
    #[must_use]
    pub fn radius(&self) -> f64 {
        radius(&self.step())
    }

    /// Largest coupling stiffness, N/m, to 0.1 %, up to which all stiffnesses of a grid are stable; `None` if the
    /// softest is not.
    #[must_use]
    pub fn stiffest(&self) -> Option<f64> {
        stiffest(|stiffness| Self { stiffness, ..*self }.radius())
    }
}

/// Largest stiffness, N/m, to 0.1 %, up to which the `radius` of a loop is at most 1 for all stiffnesses of a grid up to
/// 10⁸; `None` if it is not for the softest.
pub(super) fn stiffest(radius: impl Fn(f64) -> f64) -> Option<f64> {
    let stable = |k: f64| radius(k) < 1.0 + 1e-9;
    let mut k = 1.0;
    if !stable(k) {
        return None;
    }
    while k < 1e8 && stable(1.05 * k) {
        cancel::check();
        k *= 1.05;
    }
    let (mut low, mut high) = (k, 1.05 * k);
    while high - low > 1e-3 * low {
        let middle = 0.5 * (low + high);
        if stable(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}

/// Spectral radius by squaring: ‖A^{2ⁿ}‖^{1/2ⁿ}.
#[must_use]
pub fn radius<const N: usize>(a: &SMatrix<f64, N, N>) -> f64 {
    let (mut power, mut log, mut share) = (*a, 0.0, 1.0);
    for _ in 0..40 {
        let size = power.norm();
        if size == 0.0 {
            return 0.0;
        }
        power /= size;
        log += share * libm::log(size);
        power *= power;
        share *= 0.5;
    }
    libm::exp(log + share * libm::log(power.norm()))
}

/// F/X of the admittance display in continuous time at `s`: the device M, B, the servo K_p, K_d
/// and the virtual mass m; F/X = m s² (M s² + (B + K_d) s + K_p)/(m s² + K_d s + K_p).
#[must_use]
pub fn apparent(
    device: &Plant,
    mass: f64,
    stiffness: f64,
    damping: f64,
    s: Complex<f64>,
) -> Complex<f64> {
    let servo = s * damping + stiffness;
    let own = s * s * device.mass + s * device.damping;
    s * s * mass * (own + servo) / (s * s * mass + servo)
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_haptics::wall::sampled::plant::FINGER;

    const DEVICE: Plant = Plant { mass: 0.1, damping: 0.5, stiffness: 0.0, bias: 0.0 };

    fn coupled(scheme: Scheme, stiffness: f64) -> Coupled {
        let (mass, damping, period) = (0.1, 2.0, 1e-3);
        Coupled { scheme, device: DEVICE, finger: FINGER, mass, stiffness, damping, period }
    }

    #[test]
    fn the_radius_is_that_of_the_largest_pole() {
        let a = SMatrix::<f64, 3, 3>::new(0.5, 1.0, 7.0, -1.0, 0.5, -3.0, 0.0, 0.0, -0.9);
        assert!((radius(&a) - 1.25f64.sqrt()).abs() < 1e-9);
        assert!((radius(&SMatrix::<f64, 2, 2>::new(1.0, 1.0, 0.0, 1.0)) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_stable_loop_decays_and_an_unstable_one_grows() {
        for scheme in [Scheme::Impedance, Scheme::Admittance] {
            let most = coupled(scheme, 0.0).stiffest().unwrap();
            for (share, is_stable) in [(0.9, true), (1.1, false)] {
                let a = coupled(scheme, share * most).step();
                let mut x = SMatrix::<f64, STATES, 1>::new(1e-3, 0.0, 0.0, 0.0, 0.0);
                for _ in 0..20_000 {
                    x = a * x;
                    if x.norm() > 1e6 {
                        break;
                    }
                }
                assert_eq!(x.norm() < 1e-6, is_stable, "{scheme:?} {share} {}", x.norm());
            }
        }
    }

    #[test]
    fn the_display_has_the_virtual_mass_only_at_low_frequencies() {
        let (mass, k, b) = (0.3, 5000.0, 10.0);
        let felt = |w: f64| {
            let s = Complex::new(0.0, w);
            (apparent(&DEVICE, mass, k, b, s) / (s * s)).re
        };
        assert!((felt(1.0) - mass).abs() < 1e-3 * mass, "{}", felt(1.0));
        let fast = felt(1e5);
        assert!((fast - DEVICE.mass).abs() < 0.01 * DEVICE.mass, "{fast}");
    }
}
