//! The piano a host plays: events in, stereo samples out, on one sample clock.
//!
//! [`Piano::new`] allocates; everything else runs on the audio thread. Every call acts at the present
//! sample, the one to be rendered next.
//!
//! Order at one sample: events in the order of the calls; the action steps due before it; the
//! sounds scheduled for it, earliest first; then the sample itself. The host's blocks do not enter: cutting
//! them elsewhere changes no number.
//!
//! A step reads the dampers before it runs, so that they too sound one step after they move.
//!
//! | part | holds |
//! | --- | --- |
//! | `deferral` | keys whose action waits while their strike sounds |
//! | `fingers` | fingers, held notes, keys that follow positions |
//! | `mechanism` | the action, its dampers, pedals and shanks |
//! | `time` | clocks and the queue of coming sounds |
//! | `output` | strings, tuning, levels and fades |
//! | `report` | logs and counters |

mod deferral;
mod fingers;
mod hammers;
mod haptic;
mod mechanism;
mod noises;
mod notes;
mod output;
mod pedal_travel;
mod pedals;
mod positions;
mod readout;
mod report;
mod setting;
mod sounding;
mod time;

#[cfg(test)]
mod fakes;
#[cfg(test)]
mod tests;

use crate::Settings;
use crate::play::engine_traits::{Keys, Strings};
use crate::play::event_queue::Sounding;
use crate::play::pipeline::{Pipe, Rear};
use crate::play::sink::Sink;
use crate::play::touch::finger::KeyReading;
use crate::settings::StrikeOutput;
use deferral::Deferral;
use fingers::Fingers;
use mechanism::Mechanism;
use output::{Channels, Output};
use pedal_travel::Pedals;
use report::Report;
use time::Time;
use touchback_action::SwitchableKeyboard;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KEYS;
use touchback_core::math::key_set::KeySet;
use touchback_core::math::pages::boxed;
use touchback_sound::Sound;
use touchback_sound::board::microphones::Distant;

/// Longest time for which a key moves after the last event, s: the slowest press and the fall of its
/// hammer take 1 s (chosen, 1 s to spare).
const SLOWEST_PRESS: f64 = 2.0;

/// Action and sound of 88 keys.
///
/// All times count samples since creation or reset, so the same events at the same samples give the
/// same samples, bit for bit, however a host cuts its blocks.
///
/// The engines `K` and `S` are replaced in this package's tests only.
pub struct Piano<K = SwitchableKeyboard, S = Sound> {
    // In boxes, so that a piano is moved cheaply and made with little stack.
    settings: Box<Settings>,
    fingers: Box<Fingers>,
    deferral: Deferral,
    mechanism: Box<Mechanism<K>>,
    time: Box<Time>,
    output: Box<Output<S>>,
    report: Report,
}

impl Piano {
    /// A silent piano at `sample_rate` Hz (taken in whole mHz, kept to 1 kHz…1 MHz). Allocates;
    /// everything else here does not.
    #[must_use]
    pub fn new(sample_rate: f64, settings: &Settings) -> Self {
        let time = boxed(|| Time::new(sample_rate));
        let rate = time.clock.rate();
        let sink = Sink::here(sound(rate, settings), rate, settings);
        Self::with_engines(keyboard(settings), sink, time, settings)
    }

    /// Like [`Piano::new`], with the sound at the other end of a pipeline: `process` leaves the samples
    /// as they are, and [`Rear::run`] on another thread renders them, the chosen pair of microphones only.
    /// [`Piano::set`] must not be called. Allocates all the time.
    #[must_use]
    pub fn ahead(sample_rate: f64, settings: &Settings) -> (Self, Rear) {
        let time = boxed(|| Time::new(sample_rate));
        let rate = time.clock.rate();
        let (pipe, rear) = Pipe::new(sound(rate, settings), settings, rate);
        let sink = Sink::ahead(pipe);
        (Self::with_engines(keyboard(settings), sink, time, settings), rear)
    }

    /// Ends a block on which the caller has spent `seconds`, in a pipeline; it is passed to [`Rear::run`].
    /// Returns whether the other end still receives.
    pub fn end_block(&mut self, seconds: f64) -> bool {
        self.output.sink.pipe().is_some_and(|pipe| {
            pipe.end_block(seconds);
            !pipe.is_closed()
        })
    }

    /// Whether the sound is at the other end of a pipeline: [`Piano::ahead`].
    pub(crate) const fn is_ahead(&self) -> bool {
        self.output.sink.is_ahead()
    }

    /// Ends a pipeline: [`Rear::run`] returns when it has rendered what was sent.
    pub fn close(&mut self) {
        if let Some(pipe) = self.output.sink.pipe() {
            pipe.close();
        }
    }
}

impl<K: Keys, S: Strings> Piano<K, S> {
    /// Joins `keys` and `sink`, both made for these settings. Allocates.
    fn with_engines(keys: Box<K>, sink: Sink<S>, time: Box<Time>, settings: &Settings) -> Self {
        let mut piano = Self {
            settings: boxed(|| settings.clone()),
            fingers: boxed(Fingers::new),
            deferral: Deferral::new(),
            mechanism: boxed(|| Mechanism::new(keys, settings)),
            time,
            output: boxed(|| Output::new(sink, settings)),
            report: Report::new(),
        };
        piano.switch_note_output();
        piano
    }

    /// Silence, every key at rest, pedals up, in tune, clocks and counts at 0; the settings stay.
    pub fn reset(&mut self) {
        let (settings, output) = (&self.settings, &mut self.output);
        self.mechanism.apply_regulation(&settings.action);
        output.apply_unisons(settings);
        output.pending_hammers.apply_all(&settings.action, &mut output.sink);
        self.mechanism.efforts.finish();
        self.mechanism.pedals = Pedals::UP;
        self.reset_to_rest();
        self.time.reset();
        self.output.reset(&self.settings);
        self.report.reset();
    }

    /// Keys at rest with no finger on them, strings silent, nothing scheduled; pedals, bend and clocks
    /// stay.
    fn reset_to_rest(&mut self) {
        self.fingers.reset();
        self.deferral = Deferral::new();
        self.mechanism.reset_to_rest();
        self.output.sink.reset();
        self.output.pitch.resend();
        self.time.queue.clear();
        self.apply_pedals();
    }

    /// Detunes each key against its own tuning by as many `cents`, within ±4800, sounding strings included
    /// and in addition to every bend, from the next action step on; a reset keeps this detuning.
    pub fn retune(&mut self, cents: &[f64; KEYS]) {
        self.output.pitch.retune(cents);
    }

    /// Writes the next samples of both channels (equal lengths), full scale ±1.
    pub fn process(&mut self, left: &mut [f32], right: &mut [f32]) {
        self.process_with(left, right, None);
    }

    /// Like [`Piano::process`], and writes the `distant` pair of microphones too. Beyond the shorter
    /// of `left` and `right` follows silence; the distant channels are as long as the shorter one.
    pub fn process_with(&mut self, left: &mut [f32], right: &mut [f32], distant: Distant) {
        let length = left.len().min(right.len());
        let (left, surplus) = left.split_at_mut(length);
        surplus.fill(0.0);
        let (right, surplus) = right.split_at_mut(length);
        surplus.fill(0.0);
        if length == 0 {
            return;
        }
        self.report.begin_block();
        let end = self.time.clock.now() + length as u64;
        let mut out = Channels::new(left, right, distant);
        while self.time.clock.now() < end {
            let now = self.time.clock.now();
            while self.time.clock.due() <= now {
                self.step();
            }
            if self.time.queue.next().is_some_and(|sample| sample <= now) {
                if self.time.queue.due(now).any(|entry| entry.what.is_of_board()) {
                    self.output.render(&mut out);
                }
                self.sound_due();
            }
            let sink = &mut self.output.sink;
            let block = now + sink.rest_of_block() as u64;
            let next = self.time.queue.next().map_or(end, |sample| sample.min(end));
            let next = next.min(self.time.clock.due()).min(block);
            sink.pass(index(next - now));
            self.time.clock.go_to(next);
            if next == block {
                self.output.render(&mut out);
            }
        }
        self.output.render(&mut out);
        self.report.finish_block();
    }

    /// Runs the action step that is due and schedules its sounds.
    fn step(&mut self) {
        let (settings, step) = (&self.settings, self.time.clock.step());
        let output = &mut self.output;
        self.mechanism.apply_regulation(&settings.action);
        output.apply_unisons(settings);
        output.pending_hammers.step(step, &settings.action, &mut output.sink);
        if !self.mechanism.efforts.is_current() {
            // Of the action alone: the strings are rendered in portions that depend on the host's blocks.
            let is_still = self.mechanism.keys.are_asleep() && self.fingers.is_at_rest();
            self.mechanism.efforts.step(is_still);
        }
        self.schedule_pitch();
        self.mechanism.poll_dampers(&mut self.time);
        self.move_fingers(KeySet::ALL.without(self.deferral.waiting()));
        self.follow_positions();
        self.time.events.begin(step);
        let keys = &mut self.mechanism.keys;
        keys.step_without(self.deferral.waiting(), &mut self.time.events);
        for key in keys.awake_keys().iter() {
            let [cents, pressure] = keys.ports(key);
            self.output.pitch.pull(key, cents);
            let before = &mut self.mechanism.winds[key.index()];
            if std::mem::replace(before, pressure) != pressure {
                self.time.schedule_now(Sounding::Wind { key, pressure });
            }
        }
        self.report.load.step(keys.awake(), self.time.events.len());
        self.record_trace(KeySet::ALL.without(self.deferral.waiting()));
        self.take_events();
        self.catch_up();
        self.mechanism.poll_hammers();
        self.follow_noises();
        self.poll_repetition();
        self.report.counts.silent_presses += self.fingers.held_notes.silent_by(step);
        self.time.clock.stepped();
    }

    /// Records the watched key, if it is one of the keys `stepped`.
    fn record_trace(&mut self, stepped: KeySet) {
        if let Some(key) = self.report.trace.watched()
            && stepped.contains(key)
            && let Some(snapshot) = self.mechanism.keys.snapshot(key)
        {
            let step = self.deferral.step_of(key, self.time.clock.step());
            self.report.trace.push(step, key, snapshot);
        }
    }

    /// Moves the fingers on the keys of `stepping`.
    fn move_fingers(&mut self, stepping: KeySet) {
        let (mechanism, fingers) = (&mut *self.mechanism, &mut *self.fingers);
        for key in fingers.moving.both(stepping).iter() {
            let front = [mechanism.keys.key_depth(key), mechanism.keys.key_speed(key)];
            let travel = mechanism.travel(key, &self.settings.action);
            let finger = fingers.of_mut(key);
            let (waited, was_followed) = (finger.waits(), finger.is_followed());
            if let Some(drive) = finger.next(KeyReading { front, travel }) {
                mechanism.keys.drive(key, drive);
            }
            let (waits, is_followed, moves) =
                (finger.waits(), finger.is_followed(), finger.moves());
            let step = self.time.clock.step();
            if was_followed && !is_followed {
                fingers.held_notes.go_on(key, step);
            } else if waited && !waits {
                fingers.held_notes.close(key, step);
            }
            if !moves {
                fingers.moving.remove(key);
            }
        }
    }

    /// A jack is back under its knuckle when the action reports it, or when the key has risen so far
    /// that it must be: a constructed release begins beyond that event.
    fn poll_repetition(&mut self) {
        let time = self.time.clock.time();
        for key in self.fingers.repetition.out().iter() {
            if self.mechanism.is_risen(key, &self.settings.action) {
                self.fingers.repetition.reset(key, time);
            }
        }
    }

    /// Switches the strike output as the settings request.
    fn switch_note_output(&mut self) {
        let is_on = self.settings.midi.strike_output != StrikeOutput::Off;
        self.report.note_output.switch(is_on, self.time.clock.now());
    }

    /// Whether nothing moves, nothing sounds and nothing is scheduled.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.is_at_rest() && self.output.sink.is_silent() && self.mechanism.efforts.is_current()
    }

    /// Whether nothing moves, sounds or is scheduled, whatever settings are still being applied.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.output.sink.is_at_rest()
            && self.mechanism.keys.awake() == 0
            && self.fingers.is_at_rest()
            && self.time.queue.is_empty()
    }

    /// Upper bound of the samples until the piano is idle, if no event comes: 0 when it is.
    #[must_use]
    pub fn tail(&self) -> usize {
        if self.is_idle() { 0 } else { self.tail_of_event() }
    }

    /// Upper bound of the samples until the piano is idle, if the last event comes `after` as many.
    pub(crate) fn longest_tail(&self, after: u64) -> u64 {
        let tail = if after > 0 { self.tail_of_event() } else { self.tail() };
        after + tail as u64
    }

    /// Upper bound of the samples until the piano is idle after an event at the present sample.
    fn tail_of_event(&self) -> usize {
        let seconds = SLOWEST_PRESS + self.output.sink.longest_ring();
        floor_index((seconds * self.time.clock.rate()).ceil())
    }
}

/// The sound of a piano with `settings` at `sample_rate` Hz.
fn sound(sample_rate: f64, settings: &Settings) -> Sound {
    let hammers = |key| settings.action.of(key).hammers();
    let strings = boxed(|| settings.strings());
    Sound::with_each_hammer(sample_rate, &strings, hammers)
}

/// The keys of a piano with `settings`.
fn keyboard(settings: &Settings) -> Box<SwitchableKeyboard> {
    boxed(|| SwitchableKeyboard::new(&settings.action))
}

/// `x` samples as an index inside a block.
fn index(x: u64) -> usize {
    usize::try_from(x).unwrap_or(usize::MAX)
}
