//! The drive of a simple action at one instant of a step.

use crate::STEP;
use crate::interface::finger;
use crate::interface::port::Drive;
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
    /// Imposed depth, m, and speed, m/s.
    Motion(f64, f64),
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
            Drive::Motion(p) => p.map(|x| Self::Motion(x, speed(p))),
        }
    }

    /// Force on a front at `depth` m that moves at `speed` m/s, N; `None` for imposed motion, whose force
    /// follows from the motion.
    #[inline]
    #[must_use]
    pub fn force(&self, depth: f64, speed: f64) -> Option<f64> {
        match *self {
            Self::Force(f) => Some(f),
            Self::Wave(f, impedance) => Some(f - impedance * speed),
            Self::Finger(target, rate) => {
                let pressed = target - depth;
                Some(if pressed > 0.0 {
                    (finger::STIFFNESS * pressed + finger::DAMPING * (rate - speed)).max(0.0)
                } else {
                    0.0
                })
            }
            Self::Motion(..) => None,
        }
    }

    /// Whether the motion is imposed.
    #[must_use]
    pub(crate) const fn is_imposed(&self) -> bool {
        matches!(self, Self::Motion(..))
    }
}

impl Input for DriveInput {
    #[inline]
    fn lerp(&self, end: &Self, s: f64) -> Self {
        match (*self, *end) {
            (Self::Force(a), Self::Force(b)) => Self::Force(a + (b - a) * s),
            (Self::Finger(a, _), Self::Finger(b, v)) => Self::Finger(a + (b - a) * s, v),
            (Self::Motion(a, _), Self::Motion(b, v)) => Self::Motion(a + (b - a) * s, v),
            (_, other) => other,
        }
    }
}
