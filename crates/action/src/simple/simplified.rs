//! The simplified action of 1994: key and hammer with a spring between them, a key bed and a string
//! [Gillespie 1994, §§4–5, eqs. 11–13; 1996, Fig. 3.2].
//!
//! It has no wippen and no jack, like a grand whose let-off button is out of reach. Angles are small, so
//! that forces act across the levers: the key, at the angle s = y/l₁ for a front depth y, lifts with its back
//! arm l₂ the knuckle at the distance l₃ from the hammer's centre; the crown at l₄ has the height z above the
//! string.
//!
//! c = (l₂/l₁) y − (l₃/l₄)(z + blow) + c₀        compression between key and knuckle
//! I_k s̈ = l₁ (F − bed + rest) + τ − l₂ f(c),   I_h z̈/l₄ = l₃ f(c) − l₄ (w + string)
//!
//! The active constraints form a finite state machine: hammer on key or not, key on its bed or not. An
//! ordinary stroke goes through three of the four states; the fourth is a hammer that has fallen back on a
//! key held down. The signs of eqs. 2–3 and 12 of the paper are corrected.

mod note_interface;

use crate::grand::design::concert::Built;
use crate::interface::elements::{Element, Elements, Losses};
use crate::interface::graph::{Graph, transition};
use crate::interface::key::REST_DEPTH;
use crate::interface::numbers::{SpecError, check};
use crate::interface::pose::Pose;
use crate::interface::readout::Readout;
use crate::simple::drive_input::DriveInput;
use crate::simple::substeps::{self, Pressed, contact_substeps};
use crate::simple::{Evaluation, KEY, KEY_SPEED, SimpleAction};
use crate::{GRAVITY, KeyEvent};
use serde::{Deserialize, Serialize};
use touchback_core::episode::{Model, State};
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::felt::{Contact, Felt};

/// Specification of a key of the simplified action, in SI units.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Balance point to the finger's point of contact, l₁, m.
    pub front: f64,
    /// Balance point to the knuckle's point of contact, l₂, m.
    pub back: f64,
    /// Hammer centre to knuckle, l₃, m.
    pub knuckle: f64,
    /// Hammer centre to crown, l₄, m.
    pub crown: f64,
    /// Inertia of the key and the parts that move with it about the balance point, kg·m².
    pub key_inertia: f64,
    /// Torque of the key's weight, N·m; positive presses the front down.
    pub key_torque: f64,
    /// Inertia of the hammer about its centre, kg·m².
    pub hammer_inertia: f64,
    /// Weight of the hammer at the crown, N.
    pub strike_weight: f64,
    /// Key on knuckle.
    pub coupling: Felt,
    /// Crown below the string at rest, m.
    pub blow: f64,
    /// Depth of the key bed at the front, m.
    pub dip: f64,
    /// Key bed, by front depth.
    pub bed: Felt,
    /// Felt under the back of the key at rest, by front height.
    pub rest: Felt,
    /// String, at the crown.
    pub string: Felt,
}

/// Free flight of the hammer when the key reaches its bed, m at the crown (chosen): without let-off, the bed
/// must stop the key before it presses the hammer against the string, and a loud stroke compresses the bed
/// by 1 mm, which is 5 mm at the crown.
pub const THROW: f64 = 6e-3;

/// Weight that just moves the key, N: 50 g, as for a grand.
const TOUCH: f64 = 0.05 * GRAVITY;

impl Spec {
    /// The grand key `built` without wippen, jack and lever: key, hammer, string, blow and lever ratios are the
    /// same, and the inertia of wippen, jack and lever is added to that of the key.
    #[must_use]
    pub fn of_grand(built: &Built) -> Self {
        let spec = &built.spec;
        let (key, wippen, hammer) = (&spec.key, &spec.wippen, &spec.hammer);
        let heel = wippen.pivot.x - key.capstan.x;
        let to_wippen = key.capstan.x / heel;
        let jack = wippen.jack_pivot.norm_squared();
        let carried = wippen.inertia
            + spec.jack.mass * jack
            + spec.lever.mass * wippen.lever_pivot.norm_squared();
        let to_hammer = to_wippen * jack.sqrt() / hammer.knuckle;
        let knuckle = key.capstan.x / to_hammer;
        let weight = hammer.mass * GRAVITY * hammer.centre.x / hammer.crown;
        let blow = -hammer.crown * built.regulated.rest[1];
        Self {
            front: key.front,
            back: key.capstan.x,
            knuckle,
            crown: hammer.crown,
            key_inertia: key.inertia + carried * to_wippen * to_wippen,
            key_torque: weight * to_hammer * hammer.crown - TOUCH * key.front,
            hammer_inertia: hammer.inertia,
            strike_weight: weight,
            coupling: COUPLING,
            blow,
            dip: (blow - THROW) / (to_hammer * hammer.crown / key.front),
            bed: key.bed_felt,
            rest: key.rest_felt,
            string: spec.string,
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
                ("knuckle", self.knuckle),
                ("crown", self.crown),
                ("key_inertia", self.key_inertia),
                ("hammer_inertia", self.hammer_inertia),
                ("blow", self.blow),
                ("dip", self.dip),
            ],
            &[
                ("coupling", &self.coupling),
                ("bed", &self.bed),
                ("rest", &self.rest),
                ("string", &self.string),
            ],
        )?;
        let [front, knuckle] = self.mobilities();
        substeps::check(&[
            ("coupling", &self.coupling, knuckle),
            ("bed", &self.bed, front),
            ("rest", &self.rest, front),
            ("string", &self.string, self.crown * self.crown / self.hammer_inertia),
        ])
    }

    /// Inverse mass at the front without the hammer, and inverse of the reduced mass at the knuckle, 1/kg.
    fn mobilities(&self) -> [f64; 2] {
        let key = 1.0 / self.key_inertia;
        let knuckle = self.knuckle * self.knuckle / self.hammer_inertia;
        [self.front * self.front * key, self.back * self.back * key + knuckle]
    }

    /// Compression between key and knuckle, m, and its rate, m/s.
    fn compression(&self, x: &[f64; STATES]) -> [f64; 2] {
        let (a, b) = (self.back / self.front, self.knuckle / self.crown);
        let start = self.coupling.compression(self.strike_weight * self.crown / self.knuckle);
        [a * x[KEY] - b * (x[HAMMER] + self.blow) + start, a * x[KEY_SPEED] - b * x[HAMMER_SPEED]]
    }

    /// Compression of the rest felt at depth 0, m: it supports the hammer's weight less the key's torque.
    fn rest_compression(&self) -> f64 {
        let lifted = self.strike_weight * self.crown / self.knuckle * self.back;
        self.rest.compression((lifted - self.key_torque) / self.front)
    }

    fn evaluate(&self, phase: Phase, input: &DriveInput, x: &[f64; STATES]) -> Evaluation<2, 4> {
        let [c, rate] = self.compression(x);
        let key = if phase.coupled() { self.coupling.contact(c, rate) } else { Contact::default() };
        let bed = if phase.bedded() {
            self.bed.contact(x[KEY] - self.dip, x[KEY_SPEED])
        } else {
            Contact::default()
        };
        let rest = self.rest.contact(self.rest_compression() - x[KEY], -x[KEY_SPEED]);
        let string = self.string.contact(x[HAMMER], x[HAMMER_SPEED]);
        // Force at the front equivalent to the torque on the key without the drive.
        let load = rest.force - bed.force + (self.key_torque - self.back * key.force) / self.front;
        let mass = self.key_inertia / (self.front * self.front);
        let (drive, acceleration) = input.on_mass(x[KEY], x[KEY_SPEED], mass, -load);
        let thrown = self.knuckle * key.force / self.crown - self.strike_weight - string.force;
        Evaluation {
            drive,
            contact: key.force,
            acceleration: [acceleration, thrown * self.crown * self.crown / self.hammer_inertia],
            elements: [key, bed, rest, string],
        }
    }
}

/// "Most of the compliance is the softness of the knuckle": 20 kN/m, compressed by 0.04 mm under a resting
/// hammer; a coefficient of restitution of 0.6 (chosen).
const COUPLING: Felt = Felt { hysteresis: 0.5, ..Felt::new(2e4, 1.0, 1.0) };

/// The active constraints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Hammer on key, key above its bed.
    Coupled,
    /// Hammer free, key above its bed.
    Flight,
    /// Hammer free, key on its bed.
    Bedded,
    /// Hammer on a key that is on its bed.
    Held,
}

impl Phase {
    const fn of(coupled: bool, bedded: bool) -> Self {
        match (coupled, bedded) {
            (true, false) => Self::Coupled,
            (false, false) => Self::Flight,
            (false, true) => Self::Bedded,
            (true, true) => Self::Held,
        }
    }

    const fn coupled(self) -> bool {
        matches!(self, Self::Coupled | Self::Held)
    }

    const fn bedded(self) -> bool {
        matches!(self, Self::Bedded | Self::Held)
    }
}

/// States: key depth and speed, crown height and speed, work in, dissipated.
pub const STATES: usize = 6;
const HAMMER: usize = 2;
const HAMMER_SPEED: usize = 3;

/// Contacts, springs and drag.
const ELEMENTS: [Element; 4] = [
    Element::force("knuckle"),
    Element::force("key_bed"),
    Element::force("key_rest"),
    Element::force("string"),
];

/// Share of a substep within which a reversal of the hammer does not shorten the substep.
const MIN_SPLIT: f64 = 0.1;

/// Index of the guard of the crown at the string; the other is the return of the key front to rest.
const STRING: usize = 0;

impl Model<STATES, 2, 2> for Spec {
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
        _: &DriveInput,
        x: &[f64; STATES],
    ) -> ([f64; 2], [f64; 2]) {
        let touching = self.compression(x)[0];
        let bed = x[KEY] - self.dip;
        let sign = |holds: bool| if holds { 1.0 } else { -1.0 };
        (
            [sign(phase.coupled()) * touching, sign(phase.bedded()) * bed],
            [x[HAMMER], x[KEY] - REST_DEPTH],
        )
    }

    fn transition(
        &self,
        phase: Phase,
        index: usize,
        _: &DriveInput,
        _: &mut [f64; STATES],
    ) -> Phase {
        if index == 0 {
            Phase::of(!phase.coupled(), phase.bedded())
        } else {
            Phase::of(phase.coupled(), !phase.bedded())
        }
    }

    fn hold(&self, _: Phase, _: &DriveInput, _: &[f64; STATES], _: f64) {}

    fn max_substep(&self, phase: Phase, x: &[f64; STATES], h: f64) -> f64 {
        let mass = self.hammer_inertia / (self.crown * self.crown);
        let string = contact_substeps(&self.string, mass, x[HAMMER], x[HAMMER_SPEED]);
        let [front, knuckle] = self.mobilities();
        let rest = self.rest_compression() - x[KEY];
        let mut contacts = [
            Pressed { felt: &self.rest, compression: rest, mobility: front },
            Pressed { felt: &self.bed, compression: x[KEY] - self.dip, mobility: front },
            Pressed {
                felt: &self.coupling,
                compression: self.compression(x)[0],
                mobility: knuckle,
            },
        ];
        for (contact, holds) in contacts[1..].iter_mut().zip([phase.bedded(), phase.coupled()]) {
            if !holds {
                contact.compression = -1.0;
            }
        }
        let equal = h / f64::from(substeps::count(string, &contacts));
        let (z, speed) = (x[HAMMER], x[HAMMER_SPEED]);
        if z < 0.0 || speed <= 0.0 {
            return equal;
        }
        // The substep ends where the hammer reverses, because the felt's hysteresis is discontinuous there.
        let reversal = self.string.reversal_time(z, speed, mass * speed, h);
        if reversal < equal && reversal > MIN_SPLIT * equal { reversal } else { equal }
    }
}

/// Submodels, in the order of [`SimpleAction::PHASES`], and their transitions.
const GRAPH: Graph<'_> = Graph {
    submodels: &["coupled", "flight", "bedded", "held"],
    transitions: &[
        transition(0, 1, "knuckle leaves the key"),
        transition(1, 0, "knuckle on the key"),
        transition(1, 2, "key on its bed"),
        transition(2, 1, "key leaves its bed"),
        transition(2, 3, "knuckle on the key"),
        transition(3, 2, "knuckle leaves the key"),
        transition(3, 0, "key leaves its bed"),
        transition(0, 3, "key on its bed"),
    ],
};

impl SimpleAction<STATES, 2, 2> for Spec {
    const PHASES: &'static [Phase] = &[Phase::Coupled, Phase::Flight, Phase::Bedded, Phase::Held];
    const SPEEDS: &'static [usize] = &[KEY_SPEED, HAMMER_SPEED];

    fn graph(&self) -> Graph<'_> {
        GRAPH
    }

    fn front_mass(&mut self) -> (&mut f64, f64) {
        (&mut self.key_inertia, self.front * self.front)
    }

    fn rest(&self) -> State<Phase, STATES> {
        State { phase: Phase::Coupled, x: [0.0, 0.0, -self.blow, 0.0, 0.0, 0.0] }
    }

    fn readout(&self, phase: Phase, input: &DriveInput, x: &[f64; STATES]) -> Readout {
        let m = self.evaluate(phase, input, x);
        let [y, v, z, w, work, dissipated] = *x;
        let masses = [
            self.key_inertia / (self.front * self.front),
            self.hammer_inertia / (self.crown * self.crown),
        ];
        Readout {
            phase: GRAPH.submodels[phase as usize],
            key: y,
            key_speed: v,
            key_force: m.drive,
            contact_force: m.contact,
            hammer: z,
            hammer_speed: w,
            kinetic: 0.5 * (masses[0] * v * v + masses[1] * w * w),
            potential: self.strike_weight * z - self.key_torque * y / self.front
                + self.coupling.energy(self.compression(x)[0])
                + self.bed.energy(y - self.dip)
                + self.rest.energy(self.rest_compression() - y)
                + self.string.energy(z),
            dissipated,
            work,
            losses: Losses::new(&ELEMENTS, &m.elements),
            ..Readout::NONE
        }
    }

    fn elements(&self, phase: Phase, input: &DriveInput, x: &[f64; STATES]) -> Elements {
        Elements::new(&ELEMENTS, self.evaluate(phase, input, x).elements)
    }

    fn pose(&self, _: Phase, x: &[f64; STATES]) -> Pose {
        let lift = self.back * x[KEY] / self.front;
        let shank = -x[HAMMER] / self.crown;
        // The hammer's centre is placed so that its knuckle rests on the end of the key.
        let height = 0.05;
        let centre = Vec2::new(self.back - self.knuckle, height);
        let crown = centre + Vec2::new(self.crown, -self.crown * shank);
        let string = height + 0.01;
        Pose::default()
            .with("key", [Vec2::new(-self.front, -x[KEY]), Vec2::new(self.back, lift)])
            .with("hammer", [centre, crown, crown + Vec2::new(0.0, 0.01)])
            .with("string", [Vec2::new(0.1, string), Vec2::new(0.3, string)])
            .with("bed", [Vec2::new(-self.front, -self.dip)])
    }

    fn switched(&self, from: Phase, to: Phase, x: &[f64; STATES]) -> Option<KeyEvent> {
        match (from.coupled(), to.coupled()) {
            (true, false) => Some(KeyEvent::Release { speed: x[HAMMER_SPEED] }),
            (false, true) => Some(KeyEvent::Reset { depth: x[KEY] }),
            _ if to.bedded() => Some(KeyEvent::KeyBottom { speed: x[KEY_SPEED] }),
            _ => None,
        }
    }

    fn passed(&self, index: usize, rising: bool, x: &[f64; STATES]) -> Option<KeyEvent> {
        match (index, rising) {
            (STRING, true) => Some(KeyEvent::Strike { speed: x[HAMMER_SPEED] }),
            (STRING, false) | (_, true) => None,
            _ => Some(KeyEvent::KeyRest { speed: -x[KEY_SPEED] }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grand::design::concert::Design;
    use crate::simple::ActionKey;
    use crate::{ActionSettings, Drive, EventKind, Key, STEP};
    use touchback_core::math::cast::floor_index;
    use touchback_core::math::compass::KeyNumber;

    fn middle() -> Spec {
        let key = KeyNumber::from_midi(60).unwrap();
        Spec::of_grand(&Design::new(key).build(&ActionSettings::default()))
    }

    /// Presses at `speed` m/s for `seconds`, then releases for as long. Returns events, largest energy
    /// imbalance, J, and largest work, J.
    fn press(speed: f64, seconds: f64) -> (Vec<(f64, EventKind, f64)>, f64, f64) {
        let mut key = ActionKey::new(middle());
        let start = key.readout(Drive::Free).imbalance();
        let (mut events, mut worst, mut work) = (Vec::new(), 0.0f64, 0.0f64);
        let steps = floor_index(seconds / STEP);
        for i in 0..2 * steps {
            let t = i as f64 * STEP;
            let target = |t: f64| (speed * t).min(0.03);
            let drive =
                if i < steps { Drive::Finger([target(t), target(t + STEP)]) } else { Drive::Free };
            key.step(drive, &mut |offset, event| {
                events.push((t + offset, event.kind(), event.value()));
            });
            let view = key.readout(drive);
            worst = worst.max((view.imbalance() - start).abs());
            work = work.max(view.work.abs());
        }
        (events, worst, work)
    }

    #[test]
    fn the_rest_pose_is_in_balance() {
        let mut key = ActionKey::new(middle());
        for _ in 0..4000 {
            key.step(Drive::Free, &mut |_, _| {});
        }
        let view = key.readout(Drive::Free);
        assert!(view.key.abs() < 1e-6 && (view.hammer + key.spec.blow).abs() < 1e-5, "{view:?}");
    }

    #[test]
    fn a_stroke_throws_the_hammer_and_the_key_meets_its_bed_and_returns() {
        let (events, worst, work) = press(0.3, 0.3);
        let first = |kind| events.iter().find(|e| e.1 == kind).map(|e| (e.0, e.2));
        let strike = first(EventKind::Strike).unwrap();
        assert!((0.5..4.0).contains(&strike.1), "{strike:?}");
        assert!(first(EventKind::Release).unwrap().0 < strike.0);
        assert!(first(EventKind::KeyBottom).is_some() && first(EventKind::KeyRest).is_some());
        assert!(worst < 1e-3 * work, "energy off by {worst} of {work} J");
    }

    #[test]
    fn a_slow_press_is_silent_and_leaves_the_hammer_on_the_key() {
        let (events, ..) = press(0.015, 1.5);
        assert!(events.iter().all(|e| e.1 != EventKind::Strike), "{events:?}");
        assert!(events.iter().any(|e| e.1 == EventKind::KeyBottom));
    }
}
