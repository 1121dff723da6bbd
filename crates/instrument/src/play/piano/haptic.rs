//! Keys played on a motorized keyboard: the events of the action that runs for their motors sound here.
//!
//! Such a key is not computed a second time; its strikes, knocks and dampers come with their times
//! and reach the strings like those of any other key. The pedal still lifts its damper.

use super::Piano;
use crate::play::engine_traits::{Keys, Strings};
use touchback_action::KeyEvent;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;

/// Farthest time ahead for which an event is scheduled, samples: 10 s at the highest sample rate.
const FARTHEST: f64 = 1e7;

impl<K: Keys, S: Strings> Piano<K, S> {
    /// An event of a haptic key, `ahead` samples from the present one.
    pub(super) fn haptic(&mut self, key: KeyNumber, event: KeyEvent, ahead: f64) {
        if matches!(event, KeyEvent::Strike { .. } | KeyEvent::Pluck { .. }) {
            self.mechanism.dampers.played(key);
        }
        self.schedule_event(key, event, f64::NAN, self.due(ahead));
    }

    /// The sample `ahead` samples from the present one, and the rest of a sample.
    pub(super) fn due(&self, ahead: f64) -> (u64, f64) {
        let ahead = if ahead.is_finite() { ahead.clamp(0.0, FARTHEST) } else { 0.0 };
        (self.time.clock.now() + floor_index(ahead) as u64, ahead.fract())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Event, Piano, Settings};
    use touchback_action::KeyEvent;
    use touchback_core::math::compass::KeyNumber;

    fn haptic(event: KeyEvent, ahead: f64) -> Event {
        Event::Haptic { key: KeyNumber::from_midi(60).unwrap(), event, ahead }
    }

    /// A haptic strike sounds at its own sample, with the damper up until it is let down.
    #[test]
    fn a_haptic_strike_sounds_at_its_time() {
        let mut piano = Piano::new(48_000.0, &Settings::default());
        piano.handle(haptic(KeyEvent::Damper { lift: 1.0 }, 0.0));
        piano.handle(haptic(KeyEvent::Strike { speed: 2.0 }, 100.5));
        let (mut left, mut right) = (vec![0.0f32; 24_000], vec![0.0f32; 24_000]);
        piano.process(&mut left, &mut right);
        let strike = piano.strikes()[0];
        assert!((strike.time * 48_000.0 - 100.5).abs() < 1e-6 && strike.speed == 2.0);
        assert!(left[..100].iter().all(|s| s.abs() < 1e-6));
        let loudness = |x: &[f32]| x.iter().map(|s| s * s).sum::<f32>();
        let ringing = loudness(&left[12_000..]);
        assert!(ringing > 0.0);
        piano.handle(haptic(KeyEvent::Damper { lift: 0.0 }, 0.0));
        piano.process(&mut left, &mut right);
        // After the felt the room still sounds.
        let damped = loudness(&left[18_000..]);
        assert!(damped < 0.05 * ringing, "{damped:e} {ringing:e}");
        assert_eq!(piano.counts().strikes, 1);
    }

    #[test]
    fn values_that_are_not_finite_are_ignored() {
        let mut piano = Piano::new(48_000.0, &Settings::default());
        let nan = f64::NAN;
        piano.handle(haptic(KeyEvent::Strike { speed: nan }, 0.0));
        piano.handle(haptic(KeyEvent::Strike { speed: 1.0 }, nan));
        piano.handle(haptic(KeyEvent::Damper { lift: nan }, 0.0));
        let (mut left, mut right) = ([0.0f32; 64], [0.0f32; 64]);
        piano.process(&mut left, &mut right);
        assert_eq!((piano.counts().ignored, piano.strikes().len()), (2, 1));
        assert!(left.iter().all(|s| s.is_finite()));
    }
}
