//! The one time base: samples since reset, and the action's steps on them.
//!
//! Step k covers [k·h, (k+1)·h), h = [`STEP`]. It is run before the first sample whose interval
//! reaches the step's end, after all events of that sample: by then all input of the step is known. The
//! step's events sound one constant h later, which is always possible, because a step is never run later
//! than its end.
//!
//! Positions are stored as whole samples and an integer remainder, so that no rounding errors accumulate.

use touchback_action::STEP;
use touchback_core::math::cast::floor_index;

/// Parts of a sample in which a step's length is a whole number: steps a second × mHz a Hz.
const PARTS: u64 = 8_000_000;
const _: () = assert!(STEP * 8000.0 == 1.0, "PARTS counts 8000 steps a second");

/// Sample clock and step clock.
#[derive(Clone, Debug)]
pub struct Clock {
    /// Sample rate, Hz.
    rate: f64,
    /// Length of a step, parts of a sample (equals the rate in mHz).
    step_parts: u64,
    /// The sample to be rendered next.
    now: u64,
    /// Index of the step to be run next.
    step: u64,
    /// Beginning of that step: whole samples.
    start: u64,
    /// Beginning of that step: parts of a sample beside the whole samples.
    start_parts: u64,
}

impl Clock {
    /// A clock at zero. The rate is taken in whole mHz and limited to 1 kHz…1 MHz; a rate that is not
    /// finite counts as 48 kHz.
    pub fn new(sample_rate: f64) -> Self {
        let requested = if sample_rate.is_finite() { sample_rate } else { 48_000.0 };
        let step_parts = floor_index(requested.clamp(1e3, 1e6) * 1e3 + 0.5) as u64;
        let rate = step_parts as f64 / 1e3;
        Self { rate, step_parts, now: 0, step: 0, start: 0, start_parts: 0 }
    }

    /// Sample 0, step 0.
    pub const fn reset(&mut self) {
        self.now = 0;
        self.step = 0;
        self.start = 0;
        self.start_parts = 0;
    }

    /// Sample rate, Hz.
    pub const fn rate(&self) -> f64 {
        self.rate
    }

    /// The sample to be rendered next, counted since reset.
    pub const fn now(&self) -> u64 {
        self.now
    }

    /// Time of the sample to be rendered next, s.
    pub fn time(&self) -> f64 {
        self.time_of(self.now, 0.0)
    }

    /// Time of a sample plus `delay` samples, s.
    pub(crate) fn time_of(&self, sample: u64, delay: f64) -> f64 {
        (sample as f64 + delay) / self.rate
    }

    /// Moves to a later sample.
    pub(crate) const fn go_to(&mut self, sample: u64) {
        self.now = sample;
    }

    /// Index of the step to be run next.
    pub const fn step(&self) -> u64 {
        self.step
    }

    /// The sample before which the next step has to be run: the one in which, or with which, the step ends.
    pub const fn due(&self) -> u64 {
        let end = self.start_parts + self.step_parts;
        self.start + end.div_ceil(PARTS) - 1
    }

    /// Time from the next step's beginning to the present sample, s; 0…[`STEP`].
    pub fn elapsed(&self) -> f64 {
        let samples = self.now.saturating_sub(self.start) as f64;
        ((samples - self.start_parts as f64 / PARTS as f64) / self.rate).clamp(0.0, STEP)
    }

    /// Time at which an event `offset` seconds into the next step, or before it, sounds, one [`STEP`] later: the
    /// sample and the delay after it (0…1 sample). Never before [`Clock::due`].
    pub fn sounding(&self, offset: f64) -> (u64, f64) {
        let end = (self.start_parts + self.step_parts) as f64 / PARTS as f64;
        let position = end + offset.min(STEP) * self.rate;
        let sample = self.start + floor_index(position) as u64;
        if position < 0.0 || sample < self.due() {
            (self.due(), 0.0)
        } else {
            (sample, position.fract())
        }
    }

    /// Advances to the next step after one has been run.
    pub const fn stepped(&mut self) {
        let end = self.start_parts + self.step_parts;
        self.start += end / PARTS;
        self.start_parts = end % PARTS;
        self.step += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: [f64; 8] =
        [4000.0, 22_050.0, 44_100.0, 44_099.997, 48_000.0, 88_200.0, 192_000.0, 384_000.0];

    #[test]
    fn steps_are_due_where_their_end_falls() {
        for rate in RATES {
            let mut clock = Clock::new(rate);
            for step in 0_u64..30_000 {
                assert_eq!(clock.step(), step);
                let end = (step + 1) as f64 * rate / 8000.0;
                let due = clock.due() as f64;
                assert!(due <= end + 1e-6 && end <= due + 1.0 + 1e-6, "{rate} {step}");
                clock.go_to(clock.due());
                assert!((0.0..=STEP).contains(&clock.elapsed()));
                clock.stepped();
            }
        }
    }

    #[test]
    fn a_minute_of_44_1_khz_ends_on_its_sample() {
        let mut clock = Clock::new(44_100.0);
        for _ in 0..60 * 8000 {
            clock.stepped();
        }
        assert_eq!((clock.start, clock.start_parts), (60 * 44_100, 0));
    }

    #[test]
    fn events_of_a_step_sound_one_step_later() {
        for rate in RATES {
            let mut clock = Clock::new(rate);
            for step in 0_u64..3000 {
                for share in [0.0, 0.37, 1.0] {
                    let (sample, delay) = clock.sounding(share * STEP);
                    assert!(sample >= clock.due() && (0.0..1.0).contains(&delay));
                    let expected = (step as f64 + share + 1.0) * rate / 8000.0;
                    assert!((sample as f64 + delay - expected).abs() < 1e-6);
                }
                clock.stepped();
            }
        }
    }

    #[test]
    fn invalid_rates_are_replaced() {
        assert_eq!(Clock::new(f64::NAN).rate(), 48_000.0);
        assert_eq!(Clock::new(-1.0).rate(), 1000.0);
    }
}
