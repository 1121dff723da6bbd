//! The key's drive inside a step: force in or motion in, and the finger between them.

use super::kinematics::Kinematics;
use super::spec::Spec;
use super::{STATES, state};
use crate::action::{Drive, STEP};
use crate::episode::Input;

/// Stiffness of the finger that presses toward a target, N/m [reference gesture].
pub const FINGER_STIFFNESS: f64 = 500.0;
/// Damping of that finger, N·s/m.
pub const FINGER_DAMPING: f64 = 0.5;

/// How the key is driven.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DriveKind {
    /// Not at all.
    Free,
    /// By a force at the front.
    Force,
    /// By a finger pressing toward a target.
    Finger,
    /// By an imposed motion of the front.
    Motion,
    /// By the thesis's manipulandum through k1–b1.
    Manipulandum,
}

/// The drive at one moment of a step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DriveNow {
    /// Kind.
    pub kind: DriveKind,
    /// Force N, depth m or angle rad.
    pub value: f64,
    /// Its rate through the step.
    pub rate: f64,
    /// Height of the damper tray, m.
    pub tray: f64,
}

impl DriveNow {
    /// The two ends of a step driven by `drive` with the tray moving between `tray` heights.
    #[must_use]
    pub fn ends(drive: Drive, tray: [f64; 2]) -> [Self; 2] {
        let (kind, [a, b]) = match drive {
            Drive::Free => (DriveKind::Free, [0.0; 2]),
            Drive::Force(f) => (DriveKind::Force, f),
            Drive::Finger(p) => (DriveKind::Finger, p),
            Drive::Motion(p) => (DriveKind::Motion, p),
            Drive::Manipulandum(d) => (DriveKind::Manipulandum, d),
        };
        let rate = (b - a) / STEP;
        [Self { kind, value: a, rate, tray: tray[0] }, Self { kind, value: b, rate, tray: tray[1] }]
    }

    /// Force on the key front, N.
    #[inline]
    pub fn force(&self, spec: &Spec, k: &Kinematics) -> f64 {
        match self.kind {
            DriveKind::Force => self.value,
            DriveKind::Finger if self.value > k.depth => (FINGER_STIFFNESS
                * (self.value - k.depth)
                + FINGER_DAMPING * (self.rate - spec.key.front * k.u[0]))
                .max(0.0),
            _ => 0.0,
        }
    }

    /// Torque of the manipulandum's coupling on the key, N·m.
    #[inline]
    pub fn couple(&self, spec: &Spec, k: &Kinematics, x: &[f64; STATES]) -> f64 {
        if self.kind == DriveKind::Manipulandum {
            let [stiffness, damping] = spec.coupling;
            stiffness * (self.value - x[state::KEY]) + damping * (self.rate - k.u[0])
        } else {
            0.0
        }
    }
}

impl Input for DriveNow {
    #[inline]
    fn lerp(&self, end: &Self, s: f64) -> Self {
        Self {
            kind: end.kind,
            value: self.value + (end.value - self.value) * s,
            rate: end.rate,
            tray: self.tray + (end.tray - self.tray) * s,
        }
    }
}
