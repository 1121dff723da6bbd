//! A piano on three threads, for renderings: the action runs ahead of the strings, the strings of board and
//! room.
//!
//! Nothing returns from the sound to the action, so that each stage works on the next samples while the
//! following stage works on the present ones. The samples are those of a piano on one thread, bit for bit, as
//! long as its settings stay as they are. The queues between the stages are bounded.

mod rear;

use std::sync::mpsc::{SyncSender, sync_channel};

use crate::Settings;
use crate::play::output::Mix;
pub use rear::Rear;
use touchback_core::math::compass::KeyNumber;
use touchback_core::mech::hammer::HammerSettings;
use touchback_sound::{Knock, Sound, SoundSettings};

/// Samples after which a batch is sent: long enough that the queue costs nothing.
const BATCH: usize = 512;

/// Batches in a queue, 0.17 s at 48 kHz. Chosen: chords, whose strikes are expensive in one stage, are
/// averaged out.
const AHEAD: usize = 16;

/// A call of the action for the sound at the present sample.
#[derive(Clone, Debug)]
pub(crate) enum Call {
    Reset,
    Set(Box<SoundSettings>),
    SetHammer(KeyNumber, HammerSettings),
    Strike(KeyNumber, f64, f64),
    Pluck(KeyNumber, f64, f64),
    StrikeRod(KeyNumber, f64, f64, f64),
    Blow(KeyNumber, f64),
    Damper(KeyNumber, f64),
    Retune(KeyNumber, f64),
    UnaCorda(f64),
    Knock(KeyNumber, Knock, f64),
    /// The levels' target: dB, controllers, and whether the guard is on.
    Aim(f64, Mix, bool),
    /// Levels at their targets, no fade.
    ResetOutput,
    /// The sound of the next 3 ms fades out.
    FadeOut,
    /// If nothing sounds, levels jump to their targets.
    Settle,
    /// The block of the next samples, as many, begins; a later call renders them.
    Begin(usize),
    /// The strings render the next samples, as many; a later call passes them on.
    Hold(usize),
    Render(usize),
    /// A block of the caller ends; the action has worked on it for as many seconds.
    EndBlock(f64),
}

/// The end of a pipeline at the action: passes the calls on.
#[derive(Debug)]
pub struct Pipe {
    calls: Vec<Call>,
    /// Samples of the calls.
    samples: usize,
    /// None after [`Self::close`], or when the other end is gone.
    to: Option<SyncSender<Vec<Call>>>,
    settings: SoundSettings,
    longest_ring: f64,
}

impl Pipe {
    /// Both ends of a pipeline to `sound`, at `sample_rate` Hz.
    pub(crate) fn new(sound: Sound, settings: &Settings, sample_rate: f64) -> (Self, Rear) {
        let (to, from) = sync_channel(AHEAD);
        let pipe = Self {
            calls: Vec::new(),
            samples: 0,
            to: Some(to),
            settings: settings.strings(),
            longest_ring: sound.longest_ring(),
        };
        (pipe, Rear::new(sound, from, sample_rate, settings))
    }

    /// Adds `call`.
    pub(crate) fn call(&mut self, call: Call) {
        if self.to.is_some() {
            self.calls.push(call);
        }
    }

    /// The block of the next `waiting` samples begins.
    pub(crate) fn begin(&mut self, waiting: usize) {
        if waiting > 0 {
            self.call(Call::Begin(waiting));
        }
    }

    /// The strings render the next `waiting` samples, which are to be passed on later.
    pub(crate) fn hold(&mut self, waiting: usize) {
        if waiting > 0 {
            self.call(Call::Hold(waiting));
        }
    }

    /// Sets the settings of the sound.
    pub(crate) fn set(&mut self, settings: &SoundSettings) {
        self.settings = settings.clone();
        self.call(Call::Set(Box::new(settings.clone())));
    }

    /// The settings set last.
    pub(crate) const fn settings(&self) -> &SoundSettings {
        &self.settings
    }

    /// Upper bound of the time for which a string rings, s.
    pub(crate) const fn longest_ring(&self) -> f64 {
        self.longest_ring
    }

    /// Renders the next `samples`.
    pub(crate) fn render(&mut self, samples: usize) {
        self.call(Call::Render(samples));
        self.samples += samples;
    }

    /// A block ends on which the caller has spent `seconds`; may wait for room in the queue.
    pub(crate) fn end_block(&mut self, seconds: f64) {
        self.call(Call::EndBlock(seconds));
        if self.samples >= BATCH {
            self.send();
        }
    }

    fn send(&mut self) {
        self.samples = 0;
        let calls = std::mem::take(&mut self.calls);
        if self.to.as_ref().is_some_and(|to| to.send(calls).is_err()) {
            self.to = None;
        }
    }

    /// Sends what is left and ends the pipeline.
    pub(crate) fn close(&mut self) {
        self.send();
        self.to = None;
    }

    /// Whether nothing more is received.
    pub(crate) const fn is_closed(&self) -> bool {
        self.to.is_none()
    }
}
