//! Every number of one key: dimensions, masses, springs, felts, frictions and screws. SI.
//!
//! The numbers of each part are a table in `parts`.

use crate::grand::design::concert_key::ConcertKey;
use crate::grand::design::string_law;
use crate::grand::design::table::{Entry, Field as _, Part, Set, list};
use crate::grand::design::thesis_pose::ThesisPose;
use crate::interface::numbers::SpecError;
use serde::{Deserialize, Serialize};
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::felt::Felt;

pub use crate::grand::design::parts::check::Check;
pub use crate::grand::design::parts::damper::Damper;
pub use crate::grand::design::parts::hammer::Hammer;
pub use crate::grand::design::parts::jack::Jack;
pub use crate::grand::design::parts::key::Key;
pub use crate::grand::design::parts::lever::Lever;
pub use crate::grand::design::parts::shank::Shank;
pub use crate::grand::design::parts::wippen::Wippen;

/// One key's action.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Key K.
    pub key: Key,
    /// Wippen W.
    pub wippen: Wippen,
    /// Jack J and let-off button.
    pub jack: Jack,
    /// Repetition lever R, its spring, stops and drop screw.
    pub lever: Lever,
    /// Hammer H with knuckle and shank.
    pub hammer: Hammer,
    /// Backcheck and the hammer's tail.
    pub check: Check,
    /// Damper and its lever.
    pub damper: Damper,
    /// String as a contact of the hammer.
    pub string: Felt,
    /// Coupling of the thesis's manipulandum: k1, N·m/rad, and b1, N·m·s/rad.
    pub coupling: [f64; 2],
}

/// Coupling of the manipulandum [Gillespie 1996]: k1, N·m/rad, and b1, N·m·s/rad.
const COUPLING: [f64; 2] = [200.0, 0.82];

impl Spec {
    /// A key of the concert grand before it is regulated.
    pub(crate) fn concert(c: &ConcertKey<'_>) -> Self {
        Self {
            key: Key::concert(c),
            wippen: Wippen::concert(c),
            jack: Jack::concert(c),
            lever: Lever::concert(c),
            hammer: Hammer::concert(c),
            check: Check::concert(c),
            damper: Damper::concert(c),
            string: string_law::of(c.number(), c.hammer, c.hammer),
            coupling: COUPLING,
        }
    }

    /// The thesis's key.
    pub(crate) fn thesis(t: &ThesisPose) -> Self {
        Self {
            key: Key::thesis(t),
            wippen: Wippen::thesis(t),
            jack: Jack::thesis(t),
            lever: Lever::thesis(t),
            hammer: Hammer::thesis(t),
            check: Check::thesis(t),
            damper: Damper::thesis(t),
            // The thesis reverses the hammer's speed: a stiff, nearly lossless string.
            string: Felt { hysteresis: 0.02, ..Felt::new(3e6, 1.5, 0.0) },
            coupling: COUPLING,
        }
    }

    /// The parts in the order of the model files.
    fn parts(&self) -> [&dyn Part; 7] {
        [&self.key, &self.wippen, &self.jack, &self.lever, &self.hammer, &self.check, &self.damper]
    }

    /// All numbers in the order of the model files, with the sources of `set`.
    pub(crate) fn entries(&self, set: Set) -> Vec<Entry> {
        let mut entries = Vec::new();
        for part in self.parts() {
            part.list(set, &mut entries);
        }
        let (string, coupling) = match set {
            Set::Concert => (
                "fitted to the sound engine's strings by `touchback lab string-law`, near \
                 [Chaigne 1994]",
                "[Gillespie 1996] k1 and b1; used by the manipulandum drive only",
            ),
            Set::Thesis => (
                "[Gillespie 1996]: reverses the hammer's speed; stiff and nearly lossless",
                "[Gillespie 1996] k1 and b1",
            ),
        };
        let contact = "String as a felt at the crown.";
        list("string", &self.string, "N/m^p", contact, string, &mut entries);
        let manipulandum = "Spring and damper between the thesis's manipulandum and the key.";
        list("coupling", &self.coupling, "N·m/rad", manipulandum, coupling, &mut entries);
        entries
    }

    /// Whether the knuckle is a straight line and rigid constraints carry the jack, as in the
    /// thesis; else the knuckle is round and the jack swings between felts.
    #[must_use]
    pub fn is_rigid(&self) -> bool {
        self.hammer.knuckle_radius <= 0.0
    }

    /// Centre of the circle with which the knuckle rolls on the repetition lever, in the hammer's
    /// frame, m; the lowest point of the knuckle where the radius is 0.
    #[must_use]
    pub fn rolling_centre(&self) -> Vec2 {
        let (h, l) = (&self.hammer, &self.lever);
        Vec2::new(h.knuckle, l.knuckle_radius - h.knuckle_depth)
    }

    /// Checks the numbers that the equations rely on.
    ///
    /// # Errors
    /// The first value that is not finite, or not positive where the equations need it.
    pub fn check(&self) -> Result<(), SpecError> {
        for part in self.parts() {
            part.check_rules()?;
        }
        self.check_shank()?;
        for part in self.parts() {
            part.check_felts()?;
        }
        self.string.check("string")
    }

    fn check_shank(&self) -> Result<(), SpecError> {
        let shank = &self.hammer.shank;
        let refuse = |name, value, must| Err(SpecError::Value { name, value, must });
        if !(shank.stiffness >= 0.0 && shank.stiffness.is_finite()) {
            return refuse("hammer.shank.stiffness", shank.stiffness, "≥ 0; 0 for a rigid shank");
        }
        if !shank.bends() {
            return Ok(());
        }
        if self.is_rigid() {
            let radius = self.hammer.knuckle_radius;
            return refuse("hammer.knuckle_radius", radius, "positive where the shank bends");
        }
        if !(shank.hinge > 0.0 && shank.hinge < self.hammer.crown) {
            return refuse("hammer.shank.hinge", shank.hinge, "between centre pin and crown");
        }
        if !(shank.butt > 0.0 && shank.butt < 1.0) {
            return refuse("hammer.shank.butt", shank.butt, "a share between 0 and 1");
        }
        if !(shank.damping >= 0.0 && shank.damping.is_finite()) {
            return refuse("hammer.shank.damping", shank.damping, "≥ 0");
        }
        Ok(())
    }
}
