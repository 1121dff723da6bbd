//! Contact times of hammers on grands, and the left pedal's shift.

use touchback_core::math::compass::{KeyNumber, linear};
use touchback_core::mech::hammer::{Hammer, HammerFelt};

/// Contact time at 2 m/s by key number, ms: measured on grands, or computed with published hammers.
pub const CONTACT_MS: [(f64, f64); 7] =
    [(7.0, 4.5), (16.0, 3.2), (40.0, 2.05), (53.0, 1.35), (71.0, 0.8), (76.0, 0.7), (82.0, 0.55)];

/// Softness of the felt between the grooves by key number, octaves of stiffness (chosen: together with the part of a string
/// that is missed, the level falls by 1 to 3 dB and the centroid is lower, as players report).
const SHIFT_OCTAVES: [(f64, f64); 2] = [(46.0, 1.0), (61.0, 2.0)];

/// Share of its blow on the first string that a hammer shifted by the left pedal misses, by key number: a treble hammer
/// is wider than the shift and touches that string with its edge (chosen with [`SHIFT_OCTAVES`]: a string less makes the
/// blow longer against the period and moves the nulls of its force, so that the third and fourth partials of C6 to
/// A6 rose by 6 to 8 dB with a share of 0.6, and rise by 3 dB with this one).
const MISSED: [(f64, f64); 2] = [(46.0, 1.0), (64.0, 0.3)];

/// What the left pedal's full shift does to a key's blow.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Shifted {
    /// Share of the blow on the first string that is missed.
    pub missed: f64,
    /// Softness of the felt that meets the strings, octaves of stiffness.
    octaves: f64,
}

impl Shifted {
    /// That of `key` with `strings` strings.
    #[must_use]
    pub fn of(key: KeyNumber, strings: usize) -> Self {
        let n = f64::from(key.number());
        let missed = if strings > 1 { linear(&MISSED, n) } else { 0.0 };
        Self { missed, octaves: linear(&SHIFT_OCTAVES, n) }
    }

    /// `hammer` shifted by `amount`, 0…1: it meets the strings with felt that is not compacted into grooves.
    #[must_use]
    pub fn hammer(&self, hammer: &Hammer, amount: f64) -> Hammer {
        let stiffness = hammer.felt.stiffness * libm::exp2(-self.octaves * amount);
        Hammer { felt: HammerFelt { stiffness, ..hammer.felt }, ..*hammer }
    }
}

#[cfg(test)]
mod tests {
    use crate::SoundSettings;
    use crate::strings::contact::{ContactReport, strike_offline};
    use crate::tuning::scale::StringSpec;
    use touchback_core::math::compass::KeyNumber;
    use touchback_core::mech::hammer::Hammer;

    fn strike_at(number: usize, speed: f64, rate: f64) -> ContactReport {
        let key = KeyNumber::from_index(number - 1).unwrap();
        let string = StringSpec::of(key, &SoundSettings::default());
        strike_offline(&Hammer::concert(key), &string, speed, rate)
    }

    fn strike(number: usize, speed: f64) -> ContactReport {
        strike_at(number, speed, 384_000.0)
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
    fn contact_steps_of_the_engine_give_the_exact_force_within_2_percent() {
        for (number, rate) in [(7, 44_100.0), (16, 44_100.0), (40, 88_200.0), (64, 176_400.0)] {
            let (coarse, fine) = (strike_at(number, 3.0, rate), strike(number, 3.0));
            let impulse = coarse.impulse_ratio / fine.impulse_ratio;
            let force = coarse.peak_force / fine.peak_force;
            assert!((impulse - 1.0).abs() < 0.01, "key {number}: {impulse}");
            assert!((force - 1.0).abs() < 0.02, "key {number}: {force}");
        }
    }
}
