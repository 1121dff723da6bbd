//! A body of the plane, what acts on it, and the sums over all of them at one moment.

use super::PLACES;
use touchback_core::math::trig::direction;
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::felt::{Contact, Felt};
use touchback_core::mech::friction::Element;

/// A body: where its reference point is (pin or centre of mass), how it moves, what acts on it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body {
    /// Reference point, m, and its velocity, m/s.
    pub(super) at: Vec2,
    pub(super) velocity: Vec2,
    /// Direction of its x axis, and its angular speed, rad/s.
    pub(super) turned: Vec2,
    pub(super) speed: f64,
    /// Forces on it, N, and their torque about the reference point, N·m, so far.
    pub(super) force: Vec2,
    pub(super) torque: f64,
}

impl Body {
    pub(super) fn pinned(at: Vec2, angle: f64, speed: f64) -> Self {
        Self::free(at, Vec2::default(), angle, speed)
    }

    pub(super) fn free(at: Vec2, velocity: Vec2, angle: f64, speed: f64) -> Self {
        let (force, torque) = (Vec2::default(), 0.0);
        Self { at, velocity, turned: direction(angle), speed, force, torque }
    }

    /// World place of a point given from the reference point in the body's frame.
    pub(super) fn point(&self, local: Vec2) -> Vec2 {
        self.at + local.turned(self.turned)
    }

    pub(super) fn velocity_at(&self, point: Vec2) -> Vec2 {
        self.velocity + (point - self.at).perp() * self.speed
    }

    pub(super) fn push(&mut self, point: Vec2, force: Vec2) {
        self.force = self.force + force;
        self.torque += (point - self.at).cross(force);
    }
}

/// Share of critical damping of hard one-sided contacts: the other formulation's are plastic.
pub(super) const PLASTIC: f64 = 1.0;

/// A hard one-sided contact: a spring with a dashpot that does not pull.
fn hard(stiffness: f64, damping: f64, depth: f64, rate: f64) -> Contact {
    if depth <= 0.0 {
        return Contact::default();
    }
    let elastic = stiffness * depth;
    let force = (elastic + damping * rate).max(0.0);
    Contact { force, loss: (force - elastic) * rate }
}

/// Which of two sides a contact is on: all that the forces depend on beside the coordinates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// The jack's head stands under the knuckle, not beside it.
    pub under: bool,
    /// The jack is on its stop, the button clear of its toe.
    pub home: bool,
}

/// Friction elements: key, hammer, lever's centre, toe on button, jack on knuckle, tail on check,
/// capstan on heel, knuckle on lever, damper in its guide.
pub(super) const ELEMENTS: usize = 9;
/// How many of them are centre pins: what slides comes after.
pub(super) const CENTRES: usize = 3;

/// A friction element that slides at the given multiples of some of the rates.
pub(super) fn element(bound: f64, slide: &[(usize, f64)]) -> Element<PLACES> {
    let mut direction = [0.0; PLACES];
    for &(i, share) in slide {
        direction[i] = share;
    }
    Element { direction, bound }
}

/// Sums over all contacts, and the friction elements.
pub(super) struct Sums {
    /// Power turned into heat, W.
    pub(super) loss: f64,
    /// Stored energy, J.
    pub(super) stored: f64,
    pub(super) friction: [Element<PLACES>; ELEMENTS],
}

impl Sums {
    pub(super) fn felt(&mut self, felt: &Felt, depth: f64, rate: f64) -> f64 {
        self.add(felt.contact(depth, rate), felt.energy(depth))
    }

    /// A felt that bears on a light part, beyond `load` N.
    pub(super) fn felt_with_light_part(
        &mut self,
        felt: &Felt,
        load: f64,
        depth: f64,
        rate: f64,
    ) -> f64 {
        self.add(felt.contact_with_light_part(load, depth, rate), felt.energy(depth))
    }

    /// The same of a torsional stop, beyond `load` N·m.
    pub(super) fn torsional_with_light_part(
        &mut self,
        felt: &Felt,
        load: f64,
        angle: f64,
        rate: f64,
    ) -> f64 {
        self.add(felt.torsional_contact_with_light_part(load, angle, rate), felt.energy(angle))
    }

    pub(super) fn torsional(&mut self, felt: &Felt, angle: f64, rate: f64) -> f64 {
        self.add(felt.torsional_contact(angle, rate), felt.energy(angle))
    }

    /// A spring of `k` N·m/rad turned by `angle` rad: the torque with which it turns back, N·m.
    pub(super) fn hinge(&mut self, k: f64, angle: f64) -> f64 {
        self.stored += 0.5 * k * angle * angle;
        k * angle
    }

    fn add(&mut self, contact: Contact, stored: f64) -> f64 {
        self.stored += stored;
        self.loss += contact.loss;
        contact.force
    }

    pub(super) fn hard(&mut self, k: f64, b: f64, depth: f64, rate: f64) -> f64 {
        let c = hard(k, b, depth, rate);
        self.stored += 0.5 * k * depth.max(0.0) * depth.max(0.0);
        self.loss += c.loss;
        c.force
    }
}
