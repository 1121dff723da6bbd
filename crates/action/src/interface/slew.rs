//! Linear slewing of settings, so that a change during play is not abrupt.

use super::key_sheet::ActionSheet;
use super::settings::ActionSettings;
use touchback_core::exchange::shared::Shared;
use touchback_core::math::compass::KeyNumber;

/// Slewed settings as a function of the number of steps begun. Two slews that get the same changes at the
/// same steps have the same values.
#[derive(Clone, Debug)]
pub struct Slew {
    /// Settings at the start of the ramp, without the differences of single keys.
    from: ActionSettings,
    /// Differences of single keys at the start of the ramp; here, so that a change of the target on a
    /// real-time thread does not allocate.
    from_keys: ActionSheet,
    target: ActionSettings,
    /// Number of steps begun at the start of the ramp; none without a ramp.
    start: Option<u64>,
}

/// Start and elapsed steps of a [`Slew`]: equal progress of one slew means equal settings.
pub type Progress = (Option<u64>, u64);

impl Slew {
    /// Length of a ramp in action steps, 20 ms: slow against a let-off, fast against a hand.
    pub const STEPS: u64 = 160;

    /// A slew that rests at `settings`.
    #[must_use]
    pub fn new(settings: &ActionSettings) -> Self {
        Self {
            from: without_keys(settings),
            from_keys: ActionSheet::EVEN,
            target: settings.clone(),
            start: None,
        }
    }

    /// The settings at the end of the ramp.
    #[must_use]
    pub const fn target(&self) -> &ActionSettings {
        &self.target
    }

    /// Starts a ramp to `target` from the present value, after `begun` steps.
    pub fn aim(&mut self, target: &ActionSettings, begun: u64) {
        if *target == self.target {
            return;
        }
        match self.share(begun) {
            Some(share) => {
                self.from = self.numbers(share);
                self.from_keys.approach(&self.target.keys, share);
            }
            None => {
                self.from = without_keys(&self.target);
                self.from_keys.clone_from(&self.target.keys);
            }
        }
        self.target.clone_from(target);
        self.start = Some(begun);
    }

    /// Ends the ramp at its target. Returns whether this changes the settings after `begun` steps.
    pub const fn finish(&mut self, begun: u64) -> bool {
        let (_, elapsed) = self.progress(begun);
        self.start = None;
        elapsed < Self::STEPS
    }

    /// Progress after `begun` steps.
    #[must_use]
    pub const fn progress(&self, begun: u64) -> Progress {
        match self.start {
            Some(start) if begun.saturating_sub(start) < Self::STEPS => {
                (self.start, begun.saturating_sub(start))
            }
            _ => (self.start, Self::STEPS),
        }
    }

    /// Whether the settings after `begun` steps differ from those one step before.
    #[must_use]
    pub const fn is_changing(&self, begun: u64) -> bool {
        match self.start {
            Some(start) => begun > start && begun <= start + Self::STEPS,
            None => false,
        }
    }

    /// The settings of `key` after `begun` steps, its differences included.
    #[must_use]
    pub fn of(&self, key: KeyNumber, begun: u64) -> ActionSettings {
        let Some(share) = self.share(begun) else { return self.target.of(key) };
        let offsets = self.from_keys.between(&self.target.keys, key, share);
        self.numbers(share).with_row(key, offsets)
    }

    /// Share of the ramp after `begun` steps; none at its end.
    fn share(&self, begun: u64) -> Option<f64> {
        let (_, elapsed) = self.progress(begun);
        let left = Self::STEPS - elapsed;
        (left > 0).then(|| 1.0 - left as f64 / Self::STEPS as f64)
    }

    /// The settings at a share of the ramp, without the differences of single keys.
    fn numbers(&self, share: f64) -> ActionSettings {
        let numbers = self.from.with_numbers(&self.target, |_, a, b| a + (b - a) * share);
        let Self { target: ActionSettings { action, mechanism, .. }, .. } = self;
        ActionSettings { action: *action, mechanism: mechanism.clone(), ..numbers }
    }
}

/// `settings` without the differences of single keys.
fn without_keys(settings: &ActionSettings) -> ActionSettings {
    ActionSettings { keys: Shared::NEUTRAL, ..settings.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interface::key_sheet::{COUNT, QUANTITIES};

    /// The settings of all keys.
    fn at(slew: &Slew, begun: u64) -> ActionSettings {
        slew.of(KeyNumber::from_number(1).unwrap(), begun)
    }

    #[test]
    fn a_change_takes_160_steps_and_another_starts_from_the_present_value() {
        let near = ActionSettings::default();
        let far = ActionSettings { let_off_mm: near.let_off_mm + 1.6, ..near.clone() };
        let mut slew = Slew::new(&near);
        assert!(!slew.is_changing(7) && at(&slew, 7) == near);
        slew.aim(&far, 10);
        assert!(at(&slew, 10) == near && !slew.is_changing(10) && slew.is_changing(11));
        assert!((at(&slew, 11).let_off_mm - near.let_off_mm - 0.01).abs() < 1e-12);
        assert!(slew.is_changing(170) && at(&slew, 170) == far && !slew.is_changing(171));
        let mut back = slew.clone();
        back.aim(&near, 90);
        assert!((at(&back, 90).let_off_mm - at(&slew, 90).let_off_mm).abs() < 1e-12);
        assert!(at(&back, 250) == near);
        assert!(slew.finish(20) && at(&slew, 20) == far && !slew.finish(20));
    }

    /// Whole sheets, interpolated and rounded to steps, then those of the key: what a slew did when it held
    /// them.
    #[test]
    fn differences_of_single_keys_are_slewed_in_steps() {
        let keys: Vec<KeyNumber> = KeyNumber::all().step_by(9).collect();
        let sheet = |factor: f64| {
            let mut settings = ActionSettings { unevenness: 0.3 * factor, ..Default::default() };
            for (key, q) in keys.iter().flat_map(|key| (0..COUNT).map(move |q| (*key, q))) {
                let most = 127.0 * QUANTITIES[q].step;
                let value = f64::from(key.number()) / 88.0 * factor - 0.1 * q as f64;
                settings.keys.set(key, q, most * value.clamp(-1.0, 1.0));
            }
            settings
        };
        let toward = |from: &ActionSettings, target: &ActionSettings, elapsed: u64| {
            let share = 1.0 - (160 - elapsed) as f64 / 160.0;
            let mut mixed = from.with_numbers(target, |_, a, b| a + (b - a) * share);
            mixed.keys = from.keys.clone();
            mixed.keys.approach(&target.keys, share);
            mixed
        };
        let [first, second, third] = [ActionSettings::default(), sheet(1.0), sheet(-0.4)];
        let mut slew = Slew::new(&first);
        slew.aim(&second, 100);
        for elapsed in [0, 1, 33, 97, 159] {
            let whole = toward(&first, &second, elapsed);
            keys.iter().for_each(|k| assert_eq!(slew.of(*k, 100 + elapsed), whole.of(*k)));
        }
        slew.aim(&third, 197);
        let from = toward(&first, &second, 97);
        for elapsed in [0, 1, 64, 159] {
            let whole = toward(&from, &third, elapsed);
            keys.iter().for_each(|k| assert_eq!(slew.of(*k, 197 + elapsed), whole.of(*k)));
        }
        keys.iter().for_each(|k| assert_eq!(slew.of(*k, 357), third.of(*k)));
    }
}
