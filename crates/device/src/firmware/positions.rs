//! Keys with cheap position sensors and no motors: from converter readings to sensor counts.
//!
//! Hall and reflective sensors give a reading that grows ever faster as the key comes near. Three readings determine
//! its course, r the reading beyond that at rest, x the depth of the key front:
//!
//! ```text
//! x = k·r/(1 + c·r)     through rest (0), let-off and key bed
//! ```
//!
//! Rest and bed drift with temperature and supply, so both are followed while the key plays: rest where the key stands
//! still near it for 1 s, the bed where the key is held beyond 80 % of the reading's span for 50 ms.

use crate::real::Real;

/// Motion of the key front per count, nm.
pub const STEP_NM: u32 = 5_000;
/// Time for which a key stands still at rest, and on its bed, µs.
const STILL_US: [u32; 2] = [1_000_000, 50_000];
/// Shares of the reading's span within which a key stands still, is at rest, and beyond which it is on its bed.
const SHARES: [f64; 3] = [0.01, 0.1, 0.8];
/// Share by which a reading of rest or bed is followed each time.
const FOLLOWED: f64 = 0.2;
/// Deepest position that is given out, m.
const DEEPEST: f64 = 15e-3;

/// Readings of one key at known depths.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Calibration {
    /// Readings at rest, at let-off (slow press, the point that is felt) and pressed firmly on the bed.
    pub readings: [u16; 3],
    /// Depths of let-off and bed, 10 µm.
    pub depths: [u16; 2],
}

/// One key: its calibration, and what has drifted since.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PositionKey<F> {
    /// Reading at rest, and further reading at the bed.
    rest: F,
    span: F,
    /// Bend c·span of the course, and depth of the bed, m.
    bend: F,
    dip: F,
    /// Reading at which the key has stood still, and for how long, µs.
    anchor: F,
    still_us: u32,
    is_found: bool,
}

impl<F: Real> PositionKey<F> {
    /// A key with this calibration; none where the readings do not grow or fall in one direction, or the course has a
    /// pole within the dip.
    #[must_use]
    pub fn new(calibration: &Calibration) -> Option<Self> {
        let [rest, let_off, bed] = calibration.readings.map(|r| F::from_count(i32::from(r)));
        let depths = calibration.depths.map(|d| F::from_count(i32::from(d)) * F::of(10e-6));
        let (zero, one) = (F::of(0.0), F::of(1.0));
        let (first, span) = (let_off - rest, bed - rest);
        // The reading's share of the span at the let-off, and the depth's share.
        let is_flat = span == zero || depths[0] <= zero || depths[1] <= depths[0];
        if is_flat {
            return None;
        }
        let (s, d) = (first / span, depths[0] / depths[1]);
        if s <= zero || s >= one {
            return None;
        }
        // d = s·(1 + b)/(1 + b·s).
        let bend = (d - s) / (s * (one - d));
        let is_bounded = one + bend > F::of(0.05);
        is_bounded.then_some(Self {
            rest,
            span,
            bend,
            dip: depths[1],
            anchor: rest,
            still_us: 0,
            is_found: false,
        })
    }

    /// The key has been at rest since power-up.
    #[must_use]
    pub const fn is_found(&self) -> bool {
        self.is_found
    }

    /// Depth, m, of a reading; at most 15 mm.
    #[must_use]
    pub fn depth(&self, reading: F) -> F {
        let one = F::of(1.0);
        let s = (reading - self.rest) / self.span;
        let course = one + self.bend * s;
        if course <= F::of(0.02) {
            return F::of(DEEPEST);
        }
        (self.dip * s * (one + self.bend) / course).within(F::of(-2e-3), F::of(DEEPEST))
    }

    /// Notes a reading `us` µs after the last, follows the drift, and returns the count.
    pub fn count(&mut self, reading: u16, us: u32) -> i32 {
        let reading = F::from_count(i32::from(reading));
        let share = |r: F, from: F, span: F| (r - from) / span;
        if share(reading, self.anchor, self.span).abs() > F::of(SHARES[0]) {
            (self.anchor, self.still_us) = (reading, 0);
        }
        self.still_us = self.still_us.saturating_add(us);
        let at = share(reading, self.rest, self.span);
        let is_still = |least: u32| self.still_us >= least;
        if at.abs() < F::of(SHARES[1]) && is_still(STILL_US[0]) {
            // The bed drifts with the rest.
            let step = if self.is_found { F::of(FOLLOWED) } else { F::of(1.0) };
            self.rest += step * (reading - self.rest);
            (self.is_found, self.still_us) = (true, 0);
        } else if at > F::of(SHARES[2]) && is_still(STILL_US[1]) {
            self.span += F::of(FOLLOWED) * (reading - self.rest - self.span);
            self.still_us = 0;
        }
        (self.depth(reading) / F::of(1e-9 * STEP_NM as f64)).rounded()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::u16_of;

    /// Reading of a sensor at the depth `x`, m: a hall sensor 14 mm under the magnet at rest (inverse cube) or a
    /// reflective sensor at 13 mm (inverse square), 12 bits.
    fn reading(is_hall: bool, x: f64, gain: f64, offset: f64) -> f64 {
        let near = |power: i32, d: f64| (3e-3 / (d - x)).powi(power) * 3500.0;
        300.0 + offset + gain * if is_hall { near(3, 14e-3) } else { near(2, 13.5e-3) }
    }

    fn calibrated(is_hall: bool) -> PositionKey<f64> {
        let readings = [0.0, 6.2e-3, 10e-3].map(|x| u16_of(reading(is_hall, x, 1.0, 0.0), 1.0));
        PositionKey::new(&Calibration { readings, depths: [620, 1000] }).unwrap()
    }

    #[test]
    fn three_readings_give_the_depth_within_a_tenth_of_the_dip() {
        for (is_hall, most) in [(true, 0.9e-3), (false, 0.45e-3)] {
            let key = calibrated(is_hall);
            let worst = (0..=100).map(|i| f64::from(i) * 0.1e-3).fold(0.0, |worst: f64, x| {
                worst.max((key.depth(reading(is_hall, x, 1.0, 0.0)) - x).abs())
            });
            println!("hall {is_hall}: {worst} m");
            assert!(worst < most, "hall {is_hall}: {worst} m");
        }
    }

    /// Another temperature: 10 % less signal and an offset of 15 readings, after some notes.
    #[test]
    fn rest_and_bed_follow_the_temperature() {
        let mut key = calibrated(false);
        let at = |x: f64| u16_of(reading(false, x, 0.9, 15.0), 1.0);
        let held = |key: &mut PositionKey<f64>, x: f64, ms: u32| {
            (0..ms).map(|_| key.count(at(x), 1000)).last().unwrap()
        };
        held(&mut key, 0.0, 1100);
        assert!(key.is_found());
        for _ in 0..30 {
            held(&mut key, 9.97e-3, 200);
            held(&mut key, 0.0, 100);
        }
        held(&mut key, 0.0, 2100);
        let (rest, bed) = (held(&mut key, 0.0, 1), held(&mut key, 9.97e-3, 1));
        assert!(rest.abs() <= 4 && (bed - 2000).abs() <= 10, "{rest} {bed}");
    }

    #[test]
    fn impossible_calibrations_are_refused() {
        for (readings, depths) in [
            ([100, 100, 900], [620, 1000]),
            ([100, 900, 500], [620, 1000]),
            ([100, 100, 100], [620, 1000]),
            ([100, 500, 900], [1000, 620]),
            ([100, 500, 900], [0, 1000]),
            // A pole within the dip.
            ([100, 880, 900], [100, 1000]),
        ] {
            let key = PositionKey::<f32>::new(&Calibration { readings, depths });
            assert_eq!(key, None, "{readings:?} {depths:?}");
        }
        // Falling readings are as good.
        let falling = Calibration { readings: [3000, 2000, 1000], depths: [500, 1000] };
        let key = PositionKey::<f32>::new(&falling).unwrap();
        assert!((key.depth(2500.0) - 2.5e-3).abs() < 1e-6);
    }

    /// Readings that are not the key's, as of a cable that has fallen off.
    #[test]
    fn every_reading_gives_a_finite_depth() {
        for is_hall in [true, false] {
            let mut key = calibrated(is_hall);
            for reading in 0..=u16::MAX {
                assert!((-400..=3000).contains(&key.count(reading, 1000)));
            }
        }
    }
}
