//! The port of a key: how a finger, a weight or a device drives it.

/// What drives the key front during one action step: values at its start and end, linear between,
/// unless it says otherwise.
///
/// Positions are depths below the rest position of the key front, metres, positive down.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Drive {
    /// Nothing touches the key.
    #[default]
    Free,
    /// A force on the key front, N, positive down.
    Force([f64; 2]),
    /// A massless finger pressing through a one-sided spring (500 N/m, 0.5 N·s/m): its target, m.
    Finger([f64; 2]),
    /// Imposed key-front depth, m; the force follows by inverse dynamics.
    Motion([f64; 2]),
    /// The wave junction of a haptic keyboard: `force` less `impedance` times the key front's own
    /// speed, which is that of every moment inside the step.
    Wave {
        /// √(2Z)·u, held through the step, N, positive down.
        force: f64,
        /// Z, N·s/m.
        impedance: f64,
    },
    /// The thesis's manipulandum angle D, rad, driving the key through k1–b1.
    Manipulandum([f64; 2]),
}

impl Drive {
    /// The drive that holds the end of this one.
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
