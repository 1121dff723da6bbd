//! What carries the jack: its stop on the wippen, the let-off button, or the knuckle's flank.

use crate::grand::SPEEDS;
use crate::grand::design::spec::Spec;
use crate::grand::equations::precomputed::Precomputed;
use touchback_core::math::real::Real;
use touchback_core::math::vec2::Vec2;

/// What the jack's closures need to know of the bodies around it.
#[derive(Clone, Copy, Debug)]
pub struct Ground<R = f64> {
    /// Direction of the wippen.
    pub wippen: Vec2<R>,
    /// Wippen centre to jack centre, world.
    pub to_jack: Vec2<R>,
    /// Direction of the hammer.
    pub hammer: Vec2<R>,
    /// dq5/dq1.
    pub r5: R,
    /// Velocity-product acceleration of the wippen, rad/s².
    pub b5: R,
    /// Independent speeds, rad/s.
    pub u: [R; SPEEDS],
}

/// The jack's direction and motion: ω6 = inv_key·u1 + inv_hammer·u2, α6 the same plus `product`.
#[derive(Clone, Copy, Debug)]
pub struct JackMotion<R = f64> {
    /// (cos q6, sin q6).
    pub direction: Vec2<R>,
    /// ∂ω6/∂u1.
    pub inv_key: R,
    /// ∂ω6/∂u2.
    pub inv_hammer: R,
    /// Velocity-product acceleration, rad/s².
    pub product: R,
}

/// Jack standing on its stop: it turns with the wippen.
#[inline(always)]
pub fn on_stop<R: Real>(n: &Precomputed<R>, g: &Ground<R>) -> JackMotion<R> {
    JackMotion {
        direction: n.jack_home.turned(g.wippen),
        inv_key: g.r5,
        inv_hammer: R::of(0.0),
        product: g.b5,
    }
}

/// Jack turned by its toe under the button (loop S2).
#[inline(always)]
pub fn on_button<R: Real>(n: &Precomputed<R>, g: &Ground<R>) -> JackMotion<R> {
    let one = R::of(1.0);
    // Where the toe stands, over its distance from the centre pin.
    let y = ((n.button_from_wippen - g.to_jack.y) * n.inv_toe_length).min(one).max(-one);
    // The toe reaches toward the player: the cosine is negative.
    let x = -(one - y * y).sqrt();
    let toe = Vec2::new(n.toe_length * x, n.toe_length * y);
    let direction = Vec2::new(toe.dot(n.jack.toe), n.jack.toe.cross(toe)) * n.inv_toe_squared;
    let inv_x = one / toe.x;
    let inv_key = -(g.r5 * g.to_jack.x * inv_x);
    let (w5, w6) = (g.r5 * g.u[0], inv_key * g.u[0]);
    let product = (w5 * w5 * g.to_jack.y + w6 * w6 * toe.y - g.b5 * g.to_jack.x) * inv_x;
    JackMotion { direction, inv_key, inv_hammer: R::of(0.0), product }
}

/// Jack leaning on the side of the knuckle.
#[inline(always)]
pub fn on_flank<R: Real>(n: &Precomputed<R>, g: &Ground<R>) -> JackMotion<R> {
    let (one, length) = (R::of(1.0), n.jack.length);
    let normal = g.hammer.perp();
    let from_hammer = g.to_jack - n.hammer_from_wippen;
    // Share of the fly along the shank that brings the head to the knuckle's side.
    let along = ((n.hammer.knuckle_edge - from_hammer.dot(g.hammer)) / length).min(one).max(-one);
    let axis = g.hammer * along + normal * (one - along * along).sqrt();
    let direction = axis.turned(Vec2::new(n.fly.x, -n.fly.y));
    let head = axis * length;
    let lever = head.dot(normal);
    let to_head = from_hammer + head;
    let inv_key = g.r5 * g.to_jack.perp().dot(g.hammer) / lever;
    let inv_hammer = to_head.dot(normal) / lever;
    let w5 = g.r5 * g.u[0];
    let w6 = inv_key * g.u[0] + inv_hammer * g.u[1];
    let v_head = g.to_jack.perp() * w5 + head.perp() * w6;
    let a_jack = g.to_jack.perp() * g.b5 - g.to_jack * (w5 * w5);
    let product = (a_jack.dot(g.hammer) - w6 * w6 * head.dot(g.hammer)
        + R::of(2.0) * g.u[1] * v_head.dot(normal)
        - g.u[1] * g.u[1] * to_head.dot(g.hammer))
        / lever;
    JackMotion { direction, inv_key, inv_hammer, product }
}

/// Height of the toe below the button's face for a jack of the given direction, m.
#[inline(always)]
pub fn gap<R: Real>(n: &Precomputed<R>, to_jack: Vec2<R>, jack: Vec2<R>) -> R {
    n.button_from_wippen - (to_jack.y + n.jack.toe.turned(jack).y)
}

/// The same from the dimensions.
pub fn toe_gap(spec: &Spec, to_jack: Vec2, jack: Vec2) -> f64 {
    spec.jack.button_height - (spec.wippen.pivot.y + to_jack.y + spec.jack.toe.turned(jack).y)
}
