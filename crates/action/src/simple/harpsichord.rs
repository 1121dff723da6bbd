//! The key and jack of a harpsichord: the plectrum plucks the string on the way up and slips past it on the
//! way down [Gillespie 1996, §3.4.1, Figs. 3.3–3.4].
//!
//! The tongue is not a body; a finite state machine holds the position of the plectrum. *Below* the string
//! the plectrum gives no force. *Bending*, plectrum and string are two springs in series until the plectrum
//! is bent so far that the string slips off, which is the pluck. *Above*, there is no force again. *Passing*,
//! on the way down, the tongue yields against its bristle. A key that reverses before the pluck lowers the
//! string silently; a jack that reverses while passing is above again. The loudness follows from the
//! displacement of the string at the pluck, which hardly depends on the speed of the key.
//!
//! With the depth y of the key front and the height z of the jack above its rest on the end of the key:
//!
//! m_k ÿ = F + rest − bed + τ/l₁ − ρ p,   m_j z̈ = p + d − m_j g − f − rail,   p on ρ y − z
//!
//! ρ = l₂/l₁; p is the force of the pad under the jack, d that of the damper cloth on the string, f that of
//! the plectrum.

mod note_interface;

use crate::interface::elements::{Element, Elements, Losses};
use crate::interface::graph::{Graph, transition};
use crate::interface::key::REST_DEPTH;
use crate::interface::numbers::{SpecError, check};
use crate::interface::pose::Pose;
use crate::interface::readout::Readout;
use crate::simple::drive_input::DriveInput;
use crate::simple::substeps::{self, Pressed};
use crate::simple::{Evaluation, KEY, KEY_SPEED, SimpleAction};
use crate::{GRAVITY, KeyEvent};
use serde::{Deserialize, Serialize};
use touchback_core::episode::{Model, State};
use touchback_core::math::compass;
use touchback_core::math::power::square;
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::felt::{Contact, Felt};

/// Specification of a harpsichord's key, in SI units.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Balance point to the finger's point of contact, m.
    pub front: f64,
    /// Balance point to the jack, m.
    pub back: f64,
    /// Inertia of the key about its balance point, kg·m².
    pub key_inertia: f64,
    /// Torque of the key's weight, N·m; positive presses the front down.
    pub key_torque: f64,
    /// Mass of the jack, kg.
    pub jack: f64,
    /// Distance of the plectrum below the string at rest, m.
    pub gap: f64,
    /// Stiffness of the plectrum's tip, N/m.
    pub plectrum: f64,
    /// Stiffness of the string at the plucking point, N/m.
    pub string: f64,
    /// Bend of the plectrum at which the string slips off it, m.
    pub slip: f64,
    /// Damping of the yielding tongue, N·s/m.
    pub tongue: f64,
    /// Distance of the plectrum below the string at which the tongue returns, m.
    pub clear: f64,
    /// Rise of the jack at which the damper leaves the string, m.
    pub damper: f64,
    /// Damper cloth on the string, by the remainder of that rise.
    pub cloth: Felt,
    /// Height of the jack rail above the jack at rest, m.
    pub rail: f64,
    /// Cloth on the underside of the rail.
    pub rail_cloth: Felt,
    /// Pad between key and jack.
    pub pad: Felt,
    /// Depth of the key bed at the front, m.
    pub dip: f64,
    /// Key bed, by front depth.
    pub bed: Felt,
    /// Cloth under the back of the key, by front height.
    pub rest: Felt,
}

/// Pitch of key 49, Hz: modern pitch, as for the piano.
const PITCH: f64 = 440.0;

/// Length of the string of key `n`, m, and its stiffness at the plucking point, N/m: T/(d(1 − d/l)) for a
/// point at the distance d from the end of a string of length l under the tension T.
///
/// Iron wire, 0.35 m at C5 and in proportion to the period up to 1.7 m (the scale of a French double),
/// 0.24 mm thick at C5 and in proportion to the 0.4th power of the length; below C2, where the length no
/// longer grows, brass thick enough for a tension of 60 N; plucking point at 6 cm + 0.11 l, at most the
/// middle (chosen within the range of makers).
fn string(n: f64) -> (f64, f64) {
    let frequency = PITCH * libm::exp2((n - 49.0) / 12.0);
    let length = (0.35 * 523.25 / frequency).min(1.7);
    let thickness = 0.24e-3 * libm::pow(length / 0.35, 0.4);
    let linear = 7850.0 * 0.25 * std::f64::consts::PI * thickness * thickness;
    let mut tension = linear * square(2.0 * length * frequency);
    if n < 16.0 {
        tension = tension.max(60.0);
    }
    let point = (0.06 + 0.11 * length).min(0.5 * length);
    (length, tension / (point * (1.0 - point / length)))
}

/// Bend of a plectrum at which the string slips off, m: 0.9 N (chosen).
const SLIP: f64 = 0.8e-3;
/// Largest displacement of a string as a share of its length (chosen): in the treble, plectra are voiced
/// softer so as not to pull short strings out of tune.
const FARTHEST: f64 = 0.005;

/// Stiffness 3 E I / l³ of a Delrin plectrum, N/m: E = 3 GPa, 1.5 mm wide and 0.5 mm thick [plectra as
/// sold], projecting by 5 mm from the tongue to the string (chosen).
const PLECTRUM: f64 = 3.0 * 3.0e9 * (1.5e-3 * 0.125e-9 / 12.0) / 0.125e-6;

impl Spec {
    /// The key `key`; keys differ only in string and voicing. Values without a source are chosen.
    #[must_use]
    pub fn of_key(key: compass::KeyNumber) -> Self {
        let (front, back) = (0.19, 0.2);
        let jack = 8e-3;
        let (length, string) = string(f64::from(key.number()));
        Self {
            front,
            back,
            // A limewood stick of 45 g.
            key_inertia: 0.045 * (front + back) * (front + back) / 12.0,
            // The stick is balanced; the weight of the jack returns the key.
            key_torque: 0.0,
            jack,
            gap: 1.5e-3,
            plectrum: PLECTRUM,
            string,
            slip: SLIP.min(FARTHEST * length * string / PLECTRUM),
            tongue: 0.05,
            clear: 0.3e-3,
            damper: 0.8e-3,
            // Supports about a fifth of the weight of the jack.
            cloth: Felt { hysteresis: 0.5, ..Felt::new(700.0, 1.5, 2.0) },
            rail: 8.0e-3,
            rail_cloth: Felt { hysteresis: 0.6, ..Felt::new(2e5, 1.5, 1.0) },
            pad: Felt { hysteresis: 0.7, ..Felt::new(2e5, 1.5, 1.0) },
            dip: 6.5e-3,
            bed: Felt { hysteresis: 0.6, ..Felt::new(1e6, 1.5, 0.6) },
            rest: Felt { hysteresis: 0.8, ..Felt::new(2e5, 1.5, 1.5) },
        }
    }

    /// Checks the values of the model.
    ///
    /// # Errors
    /// The first invalid value.
    pub fn check(&self) -> Result<(), SpecError> {
        check(
            &[
                ("front", self.front),
                ("back", self.back),
                ("key_inertia", self.key_inertia),
                ("jack", self.jack),
                ("gap", self.gap),
                ("plectrum", self.plectrum),
                ("string", self.string),
                ("slip", self.slip),
                ("clear", self.clear),
                ("rail", self.rail),
                ("dip", self.dip),
            ],
            &[
                ("cloth", &self.cloth),
                ("rail_cloth", &self.rail_cloth),
                ("pad", &self.pad),
                ("bed", &self.bed),
                ("rest", &self.rest),
            ],
        )?;
        let [front, pad, jack] = self.mobilities();
        substeps::check(&[
            ("cloth", &self.cloth, jack),
            ("rail_cloth", &self.rail_cloth, jack),
            ("pad", &self.pad, pad),
            ("bed", &self.bed, front),
            ("rest", &self.rest, front),
        ])
    }

    /// Inverse masses at the front, between key and jack, and of the jack, 1/kg.
    fn mobilities(&self) -> [f64; 3] {
        let (key, jack) = (1.0 / self.key_inertia, 1.0 / self.jack);
        [self.front * self.front * key, self.back * self.back * key + jack, jack]
    }

    /// Stiffness of plectrum and string in series, N/m.
    fn series(&self) -> f64 {
        self.plectrum * self.string / (self.plectrum + self.string)
    }

    /// Height of the jack at which the string slips off, m.
    fn pluck_height(&self) -> f64 {
        self.gap + self.plectrum * self.slip / self.series()
    }

    /// Displacement of the string at the pluck, m.
    #[must_use]
    pub fn displacement(&self) -> f64 {
        self.plectrum * self.slip / self.string
    }

    fn evaluate(&self, phase: Phase, input: &DriveInput, x: &[f64; STATES]) -> Evaluation<2, 7> {
        let [y, v, z, w, ..] = *x;
        let ratio = self.back / self.front;
        let pad = self.pad.contact(ratio * y - z, ratio * v - w);
        let rail = self.rail_cloth.contact(z - self.rail, w);
        let cloth = self.cloth.contact(self.damper - z, -w);
        let bed = self.bed.contact(y - self.dip, v);
        let rest = self.rest.contact(-y, -v);
        let (mut plectrum, mut tongue) = (Contact::default(), Contact::default());
        match phase {
            Phase::Bending => plectrum.force = self.series() * (z - self.gap),
            Phase::Passing => {
                tongue = Contact { force: self.tongue * w, loss: self.tongue * w * w };
            }
            Phase::Below | Phase::Above => {}
        }
        let contact = if phase == Phase::Passing { tongue.force } else { plectrum.force };
        let load = rest.force - bed.force + self.key_torque / self.front - ratio * pad.force;
        let mass = self.key_inertia / (self.front * self.front);
        let (drive, acceleration) = input.on_mass(y, v, mass, -load);
        let lifted = pad.force + cloth.force - contact - rail.force;
        Evaluation {
            drive,
            contact,
            acceleration: [acceleration, lifted / self.jack - GRAVITY],
            elements: [pad, rail, cloth, bed, rest, tongue, plectrum],
        }
    }
}

/// Position of the plectrum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Below the string.
    Below,
    /// Bent under the string.
    Bending,
    /// Above the string, after the pluck.
    Above,
    /// Passing the string on the way down, with the tongue deflected.
    Passing,
}

/// States: key depth and speed, jack height and speed, work in, dissipated.
pub const STATES: usize = 6;
const JACK: usize = 2;
const JACK_SPEED: usize = 3;

/// Contacts, springs and drag.
const ELEMENTS: [Element; 7] = [
    Element::force("pad"),
    Element::force("rail"),
    Element::force("cloth"),
    Element::force("key_bed"),
    Element::force("key_rest"),
    Element::force("tongue"),
    Element::force("plectrum").lossless(),
];

/// Indices of the guards; the third is the return of the key front to rest.
const BED: usize = 0;
const DAMPER: usize = 1;

impl Model<STATES, 2, 3> for Spec {
    type Input = DriveInput;
    type Phase = Phase;
    type Held = ();

    fn rates(&self, phase: Phase, (): &(), input: &DriveInput, x: &[f64; STATES]) -> [f64; STATES] {
        let m = self.evaluate(phase, input, x);
        let [key, jack] = m.acceleration;
        [x[KEY_SPEED], key, x[JACK_SPEED], jack, m.drive * x[KEY_SPEED], m.loss()]
    }

    fn event_functions(
        &self,
        phase: Phase,
        _: &DriveInput,
        x: &[f64; STATES],
    ) -> ([f64; 2], [f64; 3]) {
        let z = x[JACK];
        let indicators = match phase {
            Phase::Below => [self.gap - z, f64::INFINITY],
            Phase::Bending => [z - self.gap, self.pluck_height() - z],
            Phase::Above => [z - self.gap, f64::INFINITY],
            Phase::Passing => [z - (self.gap - self.clear), self.gap + self.clear - z],
        };
        (indicators, [x[KEY] - self.dip, z - self.damper, x[KEY] - REST_DEPTH])
    }

    fn transition(
        &self,
        phase: Phase,
        index: usize,
        _: &DriveInput,
        x: &mut [f64; STATES],
    ) -> Phase {
        match (phase, index) {
            (Phase::Below, _) => Phase::Bending,
            (Phase::Bending, 0) | (Phase::Passing, 0) => Phase::Below,
            (Phase::Bending, _) => {
                // The energy stored in string and plectrum becomes sound and heat.
                let bend = x[JACK] - self.gap;
                x[STATES - 1] += 0.5 * self.series() * bend * bend;
                Phase::Above
            }
            (Phase::Above, _) => Phase::Passing,
            (Phase::Passing, _) => Phase::Above,
        }
    }

    fn hold(&self, _: Phase, _: &DriveInput, _: &[f64; STATES], _: f64) {}

    fn max_substep(&self, _: Phase, x: &[f64; STATES], h: f64) -> f64 {
        let [y, _, z, ..] = *x;
        let [front, pad, jack] = self.mobilities();
        let contacts = [
            (&self.pad, self.back / self.front * y - z, pad),
            (&self.rail_cloth, z - self.rail, jack),
            (&self.cloth, self.damper - z, jack),
            (&self.bed, y - self.dip, front),
            (&self.rest, -y, front),
        ]
        .map(|(felt, compression, mobility)| Pressed { felt, compression, mobility });
        // The jack on its pad is the stiffest contact: 0.4 rad in a step at 20 N.
        h / f64::from(substeps::count(2, &contacts))
    }
}

/// Submodels, in the order of [`SimpleAction::PHASES`], and their transitions.
const GRAPH: Graph<'_> = Graph {
    submodels: &["below", "bending", "above", "passing"],
    transitions: &[
        transition(0, 1, "plectrum meets the string"),
        transition(1, 0, "plectrum below the string"),
        transition(1, 2, "string slips off"),
        transition(2, 3, "plectrum falls to the string"),
        transition(3, 0, "plectrum clear below the string"),
        transition(3, 2, "jack rises again"),
    ],
};

impl SimpleAction<STATES, 2, 3> for Spec {
    const PHASES: &'static [Phase] = &[Phase::Below, Phase::Bending, Phase::Above, Phase::Passing];
    const SPEEDS: &'static [usize] = &[KEY_SPEED, JACK_SPEED];

    fn graph(&self) -> Graph<'_> {
        GRAPH
    }

    fn front_mass(&mut self) -> (&mut f64, f64) {
        (&mut self.key_inertia, self.front * self.front)
    }

    /// Damper on the string, jack on the key, key on its cloth.
    fn rest(&self) -> State<Phase, STATES> {
        let ratio = self.back / self.front;
        let (mut y, mut z) = (0.0, 0.0);
        for _ in 0..100 {
            let carried = self.jack * GRAVITY - self.cloth.contact(self.damper - z, 0.0).force;
            let pressed = ratio * carried - self.key_torque / self.front;
            y = -self.rest.compression(pressed);
            z = 0.5 * (z + ratio * y - self.pad.compression(carried));
        }
        State { phase: Phase::Below, x: [y, 0.0, z, 0.0, 0.0, 0.0] }
    }

    fn readout(&self, phase: Phase, input: &DriveInput, x: &[f64; STATES]) -> Readout {
        let m = self.evaluate(phase, input, x);
        let [y, v, z, w, work, dissipated] = *x;
        let ratio = self.back / self.front;
        let bend = z - self.gap;
        let bent = if phase == Phase::Bending { self.series() * bend * bend } else { 0.0 };
        Readout {
            phase: GRAPH.submodels[phase as usize],
            key: y,
            key_speed: v,
            key_force: m.drive,
            contact_force: m.contact,
            hammer: bend,
            hammer_speed: w,
            kinetic: 0.5
                * (self.key_inertia * (v / self.front) * (v / self.front) + self.jack * w * w),
            potential: self.jack * GRAVITY * z - self.key_torque * y / self.front
                + 0.5 * bent
                + self.pad.energy(ratio * y - z)
                + self.rail_cloth.energy(z - self.rail)
                + self.cloth.energy(self.damper - z)
                + self.bed.energy(y - self.dip)
                + self.rest.energy(-y),
            dissipated,
            work,
            losses: Losses::new(&ELEMENTS, &m.elements),
            ..Readout::NONE
        }
    }

    fn elements(&self, phase: Phase, input: &DriveInput, x: &[f64; STATES]) -> Elements {
        Elements::new(&ELEMENTS, self.evaluate(phase, input, x).elements)
    }

    fn pose(&self, phase: Phase, x: &[f64; STATES]) -> Pose {
        let lift = self.back * x[KEY] / self.front;
        let foot = 0.02 + x[JACK];
        let string = 0.12 + self.gap;
        let tip = 0.12 + x[JACK];
        // The tip is held at the string: bent down below it, deflected upward while passing.
        let end = match phase {
            Phase::Bending => tip.min(string),
            Phase::Passing => tip.max(string),
            Phase::Below | Phase::Above => tip,
        };
        Pose::default()
            .with("key", [Vec2::new(-self.front, -x[KEY]), Vec2::new(self.back, lift)])
            .with("jack", [Vec2::new(self.back, foot), Vec2::new(self.back, foot + 0.13)])
            .with("plectrum", [Vec2::new(self.back, tip), Vec2::new(self.back + 5e-3, end)])
            .with("damper", [Vec2::new(self.back + 5e-3, tip + 0.02)])
            .with("string", [Vec2::new(self.back + 4e-3, string)])
            .with("rail", [Vec2::new(self.back, 0.15 + self.rail)])
            .with("bed", [Vec2::new(-self.front, -self.dip)])
    }

    fn switched(&self, from: Phase, to: Phase, x: &[f64; STATES]) -> Option<KeyEvent> {
        match (from, to) {
            (Phase::Below, _) => Some(KeyEvent::LetOffStart { depth: x[KEY] }),
            (Phase::Bending, Phase::Above) => {
                Some(KeyEvent::Pluck { displacement: self.displacement() })
            }
            (Phase::Passing, Phase::Below) => Some(KeyEvent::Reset { depth: x[KEY] }),
            _ => None,
        }
    }

    fn passed(&self, index: usize, rising: bool, x: &[f64; STATES]) -> Option<KeyEvent> {
        match (index, rising) {
            (BED, true) => Some(KeyEvent::KeyBottom { speed: x[KEY_SPEED] }),
            (DAMPER, true) => Some(KeyEvent::DamperLift { depth: x[KEY] }),
            (DAMPER, false) => Some(KeyEvent::DamperFall { speed: -x[JACK_SPEED] }),
            (BED, false) | (_, true) => None,
            _ => Some(KeyEvent::KeyRest { speed: -x[KEY_SPEED] }),
        }
    }
}

#[cfg(test)]
mod tests;
