//! The port of a key: its drive by a finger, a weight or a device.

/// Drive of the key front during one action step. Pairs are values at the start and the end of the step,
/// linear in between.
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
    /// Imposed key-front depth, m; the force follows by inverse dynamics.
    Motion([f64; 2]),
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
    /// The drive that holds the end value of this one.
    #[must_use]
    pub const fn held(self) -> Self {
        match self {
            Self::Free | Self::Wave { .. } => self,
            Self::Force([_, end]) => Self::Force([end; 2]),
            Self::Finger([_, end]) => Self::Finger([end; 2]),
            Self::Motion([_, end]) => Self::Motion([end; 2]),
            Self::Manipulandum([_, end]) => Self::Manipulandum([end; 2]),
        }
    }
}
