//! Phrases played through the scheduler of the plugin: the analysis of one (level, centroid, decay, delays),
//! and the level of a soft and of a loud one.

use anyhow::{Context, Result, anyhow};

use crate::render::loudness::Loudness;
use touchback_core::exchange::cancel;
use touchback_core::files::samples::Level;
use touchback_core::math::cast::{floor_index, rounded_i32};
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::power::square;
use touchback_instrument::host::midi::{Address, InputMessage};
use touchback_instrument::play::event_scheduler::{EventScheduler, Host};
use touchback_instrument::play::record::StrikeRecord;
use touchback_instrument::settings::{Switch, Timing};
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

/// The loud phrase: fortissimo chords and octaves under a held pedal, as dense as the climax of a concert
/// piece. Time, s, velocity, MIDI notes; each chord is held until the next.
const CHORDS: [(f64, u8, &[u8]); 8] = [
    (0.25, 86, &[36, 43, 60, 64, 67, 72]),
    (0.55, 83, &[31, 43, 59, 62, 67, 74]),
    (0.85, 88, &[33, 45, 60, 64, 69, 76]),
    (1.10, 90, &[29, 41, 60, 65, 69, 77]),
    (1.35, 91, &[31, 43, 62, 65, 71, 79]),
    (1.50, 93, &[31, 43, 65, 71, 74, 83]),
    (1.65, 94, &[24, 36, 64, 67, 72, 84]),
    (1.95, 96, &[24, 36, 67, 72, 76, 88]),
];

/// Times at which the pedal of the loud phrase is pressed and let go, s.
const HELD: [f64; 2] = [0.30, 2.5];

/// Factor of the velocities of the soft phrase.
const SOFT: f64 = 0.6;

/// Level of a phrase.
#[derive(Clone, Copy, Debug)]
pub struct PhraseLevel {
    /// Integrated loudness, LUFS.
    pub loudness: f64,
    /// Largest magnitude, dBFS.
    pub peak: f64,
}

impl PhraseLevel {
    fn of(played: &[Vec<f32>; 2]) -> Result<Self> {
        let mut loudness = Loudness::new(RATE)?;
        loudness.add(&played[0], &played[1])?;
        let mut level = Level::default();
        played.iter().flatten().for_each(|x| level.add(*x));
        Ok(Self { loudness: loudness.lufs(), peak: level.peak_dbfs() })
    }
}

/// Levels of the soft and of the loud phrase, without the output guard.
///
/// # Errors
/// A rate that the loudness meter refuses.
pub fn soft_and_loud(settings: &Settings) -> Result<[PhraseLevel; 2]> {
    let piano = Settings { output_guard: Switch::Off, ..settings.clone() };
    let mut loud = Vec::new();
    for (i, (seconds, velocity, notes)) in CHORDS.iter().enumerate() {
        let end = CHORDS.get(i + 1).map_or(SECONDS - 0.1, |next| next.0);
        for note in *notes {
            loud.push((*seconds, *note, f64::from(*velocity) / 127.0, end - seconds));
        }
    }
    let pedal = [(HELD[0], 64, 1.0), (HELD[1], 64, 0.0)];
    let soft = perform(&piano, &scaled(SOFT), &CONTROLLERS)?.channels;
    let loud = perform(&piano, &loud, &pedal)?.channels;
    Ok([PhraseLevel::of(&soft)?, PhraseLevel::of(&loud)?])
}

/// A note: time, s, MIDI note, velocity 0…1, duration, s.
type Note = (f64, u8, f64, f64);

/// The notes of the phrase with every velocity scaled by `touch`.
fn scaled(touch: f64) -> Vec<Note> {
    let note = |(seconds, note, velocity, held): &(f64, u8, u8, f64)| {
        (*seconds, *note, (f64::from(*velocity) * touch / 127.0).min(1.0), *held)
    };
    NOTES.iter().map(note).collect()
}

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

/// What a scheduler gave.
struct Performance {
    /// Left and right from the beginning of the phrase.
    channels: [Vec<f32>; 2],
    strikes: Vec<StrikeRecord>,
    /// Latency of the strikes, s.
    latency: f64,
}

/// Plays `notes` and `controllers` (time, s, number, value).
fn perform(
    settings: &Settings,
    notes: &[Note],
    controllers: &[(f64, u8, f64)],
) -> Result<Performance> {
    let mut scheduler = EventScheduler::new(Piano::new(f64::from(RATE), settings));
    let latency = usize::try_from(scheduler.latency()).context("latency")?;
    let mut messages = Vec::new();
    for &(seconds, note, velocity, held) in notes {
        messages.push((at(seconds), InputMessage::NoteOn { channel: 0, note, id: None, velocity }));
        let off = InputMessage::NoteOff { to: Address::note(0, note), velocity: 0.5 };
        messages.push((at(seconds + held), off));
    }
    for &(seconds, number, value) in controllers {
        messages.push((at(seconds), InputMessage::Controller { channel: 0, number, value }));
    }
    messages.sort_by_key(|(at, _)| *at);
    let length = latency + at(SECONDS);
    let (mut left, mut right) = (vec![0.0_f32; length], vec![0.0_f32; length]);
    let mut feed = Feed { messages, next: 0, from: 0, to: 0, strikes: Vec::new() };
    for (l, r) in left.chunks_mut(512).zip(right.chunks_mut(512)) {
        cancel::check();
        feed.to = feed.from + l.len();
        scheduler.process(l, r, &mut feed);
        feed.from = feed.to;
    }
    Ok(Performance {
        channels: [left.split_off(latency), right.split_off(latency)],
        strikes: feed.strikes,
        latency: scheduler.event_latency() as f64 / f64::from(RATE),
    })
}

/// Plays the phrase with every velocity scaled by `touch`.
///
/// # Errors
/// Silence, which has no loudness or centroid.
pub fn play(settings: &Settings, touch: f64) -> Result<PhraseAnalysis> {
    let played = perform(settings, &scaled(touch), &CONTROLLERS)?;
    let samples = played.channels.concat();
    Ok(PhraseAnalysis {
        level: PhraseLevel::of(&played.channels)?.loudness,
        centroid: centroid(&samples)?,
        decay: decay(&played.channels[0]),
        delays: delays(&played.strikes, settings, played.latency),
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
    let plan = touchback_sound::signal::fourier::forward(samples.len());
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
