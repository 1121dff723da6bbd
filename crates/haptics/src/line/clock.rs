//! Clock recovery: offset and drift of the keyboard's clock against the host's, despite jitter.
//!
//! Jitter only delays arrivals. Of every window of 0.25 s the arrival with the smallest delay is kept; a
//! straight line through the last 32 windows gives offset and drift. The residual is the root mean square
//! distance from the line, s.

use touchback_device::fixed::since;

use touchback_core::math::line::Line;
use touchback_core::math::power::square;

/// Length of a window, s.
const WINDOW: f64 = 0.25;
/// Number of windows in the fit: 8 s.
const WINDOWS: usize = 32;

/// The present window and the last complete ones.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClockRecovery {
    /// Last device time, µs.
    last: Option<u32>,
    /// Device time since the first message, s.
    time: f64,
    /// Beginning of the present window, s, and its arrival with the smallest delay: device time, s, and host
    /// time less device time, s.
    began: f64,
    least: Option<(f64, f64)>,
    kept: [(f64, f64); WINDOWS],
    count: usize,
    next: usize,
}

impl ClockRecovery {
    /// Notes a message of device time `t_us`, µs, that arrived at `now`, s.
    pub fn note(&mut self, t_us: u32, now: f64) {
        let passed = f64::from(self.last.map_or(0, |last| since(t_us, last))) * 1e-6;
        if !(-1.0..=1.0).contains(&passed) {
            *self = Self::default();
        } else {
            self.time += passed;
        }
        self.last = Some(t_us);
        let delay = now - self.time;
        match self.least {
            None => (self.began, self.least) = (self.time, Some((self.time, delay))),
            Some((_, least)) if delay < least => self.least = Some((self.time, delay)),
            Some(_) => {}
        }
        if self.time - self.began >= WINDOW
            && let Some(least) = self.least.take()
        {
            self.kept[self.next] = least;
            self.next = (self.next + 1) % WINDOWS;
            self.count = (self.count + 1).min(WINDOWS);
        }
    }

    /// The line, and the residual, s.
    fn line(&self) -> Option<(Line, f64)> {
        let kept = self.kept.get(..self.count).filter(|k| k.len() >= 4)?;
        let line = Line::through(kept)?;
        let squares: f64 = kept.iter().map(|k| square(k.1 - line.at(k.0))).sum();
        Some((line, (squares / kept.len() as f64).sqrt()))
    }

    /// Share by which the device's clock is fast, and the residual, s; 0 for both during the first second.
    #[must_use]
    pub fn fit(&self) -> (f64, f64) {
        self.line().map_or((0.0, 0.0), |(line, residual)| (-line.slope, residual))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_core::math::random::Random;
    use touchback_device::fixed::micros;

    /// Host time of the last message's device time by the line, s.
    fn host_time(clock: &ClockRecovery) -> Option<f64> {
        clock.line().map(|(line, _)| clock.time + line.at(clock.time))
    }

    /// With 200 ppm of drift and 2 ms of jitter the drift is within 10 ppm and the time within 0.15 ms after 8 s.
    #[test]
    fn drift_and_time_are_recovered_under_jitter() {
        for drift in [-200e-6, 0.0, 200e-6] {
            let mut clock = ClockRecovery::default();
            let mut random = Random::new(1);
            let mut worst = 0.0f64;
            for i in 0..20_000u32 {
                let jitter = 2e-3 * random.share();
                let sent = f64::from(i) * 1e-3;
                // The device time wraps during the test.
                let t_us = micros(4_294.9 + sent * (1.0 + drift));
                clock.note(t_us, 100.0 + sent + jitter);
                if i > 8000 {
                    worst = worst.max((host_time(&clock).unwrap() - 100.0 - sent).abs());
                }
            }
            let (found, residual) = clock.fit();
            assert!((found - drift).abs() < 10e-6, "{found} for {drift}");
            assert!(worst < 0.15e-3 && residual < 0.05e-3, "{worst} s, residual {residual} s");
        }
    }

    #[test]
    fn a_jump_of_the_clock_restarts_the_fit() {
        let mut clock = ClockRecovery::default();
        for i in 0..3000u32 {
            clock.note(i * 1000, f64::from(i) * 1e-3);
        }
        assert!(host_time(&clock).is_some());
        clock.note(500_000_000, 3.0);
        assert!(host_time(&clock).is_none());
    }
}
