//! Clock recovery: the keyboard's clock against the host's, in spite of drift and jitter.
//!
//! Delay only adds to arrival times, so of every window the arrival with the least delay is kept,
//! and a straight line through the last windows gives offset and drift. The residual is the root
//! mean square of what the line leaves.

use touchback_device::fixed::since;

use touchback_core::math::line::Line;
use touchback_core::math::power::square;

/// Length of a window, s.
const WINDOW: f64 = 0.25;
/// Windows a line is drawn through: eight seconds.
const WINDOWS: usize = 32;

/// Window under way and the line through the last windows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recovery {
    /// Last device time, µs; seconds of it since the first.
    last: Option<u32>,
    time: f64,
    /// Beginning of the window under way, and its least delay: device time, host minus device.
    began: f64,
    least: Option<(f64, f64)>,
    kept: [(f64, f64); WINDOWS],
    count: usize,
    next: usize,
}

impl Recovery {
    /// A message of device time `t_us` arrived at `now` s.
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

    /// The line, and the root mean square of what it leaves, s.
    fn line(&self) -> Option<(Line, f64)> {
        let kept = self.kept.get(..self.count).filter(|k| k.len() >= 4)?;
        let line = Line::through(kept)?;
        let squares: f64 = kept.iter().map(|k| square(k.1 - line.at(k.0))).sum();
        Some((line, (squares / kept.len() as f64).sqrt()))
    }

    /// Share by which the device's clock runs fast, and the residual, s; zeros in the first second.
    #[must_use]
    pub fn fit(&self) -> (f64, f64) {
        self.line().map_or((0.0, 0.0), |(line, left)| (-line.slope, left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_core::math::random::Random;
    use touchback_device::fixed::micros;

    /// Host time, s, of the device time of the last message, as the line has it.
    fn host_time(clock: &Recovery) -> Option<f64> {
        clock.line().map(|(line, _)| clock.time + line.at(clock.time))
    }

    /// A device 200 ppm fast or slow whose messages come up to 2 ms late: after eight seconds the
    /// drift is known to 10 ppm and the time to 0.15 ms.
    #[test]
    fn drift_and_time_are_found_under_jitter() {
        for drift in [-200e-6, 0.0, 200e-6] {
            let mut clock = Recovery::default();
            let mut random = Random::new(1);
            let mut worst = 0.0f64;
            for i in 0..20_000u32 {
                let jitter = 2e-3 * random.share();
                let sent = f64::from(i) * 1e-3;
                // The device's count begins just before its wrap.
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
    fn a_jumped_clock_begins_anew() {
        let mut clock = Recovery::default();
        for i in 0..3000u32 {
            clock.note(i * 1000, f64::from(i) * 1e-3);
        }
        assert!(host_time(&clock).is_some());
        clock.note(500_000_000, 3.0);
        assert!(host_time(&clock).is_none());
    }
}
