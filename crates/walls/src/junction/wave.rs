//! The line between two ports: a delay.

use touchback_device::port::Port;

/// A line `N` ≥ 1 steps long; [`TransmissionLine::send`] advances its waves by one step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TransmissionLine<const N: usize> {
    port: Port,
    waves: [[f64; 2]; N],
    head: usize,
}

impl<const N: usize> TransmissionLine<N> {
    /// An empty line of `impedance` N·s/m.
    #[must_use]
    pub fn new(impedance: f64) -> Self {
        const { assert!(N > 0, "a line without length has no causal ends") };
        Self { port: Port::new(impedance), waves: [[0.0; 2]; N], head: 0 }
    }

    /// The port at either end.
    #[must_use]
    pub const fn port(&self) -> &Port {
        &self.port
    }

    /// Waves arriving at the near and the far end, √W.
    #[must_use]
    pub const fn arriving(&self) -> [f64; 2] {
        self.waves[self.head]
    }

    /// Sends the waves that leave the near and the far end in this step, √W.
    pub const fn send(&mut self, [near, far]: [f64; 2]) {
        self.waves[self.head] = [far, near];
        self.head = (self.head + 1) % N;
    }

    /// Energy in the line between steps of `h` s, J: ½hΣa² over both directions.
    #[must_use]
    pub fn energy(&self, h: f64) -> f64 {
        self.waves.iter().map(|[a, b]| 0.5 * h * (a * a + b * b)).sum()
    }

    /// Clears the waves.
    pub const fn clear(&mut self) {
        self.waves = [[0.0; 2]; N];
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const T: f64 = 1e-3;

    /// Checks static stiffness and mass of a line of `N` steps, measured at its ends.
    fn line<const N: usize>(z: f64) {
        let tau = T * f64::from(u32::try_from(N).unwrap());
        // Far end held, near end moved by x and then held: the force settles at (Z/τ)x.
        let mut line = TransmissionLine::<N>::new(z);
        let mut force = 0.0;
        for k in 0..4 * N {
            let v = if k < N { 0.01 / tau } else { 0.0 };
            let [near, far] = line.arriving();
            // Mean over a round trip, because waves travel without loss.
            if k >= 2 * N {
                force -= line.port().force(near, v) / (2.0 * tau / T);
            }
            line.send([line.port().leaving(near, v), line.port().leaving(far, 0.0)]);
        }
        assert!((force / (z / tau * 0.01) - 1.0).abs() < 1e-9, "{force}");
        // Far end free, near end moved at 2 Hz: inertia Zτ.
        let mut line = TransmissionLine::<N>::new(z);
        let w = std::f64::consts::TAU * 2.0;
        let (mut inertia, mut norm) = (0.0, 0.0);
        for k in 0..4000u32 {
            let t = f64::from(k) * T;
            let (v, a) = ((w * t).sin(), w * (w * t).cos());
            let [near, far] = line.arriving();
            let free = line.port().drive(far) / z;
            inertia -= line.port().force(near, v) * a;
            norm += a * a;
            line.send([line.port().leaving(near, v), line.port().leaving(far, free)]);
        }
        assert!((inertia / norm / (z * tau) - 1.0).abs() < 0.02, "{}", inertia / norm);
    }

    #[test]
    fn a_line_has_stiffness_z_over_tau_and_mass_z_tau() {
        line::<1>(50.0);
        line::<8>(12.0);
    }

    proptest! {
        /// Random, randomly exchanged passive terminations never extract more energy than was put in.
        #[test]
        fn random_terminations_never_see_net_energy(
            z in 0.5f64..200.0,
            steps in prop::collection::vec((-1.0f64..1.0, 0.0f64..1e5, 1e-3f64..1.0), 20..200),
        ) {
            let mut line = TransmissionLine::<3>::new(z);
            let (mut put_in, mut size, mut depth, mut v) = (0.0, 1e-12, 0.0f64, 0.0);
            for (push, stiffness, mass) in steps {
                // Near: an arbitrary velocity source. Far: an undamped one-sided spring behind a mass that is
                // exchanged only at rest.
                let [near, far] = line.arriving();
                let port = *line.port();
                put_in -= port.force(near, push) * push * T;
                let far_v = if depth == 0.0 {
                    let mean = port.mean_velocity(mass, v, far, 0.0, T);
                    put_in -= 0.5 * mass * ((2.0 * mean - v).powi(2) - v * v);
                    v = 2.0 * mean - v;
                    if stiffness > 5e4 {
                        // The spring is exchanged; its energy is lost.
                        depth = 1e-9;
                        v = 0.0;
                    }
                    mean
                } else {
                    let velocity = port.spring_velocity(1e4, depth, far, T);
                    let before = 0.5 * 1e4 * depth.max(0.0).powi(2);
                    depth += T * velocity;
                    put_in -= 0.5 * 1e4 * depth.max(0.0).powi(2) - before;
                    if stiffness < 100.0 && depth <= 0.0 {
                        depth = 0.0;
                    }
                    velocity
                };
                line.send([port.leaving(near, push), port.leaving(far, far_v)]);
                size += push * push * z * T;
                // The line's energy is at most the energy put in.
                prop_assert!(line.energy(T) - put_in <= 1e-9 * size, "{} {put_in}", line.energy(T));
            }
        }
    }
}
