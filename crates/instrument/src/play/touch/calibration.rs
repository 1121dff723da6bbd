//! Calibration to the player's keyboard by its velocities of a soft, a middle and a loud note.
//!
//! Keyboards send different velocities for the same touch. Three played notes calibrate a keyboard to the
//! velocities of the maps: straight lines through (0, 0), (soft, 32), (middle, 64), (loud, 96) and
//! (127, 127), which are inverted exactly. Numbers out of order are moved into order, 1 apart.

use crate::settings::TouchSettings;

/// Calibrated velocities of a soft, a middle and a loud note (pp, mf and ff of sequencers).
const CALIBRATED: [f64; 3] = [32.0, 64.0, 96.0];

impl TouchSettings {
    /// Calibrated velocity, 0…127, of a received one.
    #[must_use]
    pub(super) fn calibrated(&self, received: f64) -> f64 {
        through(&self.points(), received)
    }

    /// Received velocity, 0…127, of a calibrated one.
    #[must_use]
    pub(super) fn uncalibrated(&self, calibrated: f64) -> f64 {
        through(&self.points().map(|(received, calibrated)| (calibrated, received)), calibrated)
    }

    /// Received and calibrated velocities, both rising.
    fn points(&self) -> [(f64, f64); 5] {
        let sent = [self.soft_velocity, self.medium_velocity, self.loud_velocity];
        let mut points = [(0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (127.0, 127.0)];
        for (i, (sent, calibrated)) in sent.into_iter().zip(CALIBRATED).enumerate() {
            let sent = if sent.is_finite() { sent } else { calibrated };
            let above = 3.0 - i as f64;
            points[i + 1] = (sent.max(points[i].0 + 1.0).min(127.0 - above), calibrated);
        }
        points
    }
}

/// Piecewise linear interpolation of `points` at `x`.
fn through(points: &[(f64, f64); 5], x: f64) -> f64 {
    let upper = points.partition_point(|p| p.0 < x).clamp(1, points.len() - 1);
    let ((x0, y0), (x1, y1)) = (points[upper - 1], points[upper]);
    y0 + (x - x0) * ((y1 - y0) / (x1 - x0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn touch(soft: f64, medium: f64, loud: f64) -> TouchSettings {
        TouchSettings {
            soft_velocity: soft,
            medium_velocity: medium,
            loud_velocity: loud,
            ..TouchSettings::default()
        }
    }

    #[test]
    fn played_notes_get_their_calibrated_velocities() {
        let light = touch(20.0, 45.0, 90.0);
        for (sent, calibrated) in
            [(0.0, 0.0), (20.0, 32.0), (45.0, 64.0), (90.0, 96.0), (127.0, 127.0)]
        {
            assert_eq!(light.calibrated(sent), calibrated);
        }
        assert_eq!(light.calibrated(67.5), 80.0);
    }

    /// Three equal or falling numbers: each becomes the last one plus 1, limited so that those above it
    /// fit.
    #[test]
    fn numbers_out_of_order_are_moved_1_apart() {
        for (sent, positions) in [
            ([0.0, 0.0, 0.0], [1.0, 2.0, 3.0]),
            ([60.0, 60.0, 60.0], [60.0, 61.0, 62.0]),
            ([90.0, 45.0, 20.0], [90.0, 91.0, 92.0]),
            ([20.0, 20.5, 21.0], [20.0, 21.0, 22.0]),
            ([130.0, 130.0, 130.0], [124.0, 125.0, 126.0]),
            ([f64::NAN, f64::NAN, f64::NAN], CALIBRATED),
            ([f64::INFINITY, 10.0, f64::NAN], [32.0, 33.0, 96.0]),
        ] {
            let touch = touch(sent[0], sent[1], sent[2]);
            assert_eq!(
                positions.map(|position| touch.calibrated(position)),
                CALIBRATED,
                "{sent:?}"
            );
            assert_eq!(
                CALIBRATED.map(|calibrated| touch.uncalibrated(calibrated)),
                positions,
                "{sent:?}"
            );
            assert_eq!([0.0, 127.0].map(|end| touch.calibrated(end)), [0.0, 127.0]);
        }
    }

    #[test]
    fn the_default_calibration_changes_no_bit() {
        let plain = TouchSettings::default();
        for step in 0..=127 * 64 {
            let velocity = f64::from(step) / 64.0;
            assert_eq!(plain.calibrated(velocity), velocity);
        }
    }

    proptest! {
        #[test]
        fn calibration_is_monotonic_and_inverted(
            numbers in prop::array::uniform3(prop_oneof![0.0..130.0_f64, Just(f64::NAN)]),
            a in 0.0..127.0_f64, b in 0.0..127.0_f64,
        ) {
            let touch = touch(numbers[0], numbers[1], numbers[2]);
            let (low, high) = (a.min(b), a.max(b));
            prop_assert!(touch.calibrated(low) <= touch.calibrated(high) + 1e-9);
            prop_assert!((touch.uncalibrated(touch.calibrated(a)) - a).abs() < 1e-9);
            prop_assert!((0.0..=127.0 + 1e-9).contains(&touch.calibrated(a)));
        }
    }
}
