//! Events, applied at the present sample; the effect of a note on its key and finger.

use super::Piano;
use super::sounding::PLUCK_SPEED;
use crate::Event;
use crate::play::engine_traits::{Keys, Strings};
use crate::play::record::{EventRecord, StrikeRecord};
use crate::play::touch::finger::{repeat_time, silent_speed};
use crate::settings::{Switch, Timing};
use touchback_action::KeyEvent;
use touchback_action::interface::press::{Effort, Voice};
use touchback_core::math::compass::KeyNumber;

/// Release velocity of a choked key: the quickest.
const QUICKEST: f64 = 1.0;

impl<K: Keys, S: Strings> Piano<K, S> {
    /// Applies `event` at the current sample.
    ///
    /// Immediate timing: a note-on is the hammer meeting the string, a note-off the damper meeting
    /// it, at this very sample. Natural timing: both are a finger's first motion, and each event of the
    /// action sounds one action step (125 µs) after it happens. Look-ahead timing is done by the
    /// scheduler: here it is natural timing.
    ///
    /// Every note-on plays its key anew. Note-ons of one key are counted: as many note-offs release
    /// the key. A note-off of a key not held does nothing. A choke releases one key and puts its damper
    /// on the strings at any position of the pedals. `AllSoundOff` also releases every key; the sound fades
    /// within 3 ms, mixed with notes played at the same sample.
    ///
    /// If key pressure is read as position, a key follows positions from the first above 0 until it has
    /// been let up; its notes are counted meanwhile and strike nothing.
    pub fn handle(&mut self, event: Event) {
        if event.value().is_some_and(|value| !value.is_finite()) {
            self.report.counts.ignored += 1;
            return;
        }
        self.mechanism.apply_regulation(&self.settings.action);
        self.mechanism.dampers.read_all();
        match event {
            Event::NoteOn { .. }
            | Event::Pressure { .. }
            | Event::Motion { .. }
            | Event::Haptic { .. }
            | Event::Sustain(_)
            | Event::Sostenuto(_)
            | Event::UnaCorda(_) => self.settle(),
            _ => {}
        }
        match event {
            Event::NoteOn { key, velocity } => self.note_on(key, velocity),
            Event::NoteOff { key, velocity } => {
                if self.fingers.held_notes.up(key) {
                    self.let_go(key, self.settings.touch.release_speed(velocity));
                }
            }
            Event::Choke(key) => self.choke(key),
            Event::Pressure { key, depth } => self.position(key, depth),
            Event::Motion { key, depth, seconds } => self.motion(key, depth, seconds),
            Event::Haptic { key, event, ahead } => self.haptic(key, event, ahead),
            Event::Tune { key, cents } => self.output.pitch.tune(key, cents),
            Event::Bend(share) => {
                self.output.bend = share.clamp(-1.0, 1.0);
                self.output.apply_bend(&self.settings);
            }
            Event::BendRange(range) => {
                self.output.bend_range = range;
                self.output.apply_bend(&self.settings);
            }
            Event::Sustain(travel) => self.sustain(travel),
            Event::Sostenuto(travel) => self.sostenuto(travel),
            Event::UnaCorda(travel) => self.una_corda(travel),
            Event::Volume(share) => {
                self.output.mix.volume = share;
                self.output.apply_mix(&self.settings);
            }
            Event::Expression(share) => {
                self.output.mix.expression = share;
                self.output.apply_mix(&self.settings);
            }
            Event::Pan(share) => {
                self.output.mix.pan = share;
                self.output.apply_mix(&self.settings);
            }
            Event::AllNotesOff => {
                self.release_positions();
                for key in self.fingers.held_notes.all_up().iter() {
                    self.release(key, self.settings.touch.release_speed(0.0));
                }
            }
            Event::AllSoundOff => {
                self.output.sink.fade_out();
                self.reset_to_rest();
                self.report.note_output.silence(self.time.clock.now());
            }
        }
    }

    fn note_on(&mut self, key: KeyNumber, velocity: f64) {
        self.report.counts.notes += 1;
        if self.settings.is_out_of_scale(key) {
            self.report.counts.unreached += 1;
            return;
        }
        self.report.trace.touch(key);
        self.report.velocity = velocity;
        let was_held = self.fingers.held_notes.down(key, self.time.clock.time());
        if self.fingers.positioned.contains(key) {
            return;
        }
        if !was_held {
            self.output.pitch.tune(key, 0.0);
        }
        self.deferral.end(key);
        self.mechanism.keys.touch(key);
        let touch = &self.settings.touch;
        let is_immediate = touch.timing == Timing::Immediate;
        let is_strict = touch.strict_repetition == Switch::On;
        let nominal = touch.hammer_speed(velocity);
        let is_silent = touch.is_silent(velocity);
        let is_missed = !is_silent && is_immediate && is_strict && !self.can_repeat(key, nominal);
        self.report.counts.missed_repetitions += u64::from(is_missed);
        // Where no strike can be constructed, the key is pressed and the action decides.
        let constructed = if is_immediate && !is_silent && !is_missed {
            self.construct_strike(key, nominal)
        } else {
            None
        };
        let is_deferred = constructed.is_none() && self.is_throwing(key);
        let held_notes = &mut self.fingers.held_notes;
        self.report.counts.silent_presses += if constructed.is_some() {
            held_notes.construct(key)
        } else if is_deferred {
            held_notes.follow(key)
        } else {
            held_notes.begin(key)
        };
        self.mechanism.dampers.played(key);
        if let Some(hammer_speed) = constructed {
            self.sound_constructed_strike(key, nominal, hammer_speed);
        } else if is_silent || is_missed {
            self.press_silently(key, is_deferred);
        } else {
            self.press(key, nominal, was_held);
        }
        self.fingers.moving.insert(key);
    }

    /// Whether the jack of `key` could throw its hammer at `hammer_speed` m/s now: the jack has re-set,
    /// and since then a finger has had the time to press the key again.
    fn can_repeat(&self, key: KeyNumber, hammer_speed: f64) -> bool {
        let (mechanism, action) = (&self.mechanism, &self.settings.action);
        let effort = mechanism.effort(key, hammer_speed, action);
        let dip = mechanism.travel(key, action).dip;
        let needed = repeat_time(&mechanism.press(key, action), dip, effort);
        self.fingers.repetition.back_for(key, self.time.clock.time()) >= needed
    }

    /// Replaces the state of `key` by that at which its hammer meets the string for a note of `nominal`
    /// m/s. Returns the hammer speed, m/s; `None`, and the state stays, where the hammer does not arrive
    /// or the regulation makes a strike impossible.
    fn construct_strike(&mut self, key: KeyNumber, nominal: f64) -> Option<f64> {
        let hammer_speed = self.mechanism.hammer_speed(key, nominal, &self.settings)?;
        self.mechanism.keys.construct_strike(key, hammer_speed).then_some(hammer_speed)
    }

    /// The constructed strike of `key` sounds at the present sample: its hammer meets the strings at
    /// `hammer_speed` m/s, or its plectrum lets them go; the damper is off them. The finger has pressed
    /// for `nominal` m/s.
    fn sound_constructed_strike(&mut self, key: KeyNumber, nominal: f64, hammer_speed: f64) {
        let action = &self.settings.action;
        self.fingers.constructed.insert(key);
        self.fingers.repetition.let_off(key);
        let press = self.mechanism.press(key, action);
        let travel = self.mechanism.travel(key, action);
        self.fingers.of_mut(key).struck(&press, &travel, nominal);
        self.send_damper(key);
        let (speed, event) = match self.mechanism.keys.voice(key) {
            Voice::Plectrum(displacement) => {
                self.output.sink.pluck(key, displacement, 0.0);
                (PLUCK_SPEED, KeyEvent::Pluck { displacement })
            }
            Voice::Rod(mass) => {
                self.output.sink.strike_rod(key, mass, hammer_speed, 0.0);
                (hammer_speed, KeyEvent::Strike { speed: hammer_speed })
            }
            // A pipe's strike is never constructed.
            Voice::Hammer | Voice::Pipe => {
                let output = &mut *self.output;
                output.pending_hammers.apply(key, &self.settings.action, &mut output.sink);
                output.sink.strike(key, hammer_speed, 0.0);
                self.knock_of_strike(key, hammer_speed);
                (hammer_speed, KeyEvent::Strike { speed: hammer_speed })
            }
        };
        self.mechanism.strike_speeds[key.index()] = speed;
        self.defer(key);
        let (time, now) = (self.time.clock.time(), self.time.clock.now());
        self.report.strike(StrikeRecord { time, key, speed, note_on: time }, now);
        self.report.event(EventRecord { time, key, event });
    }

    /// Whether the finger on `key` finishes its note first, however soon the note is let go or repeated:
    /// with *legato repair*, until the hammer has left.
    fn is_throwing(&self, key: KeyNumber) -> bool {
        let touch = &self.settings.touch;
        touch.timing != Timing::Immediate
            && touch.legato_repair == Switch::On
            && self.fingers.of(key).is_throwing()
    }

    /// A finger presses `key` so slowly that its hammer does not reach the string, once the hammer of
    /// the note before has left where the press `is_deferred`.
    fn press_silently(&mut self, key: KeyNumber, is_deferred: bool) {
        let down = Effort::Even(silent_speed(1e-3 * self.settings.action.let_off_mm));
        let depth = self.mechanism.keys.key_depth(key);
        let finger = self.fingers.of_mut(key);
        if is_deferred {
            finger.repeat_after(self.settings.touch.release_speed(0.0), down);
        } else {
            finger.press(depth, down, self.time.clock.elapsed());
            finger.throw();
        }
    }

    /// A finger begins a press that sends the hammer at `hammer_speed` m/s. A held key is first let up
    /// until it can be played again. So is a key on its way up with *legato repair*; without it such a
    /// key is pressed from where it is.
    fn press(&mut self, key: KeyNumber, hammer_speed: f64, was_held: bool) {
        let (mechanism, action) = (&self.mechanism, &self.settings.action);
        let down = mechanism.effort(key, hammer_speed, action);
        let (depth, elapsed) = (mechanism.keys.key_depth(key), self.time.clock.elapsed());
        let is_risen = mechanism.is_risen(key, action);
        let is_deferred = self.is_throwing(key);
        let lifts = self.settings.touch.legato_repair == Switch::On && !is_risen;
        let up = self.settings.touch.release_speed(0.0);
        if self.fingers.of(key).is_away() && is_risen {
            self.knock_of_finger(key, hammer_speed);
        }
        let finger = self.fingers.of_mut(key);
        if is_deferred {
            finger.repeat_after(up, down);
        } else if was_held || lifts {
            finger.repeat(depth, up, down, elapsed);
        } else {
            finger.press(depth, down, elapsed);
        }
    }

    /// The last note that holds `key` ends: the finger leaves the key, after it has finished its note.
    fn let_go(&mut self, key: KeyNumber, speed: f64) {
        if self.is_throwing(key) {
            self.fingers.of_mut(key).release_after(speed);
        } else {
            self.release(key, speed);
        }
    }

    /// The finger leaves `key`, which rises at `speed` m/s; in immediate timing the damper meets
    /// the string at the present sample.
    fn release(&mut self, key: KeyNumber, speed: f64) {
        if self.fingers.positioned.contains(key) {
            return;
        }
        self.deferral.end(key);
        let mut elapsed = self.time.clock.elapsed();
        // A key that no finger holds down has its damper down already.
        let is_down =
            !self.fingers.of(key).is_away() && !self.mechanism.is_risen(key, &self.settings.action);
        if is_down && self.settings.touch.timing == Timing::Immediate {
            // The constructed state is that at the beginning of the step; so is the finger's.
            elapsed = 0.0;
            self.mechanism.keys.construct_release(key, speed);
            self.send_damper(key);
            if self.mechanism.undamped.contains(key) {
                self.report.note_output.landed(key, self.time.clock.now());
            }
        }
        let depth = self.mechanism.keys.key_depth(key);
        self.fingers.of_mut(key).release(depth, speed, elapsed);
        self.fingers.moving.insert(key);
        self.fingers.held_notes.close(key, self.time.clock.step());
    }

    /// Every press of `key` ends, its damper on the strings at once.
    fn choke(&mut self, key: KeyNumber) {
        self.mechanism.dampers.choke(key);
        if self.fingers.held_notes.lift(key) {
            self.release(key, self.settings.touch.release_speed(QUICKEST));
        }
        self.release_position(key);
        self.send_damper(key);
    }

    /// Sends the position of the damper of `key` to the strings at once.
    fn send_damper(&mut self, key: KeyNumber) {
        if let Some(lift) = self.mechanism.take_damper_change(key) {
            self.output.sink.damper(key, lift);
            self.report.damper(key, lift, self.time.clock.now());
        }
    }
}
