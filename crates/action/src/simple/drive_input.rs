//! The drive of a simple action at one instant of a step.

use crate::STEP;
use crate::interface::finger;
use crate::interface::port::Drive;
use crate::interface::trajectory::Cubic;
use touchback_core::episode::Input;

/// Drive of the key front at one instant. Depths are positive down.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum DriveInput {
    /// Force, N.
    Force(f64),
    /// Force of a wave junction, N, and its impedance, N·s/m.
    Wave(f64, f64),
    /// Target depth of a finger, m, and its rate, m/s.
    Finger(f64, f64),
    /// Imposed motion.
    Motion {
        /// Depth, m, and speed, m/s, at the beginning of the step.
        from: [f64; 2],
        /// Acceleration at this instant, m/s².
        acceleration: f64,
    },
}

/// What a drive gives to the lever of a key; the other quantity follows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Given {
    /// Force, N.
    Force(f64),
    /// Acceleration of the front, m/s².
    Acceleration(f64),
}

impl DriveInput {
    /// The drives at both ends of a step under `drive`. The manipulandum of the thesis drives only the grand;
    /// here it gives no force.
    #[must_use]
    pub fn ends(drive: Drive) -> [Self; 2] {
        let speed = |[a, b]: [f64; 2]| (b - a) / STEP;
        match drive {
            Drive::Free | Drive::Manipulandum(_) => [Self::Force(0.0); 2],
            Drive::Force(f) => f.map(Self::Force),
            Drive::Wave { force, impedance } => [Self::Wave(force, impedance); 2],
            Drive::Finger(p) => p.map(|x| Self::Finger(x, speed(p))),
            Drive::Motion { depth, speed } => Self::motion(&Cubic { depth, speed, seconds: STEP }),
        }
    }

    /// The inputs at both ends of an imposed motion.
    #[must_use]
    pub fn motion(motion: &Cubic) -> [Self; 2] {
        let from = [motion.depth[0], motion.speed[0]];
        motion.accelerations().map(|acceleration| Self::Motion { from, acceleration })
    }

    /// The drive at the end of a step under `drive`, for readings; of an imposed motion with the mean acceleration
    /// of the step, which errors of its positions change least.
    #[must_use]
    pub(crate) fn at_end(drive: Drive) -> Self {
        match Self::ends(drive) {
            [Self::Motion { acceleration: a, from }, Self::Motion { acceleration: b, .. }] => {
                Self::Motion { from, acceleration: 0.5 * (a + b) }
            }
            [_, end] => end,
        }
    }

    /// What is given to a front at `depth` m that moves at `speed` m/s.
    #[inline]
    #[must_use]
    pub fn given(&self, depth: f64, speed: f64) -> Given {
        Given::Force(match *self {
            Self::Force(f) => f,
            Self::Wave(f, impedance) => f - impedance * speed,
            Self::Finger(target, rate) => {
                let pressed = target - depth;
                if pressed > 0.0 {
                    (finger::STIFFNESS * pressed + finger::DAMPING * (rate - speed)).max(0.0)
                } else {
                    0.0
                }
            }
            Self::Motion { acceleration, .. } => return Given::Acceleration(acceleration),
        })
    }

    /// Force of the drive, N, and acceleration, m/s², of a front at `depth` m and `speed` m/s with the mass
    /// `mass` kg, which resists with `load` N.
    #[inline]
    #[must_use]
    pub(crate) fn on_mass(&self, depth: f64, speed: f64, mass: f64, load: f64) -> (f64, f64) {
        match self.given(depth, speed) {
            Given::Force(f) => (f, (f - load) / mass),
            Given::Acceleration(a) => (load + mass * a, a),
        }
    }

    /// Whether the motion is imposed.
    #[must_use]
    pub const fn is_imposed(&self) -> bool {
        matches!(self, Self::Motion { .. })
    }
}

impl Input for DriveInput {
    #[inline]
    fn lerp(&self, end: &Self, s: f64) -> Self {
        match (*self, *end) {
            (Self::Force(a), Self::Force(b)) => Self::Force(a + (b - a) * s),
            (Self::Finger(a, _), Self::Finger(b, v)) => Self::Finger(a + (b - a) * s, v),
            (Self::Motion { from, acceleration: a }, Self::Motion { acceleration: b, .. }) => {
                Self::Motion { from, acceleration: a + (b - a) * s }
            }
            (_, other) => other,
        }
    }
}
