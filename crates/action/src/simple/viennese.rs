//! A Viennese fortepiano action of Stein's type: the key carries the hammer.
//!
//! The hammer turns in a Kapsel on the far end of the key, with its head toward the player. Its beak, behind
//! the Kapsel, catches under the notch of a hopper on the frame: as the key lifts the Kapsel, the notch holds
//! the beak and the hammer is thrown upward (Prellen). The arc of the beak draws it out of the notch, and
//! shortly before the string it slips off: let-off. The falling hammer lands on its rest rail and rebounds,
//! with the beak pushing the hopper back; the beak returns under the notch only when the key has risen.
//! There is no repetition lever and no backcheck.
//!
//! Key angle θ (front down is positive), hammer angle φ (head up is positive), Kapsel at
//! P = l₂ (cos θ, sin θ), head at P + c (−cos φ, sin φ), beak at P + b (cos φ, −sin φ):
//!
//! (I_k + m l₂²) θ̈ + m l₂ r cos(θ+φ) φ̈ − m l₂ r sin(θ+φ) φ̇² = Q_θ
//! m l₂ r cos(θ+φ) θ̈ + I_h φ̈ − m l₂ r sin(θ+φ) θ̇² = Q_φ

mod note_interface;
mod spec;

use crate::interface::elements::{Element, Elements, Losses};
use crate::interface::graph::{Graph, transition};
use crate::interface::key::REST_DEPTH;
use crate::interface::pose::Pose;
use crate::interface::readout::Readout;
use crate::simple::drive_input::{DriveInput, Given};
use crate::simple::substeps::{self, Pressed, contact_substeps};
use crate::simple::{Evaluation, KEY, KEY_SPEED, SimpleAction};
use crate::{GRAVITY, KeyEvent};
pub use spec::Spec;
use touchback_core::episode::{Model, State};
use touchback_core::math::trig::direction;
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::felt::Contact;

impl Spec {
    /// Directions of key and hammer, and positions of crown and beak with their derivatives.
    fn configuration(&self, x: &[f64; STATES]) -> Configuration {
        let key = direction(x[KEY] / self.front);
        let hammer = direction(x[HAMMER_ANGLE]);
        let turning = [x[KEY_SPEED] / self.front, x[HAMMER_SPEED]];
        let rate = |j: [f64; 2]| j[0] * turning[0] + j[1] * turning[1];
        let height = self.back * key.y;
        let crown = [self.back * key.x, self.crown * hammer.x];
        let beak = [self.back * key.x, -self.beak * hammer.x];
        let along = [-self.back * key.y, -self.beak * hammer.y];
        Configuration {
            key,
            hammer,
            turning,
            crown: (height + self.crown * hammer.y, crown, rate(crown)),
            beak: (height - self.beak * hammer.y, beak, rate(beak)),
            along: (self.back * key.x + self.beak * hammer.x, along, rate(along)),
        }
    }

    fn evaluate(&self, phase: Phase, input: &DriveInput, x: &[f64; STATES]) -> Evaluation<2, 6> {
        let p = self.configuration(x);
        let (height, by_crown, rising) = p.crown;
        let string = self.string.contact(height - self.string_height, rising);
        let rail = self.rail.contact(self.rail_height - height, -rising);
        let none = Contact::default();
        let (notch, hopper) = match phase {
            Phase::Driven => (self.notch.contact(p.beak.0 - self.notch_height, p.beak.2), none),
            Phase::Under => (none, none),
            Phase::Out => (none, self.hopper.contact(p.along.0 - self.notch_edge, p.along.2)),
        };
        let bed = self.bed.contact(x[KEY] - self.dip, x[KEY_SPEED]);
        let rest = self.rest.contact(self.rest_compression() - x[KEY], -x[KEY_SPEED]);
        let at_crown = rail.force - string.force;
        let weight = self.hammer * GRAVITY;
        let force = [
            self.key_torque - weight * self.back * p.key.x + by_crown[0] * at_crown
                - p.beak.1[0] * notch.force
                - p.along.1[0] * hopper.force
                + self.front * (rest.force - bed.force),
            -weight * self.centre * p.hammer.x + by_crown[1] * at_crown
                - p.beak.1[1] * notch.force
                - p.along.1[1] * hopper.force,
        ];
        let product = self.hammer * self.back * self.centre;
        // cos and sin of θ + φ.
        let both = p.key.turned(p.hammer);
        let [w, u] = p.turning;
        let force = [force[0] + product * both.y * u * u, force[1] + product * both.y * w * w];
        let mass = [
            self.key_inertia + self.hammer * self.back * self.back,
            product * both.x,
            self.hammer_inertia,
        ];
        let (drive, acceleration) = match input.given(x[KEY], x[KEY_SPEED]) {
            Given::Force(f) => {
                let torque = force[0] + f * self.front;
                let reduced = mass[0] - mass[1] * mass[1] / mass[2];
                let key = (torque - mass[1] / mass[2] * force[1]) / reduced;
                (f, [key, (force[1] - mass[1] * key) / mass[2]])
            }
            Given::Acceleration(a) => {
                let key = a / self.front;
                let hammer = (force[1] - mass[1] * key) / mass[2];
                let torque = mass[0] * key + mass[1] * hammer - force[0];
                (torque / self.front, [key, hammer])
            }
        };
        Evaluation {
            drive,
            contact: notch.force,
            acceleration,
            elements: [string, rail, notch, hopper, bed, rest],
        }
    }

    /// Compression of the rest cloth at depth 0, m: the Kapsel supports the part of the hammer's weight that
    /// is not on the rail.
    fn rest_compression(&self) -> f64 {
        let on_rail = self.hammer * GRAVITY * self.centre / self.crown;
        let lifted = (self.hammer * GRAVITY - on_rail) * self.back - self.key_torque;
        self.rest.compression(lifted / self.front)
    }

    fn energy(&self, phase: Phase, x: &[f64; STATES]) -> [f64; 2] {
        let p = self.configuration(x);
        let [w, u] = p.turning;
        let both = p.key.turned(p.hammer).x;
        let kinetic = 0.5 * (self.key_inertia + self.hammer * self.back * self.back) * w * w
            + self.hammer * self.back * self.centre * both * w * u
            + 0.5 * self.hammer_inertia * u * u;
        let held = match phase {
            Phase::Driven => self.notch.energy(p.beak.0 - self.notch_height),
            Phase::Under => 0.0,
            Phase::Out => self.hopper.energy(p.along.0 - self.notch_edge),
        };
        let potential = self.hammer * GRAVITY * (self.back * p.key.y + self.centre * p.hammer.y)
            - self.key_torque * x[KEY] / self.front
            + held
            + self.string.energy(p.crown.0 - self.string_height)
            + self.rail.energy(self.rail_height - p.crown.0)
            + self.bed.energy(x[KEY] - self.dip)
            + self.rest.energy(self.rest_compression() - x[KEY]);
        [kinetic, potential]
    }
}

/// A coordinate, m, its derivatives by the angles of key and hammer, m/rad, and its rate, m/s.
type Coordinate = (f64, [f64; 2], f64);

struct Configuration {
    key: Vec2,
    hammer: Vec2,
    /// Angular speeds of key and hammer, rad/s.
    turning: [f64; 2],
    /// Height of the crown.
    crown: Coordinate,
    /// Height of the beak.
    beak: Coordinate,
    /// Horizontal position of the beak.
    along: Coordinate,
}

/// Contacts, springs and drag.
const ELEMENTS: [Element; 6] = [
    Element::force("string"),
    Element::force("rail"),
    Element::force("notch"),
    Element::force("hopper"),
    Element::force("key_bed"),
    Element::force("key_rest"),
];

/// Position of the beak.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Below the height of the notch, without contact.
    Under,
    /// Held by the notch: the hammer is thrown.
    Driven,
    /// Above the notch after slipping; the beak may lean on the hopper's face.
    Out,
}

/// States: key depth and speed, hammer angle and speed, work in, dissipated.
pub const STATES: usize = 6;
const HAMMER_ANGLE: usize = 2;
const HAMMER_SPEED: usize = 3;

/// Indices of the guards; the third is the return of the key front to rest.
const STRING: usize = 0;
const BED: usize = 1;

impl Model<STATES, 2, 3> for Spec {
    type Input = DriveInput;
    type Phase = Phase;
    type Held = ();

    fn rates(&self, phase: Phase, (): &(), input: &DriveInput, x: &[f64; STATES]) -> [f64; STATES] {
        let m = self.evaluate(phase, input, x);
        let [key, hammer] = m.acceleration;
        [x[KEY_SPEED], key * self.front, x[HAMMER_SPEED], hammer, m.drive * x[KEY_SPEED], m.loss()]
    }

    fn event_functions(
        &self,
        phase: Phase,
        _: &DriveInput,
        x: &[f64; STATES],
    ) -> ([f64; 2], [f64; 3]) {
        let p = self.configuration(x);
        let above = p.beak.0 - self.notch_height;
        let indicators = match phase {
            Phase::Under => [-above, f64::INFINITY],
            Phase::Driven => [above, p.along.0 - self.notch_edge],
            Phase::Out => [above, f64::INFINITY],
        };
        let guards = [p.crown.0 - self.string_height, x[KEY] - self.dip, x[KEY] - REST_DEPTH];
        (indicators, guards)
    }

    fn transition(
        &self,
        phase: Phase,
        index: usize,
        _: &DriveInput,
        x: &mut [f64; STATES],
    ) -> Phase {
        let inside = self.configuration(x).along.0 > self.notch_edge;
        let to = match (phase, index) {
            (Phase::Under, _) => {
                if inside {
                    Phase::Driven
                } else {
                    Phase::Out
                }
            }
            (Phase::Driven, 0) | (Phase::Out, _) => Phase::Under,
            (Phase::Driven, _) => Phase::Out,
        };
        // Energy still stored in the leather of the notch or in the hopper's spring is dissipated.
        x[STATES - 1] += self.energy(phase, x)[1] - self.energy(to, x)[1];
        to
    }

    fn hold(&self, _: Phase, _: &DriveInput, _: &[f64; STATES], _: f64) {}

    fn max_substep(&self, phase: Phase, x: &[f64; STATES], h: f64) -> f64 {
        let p = self.configuration(x);
        let mass = self.hammer_inertia / (self.crown * self.crown);
        let string =
            contact_substeps(&self.string, mass, p.crown.0 - self.string_height, p.crown.2);
        // The effective mass of the hammer at the beak on the notch is small: at least 4 substeps.
        let least = if phase == Phase::Driven { string.max(4) } else { string };
        let touching = |felt, compression, by| Pressed {
            felt,
            compression,
            mobility: self.mobility(p.key.turned(p.hammer).x, by),
        };
        let front = [self.front, 0.0];
        let held = match phase {
            Phase::Driven => touching(&self.notch, p.beak.0 - self.notch_height, p.beak.1),
            Phase::Under => touching(&self.notch, -1.0, p.beak.1),
            Phase::Out => touching(&self.hopper, p.along.0 - self.notch_edge, p.along.1),
        };
        let contacts = [
            held,
            touching(&self.rail, self.rail_height - p.crown.0, p.crown.1),
            touching(&self.bed, x[KEY] - self.dip, front),
            touching(&self.rest, self.rest_compression() - x[KEY], front),
        ];
        h / f64::from(substeps::count(least, &contacts))
    }
}

/// Submodels, in the order of [`SimpleAction::PHASES`], and their transitions.
const GRAPH: Graph<'_> = Graph {
    submodels: &["under", "driven", "out"],
    transitions: &[
        transition(0, 1, "beak meets the notch"),
        transition(0, 2, "beak passes outside the notch"),
        transition(1, 0, "beak falls below the notch"),
        transition(1, 2, "beak slips off the edge"),
        transition(2, 0, "beak falls below the notch"),
    ],
};

impl SimpleAction<STATES, 2, 3> for Spec {
    const PHASES: &'static [Phase] = &[Phase::Under, Phase::Driven, Phase::Out];
    const SPEEDS: &'static [usize] = &[KEY_SPEED, HAMMER_SPEED];

    fn graph(&self) -> Graph<'_> {
        GRAPH
    }

    fn front_mass(&mut self) -> (&mut f64, f64) {
        (&mut self.key_inertia, self.front * self.front)
    }

    /// The hammer on its rail, the key on its cloth.
    fn rest(&self) -> State<Phase, STATES> {
        let on_rail = self.hammer * GRAVITY * self.centre / self.crown;
        let height = self.rail_height - self.rail.compression(on_rail);
        let x = [0.0, 0.0, libm::asin(height / self.crown), 0.0, 0.0, 0.0];
        State { phase: Phase::Under, x }
    }

    fn readout(&self, phase: Phase, input: &DriveInput, x: &[f64; STATES]) -> Readout {
        let m = self.evaluate(phase, input, x);
        let p = self.configuration(x);
        let [kinetic, potential] = self.energy(phase, x);
        let mut view = Readout {
            phase: GRAPH.submodels[phase as usize],
            key: x[KEY],
            key_speed: x[KEY_SPEED],
            key_force: m.drive,
            contact_force: m.contact,
            hammer: p.crown.0 - self.string_height,
            hammer_speed: p.crown.2,
            kinetic,
            potential,
            dissipated: x[STATES - 1],
            work: x[STATES - 2],
            losses: Losses::new(&ELEMENTS, &m.elements),
            ..Readout::NONE
        };
        view.q[..2].copy_from_slice(&[x[KEY] / self.front, x[HAMMER_ANGLE]]);
        view.q_rate[..2].copy_from_slice(&p.turning);
        view
    }

    fn elements(&self, phase: Phase, input: &DriveInput, x: &[f64; STATES]) -> Elements {
        Elements::new(&ELEMENTS, self.evaluate(phase, input, x).elements)
    }

    fn pose(&self, _: Phase, x: &[f64; STATES]) -> Pose {
        let p = self.configuration(x);
        let kapsel = p.key * self.back;
        let head = kapsel + Vec2::new(-p.hammer.x, p.hammer.y) * self.crown;
        let beak = kapsel + Vec2::new(p.hammer.x, -p.hammer.y) * self.beak;
        let (edge, notch) = (self.notch_edge, self.notch_height);
        let string = self.string_height;
        Pose::default()
            .with("key", [p.key * -self.front, kapsel])
            .with("hammer", [beak, kapsel, head])
            .with(
                "hopper",
                [
                    Vec2::new(edge, notch),
                    Vec2::new(edge + 5e-3, notch),
                    Vec2::new(edge + 5e-3, -0.05),
                ],
            )
            .with("bed", [Vec2::new(-self.front, -self.dip)])
            .with("rest rail", [Vec2::new(self.back - self.crown, self.rail_height)])
            .with("string", [Vec2::new(0.0, string), Vec2::new(0.3, string)])
    }

    fn switched(&self, from: Phase, to: Phase, x: &[f64; STATES]) -> Option<KeyEvent> {
        let p = self.configuration(x);
        let inside = p.along.0 > self.notch_edge;
        match (from, to) {
            (Phase::Driven, Phase::Out) => Some(KeyEvent::Release { speed: p.crown.2 }),
            (Phase::Out, Phase::Under) if inside => Some(KeyEvent::Reset { depth: x[KEY] }),
            _ => None,
        }
    }

    fn passed(&self, index: usize, rising: bool, x: &[f64; STATES]) -> Option<KeyEvent> {
        match (index, rising) {
            (STRING, true) => Some(KeyEvent::Strike { speed: self.configuration(x).crown.2 }),
            (BED, true) => Some(KeyEvent::KeyBottom { speed: x[KEY_SPEED] }),
            (STRING | BED, false) | (_, true) => None,
            _ => Some(KeyEvent::KeyRest { speed: -x[KEY_SPEED] }),
        }
    }
}

#[cfg(test)]
mod tests;
