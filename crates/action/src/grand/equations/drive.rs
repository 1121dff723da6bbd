//! The key's drive inside a step: force in or motion in, and the finger between them.

use crate::grand::equations::kinematics::Kinematics;
use crate::grand::equations::precomputed::Precomputed;
use crate::grand::{STATES, state};
use crate::interface::finger;
use crate::{Drive, STEP};
use touchback_core::episode::Input;
use touchback_core::math::real::{MOST_LANES, Mask, Real};

/// Target of a finger that does not touch the key, m: far above it.
pub const AWAY: f64 = -1.0;

/// What is given of the key, and what follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Causality {
    /// The force at the front is, by a finger or directly: the motion follows.
    Force,
    /// The motion of the front is: the force follows.
    Motion,
    /// The motion of the thesis's manipulandum is, which drives the key through k1–b1.
    Manipulandum,
}

/// The drive at one moment of a step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DriveNow<R = f64> {
    /// Same in all lanes.
    pub causality: Causality,
    /// Force on the key front, N, the finger's and the damper's left out.
    pub force: R,
    /// Damper of a wave junction between the key front and rest, N·s/m.
    pub impedance: R,
    /// Depth the finger presses toward or the front is at, m, or the manipulandum's angle, rad.
    pub target: R,
    /// Its rate through the step.
    pub rate: R,
    /// Height of the damper tray, m.
    pub tray: R,
}

impl DriveNow {
    /// The two ends of a step driven by `drive` with the tray moving between `tray` heights.
    #[must_use]
    pub fn ends(drive: Drive, tray: [f64; 2]) -> [Self; 2] {
        let causality = Causality::of(drive);
        let (force, target) = match drive {
            Drive::Free => ([0.0; 2], [AWAY; 2]),
            Drive::Force(f) => (f, [AWAY; 2]),
            Drive::Wave { force, .. } => ([force; 2], [AWAY; 2]),
            Drive::Finger(p) | Drive::Motion(p) | Drive::Manipulandum(p) => ([0.0; 2], p),
        };
        let impedance = if let Drive::Wave { impedance, .. } = drive { impedance } else { 0.0 };
        let rate = (target[1] - target[0]) / STEP;
        std::array::from_fn(|end| Self {
            causality,
            force: force[end],
            impedance,
            target: target[end],
            rate,
            tray: tray[end],
        })
    }
}

impl Causality {
    /// Of `drive`.
    #[must_use]
    pub const fn of(drive: Drive) -> Self {
        match drive {
            Drive::Free | Drive::Force(_) | Drive::Wave { .. } | Drive::Finger(_) => Self::Force,
            Drive::Motion(_) => Self::Motion,
            Drive::Manipulandum(_) => Self::Manipulandum,
        }
    }
}

impl<R: Real> DriveNow<R> {
    /// The drives of several keys side by side.
    #[inline(always)]
    pub fn gather(causality: Causality, drives: &[DriveNow; MOST_LANES]) -> Self {
        Self {
            causality,
            force: R::from_lanes(|l| drives[l].force),
            impedance: R::from_lanes(|l| drives[l].impedance),
            target: R::from_lanes(|l| drives[l].target),
            rate: R::from_lanes(|l| drives[l].rate),
            tray: R::from_lanes(|l| drives[l].tray),
        }
    }

    /// The motion of the front is imposed.
    #[inline(always)]
    pub fn is_imposed(&self) -> bool {
        self.causality == Causality::Motion
    }

    /// The manipulandum drives.
    #[inline(always)]
    pub fn is_coupled(&self) -> bool {
        self.causality == Causality::Manipulandum
    }

    /// The drive a share `s` (0…1) of the way from `self` to `end`.
    #[inline(always)]
    #[must_use]
    pub fn toward(&self, end: &Self, s: R) -> Self {
        Self {
            causality: self.causality,
            force: self.force + (end.force - self.force) * s,
            impedance: end.impedance,
            target: self.target + (end.target - self.target) * s,
            rate: end.rate,
            tray: self.tray + (end.tray - self.tray) * s,
        }
    }

    /// Force on the key front, N.
    #[inline(always)]
    pub fn force(&self, n: &Precomputed<R>, k: &Kinematics<R>) -> R {
        let zero = R::of(0.0);
        if self.causality != Causality::Force {
            return zero;
        }
        let speed = n.key.front * k.u[0];
        let given = self.force - self.impedance * speed;
        let pressed = self.target - k.depth;
        let touching = pressed.gt(zero);
        if !touching.any() {
            return given;
        }
        let finger =
            R::of(finger::STIFFNESS) * pressed + R::of(finger::DAMPING) * (self.rate - speed);
        R::select(touching, given + finger.max(zero), given)
    }

    /// Torque of the manipulandum's coupling on the key, N·m.
    #[inline(always)]
    pub fn couple(&self, n: &Precomputed<R>, k: &Kinematics<R>, x: &[R; STATES]) -> R {
        n.coupling_stiffness * (self.target - x[state::KEY])
            + n.coupling_damping * (self.rate - k.u[0])
    }
}

impl Input for DriveNow {
    #[inline(always)]
    fn lerp(&self, end: &Self, s: f64) -> Self {
        self.toward(end, s)
    }
}
