//! Regulation that is turned under a key in play: in a straight line, not at once.

use super::settings::ActionSettings;

/// Settings on their way, as a function of how many steps have begun: whoever hears of the same
/// changes at the same steps goes the same way.
#[derive(Clone, Copy, Debug)]
pub struct Slew {
    from: ActionSettings,
    target: ActionSettings,
    /// Steps that had begun when it set out; none once it is there for good.
    start: Option<u64>,
}

/// How far a [`Slew`] is: where two of these are equal, its settings are.
pub type Progress = (Option<u64>, u64);

impl Slew {
    /// Action steps a change takes: 20 ms, slow against a let-off, fast against a hand.
    pub const STEPS: u64 = 160;

    /// Settled at `settings`.
    #[must_use]
    pub const fn new(settings: &ActionSettings) -> Self {
        Self { from: *settings, target: *settings, start: None }
    }

    /// Heads for `target` from wherever it is once `begun` steps have begun.
    pub fn aim(&mut self, target: &ActionSettings, begun: u64) {
        if *target != self.target {
            *self = Self { from: self.at(begun), target: *target, start: Some(begun) };
        }
    }

    /// Jumps to the end; `true` if that changes anything after `begun` steps.
    pub const fn finish(&mut self, begun: u64) -> bool {
        let (_, taken) = self.progress(begun);
        *self = Self::new(&self.target);
        taken < Self::STEPS
    }

    /// How far it is once `begun` steps have begun.
    #[must_use]
    pub const fn progress(&self, begun: u64) -> Progress {
        match self.start {
            Some(start) if begun.saturating_sub(start) < Self::STEPS => {
                (self.start, begun.saturating_sub(start))
            }
            _ => (self.start, Self::STEPS),
        }
    }

    /// The last step that began changed something.
    #[must_use]
    pub const fn moves(&self, begun: u64) -> bool {
        match self.start {
            Some(start) => begun > start && begun <= start + Self::STEPS,
            None => false,
        }
    }

    /// The settings once `begun` steps have begun.
    #[must_use]
    pub fn at(&self, begun: u64) -> ActionSettings {
        let (_, taken) = self.progress(begun);
        if taken == Self::STEPS {
            return self.target;
        }
        // STEPS is small.
        let share = 1.0 - (Self::STEPS - taken) as f64 / Self::STEPS as f64;
        self.from.toward(&self.target, share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_takes_its_steps_and_another_sets_out_from_where_it_is() {
        let near = ActionSettings::default();
        let far = ActionSettings { let_off_mm: near.let_off_mm + 1.6, ..near };
        let mut slew = Slew::new(&near);
        assert!(!slew.moves(7) && slew.at(7) == near);
        slew.aim(&far, 10);
        assert!(slew.at(10) == near && !slew.moves(10) && slew.moves(11));
        assert!((slew.at(11).let_off_mm - near.let_off_mm - 0.01).abs() < 1e-12);
        assert!(slew.moves(170) && slew.at(170) == far && !slew.moves(171));
        let mut back = slew;
        back.aim(&near, 90);
        assert!((back.at(90).let_off_mm - slew.at(90).let_off_mm).abs() < 1e-12);
        assert!(back.at(250) == near);
        assert!(slew.finish(20) && slew.at(20) == far && !slew.finish(20));
    }
}
