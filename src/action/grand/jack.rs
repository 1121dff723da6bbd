//! What carries the jack: its stop on the wippen, the let-off button, or the knuckle's flank.

use super::kinematics::Turns;
use super::spec::Spec;
use crate::math::vec2::Vec2;

/// What the jack's closures need to know of the bodies around it.
#[derive(Clone, Copy, Debug)]
pub struct Ground {
    /// Direction of the wippen.
    pub wippen: Vec2,
    /// Wippen centre to jack centre, world.
    pub to_jack: Vec2,
    /// Direction of the hammer.
    pub hammer: Vec2,
    /// dq5/dq1.
    pub r5: f64,
    /// Velocity-product acceleration of the wippen, rad/s².
    pub b5: f64,
    /// Independent speeds, rad/s.
    pub u: [f64; 3],
}

/// The jack's direction and motion: ω6 = per_key·u1 + per_hammer·u2, α6 the same plus `product`.
#[derive(Clone, Copy, Debug)]
pub struct JackMotion {
    /// (cos q6, sin q6).
    pub direction: Vec2,
    /// ∂ω6/∂u1.
    pub per_key: f64,
    /// ∂ω6/∂u2.
    pub per_hammer: f64,
    /// Velocity-product acceleration, rad/s².
    pub product: f64,
}

/// Jack standing on its stop: it turns with the wippen.
#[inline]
pub fn on_stop(turns: &Turns, g: &Ground) -> JackMotion {
    JackMotion {
        direction: turns.jack_home.turned(g.wippen),
        per_key: g.r5,
        per_hammer: 0.0,
        product: g.b5,
    }
}

/// Jack turned by its toe under the button (loop S2).
#[inline]
pub fn on_button(spec: &Spec, g: &Ground) -> JackMotion {
    let jack = &spec.jack;
    let length = jack.toe.norm_squared().sqrt();
    let height = jack.button_height - (spec.wippen.pivot.y + g.to_jack.y);
    // The toe reaches toward the player: the cosine is negative.
    let y = (height / length).clamp(-1.0, 1.0);
    let toe = Vec2::new(-length * (1.0 - y * y).sqrt(), length * y);
    let direction = Vec2::new(toe.dot(jack.toe), jack.toe.cross(toe)) * (1.0 / (length * length));
    let per_key = -g.r5 * g.to_jack.x / toe.x;
    let (w5, w6) = (g.r5 * g.u[0], per_key * g.u[0]);
    let product = -(g.b5 * g.to_jack.x - w5 * w5 * g.to_jack.y - w6 * w6 * toe.y) / toe.x;
    JackMotion { direction, per_key, per_hammer: 0.0, product }
}

/// Jack leaning on the side of the knuckle.
#[inline]
pub fn on_flank(spec: &Spec, turns: &Turns, g: &Ground) -> JackMotion {
    let h = &spec.hammer;
    let length = spec.jack.length;
    let normal = g.hammer.perp();
    let from_hammer = spec.wippen.pivot + g.to_jack - h.pivot;
    // Share of the fly along the shank that brings the head to the knuckle's side.
    let along = ((h.knuckle_edge - from_hammer.dot(g.hammer)) / length).clamp(-1.0, 1.0);
    let axis = g.hammer * along + normal * (1.0 - along * along).sqrt();
    let direction = axis.turned(conjugate(turns.fly));
    let head = axis * length;
    let lever = head.dot(normal);
    let to_head = from_hammer + head;
    let per_key = g.r5 * g.to_jack.perp().dot(g.hammer) / lever;
    let per_hammer = to_head.dot(normal) / lever;
    let w5 = g.r5 * g.u[0];
    let w6 = per_key * g.u[0] + per_hammer * g.u[1];
    let v_head = g.to_jack.perp() * w5 + head.perp() * w6;
    let a_jack = g.to_jack.perp() * g.b5 - g.to_jack * (w5 * w5);
    let product = (a_jack.dot(g.hammer) - w6 * w6 * head.dot(g.hammer)
        + 2.0 * g.u[1] * v_head.dot(normal)
        - g.u[1] * g.u[1] * to_head.dot(g.hammer))
        / lever;
    JackMotion { direction, per_key, per_hammer, product }
}

/// The inverse turn of a unit vector.
const fn conjugate(v: Vec2) -> Vec2 {
    Vec2::new(v.x, -v.y)
}

/// Height of the toe below the button's face for a jack of the given direction, m.
#[inline]
pub fn toe_gap(spec: &Spec, to_jack: Vec2, jack: Vec2) -> f64 {
    spec.jack.button_height - (spec.wippen.pivot.y + to_jack.y + spec.jack.toe.turned(jack).y)
}
