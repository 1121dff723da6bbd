//! The last stage: the level, changed without clicks, and the fade of a sound that is cut off.
//!
//! Without the output guard, samples above −1 dBFS are compressed before the level, so that none exceeds it;
//! with the guard they pass, and the limiter of the event scheduler follows.
//!
//! Level: one-pole ramp, gain ← gain + c (target − gain), c = 1 − exp(−1/(τ f)), every sample.

use touchback_core::math::cast::{floor_index, single};
use touchback_core::math::pages;
use touchback_core::math::power::square;

/// Time constant of the level ramp, s. Chosen: a step of 20 dB changes the level by less than
/// 0.2 % per sample at 48 kHz, and a fader is followed without audible lag.
const RAMP: f64 = 0.01;
/// Distance at which the ramp has arrived: −120 dB of full scale, which also keeps denormals out.
const ARRIVED: f64 = 1e-6;
/// Length of the fade of a cut-off sound, s. Chosen: short enough to sound immediate; a raised
/// cosine of 3 ms has its energy below 1 kHz, so that it does not click.
const FADE: f64 = 0.003;

/// Level up to which the soft clip changes nothing (−1 dBFS).
const KNEE: f32 = 0.891;

/// Soft clip: identity up to −1 dBFS, smoothly limited below 1 above.
fn soft_clip(x: f32) -> f32 {
    let over = x.abs() - KNEE;
    if over <= 0.0 {
        return x;
    }
    let room = 1.0 - KNEE;
    (KNEE + room * over / (room + over)).copysign(x)
}

/// Present values of the MIDI controllers of level and balance: channel volume and expression 0…1, pan
/// 0 left … ½ middle … 1 right.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Mix {
    /// Controller 7.
    pub volume: f64,
    /// Controller 11.
    pub expression: f64,
    /// Controller 10.
    pub pan: f64,
}

impl Mix {
    /// The controllers' defaults: full level, middle.
    pub(crate) const PLAIN: Self = Self { volume: 1.0, expression: 1.0, pan: 0.5 };

    /// Gains of both channels: (volume · expression)², which is the 40 log10 dB of General MIDI 2,
    /// and a balance that attenuates the far side only.
    fn gains(self) -> [f64; 2] {
        let level = square(self.volume.clamp(0.0, 1.0) * self.expression.clamp(0.0, 1.0));
        let pan = self.pan.clamp(0.0, 1.0);
        [level * (2.0 - 2.0 * pan).min(1.0), level * (2.0 * pan).min(1.0)]
    }
}

/// Gain ramp of one channel.
#[derive(Clone, Copy, Debug)]
struct Ramp {
    gain: f64,
    target: f64,
}

impl Ramp {
    /// Scales the next samples.
    fn apply(&mut self, share: f64, samples: &mut [f32]) {
        let mut from = 0;
        while self.gain != self.target && from < samples.len() {
            self.gain += share * (self.target - self.gain);
            if (self.target - self.gain).abs() <= ARRIVED {
                self.gain = self.target;
            }
            samples[from] = single(f64::from(samples[from]) * self.gain);
            from += 1;
        }
        if self.gain != 1.0 {
            for sample in &mut samples[from..] {
                *sample = single(f64::from(*sample) * self.gain);
            }
        }
    }
}

/// Output level of both channels.
#[derive(Clone, Debug)]
pub struct OutputLevel {
    ramps: [Ramp; 2],
    share: f64,
    /// A limiter follows.
    is_guarded: bool,
}

impl OutputLevel {
    /// Both channels at `level_db` dB, without a ramp, guarded.
    pub fn new(sample_rate: f64, level_db: f64) -> Self {
        let share = -libm::expm1(-1.0 / (RAMP * sample_rate));
        let mut level =
            Self { ramps: [Ramp { gain: 1.0, target: 1.0 }; 2], share, is_guarded: true };
        level.aim(level_db, Mix::PLAIN);
        level.settle();
        level
    }

    /// Begins a ramp to `level_db` under `mix`; −∞ is silence, a level that is NaN or +∞ is ignored.
    pub fn aim(&mut self, level_db: f64, mix: Mix) {
        let level = libm::pow(10.0, level_db / 20.0);
        for (ramp, gain) in self.ramps.iter_mut().zip(mix.gains()) {
            if (level * gain).is_finite() {
                ramp.target = level * gain;
            }
        }
    }

    /// Leaves peaks to a limiter that follows.
    pub const fn guard(&mut self, is_guarded: bool) {
        self.is_guarded = is_guarded;
    }

    /// Ends the ramps.
    pub fn settle(&mut self) {
        self.ramps.iter_mut().for_each(|ramp| ramp.gain = ramp.target);
    }

    /// Scales the next samples.
    pub fn apply(&mut self, left: &mut [f32], right: &mut [f32]) {
        for (ramp, channel) in self.ramps.iter_mut().zip([left, right]) {
            if !self.is_guarded {
                channel.iter_mut().for_each(|x| *x = soft_clip(*x));
            }
            ramp.apply(self.share, channel);
        }
    }
}

/// Fade-out of a sound that was cut off, mixed over the following sound.
#[derive(Debug)]
pub struct FadeOut {
    left: Vec<f32>,
    right: Vec<f32>,
    fresh_left: Vec<f32>,
    fresh_right: Vec<f32>,
    /// Index of the next sample to be mixed; the length at the end of the fade.
    next: usize,
}

impl FadeOut {
    /// No fade in progress. Allocates; nothing else here does.
    pub fn new(sample_rate: f64) -> Self {
        let length = floor_index(FADE * sample_rate) + 1;
        let silence = || pages::filled(0.0, length);
        Self {
            left: silence(),
            right: silence(),
            fresh_left: silence(),
            fresh_right: silence(),
            next: length,
        }
    }

    /// Length of a fade, samples.
    pub fn len(&self) -> usize {
        self.left.len()
    }

    /// Ends the fade.
    pub fn clear(&mut self) {
        self.next = self.left.len();
    }

    /// Fades the next samples of `sound`, and the rest of an earlier fade.
    pub fn take(&mut self, sound: impl FnOnce(&mut [f32], &mut [f32])) {
        let mut left = std::mem::take(&mut self.fresh_left);
        let mut right = std::mem::take(&mut self.fresh_right);
        sound(&mut left, &mut right);
        self.mix(&mut left, &mut right);
        let length = left.len() as f64;
        for (i, (l, r)) in left.iter_mut().zip(&mut right).enumerate() {
            let phase = std::f64::consts::PI * (i as f64 + 1.0) / length;
            let gain = single(0.5 + 0.5 * libm::cos(phase));
            *l *= gain;
            *r *= gain;
        }
        self.fresh_left = std::mem::replace(&mut self.left, left);
        self.fresh_right = std::mem::replace(&mut self.right, right);
        self.next = 0;
    }

    /// Adds the next samples of the fade.
    pub fn mix(&mut self, left: &mut [f32], right: &mut [f32]) {
        let count = left.len().min(self.left.len() - self.next);
        let range = self.next..self.next + count;
        for (out, fade) in left.iter_mut().zip(&self.left[range.clone()]) {
            *out += fade;
        }
        for (out, fade) in right.iter_mut().zip(&self.right[range]) {
            *out += fade;
        }
        self.next += count;
    }

    /// Whether the fade is over.
    pub fn is_over(&self) -> bool {
        self.next == self.left.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_arrives_exactly_and_without_a_step() {
        let mut level = OutputLevel::new(48_000.0, 0.0);
        level.aim(-20.0, Mix::PLAIN);
        let (mut left, mut right) = (vec![1.0_f32; 9600], vec![1.0_f32; 9600]);
        for (l, r) in left.chunks_mut(7).zip(right.chunks_mut(7)) {
            level.apply(l, r);
        }
        let steepest = left.windows(2).map(|w| (w[1] - w[0]).abs()).fold(1.0 - left[0], f32::max);
        assert!(steepest < 0.002, "{steepest}");
        assert_eq!((left[9599], right[9599]), (0.1, 0.1));
        assert!((left[479] - (0.1 + 0.9 * (-1_f32).exp())).abs() < 1e-4, "time constant");
    }

    #[test]
    fn the_soft_clip_is_transparent_below_its_knee_and_bounded_above() {
        for i in 0..=891_u16 {
            let x = f32::from(i) / 1000.0;
            assert_eq!(soft_clip(x).to_bits(), x.to_bits());
            assert_eq!(soft_clip(-x).to_bits(), (-x).to_bits());
        }
        assert!(soft_clip(1e6) <= 1.0 && soft_clip(2.0) < soft_clip(3.0) && soft_clip(-9.0) > -1.0);
    }

    #[test]
    fn peaks_are_bounded_by_the_level_or_left_to_the_guard() {
        for (is_guarded, peak) in [(true, 7.962), (false, 3.981 * soft_clip(2.0))] {
            let mut level = OutputLevel::new(48_000.0, 12.0);
            level.guard(is_guarded);
            let (mut left, mut right) = ([2.0, -2.0], [0.1, f32::MIN_POSITIVE]);
            level.apply(&mut left, &mut right);
            assert!((left[0] - peak).abs() < 1e-3 && left[1] == -left[0]);
            assert!((right[0] - 0.3981).abs() < 1e-4);
        }
    }

    #[test]
    fn silence_is_reached_and_invalid_levels_are_ignored() {
        let mut level = OutputLevel::new(44_100.0, f64::NEG_INFINITY);
        assert_eq!(level.ramps[0].gain, 0.0);
        for level_db in [f64::NAN, f64::INFINITY, 1e9] {
            level.aim(level_db, Mix::PLAIN);
            assert_eq!(level.ramps[1].target, 0.0);
        }
        level.aim(0.0, Mix::PLAIN);
        level.settle();
        level.aim(f64::NEG_INFINITY, Mix::PLAIN);
        let (mut left, mut right) = (vec![1.0_f32; 44_100], vec![1.0_f32; 44_100]);
        level.apply(&mut left, &mut right);
        assert_eq!(left[44_099], 0.0);
        assert!(left.iter().all(|s| *s == 0.0 || s.is_normal()));
    }

    #[test]
    fn controllers_of_level_and_balance_follow_their_laws() {
        assert_eq!(Mix::PLAIN.gains(), [1.0, 1.0]);
        let mix = |volume, expression, pan| Mix { volume, expression, pan }.gains();
        // 40 log10(64/127) dB.
        let half = 64.0 / 127.0;
        assert!((20.0 * mix(half, 1.0, 0.5)[0].log10() + 11.905).abs() < 1e-3);
        assert_eq!(mix(half, 1.0, 0.5), mix(1.0, half, 0.5));
        assert_eq!(mix(1.0, 1.0, 0.0), [1.0, 0.0]);
        assert_eq!(mix(1.0, 1.0, 1.0), [0.0, 1.0]);
        assert_eq!(mix(1.0, 1.0, 0.75), [0.5, 1.0]);
        assert_eq!(mix(0.0, 1.0, 0.5), [0.0, 0.0]);
    }

    #[test]
    fn a_cut_sound_fades_and_a_second_cut_continues_the_first_fade() {
        let mut fade = FadeOut::new(48_000.0);
        fade.take(|l, r| {
            l.fill(1.0);
            r.fill(-1.0);
        });
        let (mut left, mut right) = ([0.0_f32; 50], [0.0_f32; 50]);
        fade.mix(&mut left, &mut right);
        assert!(left[0] > 0.999 && right[0] < -0.999);
        // The second cut continues the first fade.
        fade.take(|l, r| {
            l.fill(0.0);
            r.fill(0.0);
        });
        let (mut later, mut other) = ([0.0_f32; 200], [0.0_f32; 200]);
        fade.mix(&mut later, &mut other);
        let line: Vec<f32> = left.iter().chain(&later).copied().collect();
        assert!(line.windows(2).all(|w| w[1] <= w[0] && w[0] - w[1] < 0.02));
        assert_eq!(later[199], 0.0);
        assert!(fade.is_over());
    }
}
