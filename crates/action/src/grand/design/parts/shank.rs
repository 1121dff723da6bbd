//! The hammer's shank as it bends.

use crate::grand::design::concert_key::ConcertKey;
use crate::grand::design::sources::NO_EFFECT;
use crate::grand::design::table::{Number, part};
use touchback_core::math::compass::linear;
use touchback_core::mech::hammer::CROWN;

/// Stiffness of the hinge by key number, N·m/rad. A shank of E I clamped at the butt and loaded at
/// the crown bends as one rigid out to two thirds of its free length L from the crown, with a hinge
/// of 4 E I / 3 L there: hornbeam or maple of 12.7 GPa, a quarter of an inch thick, 0.12 m free;
/// thinned in the treble (chosen). With the butt held, the head swings at 67 to 92 Hz; [Askenfelt
/// 1991] has 50 Hz.
const STIFFNESS: [(f64, f64); 2] = [(1.0, 11.3), (88.0, 10.0)];

/// Distance of the hinge from the centre pin, m.
const HINGE: f64 = 0.052;

/// Share of the hammer's inertia that turns with the butt: at this share a hammer in flight ripples
/// at 251 Hz (A0) to 349 Hz (C8), measured 250 Hz [Askenfelt 1991]; the butt's wood alone has a
/// hundredth.
const BUTT_SHARE: f64 = 0.07;

/// Damping of the shank with the butt held, share of critical: wood with glued joints, chosen.
pub(crate) const DAMPING_SHARE: f64 = 0.03;

/// Source of the concert grand's shank.
const HORNBEAM: &str = "derived: a quarter inch of hornbeam; held at its butt it swings at 67 to 92 Hz, \
     [Askenfelt 1991] 50";

part! {
    /// The first bending mode of a hammer's shank: a hinge with a spring between the butt, which
    /// turns on the centre pin, and the head, a mass at the crown.
    #[derive(Default)]
    pub struct Shank, ShankNumbers: "hammer.shank", c, t {
        /// Stiffness of the hinge; 0 for a rigid shank.
        stiffness: f64 as Number, "N·m/rad";
            concert stiffness(c), HORNBEAM;
            thesis 0.0, NO_EFFECT;

        /// Damping of the hinge.
        damping: f64 as Number, "N·m·s/rad";
            concert damping(c), HORNBEAM;
            thesis 0.0, NO_EFFECT;

        /// Distance of the hinge from the centre pin.
        hinge: f64, "m";
            concert HINGE, HORNBEAM;
            thesis 0.0, NO_EFFECT;

        /// Share of `hammer.inertia` that turns with the butt.
        butt: f64, "1";
            concert BUTT_SHARE, HORNBEAM;
            thesis 0.0, NO_EFFECT;
    }
}

impl Shank {
    /// Whether the shank bends.
    #[must_use]
    pub fn bends(&self) -> bool {
        self.stiffness > 0.0
    }
}

fn stiffness(c: &ConcertKey<'_>) -> f64 {
    linear(&STIFFNESS, c.number())
}

fn damping(c: &ConcertKey<'_>) -> f64 {
    let share = 1.0 - HINGE / CROWN;
    let bent = share * share * (1.0 - BUTT_SHARE) * c.hammer.inertia;
    2.0 * DAMPING_SHARE * (stiffness(c) * bent).sqrt()
}
