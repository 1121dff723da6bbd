//! Plays a score, or a servo's log, on a piano in blocks.

use std::ops::Range;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::controls::{AUTOMATION_PERIOD, Automation};
use crate::key_motion::KeyMotion;
use crate::midi::Score;
use crate::output::progress;
use crate::wave::Tail;
use touchback_action::TimedEvent;
use touchback_core::math::cast::floor_index;
use touchback_haptics::recording::{Entries, Recording};
use touchback_haptics::replay::Replay;
use touchback_instrument::event_scheduler::{EventScheduler, Host};
use touchback_instrument::look_ahead::Lateness;
use touchback_instrument::midi::InputMessage;
use touchback_instrument::record::{Counts, StrikeRecord};
use touchback_instrument::{Event, Piano, Settings};

/// Most log entries read at once: a damaged log may have millions at one step.
const AT_ONCE: usize = 4_096;

/// A servo's log that is played as it is read.
struct LogReplay {
    replay: Replay,
    entries: Entries,
    /// Last sample.
    last: u64,
}

/// Recorded motion of keys that is played row by row.
struct KeyReplay<'a> {
    motion: &'a KeyMotion,
    /// Index of the next row.
    next: usize,
}

/// One rendering.
pub(super) struct Player<'a> {
    scheduler: EventScheduler,
    score: &'a Score,
    base: Settings,
    automation: &'a Automation,
    rate: u32,
    /// Samples played.
    at: u64,
    /// Index of the score's next event.
    next: usize,
    log: Option<LogReplay>,
    keys: Option<KeyReplay<'a>>,
    strikes: Vec<StrikeRecord>,
    wall: Duration,
    worst: f64,
}

impl<'a> Player<'a> {
    pub(super) fn new(
        piano: Piano,
        score: &'a Score,
        base: Settings,
        automation: &'a Automation,
        rate: u32,
    ) -> Self {
        Self {
            scheduler: EventScheduler::new(piano),
            score,
            base,
            automation,
            rate,
            at: 0,
            next: 0,
            log: None,
            keys: None,
            strikes: Vec::new(),
            wall: Duration::ZERO,
            worst: 0.0,
        }
    }

    /// Adds a servo's log to the score.
    pub(super) fn add_log(&mut self, recording: &Recording) -> Result<()> {
        let rate = f64::from(self.rate);
        let last = floor_index(recording.length() * rate) as u64;
        let replay = Replay::supplied(recording.action()?, rate);
        self.log = Some(LogReplay { replay, entries: recording.entries()?, last });
        Ok(())
    }

    /// Adds recorded motion of keys to the score.
    pub(super) const fn add_keys(&mut self, motion: &'a KeyMotion) {
        self.keys = Some(KeyReplay { motion, next: 0 });
    }

    /// The sample nearest to `seconds`.
    fn sample(&self, seconds: f64) -> u64 {
        floor_index((seconds * f64::from(self.rate)).round()) as u64
    }

    /// Begins the rows due at the present sample. Returns the sample of the next row.
    fn begin_rows(&mut self) -> Option<u64> {
        loop {
            let KeyReplay { motion, next } = self.keys.as_ref()?;
            let (motion, row) = (*motion, *next);
            let due = self.sample(*motion.times.get(row)?);
            if due > self.at {
                return Some(due);
            }
            motion.events(row, |event| self.scheduler.haptic(event));
            if let Some(keys) = &mut self.keys {
                keys.next = row + 1;
            }
        }
    }

    /// Plays to the end of the tail; `out` receives the frames in order.
    pub(super) fn play(
        &mut self,
        block: usize,
        mut out: impl FnMut(&[f32], &[f32]) -> Result<()>,
    ) -> Result<()> {
        let start = Instant::now();
        let last = self.score.events.last().map_or(0, |(t, _)| self.score.sample(*t, self.rate));
        let last = last.max(self.log.as_ref().map_or(0, |log| log.last));
        let last = last.max(self.keys.as_ref().map_or(0, |keys| self.sample(keys.motion.end())));
        // The first `latency` samples are silent and are not written.
        let latency = self.scheduler.latency();
        let mut tail = Tail::new(last + latency, self.rate);
        let mut early = usize::try_from(latency)?;
        let bar = progress(last.max(1), "rendering");
        let (mut left, mut right) = (vec![0.0; block], vec![0.0; block]);
        loop {
            let began = Instant::now();
            self.block(&mut left, &mut right)?;
            let share = began.elapsed().as_secs_f64() * f64::from(self.rate) / block as f64;
            self.worst = self.worst.max(share);
            let end = tail.end(&left, &right);
            let frames = end.unwrap_or(block);
            let skipped = early.min(frames);
            early -= skipped;
            if skipped < frames {
                out(&left[skipped..frames], &right[skipped..frames])?;
            }
            bar.set_position(self.at.min(last));
            if end.is_some() {
                self.at -= (block - frames) as u64;
                break;
            }
        }
        let seconds = self.scheduler.event_latency() as f64 / f64::from(self.rate);
        for strike in &mut self.strikes {
            strike.time -= seconds;
            strike.note_on -= seconds;
        }
        bar.finish_and_clear();
        self.wall = start.elapsed();
        Ok(())
    }

    /// Plays one block, split at automation values; the scheduler splits it at messages.
    fn block(&mut self, left: &mut [f32], right: &mut [f32]) -> Result<()> {
        let end = self.at + left.len() as u64;
        if let Some(LogReplay { replay, entries, .. }) = &mut self.log {
            let scheduler = &mut self.scheduler;
            let latency = scheduler.event_latency() as f64;
            loop {
                let mut read = 0;
                while read < AT_ONCE && replay.needs_entries(self.at, left.len()) {
                    let Some(entry) = entries.next().transpose()? else { break };
                    replay.supply(entry);
                    read += 1;
                }
                replay.block(self.at, left.len(), |ahead: f64, what: &TimedEvent| {
                    scheduler.haptic(Event::haptic(what, ahead + latency));
                });
                if read < AT_ONCE {
                    break;
                }
            }
        }
        let mut from = 0;
        while self.at < end {
            let mut until = end;
            if !self.automation.is_empty() {
                self.automate();
                until = until.min((self.at / AUTOMATION_PERIOD + 1) * AUTOMATION_PERIOD);
            }
            if let Some(row) = self.begin_rows() {
                until = until.min(row);
            }
            // Both ends lie inside this block.
            let to = from + usize::try_from(until - self.at).unwrap_or(left.len() - from);
            let Self { scheduler, score, next, strikes, rate, at, .. } = self;
            let mut host = ScoreHost { score, next, strikes, rate: *rate, span: *at..until };
            scheduler.process(&mut left[from..to], &mut right[from..to], &mut host);
            (self.at, from) = (until, to);
        }
        Ok(())
    }

    /// Applies the automation's settings at the current sample.
    fn automate(&mut self) {
        if self.at.is_multiple_of(AUTOMATION_PERIOD) {
            let settings = self.automation.at(&self.base, self.at as f64 / f64::from(self.rate));
            if settings != *self.scheduler.settings() {
                self.scheduler.set(&settings);
            }
        }
    }

    pub(super) fn strikes(&self) -> &[StrikeRecord] {
        &self.strikes
    }

    /// Notes outside the compass.
    pub(super) const fn ignored_notes(&self) -> u64 {
        self.scheduler.ignored().outside
    }

    pub(super) fn counts(&self) -> Counts {
        self.scheduler.counts()
    }

    /// Notes that look-ahead could not sound in time.
    pub(super) fn lateness(&self) -> Lateness {
        self.scheduler.lateness()
    }

    pub(super) fn real_time_factor(&self) -> f64 {
        self.at as f64 / f64::from(self.rate) / self.wall.as_secs_f64().max(1e-9)
    }

    pub(super) const fn worst_block_share(&self) -> f64 {
        self.worst
    }
}

/// Sends the score's messages in the samples `span` and collects the strikes.
struct ScoreHost<'a> {
    score: &'a Score,
    /// Index of the score's next event.
    next: &'a mut usize,
    strikes: &'a mut Vec<StrikeRecord>,
    rate: u32,
    span: Range<u64>,
}

impl Host for ScoreHost<'_> {
    fn next(&mut self) -> Option<(u32, InputMessage)> {
        let (time, message) = self.score.events.get(*self.next)?;
        let sample = self.score.sample(*time, self.rate);
        if sample >= self.span.end {
            return None;
        }
        *self.next += 1;
        let offset = sample.saturating_sub(self.span.start);
        Some((u32::try_from(offset).unwrap_or(u32::MAX), *message))
    }

    fn rendered(&mut self, piano: &Piano, _begin: u64) {
        self.strikes.extend_from_slice(piano.strikes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::tests::recording::{played, text};

    #[test]
    fn a_log_renders_the_same_in_any_block_size() {
        let written = text(&played().0);
        let (score, automation) = (Score::empty(), Automation::default());
        let rendered = [64, 1000].map(|block| {
            let settings = Settings::default();
            let piano = Piano::new(48_000.0, &settings);
            let mut player = Player::new(piano, &score, settings, &automation, 48_000);
            player.add_log(&Recording::read("servo.log", written.as_bytes()).unwrap()).unwrap();
            let mut samples = Vec::new();
            let out = |left: &[f32], right: &[f32]| {
                samples.extend(left.iter().zip(right).map(|(l, r)| [l.to_bits(), r.to_bits()]));
                Ok(())
            };
            player.play(block, out).unwrap();
            assert!(player.counts().strikes > 3);
            samples
        });
        // The tail ends with a block.
        let common = rendered[0].len().min(rendered[1].len());
        assert!(common > 48_000 && rendered[0][..common] == rendered[1][..common]);
    }
}
