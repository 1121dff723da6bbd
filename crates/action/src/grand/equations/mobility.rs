//! Mobilities of the parts of a key where felts touch them: the acceleration per unit of force or torque.

use crate::grand::design::spec::{Hammer, Spec};
use touchback_core::math::trig::direction;
use touchback_core::math::vec2::Vec2;

/// Mobilities, 1/kg, or 1/(kg·m²) for torques. Each counts the parts that yield, and is at least as large
/// as with the other parts joined to them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Mobilities {
    /// Front of the key.
    pub front: f64,
    /// Crown of the hammer.
    pub crown: f64,
    /// Hammer's tail and backcheck.
    pub tail: f64,
    /// Knuckle with the butt, and the wippen under it, along the jack.
    pub knuckle: f64,
    /// Turn of the jack on the wippen.
    pub jack: f64,
    /// Toe of the jack.
    pub toe: f64,
    /// Side of the jack's head.
    pub side: f64,
    /// Turn of the repetition lever.
    pub lever: f64,
    /// Repetition lever under the drop screw.
    pub drop: f64,
    /// Knuckle and repetition lever.
    pub on_lever: f64,
    /// Damper.
    pub damper: f64,
}

impl Mobilities {
    /// The mobilities of the key `spec`.
    #[must_use]
    pub fn new(spec: &Spec) -> Self {
        let Spec { key, jack, lever, hammer, check, damper, wippen, .. } = spec;
        let turn = 1.0 / key.inertia;
        // Capstan to wippen at rest: angular ratio of wippen and key.
        let to_capstan = key.capstan.turned(direction(key.rest_angle)) - wippen.pivot;
        let heel = (to_capstan.norm_squared() - wippen.heel * wippen.heel).max(1e-6).sqrt();
        let ratio = key.capstan.norm_squared().sqrt() / heel;
        let lifted = |arm: Vec2| arm.norm_squared() * ratio * ratio * turn;
        // With a flexible shank the knuckle moves the butt alone.
        let butt = if hammer.bends() { hammer.butt_inertia() } else { hammer.inertia };
        let at_knuckle = hammer.knuckle * hammer.knuckle / butt;
        let pin = wippen.pivot + wippen.lever_pivot;
        let reach = hammer.pivot + Vec2::new(hammer.knuckle, -hammer.knuckle_depth) - pin;
        Self {
            front: key.front * key.front * turn,
            crown: hammer.crown * hammer.crown / hammer.head_inertia(),
            tail: tail(hammer, check.tail) + check.face.norm_squared() * turn,
            knuckle: at_knuckle + lifted(wippen.jack_pivot),
            jack: 1.0 / jack.inertia,
            toe: jack.toe.norm_squared() / jack.inertia,
            side: jack.length * jack.length / jack.inertia,
            lever: 1.0 / lever.inertia,
            drop: lever.drop_reach * lever.drop_reach / lever.inertia + lifted(wippen.lever_pivot),
            on_lever: at_knuckle
                + reach.norm_squared() / lever.inertia
                + lifted(wippen.lever_pivot),
            damper: 1.0 / damper.mass,
        }
    }
}

/// Mobility of the tail of a hammer in the direction in which it yields most: the hammer turns about its
/// pin, and with a flexible shank the head about the crown.
fn tail(hammer: &Hammer, tail: Vec2) -> f64 {
    let turned = tail.perp();
    if !hammer.bends() {
        return turned.norm_squared() / hammer.inertia;
    }
    // Inverse masses of hammer and bend, from T = ½ I_h q̇² + ½ I_b (q̇ − s β̇)².
    let (head, butt, share) = (hammer.head_inertia(), hammer.butt_inertia(), hammer.bend_share());
    let [own, coupled] = [1.0 / head, 1.0 / (share * head)];
    let bend = hammer.inertia / (share * share * head * butt);
    let bent = (tail - Vec2::new(hammer.crown, 0.0)).perp() * (1.0 - share);
    // Largest eigenvalue of the tail's inverse mass, a symmetric matrix of x and y.
    let element =
        |a: f64, b: f64, c: f64, d: f64| own * a * b + coupled * (a * d + b * c) + bend * c * d;
    let xx = element(turned.x, turned.x, bent.x, bent.x);
    let yy = element(turned.y, turned.y, bent.y, bent.y);
    let xy = element(turned.x, turned.y, bent.x, bent.y);
    let (mean, half) = (0.5 * (xx + yy), 0.5 * (xx - yy));
    mean + (half * half + xy * xy).sqrt()
}
