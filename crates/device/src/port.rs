//! The port of a transmission line: wave variables.
//!
//! Velocity v and force f on the body at the port are counted in the same direction. With the
//! arriving wave a and the leaving wave b, in √W,
//!
//! f = √(2Z) a − Z v,  b = √(2Z) v − a,  f v = (a² − b²)/2
//!
//! so that what a port gives its body is what came in less what went out, whatever v.
//! [Niemeyer and Slotine 1991]. Keyboard, servo and the laboratory's experiments share it.

use libm::sqrt;

/// A port of impedance Z.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Port {
    impedance: f64,
    root: f64,
}

impl Port {
    /// A port of `impedance` N·s/m, positive.
    #[must_use]
    pub fn new(impedance: f64) -> Self {
        Self { impedance, root: sqrt(2.0 * impedance) }
    }

    /// Z, N·s/m.
    #[must_use]
    pub const fn impedance(&self) -> f64 {
        self.impedance
    }

    /// √(2Z) a, the force of the arriving wave on a body held still, N.
    #[must_use]
    pub fn drive(&self, arriving: f64) -> f64 {
        self.root * arriving
    }

    /// The wave whose [`Port::drive`] is `drive` N, √W.
    #[must_use]
    pub fn wave(&self, drive: f64) -> f64 {
        drive / self.root
    }

    /// Force on the body along +v, N.
    #[must_use]
    pub fn force(&self, arriving: f64, velocity: f64) -> f64 {
        self.force_of(self.drive(arriving), velocity)
    }

    /// The same from the wave's drive: where a wave is kept as a force, as a keyboard does so that
    /// a change of Z leaves the force continuous.
    #[must_use]
    pub fn force_of(&self, drive: f64, velocity: f64) -> f64 {
        drive - self.impedance * velocity
    }

    /// The wave that leaves, √W.
    #[must_use]
    pub fn leaving(&self, arriving: f64, velocity: f64) -> f64 {
        self.root * velocity - arriving
    }

    /// Energy that the body gets from these waves in `time` s, J.
    #[must_use]
    pub fn energy(arriving: f64, leaving: f64, time: f64) -> f64 {
        0.5 * (arriving * arriving - leaving * leaving) * time
    }

    /// Mean velocity, m/s, over a step of `h` s of a mass (kg) at the port that had `velocity`
    /// m/s and feels `load` N besides: the mid-point rule, which keeps ½mv² exactly. The mass's
    /// next velocity is twice this less the last.
    #[must_use]
    pub fn mean_velocity(&self, mass: f64, velocity: f64, arriving: f64, load: f64, h: f64) -> f64 {
        mean_velocity(self.impedance, self.drive(arriving) + load, mass, velocity, h)
    }

    /// Velocity, m/s, of a massless body before a one-sided spring of `stiffness` N/m that it
    /// compresses by `depth` m (negative: as far away) at the beginning of the step of `h` s: the
    /// wall's side of a link. The spring's mean force is the change of its energy over that of
    /// the depth, so that it gives back what it took also where it is met or left in the step.
    #[must_use]
    pub fn spring_velocity(&self, stiffness: f64, depth: f64, arriving: f64, h: f64) -> f64 {
        let (z, drive) = (self.impedance, self.drive(arriving));
        let a = z + 0.5 * h * stiffness;
        if depth > 0.0 {
            let touching = (drive - stiffness * depth) / a;
            if depth + h * touching >= 0.0 {
                return touching;
            }
            // Left in this step: Z v² − drive v − K d²/2h = 0.
            let root = sqrt(drive * drive + 2.0 * z * stiffness * depth * depth / h);
            return 0.5 * (drive - root) / z;
        }
        let free = drive / z;
        if depth + h * free <= 0.0 {
            return free;
        }
        // Met in this step: a v² + (K d − drive) v + K d²/2h = 0, the larger root.
        let b = drive - stiffness * depth;
        let root = sqrt((b * b - 2.0 * a * stiffness * depth * depth / h).max(0.0));
        0.5 * (b + root) / a
    }
}

/// [`Port::mean_velocity`] for a port known by its `impedance` N·s/m, its drive and the load making
/// up `force` N.
#[must_use]
pub fn mean_velocity(impedance: f64, force: f64, mass: f64, velocity: f64, h: f64) -> f64 {
    let half = 0.5 * h;
    (mass * velocity + half * force) / (mass + half * impedance)
}
