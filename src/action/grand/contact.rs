//! The one-sided contacts of one key at one moment: compressions, their rates and where they act.

use super::kinematics::Kinematics;
use super::spec::Spec;
use super::{STATES, state};
use crate::math::vec2::Vec2;

/// A contact's compression and its rate of growth.
#[derive(Clone, Copy, Debug)]
pub struct Squeeze {
    /// Compression, m or rad; negative is a gap.
    pub depth: f64,
    /// Its rate, m/s or rad/s.
    pub rate: f64,
}

/// Knuckle on the repetition lever.
#[derive(Clone, Copy, Debug)]
pub struct KnuckleOnLever {
    /// Compression along the lever's normal.
    pub squeeze: Squeeze,
    /// Unit normal of the lever's surface.
    pub normal: Vec2,
    /// Hammer centre to the knuckle's lowest point.
    pub from_hammer: Vec2,
    /// Repetition-lever centre to the same point.
    pub from_lever: Vec2,
}

/// Geometry of knuckle on lever.
#[inline]
pub fn knuckle_on_lever(spec: &Spec, k: &Kinematics) -> KnuckleOnLever {
    let h = &spec.hammer;
    let from_hammer = Vec2::new(h.knuckle, -h.knuckle_depth).turned(k.hammer);
    let from_lever = h.pivot + from_hammer - (spec.wippen.pivot + k.to_lever);
    let normal = k.surface.perp();
    let velocity = from_hammer.perp() * k.u[1]
        - k.to_lever.perp() * k.wippen_speed()
        - from_lever.perp() * k.u[2];
    KnuckleOnLever {
        squeeze: Squeeze {
            depth: spec.lever.surface_height - from_lever.dot(normal),
            rate: -velocity.dot(normal),
        },
        normal,
        from_hammer,
        from_lever,
    }
}

/// Direction of the lever's upper surface.
#[inline]
pub fn surface(spec: &Spec, lever: Vec2) -> Vec2 {
    crate::math::trig::direction(spec.lever.surface_angle).turned(lever)
}

/// Lever on the drop screw: compression (vertical) and the arm from the lever's centre.
#[inline]
pub fn drop_screw(spec: &Spec, k: &Kinematics) -> (Squeeze, Vec2) {
    let arm = drop_point(spec, k.surface);
    let height = spec.wippen.pivot.y + k.to_lever.y + arm.y;
    let rate = k.wippen_speed() * k.to_lever.x + k.u[2] * arm.x;
    (Squeeze { depth: height - spec.lever.drop_height, rate }, arm)
}

/// From the lever's centre to the point under the drop screw, for a direction of its surface.
#[inline]
pub fn drop_point(spec: &Spec, surface: Vec2) -> Vec2 {
    surface.perp() * spec.lever.surface_height - surface * spec.lever.drop_reach
}

/// Angle of lever to wippen above its lower end (the regulating button is the lower angle), rad.
#[inline]
pub fn lever_angle(k: &Kinematics, x: &[f64; STATES]) -> f64 {
    // The wippen turns by less than 0.3 rad: the arcsine is its angle.
    x[state::LEVER] - k.wippen.y.asin()
}

/// Hammer tail on the backcheck.
#[derive(Clone, Copy, Debug)]
pub struct TailOnCheck {
    /// Compression along the face's normal.
    pub squeeze: Squeeze,
    /// Compression per unit of key and hammer angle, m/rad.
    pub across: [f64; 2],
    /// Upward slide of the tail along the face per unit of key and hammer angle, m/rad.
    pub along: [f64; 2],
}

/// Geometry of the tail on the backcheck.
#[inline]
pub fn tail_on_check(spec: &Spec, k: &Kinematics) -> TailOnCheck {
    let c = &spec.check;
    let tail = c.tail.turned(k.hammer);
    let at_tail = spec.hammer.pivot + tail;
    let normal = k.check_normal;
    let depth = (c.face.turned(k.key) - at_tail).dot(normal);
    // Velocity of the check's material point under the tail, and of the tail.
    let face = at_tail.perp();
    let across = [face.dot(normal), -tail.perp().dot(normal)];
    let upward = -normal.perp();
    let along = [-face.dot(upward), tail.perp().dot(upward)];
    let rate = across[0] * k.u[0] + across[1] * k.u[1];
    TailOnCheck { squeeze: Squeeze { depth, rate }, across, along }
}

/// Key tail under the damper, and the damper on its string and on the pedal's tray.
#[derive(Clone, Copy, Debug)]
pub struct DamperContacts {
    /// Key under damper.
    pub lift: Squeeze,
    /// Damper on string.
    pub seat: Squeeze,
    /// Tray under damper.
    pub tray: Squeeze,
}

/// Geometry of the damper's contacts with the pedal's tray `tray` m high.
#[inline]
pub fn damper(spec: &Spec, k: &Kinematics, x: &[f64; STATES], tray: f64) -> DamperContacts {
    let d = &spec.damper;
    let ratio = d.arm / spec.key.front;
    let (y, v) = (x[state::DAMPER], x[state::DAMPER_SPEED]);
    DamperContacts {
        lift: Squeeze { depth: ratio * (k.depth - d.pickup) - y, rate: d.arm * k.u[0] - v },
        seat: Squeeze { depth: -y, rate: -v },
        tray: Squeeze { depth: tray - y, rate: -v },
    }
}
