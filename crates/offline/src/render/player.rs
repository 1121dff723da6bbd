//! Plays a score, or a servo's log, on a piano in blocks.

use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};

use anyhow::Result;

use super::motion::MotionTable;
use crate::controls::{AUTOMATION_PERIOD, Automation};
use crate::key_motion::KeyMotion;
use crate::output::progress;
use crate::wave::Tail;
use touchback_action::TimedEvent;
use touchback_core::exchange::cancel;
use touchback_core::math::cast::floor_index;
use touchback_haptics::record::recording::{Entries, Recording};
use touchback_haptics::record::replay::Replay;
use touchback_instrument::host::midi::InputMessage;
use touchback_instrument::host::midi_file::{Cursor, Score};
use touchback_instrument::play::event_scheduler::{EventScheduler, Host};
use touchback_instrument::play::look_ahead::Lateness;
use touchback_instrument::play::pipeline::Rear;
use touchback_instrument::play::record::{Counts, EventRecord, StrikeRecord};
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
    cursor: Cursor,
    log: Option<LogReplay>,
    keys: Option<KeyReplay<'a>>,
    strikes: Vec<StrikeRecord>,
    events: Vec<EventRecord>,
    motion: Option<MotionTable<'a>>,
    /// Whether progress is shown.
    has_bar: bool,
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
            cursor: Cursor::default(),
            log: None,
            keys: None,
            strikes: Vec::new(),
            events: Vec::new(),
            motion: None,
            has_bar: true,
            wall: Duration::ZERO,
            worst: 0.0,
        }
    }

    /// Adds a servo's log to the score.
    pub(super) fn add_log(&mut self, recording: &Recording) -> Result<()> {
        let rate = f64::from(self.rate);
        let last = floor_index(recording.length() * rate) as u64;
        let replay = Replay::supplied(recording.action()?, recording.settings(), rate);
        self.log = Some(LogReplay { replay, entries: recording.entries()?, last });
        Ok(())
    }

    /// Adds recorded motion of keys to the score.
    pub(super) const fn add_keys(&mut self, motion: &'a KeyMotion) {
        self.keys = Some(KeyReplay { motion, next: 0 });
    }

    /// Shows no progress of its own.
    pub(super) const fn hide_progress(&mut self) {
        self.has_bar = false;
    }

    /// Keeps the events of the action.
    pub(super) fn record_events(&mut self) {
        self.scheduler.piano().record_events();
    }

    /// Writes the motion of keys and hammers into `table`.
    pub(super) fn record_motion(&mut self, table: MotionTable<'a>) {
        self.motion = Some(table);
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
        out: impl FnMut(&[f32], &[f32]) -> Result<()>,
    ) -> Result<()> {
        let start = Instant::now();
        let mut sink = self.sink(out)?;
        let (mut left, mut right) = (vec![0.0; block], vec![0.0; block]);
        loop {
            cancel::check();
            let began = Instant::now();
            self.block(&mut left, &mut right)?;
            if sink.take(&left, &right, began.elapsed().as_secs_f64()) {
                break;
            }
        }
        self.finish(sink, start)
    }

    /// [`Self::play`] of a piano whose sound is rendered by `rear`, on two more threads.
    pub(super) fn play_ahead(
        &mut self,
        rear: Rear,
        block: usize,
        out: impl FnMut(&[f32], &[f32]) -> Result<()> + Send,
    ) -> Result<()> {
        let start = Instant::now();
        let mut sink = self.sink(out)?;
        let played = std::thread::scope(|scope| {
            let sink = &mut sink;
            let consumer = scope.spawn(move || {
                rear.run(|left, right, seconds| match sink.take(left, right, seconds) {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                });
            });
            let (mut left, mut right) = (vec![0.0; block], vec![0.0; block]);
            let played = loop {
                if cancel::is_requested() {
                    break Ok(());
                }
                let began = Instant::now();
                if let Err(error) = self.block(&mut left, &mut right) {
                    break Err(error);
                }
                // The tail has ended when nothing is received: no event comes later, so that the strikes are
                // complete.
                if !self.scheduler.piano().end_block(began.elapsed().as_secs_f64()) {
                    break Ok(());
                }
            };
            self.scheduler.piano().close();
            if let Err(panic) = consumer.join() {
                std::panic::resume_unwind(panic);
            }
            played
        });
        cancel::check();
        played?;
        self.finish(sink, start)
    }

    /// Receiver of the blocks; it passes the frames on to `out`.
    fn sink<F: FnMut(&[f32], &[f32]) -> Result<()>>(&self, out: F) -> Result<Sink<F>> {
        let last = self.score.events.last().map_or(0, |(t, _)| self.score.sample(*t, self.rate));
        let last = last.max(self.log.as_ref().map_or(0, |log| log.last));
        let last = last.max(self.keys.as_ref().map_or(0, |keys| self.sample(keys.motion.end())));
        // The first `latency` samples are silent and are not written.
        let latency = self.scheduler.latency();
        Ok(Sink {
            tail: Tail::new(last + latency, self.rate),
            early: usize::try_from(latency)?,
            last,
            rate: self.rate,
            at: 0,
            worst: 0.0,
            bar: match self.has_bar {
                true => progress(last.max(1), "rendering"),
                false => indicatif::ProgressBar::hidden(),
            },
            out,
            failed: Ok(()),
        })
    }

    /// Takes over what `sink` has counted since `start`.
    fn finish<F>(&mut self, sink: Sink<F>, start: Instant) -> Result<()> {
        let Sink { at, worst, bar, failed, .. } = sink;
        (self.at, self.worst) = (at, worst);
        let seconds = self.scheduler.event_latency() as f64 / f64::from(self.rate);
        for strike in &mut self.strikes {
            strike.time -= seconds;
            strike.note_on -= seconds;
        }
        self.events.iter_mut().for_each(|event| event.time -= seconds);
        bar.finish_and_clear();
        self.wall = start.elapsed();
        failed?;
        self.motion.as_mut().map_or(Ok(()), MotionTable::finish)
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
            if let Some(motion) = &mut self.motion {
                motion.record(self.at, self.scheduler.event_latency(), self.scheduler.piano())?;
                until = until.min(motion.next());
            }
            // Both ends lie inside this block.
            let to = from + usize::try_from(until - self.at).unwrap_or(left.len() - from);
            let Self { scheduler, score, cursor, strikes, events, rate, at, .. } = self;
            let (rate, span) = (*rate, *at..until);
            let mut host = ScoreHost { score, cursor, strikes, events, rate, span };
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

    /// Events of the action, if they were recorded.
    pub(super) fn events(&self) -> &[EventRecord] {
        &self.events
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

/// Receives the blocks of a rendering up to the end of its tail.
struct Sink<F> {
    tail: Tail,
    /// Samples of the latency that are still to be left out.
    early: usize,
    /// Sample of the last event.
    last: u64,
    rate: u32,
    /// Samples received.
    at: u64,
    /// Largest ratio of a block's computing time to its duration.
    worst: f64,
    bar: indicatif::ProgressBar,
    out: F,
    failed: Result<()>,
}

impl<F: FnMut(&[f32], &[f32]) -> Result<()>> Sink<F> {
    /// Takes a block that was computed in `seconds`. Returns whether the rendering ends in it, by its tail or
    /// by an error.
    fn take(&mut self, left: &[f32], right: &[f32], seconds: f64) -> bool {
        self.worst = self.worst.max(seconds * f64::from(self.rate) / left.len() as f64);
        let end = self.tail.end(left, right);
        let frames = end.unwrap_or(left.len());
        let skipped = self.early.min(frames);
        self.early -= skipped;
        if skipped < frames {
            self.failed = (self.out)(&left[skipped..frames], &right[skipped..frames]);
        }
        self.at += frames as u64;
        self.bar.set_position(self.at.min(self.last));
        end.is_some() || self.failed.is_err()
    }
}

/// Sends the score's messages in the samples `span` and collects the strikes.
struct ScoreHost<'a> {
    score: &'a Score,
    cursor: &'a mut Cursor,
    strikes: &'a mut Vec<StrikeRecord>,
    events: &'a mut Vec<EventRecord>,
    rate: u32,
    span: Range<u64>,
}

impl Host for ScoreHost<'_> {
    fn next(&mut self) -> Option<(u32, InputMessage)> {
        self.cursor.next(self.score, self.rate, &self.span)
    }

    fn rendered(&mut self, piano: &Piano, _begin: u64) {
        self.strikes.extend_from_slice(piano.strikes());
        self.events.extend_from_slice(piano.events());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::tests::recording::{played, text};
    use touchback_instrument::host::midi::Address;
    use touchback_instrument::settings::Timing;

    #[test]
    fn a_log_renders_the_same_in_any_block_size() {
        let written = text(&played().0);
        let (score, automation) = (Score::empty(), Automation::default());
        let rendered = [64, 1000].map(|block| {
            let settings = Settings::default();
            let piano = Piano::new(48_000.0, &settings);
            let mut player = Player::new(piano, &score, settings.clone(), &automation, 48_000);
            player.add_log(&Recording::read("servo.log", written.as_bytes()).unwrap()).unwrap();
            let mut samples = Vec::new();
            player.play(block, collect(&mut samples)).unwrap();
            assert!(player.counts().strikes > 3);
            samples
        });
        // The tail ends with a block.
        let common = rendered[0].len().min(rendered[1].len());
        assert!(common > 48_000 && rendered[0][..common] == rendered[1][..common]);
    }

    /// Appends the bits of the frames to `samples`.
    fn collect(samples: &mut Vec<[u32; 2]>) -> impl FnMut(&[f32], &[f32]) -> Result<()> + Send {
        |left: &[f32], right: &[f32]| {
            samples.extend(left.iter().zip(right).map(|(l, r)| [l.to_bits(), r.to_bits()]));
            Ok(())
        }
    }

    /// Chords under a pedal that is changed, controllers of level and balance, all sound off while strings
    /// ring, and after silence another volume and a note.
    fn score() -> Score {
        let mut score = Score { per_second: 100, ..Score::empty() };
        let mut add = |at: u128, message| score.events.push((at, message));
        let controller = |number, value| InputMessage::Controller { channel: 0, number, value };
        for i in 0..12u8 {
            let at = 7 * u128::from(i);
            for step in [0, 16, 43] {
                let (note, velocity) = (30 + i + step, 0.3 + 0.05 * f64::from(i));
                add(at, InputMessage::NoteOn { channel: 0, note, id: None, velocity });
                let to = Address::note(0, note);
                add(at + 5, InputMessage::NoteOff { to, velocity: 0.5 });
            }
            add(at + 5, controller(64, f64::from(i % 3) / 2.0));
            add(at + 6, controller(7, 1.0 - 0.03 * f64::from(i)));
            add(at + 6, controller(10, 0.04 * f64::from(i)));
        }
        add(90, controller(120, 0.0));
        add(1500, controller(7, 0.5));
        add(1600, InputMessage::NoteOn { channel: 0, note: 60, id: None, velocity: 0.5 });
        score
    }

    /// A pipeline gives the samples, strikes and counts of one thread, with and without latency.
    #[test]
    #[ignore = "long: `.ci/run` runs it"]
    fn three_threads_render_the_samples_of_one() {
        let (score, automation) = (score(), Automation::default());
        for (timing, block) in
            [(Timing::Immediate, 64), (Timing::Natural, 700), (Timing::LookAhead, 512)]
        {
            let mut settings = Settings::default();
            settings.touch.timing = timing;
            settings.output_db = 6.0;
            let play = |ahead: bool| {
                let mut samples = Vec::new();
                let (piano, rear) = match ahead {
                    true => {
                        let (piano, rear) = Piano::ahead(48_000.0, &settings);
                        (piano, Some(rear))
                    }
                    false => (Piano::new(48_000.0, &settings), None),
                };
                let mut player = Player::new(piano, &score, settings.clone(), &automation, 48_000);
                match rear {
                    Some(rear) => player.play_ahead(rear, block, collect(&mut samples)).unwrap(),
                    None => player.play(block, collect(&mut samples)).unwrap(),
                }
                let strikes: Vec<_> =
                    player.strikes().iter().map(|s| (s.time, s.key, s.speed)).collect();
                assert!(strikes.len() >= 37 && player.worst_block_share() > 0.0);
                (samples, strikes, player.counts().notes, player.at)
            };
            assert!(play(true) == play(false), "{timing:?}");
        }
    }

    #[test]
    fn an_error_of_the_receiver_ends_a_pipeline() {
        let (score, automation, settings) = (score(), Automation::default(), Settings::default());
        let (piano, rear) = Piano::ahead(48_000.0, &settings);
        let mut player = Player::new(piano, &score, settings.clone(), &automation, 48_000);
        let mut blocks = 0;
        let played = player.play_ahead(rear, 512, |_, _| {
            blocks += 1;
            if blocks == 3 { anyhow::bail!("full") } else { Ok(()) }
        });
        assert_eq!(played.unwrap_err().to_string(), "full");
        assert_eq!(blocks, 3);
    }
}
