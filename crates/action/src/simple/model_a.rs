//! Model A of 1993: the hammer rigidly coupled to the key by a frictionless slider
//! [Gillespie and Cutkosky 1993, §4.1, §5.1].
//!
//! Coupled (A1), the angle of the hammer is a function of that of the key. The force F_KH of the key on the
//! hammer follows from the *acceleration* of the key, and the coupling ends when it is no longer
//! compressive. Free (A2), the hammer is a pendulum until it meets the slider again, where its speed becomes
//! that of the constraint. Under imposed motion A1 has no degree of freedom: its force follows from the
//! second difference of the key's depth, so that it is unusable with a noisy encoder. Under a force or a
//! finger A1 has one degree of freedom.

mod note_interface;

use crate::KeyEvent;
use crate::interface::elements::{Element, Elements, Losses};
use crate::interface::graph::{Graph, transition};
use crate::interface::key::REST_DEPTH;
use crate::interface::numbers::SpecError;
use crate::interface::pose::Pose;
use crate::interface::readout::Readout;
use crate::simple::drive_input::{DriveInput, Given};
use crate::simple::slider::Bodies;
use crate::simple::substeps::{self, contact_substeps};
use crate::simple::{Evaluation, KEY, KEY_SPEED, SimpleAction};
use serde::{Deserialize, Serialize};
use touchback_core::episode::{Model, State};
use touchback_core::mech::felt::Contact;

/// Specification of a key of model A, in SI units.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Key and hammer.
    pub bodies: Bodies,
}

/// Whether the hammer is coupled to the key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// A1: the slider couples key and hammer.
    Coupled,
    /// A2: the hammer is free.
    Free,
}

/// States: key depth and speed, hammer angle and speed, work in, dissipated.
pub const STATES: usize = 6;
/// State index of the hammer's angle, rad.
pub const HAMMER: usize = 2;
/// State index of the hammer's angular speed, rad/s.
pub const HAMMER_SPEED: usize = 3;

/// Contacts, springs and drag.
const ELEMENTS: [Element; 4] = [
    Element::force("string"),
    Element::force("key_bed"),
    Element::force("key_rest"),
    Element::force("slider").lossless(),
];

impl Spec {
    /// Checks the values of the model.
    ///
    /// # Errors
    /// The first invalid value.
    pub fn check(&self) -> Result<(), SpecError> {
        self.bodies.check()
    }

    /// Forces, accelerations and losses in `phase` at `x`.
    #[must_use]
    pub fn evaluate(
        &self,
        phase: Phase,
        input: &DriveInput,
        x: &[f64; STATES],
    ) -> Evaluation<2, 4> {
        let b = &self.bodies;
        let turning = x[KEY_SPEED] / b.front;
        let given = input.given(x[KEY], x[KEY_SPEED]);
        let (on_key, [bed, rest]) = b.on_key(x[KEY], x[KEY_SPEED]);
        if phase == Phase::Free {
            let (torque, string) = b.on_hammer(x[HAMMER], x[HAMMER_SPEED]);
            let (key, drive) = match given {
                Given::Force(f) => ((f * b.front + on_key) / b.key_inertia * b.front, f),
                Given::Acceleration(a) => (a, (b.key_inertia * a / b.front - on_key) / b.front),
            };
            let hammer = torque / b.hammer_inertia;
            let elements = [string, bed, rest, Contact::default()];
            return Evaluation { drive, contact: 0.0, acceleration: [key, hammer], elements };
        }
        let [angle, ratio, second] = b.closed(x[KEY]);
        let (torque, string) = b.on_hammer(angle, ratio * turning);
        let distance = b.slider(x[KEY]).norm_squared().sqrt();
        // Equation of the hammer, with its acceleration split into ratio times that of the key, and the
        // velocity product.
        let product = second * turning * turning;
        let resisting = b.hammer_inertia * product - torque;
        let inertia = b.key_inertia + b.hammer_inertia * ratio * ratio;
        let (alpha, drive) = match given {
            Given::Force(f) => ((f * b.front + on_key - ratio * resisting) / inertia, f),
            Given::Acceleration(a) => {
                let alpha = a / b.front;
                (alpha, (inertia * alpha + ratio * resisting - on_key) / b.front)
            }
        };
        let contact = (b.hammer_inertia * ratio * alpha + resisting) / distance;
        let elements = [string, bed, rest, Contact { force: contact, loss: 0.0 }];
        let acceleration = [alpha * b.front, ratio * alpha + product];
        Evaluation { drive, contact, acceleration, elements }
    }

    /// Forces and accelerations for readings. The mean acceleration of a step in which the hammer lands on an imposed key
    /// says nothing of their contact, which does not pull.
    fn reading(&self, phase: Phase, input: &DriveInput, x: &[f64; STATES]) -> Evaluation<2, 4> {
        let mut m = self.evaluate(phase, input, x);
        if input.is_imposed() {
            m.contact = m.contact.max(0.0);
            m.elements[3].force = m.contact;
        }
        m
    }

    /// Sets angle and speed of the hammer to those of the coupled slider.
    fn close(&self, x: &mut [f64; STATES]) {
        let [angle, ratio, _] = self.bodies.closed(x[KEY]);
        (x[HAMMER], x[HAMMER_SPEED]) = (angle, ratio * x[KEY_SPEED] / self.bodies.front);
    }

    fn energy(&self, x: &[f64; STATES]) -> [f64; 2] {
        self.bodies.energy(x[KEY], x[KEY_SPEED], x[HAMMER], x[HAMMER_SPEED])
    }
}

/// Index of the guard of the crown at the string; the other is the return of the key front to rest.
const STRING: usize = 0;

/// Overlap of slider and hammer that does not yet end the flight under imposed motion, rad: above the errors of the
/// motion's acceleration within a step, which at the release would close the gap again; 1 nm at the crown.
const OPEN: f64 = 1e-8;

impl Model<STATES, 1, 2> for Spec {
    type Input = DriveInput;
    type Phase = Phase;
    type Held = ();

    fn rates(&self, phase: Phase, (): &(), input: &DriveInput, x: &[f64; STATES]) -> [f64; STATES] {
        let m = self.evaluate(phase, input, x);
        let [key, hammer] = m.acceleration;
        [x[KEY_SPEED], key, x[HAMMER_SPEED], hammer, m.drive * x[KEY_SPEED], m.loss()]
    }

    fn event_functions(
        &self,
        phase: Phase,
        input: &DriveInput,
        x: &[f64; STATES],
    ) -> ([f64; 1], [f64; 2]) {
        let guards = [x[HAMMER], x[KEY] - REST_DEPTH];
        match phase {
            Phase::Coupled => ([self.evaluate(phase, input, x).contact], guards),
            Phase::Free => {
                let open = if input.is_imposed() { OPEN } else { 0.0 };
                ([x[HAMMER] - self.bodies.closed(x[KEY])[0] + open], guards)
            }
        }
    }

    fn transition(
        &self,
        phase: Phase,
        _: usize,
        input: &DriveInput,
        x: &mut [f64; STATES],
    ) -> Phase {
        if phase == Phase::Coupled {
            if input.is_imposed() {
                // The gap begins at exactly 0; rounding must not close it again.
                self.close(x);
            }
            return Phase::Free;
        }
        // Impact on a rigid constraint: with imposed motion the hammer takes the speed of the key, otherwise
        // both take the speed that conserves momentum.
        let before: f64 = self.energy(x).iter().sum();
        let b = &self.bodies;
        let ratio = b.closed(x[KEY])[1];
        if !input.is_imposed() {
            let momentum =
                b.key_inertia * x[KEY_SPEED] / b.front + ratio * b.hammer_inertia * x[HAMMER_SPEED];
            let inertia = b.key_inertia + b.hammer_inertia * ratio * ratio;
            x[KEY_SPEED] = b.front * momentum / inertia;
        }
        self.close(x);
        let lost = before - self.energy(x).iter().sum::<f64>();
        if input.is_imposed() && lost < 0.0 {
            // An imposed key that rises faster than the hammer falls adds energy: work of the drive.
            x[STATES - 2] -= lost;
        } else {
            x[STATES - 1] += lost;
        }
        Phase::Coupled
    }

    fn hold(&self, _: Phase, _: &DriveInput, _: &[f64; STATES], _: f64) {}

    fn max_substep(&self, _: Phase, x: &[f64; STATES], h: f64) -> f64 {
        let b = &self.bodies;
        let mass = b.hammer_inertia / (b.crown * b.crown);
        let string =
            contact_substeps(&b.string, mass, b.crown * x[HAMMER], b.crown * x[HAMMER_SPEED]);
        h / f64::from(substeps::count(string, &b.pressed(x[KEY])))
    }
}

/// Submodels, in the order of [`SimpleAction::PHASES`], and their transitions.
const GRAPH: Graph<'_> = Graph {
    submodels: &["A1", "A2"],
    transitions: &[
        transition(0, 1, "force of the slider ≤ 0"),
        transition(1, 0, "hammer on the slider"),
    ],
};

impl SimpleAction<STATES, 1, 2> for Spec {
    const PHASES: &'static [Phase] = &[Phase::Coupled, Phase::Free];
    const SPEEDS: &'static [usize] = &[KEY_SPEED, HAMMER_SPEED];

    fn graph(&self) -> Graph<'_> {
        GRAPH
    }

    fn front_mass(&mut self) -> (&mut f64, f64) {
        let front = self.bodies.front;
        (&mut self.bodies.key_inertia, front * front)
    }

    fn rest(&self) -> State<Phase, STATES> {
        let mut x = [0.0; STATES];
        x[KEY] = self.bodies.rest_depth();
        self.close(&mut x);
        State { phase: Phase::Coupled, x }
    }

    fn impose(&self, phase: Phase, x: &mut [f64; STATES], [depth, speed]: [f64; 2]) {
        (x[KEY], x[KEY_SPEED]) = (depth, speed);
        if phase == Phase::Coupled {
            self.close(x);
        }
    }

    fn readout(&self, phase: Phase, input: &DriveInput, x: &[f64; STATES]) -> Readout {
        let m = self.reading(phase, input, x);
        let b = &self.bodies;
        let [kinetic, potential] = self.energy(x);
        let mut view = Readout {
            phase: GRAPH.submodels[phase as usize],
            key: x[KEY],
            key_speed: x[KEY_SPEED],
            key_force: m.drive,
            contact_force: m.contact,
            hammer: b.crown * x[HAMMER],
            hammer_speed: b.crown * x[HAMMER_SPEED],
            kinetic,
            potential,
            dissipated: x[STATES - 1],
            work: x[STATES - 2],
            losses: Losses::new(&ELEMENTS, &m.elements),
            ..Readout::NONE
        };
        (view.q[0], view.q_rate[0]) = (b.angle(x[KEY]), x[KEY_SPEED] / b.front);
        (view.q[1], view.q_rate[1]) = (x[HAMMER], x[HAMMER_SPEED]);
        view
    }

    fn elements(&self, phase: Phase, input: &DriveInput, x: &[f64; STATES]) -> Elements {
        Elements::new(&ELEMENTS, self.reading(phase, input, x).elements)
    }

    fn pose(&self, _: Phase, x: &[f64; STATES]) -> Pose {
        self.bodies.pose(x[KEY], x[HAMMER])
    }

    fn switched(&self, _: Phase, to: Phase, x: &[f64; STATES]) -> Option<KeyEvent> {
        Some(match to {
            Phase::Free => KeyEvent::Release { speed: self.bodies.crown * x[HAMMER_SPEED] },
            Phase::Coupled => KeyEvent::Reset { depth: x[KEY] },
        })
    }

    fn passed(&self, index: usize, rising: bool, x: &[f64; STATES]) -> Option<KeyEvent> {
        match (index, rising) {
            (STRING, true) => Some(KeyEvent::Strike { speed: self.bodies.crown * x[HAMMER_SPEED] }),
            (STRING, false) | (_, true) => None,
            _ => Some(KeyEvent::KeyRest { speed: -x[KEY_SPEED] }),
        }
    }
}
