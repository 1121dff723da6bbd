//! From MIDI velocity to speed: of the hammer at note-on, of the key at note-off.
//!
//! m = 127 · velocity, real-valued, calibrated to the player's keyboard.
//!
//! | map | hammer speed v, m/s | source |
//! | --- | --- | --- |
//! | SE290 | 2^((m − 52)/25), below m = 16 softer | Bösendorfer SE290 [Goebl 2003, eq. 3.2] |
//! | Disklavier | 10^((m − 57.96)/71.3) | Yamaha Disklavier grand [Goebl & Bresin 2001] |
//! | linear | softest + (loudest − softest) u | u = (m − 1)/126 in 0…1 |
//! | gamma | softest + (loudest − softest) u^γ | |

use crate::settings::{TouchSettings, VelocityMap};
use touchback_core::math::power::square;

/// Slowest hammer of a note-on, m/s (chosen: a note-on always gives a strike).
pub(super) const SLOWEST: f64 = 0.02;
/// Fastest hammer of a note-on, m/s (chosen: twice the fastest measured blow, 7.8 m/s [Goebl, Bresin &
/// Galembo 2005]).
pub(super) const FASTEST: f64 = 16.0;

/// Velocity below which the map SE290 leaves its law, that of its end, and octaves of speed that it is softer there:
/// 0.14 m/s, among the softest tones of pianists, 0.11–0.18 m/s [Boutillon 1988; Goebl 2005]. By the law alone the lowest
/// 16 velocities would differ by 3.6 dB (chosen; the slope has no step).
const SOFT: f64 = 16.0;
const SOFTEST: f64 = 1.0;
const SOFTER: f64 = 0.8;

/// Octaves of speed over 1 m/s at velocity `midi` of the map SE290.
fn se290(midi: f64) -> f64 {
    let below = (SOFT - midi).max(0.0);
    (midi - 52.0) / 25.0 - SOFTER * square(below / (SOFT - SOFTEST))
}

/// Velocity of the map SE290 at `octaves` of speed over 1 m/s.
fn se290_midi(octaves: f64) -> f64 {
    let below = (se290(SOFT) - octaves).max(0.0);
    if below == 0.0 {
        return 52.0 + 25.0 * octaves;
    }
    let bend = SOFTER / square(SOFT - SOFTEST);
    SOFT - ((square(1.0 / 25.0) + 4.0 * bend * below).sqrt() - 1.0 / 25.0) / (2.0 * bend)
}

/// Slowest release, m/s (chosen).
const SLOWEST_RELEASE: f64 = 0.01;
/// Fastest release, m/s (chosen: a key falling freely over its dip reaches 0.44 m/s; a hand may leave
/// faster than the key can follow).
const FASTEST_RELEASE: f64 = 5.0;

/// Note-off velocity of keyboards that do not measure it (MIDI 1.0: 64); many keyboards and hosts send 0
/// instead.
const MIDDLE: f64 = 64.0;

impl TouchSettings {
    /// Hammer speed, m/s, of a note-on of `velocity` (limited to 0…1).
    #[must_use]
    pub fn hammer_speed(&self, velocity: f64) -> f64 {
        let midi = self.calibrated(127.0 * velocity.clamp(0.0, 1.0));
        let u = ((midi - 1.0) / 126.0).max(0.0);
        let span = self.loudest_m_s - self.softest_m_s;
        let speed = match self.velocity_map {
            VelocityMap::Se290 => libm::exp2(se290(midi)),
            VelocityMap::Disklavier => libm::pow(10.0, (midi - 57.96) / 71.3),
            VelocityMap::Linear => self.softest_m_s + span * u,
            VelocityMap::Gamma => self.softest_m_s + span * libm::pow(u, self.gamma),
        };
        within(self.dynamics * speed, SLOWEST, FASTEST)
    }

    /// Velocity, 0…1, of the note-on whose hammer speed is `speed` m/s, limited to the scale.
    #[must_use]
    pub fn velocity(&self, speed: f64) -> f64 {
        let speed = (speed / self.dynamics).max(0.0);
        let u = || {
            let share = (speed - self.softest_m_s) / (self.loudest_m_s - self.softest_m_s);
            within(share, 0.0, 1.0)
        };
        let midi = match self.velocity_map {
            VelocityMap::Se290 => se290_midi(libm::log2(speed)),
            VelocityMap::Disklavier => 57.96 + 71.3 * libm::log10(speed),
            VelocityMap::Linear => 1.0 + 126.0 * u(),
            VelocityMap::Gamma => 1.0 + 126.0 * libm::pow(u(), 1.0 / self.gamma),
        };
        within(self.uncalibrated(within(midi, 0.0, 127.0)) / 127.0, 0.0, 1.0)
    }

    /// Whether a press of `velocity` (0…1) is too soft to sound.
    #[must_use]
    pub fn is_silent(&self, velocity: f64) -> bool {
        127.0 * velocity < self.silent_below
    }

    /// Speed of the rising key front, m/s, of a note-off of `velocity` (0…1): `release_m_s` at
    /// 64/127, four times that per 64 above, a quarter per 64 below. 0 means "not measured" and
    /// counts as 64/127. Chosen: two octaves in both directions span the speeds of hands.
    #[must_use]
    pub fn release_speed(&self, velocity: f64) -> f64 {
        let midi = 127.0 * velocity.clamp(0.0, 1.0);
        let midi = if midi == 0.0 { MIDDLE } else { midi };
        let speed = self.release_m_s * libm::exp2((midi - MIDDLE) / 32.0);
        within(speed, SLOWEST_RELEASE, FASTEST_RELEASE)
    }
}

/// `x` limited to the bounds; the lower bound for NaN.
fn within(x: f64, low: f64, high: f64) -> f64 {
    if x > low { x.min(high) } else { low }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn touch(velocity_map: VelocityMap) -> TouchSettings {
        TouchSettings { velocity_map, ..TouchSettings::default() }
    }

    const MAPS: [VelocityMap; 4] =
        [VelocityMap::Se290, VelocityMap::Disklavier, VelocityMap::Linear, VelocityMap::Gamma];

    #[test]
    fn the_measured_maps_agree_with_the_published_tables() {
        let midi = [1.0, 20.0, 40.0, 50.0, 60.0, 64.0, 77.0, 90.0, 100.0, 110.0, 120.0, 127.0];
        let se290 = [0.24, 0.41, 0.72, 0.95, 1.25, 1.39, 2.00, 2.87, 3.78, 4.99, 6.59, 8.00];
        let disklavier = [0.16, 0.29, 0.56, 0.77, 1.07, 1.22, 1.85, 2.81, 3.89, 5.37, 7.4, 9.3];
        for (i, m) in midi.into_iter().enumerate() {
            let printed = if i < 10 { 0.005 } else { 0.05 };
            let a = touch(VelocityMap::Se290).hammer_speed(m / 127.0);
            assert!(m < SOFT || (a - se290[i]).abs() <= 0.005 + 1e-9, "SE290 {m}: {a}");
            let b = touch(VelocityMap::Disklavier).hammer_speed(m / 127.0);
            assert!((b - disklavier[i]).abs() <= printed + 1e-9, "Disklavier {m}: {b}");
        }
    }

    #[test]
    fn the_lowest_velocities_reach_the_softest_tones_in_growing_steps() {
        let speeds: Vec<f64> = (1..=17)
            .map(|m| touch(VelocityMap::Se290).hammer_speed(f64::from(m) / 127.0))
            .collect();
        assert!((speeds[0] - 0.14).abs() < 0.001 && speeds[15] / speeds[0] > 2.6, "{speeds:?}");
        let steps: Vec<f64> = speeds.windows(2).map(|w| w[1] / w[0]).collect();
        assert!(steps.is_sorted_by(|a, b| a > b || (a - b).abs() < 1e-9), "{steps:?}");
    }

    #[test]
    fn linear_and_gamma_run_from_the_softest_to_the_loudest() {
        for map in [VelocityMap::Linear, VelocityMap::Gamma] {
            let t = touch(map);
            assert!((t.hammer_speed(1.0 / 127.0) - 0.2).abs() < 1e-12);
            assert!((t.hammer_speed(1.0) - 7.0).abs() < 1e-12);
        }
        assert!((touch(VelocityMap::Linear).hammer_speed(64.0 / 127.0) - 3.6).abs() < 1e-12);
        assert!((touch(VelocityMap::Gamma).hammer_speed(64.0 / 127.0) - 1.9).abs() < 1e-12);
    }

    #[test]
    fn dynamics_scales_every_map() {
        for map in MAPS {
            let plain = touch(map);
            let half = TouchSettings { dynamics: 0.5, ..plain };
            for velocity in [0.1, 0.5, 0.9] {
                let ratio = half.hammer_speed(velocity) / plain.hammer_speed(velocity);
                assert!((ratio - 0.5).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_middle_note_off_releases_at_the_set_speed() {
        let t = TouchSettings::default();
        assert_eq!(t.release_speed(64.0 / 127.0), 0.3);
        assert_eq!(t.release_speed(0.0), 0.3);
        assert!((t.release_speed(96.0 / 127.0) - 0.6).abs() < 1e-12);
        assert!((t.release_speed(32.0 / 127.0) - 0.15).abs() < 1e-12);
    }

    #[test]
    fn invalid_settings_give_valid_speeds() {
        for map in MAPS {
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0] {
                let t = TouchSettings {
                    velocity_map: map,
                    softest_m_s: bad,
                    loudest_m_s: bad,
                    gamma: bad,
                    dynamics: bad,
                    release_m_s: bad,
                    ..TouchSettings::default()
                };
                for velocity in [0.0, 0.5, 1.0, f64::NAN] {
                    assert!((SLOWEST..=FASTEST).contains(&t.hammer_speed(velocity)));
                    assert!((0.0..=1.0).contains(&t.velocity(velocity)));
                    assert!(t.release_speed(velocity) >= SLOWEST_RELEASE);
                    assert!(t.release_speed(velocity) <= FASTEST_RELEASE);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn velocity_inverts_hammer_speed(
            midi in 1.0..127.0_f64, map in 0_usize..4, dynamics in 0.5..1.5_f64,
        ) {
            let t = TouchSettings { dynamics, ..touch(MAPS[map]) };
            let back = 127.0 * t.velocity(t.hammer_speed(midi / 127.0));
            prop_assert!((back - midi).abs() < 1e-6, "{midi} {back}");
        }

        #[test]
        fn hammer_speed_grows_with_velocity(a in 1.0..127.0_f64, b in 1.0..127.0_f64, map in 0_usize..4) {
            let t = touch(MAPS[map]);
            let (soft, hard) = (a.min(b), a.max(b));
            prop_assert!(t.hammer_speed(soft / 127.0) <= t.hammer_speed(hard / 127.0));
        }
    }
}
