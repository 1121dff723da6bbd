//! A score through a piano, in blocks split where something happens.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::haptics::recording::Recording;
use crate::haptics::replay::Replay;
use crate::instrument::midi::Midi;
use crate::instrument::piano::{Counts, StrikeRecord};
use crate::instrument::{Event, Piano, Settings};
use crate::lab::controls::{AUTOMATION_PERIOD, Automation};
use crate::lab::midi::Score;
use crate::lab::output::progress;
use crate::lab::wave::Tail;
use crate::math::cast::floor_index;

/// One rendering under way.
pub(super) struct Player<'a> {
    piano: Piano,
    midi: Midi,
    score: &'a Score,
    base: Settings,
    current: Settings,
    automation: &'a Automation,
    rate: u32,
    /// Samples played.
    at: u64,
    /// Next event of the score.
    next: usize,
    /// What was felt, and its last sample.
    felt: Option<(Replay, u64)>,
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
        let current = automation.at(&base, 0.0);
        Self {
            piano,
            midi: Midi::default(),
            score,
            base,
            current,
            automation,
            rate,
            at: 0,
            next: 0,
            felt: None,
            strikes: Vec::new(),
            wall: Duration::ZERO,
            worst: 0.0,
        }
    }

    /// Plays what was felt as well.
    pub(super) fn take(&mut self, take: Recording) -> Result<()> {
        let rate = f64::from(self.rate);
        let last = floor_index(take.length() * rate) as u64;
        let action = take.action()?;
        self.felt = Some((Replay::recorded(take.into_entries(), action, rate), last));
        Ok(())
    }

    /// Plays to the end of the tail; `out` receives the frames in order.
    pub(super) fn play(
        &mut self,
        block: usize,
        mut out: impl FnMut(&[f32], &[f32]) -> Result<()>,
    ) -> Result<()> {
        let start = Instant::now();
        let last = self.score.events.last().map_or(0, |(t, _)| self.score.sample(*t, self.rate));
        let last = last.max(self.felt.as_ref().map_or(0, |(_, last)| *last));
        let mut tail = Tail::new(last, self.rate);
        let bar = progress(last.max(1), "rendering");
        let (mut left, mut right) = (vec![0.0; block], vec![0.0; block]);
        loop {
            let began = Instant::now();
            self.block(&mut left, &mut right);
            let share = began.elapsed().as_secs_f64() * f64::from(self.rate) / block as f64;
            self.worst = self.worst.max(share);
            let end = tail.end(&left, &right);
            let frames = end.unwrap_or(block);
            out(&left[..frames], &right[..frames])?;
            bar.set_position(self.at.min(last));
            if end.is_some() {
                self.at -= (block - frames) as u64;
                break;
            }
        }
        bar.finish_and_clear();
        self.wall = start.elapsed();
        Ok(())
    }

    /// One block: split at events and at automation values.
    fn block(&mut self, left: &mut [f32], right: &mut [f32]) {
        let end = self.at + left.len() as u64;
        if let Some((replay, _)) = &mut self.felt {
            let piano = &mut self.piano;
            replay.block(self.at, left.len(), |ahead, what| piano.handle(Event::felt(what, ahead)));
        }
        let mut from = 0;
        while self.at < end {
            self.happen();
            let mut until = end;
            if let Some((time, _)) = self.score.events.get(self.next) {
                until = until.min(self.score.sample(*time, self.rate));
            }
            if !self.automation.is_empty() {
                until = until.min((self.at / AUTOMATION_PERIOD + 1) * AUTOMATION_PERIOD);
            }
            // Both ends lie inside this block.
            let to = from + usize::try_from(until - self.at).unwrap_or(left.len() - from);
            self.piano.process(&mut left[from..to], &mut right[from..to]);
            self.strikes.extend_from_slice(self.piano.strikes());
            (self.at, from) = (until, to);
        }
    }

    /// Everything due at the current sample.
    fn happen(&mut self) {
        if !self.automation.is_empty() && self.at.is_multiple_of(AUTOMATION_PERIOD) {
            let settings = self.automation.at(&self.base, self.at as f64 / f64::from(self.rate));
            if settings != self.current {
                self.piano.set(&settings);
                self.current = settings;
            }
        }
        while let Some((time, message)) = self.score.events.get(self.next) {
            if self.score.sample(*time, self.rate) > self.at {
                break;
            }
            let piano = &mut self.piano;
            self.midi.translate(message, &self.current, |event| piano.handle(event));
            self.next += 1;
        }
    }

    pub(super) fn strikes(&self) -> &[StrikeRecord] {
        &self.strikes
    }

    /// Notes outside the compass.
    pub(super) const fn ignored_notes(&self) -> u64 {
        self.midi.ignored().outside
    }

    pub(super) fn counts(&self) -> Counts {
        self.piano.counts()
    }

    pub(super) fn real_time_factor(&self) -> f64 {
        self.at as f64 / f64::from(self.rate) / self.wall.as_secs_f64().max(1e-9)
    }

    pub(super) const fn worst_block_share(&self) -> f64 {
        self.worst
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::rig::tests::recording::{played, text};

    #[test]
    fn what_was_felt_sounds_the_same_in_any_blocks() {
        let written = text(&played().0);
        let (score, automation) = (Score::empty(), Automation::default());
        let rendered = [64, 1000].map(|block| {
            let settings = Settings::default();
            let piano = Piano::new(48_000.0, &settings);
            let mut player = Player::new(piano, &score, settings, &automation, 48_000);
            player.take(Recording::read("servo.log", &written).unwrap()).unwrap();
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
