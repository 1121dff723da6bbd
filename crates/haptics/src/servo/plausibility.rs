//! What a keyboard says, against itself, its commands and this machine's clock.
//!
//! Over a report of T s the wave integral must have grown by √(2Z)·Δx + ∫f dt/√(2Z), f the commanded
//! force through the keyboard's filter. When a command is played is not known here, so f is taken as
//! anything between 0 and the extremes of the commands that may act, Z as anything between the two
//! reported: an interval. A wave outside it is replaced by its nearest end, and counted.

use touchback_device::message::IMPEDANCE;

use super::seconds;
use crate::symptom::Symptom;

/// Largest plausible key speed, m/s: that of the keyboard's own test.
const FASTEST: f64 = 4.0;
/// Weight of an implausible report against a plausible one's −1, and the sum that is too much: three
/// of twelve.
const WEIGHT: u8 = 4;
const TOO_MUCH: u8 = 12;

/// A leaky count of implausible reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LeakyCount(u8);

impl LeakyCount {
    /// Counts a report; `true` where there were too many.
    pub const fn note(&mut self, is_wrong: bool) -> bool {
        self.0 = if is_wrong {
            let sum = self.0 + WEIGHT;
            if sum > TOO_MUCH + WEIGHT { TOO_MUCH + WEIGHT } else { sum }
        } else {
            self.0.saturating_sub(1)
        };
        is_wrong && self.0 >= TOO_MUCH
    }
}

/// A key cannot have moved by `way` m in `time` s.
pub fn is_jump(way: f64, time: f64) -> bool {
    way.abs() > FASTEST * time + 20e-6
}

/// Commands kept: those of the longest lead at a state a millisecond.
const KEPT: usize = 64;
/// Time beyond the lead within which a command may still act, steps: 15 ms.
const LINGERS: u64 = 120;
/// What rounding and filters of the keyboard's own may add, √W·s, and as a share of what motion
/// brings.
const SLACK: (f64, f64) = (60e-6, 0.25);
/// Impedance, N·s/m, that is left from the safe damping, whatever was commanded.
const LEFT_OVER: f64 = 5.0;

/// What a report says of one key's line.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LineReport {
    /// How far the key moved, m.
    pub way: f64,
    /// Growth of the wave integral, √W·s.
    pub wave: f64,
    /// Impedance at the end, N·s/m.
    pub impedance: f64,
    /// Time since the last report, s.
    pub time: f64,
    /// Step at its end.
    pub step: u64,
    /// Steps from a state to its answer's play-out.
    pub lead: u64,
    /// Step of the sensor, m.
    pub sensor_step: f64,
    /// The energy guard may have made the wave smaller.
    pub is_guarded: bool,
}

/// One key's line: the commands it was sent, what it answered.
#[derive(Clone, Debug)]
pub struct LineCheck {
    /// Step, force N and impedance N·s/m of the last commands.
    sent: [(u64, f64, f64); KEPT],
    next: usize,
    /// Impedance of the last report and what motion brought in it; none where it was not live.
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
    /// A command was sent at `step`.
    pub const fn sent(&mut self, step: u64, force: f64, impedance: f64) {
        self.sent[self.next] = (step, force, impedance);
        self.next = (self.next + 1) % KEPT;
    }

    /// What it said lately did not always fit.
    pub const fn is_doubted(&self) -> bool {
        self.waves.0 > 0
    }

    /// The keyboard gives no force: nothing to compare with.
    pub const fn pause(&mut self) {
        self.last = None;
    }

    /// The growth of the integral to be believed, √W·s, and what is wrong.
    pub fn check(&mut self, report: &LineReport) -> (f64, Option<Symptom>) {
        let motion = (2.0 * report.impedance).sqrt() * report.way.abs();
        // In its first report a key may have been without impedance for a while.
        let last = self.last.replace((report.impedance, motion));
        let (z, moved) = last.unwrap_or((0.0, 0.0));
        let steps = touchback_core::math::cast::floor_index(report.time / seconds(1)) as u64 + 1;
        let begun = report.step.saturating_sub(steps + report.lead + LINGERS);
        let mut force = [0.0f64; 2];
        let mut most = LEFT_OVER;
        for (_, f, z) in self.sent.iter().filter(|(step, ..)| *step >= begun) {
            force = [force[0].min(*f), force[1].max(*f)];
            most = most.max(*z);
        }
        let half = 0.5 * IMPEDANCE;
        let is_high = report.impedance > most + IMPEDANCE;
        if self.impedances.note(is_high) {
            return (0.0, Some(Symptom::Impedance));
        }
        let low = (2.0 * (z.min(report.impedance) - half).max(half)).sqrt();
        let high = (2.0 * (z.max(report.impedance) + half)).sqrt();
        let ways = [low * report.way, high * report.way];
        let slack = SLACK.0 + SLACK.1 * (motion + moved);
        let mut least = ways[0].min(ways[1]) + force[0] * report.time / low - slack;
        let mut most = ways[0].max(ways[1]) + force[1] * report.time / low + slack;
        if report.is_guarded || last.is_none() {
            // The guard makes single ticks smaller, those of one sign more than those of the other.
            let more = slack + 2.0 * (motion + high * 4.0 * report.sensor_step);
            (least, most) = (least.min(0.0) - more, most.max(0.0) + more);
        }
        let is_outside = !(least..=most).contains(&report.wave);
        let symptom = self.waves.note(is_outside).then_some(Symptom::Wave);
        (if is_outside { report.wave.clamp(least, most) } else { report.wave }, symptom)
    }
}

/// Error of time that jitter may make, s, and as a share.
const LATENESS: (f64, f64) = (0.03, 0.05);
/// Time between the moments that are compared with, s.
const APART: f64 = 0.05;
/// Moments kept.
const MOMENTS: usize = 8;
/// Time after which a clock has been observed, s.
const OBSERVED: f64 = 0.1;

/// The keyboard's clock against this machine's over the last 0.4 s.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClockWatch {
    /// Device and host time of moments, s.
    moments: [(f64, f64); MOMENTS],
    count: usize,
    device: f64,
    begun: f64,
    wrong: LeakyCount,
    is_wrong: bool,
}

impl ClockWatch {
    /// The clock jumped, or one side stood still.
    pub fn restart(&mut self) {
        (self.count, self.wrong) = (0, LeakyCount::default());
    }

    /// A state came at `now` s, `passed` s by the keyboard's clock after the last.
    pub fn note(&mut self, passed: f64, now: f64) {
        self.device += passed;
        if self.count == 0 {
            (self.moments[0], self.count, self.begun) = ((self.device, now), 1, now);
            return;
        }
        let held = self.count.min(MOMENTS);
        let off = self.moments[..held].iter().any(|(device, host)| {
            let (device, host) = (self.device - device, now - host);
            (device - host).abs() > LATENESS.0 + LATENESS.1 * host.max(device)
        });
        self.is_wrong = self.wrong.note(off);
        let newest = self.moments[(self.count - 1) % MOMENTS];
        if now - newest.1 >= APART {
            self.moments[self.count % MOMENTS] = (self.device, now);
            self.count += 1;
            // The ring's place is all that counts.
            if self.count >= 3 * MOMENTS {
                self.count -= MOMENTS;
            }
        }
    }

    /// The clock goes wrong.
    pub const fn is_wrong(&self) -> bool {
        self.is_wrong
    }

    /// It has been watched long enough at `now` s.
    pub fn is_observed(&self, now: f64) -> bool {
        self.count > 0 && now - self.begun >= OBSERVED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_at_half_speed_is_found_and_a_late_one_is_not() {
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

    fn report(way: f64, wave: f64) -> LineReport {
        LineReport {
            way,
            wave,
            impedance: 25.0,
            time: 1e-3,
            step: 1000,
            lead: 8,
            sensor_step: 2e-6,
            is_guarded: false,
        }
    }

    /// The law's own wave is believed; doubled, of the wrong sign or with another impedance it is
    /// not, from the third report on.
    #[test]
    fn only_a_wave_that_fits_is_believed() {
        let root = 50f64.sqrt();
        let own = |way: f64, force: f64| root * way + force * 1e-3 / root;
        let run = |scale: f64| {
            let mut line = LineCheck::default();
            let mut symptom = None;
            for i in 0..6u32 {
                line.sent(990 + u64::from(i), 2.0, 25.0);
                let wave = scale * own(0.1e-3, 2.0);
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
    fn three_of_twelve_are_too_many() {
        let mut count = LeakyCount::default();
        assert!(!count.note(true) && !count.note(true) && count.note(true));
        let mut count = LeakyCount::default();
        assert!((0..100).all(|i| !count.note(i % 5 == 0)));
    }
}
