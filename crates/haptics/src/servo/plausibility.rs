//! Plausibility of a keyboard's reports: against one another, the commands and the host's clock.
//!
//! Between two reports T s apart the wave integral must grow by √(2Z)·Δx + ∫f dt/√(2Z), √W·s, where f, N, is
//! the commanded force through the keyboard's filter. The host does not know when a command plays; f may
//! be anything between 0 and the extremes of the commands that may act, and Z anything between the two
//! reported values. This gives an interval. A wave outside it is replaced by the nearest end and counted as
//! implausible.

use touchback_device::message::IMPEDANCE;

use super::seconds;
use crate::symptom::Symptom;

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
pub fn is_jump(motion: f64, time: f64) -> bool {
    motion.abs() > FASTEST * time + 20e-6
}

/// Number of stored commands: those of the longest lead at one state per millisecond.
const KEPT: usize = 64;
/// Time beyond the lead for which a command may act, steps: 15 ms.
const ACTS_BEYOND_LEAD: u64 = 120;
/// Tolerance for rounding and filters of the keyboard: √W·s, and as a share of the motion's part.
const SLACK: (f64, f64) = (60e-6, 0.25);
/// Impedance, N·s/m, that may remain of the safe damping, whatever was commanded.
const SAFE_DAMPING_MAX: f64 = 5.0;

/// Report of one key, as the check of its line needs it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LineReport {
    /// Motion since the last report, m.
    pub motion: f64,
    /// Growth of the wave integral, √W·s.
    pub wave: f64,
    /// Reported impedance, N·s/m.
    pub impedance: f64,
    /// Time since the last report, s.
    pub time: f64,
    /// Number of steps begun by the report.
    pub step: u64,
    /// Steps from a state to the play-out of its answer.
    pub lead: u64,
    /// Step of the sensor, m.
    pub sensor_step: f64,
    /// The energy guard may have reduced the wave.
    pub is_guarded: bool,
}

/// Check of one key's line: its last commands and reports.
#[derive(Clone, Debug)]
pub struct LineCheck {
    /// Step, force, N, and impedance, N·s/m, of the last commands.
    sent: [(u64, f64, f64); KEPT],
    next: usize,
    /// Impedance of the last report, N·s/m, and the motion's part of its wave, √W·s; none where the key was
    /// not live.
    last: Option<(f64, f64)>,
    waves: LeakyCount,
    impedances: LeakyCount,
}

impl Default for LineCheck {
    fn default() -> Self {
        Self {
            sent: [(0, 0.0, 0.0); KEPT],
            next: 0,
            last: None,
            waves: LeakyCount::default(),
            impedances: LeakyCount::default(),
        }
    }
}

impl LineCheck {
    /// Notes a command sent at `step`.
    pub const fn sent(&mut self, step: u64, force: f64, impedance: f64) {
        self.sent[self.next] = (step, force, impedance);
        self.next = (self.next + 1) % KEPT;
    }

    /// Recent waves were implausible.
    pub const fn is_doubted(&self) -> bool {
        self.waves.0 > 0
    }

    /// Interrupts the check while the keyboard gives no force.
    pub const fn pause(&mut self) {
        self.last = None;
    }

    /// Returns the plausible growth of the integral, √W·s, and the symptom where implausible reports are
    /// too many.
    pub fn check(&mut self, report: &LineReport) -> (f64, Option<Symptom>) {
        let motion = (2.0 * report.impedance).sqrt() * report.motion.abs();
        // Before its first live report a key may have been without impedance.
        let last = self.last.replace((report.impedance, motion));
        let (z, moved) = last.unwrap_or((0.0, 0.0));
        let steps = touchback_core::math::cast::floor_index(report.time / seconds(1)) as u64 + 1;
        let oldest = report.step.saturating_sub(steps + report.lead + ACTS_BEYOND_LEAD);
        let mut force = [0.0f64; 2];
        let mut max_impedance = SAFE_DAMPING_MAX;
        for (_, f, z) in self.sent.iter().filter(|(step, ..)| *step >= oldest) {
            force = [force[0].min(*f), force[1].max(*f)];
            max_impedance = max_impedance.max(*z);
        }
        let half = 0.5 * IMPEDANCE;
        let is_high = report.impedance > max_impedance + IMPEDANCE;
        if self.impedances.note(is_high) {
            return (0.0, Some(Symptom::Impedance));
        }
        let low = (2.0 * (z.min(report.impedance) - half).max(half)).sqrt();
        let high = (2.0 * (z.max(report.impedance) + half)).sqrt();
        let parts = [low * report.motion, high * report.motion];
        let slack = SLACK.0 + SLACK.1 * (motion + moved);
        let mut least = parts[0].min(parts[1]) + force[0] * report.time / low - slack;
        let mut most = parts[0].max(parts[1]) + force[1] * report.time / low + slack;
        if report.is_guarded || last.is_none() {
            // The guard reduces the waves of single ticks, those of one sign more than those of the other.
            let margin = slack + 2.0 * (motion + high * 4.0 * report.sensor_step);
            (least, most) = (least.min(0.0) - margin, most.max(0.0) + margin);
        }
        let is_outside = !(least..=most).contains(&report.wave);
        let symptom = self.waves.note(is_outside).then_some(Symptom::Wave);
        (if is_outside { report.wave.clamp(least, most) } else { report.wave }, symptom)
    }
}

/// Tolerance of the clock check: jitter, s, and difference of rates, as a share.
const CLOCK_TOLERANCE: (f64, f64) = (0.03, 0.05);
/// Time between the stored pairs of times, s.
const PAIR_INTERVAL: f64 = 0.05;
/// Number of stored pairs.
const PAIRS: usize = 8;
/// Time after which a clock counts as observed, s.
const OBSERVED: f64 = 0.1;

/// Comparison of the keyboard's clock with the host's over the last 0.4 s.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClockWatch {
    /// Pairs of device time and host time, s.
    pairs: [(f64, f64); PAIRS],
    count: usize,
    /// Device time of the last state, and host time of the first, s.
    device: f64,
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
        if self.count == 0 {
            (self.pairs[0], self.count, self.begun) = ((self.device, now), 1, now);
            return;
        }
        let held = self.count.min(PAIRS);
        let off = self.pairs[..held].iter().any(|(device, host)| {
            let (device, host) = (self.device - device, now - host);
            (device - host).abs() > CLOCK_TOLERANCE.0 + CLOCK_TOLERANCE.1 * host.max(device)
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
    pub fn is_observed(&self, now: f64) -> bool {
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
        assert_eq!(found(1.0, 0.019), None);
        assert_eq!(found(1.001, 0.019), None);
    }

    fn report(motion: f64, wave: f64) -> LineReport {
        LineReport {
            motion,
            wave,
            impedance: 25.0,
            time: 1e-3,
            step: 1000,
            lead: 8,
            sensor_step: 2e-6,
            is_guarded: false,
        }
    }

    /// The wave of the law is plausible. A multiple, a wrong sign or another impedance is found at the third
    /// report.
    #[test]
    fn only_a_wave_that_fits_the_law_is_plausible() {
        let root = 50f64.sqrt();
        let law = |motion: f64, force: f64| root * motion + force * 1e-3 / root;
        let run = |scale: f64| {
            let mut line = LineCheck::default();
            let mut symptom = None;
            for i in 0..6u32 {
                line.sent(990 + u64::from(i), 2.0, 25.0);
                let wave = scale * law(0.1e-3, 2.0);
                let (used, what) = line.check(&report(0.1e-3, wave));
                assert!((scale - 1.0).abs() > 1e-9 || used == wave);
                symptom = symptom.or(what);
            }
            symptom
        };
        assert_eq!(run(1.0), None);
        for scale in [-1.0, 2.0, 1000.0] {
            assert_eq!(run(scale), Some(Symptom::Wave), "{scale}");
        }
        let mut line = LineCheck::default();
        line.sent(1000, 0.0, 10.0);
        let found = (0..5).find_map(|_| line.check(&report(0.0, 0.0)).1);
        assert_eq!(found, Some(Symptom::Impedance));
    }

    #[test]
    fn three_implausible_reports_of_twelve_are_too_many() {
        let mut count = LeakyCount::default();
        assert!(!count.note(true) && !count.note(true) && count.note(true));
        let mut count = LeakyCount::default();
        assert!((0..100).all(|i| !count.note(i % 5 == 0)));
    }
}
