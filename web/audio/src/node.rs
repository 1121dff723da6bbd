//! The piano of a page: it receives messages between blocks, renders, and collects messages for the window.

use std::collections::VecDeque;
use std::ops::Range;

use midly::live::LiveEvent;

use touchback_core::math::cast::rounded_i32;
use touchback_instrument::host::midi::InputMessage;
use touchback_instrument::host::midi_file::{Cursor, Parts, Score, message};
use touchback_instrument::play::event_scheduler::{EventScheduler, Host};
use touchback_instrument::watch::monitor::remote::{self, ToPiano, ToWindow};
use touchback_instrument::watch::monitor::{AudioEnd, WindowEnd, link};
use touchback_instrument::{Event, Piano, Settings};

/// Time between two sets of messages to the window, s: a frame of a usual display.
const INTERVAL: f64 = 1.0 / 60.0;

/// A performance of a MIDI file.
struct Performance {
    score: Score,
    cursor: Cursor,
    /// Sample of the piano at which it began.
    begin: u64,
}

/// The piano of a page.
pub struct Node {
    scheduler: EventScheduler,
    audio: AudioEnd,
    window: WindowEnd,
    rate: u32,
    /// Messages of MIDI keyboards, for the next block.
    midi: VecDeque<InputMessage>,
    performance: Option<Performance>,
    outgoing: Vec<ToWindow>,
    /// Sample at which messages were collected last.
    collected: u64,
}

impl Node {
    /// A piano with the settings of the first preset at `rate` Hz, whose blocks are timed by `clock`, s.
    #[must_use]
    pub fn new(rate: f64, clock: fn() -> f64) -> Self {
        Self::with(rate, &Settings::default(), clock)
    }

    /// A piano with `settings`.
    #[must_use]
    pub fn with(rate: f64, settings: &Settings, clock: fn() -> f64) -> Self {
        let (mut audio, mut window) = link();
        audio.time_by(clock);
        audio.run_at(rate);
        window.open();
        Self {
            scheduler: EventScheduler::new(Piano::new(rate, settings)),
            audio,
            window,
            rate: u32::try_from(rounded_i32(rate)).unwrap_or(48_000),
            midi: VecDeque::new(),
            performance: None,
            outgoing: Vec::new(),
            collected: 0,
        }
    }

    /// Receives a list of messages; of another build's messages it receives none.
    pub fn receive(&mut self, bytes: &[u8]) {
        for message in remote::message::<Vec<ToPiano>>(bytes).unwrap_or_default() {
            match message {
                ToPiano::Play(event) => drop(self.window.events.send(event)),
                ToPiano::Midi(bytes) => self.midi.extend(read(bytes)),
                ToPiano::Set(settings) => {
                    let settings = settings.settings(self.scheduler.settings());
                    self.scheduler.set(&settings);
                }
                ToPiano::Perform(file) => self.perform(&file),
                ToPiano::Stop => {
                    self.performance = None;
                    let _ = self.window.events.send(Event::AllSoundOff);
                    self.outgoing.push(ToWindow::Position(None, 0.0));
                }
                ToPiano::Preview(on) => self.window.preview.set(on),
            }
        }
    }

    /// Plays a MIDI file from its beginning.
    fn perform(&mut self, file: &[u8]) {
        let settings = self.scheduler.settings();
        match Score::read_repaired("the file", file, &Parts::of(settings), &settings.pedals) {
            Ok((score, _)) => {
                if self.performance.is_some() {
                    let _ = self.window.events.send(Event::AllSoundOff);
                }
                self.outgoing.extend(score.warnings.iter().cloned().map(ToWindow::Warning));
                let begin = self.scheduler.sample();
                self.performance = Some(Performance { score, cursor: Cursor::default(), begin });
            }
            Err(error) => self.outgoing.push(ToWindow::Warning(error.to_string())),
        }
    }

    /// Renders one block of both channels.
    pub fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        if self.audio.before(self.scheduler.piano()) {
            self.scheduler.forget();
        }
        let begin = self.scheduler.sample();
        let mut host = NodeHost {
            midi: &mut self.midi,
            performance: self.performance.as_mut(),
            rate: self.rate,
            span: begin..begin + left.len() as u64,
            audio: &mut self.audio,
        };
        self.scheduler.process(left, right, &mut host);
        self.audio.limit(self.scheduler.take_least_gain());
        self.audio.after(self.scheduler.piano(), left, right);
        let now = self.scheduler.sample();
        if (now - self.collected) as f64 >= INTERVAL * f64::from(self.rate) {
            self.collected = now;
            self.collect();
        }
    }

    /// Collects the messages for the window.
    fn collect(&mut self) {
        self.outgoing.extend(self.window.messages());
        if let Some(Performance { score, cursor, begin }) = &self.performance {
            let at = self.scheduler.sample().saturating_sub(*begin) as f64 / f64::from(self.rate);
            let is_over = cursor.is_at_end(score);
            self.outgoing.push(ToWindow::Position((!is_over).then_some(at), score.end()));
            if is_over {
                self.performance = None;
            }
        }
    }

    /// The collected messages as bytes; none without a message.
    pub fn take(&mut self) -> Option<Vec<u8>> {
        let messages = std::mem::take(&mut self.outgoing);
        (!messages.is_empty()).then(|| remote::bytes(&messages))
    }
}

/// The instrument's message for the bytes of a MIDI keyboard.
fn read(bytes: [u8; 3]) -> Option<InputMessage> {
    // Program changes and channel pressures have one data byte.
    let length = if matches!(bytes[0] >> 4, 0xc | 0xd) { 2 } else { 3 };
    match LiveEvent::parse(&bytes[..length]) {
        Ok(LiveEvent::Midi { channel, message: raw }) => message(channel.as_int(), raw),
        _ => None,
    }
}

/// The participants of one block.
struct NodeHost<'a> {
    midi: &'a mut VecDeque<InputMessage>,
    performance: Option<&'a mut Performance>,
    rate: u32,
    /// Samples of the block.
    span: Range<u64>,
    audio: &'a mut AudioEnd,
}

impl Host for NodeHost<'_> {
    fn next(&mut self) -> Option<(u32, InputMessage)> {
        let played = self.midi.pop_front().map(|message| (0, message));
        let (offset, message) = played.or_else(|| {
            let Performance { score, cursor, begin } = self.performance.as_deref_mut()?;
            let span = self.span.start.saturating_sub(*begin)..self.span.end.checked_sub(*begin)?;
            cursor.next(score, self.rate, &span)
        })?;
        self.audio.record(offset, &message);
        Some((offset, message))
    }
}

#[cfg(test)]
mod tests;
