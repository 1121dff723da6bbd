//! Scale: the strings of every key.
//!
//! Lengths and masses follow the published strings of a Steinway D [Chabassier 2012], interpolated
//! log-linearly between the ten published keys; the inharmonicity is that of measured grands ([`stretch`]),
//! and the tension follows from pitch, length and mass.

use std::f64::consts::PI;

use crate::SoundSettings;
use crate::strings::loss;
use crate::tuning::stretch;
use touchback_core::math::compass::{KeyNumber, log_linear};
use touchback_core::math::power::square;
use touchback_core::mech::hammer::Hammer;

/// Sounding length by key number, m. A0 and C8: the trend extrapolated to the ends of the compass.
const LENGTH: [(f64, f64); 12] = [
    (1.0, 2.01),
    (7.0, 1.965),
    (16.0, 1.602),
    (24.0, 1.591),
    (33.0, 0.960),
    (37.0, 0.773),
    (53.0, 0.326),
    (60.0, 0.223),
    (71.0, 0.124),
    (76.0, 0.095),
    (82.0, 0.069),
    (88.0, 0.050),
];

/// Mass per length by key number, kg/m, wrapping included. A0 keeps the tension of D#1.
const DENSITY: [(f64, f64); 12] = [
    (1.0, 0.140),
    (7.0, 0.0755),
    (16.0, 0.0208),
    (24.0, 0.00715),
    (33.0, 0.00678),
    (37.0, 0.00650),
    (53.0, 0.00531),
    (60.0, 0.00504),
    (71.0, 0.00456),
    (76.0, 0.00426),
    (82.0, 0.00382),
    (88.0, 0.00370),
];

/// The (equal) strings of one key.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StringSpec {
    /// Sounding length, m.
    pub length: f64,
    /// Mass per length of one string, kg/m.
    pub density: f64,
    /// Frequency f0 of the string without stiffness, Hz.
    pub ideal_hz: f64,
    /// Inharmonicity B: f_k = k f0 √(1 + B k²).
    pub inharmonicity: f64,
    /// Strings struck together, 1…3.
    pub strings: usize,
    /// Internal loss of low partials, 1/s.
    pub loss: f64,
    /// Growth of the internal loss with the square of angular frequency, s.
    pub loss_slope: f64,
}

impl StringSpec {
    /// The strings of `key` as tuned and voiced.
    #[must_use]
    pub fn of(key: KeyNumber, settings: &SoundSettings) -> Self {
        let n = f64::from(key.number());
        // At the same pitch and gauge the tension is proportional to L², and B = π³Ed⁴/64TL² to 1/L⁴.
        let inharmonicity = stretch::inharmonicity(key) / square(square(settings.string_length));
        Self {
            length: log_linear(&LENGTH, n) * settings.string_length,
            density: log_linear(&DENSITY, n),
            ideal_hz: stretch::fundamental(key, settings) / (1.0 + inharmonicity).sqrt(),
            inharmonicity,
            strings: strings(key),
            loss: loss::internal(key) / settings.sustain,
            loss_slope: loss::internal_slope(key) * settings.brightness_loss / settings.sustain,
        }
    }

    /// Frequency of partial `k` (from 1), Hz.
    #[must_use]
    pub fn partial_hz(&self, k: usize) -> f64 {
        let k = k as f64;
        k * self.ideal_hz * (1.0 + self.inharmonicity * k * k).sqrt()
    }

    /// Number of partials below `limit_hz`.
    #[must_use]
    pub(crate) fn partials_below(&self, limit_hz: f64) -> usize {
        (1..).take_while(|&k| self.partial_hz(k) < limit_hz).count()
    }

    /// Mass of one string, kg.
    #[must_use]
    pub fn mass(&self) -> f64 {
        self.density * self.length
    }

    /// Tension of one string, N.
    #[must_use]
    pub fn tension(&self) -> f64 {
        self.density * square(2.0 * self.length * self.ideal_hz)
    }

    /// Wave impedance of one string, kg/s.
    #[must_use]
    pub fn impedance(&self) -> f64 {
        self.density * 2.0 * self.length * self.ideal_hz
    }

    /// Shape of partial `k` under `hammer`: sin at the strike point, averaged over the felt.
    #[must_use]
    pub fn strike_shape(&self, hammer: &Hammer, k: usize) -> f64 {
        let half = 0.5 * k as f64 * PI * hammer.felt.width / self.length;
        let window = if half < 1e-6 { 1.0 } else { libm::sin(half) / half };
        libm::sin(k as f64 * PI * hammer.strike_point) * window
    }

    /// Time in which the wave of `hammer` returns from the near end, s.
    #[must_use]
    pub(crate) fn answer_time(&self, hammer: &Hammer) -> f64 {
        hammer.strike_point / self.ideal_hz
    }

    /// Force on the bridge per displacement of partial `k`, N/m; its sign alternates with k.
    #[must_use]
    pub(crate) fn bridge_gain(&self, k: usize) -> f64 {
        let sign = if k % 2 == 1 { 1.0 } else { -1.0 };
        sign * self.tension() * k as f64 * PI / self.length
    }
}

/// Number of strings of a key: 8 single, 5 double, 75 triple, 243 in all, as a Steinway D.
#[must_use]
pub const fn strings(key: KeyNumber) -> usize {
    match key.number() {
        0..=8 => 1,
        9..=13 => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grand_has_243_strings_under_plausible_tension() {
        assert_eq!(KeyNumber::all().map(strings).sum::<usize>(), 243);
        for key in KeyNumber::all() {
            let tension = StringSpec::of(key, &SoundSettings::default()).tension();
            assert!((500.0..2000.0).contains(&tension), "{key:?}: {tension} N");
        }
    }

    #[test]
    fn short_strings_have_low_tension_high_inharmonicity_and_the_same_pitch() {
        let key = KeyNumber::from_index(20).unwrap();
        let long = StringSpec::of(key, &SoundSettings::default());
        let settings = SoundSettings { string_length: 0.7, ..SoundSettings::default() };
        let short = StringSpec::of(key, &settings);
        assert!((short.partial_hz(1) / long.partial_hz(1) - 1.0).abs() < 1e-12);
        assert!((short.tension() / long.tension() / 0.49 - 1.0).abs() < 1e-3);
        assert!((short.inharmonicity / long.inharmonicity * 0.2401 - 1.0).abs() < 1e-12);
    }

    #[test]
    fn tensions_at_the_published_keys_are_the_published_ones() {
        for (number, tension) in [(7, 1773.0), (16, 915.0), (37, 755.0), (53, 695.0), (76, 670.0)] {
            let spec = StringSpec::of(
                KeyNumber::from_index(number - 1).unwrap(),
                &SoundSettings::default(),
            );
            let ratio = spec.tension() / tension;
            assert!((ratio - 1.0).abs() < 0.05, "key {number}: {ratio}");
        }
    }
}
