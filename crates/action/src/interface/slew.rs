//! Linear slewing of settings, so that a change during play is not abrupt.

use super::settings::ActionSettings;

/// Slewed settings as a function of the number of steps begun. Two slews that get the same changes at the
/// same steps have the same values.
#[derive(Clone, Copy, Debug)]
pub struct Slew {
    from: ActionSettings,
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
    pub const fn new(settings: &ActionSettings) -> Self {
        Self { from: *settings, target: *settings, start: None }
    }

    /// Starts a ramp to `target` from the present value, after `begun` steps.
    pub fn aim(&mut self, target: &ActionSettings, begun: u64) {
        if *target != self.target {
            *self = Self { from: self.at(begun), target: *target, start: Some(begun) };
        }
    }

    /// Ends the ramp at its target. Returns whether this changes the settings after `begun` steps.
    pub const fn finish(&mut self, begun: u64) -> bool {
        let (_, elapsed) = self.progress(begun);
        *self = Self::new(&self.target);
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

    /// The settings after `begun` steps.
    #[must_use]
    pub fn at(&self, begun: u64) -> ActionSettings {
        let (_, elapsed) = self.progress(begun);
        if elapsed == Self::STEPS {
            return self.target;
        }
        let share = 1.0 - (Self::STEPS - elapsed) as f64 / Self::STEPS as f64;
        self.from.toward(&self.target, share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_takes_160_steps_and_another_starts_from_the_present_value() {
        let near = ActionSettings::default();
        let far = ActionSettings { let_off_mm: near.let_off_mm + 1.6, ..near };
        let mut slew = Slew::new(&near);
        assert!(!slew.is_changing(7) && slew.at(7) == near);
        slew.aim(&far, 10);
        assert!(slew.at(10) == near && !slew.is_changing(10) && slew.is_changing(11));
        assert!((slew.at(11).let_off_mm - near.let_off_mm - 0.01).abs() < 1e-12);
        assert!(slew.is_changing(170) && slew.at(170) == far && !slew.is_changing(171));
        let mut back = slew;
        back.aim(&near, 90);
        assert!((back.at(90).let_off_mm - slew.at(90).let_off_mm).abs() < 1e-12);
        assert!(back.at(250) == near);
        assert!(slew.finish(20) && slew.at(20) == far && !slew.finish(20));
    }
}
