//! The drive of a key inside a step: a force, an imposed motion, or a finger's spring and damper.

use crate::grand::equations::kinematics::Kinematics;
use crate::grand::equations::precomputed::Precomputed;
use crate::grand::{STATES, state};
use crate::interface::finger;
use crate::interface::trajectory::Cubic;
use crate::{Drive, STEP};
use touchback_core::episode::Input;
use touchback_core::math::real::{MOST_LANES, Mask, Real};

/// Target depth of a finger that does not touch the key, m: far above the key.
pub const AWAY: f64 = -1.0;

/// The quantity that is given; the other follows from the equations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Causality {
    /// The force at the key front is given, directly or by a finger; the motion follows.
    Force,
    /// The motion of the key front is given; the force follows.
    Motion,
    /// The motion of the thesis's manipulandum is given, which drives the key through k1–b1.
    Manipulandum,
}

/// The drive at one instant of a step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DriveNow<R = f64> {
    /// Causality, the same in all lanes.
    pub causality: Causality,
    /// Force on the key front, N, without those of finger and wave junction's damper; of an imposed motion its
    /// acceleration, m/s².
    pub given: R,
    /// Impedance of a wave junction: a damper between the key front and jack_inputs, N·s/m.
    pub impedance: R,
    /// Target depth of the finger, m, or angle of the manipulandum, rad; of an imposed motion its depth at the
    /// beginning of the step, m.
    pub target: R,
    /// Rate of `target`, constant through the step, m/s or rad/s; of an imposed motion its speed at the beginning
    /// of the step.
    pub rate: R,
    /// Height of the damper tray, m.
    pub tray: R,
}

impl DriveNow {
    /// The drive at both ends of a step, with the damper tray at the heights `tray` m.
    #[must_use]
    pub fn ends(drive: Drive, tray: [f64; 2]) -> [Self; 2] {
        let causality = Causality::of(drive);
        let along = |target: [f64; 2]| (target, (target[1] - target[0]) / STEP);
        let (given, (target, rate)) = match drive {
            Drive::Free => ([0.0; 2], along([AWAY; 2])),
            Drive::Force(f) => (f, along([AWAY; 2])),
            Drive::Wave { force, .. } => ([force; 2], along([AWAY; 2])),
            Drive::Finger(p) | Drive::Manipulandum(p) => ([0.0; 2], along(p)),
            Drive::Motion { depth, speed } => {
                let motion = Cubic { depth, speed, seconds: STEP };
                (motion.accelerations(), ([depth[0]; 2], speed[0]))
            }
        };
        let impedance = if let Drive::Wave { impedance, .. } = drive { impedance } else { 0.0 };
        std::array::from_fn(|end| Self {
            causality,
            given: given[end],
            impedance,
            target: target[end],
            rate,
            tray: tray[end],
        })
    }

    /// The drive at the end of a step under `drive`, for readings, with the damper tray at `tray` m; of an imposed
    /// motion with the mean acceleration of the step, which errors of its positions change least.
    #[must_use]
    pub fn at_end(drive: Drive, tray: f64) -> Self {
        let [begin, end] = Self::ends(drive, [tray; 2]);
        let given = if end.is_imposed() { 0.5 * (begin.given + end.given) } else { end.given };
        Self { given, ..end }
    }
}

impl Causality {
    /// The causality of `drive`.
    #[must_use]
    pub const fn of(drive: Drive) -> Self {
        match drive {
            Drive::Free | Drive::Force(_) | Drive::Wave { .. } | Drive::Finger(_) => Self::Force,
            Drive::Motion { .. } => Self::Motion,
            Drive::Manipulandum(_) => Self::Manipulandum,
        }
    }
}

impl<R: Real> DriveNow<R> {
    /// The drives of several keys, one in each lane.
    #[inline(always)]
    pub fn gather(causality: Causality, drives: &[DriveNow; MOST_LANES]) -> Self {
        Self {
            causality,
            given: R::from_lanes(|l| drives[l].given),
            impedance: R::from_lanes(|l| drives[l].impedance),
            target: R::from_lanes(|l| drives[l].target),
            rate: R::from_lanes(|l| drives[l].rate),
            tray: R::from_lanes(|l| drives[l].tray),
        }
    }

    /// Whether the motion of the front is imposed.
    #[inline(always)]
    pub fn is_imposed(&self) -> bool {
        self.causality == Causality::Motion
    }

    /// Whether the manipulandum drives the key.
    #[inline(always)]
    pub(crate) fn is_coupled(&self) -> bool {
        self.causality == Causality::Manipulandum
    }

    /// Linear interpolation: `self` at s = 0, `end` at s = 1.
    #[inline(always)]
    #[must_use]
    pub fn toward(&self, end: &Self, s: R) -> Self {
        Self {
            causality: self.causality,
            given: self.given + (end.given - self.given) * s,
            impedance: end.impedance,
            target: self.target + (end.target - self.target) * s,
            rate: end.rate,
            tray: self.tray + (end.tray - self.tray) * s,
        }
    }

    /// Force on the key front, N; 0 unless the causality is [`Causality::Force`].
    #[inline(always)]
    pub fn force(&self, n: &Precomputed<R>, k: &Kinematics<R>) -> R {
        let zero = R::of(0.0);
        if self.causality != Causality::Force {
            return zero;
        }
        let speed = n.key.front * k.u[0];
        let given = self.given - self.impedance * speed;
        let pressed = self.target - k.depth;
        let touching = pressed.gt(zero);
        if !touching.any() {
            return given;
        }
        let finger =
            R::of(finger::STIFFNESS) * pressed + R::of(finger::DAMPING) * (self.rate - speed);
        R::select(touching, given + finger.max(zero), given)
    }

    /// Torque of the manipulandum's coupling k1–b1 on the key, N·m.
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
