//! Friction of one moment: what rubs, and what is held through the coming step.

use super::drive::DriveNow;
use super::dynamics::{Carried, SPEEDS};
use super::moment::Moment;
use super::precomputed::Precomputed;
use super::{STATES, state};
use crate::math::real::{Mask, Real};
use crate::mech::friction::{self, Element};

/// Friction held through a (sub)step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Held<R = f64> {
    /// Generalized forces on key, hammer, lever, jack and the shank's bend, N·m.
    pub torques: [R; SPEEDS],
    /// Force on the damper, N.
    pub on_damper: R,
}

impl<R: Real> Held<R> {
    /// Power turned into heat at the speeds `u`, W.
    #[inline(always)]
    pub fn loss(&self, u: &[R; SPEEDS]) -> R {
        let [key, hammer, lever, jack, bend] = self.torques;
        -(key * u[0] + hammer * u[1] + lever * u[2] + jack * u[3] + bend * u[4])
    }
}

impl<R: Real> Moment<R> {
    /// The friction to hold through the coming `dt` s; this moment is free of friction.
    #[inline(always)]
    #[must_use]
    pub fn friction(
        &self,
        n: &Precomputed<R>,
        input: &DriveNow<R>,
        x: &[R; STATES],
        dt: R,
    ) -> Held<R> {
        let (elements, forces) = self.rubbing(n, input, dt);
        Held { torques: self.torques(n, &elements, &forces), on_damper: self.damper_drag(n, x, dt) }
    }

    /// What the elements' forces come to on each speed, N·m.
    #[inline(always)]
    fn torques(
        &self,
        n: &Precomputed<R>,
        elements: &[Element<SPEEDS, R>; 6],
        forces: &[R; 6],
    ) -> [R; SPEEDS] {
        let [key, hammer, lever, knuckle, check, rolling] = *forces;
        let [_, _, _, on_knuckle, on_check, on_lever] = elements;
        let (a, b, c) = (&on_knuckle.direction, &on_check.direction, &on_lever.direction);
        [
            key - self.kinematics.r5 * lever + (knuckle * a[0] + check * b[0]) + rolling * c[0],
            hammer + (knuckle * a[1] + check * b[1]) + rolling * c[1],
            lever + rolling * c[2],
            knuckle * a[3],
            (knuckle * a[4] + check * b[4]) - n.bend_share * hammer + rolling * c[4],
        ]
    }

    /// Friction of the damper in its guide through the coming `dt` s: what stops it, or all there is.
    #[inline(always)]
    fn damper_drag(&self, n: &Precomputed<R>, x: &[R; STATES], dt: R) -> R {
        let stopping = self.balance.damper_force + n.damper_mass * x[state::DAMPER_SPEED] / dt;
        -stopping.min(n.damper_friction).max(-n.damper_friction)
    }

    /// The friction elements and their forces through the coming `dt` s.
    #[inline(always)]
    fn rubbing(
        &self,
        n: &Precomputed<R>,
        input: &DriveNow<R>,
        dt: R,
    ) -> ([Element<SPEEDS, R>; 6], [R; 6]) {
        let per_press = self.drag_per_press(n);
        let on_heel = self.on_heel(n, input);
        let drag = per_press * on_heel.abs();
        let mut elements = self.elements(n, drag);
        let mut mass = self.balance.mass;
        let (zero, one) = (R::of(0.0), R::of(1.0));
        if input.is_imposed() {
            // The key goes where it is told: friction there loads the drive, not the motion.
            mass.per_key = zero;
        }
        let u = &self.kinematics.u;
        let mut forces = friction::forces(&elements, &mass, u, &self.acceleration, dt);
        if input.is_imposed() {
            let bound = elements[0].bound;
            let sign = R::select(u[0].gt(zero), one, R::select(u[0].lt(zero), -one, zero));
            forces[0] = -(bound * sign);
        } else if n.capstan_friction.gt(zero).any() {
            // What friction takes off the key, and off its acceleration, does not bear on the heel.
            let torques = self.torques(n, &elements, &forces);
            let own = forces[0].min(n.key_friction).max(-n.key_friction);
            let slower = mass.key(&torques);
            let taken = own - n.key_inertia * slower;
            let bound = elements[0].bound - drag + per_press * (on_heel + taken).abs();
            let slides = forces[0].abs().ge(elements[0].bound);
            let sliding = R::select(forces[0].gt(zero), bound, -bound);
            let held = forces[0].min(bound).max(-bound);
            forces[0] = R::select(slides, sliding, held);
            elements[0].bound = bound;
        }
        (elements, forces)
    }

    /// The friction elements.
    #[inline(always)]
    fn elements(&self, n: &Precomputed<R>, capstan_drag: R) -> [Element<SPEEDS, R>; 6] {
        let (k, c) = (&self.kinematics, &self.contacts);
        let (zero, one) = (R::of(0.0), R::of(1.0));
        let mut key_bound = n.key_friction + capstan_drag;
        let rubbing = n.button_friction.gt(zero);
        if !n.is_rigid() && (c.button.force.gt(zero) & rubbing).any() {
            // As far as the toe stays on the button, the key slides it.
            let toe = n.toe.turned(k.jack.direction);
            let slide = k.r5 * (k.to_jack.y - toe.y * k.to_jack.x / toe.x);
            key_bound = key_bound + n.button_friction * c.button.force * slide.abs();
        }
        let rubbing = self.phases.on_button & rubbing;
        if n.is_rigid() && rubbing.any() {
            let carried = Carried::new(n, k);
            let toe = n.toe.turned(k.jack.direction);
            let a5 = k.r5 * self.acceleration[0] + k.b5;
            let a6 = k.jack.per_key * self.acceleration[0] + k.jack.product;
            let w5 = k.wippen_speed();
            let inertial = n.jack_inertia * a6 + carried.jack[0] * a5 + carried.jack[1] * w5 * w5;
            let button = ((self.balance.on_jack - inertial) / toe.x).max(zero);
            let slide = k.to_jack.y * k.r5 + toe.y * k.jack.per_key;
            let bound = key_bound + n.button_friction * button * slide.abs();
            key_bound = R::select(rubbing, bound, key_bound);
        }
        let slide = k.along_knuckle();
        let along = k.head.from_jack.perp().dot(slide);
        let butt = k.head.from_hammer.perp().dot(slide);
        let knuckle = [
            k.r5 * k.to_jack.perp().dot(slide) + k.jack.per_key * along,
            k.jack.per_hammer * along - butt,
            zero,
            if n.is_rigid() { zero } else { along },
            n.bend_share * butt,
        ];
        let (check, on_check) = &c.check;
        let (on_lever, bearing) = &c.lever;
        let rolling = on_lever.from_hammer.perp().dot(k.surface);
        let push = n.knuckle_friction * c.jack.force * k.head.per_across;
        [
            Element { direction: [one, zero, zero, zero, zero], bound: key_bound },
            Element { direction: [zero, one, zero, zero, -n.bend_share], bound: n.hammer_friction },
            Element { direction: [-k.r5, zero, one, zero, zero], bound: n.lever_friction },
            Element { direction: knuckle, bound: push },
            Element {
                direction: [check.along[0], check.along[1], zero, zero, check.along[2]],
                bound: n.check_friction * on_check.force,
            },
            Element {
                direction: [
                    -(k.r5 * k.to_lever.perp().dot(k.surface)),
                    rolling,
                    -on_lever.from_lever.perp().dot(k.surface),
                    zero,
                    -(n.bend_share * rolling),
                ],
                bound: n.on_lever_friction * bearing.force,
            },
        ]
    }

    /// Torque on the key by the capstan's slide along the heel, of one that the key passes on to the heel.
    #[inline(always)]
    fn drag_per_press(&self, n: &Precomputed<R>) -> R {
        let k = &self.kinematics;
        if n.capstan_friction.gt(R::of(0.0)).any() {
            n.capstan_friction * (k.r7 / (k.r5 * k.q7)).abs()
        } else {
            R::of(0.0)
        }
    }

    /// Torque that the key passes on to the heel, N·m: what it does not need for itself, friction left out.
    #[inline(always)]
    fn on_heel(&self, n: &Precomputed<R>, input: &DriveNow<R>) -> R {
        let on_key = self.balance.on_key - n.key_inertia * self.acceleration[0];
        if input.is_imposed() { on_key + n.front * self.key_force } else { on_key }
    }
}

impl Moment {
    /// Power that the friction of key (with capstan and button), hammer, lever, jack on knuckle,
    /// backcheck, knuckle on lever, and damper turns into heat, W, if it is held through the coming
    /// `dt` s; this moment is free of friction.
    #[must_use]
    pub fn friction_heat(
        &self,
        n: &Precomputed,
        input: &DriveNow,
        x: &[f64; STATES],
        dt: f64,
    ) -> [f64; 7] {
        let (elements, forces) = self.rubbing(n, input, dt);
        std::array::from_fn(|i| match (elements.get(i), forces.get(i)) {
            (Some(element), Some(force)) => -force * element.speed(&self.kinematics.u),
            _ => -self.damper_drag(n, x, dt) * x[state::DAMPER_SPEED],
        })
    }
}
