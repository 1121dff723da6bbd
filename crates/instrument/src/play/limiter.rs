//! The output guard: a look-ahead limiter of both pairs of microphones.
//!
//! The signal is delayed by N samples (1.5 ms), in which the gain falls to what a coming peak needs, so that
//! no sample exceeds the ceiling and none is bent. With x the louder channel's magnitude at sample n:
//!
//! | stage | law |
//! | --- | --- |
//! | needed gain | g = min(1, ceiling/x) |
//! | look-ahead | h = least g of the last N + 1 samples |
//! | release | r ← h where h < r, else r + c (h − r), c = 1 − exp(−1/(τ f)) |
//! | attack | gain = mean of the last N values of r: a ramp without a step |
//!
//! All gains are integers of 2⁻³⁰, so the running mean is exact and a gain of 1 changes no bit of the
//! signal. Every stage counts samples: the host's blocks do not enter. Audio thread, except `new`.

use std::collections::VecDeque;

use crate::settings::{Settings, Switch};
use touchback_core::math::cast::{floor_index, single};
use touchback_core::math::pages;

/// Largest magnitude of the output: −1 dBFS, which leaves room for peaks between samples (chosen; the
/// largest permitted true peak of EBU R 128).
pub(crate) const CEILING: f32 = 0.891;

/// Length of the look-ahead, s. Chosen: a ramp of 1.5 ms spreads a gain change of 6 dB over less than a
/// period of 600 Hz, which masks it, and players do not notice the delay.
const LOOK_AHEAD: f64 = 1.5e-3;

/// Time constant of the release, s. Chosen: longer than a period of the lowest string (36 ms), so that the
/// gain does not follow its wave, and shorter than the time between two chords.
const RELEASE: f64 = 0.08;

/// The gain 1.
const ONE: i64 = 1 << 30;

/// Least gain that the window shows as limiting: −0.1 dB.
const SHOWN: f64 = 0.989;

/// Delay of the guard at `sample_rate` Hz, samples.
#[must_use]
pub fn latency(sample_rate: f64) -> u32 {
    u32::try_from(floor_index((LOOK_AHEAD * sample_rate).round())).unwrap_or(0)
}

/// Delay of the guard of `settings` at `sample_rate` Hz, samples: none where it is off.
pub(crate) fn latency_of(settings: &Settings, sample_rate: f64) -> u32 {
    if settings.output_guard == Switch::On { latency(sample_rate) } else { 0 }
}

/// Limiter of one pair of channels.
#[derive(Debug)]
pub struct Limiter {
    /// Share of the distance that the release covers in a sample.
    release: f64,
    /// The last N frames, as a ring.
    frames: Vec<[f32; 2]>,
    /// The last N released gains, as a ring, and their sum.
    released: Vec<i64>,
    sum: i64,
    next: usize,
    /// Samples and needed gains below those after them, of the last N + 1: the first is the least.
    needed: VecDeque<(u64, i64)>,
    /// Samples since the reset.
    now: u64,
    /// Present gain before the attack.
    gain: i64,
    /// Consecutive frames without a signal.
    quiet: usize,
    /// Least gain since it was last asked for.
    least: i64,
}

impl Limiter {
    /// A limiter that delays by `delay` samples; with 0, gains fall at once. Allocates; nothing else here
    /// does.
    #[must_use]
    pub fn new(sample_rate: f64, delay: u32) -> Self {
        let delay = usize::try_from(delay).unwrap_or(0);
        Self {
            release: -libm::expm1(-1.0 / (RELEASE * sample_rate)),
            frames: pages::filled([0.0; 2], delay),
            released: pages::filled(ONE, delay.max(1)),
            sum: ONE * i64::try_from(delay.max(1)).unwrap_or(1),
            next: 0,
            needed: pages::room(delay + 2).into(),
            now: 0,
            gain: ONE,
            quiet: usize::MAX,
            least: ONE,
        }
    }

    /// Delay, samples.
    #[must_use]
    pub const fn delay(&self) -> usize {
        self.frames.len()
    }

    /// Silence and full gain.
    pub fn reset(&mut self) {
        self.frames.fill([0.0; 2]);
        self.released.fill(ONE);
        self.sum = ONE * i64::try_from(self.released.len()).unwrap_or(1);
        self.needed.clear();
        (self.next, self.now, self.gain, self.least) = (0, 0, ONE, ONE);
        self.quiet = usize::MAX;
    }

    /// Whether nothing waits in the delay.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.quiet >= self.delay()
    }

    /// Least gain since the last call; 1 where the signal passes unchanged.
    pub(crate) fn take_least(&mut self) -> f64 {
        let least = std::mem::replace(&mut self.least, ONE);
        let least = least as f64 / ONE as f64;
        if least < SHOWN { least } else { 1.0 }
    }

    /// Delays the next samples (equal lengths), and limits them if `is_on`.
    pub fn process(&mut self, left: &mut [f32], right: &mut [f32], is_on: bool) {
        for (left, right) in left.iter_mut().zip(right) {
            let peak = left.abs().max(right.abs());
            if peak == 0.0 && self.is_silent() && self.gain == ONE && self.is_full_gain() {
                continue;
            }
            self.quiet = if peak == 0.0 { self.quiet.saturating_add(1) } else { 0 };
            let gain = self.step(if is_on { needed(peak) } else { ONE });
            let mut frame = [*left, *right];
            if let Some(slot) = self.frames.get_mut(self.next) {
                std::mem::swap(slot, &mut frame);
            }
            self.next = (self.next + 1) % self.released.len();
            if gain < ONE {
                self.least = self.least.min(gain);
                let gain = single(gain as f64 / ONE as f64);
                // Rounding of the product may exceed the ceiling by its last bit.
                frame = frame.map(|x| (x * gain).clamp(-CEILING, CEILING));
            }
            [*left, *right] = frame;
        }
    }

    /// Whether the attack's mean is the gain 1.
    fn is_full_gain(&self) -> bool {
        i64::try_from(self.released.len()).is_ok_and(|length| self.sum == ONE * length)
    }

    /// Gain of the frame that leaves the delay, where the entering one needs the gain `needed`.
    fn step(&mut self, needed: i64) -> i64 {
        let delay = self.frames.len() as u64;
        while self.needed.back().is_some_and(|(_, gain)| *gain >= needed) {
            self.needed.pop_back();
        }
        self.needed.push_back((self.now, needed));
        while self.needed.front().is_some_and(|(sample, _)| sample + delay < self.now) {
            self.needed.pop_front();
        }
        self.now += 1;
        let least = self.needed.front().map_or(ONE, |(_, gain)| *gain);
        self.gain = if least <= self.gain {
            least
        } else {
            // At least one unit, so that the target is reached.
            let step = floor_index((least - self.gain) as f64 * self.release);
            self.gain + i64::try_from(step).unwrap_or(0).max(1)
        };
        let oldest = std::mem::replace(&mut self.released[self.next], self.gain);
        self.sum += self.gain - oldest;
        // The mean, rounded down.
        self.sum / i64::try_from(self.released.len()).unwrap_or(1)
    }
}

/// Gain with which `peak` is at the ceiling, rounded down.
fn needed(peak: f32) -> i64 {
    // Infinity, which no sound gives, needs the gain 0.
    if peak <= CEILING {
        return ONE;
    }
    i64::try_from(floor_index(f64::from(CEILING) / f64::from(peak) * ONE as f64)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: f64 = 48_000.0;

    /// `left` and its half through the limiter in portions of `portion` samples.
    fn limited(limiter: &mut Limiter, left: &[f32], portion: usize, is_on: bool) -> Vec<[f32; 2]> {
        let (mut left, mut right) =
            (left.to_vec(), left.iter().map(|x| 0.5 * x).collect::<Vec<_>>());
        for (l, r) in left.chunks_mut(portion).zip(right.chunks_mut(portion)) {
            limiter.process(l, r, is_on);
        }
        left.into_iter().zip(right).map(|(l, r)| [l, r]).collect()
    }

    /// A decaying tone of `hz` Hz that begins at `peak`, after 100 samples of silence.
    fn tone(hz: f64, peak: f64) -> Vec<f32> {
        let sample = |n: u32| {
            let t = f64::from(n) / RATE;
            single(peak * (-3.0 * t).exp() * (std::f64::consts::TAU * hz * t).cos())
        };
        [0.0; 100].into_iter().chain((0..24_000).map(sample)).chain([0.0; 48_000]).collect()
    }

    #[test]
    fn no_sample_exceeds_the_ceiling_and_both_channels_keep_their_ratio() {
        for (hz, peak) in [(30.0, 4.0), (440.0, 1.1), (5_000.0, 30.0)] {
            for delay in [0, latency(RATE)] {
                let mut limiter = Limiter::new(RATE, delay);
                let out = limited(&mut limiter, &tone(hz, peak), 64, true);
                let loudest = out.iter().flatten().fold(0.0f32, |most, x| most.max(x.abs()));
                assert!(loudest <= CEILING && loudest > 0.8, "{hz} Hz, {delay}: {loudest}");
                let is_half = |[l, r]: &[f32; 2]| (0.5 * l - r).abs() < 1e-6;
                assert!(out.iter().all(is_half), "{hz} Hz");
                assert!(limiter.take_least() < 0.85 && limiter.take_least() == 1.0);
            }
        }
    }

    #[test]
    fn quiet_sound_is_delayed_and_otherwise_unchanged() {
        let delay = latency(RATE);
        assert_eq!(delay, 72);
        let quiet = tone(440.0, 0.89);
        for (sound, is_on) in [(&quiet, true), (&tone(440.0, 3.0), false)] {
            let mut limiter = Limiter::new(RATE, delay);
            let out = limited(&mut limiter, sound, 77, is_on);
            assert!(out.iter().skip(72).zip(sound).all(|(out, x)| out[0].to_bits() == x.to_bits()));
            assert_eq!(limiter.take_least(), 1.0);
        }
        // After a loud passage too, once the release is over.
        let mut limiter = Limiter::new(RATE, delay);
        limited(&mut limiter, &[3.0; 100], 64, true);
        limited(&mut limiter, &[0.1; 96_000], 64, true);
        limiter.take_least();
        let out = limited(&mut limiter, &quiet, 64, true);
        assert!(out.iter().skip(72).zip(&quiet).all(|(out, x)| out[0].to_bits() == x.to_bits()));
        assert_eq!(limiter.take_least(), 1.0);
    }

    #[test]
    fn portions_and_earlier_silence_do_not_change_a_sample() {
        let sound = tone(100.0, 5.0);
        let run = |portion| limited(&mut Limiter::new(RATE, 72), &sound, portion, true);
        let whole = run(sound.len());
        assert!([1, 7, 64, 1000].iter().all(|portion| run(*portion) == whole));
        let mut limiter = Limiter::new(RATE, 72);
        limited(&mut limiter, &[0.0; 12_345], 64, true);
        assert!(limited(&mut limiter, &sound, 64, true) == whole);
        limiter.reset();
        assert!(limiter.is_silent() && limited(&mut limiter, &sound, 64, true) == whole);
    }

    /// A gain that fell within a sample would add −20 dB of clicks; the ramp's are 1.5 ms long.
    #[test]
    fn the_gain_has_no_step() {
        let mut steady = vec![0.5_f32; 4_000];
        steady[2_000] = 5.0;
        let out = limited(&mut Limiter::new(RATE, 72), &steady, 64, true);
        let gain: Vec<f32> = out.iter().skip(72).map(|[l, _]| *l / 0.5).collect();
        let step = |w: &[f32]| (w[1] - w[0]).abs();
        let steepest = gain[..1_999].windows(2).map(step).fold(0.0, f32::max);
        assert!(steepest < 1.1 / 72.0, "{steepest}");
    }

    #[test]
    fn the_release_takes_its_time_and_the_delay_ends() {
        let mut limiter = Limiter::new(RATE, 72);
        limited(&mut limiter, &[1.782; 500], 64, true);
        let later = limited(&mut limiter, &[0.5; 60_000], 64, true);
        let gain = |n: usize| f64::from(later[n][0]) / 0.5;
        // 0.5 + 0.5 (1 − e^(−t/τ)), after the delay and half the attack.
        let after = floor_index(RELEASE * RATE) + 72 + 36;
        assert!((gain(after) - (1.0 - 0.5 * (-1f64).exp())).abs() < 5e-3, "{}", gain(after));
        assert!(!limiter.is_silent());
        let rest = limited(&mut limiter, &[0.0; 73], 64, true);
        assert!(rest[71][0] == 0.5 && rest[72][0] == 0.0 && limiter.is_silent());
    }
}
