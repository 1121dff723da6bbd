//! A piano on three threads, for renderings: the action runs ahead of the strings, the strings of board and
//! room.
//!
//! Nothing returns from the sound to the action, so that each stage works on the next samples while the
//! following stage works on the present ones. The samples are those of a piano on one thread, bit for bit, as
//! long as its settings stay as they are. The queues between the stages are bounded.

mod rear;

use std::sync::mpsc::{SyncSender, sync_channel};

use crate::Settings;
use crate::engine_traits::{Piped, Strings};
use crate::output::Mix;
pub use rear::Rear;
use touchback_core::math::compass::KeyNumber;
use touchback_core::mech::hammer::HammerSettings;
use touchback_core::mech::key_tones::KeyTones;
use touchback_sound::microphones::Distant;
use touchback_sound::settings::UnisonOffsets;
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

/// The sound of a piano: its own, or one at the other end of a pipeline.
pub enum Engine {
    /// Strings, board and room.
    Here(Sound),
    /// The end of a pipeline to them.
    Ahead(Box<Pipe>),
}

/// Implements methods of [`Strings`] by those of the sound or by calls.
macro_rules! pass_on {
    ($(fn $name:ident($($arg:ident: $type:ty),*) => $call:expr;)*) => {
        $(fn $name(&mut self, $($arg: $type),*) {
            match self {
                Self::Here(sound) => sound.$name($($arg),*),
                Self::Ahead(pipe) => pipe.call($call),
            }
        })*
    };
}

impl Strings for Engine {
    pass_on! {
        fn reset() => Call::Reset;
        fn settle() => Call::Settle;
        fn set_hammer(key: KeyNumber, hammer: &HammerSettings) => Call::SetHammer(key, *hammer);
        fn strike(key: KeyNumber, speed: f64, delay: f64) => Call::Strike(key, speed, delay);
        fn pluck(key: KeyNumber, displacement: f64, delay: f64) => Call::Pluck(key, displacement, delay);
        fn damper(key: KeyNumber, lift: f64) => Call::Damper(key, lift);
        fn retune(key: KeyNumber, cents: f64) => Call::Retune(key, cents);
        fn una_corda(amount: f64) => Call::UnaCorda(amount);
        fn knock(key: KeyNumber, knock: Knock, speed: f64) => Call::Knock(key, knock, speed);
    }

    fn set(&mut self, settings: &SoundSettings) {
        match self {
            Self::Here(sound) => sound.set(settings),
            Self::Ahead(pipe) => {
                pipe.settings = *settings;
                pipe.call(Call::Set(Box::new(*settings)));
            }
        }
    }

    fn process_with(&mut self, left: &mut [f32], right: &mut [f32], distant: Distant) {
        match self {
            Self::Here(sound) => sound.process_with(left, right, distant),
            Self::Ahead(pipe) => {
                pipe.call(Call::Render(left.len()));
                pipe.samples += left.len();
            }
        }
    }

    fn of_keys(&self) -> (UnisonOffsets, KeyTones) {
        match self {
            Self::Here(sound) => sound.of_keys(),
            Self::Ahead(pipe) => (pipe.settings.unisons, pipe.settings.tones),
        }
    }

    /// In a pipeline never: its end at the action does not know.
    fn is_silent(&self) -> bool {
        matches!(self, Self::Here(sound) if sound.is_silent())
    }

    /// In a pipeline always: its other end settles only when it is.
    fn is_at_rest(&self) -> bool {
        match self {
            Self::Here(sound) => sound.is_at_rest(),
            Self::Ahead(_) => true,
        }
    }

    fn longest_ring(&self) -> f64 {
        match self {
            Self::Here(sound) => sound.longest_ring(),
            Self::Ahead(pipe) => pipe.longest_ring,
        }
    }
}

impl Piped for Engine {
    fn pipe(&mut self) -> Option<&mut Pipe> {
        match self {
            Self::Here(_) => None,
            Self::Ahead(pipe) => Some(pipe),
        }
    }
}
