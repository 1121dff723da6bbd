//! A plane body with the forces on it, and the sums over all contacts at one instant.

use super::COORDINATES;
use super::elements::COUNT;
use touchback_core::math::trig::direction;
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::felt::{Contact, Felt};
use touchback_core::mech::friction::Element;

/// A plane body: position, velocity and applied forces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body {
    /// Reference point (pin or centre of mass), m.
    pub(super) at: Vec2,
    /// Velocity of the reference point, m/s.
    pub(super) velocity: Vec2,
    /// Direction of the body's x axis.
    pub(super) turned: Vec2,
    /// Angular speed, rad/s.
    pub(super) speed: f64,
    /// Sum of the forces, N.
    pub(super) force: Vec2,
    /// Sum of the torques about the reference point, N·m.
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

    /// World position of a point given relative to the reference point in the body's frame.
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

/// Damping ratio of hard one-sided contacts: critical, because they are plastic in the other formulation.
pub(super) const PLASTIC: f64 = 1.0;

/// A hard one-sided contact: a spring and dashpot that do not pull.
fn hard(stiffness: f64, damping: f64, depth: f64, rate: f64) -> Contact {
    if depth <= 0.0 {
        return Contact::default();
    }
    let elastic = stiffness * depth;
    let force = (elastic + damping * rate).max(0.0);
    Contact { force, loss: (force - elastic) * rate }
}

/// Discrete state: the only dependence of the forces besides coordinates and rates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// Whether the jack's head is under the knuckle, not beside it.
    pub under: bool,
    /// Whether the jack is on its stop and its toe clear of the button.
    pub home: bool,
    /// Whether the jack's head touches a straight knuckle.
    pub touches: bool,
}

/// Number of friction elements of a key.
pub(super) const ELEMENTS: usize = 9;

/// Indices of the friction elements.
pub(super) mod friction {
    /// Bushings of the key.
    pub(in super::super) const KEY: usize = 0;
    /// Centre pin of the hammer.
    pub(in super::super) const HAMMER: usize = 1;
    /// Centre pin of the repetition lever.
    pub(in super::super) const LEVER: usize = 2;
    /// Slide of the jack's toe on the let-off button.
    pub(in super::super) const TOE_ON_BUTTON: usize = 3;
    /// Slide of the jack's head on the knuckle.
    pub(in super::super) const JACK_ON_KNUCKLE: usize = 4;
    /// Slide of the hammer's tail on the backcheck.
    pub(in super::super) const TAIL_ON_CHECK: usize = 5;
    /// Slide of the capstan on the heel.
    pub(in super::super) const CAPSTAN_ON_HEEL: usize = 6;
    /// Slide of the knuckle on the repetition lever.
    pub(in super::super) const KNUCKLE_ON_LEVER: usize = 7;
    /// Slide of the damper in its guide.
    pub(in super::super) const DAMPER: usize = 8;
}

/// A friction element whose sliding speed is the sum of the given multiples of rates.
pub(super) fn element(bound: f64, slide: &[(usize, f64)]) -> Element<COORDINATES> {
    let mut direction = [0.0; COORDINATES];
    for &(i, share) in slide {
        direction[i] = share;
    }
    Element { direction, bound }
}

/// Sums over all contacts, and the friction elements.
pub(super) struct Sums {
    /// Dissipated power, W.
    pub(super) loss: f64,
    /// Potential energy, J.
    pub(super) stored: f64,
    pub(super) friction: [Element<COORDINATES>; ELEMENTS],
    /// Force and dissipated power of each element but friction, by [`index`](super::elements::index).
    pub(super) elements: [Contact; COUNT],
}

impl Sums {
    pub(super) fn felt(&mut self, index: usize, felt: &Felt, depth: f64, rate: f64) -> f64 {
        self.add(index, felt.contact(depth, rate), felt.energy(depth))
    }

    /// A torsion spring of `k` N·m/rad at the angle `angle` rad; returns its restoring torque, N·m.
    pub(super) fn hinge(&mut self, index: usize, k: f64, angle: f64) -> f64 {
        self.add(index, Contact { force: k * angle, loss: 0.0 }, 0.5 * k * angle * angle)
    }

    /// Adds the element `index` with its stored energy, J; returns its force.
    pub(super) fn add(&mut self, index: usize, element: Contact, stored: f64) -> f64 {
        self.elements[index] = element;
        self.stored += stored;
        self.loss += element.loss;
        element.force
    }

    /// Adds viscous drag; returns the force that opposes `speed`.
    pub(super) fn drag(&mut self, index: usize, damping: f64, speed: f64) -> f64 {
        let loss = damping * speed * speed;
        self.add(index, Contact { force: damping * speed, loss }, 0.0)
    }

    pub(super) fn hard(&mut self, index: usize, k: f64, b: f64, depth: f64, rate: f64) -> f64 {
        self.add(index, hard(k, b, depth, rate), 0.5 * k * depth.max(0.0) * depth.max(0.0))
    }
}
