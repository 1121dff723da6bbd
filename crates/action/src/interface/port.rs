//! The port of a key: its drive by a finger, a weight or a device.

use super::constants::STEP;

/// Drive of the key front during one action step. Pairs are values at the start and the end of the step,
/// linear in between but for a motion.
///
/// Positions are depths of the key front below its rest position, m, positive down.
#[derive(Clone, Copy, PartialEq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub enum Drive {
    /// The key is untouched.
    #[default]
    Free,
    /// A force on the key front, N, positive down.
    Force([f64; 2]),
    /// Target depth of a massless finger that presses through a one-sided spring (500 N/m, 0.5 N·s/m), m.
    Finger([f64; 2]),
    /// Imposed motion of the key front: a cubic in time. The force follows by inverse dynamics; that of a step is
    /// its work over its travel. Where the speed does not continue that of the key, it jumps at the beginning of
    /// the step. [`Trajectory`](crate::interface::trajectory::Trajectory) makes a continuous motion of positions.
    Motion {
        /// Depth, m.
        depth: [f64; 2],
        /// Speed, m/s, positive down.
        speed: [f64; 2],
    },
    /// The wave junction of a haptic keyboard: the force is `force` less `impedance` times the speed of the
    /// key front at each instant inside the step.
    Wave {
        /// √(2Z)·u, constant through the step, N, positive down.
        force: f64,
        /// Wave impedance Z, N·s/m.
        impedance: f64,
    },
    /// Angle D of the thesis's manipulandum, rad, which drives the key through k1–b1.
    Manipulandum([f64; 2]),
}

impl Drive {
    /// Imposed motion between two points, each a depth, m, and a speed, m/s.
    #[must_use]
    pub const fn between(from: [f64; 2], to: [f64; 2]) -> Self {
        Self::Motion { depth: [from[0], to[0]], speed: [from[1], to[1]] }
    }

    /// Imposed motion at constant speed between two depths, m.
    #[must_use]
    pub const fn line(depth: [f64; 2]) -> Self {
        Self::Motion { depth, speed: [(depth[1] - depth[0]) / STEP; 2] }
    }

    /// Imposed motion along `depth`, m, a function of time, in the step that begins at `time` s; the speeds are
    /// differences of the depths at two steps to either side.
    #[must_use]
    pub fn along(depth: impl Fn(f64) -> f64, time: f64) -> Self {
        let over = |t: f64, steps: f64| depth(t + steps * STEP) - depth(t - steps * STEP);
        let speed = |t: f64| (8.0 * over(t, 1.0) - over(t, 2.0)) / (12.0 * STEP);
        let point = |t: f64| [depth(t), speed(t)];
        Self::between(point(time), point(time + STEP))
    }

    /// Whether the motion of the key front is imposed.
    #[must_use]
    pub const fn is_motion(&self) -> bool {
        matches!(self, Self::Motion { .. })
    }

    /// The drive that holds the end value of this one.
    #[must_use]
    pub const fn held(self) -> Self {
        match self {
            Self::Free | Self::Wave { .. } => self,
            Self::Force([_, end]) => Self::Force([end; 2]),
            Self::Finger([_, end]) => Self::Finger([end; 2]),
            Self::Motion { depth: [_, end], .. } => Self::line([end; 2]),
            Self::Manipulandum([_, end]) => Self::Manipulandum([end; 2]),
        }
    }
}
