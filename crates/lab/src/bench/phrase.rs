//! One phrase played through the scheduler of the plugin, and its analysis: level, centroid, decay, delays.

use anyhow::{Context, Result, anyhow};

use crate::render::loudness::Loudness;
use touchback_core::math::cast::{floor_index, rounded_i32};
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::power::square;
use touchback_instrument::event_scheduler::{EventScheduler, Host};
use touchback_instrument::midi::{Address, InputMessage};
use touchback_instrument::record::StrikeRecord;
use touchback_instrument::settings::Timing;
use touchback_instrument::{Piano, Settings};

/// Sample rate, Hz; enough for all partials that matter to level and timbre.
pub const RATE: u32 = 24_000;

/// Length of the phrase, s, and the interval in which its last chord decays, s.
const SECONDS: f64 = 2.6;
const DECAYS: [f64; 2] = [1.5, 2.25];

/// Level drop that defines the decay time, dB, and the window of its levels, s.
const FALL: f64 = 15.0;
const WINDOW: f64 = 0.05;

/// The notes: time, s, MIDI note, velocity, duration, s. Soft, medium and loud notes, a fast repetition,
/// and a chord that sustains under the pedal.
const NOTES: [(f64, u8, u8, f64); 9] = [
    (0.25, 60, 40, 0.20),
    (0.45, 67, 64, 0.15),
    (0.62, 67, 70, 0.15),
    (0.79, 67, 76, 0.11),
    (0.90, 43, 90, 0.20),
    (1.10, 79, 100, 0.15),
    (1.30, 36, 80, 1.00),
    (1.30, 64, 60, 1.00),
    (1.30, 84, 70, 1.00),
];

/// The controllers: time, s, number, value. The sustain pedal holds the chord; no soft pedal.
const CONTROLLERS: [(f64, u8, f64); 2] = [(1.32, 64, 1.0), (2.3, 64, 0.0)];

/// The analysis of the phrase.
pub struct PhraseAnalysis {
    /// The left channel, then the right, from the beginning of the phrase.
    pub samples: Vec<f32>,
    /// Integrated loudness, LUFS.
    pub level: f64,
    /// Centroid of the power spectrum, Hz.
    pub centroid: f64,
    /// Time for the last chord to fall by 15 dB, s; NaN if it does not fall.
    pub decay: f64,
    /// Delay from each note to its strike, s, without the look-ahead latency; `None` without a strike.
    pub delays: Vec<Option<f64>>,
}

impl PhraseAnalysis {
    /// Number of notes with a strike.
    #[must_use]
    pub fn strikes(&self) -> usize {
        self.delays.iter().flatten().count()
    }
}

/// A host that sends `messages`, sorted by sample, to the block from sample `from` to `to`, and collects
/// strikes.
struct Feed {
    messages: Vec<(usize, InputMessage)>,
    next: usize,
    from: usize,
    to: usize,
    strikes: Vec<StrikeRecord>,
}

impl Host for Feed {
    fn next(&mut self) -> Option<(u32, InputMessage)> {
        let (at, message) = self.messages.get(self.next).filter(|(at, _)| *at < self.to)?;
        self.next += 1;
        Some((u32::try_from(at - self.from).unwrap_or(0), *message))
    }

    fn rendered(&mut self, piano: &Piano, _begin: u64) {
        self.strikes.extend_from_slice(piano.strikes());
    }
}

/// The sample at `seconds` s.
fn at(seconds: f64) -> usize {
    floor_index((seconds * f64::from(RATE)).round())
}

/// Plays the phrase with every velocity scaled by `touch`.
///
/// # Errors
/// Silence, which has no loudness or centroid.
pub fn play(settings: &Settings, touch: f64) -> Result<PhraseAnalysis> {
    let mut scheduler = EventScheduler::new(Piano::new(f64::from(RATE), settings));
    let latency = usize::try_from(scheduler.latency()).context("latency")?;
    let mut messages = Vec::new();
    for (seconds, note, velocity, held) in NOTES {
        let velocity = (f64::from(velocity) * touch / 127.0).min(1.0);
        messages.push((at(seconds), InputMessage::NoteOn { channel: 0, note, id: None, velocity }));
        let off = InputMessage::NoteOff { to: Address::note(0, note), velocity: 0.5 };
        messages.push((at(seconds + held), off));
    }
    for (seconds, number, value) in CONTROLLERS {
        messages.push((at(seconds), InputMessage::Controller { channel: 0, number, value }));
    }
    messages.sort_by_key(|(at, _)| *at);
    let length = latency + at(SECONDS);
    let (mut left, mut right) = (vec![0.0_f32; length], vec![0.0_f32; length]);
    let mut feed = Feed { messages, next: 0, from: 0, to: 0, strikes: Vec::new() };
    for (l, r) in left.chunks_mut(512).zip(right.chunks_mut(512)) {
        feed.to = feed.from + l.len();
        scheduler.process(l, r, &mut feed);
        feed.from = feed.to;
    }
    let (left, right) = (&left[latency..], &right[latency..]);
    let mut loudness = Loudness::new(RATE)?;
    loudness.add(left, right)?;
    let samples = [left, right].concat();
    Ok(PhraseAnalysis {
        level: loudness.lufs(),
        centroid: centroid(&samples)?,
        decay: decay(left),
        delays: delays(&feed.strikes, settings, latency as f64 / f64::from(RATE)),
        samples,
    })
}

/// Delay from each note to its strike, s.
fn delays(strikes: &[StrikeRecord], settings: &Settings, latency: f64) -> Vec<Option<f64>> {
    let transposed = rounded_i32(settings.midi.transpose);
    let delay = |(seconds, note, ..): &(f64, u8, u8, f64)| {
        let key =
            u8::try_from(i32::from(*note) + transposed).ok().and_then(KeyNumber::from_midi)?;
        let of_note = |strike: &&StrikeRecord| {
            strike.key == key
                && match settings.touch.timing {
                    // The press begins before the note; the strike follows within 0.11 s.
                    Timing::LookAhead => (-0.06..0.11).contains(&(strike.time - latency - seconds)),
                    _ => (strike.note_on - seconds).abs() < 1e-3,
                }
        };
        strikes.iter().find(of_note).map(|strike| strike.time - latency - seconds)
    };
    NOTES.iter().map(delay).collect()
}

/// Centroid of the power spectrum, Hz.
fn centroid(samples: &[f32]) -> Result<f64> {
    let plan = touchback_sound::fourier::forward(samples.len());
    let (mut time, mut bins) = (samples.to_vec(), plan.make_output_vec());
    plan.process(&mut time, &mut bins).map_err(|error| anyhow!("{error}"))?;
    let width = f64::from(RATE) / samples.len() as f64;
    let (power, moment) = bins.iter().zip(0_u32..).fold((0.0, 0.0), |(power, moment), (bin, i)| {
        let p = f64::from(bin.norm_sqr());
        (power + p, moment + p * width * f64::from(i))
    });
    Ok(moment / power)
}

/// Root mean square, dBFS.
fn rms_db(samples: &[f32]) -> f64 {
    let power: f64 = samples.iter().map(|x| square(f64::from(*x))).sum();
    10.0 * libm::log10(power / samples.len().max(1) as f64)
}

/// Time to fall by [`FALL`], s, from a linear fit to the levels within [`DECAYS`].
fn decay(samples: &[f32]) -> f64 {
    let [begin, end] = DECAYS.map(at);
    let windows = samples[begin..end].chunks_exact(at(WINDOW));
    let levels: Vec<(f64, f64)> =
        windows.zip(0_u32..).map(|(part, i)| (WINDOW * f64::from(i), rms_db(part))).collect();
    let n = levels.len() as f64;
    let (mt, ml) = levels.iter().fold((0.0, 0.0), |(t, l), p| (t + p.0 / n, l + p.1 / n));
    let (covariance, variance) = levels
        .iter()
        .fold((0.0, 0.0), |(c, v), p| (c + (p.0 - mt) * (p.1 - ml), v + square(p.0 - mt)));
    let slope = covariance / variance;
    if slope < 0.0 { -FALL / slope } else { f64::NAN }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_core::math::cast::single;

    #[test]
    fn a_decay_of_30_db_per_second_takes_half_a_second_for_15_db() {
        let samples: Vec<f32> = (0..u32::try_from(at(SECONDS)).unwrap())
            .map(|i| {
                let t = f64::from(i) / f64::from(RATE);
                single(10f64.powf(-1.5 * t) * (std::f64::consts::TAU * 500.0 * t).sin())
            })
            .collect();
        assert!((decay(&samples) - 0.5).abs() < 1e-3, "{}", decay(&samples));
        let found = centroid(&samples).unwrap();
        assert!((found / 500.0 - 1.0).abs() < 0.02, "{found}");
    }
}
