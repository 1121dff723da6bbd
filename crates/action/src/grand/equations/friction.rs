//! Coulomb friction of one key: the elements, and the forces held through the next step.
//!
//! Friction needs the accelerations without friction, so it is a function of a frictionless
//! [`Evaluation`]; [`Evaluation::with`] then adds it.

use crate::grand::equations::drive::DriveNow;
use crate::grand::equations::dynamics::WippenCoupling;
use crate::grand::equations::evaluation::Evaluation;
use crate::grand::equations::held_friction::HeldFriction;
use crate::grand::equations::precomputed::Precomputed;
use crate::grand::{SPEEDS, STATES, state};
use touchback_core::math::real::{Mask, Real};
use touchback_core::mech::friction::{self, Element};

impl<R: Real> Evaluation<R> {
    /// The friction to hold through the coming `dt` s; this moment is free of friction.
    #[inline(always)]
    #[must_use]
    pub fn friction(
        &self,
        n: &Precomputed<R>,
        input: &DriveNow<R>,
        x: &[R; STATES],
        dt: R,
    ) -> HeldFriction<R> {
        let (elements, forces) = self.rubbing(n, input, dt);
        HeldFriction {
            torques: self.torques(n, &elements, &forces),
            on_damper: self.damper_drag(n, x, dt),
        }
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
        let stopping = self.balance.damper_force + n.damper.mass * x[state::DAMPER_SPEED] / dt;
        -stopping.min(n.damper.friction).max(-n.damper.friction)
    }

    /// The friction elements and their forces through the coming `dt` s.
    #[inline(always)]
    fn rubbing(
        &self,
        n: &Precomputed<R>,
        input: &DriveNow<R>,
        dt: R,
    ) -> ([Element<SPEEDS, R>; 6], [R; 6]) {
        let inv_press = self.drag_per_press(n);
        let on_heel = self.on_heel(n, input);
        let drag = inv_press * on_heel.abs();
        let mut elements = self.elements(n, drag);
        let mut mass = self.balance.mass;
        let (zero, one) = (R::of(0.0), R::of(1.0));
        if input.is_imposed() {
            // The key goes where it is told: friction there loads the drive, not the motion.
            mass.inv_key = zero;
        }
        let u = &self.kinematics.u;
        let mut forces = friction::forces(&elements, &mass, u, &self.acceleration, dt);
        if input.is_imposed() {
            let bound = elements[0].bound;
            let sign = R::select(u[0].gt(zero), one, R::select(u[0].lt(zero), -one, zero));
            forces[0] = -(bound * sign);
        } else if n.key.capstan_friction.gt(zero).any() {
            // What friction takes off the key, and off its acceleration, does not bear on the heel.
            let torques = self.torques(n, &elements, &forces);
            let own = forces[0].min(n.key.friction).max(-n.key.friction);
            let slower = mass.key(&torques);
            let taken = own - n.key.inertia * slower;
            let bound = elements[0].bound - drag + inv_press * (on_heel + taken).abs();
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
        let mut key_bound = n.key.friction + capstan_drag;
        let rubbing = n.jack.button_friction.gt(zero);
        if !n.is_rigid() && (c.button.force.gt(zero) & rubbing).any() {
            // As far as the toe stays on the button, the key slides it.
            let toe = n.jack.toe.turned(k.jack.direction);
            let slide = k.r5 * (k.to_jack.y - toe.y * k.to_jack.x / toe.x);
            key_bound = key_bound + n.jack.button_friction * c.button.force * slide.abs();
        }
        let rubbing = self.phases.on_button & rubbing;
        if n.is_rigid() && rubbing.any() {
            let carried = WippenCoupling::new(n, k);
            let toe = n.jack.toe.turned(k.jack.direction);
            let a5 = k.r5 * self.acceleration[0] + k.b5;
            let a6 = k.jack.inv_key * self.acceleration[0] + k.jack.product;
            let w5 = k.wippen_speed();
            let inertial = n.jack.inertia * a6 + carried.jack[0] * a5 + carried.jack[1] * w5 * w5;
            let button = ((self.balance.on_jack - inertial) / toe.x).max(zero);
            let slide = k.to_jack.y * k.r5 + toe.y * k.jack.inv_key;
            let bound = key_bound + n.jack.button_friction * button * slide.abs();
            key_bound = R::select(rubbing, bound, key_bound);
        }
        let slide = k.along_knuckle();
        let along = k.head.from_jack.perp().dot(slide);
        let butt = k.head.from_hammer.perp().dot(slide);
        let knuckle = [
            k.r5 * k.to_jack.perp().dot(slide) + k.jack.inv_key * along,
            k.jack.inv_hammer * along - butt,
            zero,
            if n.is_rigid() { zero } else { along },
            n.bend_share * butt,
        ];
        let (check, on_check) = &c.check;
        let (on_lever, bearing) = &c.lever;
        let rolling = on_lever.from_hammer.perp().dot(k.surface);
        let push = n.hammer.knuckle_friction * c.jack.force * k.head.inv_across;
        [
            Element { direction: [one, zero, zero, zero, zero], bound: key_bound },
            Element { direction: [zero, one, zero, zero, -n.bend_share], bound: n.hammer.friction },
            Element { direction: [-k.r5, zero, one, zero, zero], bound: n.lever.friction },
            Element { direction: knuckle, bound: push },
            Element {
                direction: [check.along[0], check.along[1], zero, zero, check.along[2]],
                bound: n.check.friction * on_check.force,
            },
            Element {
                direction: [
                    -(k.r5 * k.to_lever.perp().dot(k.surface)),
                    rolling,
                    -on_lever.from_lever.perp().dot(k.surface),
                    zero,
                    -(n.bend_share * rolling),
                ],
                bound: n.lever.knuckle_friction * bearing.force,
            },
        ]
    }

    /// Torque on the key by the capstan's slide along the heel, of one that the key passes on to the heel.
    #[inline(always)]
    fn drag_per_press(&self, n: &Precomputed<R>) -> R {
        let k = &self.kinematics;
        if n.key.capstan_friction.gt(R::of(0.0)).any() {
            n.key.capstan_friction * (k.r7 / (k.r5 * k.q7)).abs()
        } else {
            R::of(0.0)
        }
    }

    /// Torque that the key passes on to the heel, N·m: what it does not need for itself, friction left out.
    #[inline(always)]
    fn on_heel(&self, n: &Precomputed<R>, input: &DriveNow<R>) -> R {
        let on_key = self.balance.on_key - n.key.inertia * self.acceleration[0];
        if input.is_imposed() { on_key + n.key.front * self.key_force } else { on_key }
    }
}

impl Evaluation {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grand::equations::contact;
    use crate::grand::key::grand_key::GrandKey;
    use crate::grand::key::rest::TRAY_DOWN;
    use crate::interface::key::Key;
    use crate::{ActionSettings, Drive, STEP};
    use touchback_core::math::compass::KeyNumber;

    /// A blow on C4 by a finger at 0.5 m/s, held for 0.2 s and let go: before each of its steps `look`
    /// is given the key's numbers, its states, and the drive of the step.
    fn blow(mut look: impl FnMut(&Precomputed, &GrandKey, &DriveNow)) {
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
            look(&key.assembly().grand.numbers, &key, &input);
            key.advance(drive, &mut |_: f64, _| ());
        }
    }

    fn evaluation(n: &Precomputed, key: &GrandKey, input: &DriveNow) -> Evaluation {
        Evaluation::new(n, &key.state().phase.into(), input, &key.state().x)
    }

    /// What slides against what, by the speeds of the bodies.
    fn slides(n: &Precomputed, evaluation: &Evaluation) -> [f64; 6] {
        let (k, c) = (&evaluation.kinematics, &evaluation.contacts);
        let (check, _) = &c.check;
        let on_lever = contact::knuckle_on_lever(n, k);
        let rolling = on_lever.from_hammer.perp() * k.butt_speed
            - k.to_lever.perp() * k.wippen_speed()
            - on_lever.from_lever.perp() * k.u[2];
        [
            k.u[0],
            k.butt_speed,
            k.u[2] - k.wippen_speed(),
            k.slide_speed(),
            check.along[0] * k.u[0] + check.along[1] * k.u[1] + check.along[2] * k.u[4],
            rolling.dot(k.surface),
        ]
    }

    /// Coulomb's law: what slides through a whole step is opposed by the coefficient times the force
    /// that presses it together, or by the torque of its bushing; nothing by more.
    #[test]
    fn what_slides_is_opposed_by_its_coefficient_times_what_presses() {
        let mut slid = [0; 6];
        let mut heated = [0.0; 6];
        blow(|n, key, input| {
            let (spec, x) = (key.assembly().spec, &key.state().x);
            let evaluation = evaluation(n, key, input);
            let (elements, forces) = evaluation.rubbing(n, input, STEP);
            let heat = evaluation.friction_heat(n, input, x, STEP);
            let c = &evaluation.contacts;
            // Where the jack is off the knuckle, `jack.force` is 0.
            let pressing = c.jack.force * evaluation.kinematics.head.inv_across;
            let bounds = [
                elements[0].bound,
                spec.hammer.friction,
                spec.lever.friction,
                spec.hammer.knuckle_friction * pressing,
                spec.check.friction * c.check.1.force,
                spec.lever.knuckle_friction * c.lever.1.force,
            ];
            assert!(bounds[0] >= spec.key.friction, "bushings, and what rubs besides");
            let torques = evaluation.torques(n, &elements, &forces);
            let yielded = evaluation.balance.mass.solve(&torques);
            let slides = slides(n, &evaluation);
            for i in 0..6 {
                let (element, force, slide) = (&elements[i], forces[i], slides[i]);
                assert!((element.speed(&evaluation.kinematics.u) - slide).abs() < 1e-9, "{i}");
                assert!((element.bound - bounds[i]).abs() <= 1e-12 * bounds[i], "{i}");
                assert!(force.abs() <= bounds[i] * (1.0 + 1e-9), "{i}");
                assert!((heat[i] + force * slide).abs() < 1e-9, "{i}");
                heated[i] += heat[i] * STEP;
                let at_end: [f64; SPEEDS] = std::array::from_fn(|j| {
                    evaluation.kinematics.u[j] + STEP * (evaluation.acceleration[j] + yielded[j])
                });
                // The key's bound follows its own friction once more.
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

    /// A key at a constant speed passes the same on to its heel, whether its motion is imposed or the
    /// force that the motion takes is given.
    #[test]
    fn a_key_bears_on_its_heel_alike_by_motion_and_by_force() {
        let mut largest = [0.0f64; 2];
        blow(|n, key, _| {
            let [depth, speed] = key.front();
            let motion = Drive::Motion([depth, depth + speed * STEP]);
            let imposed = DriveNow::ends(motion, [TRAY_DOWN; 2])[0];
            let by_motion = evaluation(n, key, &imposed);
            let force = by_motion.key_force;
            let given = DriveNow::ends(Drive::Force([force; 2]), [TRAY_DOWN; 2])[0];
            let by_force = evaluation(n, key, &given);
            assert!(by_force.acceleration[0].abs() < 1e-6, "{:?}", by_force.acceleration);
            let on_heel = by_motion.on_heel(n, &imposed);
            assert!((on_heel - by_force.on_heel(n, &given)).abs() < 1e-9, "{on_heel} N·m");
            largest = [largest[0].max(force.abs()), largest[1].max(on_heel.abs())];
            // What rubs loads the drive against the motion.
            let (elements, forces) = by_motion.rubbing(n, &imposed, STEP);
            let drag = by_motion.drag_per_press(n) * on_heel.abs();
            assert!(elements[0].bound >= n.key.friction + drag - 1e-12);
            let sign = if speed == 0.0 { 0.0 } else { speed.signum() };
            assert_eq!(forces[0], -elements[0].bound * sign);
        });
        assert!(largest[0] > 1.0 && largest[1] > 0.2, "{largest:?}");
    }
}
