//! Plausibility of single reports: counts of implausible ones, jumps of the position.

/// Largest plausible key speed, m/s, as in the device's own check.
const FASTEST: f64 = 4.0;
/// Weight of an implausible report, against −1 of a plausible one, and the count that is too high: three of
/// twelve.
const WEIGHT: u8 = 4;
const MAX_COUNT: u8 = 12;

/// A leaky count of implausible reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LeakyCount(u8);

impl LeakyCount {
    /// Nothing counted.
    pub const NONE: Self = Self(0);

    /// Implausible reports have been counted and not yet forgotten.
    pub(crate) const fn is_raised(&self) -> bool {
        self.0 > 0
    }

    /// Counts a report. Returns `true` where implausible reports are too many.
    pub const fn note(&mut self, is_wrong: bool) -> bool {
        self.0 = if is_wrong {
            let sum = self.0 + WEIGHT;
            if sum > MAX_COUNT + WEIGHT { MAX_COUNT + WEIGHT } else { sum }
        } else {
            self.0.saturating_sub(1)
        };
        is_wrong && self.0 >= MAX_COUNT
    }
}

/// A motion of `motion`, m, in `time`, s, exceeds the largest plausible speed.
pub(crate) fn is_jump(motion: f64, time: f64) -> bool {
    motion.abs() > FASTEST * time + 20e-6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_implausible_reports_of_twelve_are_too_many() {
        let mut count = LeakyCount::default();
        assert!(!count.note(true) && !count.note(true) && count.note(true));
        let mut count = LeakyCount::default();
        assert!((0..100).all(|i| !count.note(i % 5 == 0)));
    }
}
