//! The hammer of a key, shared by the action model and the string model.
//!
//! Sources: [Hirschkorn 2004] for mass, centre of mass and inertia of one hammer; [Stanwood tables]
//! for the strike weights that scale it along the compass; [Bank 2006] for the effective mass at the
//! strings; [Chaigne 1994] for the felt. "Chosen" marks values without a source.

use crate::math::compass::{KeyNumber, linear, log_linear};
use crate::math::vec2::Vec2;

/// Centre pin to crown, along the string's normal at contact, m [Hirschkorn 2004].
pub const CROWN: f64 = 0.1321;

/// Strike weight of a medium-heavy set, g by key number [Stanwood tables, level 7].
const STRIKE_WEIGHT_G: [(f64, f64); 5] =
    [(1.0, 11.3), (22.0, 10.5), (44.0, 9.3), (66.0, 7.5), (88.0, 5.2)];

/// Strike weight of the hammer measured as [`BODY_MASS`] and [`INERTIA`], g: its gravity torque of
/// 1.19e-2 N·m over the strike radius [Hirschkorn 2004].
const MEASURED_STRIKE_WEIGHT_G: f64 = 9.2;

/// Mass of head and shank, kg [Hirschkorn 2004].
const BODY_MASS: f64 = 11.74e-3;
/// Inertia of head and shank about the centre pin, kg·m² [Hirschkorn 2004].
const INERTIA: f64 = 1.54e-4;

/// Centre of mass from the centre pin along and across the shank, m [Hirschkorn 2004].
const CENTRE: Vec2 = Vec2::new(0.1022, 0.0145);

/// Effective mass at the strings by key number, kg: up to C6 the regression of [Bank 2006], above it less by up
/// to 8 %. Contacts there last 0.25 to 0.6 ms; in so short a time the shank bends, and less of its mass moves
/// with the head.
const MASS: [(f64, f64); 5] =
    [(1.0, 0.011), (40.0, 0.0083), (66.0, 0.0065), (76.0, 0.00555), (88.0, 0.0049)];

/// Felt exponent p by key number, within the 1.5–3.5 of sixteen real hammers [Hall & Askenfelt 1988].
/// C4: the value of [Chaigne 1994]. Bass: 3, because recorded low notes brighten more with speed
/// (`touchback lab recorded`, A0–B1: 0.1 and 0.2 dB closer to two grands than with 2.2). Never above 3:
/// the level of the top octaves would grow faster with speed than measured [Palmer 1991].
const EXPONENT: [(f64, f64); 5] = [(1.0, 3.0), (16.0, 3.0), (40.0, 2.5), (60.0, 3.0), (88.0, 3.0)];

/// Stiffness of the felt of the whole head by key number, N/m^p. C4: the value of [Chaigne 1994], adjusted
/// so that the contact times at 2 m/s are those of real hammers on these strings. Above C5 the contact
/// lasts about as long as the period; with softer felt a null of the force spectrum would move through
/// the fundamental as the speed changes, and the level would grow by 10–20 dB for each doubling of the
/// speed instead of the measured 6 dB.
const STIFFNESS: [(f64, f64); 6] = [
    (1.0, 1.05e11),
    (16.0, 1.75e11),
    (40.0, 1.25e10),
    (60.0, 5.4e12),
    (71.0, 1.4e13),
    (88.0, 2.6e14),
];

/// Relaxation time α of the felt by key number, s: a strike loses about a quarter of its energy in the felt of a
/// bass hammer (chosen) and a few hundredths in that of a hard treble hammer, because three recorded grands are
/// nearer with less loss (`touchback lab recorded`, C4–C8).
const RELAXATION: [(f64, f64); 4] = [(1.0, 1.5e-4), (40.0, 1.0e-4), (60.0, 1.0e-5), (88.0, 1.0e-6)];

/// Width of the felt's contact with the string by key number, m: bass hammers are wider.
const WIDTH: [(f64, f64); 3] = [(1.0, 0.014), (40.0, 0.008), (88.0, 0.002)];

/// Ratio of strike point to string length by key number. Up to G#5: the ratio of the strings of
/// [Chabassier 2012]. Above, it falls rapidly to 1/17 at C8; in grands it is 1/12 to 1/17 there [Conklin 1990].
/// The nearer end is the stiffer spring and ends the contact sooner: with 1/10.6 at C7 a null of the force
/// spectrum lay at its second partial, and that partial was 10 to 20 dB softer than in three recorded grands
/// (`touchback lab recorded`: C6–C8 0.2 to 0.4 dB nearer in body, 0.3 to 1 dB in attack).
const STRIKE_POINT: [(f64, f64); 4] = [(60.0, 0.12), (71.0, 0.0985), (77.0, 0.072), (88.0, 0.0588)];

/// Least share of a hammer's mass and inertia that remains when mass is removed (chosen: keeps every
/// combination of settings physical). Mass removed is limited to the same share.
const LEAST_SHARE: f64 = 0.3;

/// Settings of all hammers, relative to the concert grand.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HammerSettings {
    /// Factor of mass and inertia.
    pub mass: f64,
    /// Mass added at the crown, kg.
    pub added: f64,
    /// Change of the felt stiffness, octaves (factors of 2).
    pub hardness: f64,
    /// Factor of the strike point's distance from the near end of the strings.
    pub strike_point: f64,
}

impl HammerSettings {
    /// The unchanged hammers of the concert grand.
    pub const CONCERT: Self = Self { mass: 1.0, added: 0.0, hardness: 0.0, strike_point: 1.0 };
}

/// The felt of a hammer's crown: F = K (ξ^p + α d(ξ^p)/dt) ≥ 0, ξ its compression in m.
///
/// Stulov's hereditary felt has a memory of about 2 µs [Stulov 1995], shorter than any step of the
/// contact; to first order in that memory it is this law.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HammerFelt {
    /// Stiffness K against all strings together, N/m^p.
    pub stiffness: f64,
    /// Exponent p, ≥ 1.
    pub exponent: f64,
    /// Relaxation α, s.
    pub relaxation: f64,
    /// Width of the contact with the string, m; 0 is a point contact.
    pub width: f64,
}

/// One hammer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hammer {
    /// Effective mass at the crown as the strings meet it, kg.
    ///
    /// [`Self::inertia`] over [`CROWN`]² is the same mass from another source; this one is 0.90 (E4) to
    /// 1.01 (A0) times that in the concert grand. `touchback lab contact` shows the effect.
    pub mass: f64,
    /// Inertia of head and shank about the centre pin, kg·m².
    pub inertia: f64,
    /// Mass of head and shank, kg.
    pub body_mass: f64,
    /// Centre of mass of head and shank from the centre pin, along and across the shank, m.
    pub centre: Vec2,
    /// Felt of the crown.
    pub felt: HammerFelt,
    /// Ratio of the strike point's distance from the near end to the length of the strings.
    pub strike_point: f64,
}

impl Hammer {
    /// The concert grand's hammer of `key`.
    #[must_use]
    pub fn concert(key: KeyNumber) -> Self {
        let n = f64::from(key.number());
        let heavier = log_linear(&STRIKE_WEIGHT_G, n) / MEASURED_STRIKE_WEIGHT_G;
        Self {
            mass: log_linear(&MASS, n),
            inertia: INERTIA * heavier,
            body_mass: BODY_MASS * heavier,
            centre: CENTRE,
            felt: HammerFelt {
                stiffness: log_linear(&STIFFNESS, n),
                exponent: linear(&EXPONENT, n),
                relaxation: log_linear(&RELAXATION, n),
                width: log_linear(&WIDTH, n),
            },
            strike_point: linear(&STRIKE_POINT, n),
        }
    }

    /// The concert grand's hammer of `key` with `settings`.
    #[must_use]
    pub fn of(key: KeyNumber, settings: &HammerSettings) -> Self {
        Self::concert(key).set(settings)
    }

    /// This hammer with `settings`.
    #[must_use]
    pub fn set(&self, settings: &HammerSettings) -> Self {
        let body_mass = self.body_mass * settings.mass;
        let (mass, inertia) = (self.mass * settings.mass, self.inertia * settings.mass);
        // The added mass is a point at the crown, perpendicular over the end of the shank.
        let added = settings.added.max(-LEAST_SHARE * body_mass);
        let with = body_mass + added;
        let crown = Vec2::new(CROWN, self.centre.y);
        Self {
            mass: (mass + added).max(LEAST_SHARE * mass),
            inertia: (inertia + added * CROWN * CROWN).max(LEAST_SHARE * inertia),
            body_mass: with,
            centre: (self.centre * body_mass + crown * added) * (1.0 / with),
            felt: HammerFelt {
                stiffness: self.felt.stiffness * libm::exp2(settings.hardness),
                ..self.felt
            },
            strike_point: self.strike_point * settings.strike_point,
        }
    }

    /// A hammer with all its mass at the crown, as published models of hammer–string contact assume.
    #[must_use]
    pub const fn point(mass: f64, felt: HammerFelt, strike_point: f64) -> Self {
        let (inertia, centre) = (mass * CROWN * CROWN, Vec2::new(CROWN, 0.0));
        Self { mass, inertia, body_mass: mass, centre, felt, strike_point }
    }
}

/// Strike weight of the concert grand's hammer of `key`, kg: the reading of a scale under the crown with
/// the shank horizontal.
#[must_use]
pub fn strike_weight(key: KeyNumber) -> f64 {
    log_linear(&STRIKE_WEIGHT_G, f64::from(key.number())) * 1e-3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_settings_leave_the_concert_grands_hammers_unchanged() {
        for key in KeyNumber::all() {
            let (concert, set) = (Hammer::concert(key), Hammer::of(key, &HammerSettings::CONCERT));
            assert!((set.centre - concert.centre).norm_squared() < 1e-32);
            assert_eq!(set, Hammer { centre: set.centre, ..concert });
            let ratio = concert.mass * CROWN * CROWN / concert.inertia;
            assert!((0.89..1.07).contains(&ratio), "{key:?}: {ratio}");
        }
    }

    #[test]
    fn mass_added_at_the_crown_adds_fully_to_effective_mass_and_inertia() {
        let key = KeyNumber::from_index(39).unwrap();
        let (concert, added) = (Hammer::concert(key), 1e-3);
        let heavier = concert.set(&HammerSettings { added, ..HammerSettings::CONCERT });
        assert!((heavier.mass - concert.mass - added).abs() < 1e-12);
        let inertia = heavier.inertia - concert.inertia;
        assert!((inertia / (CROWN * CROWN) - added).abs() < 1e-12);
        let double = concert.set(&HammerSettings { mass: 2.0, ..HammerSettings::CONCERT });
        assert_eq!(double.mass, 2.0 * concert.mass);
        assert_eq!(double.inertia, 2.0 * concert.inertia);
    }

    #[test]
    fn no_combination_of_settings_leaves_a_hammer_without_mass() {
        let filed = HammerSettings { mass: 0.5, added: -2.5e-3, hardness: -2.0, strike_point: 0.5 };
        for key in KeyNumber::all() {
            let hammer = Hammer::of(key, &filed);
            assert!(hammer.mass > 1e-3 && hammer.inertia > 0.3 * 0.5 * INERTIA * 0.5);
        }
    }
}
