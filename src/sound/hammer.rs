//! Hammers along the compass.

use crate::math::compass::{KeyNumber, linear, log_linear};
use crate::sound::SoundSettings;

/// Mass of the head by key number, kg: the regression of [Bank 2006].
const MASS: [(f64, f64); 4] = [(1.0, 0.011), (40.0, 0.0083), (76.0, 0.006), (88.0, 0.0053)];

/// Felt exponent p by key number: near the three hammers of [Chaigne 1994] up to C4; not above 3,
/// or the level in the top octaves grows faster with speed than measured [Palmer 1991].
const EXPONENT: [(f64, f64); 5] = [(1.0, 2.2), (16.0, 2.3), (40.0, 2.5), (60.0, 3.0), (88.0, 3.0)];

/// Felt stiffness by key number, N/m^p, of the whole head. To C5 that of [Chaigne 1994], adjusted
/// so that the contact times at 2 m/s are those of real hammers on these strings; above, stiffer
/// than theirs: with softer felt the contact outlasts the period, a null of the force's spectrum
/// moves through the fundamental as the speed changes, and the level grows by 10-20 dB a doubling
/// instead of the measured 6.
const STIFFNESS: [(f64, f64); 8] = [
    (1.0, 4.0e8),
    (16.0, 1.2e9),
    (40.0, 1.35e10),
    (60.0, 7.0e12),
    (64.0, 2.0e13),
    (71.0, 6.0e13),
    (82.0, 5.5e14),
    (88.0, 7.0e14),
];

/// Relaxation α of the felt by key number, s: F gains K α d(ξ^p)/dt. Chosen: the strike loses about
/// a quarter of its energy in a bass hammer's felt and a tenth in a hard treble one's.
const RELAXATION: [(f64, f64); 4] = [(1.0, 1.5e-4), (40.0, 1.0e-4), (60.0, 4.0e-5), (88.0, 1.0e-5)];

/// Contact time at 2 m/s by key number, ms: measured on grands, or computed with published hammers.
pub const CONTACT_MS: [(f64, f64); 7] =
    [(7.0, 4.5), (16.0, 3.2), (40.0, 2.05), (53.0, 1.35), (71.0, 0.8), (76.0, 0.7), (82.0, 0.55)];

/// How much softer the felt between the grooves is, octaves of stiffness (chosen: with one string
/// fewer it gives the few decibels less and the darker colour that players know).
const SHIFT_OCTAVES: f64 = 1.0;

/// One hammer head and its felt: F = K (ξ^p + α d(ξ^p)/dt), ξ the compression in metres, F ≥ 0.
///
/// Stulov's hereditary felt has a memory of about 2 µs [Stulov 1995], shorter than any step here;
/// to first order in it the law is this one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HammerSpec {
    /// Mass, kg.
    pub mass: f64,
    /// Stiffness K, N/m^p, against all strings together.
    pub stiffness: f64,
    /// Exponent p.
    pub exponent: f64,
    /// Relaxation α, s.
    pub relaxation: f64,
}

impl HammerSpec {
    /// The hammer of `key` as voiced.
    #[must_use]
    pub fn of(key: KeyNumber, voicing: &SoundSettings) -> Self {
        let n = f64::from(key.number());
        Self {
            mass: log_linear(&MASS, n),
            stiffness: log_linear(&STIFFNESS, n) * voicing.hammer_hardness.exp2(),
            exponent: linear(&EXPONENT, n),
            relaxation: log_linear(&RELAXATION, n),
        }
    }

    /// The hammer shifted by the left pedal, 0…1: it meets the strings with felt that is not
    /// packed into grooves.
    #[must_use]
    pub fn shifted(&self, amount: f64) -> Self {
        Self { stiffness: self.stiffness * (-SHIFT_OCTAVES * amount).exp2(), ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sound::contact::strike_offline;
    use crate::sound::scale::StringSpec;

    fn strike(number: usize, speed: f64) -> crate::sound::contact::ContactReport {
        let (key, voicing) = (KeyNumber::from_index(number - 1).unwrap(), SoundSettings::default());
        let (hammer, string) = (HammerSpec::of(key, &voicing), StringSpec::of(key, &voicing));
        strike_offline(&hammer, &string, speed, 384_000.0)
    }

    #[test]
    fn contacts_last_as_long_and_press_as_hard_as_measured() {
        // Key number, contact time s, peak force N at 2 m/s.
        for (number, time, force) in
            [(16, 3.2e-3, 25.0), (40, 2.05e-3, 28.0), (53, 1.35e-3, 31.0), (71, 0.8e-3, 43.0)]
        {
            let report = strike(number, 2.0);
            let (t, f) = (report.contact_time / time, report.peak_force / force);
            assert!((t - 1.0).abs() < 0.2, "key {number}: contact {t}");
            assert!((f - 1.0).abs() < 0.3, "key {number}: force {f}");
        }
        let low = strike(7, 2.0).contact_time / 4.5e-3;
        assert!((low - 1.0).abs() < 0.2, "key 7: contact {low}");
        let ratio = strike(40, 5.0).contact_time / strike(40, 1.0).contact_time;
        assert!((0.62..0.85).contains(&ratio), "{ratio}");
    }

    #[test]
    fn steps_of_the_engine_are_fine_enough() {
        let voicing = SoundSettings::default();
        for (number, rate) in [(7, 44_100.0), (16, 44_100.0), (40, 88_200.0), (64, 176_400.0)] {
            let key = KeyNumber::from_index(number - 1).unwrap();
            let (hammer, string) = (HammerSpec::of(key, &voicing), StringSpec::of(key, &voicing));
            let coarse = strike_offline(&hammer, &string, 3.0, rate);
            let fine = strike(number, 3.0);
            let impulse = coarse.impulse_ratio / fine.impulse_ratio;
            let force = coarse.peak_force / fine.peak_force;
            assert!((impulse - 1.0).abs() < 0.01, "key {number}: {impulse}");
            assert!((force - 1.0).abs() < 0.02, "key {number}: {force}");
        }
    }
}
