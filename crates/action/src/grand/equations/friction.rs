//! Coulomb friction of one key: the friction elements, and the forces held through the next step.
//!
//! Friction depends on the accelerations without friction, so it is computed from a frictionless
//! [`Evaluation`]; [`Evaluation::with_friction`] then adds it.

use crate::grand::equations::drive::DriveNow;
use crate::grand::equations::dynamics::WippenCoupling;
use crate::grand::equations::evaluation::Evaluation;
use crate::grand::equations::held_friction::HeldFriction;
use crate::grand::equations::precomputed::Precomputed;
use crate::grand::{SPEEDS, STATES, state};
use touchback_core::math::real::{Mask, Real};
use touchback_core::mech::felt::Contact;
use touchback_core::mech::friction::{self, Element};

/// Number of friction elements of a key.
pub(crate) const ELEMENTS: usize = 6;

/// Indices into the friction elements of a key and into their forces.
pub mod element {
    /// Bushings of the key, with the slide of the capstan on the heel and of the toe on the button.
    pub const KEY: usize = 0;
    /// Centre pin of the hammer.
    pub const HAMMER: usize = 1;
    /// Centre pin of the repetition lever.
    pub const LEVER: usize = 2;
    /// Slide of the jack head on the knuckle.
    pub(crate) const JACK_ON_KNUCKLE: usize = 3;
    /// Slide of the hammer tail on the backcheck.
    pub(crate) const TAIL_ON_CHECK: usize = 4;
    /// Slide of the knuckle on the repetition lever.
    pub(crate) const KNUCKLE_ON_LEVER: usize = 5;
}

/// The friction elements of a key, by [`element`].
type Elements<R> = [Element<SPEEDS, R>; ELEMENTS];

impl<R: Real> Evaluation<R> {
    /// Friction to be held through the next `dt` s; this evaluation must be free of friction.
    #[inline(always)]
    #[must_use]
    pub fn friction(
        &self,
        n: &Precomputed<R>,
        input: &DriveNow<R>,
        x: &[R; STATES],
        dt: R,
    ) -> HeldFriction<R> {
        let (elements, forces) = self.friction_forces(n, input, dt);
        HeldFriction {
            torques: self.torques(n, &elements, &forces),
            on_damper: self.damper_drag(n, x, dt),
        }
    }

    /// Generalized forces of the elements' `forces` on the independent speeds, N·m.
    #[inline(always)]
    fn torques(
        &self,
        n: &Precomputed<R>,
        elements: &Elements<R>,
        forces: &[R; ELEMENTS],
    ) -> [R; SPEEDS] {
        let (key, hammer, lever) =
            (forces[element::KEY], forces[element::HAMMER], forces[element::LEVER]);
        let jack = forces[element::JACK_ON_KNUCKLE];
        let tail = forces[element::TAIL_ON_CHECK];
        let knuckle = forces[element::KNUCKLE_ON_LEVER];
        let along_jack = &elements[element::JACK_ON_KNUCKLE].direction;
        let along_check = &elements[element::TAIL_ON_CHECK].direction;
        let along_lever = &elements[element::KNUCKLE_ON_LEVER].direction;
        [
            key - self.kinematics.r5 * lever
                + (jack * along_jack[0] + tail * along_check[0])
                + knuckle * along_lever[0],
            hammer + (jack * along_jack[1] + tail * along_check[1]) + knuckle * along_lever[1],
            lever + knuckle * along_lever[2],
            jack * along_jack[3],
            (jack * along_jack[4] + tail * along_check[4]) - n.bend_share * hammer
                + knuckle * along_lever[4],
        ]
    }

    /// Friction of the damper in its guide through the next `dt` s, N: the force that would stop the damper,
    /// clamped to the friction bound.
    #[inline(always)]
    fn damper_drag(&self, n: &Precomputed<R>, x: &[R; STATES], dt: R) -> R {
        let stopping = self.balance.damper_force + n.damper.mass * x[state::DAMPER_SPEED] / dt;
        -stopping.min(n.damper.friction).max(-n.damper.friction)
    }

    /// The friction elements and their forces through the next `dt` s.
    #[inline(always)]
    fn friction_forces(
        &self,
        n: &Precomputed<R>,
        input: &DriveNow<R>,
        dt: R,
    ) -> (Elements<R>, [R; ELEMENTS]) {
        let mut mass = self.balance.mass;
        let (zero, one) = (R::of(0.0), R::of(1.0));
        if input.is_imposed() {
            // The motion of the key is imposed: friction of the key loads the drive.
            mass.inv_key = zero;
        }
        // Share of a torque on the key that accelerates the other parts, or loads the drive.
        let passed_on = if input.is_imposed() { zero } else { one - n.key.inertia * mass.inv_key };
        let u = &self.kinematics.u;
        let on_heel = self.on_heel(n, input);
        let drag_ratio = self.capstan_drag_ratio(n, u[0].ge(zero), passed_on);
        let drag = drag_ratio * on_heel.abs();
        let mut elements = self.elements(n, drag);
        let mut forces = friction::forces(&elements, &mass, u, &self.acceleration, dt);
        if input.is_imposed() {
            let bound = elements[element::KEY].bound;
            let sign = R::select(u[0].gt(zero), one, R::select(u[0].lt(zero), -one, zero));
            forces[element::KEY] = -(bound * sign);
        } else if n.key.capstan_friction.gt(zero).any() {
            // The other frictions change the torque on the heel, which bounds the friction of the capstan:
            // the friction of the key's own bushings and the change of the key's acceleration by all but the
            // capstan.
            let mut torques = self.torques(n, &elements, &forces);
            let force = forces[element::KEY];
            let bushings = force.min(n.key.friction).max(-n.key.friction);
            let previous = elements[element::KEY].bound;
            let button = previous - n.key.friction - drag;
            let others = n.key.friction + button;
            torques[0] = torques[0] - force + force.min(others).max(-others);
            let load = on_heel + bushings - n.key.inertia * mass.key(&torques);
            let bound = others + drag_ratio * load.abs();
            let slides = force.abs().ge(previous);
            let sliding = R::select(force.gt(zero), bound, -bound);
            let sticking = force.min(bound).max(-bound);
            forces[element::KEY] = R::select(slides, sliding, sticking);
            elements[element::KEY].bound = bound;
        }
        (elements, forces)
    }

    /// The friction elements.
    #[inline(always)]
    fn elements(&self, n: &Precomputed<R>, capstan_drag: R) -> Elements<R> {
        let (k, c) = (&self.kinematics, &self.contacts);
        let (zero, one) = (R::of(0.0), R::of(1.0));
        let mut key_bound = n.key.friction + capstan_drag;
        let has_button_friction = n.jack.button_friction.gt(zero);
        if !n.is_rigid() && (c.button.force.gt(zero) & has_button_friction).any() {
            // While the toe stays on the button, the motion of the key determines its slide.
            let toe = n.jack.toe.turned(k.jack.direction);
            let slide = k.r5 * (k.to_jack.y - toe.y * k.to_jack.x / toe.x);
            key_bound = key_bound + n.jack.button_friction * c.button.force * slide.abs();
        }
        let on_button = self.phases.on_button & has_button_friction;
        if n.is_rigid() && on_button.any() {
            let coupling = WippenCoupling::new(n, k);
            let toe = n.jack.toe.turned(k.jack.direction);
            let a5 = k.r5 * self.acceleration[0] + k.b5;
            let a6 = k.jack.key_ratio * self.acceleration[0] + k.jack.product;
            let w5 = k.wippen_speed();
            let inertial = n.jack.inertia * a6 + coupling.jack[0] * a5 + coupling.jack[1] * w5 * w5;
            let button = ((self.balance.on_jack - inertial) / toe.x).max(zero);
            let slide = k.to_jack.y * k.r5 + toe.y * k.jack.key_ratio;
            let bound = key_bound + n.jack.button_friction * button * slide.abs();
            key_bound = R::select(on_button, bound, key_bound);
        }
        let slide = k.along_knuckle();
        let jack_arm = k.head.from_jack.perp().dot(slide);
        let butt_arm = k.head.from_hammer.perp().dot(slide);
        let (check, on_check) = &c.check;
        let (knuckle, on_lever) = &c.lever;
        let knuckle_arm = knuckle.from_hammer.perp().dot(k.surface);
        let mut elements = [Element { direction: [zero; SPEEDS], bound: zero }; ELEMENTS];
        elements[element::KEY] =
            Element { direction: [one, zero, zero, zero, zero], bound: key_bound };
        elements[element::HAMMER] =
            Element { direction: [zero, one, zero, zero, -n.bend_share], bound: n.hammer.friction };
        elements[element::LEVER] =
            Element { direction: [-k.r5, zero, one, zero, zero], bound: n.lever.friction };
        elements[element::JACK_ON_KNUCKLE] = Element {
            direction: [
                k.r5 * k.to_jack.perp().dot(slide) + k.jack.key_ratio * jack_arm,
                k.jack.hammer_ratio * jack_arm - butt_arm,
                zero,
                if n.is_rigid() { zero } else { jack_arm },
                n.bend_share * butt_arm,
            ],
            bound: n.hammer.knuckle_friction * c.jack.force.max(zero) * k.head.inv_across,
        };
        elements[element::TAIL_ON_CHECK] = Element {
            direction: [check.along[0], check.along[1], zero, zero, check.along[2]],
            bound: n.check.friction * on_check.force,
        };
        elements[element::KNUCKLE_ON_LEVER] = Element {
            direction: [
                -(k.r5 * k.to_lever.perp().dot(k.surface)),
                knuckle_arm,
                -knuckle.from_lever.perp().dot(k.surface),
                zero,
                -(n.bend_share * knuckle_arm),
            ],
            bound: n.lever.knuckle_friction * on_lever.force,
        };
        elements
    }

    /// Friction torque d of the capstan on the key per unit of the torque L that the key passes on to the heel
    /// without this friction: the capstan slides along the heel as the key turns, down in the lanes `falls`.
    /// `passed_on` is the share of a torque on the key that does not accelerate the key itself.
    ///
    /// The friction μN of the heel's force N turns the wippen too, with the arm `heel`: the wippen receives
    /// T/r5 = N (q7 ± μ heel), + where the capstan slides away from the wippen's pin. With d = μ N |r7| and
    /// T = L ∓ `passed_on` d, − where the key goes down, d/L is in closed form.
    #[inline(always)]
    fn capstan_drag_ratio(&self, n: &Precomputed<R>, falls: R::Mask, passed_on: R) -> R {
        let (k, zero) = (&self.kinematics, R::of(0.0));
        let friction = n.key.capstan_friction;
        if !friction.gt(zero).any() {
            return zero;
        }
        let away = R::select(falls, k.r7, -k.r7);
        let turn = friction * n.wippen.heel;
        let arm = k.q7 + R::select(away.gt(zero), turn, -turn);
        let slide = friction * k.r7.abs();
        let own = slide * passed_on;
        slide / (k.r5.abs() * arm + R::select(falls, own, -own))
    }

    /// Torque that the key passes on to the heel, N·m, without friction: the torque on the key less the
    /// torque that accelerates the key itself.
    #[inline(always)]
    fn on_heel(&self, n: &Precomputed<R>, input: &DriveNow<R>) -> R {
        let on_key = self.balance.on_key - n.key.inertia * self.acceleration[0];
        if input.is_imposed() { on_key + n.key.front * self.key_force } else { on_key }
    }
}

impl Evaluation {
    /// Resistance and dissipated power of friction with the forces that would be held through the next `dt` s: of
    /// the friction elements by [`element`], and of the damper in its guide. This evaluation must be free of
    /// friction.
    #[must_use]
    pub(crate) fn friction_elements(
        &self,
        n: &Precomputed,
        input: &DriveNow,
        x: &[f64; STATES],
        dt: f64,
    ) -> ([Contact; ELEMENTS], Contact) {
        let (elements, forces) = self.friction_forces(n, input, dt);
        let resisting = |force: f64, speed: f64| Contact { force: -force, loss: -force * speed };
        let u = &self.kinematics.u;
        let all = std::array::from_fn(|i| resisting(forces[i], elements[i].speed(u)));
        (all, resisting(self.damper_drag(n, x, dt), x[state::DAMPER_SPEED]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grand::equations::contact;
    use crate::grand::key::grand_key::GrandKey;
    use crate::grand::key::rest::TRAY_DOWN;
    use crate::interface::key::Key;
    use crate::{ActionSettings, Drive, STEP};
    use touchback_core::math::compass::KeyNumber;
    use touchback_core::math::vec2::Vec2;

    /// A stroke on C4 by a finger at 0.5 m/s, held for 0.2 s and released. Before each step `inspect` gets
    /// the model of the key, the key, and the drive of the step.
    fn stroke(mut inspect: impl FnMut(&Precomputed, &GrandKey, &DriveNow)) {
        let key = KeyNumber::from_midi(60).unwrap();
        let mut key = GrandKey::new(key, &ActionSettings::default());
        let target = |step: i32| {
            let time = STEP * f64::from(step);
            let down = (0.5 * time).min(16e-3);
            if time < 0.25 { down } else { (down - 0.3 * (time - 0.25)).max(-1e-3) }
        };
        for step in 0..3200 {
            let drive = Drive::Finger([target(step), target(step + 1)]);
            let input = DriveNow::ends(drive, [TRAY_DOWN; 2])[0];
            inspect(&key.assembly().grand.numbers, &key, &input);
            key.advance(drive, &mut |_: f64, _| ());
        }
    }

    fn evaluation(n: &Precomputed, key: &GrandKey, input: &DriveNow) -> Evaluation {
        Evaluation::new(n, &key.state().phase.into(), input, &key.state().x)
    }

    /// Sliding speeds of the friction elements, from the velocities of the bodies.
    fn slides(n: &Precomputed, evaluation: &Evaluation) -> [f64; ELEMENTS] {
        let (k, c) = (&evaluation.kinematics, &evaluation.contacts);
        let (check, _) = &c.check;
        let on_lever = contact::knuckle_on_lever(n, k);
        let knuckle = on_lever.from_hammer.perp() * k.butt_speed
            - k.to_lever.perp() * k.wippen_speed()
            - on_lever.from_lever.perp() * k.u[2];
        [
            k.u[0],
            k.butt_speed,
            k.u[2] - k.wippen_speed(),
            k.slide_speed(),
            check.along[0] * k.u[0] + check.along[1] * k.u[1] + check.along[2] * k.u[4],
            knuckle.dot(k.surface),
        ]
    }

    /// Coulomb's law: an element that slides through a whole step is opposed by the coefficient times the
    /// normal force, or by the torque of its bushing, and no element by more.
    #[test]
    fn a_sliding_element_is_opposed_by_its_coefficient_times_the_normal_force() {
        let mut slid = [0; ELEMENTS];
        let mut heated = [0.0; ELEMENTS];
        stroke(|n, key, input| {
            let (spec, x) = (key.assembly().spec, &key.state().x);
            let evaluation = evaluation(n, key, input);
            let (elements, forces) = evaluation.friction_forces(n, input, STEP);
            let (found, _) = evaluation.friction_elements(n, input, x, STEP);
            let heat = found.map(|element| element.loss);
            let c = &evaluation.contacts;
            // `jack.force` is 0 where the jack is off the knuckle.
            let normal_force = c.jack.force * evaluation.kinematics.head.inv_across;
            let bounds = [
                elements[element::KEY].bound,
                spec.hammer.friction,
                spec.lever.friction,
                spec.hammer.knuckle_friction * normal_force,
                spec.check.friction * c.check.1.force,
                spec.lever.knuckle_friction * c.lever.1.force,
            ];
            assert!(bounds[element::KEY] >= spec.key.friction, "bushings, capstan and button");
            let torques = evaluation.torques(n, &elements, &forces);
            let by_friction = evaluation.balance.mass.solve(&torques);
            let slides = slides(n, &evaluation);
            for i in 0..ELEMENTS {
                let (element, force, slide) = (&elements[i], forces[i], slides[i]);
                assert!((element.speed(&evaluation.kinematics.u) - slide).abs() < 1e-9, "{i}");
                assert!((element.bound - bounds[i]).abs() <= 1e-12 * bounds[i], "{i}");
                assert!(force.abs() <= bounds[i] * (1.0 + 1e-9), "{i}");
                assert!((heat[i] + force * slide).abs() < 1e-9, "{i}");
                heated[i] += heat[i] * STEP;
                let at_end: [f64; SPEEDS] = std::array::from_fn(|j| {
                    evaluation.kinematics.u[j]
                        + STEP * (evaluation.acceleration[j] + by_friction[j])
                });
                let is_sliding = slide * element.speed(&at_end) > 0.0
                    && slide.abs().min(element.speed(&at_end).abs()) > 0.02;
                if is_sliding && bounds[i] > 0.0 {
                    slid[i] += 1;
                    assert!((force + bounds[i].copysign(slide)).abs() <= 1e-9 * bounds[i], "{i}");
                }
            }
        });
        assert!(slid.iter().all(|steps| *steps > 20), "{slid:?}");
        assert!(heated.iter().all(|heat| *heat > 1e-6), "{heated:?}");
    }

    /// The capstan's force on the heel, normal and friction, turns the wippen by the torque on the heel, and
    /// its friction dissipates what slows down the key by `drag`.
    fn check_capstan(n: &Precomputed, e: &Evaluation, on_heel: f64, speed: f64, drag: f64) {
        let k = &e.kinematics;
        if speed == 0.0 || on_heel <= 0.0 {
            return;
        }
        let sliding = k.r7 * k.u[0];
        let normal_force = drag / (n.key.capstan_friction * k.r7.abs());
        // On the wippen at the capstan, in the wippen's frame, whose x axis points from the capstan to P2.
        let at = Vec2::new(-k.q7, -n.wippen.heel);
        let friction = -n.key.capstan_friction * normal_force * sliding.signum();
        let torque = at.cross(Vec2::new(friction, normal_force));
        assert!((torque * k.r5 / on_heel - 1.0).abs() < 1e-9, "{torque} N·m, {on_heel} N·m");
        let heat = friction.abs() * sliding.abs();
        assert!((heat - drag * k.u[0].abs()).abs() < 1e-12, "{heat} W");
    }

    /// A key at constant speed passes the same torque on to its heel with imposed motion as with the force
    /// that this motion requires.
    #[test]
    fn imposed_motion_and_the_force_it_requires_give_the_same_torque_on_the_heel() {
        let mut largest = [0.0f64; 2];
        stroke(|n, key, _| {
            let [depth, speed] = key.front();
            let motion = Drive::line([depth, depth + speed * STEP]);
            let imposed = DriveNow::ends(motion, [TRAY_DOWN; 2])[0];
            let by_motion = evaluation(n, key, &imposed);
            let force = by_motion.key_force;
            let given = DriveNow::ends(Drive::Force([force; 2]), [TRAY_DOWN; 2])[0];
            let by_force = evaluation(n, key, &given);
            assert!(by_force.acceleration[0].abs() < 1e-6, "{:?}", by_force.acceleration);
            let on_heel = by_motion.on_heel(n, &imposed);
            assert!((on_heel - by_force.on_heel(n, &given)).abs() < 1e-9, "{on_heel} N·m");
            largest = [largest[0].max(force.abs()), largest[1].max(on_heel.abs())];
            // Friction of the key loads the drive against the motion.
            let (elements, forces) = by_motion.friction_forces(n, &imposed, STEP);
            let drag = by_motion.capstan_drag_ratio(n, speed >= 0.0, 0.0) * on_heel.abs();
            let bound = elements[element::KEY].bound;
            assert!(bound >= n.key.friction + drag - 1e-12);
            check_capstan(n, &by_motion, on_heel, speed, drag);
            let sign = if speed == 0.0 { 0.0 } else { speed.signum() };
            assert_eq!(forces[element::KEY], -bound * sign);
        });
        assert!(largest[0] > 1.0 && largest[1] > 0.2, "{largest:?}");
    }
}
