//! Comparison of the keyboard's clock with the host's.

use super::plausibility::LeakyCount;

/// Jitter that the clock check tolerates, s.
const JITTER: f64 = 0.03;
/// Relative difference of the clocks' rates that it tolerates.
const RATE_ERROR: f64 = 0.05;
/// Time between the stored pairs of times, s.
const PAIR_INTERVAL: f64 = 0.1;
/// Number of stored pairs.
const PAIRS: usize = 12;
/// Silence before a state after which the comparison restarts, s: one of the computers, or the wire, has stood still.
const STILL: f64 = 0.01;
/// Time within which states have waited and come at once, s: the newest of them begins the comparison.
const AT_ONCE: f64 = 2e-3;
/// Time after which a clock counts as observed, s.
const OBSERVED: f64 = 0.1;

/// Comparison of the keyboard's clock with the host's over the last 1.2 s.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClockWatch {
    /// Pairs of device time and host time, s.
    pairs: [(f64, f64); PAIRS],
    count: usize,
    /// Device time of the last state, and host times of the last and the first, s.
    device: f64,
    last: f64,
    begun: f64,
    wrong: LeakyCount,
    is_wrong: bool,
}

impl ClockWatch {
    /// Restarts the comparison after a jump of the clock or a pause of either side.
    pub fn restart(&mut self) {
        (self.count, self.wrong) = (0, LeakyCount::default());
    }

    /// Notes a state received at `now`, s, that is `passed`, s, after the last by the keyboard's clock.
    pub fn note(&mut self, passed: f64, now: f64) {
        self.device += passed;
        if now - std::mem::replace(&mut self.last, now) > STILL {
            self.restart();
        }
        if self.count == 0 {
            (self.count, self.begun) = (1, now);
        }
        if self.count == 1 && now - self.begun < AT_ONCE {
            self.pairs[0] = (self.device, now);
            return;
        }
        let held = self.count.min(PAIRS);
        let off = self.pairs[..held].iter().any(|(device, host)| {
            let (device, host) = (self.device - device, now - host);
            (device - host).abs() > JITTER + RATE_ERROR * host.max(device)
        });
        self.is_wrong = self.wrong.note(off);
        let newest = self.pairs[(self.count - 1) % PAIRS];
        if now - newest.1 >= PAIR_INTERVAL {
            self.pairs[self.count % PAIRS] = (self.device, now);
            self.count += 1;
            // The count matters only modulo the number of pairs.
            if self.count >= 3 * PAIRS {
                self.count -= PAIRS;
            }
        }
    }

    /// The rate of the clock is implausible.
    pub const fn is_wrong(&self) -> bool {
        self.is_wrong
    }

    /// The clock has been observed long enough at `now`, s.
    pub(crate) fn is_observed(&self, now: f64) -> bool {
        self.count > 0 && now - self.begun >= OBSERVED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_at_half_speed_is_implausible_and_late_states_are_not() {
        let found = |rate: f64, late: f64| {
            let mut watch = ClockWatch::default();
            (0..2000u32).find(|i| {
                let jitter = if i % 97 < 20 { late } else { 0.0 };
                watch.note(rate * 1e-3, f64::from(*i) * 1e-3 + jitter);
                watch.is_wrong()
            })
        };
        assert!(found(0.5, 0.0).is_some_and(|i| i < 100), "{:?}", found(0.5, 0.0));
        assert!(found(1.5, 0.0).is_some_and(|i| i < 120));
        // Ten per cent need longer than the jitter that is allowed.
        assert!(found(1.1, 0.0).is_some_and(|i| i < 1300), "{:?}", found(1.1, 0.0));
        assert_eq!(found(1.0, 0.019), None);
        // A computer that stands still for 50 ms each tenth of a second; what has waited comes at once.
        let mut watch = ClockWatch::default();
        for i in 0..5000u32 {
            let now = f64::from(if i % 100 < 50 { i - i % 100 + 50 } else { i }) * 1e-3;
            watch.note(1e-3, now);
            assert!(!watch.is_wrong(), "{i}");
        }
        assert_eq!(found(1.001, 0.019), None);
    }
}
