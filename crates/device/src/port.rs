//! Wave variables at the port of a transmission line [Niemeyer and Slotine 1991].
//!
//! The velocity v, m/s, of the body at the port and the force f, N, on it have the same positive
//! direction. With the impedance Z, N·s/m, the arriving wave a and the leaving wave b, √W,
//!
//! f = √(2Z) a − Z v,  b = √(2Z) v − a,  f v = (a² − b²)/2
//!
//! The power that the body receives is that of the arriving wave less that of the leaving one, whatever
//! v. Keyboard, servo and the experiments of the laboratory use this module.

use crate::real::Real;

/// The number 2 of √(2Z).
fn two<F: Real>() -> F {
    F::of(2.0)
}

/// A port of an impedance Z.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Port<F = f64> {
    impedance: F,
    /// √(2Z).
    root: F,
}

impl<F: Real> Port<F> {
    /// A port of `impedance` N·s/m, positive.
    #[must_use]
    pub fn new(impedance: F) -> Self {
        Self { impedance, root: (two::<F>() * impedance).sqrt() }
    }

    /// Impedance Z, N·s/m.
    #[must_use]
    pub const fn impedance(&self) -> F {
        self.impedance
    }

    /// Drive √(2Z) a: force of the arriving wave on a body at rest, N.
    #[must_use]
    pub fn drive(&self, arriving: F) -> F {
        self.root * arriving
    }

    /// Wave, √W, with the [`Port::drive`] of `drive` N.
    #[must_use]
    pub fn wave(&self, drive: F) -> F {
        drive / self.root
    }

    /// Force on the body along +v, N.
    #[must_use]
    pub fn force(&self, arriving: F, velocity: F) -> F {
        self.force_of(self.drive(arriving), velocity)
    }

    /// Force on the body along +v, N, from the drive of the arriving wave, N. A keyboard stores the wave as
    /// a force, so that a change of Z leaves the force continuous.
    #[must_use]
    pub fn force_of(&self, drive: F, velocity: F) -> F {
        drive - self.impedance * velocity
    }

    /// Leaving wave, √W.
    #[must_use]
    pub fn leaving(&self, arriving: F, velocity: F) -> F {
        self.root * velocity - arriving
    }

    /// Energy that the body receives through these waves in `time` s, J.
    #[must_use]
    pub fn energy(arriving: F, leaving: F, time: F) -> F {
        F::of(0.5) * (arriving * arriving - leaving * leaving) * time
    }

    /// Mean velocity, m/s, of a `mass`, kg, at the port over a step of `h` s, from its `velocity`, m/s, at
    /// the beginning and a further force `load`, N. By the mid-point rule ½mv² changes exactly by the
    /// work; the velocity at the end is twice the mean less the one at the beginning.
    #[must_use]
    pub fn mean_velocity(&self, mass: F, velocity: F, arriving: F, load: F, h: F) -> F {
        mean_velocity(self.impedance, self.drive(arriving) + load, mass, velocity, h)
    }

    /// Velocity, m/s, of a massless body at the port in front of a one-sided spring of `stiffness` N/m over
    /// a step of `h` s. At the beginning the body compresses the spring by `depth` m, or is −`depth` m away
    /// from it. The mean force of the spring is the change of its energy divided by the change of depth, so
    /// that it returns the energy it took also where contact begins or ends within the step.
    #[must_use]
    pub fn spring_velocity(&self, stiffness: F, depth: F, arriving: F, h: F) -> F {
        let (z, drive) = (self.impedance, self.drive(arriving));
        let (half, none) = (F::of(0.5), F::of(0.0));
        let a = z + half * h * stiffness;
        if depth > none {
            let touching = (drive - stiffness * depth) / a;
            if depth + h * touching >= none {
                return touching;
            }
            // Contact ends in this step: Z v² − drive v − K d²/2h = 0.
            let root = (drive * drive + two::<F>() * z * stiffness * depth * depth / h).sqrt();
            return half * (drive - root) / z;
        }
        let free = drive / z;
        if depth + h * free <= none {
            return free;
        }
        // Contact begins in this step: a v² + (K d − drive) v + K d²/2h = 0, the larger root.
        let b = drive - stiffness * depth;
        let root = (b * b - two::<F>() * a * stiffness * depth * depth / h).max(none).sqrt();
        half * (b + root) / a
    }
}

/// [`Port::mean_velocity`] from the `impedance`, N·s/m, and the sum `force`, N, of drive and load.
#[must_use]
pub fn mean_velocity<F: Real>(impedance: F, force: F, mass: F, velocity: F, h: F) -> F {
    let half = F::of(0.5) * h;
    (mass * velocity + half * force) / (mass + half * impedance)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAVES: [f64; 5] = [-2.0, -0.3, 0.0, 0.7, 3.0];
    const H: f64 = 125e-6;

    fn ports() -> impl Iterator<Item = Port> {
        [0.5, 7.0, 25.0].into_iter().map(Port::new)
    }

    /// f = √(2Z) a − Z v, b = √(2Z) v − a.
    #[test]
    fn the_body_receives_the_energy_of_the_arriving_less_the_leaving_wave() {
        for port in ports() {
            for arriving in WAVES {
                assert!((port.wave(port.drive(arriving)) - arriving).abs() < 1e-12);
                let held = (2.0 * port.impedance()).sqrt() * arriving;
                assert!((port.force(arriving, 0.0) - held).abs() < 1e-12);
                assert_eq!(port.leaving(arriving, 0.0), -arriving);
                for velocity in [-0.4, 0.1, 2.0] {
                    let leaving = port.leaving(arriving, velocity);
                    let force = held - port.impedance() * velocity;
                    assert!((port.force(arriving, velocity) - force).abs() < 1e-12);
                    let given = force * velocity * H;
                    assert!((Port::energy(arriving, leaving, H) - given).abs() < 1e-15);
                }
            }
        }
    }

    /// The mid-point rule: the momentum changes by the impulse of the force, the energy by its work.
    #[test]
    fn the_energy_of_a_mass_changes_by_the_work_at_the_mean_velocity() {
        let mut moved = 0.0f64;
        for port in ports() {
            for arriving in WAVES {
                for (mass, velocity, load) in [(0.03, 0.2, 0.5), (0.2, -1.0, -3.0), (1.0, 0.0, 0.0)]
                {
                    let mean = port.mean_velocity(mass, velocity, arriving, load, H);
                    let next = 2.0 * mean - velocity;
                    let force = port.force(arriving, mean) + load;
                    assert!((mass * (next - velocity) - force * H).abs() < 1e-12);
                    let gained = 0.5 * mass * (next * next - velocity * velocity);
                    assert!((gained - force * mean * H).abs() < 1e-12);
                    moved = moved.max((next - velocity).abs());
                }
            }
        }
        assert!(moved > 1e-3, "{moved}");
    }

    /// The spring stores what the port gives: without contact, in contact, and where it begins or ends.
    #[test]
    fn a_one_sided_spring_returns_the_energy_it_took() {
        let mut seen = [0; 4];
        for port in ports() {
            for arriving in WAVES {
                for stiffness in [100.0, 5e3, 4e4] {
                    for depth in [-3e-3, -2e-5, -1e-6, 0.0, 1e-6, 2e-5, 3e-3] {
                        let v = port.spring_velocity(stiffness, depth, arriving, H);
                        let end = depth + H * v;
                        let force = port.force(arriving, v);
                        let stored = |depth: f64| 0.5 * stiffness * depth.max(0.0).powi(2);
                        let more = stored(end) - stored(depth);
                        let scale = 1e-12 + 1e-9 * (stored(end) + stored(depth));
                        assert!((force * v * H - more).abs() < scale, "{depth} {v}");
                        let case = 2 * usize::from(depth > 0.0) + usize::from(end > 0.0);
                        seen[case] += 1;
                        match case {
                            0 => assert!(force.abs() < 1e-12, "a free body feels no force"),
                            1 => assert!(v > 0.0 && force > 0.0),
                            2 => assert!(v < 0.0 && force > 0.0),
                            _ => {
                                let mean = stiffness * (depth + 0.5 * H * v);
                                assert!((force - mean).abs() < 1e-9 * (1.0 + mean));
                            }
                        }
                    }
                }
            }
        }
        assert!(seen.iter().all(|cases| *cases > 10), "{seen:?}");
    }
}
