//! Model B of 1993: model A with a spring at each contact whose force is needed
//! [Gillespie and Cutkosky 1993, §4.2, §5.2].
//!
//! The finger moves the manipulandum M, joined to the key by the spring k1; the slider pushes the hammer
//! through the spring k2, which acts across the key. F_KU = k1 (s − q_K) and F_KH = k2 q4 are functions of
//! positions alone, so that encoder noise only compresses a spring. With k1, k2 → ∞ the motion becomes that
//! of model A.

mod note_interface;

use crate::KeyEvent;
use crate::interface::elements::{Element, Elements, Losses};
use crate::interface::graph::{Graph, transition};
use crate::interface::key::REST_DEPTH;
use crate::interface::numbers::{SpecError, check};
use crate::interface::pose::Pose;
use crate::interface::readout::Readout;
use crate::simple::drive_input::{DriveInput, Given};
use crate::simple::slider::Bodies;
use crate::simple::substeps::{self, contact_substeps};
use crate::simple::{Evaluation, KEY, KEY_SPEED, SimpleAction};
use serde::{Deserialize, Serialize};
use touchback_core::episode::{Model, State};
use touchback_core::mech::felt::Contact;

/// Specification of a key of model B, in SI units.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Key and hammer.
    pub bodies: Bodies,
    /// Stiffness k1 of the spring from manipulandum to key, N·m/rad.
    pub k1: f64,
    /// Damping b1 in parallel with k1, N·m·s/rad.
    pub b1: f64,
    /// Stiffness k2 of the slider's spring across the key, N/m.
    pub k2: f64,
    /// Damping b2 in parallel with k2, N·s/m.
    pub b2: f64,
    /// Inertia of the manipulandum about P1, kg·m², on which a force drive acts.
    pub manipulandum: f64,
}

impl Default for Spec {
    /// k1 and b1 of the thesis's model; k2 is its k4 (jack to knuckle), because the table of the paper is
    /// lost. Chosen: b2 as a tenth of critical damping for the hammer at the slider; a manipulandum of 5 g at
    /// the front, small compared with the key.
    fn default() -> Self {
        let bodies = Bodies::default();
        Self {
            bodies,
            k1: 200.0,
            b1: 0.82,
            k2: 2000.0,
            b2: 8.0,
            manipulandum: 0.005 * bodies.front * bodies.front,
        }
    }
}

/// Whether the slider presses the hammer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// B1: the spring k2 couples key and hammer.
    Coupled,
    /// B2: the hammer is free.
    Free,
}

/// States: manipulandum depth and speed at the front, key depth and speed there, hammer angle and
/// speed, work in, dissipated.
pub const STATES: usize = 8;
/// State index of the depth of the key itself at the front, m.
pub const LEVER: usize = 2;
/// State index of the speed of the key itself at the front, m/s.
pub(crate) const LEVER_SPEED: usize = 3;
/// State index of the hammer's angle, rad.
pub const HAMMER: usize = 4;
/// State index of the hammer's angular speed, rad/s.
pub const HAMMER_SPEED: usize = 5;

/// Contacts, springs and drag.
const ELEMENTS: [Element; 5] = [
    Element::force("string"),
    Element::torque("k1"),
    Element::force("key_bed"),
    Element::force("key_rest"),
    Element::force("k2"),
];

impl Spec {
    /// Checks the values of the model.
    ///
    /// # Errors
    /// The first invalid value.
    pub fn check(&self) -> Result<(), SpecError> {
        self.bodies.check()?;
        check(&[("k1", self.k1), ("k2", self.k2), ("manipulandum", self.manipulandum)], &[])?;
        for (name, value) in [("b1", self.b1), ("b2", self.b2)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(SpecError::Value { name, value, must: "finite and not negative" });
            }
        }
        Ok(())
    }

    /// Compression q4 of the spring k2, m, and its derivatives by the angles of key and hammer.
    fn q4(&self, x: &[f64; STATES]) -> [f64; 3] {
        let m = self.bodies.configuration(x[LEVER], x[HAMMER]);
        let across = m.key.perp().dot(m.hammer.perp());
        let lean = m.key.cross(m.hammer);
        let above = m.to_slider.dot(m.hammer.perp());
        let q4 = above / across;
        let by_key = (self.bodies.back * across - q4 * lean) / across;
        let by_hammer = (q4 * lean - m.to_slider.dot(m.hammer)) / across;
        [q4, by_key, by_hammer]
    }

    /// Forces, accelerations and losses in `phase` at `x`.
    #[must_use]
    pub fn evaluate(
        &self,
        phase: Phase,
        input: &DriveInput,
        x: &[f64; STATES],
    ) -> Evaluation<3, 5> {
        let b = &self.bodies;
        let stretch = [(x[KEY] - x[LEVER]) / b.front, (x[KEY_SPEED] - x[LEVER_SPEED]) / b.front];
        let turn = self.k1 * stretch[0] + self.b1 * stretch[1];
        let (torque, string) = b.on_hammer(x[HAMMER], x[HAMMER_SPEED]);
        let (on_felts, [bed, rest]) = b.on_key(x[LEVER], x[LEVER_SPEED]);
        let coupling = Contact { force: turn, loss: self.b1 * stretch[1] * stretch[1] };
        let mut elements = [string, coupling, bed, rest, Contact::default()];
        let (mut on_key, mut on_hammer) = (turn + on_felts, torque);
        let mut contact = 0.0;
        if phase == Phase::Coupled {
            let [q4, by_key, by_hammer] = self.q4(x);
            let rate = by_key * x[LEVER_SPEED] / b.front + by_hammer * x[HAMMER_SPEED];
            // A separating spring does not pull, at any speed.
            contact = (self.k2 * q4 + self.b2 * rate).max(0.0);
            elements[4] = Contact { force: contact, loss: (contact - self.k2 * q4) * rate };
            on_key -= contact * by_key;
            on_hammer -= contact * by_hammer;
        }
        let (drive, pulled) = match input.given(x[KEY], x[KEY_SPEED]) {
            Given::Force(f) => (f, (f * b.front - turn) / self.manipulandum * b.front),
            Given::Acceleration(a) => ((turn + self.manipulandum * a / b.front) / b.front, a),
        };
        let acceleration = [pulled, on_key / b.key_inertia * b.front, on_hammer / b.hammer_inertia];
        Evaluation { acceleration, drive, contact, elements }
    }
}

/// Index of the guard of the crown at the string; the other is the return of the key front to rest.
const STRING: usize = 0;

impl Model<STATES, 1, 2> for Spec {
    type Input = DriveInput;
    type Phase = Phase;
    type Held = ();

    fn rates(&self, phase: Phase, (): &(), input: &DriveInput, x: &[f64; STATES]) -> [f64; STATES] {
        let m = self.evaluate(phase, input, x);
        let [front, key, hammer] = m.acceleration;
        [
            x[KEY_SPEED],
            front,
            x[LEVER_SPEED],
            key,
            x[HAMMER_SPEED],
            hammer,
            m.drive * x[KEY_SPEED],
            m.loss(),
        ]
    }

    fn event_functions(
        &self,
        phase: Phase,
        _: &DriveInput,
        x: &[f64; STATES],
    ) -> ([f64; 1], [f64; 2]) {
        let q4 = self.q4(x)[0];
        let indicator = if phase == Phase::Coupled { q4 } else { -q4 };
        ([indicator], [x[HAMMER], x[KEY] - REST_DEPTH])
    }

    fn transition(&self, phase: Phase, _: usize, _: &DriveInput, _: &mut [f64; STATES]) -> Phase {
        match phase {
            Phase::Coupled => Phase::Free,
            Phase::Free => Phase::Coupled,
        }
    }

    fn hold(&self, _: Phase, _: &DriveInput, _: &[f64; STATES], _: f64) {}

    fn max_substep(&self, _: Phase, x: &[f64; STATES], h: f64) -> f64 {
        let b = &self.bodies;
        let mass = b.hammer_inertia / (b.crown * b.crown);
        let string =
            contact_substeps(&b.string, mass, b.crown * x[HAMMER], b.crown * x[HAMMER_SPEED]);
        // Natural frequencies of the springs: manipulandum on k1, hammer on k2 at the slider.
        let distance = b.slider(x[LEVER]).norm_squared();
        let fastest = (self.k1 / self.manipulandum + self.k1 / b.key_inertia)
            .max(self.k2 * (distance / b.hammer_inertia + b.back * b.back / b.key_inertia))
            .sqrt();
        let mut least = string;
        while least < 32 && fastest * crate::STEP > 0.5 * f64::from(least) {
            least *= 2;
        }
        h / f64::from(substeps::count(least, &b.pressed(x[LEVER])))
    }
}

/// Submodels, in the order of [`SimpleAction::PHASES`], and their transitions.
const GRAPH: Graph<'_> = Graph {
    submodels: &["B1", "B2"],
    transitions: &[
        transition(0, 1, "spring k2 released"),
        transition(1, 0, "hammer on the slider"),
    ],
};

impl SimpleAction<STATES, 1, 2> for Spec {
    const PHASES: &'static [Phase] = &[Phase::Coupled, Phase::Free];
    const SPEEDS: &'static [usize] = &[KEY_SPEED, LEVER_SPEED, HAMMER_SPEED];

    fn graph(&self) -> Graph<'_> {
        GRAPH
    }

    fn front_mass(&mut self) -> (&mut f64, f64) {
        let front = self.bodies.front;
        (&mut self.manipulandum, front * front)
    }

    /// The weight of the hammer on k2, that of the key on its rest felt.
    fn rest(&self) -> State<Phase, STATES> {
        let b = &self.bodies;
        let mut x = [0.0; STATES];
        x[LEVER] = b.rest_depth();
        x[HAMMER] = b.closed(x[LEVER])[0];
        // Fixed-point iteration of the compressions of k2 and of the rest felt.
        for _ in 0..20 {
            let [q4, by_key, by_hammer] = self.q4(&x);
            let press = b.on_hammer(x[HAMMER], 0.0).0 / by_hammer;
            x[HAMMER] += (press / self.k2 - q4) / by_hammer;
            x[LEVER] = -b.rest.compression((press * by_key - b.key_torque) / b.front);
        }
        x[KEY] = x[LEVER];
        State { phase: Phase::Coupled, x }
    }

    fn readout(&self, phase: Phase, input: &DriveInput, x: &[f64; STATES]) -> Readout {
        let m = self.evaluate(phase, input, x);
        let b = &self.bodies;
        let [kinetic, potential] = b.energy(x[LEVER], x[LEVER_SPEED], x[HAMMER], x[HAMMER_SPEED]);
        let turning = x[KEY_SPEED] / b.front;
        let stretch = (x[KEY] - x[LEVER]) / b.front;
        let [q4, by_key, by_hammer] = self.q4(x);
        let rate = by_key * x[LEVER_SPEED] / b.front + by_hammer * x[HAMMER_SPEED];
        let spring = if phase == Phase::Coupled { self.k2 * q4 * q4 } else { 0.0 };
        let mut view = Readout {
            phase: GRAPH.submodels[phase as usize],
            key: x[KEY],
            key_speed: x[KEY_SPEED],
            key_force: m.drive,
            contact_force: m.contact,
            hammer: b.crown * x[HAMMER],
            hammer_speed: b.crown * x[HAMMER_SPEED],
            kinetic: kinetic + 0.5 * self.manipulandum * turning * turning,
            potential: potential + 0.5 * (self.k1 * stretch * stretch + spring),
            dissipated: x[STATES - 1],
            work: x[STATES - 2],
            losses: Losses::new(&ELEMENTS, &m.elements),
            ..Readout::NONE
        };
        let q = [b.angle(x[LEVER]), x[HAMMER], b.angle(x[KEY]), q4];
        let rates = [x[LEVER_SPEED] / b.front, x[HAMMER_SPEED], turning, rate];
        view.q[..4].copy_from_slice(&q);
        view.q_rate[..4].copy_from_slice(&rates);
        view
    }

    fn elements(&self, phase: Phase, input: &DriveInput, x: &[f64; STATES]) -> Elements {
        Elements::new(&ELEMENTS, self.evaluate(phase, input, x).elements)
    }

    fn pose(&self, _: Phase, x: &[f64; STATES]) -> Pose {
        use touchback_core::math::vec2::Vec2;
        let manipulandum = Vec2::unit(self.bodies.angle(x[KEY])) * -self.bodies.front;
        self.bodies.pose(x[LEVER], x[HAMMER]).with("manipulandum", [Vec2::default(), manipulandum])
    }

    fn switched(&self, _: Phase, to: Phase, x: &[f64; STATES]) -> Option<KeyEvent> {
        Some(match to {
            Phase::Free => KeyEvent::Release { speed: self.bodies.crown * x[HAMMER_SPEED] },
            Phase::Coupled => KeyEvent::Reset { depth: x[LEVER] },
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
