//! Motion of the jack under each of its constraints: its stop on the wippen, the let-off button, the
//! knuckle's flank.

use crate::grand::SPEEDS;
use crate::grand::design::spec::Spec;
use crate::grand::equations::precomputed::Precomputed;
use touchback_core::math::real::Real;
use touchback_core::math::vec2::Vec2;

/// Motion of the bodies around the jack, on which its constraints depend.
#[derive(Clone, Copy, Debug)]
pub struct JackInputs<R = f64> {
    /// Direction of the wippen.
    pub wippen: Vec2<R>,
    /// Vector from wippen centre to jack centre in world axes, m.
    pub to_jack: Vec2<R>,
    /// Direction of the hammer.
    pub hammer: Vec2<R>,
    /// Wippen ratio dq5/dq1.
    pub r5: R,
    /// Velocity-product acceleration of the wippen, rad/s².
    pub b5: R,
    /// Independent speeds, rad/s.
    pub u: [R; SPEEDS],
}

/// Direction and motion of the jack: ω6 = key_ratio·u1 + hammer_ratio·u2 and
/// α6 = key_ratio·u̇1 + hammer_ratio·u̇2 + product.
#[derive(Clone, Copy, Debug)]
pub struct JackMotion<R = f64> {
    /// Direction (cos q6, sin q6) of the jack.
    pub direction: Vec2<R>,
    /// ∂ω6/∂u1.
    pub key_ratio: R,
    /// ∂ω6/∂u2.
    pub hammer_ratio: R,
    /// Velocity-product acceleration, rad/s².
    pub product: R,
}

/// Motion of a jack on its stop: it turns with the wippen.
#[inline(always)]
pub(crate) fn on_stop<R: Real>(n: &Precomputed<R>, g: &JackInputs<R>) -> JackMotion<R> {
    JackMotion {
        direction: n.jack_home.turned(g.wippen),
        key_ratio: g.r5,
        hammer_ratio: R::of(0.0),
        product: g.b5,
    }
}

/// Motion of a jack whose toe is guided by the button (loop S2).
#[inline(always)]
pub fn on_button<R: Real>(n: &Precomputed<R>, g: &JackInputs<R>) -> JackMotion<R> {
    let one = R::of(1.0);
    // Position of the toe relative to the jack's centre pin, divided by the toe's length.
    let y = ((n.button_from_wippen - g.to_jack.y) * n.inv_toe_length).min(one).max(-one);
    // The toe points toward the player: the cosine is negative.
    let x = -(one - y * y).sqrt();
    let toe = Vec2::new(n.toe_length * x, n.toe_length * y);
    let direction = Vec2::new(toe.dot(n.jack.toe), n.jack.toe.cross(toe)) * n.inv_toe_squared;
    let inv_x = one / toe.x;
    let key_ratio = -(g.r5 * g.to_jack.x * inv_x);
    let (w5, w6) = (g.r5 * g.u[0], key_ratio * g.u[0]);
    let product = (w5 * w5 * g.to_jack.y + w6 * w6 * toe.y - g.b5 * g.to_jack.x) * inv_x;
    JackMotion { direction, key_ratio, hammer_ratio: R::of(0.0), product }
}

/// Motion of a jack that leans on the flank of the knuckle.
#[inline(always)]
pub(crate) fn on_flank<R: Real>(n: &Precomputed<R>, g: &JackInputs<R>) -> JackMotion<R> {
    let (one, length) = (R::of(1.0), n.jack.length);
    let normal = g.hammer.perp();
    let from_hammer = g.to_jack - n.hammer_from_wippen;
    // Component along the shank of the fly's direction that puts the head at the knuckle's flank.
    let along = ((n.hammer.knuckle_edge - from_hammer.dot(g.hammer)) / length).min(one).max(-one);
    let axis = g.hammer * along + normal * (one - along * along).sqrt();
    let direction = axis.turned(Vec2::new(n.fly.x, -n.fly.y));
    let head = axis * length;
    let lever = head.dot(normal);
    let to_head = from_hammer + head;
    let key_ratio = g.r5 * g.to_jack.perp().dot(g.hammer) / lever;
    let hammer_ratio = to_head.dot(normal) / lever;
    let w5 = g.r5 * g.u[0];
    let w6 = key_ratio * g.u[0] + hammer_ratio * g.u[1];
    let v_head = g.to_jack.perp() * w5 + head.perp() * w6;
    let a_jack = g.to_jack.perp() * g.b5 - g.to_jack * (w5 * w5);
    let product = (a_jack.dot(g.hammer) - w6 * w6 * head.dot(g.hammer)
        + R::of(2.0) * g.u[1] * v_head.dot(normal)
        - g.u[1] * g.u[1] * to_head.dot(g.hammer))
        / lever;
    JackMotion { direction, key_ratio, hammer_ratio, product }
}

/// Gap between toe and button for the jack direction `jack`, m; negative where they overlap.
#[inline(always)]
pub fn gap<R: Real>(n: &Precomputed<R>, to_jack: Vec2<R>, jack: Vec2<R>) -> R {
    n.button_from_wippen - (to_jack.y + n.jack.toe.turned(jack).y)
}

/// [`gap`] from the specification of a key, m.
pub fn toe_gap(spec: &Spec, to_jack: Vec2, jack: Vec2) -> f64 {
    spec.jack.button_height - (spec.wippen.pivot.y + to_jack.y + spec.jack.toe.turned(jack).y)
}
