//! Events of notes, applied at the present sample.

use super::sounding::{PLUCKED, list};
use super::{Block, asks_finger};
use crate::Event;
use crate::engine_traits::{Keys, Strings};
use crate::record::StrikeRecord;
use crate::settings::{Switch, Timing};
use crate::touch::effort;
use crate::touch::finger::{grand_press, repeat_time, silent_speed};
use touchback_action::interface::press::{Effort, Press};
use touchback_core::math::compass::KeyNumber;

/// Release velocity of a choked key: the quickest.
const QUICKEST: f64 = 1.0;

impl<K: Keys, S: Strings> Block<K, S> {
    /// Applies `event` now.
    pub fn handle(&mut self, event: Event) {
        if event.value().is_some_and(|value| !value.is_finite()) {
            self.counts.ignored += 1;
            return;
        }
        self.tell_regulation();
        self.dampers.watch();
        match event {
            Event::NoteOn { key, velocity } => self.note_on(key, velocity),
            Event::NoteOff { key, velocity } => {
                if self.held_notes.up(key) {
                    self.let_go(key, self.settings.touch.release_speed(velocity));
                }
            }
            Event::Choke(key) => self.choke(key),
            Event::Pressure { key, depth } => self.position(key, depth),
            Event::Haptic { key, event, ahead } => self.haptic(key, event, ahead),
            Event::Tune { key, cents } => self.pitch.tune(key, cents),
            Event::Bend(share) => {
                self.bend = share.clamp(-1.0, 1.0);
                self.follow_bend();
            }
            Event::Sustain(travel) => self.sustain(travel),
            Event::Sostenuto(travel) => self.sostenuto(travel),
            Event::UnaCorda(travel) => self.una_corda(travel),
            Event::Volume(share) => {
                self.mix.volume = share;
                self.follow_mix();
            }
            Event::Expression(share) => {
                self.mix.expression = share;
                self.follow_mix();
            }
            Event::Pan(share) => {
                self.mix.pan = share;
                self.follow_mix();
            }
            Event::AllNotesOff => {
                self.let_positions_go();
                for key in self.held_notes.all_up().iter() {
                    self.release(key, self.settings.touch.release_speed(0.0));
                }
            }
            Event::AllSoundOff => {
                self.fade_strings();
                self.quiet();
                self.note_output.silence(self.clock.now());
            }
        }
    }

    fn note_on(&mut self, key: KeyNumber, velocity: f64) {
        self.counts.notes += 1;
        self.trace.touch(key);
        self.velocity = velocity;
        let was_held = self.held_notes.down(key, self.clock.time());
        if self.positioned.contains(key) {
            return;
        }
        if !was_held {
            self.pitch.tune(key, 0.0);
        }
        self.keys.touch(key);
        let touch = &self.settings.touch;
        let (timing, strict) = (touch.timing, touch.strict_repetition == Switch::On);
        let speed = touch.hammer_speed(velocity);
        let silent = touch.is_silent(velocity);
        let missed = !silent && timing == Timing::Immediate && strict && !self.is_ready(key, speed);
        self.counts.missed_repetitions += u64::from(missed);
        // Where no strike can be constructed, the key is pressed and the action decides.
        let sounds_now = timing == Timing::Immediate && !silent && !missed;
        let heard = if sounds_now { self.heard(key, speed) } else { None };
        let heard = heard.filter(|heard| self.keys.construct_strike(key, *heard));
        let waits = heard.is_none() && self.plays_first(key);
        let ended = if waits {
            self.held_notes.follow(key)
        } else {
            self.held_notes.begin(key, heard.is_none())
        };
        self.counts.silent_presses += u64::from(ended);
        self.dampers.played(key);
        if let Some(heard) = heard {
            self.strike_now(key, speed, heard);
        } else if silent || missed {
            let down = Effort::Even(silent_speed(1e-3 * self.settings.action.let_off_mm));
            let (depth, late) = (self.keys.key_depth(key), self.clock.elapsed());
            let finger = &mut self.fingers[key.index()];
            if waits {
                finger.repeat_after(self.settings.touch.release_speed(0.0), down);
            } else {
                finger.press(depth, down, late);
                finger.throw();
            }
        } else {
            self.press(key, speed, was_held);
        }
        self.moving.insert(key);
    }

    /// Whether the jack of `key` could throw its hammer at `speed` now: it has re-set, and since
    /// then a finger has had the time to press the key down again.
    fn is_ready(&self, key: KeyNumber, speed: f64) -> bool {
        let (press, dip) = (self.press_of(key), self.travel(key).dip);
        let needed = repeat_time(&press, dip, self.effort(key, speed));
        self.repetition.back_for(key, self.clock.time()) >= needed
    }

    /// What a press of `key` meets.
    pub(super) fn press_of(&self, key: KeyNumber) -> Press {
        self.keys.press(key).unwrap_or_else(|| grand_press(key, self.dip()))
    }

    /// Speed, m/s, at which the hammer of `key` meets its strings under the velocity that stands for
    /// `speed` m/s; none where it does not arrive.
    fn heard(&self, key: KeyNumber, speed: f64) -> Option<f64> {
        if asks_finger(&self.settings) {
            self.efforts.hammer_speed(key, speed)
        } else {
            Some(speed)
        }
    }

    /// The hammer of `key` meets its strings at the present sample at `heard` m/s, or its plectrum
    /// lets them go; the damper is off them. The finger has pressed for `speed` m/s.
    fn strike_now(&mut self, key: KeyNumber, speed: f64, heard: f64) {
        self.constructed.insert(key);
        self.repetition.let_off(key);
        let (press, dip) = (self.press_of(key), self.travel(key).dip);
        self.fingers[key.index()].struck(&press, dip, speed);
        self.tell_damper(key);
        let speed = match self.keys.plucks(key) {
            Some(displacement) => {
                self.strings.pluck(key, displacement, 0.0);
                PLUCKED
            }
            None => {
                self.hammers.tell(key, &self.settings.action, &mut self.strings);
                self.strings.strike(key, heard, 0.0);
                self.knock_of_strike(key, heard);
                heard
            }
        };
        self.struck[key.index()] = speed;
        let (time, now) = (self.clock.time(), self.clock.now());
        let record = StrikeRecord { time, key, speed, note_on: time };
        list(&mut self.log, &mut self.note_output, &mut self.counts, record, now);
    }

    /// Whether a finger on `key` has a note to play before anything else: with *legato repair* it
    /// plays a note to the end, however soon it is let go or repeated.
    fn plays_first(&self, key: KeyNumber) -> bool {
        let touch = &self.settings.touch;
        touch.timing != Timing::Immediate
            && touch.legato_repair == Switch::On
            && self.fingers[key.index()].is_throwing()
    }

    /// A finger begins a press that sends the hammer at `hammer_speed`. A key held already is let
    /// up far enough to be played again; so is one on its way up, with *legato repair*, which
    /// without it is pressed from where it is.
    fn press(&mut self, key: KeyNumber, hammer_speed: f64, was_held: bool) {
        let down = self.effort(key, hammer_speed);
        let (depth, late) = (self.keys.key_depth(key), self.clock.elapsed());
        let plays_first = self.plays_first(key);
        let waits = self.settings.touch.legato_repair == Switch::On && !self.is_risen(key);
        let up = self.settings.touch.release_speed(0.0);
        if self.fingers[key.index()].is_away() && self.is_risen(key) {
            self.knock_of_finger(key, hammer_speed);
        }
        let finger = &mut self.fingers[key.index()];
        if plays_first {
            finger.repeat_after(up, down);
        } else if was_held || waits {
            finger.repeat(depth, up, down, late);
        } else {
            finger.press(depth, down, late);
        }
    }

    /// What a finger will do on `key` for a hammer speed, m/s.
    pub(crate) fn coming_effort(&mut self, key: KeyNumber, hammer_speed: f64) -> Effort {
        self.keys.touch(key);
        self.effort(key, hammer_speed)
    }

    /// Effort for a hammer speed, m/s: pressed as far as that goes, carried on beyond it.
    fn effort(&self, key: KeyNumber, hammer_speed: f64) -> Effort {
        effort::of(&self.keys, self.dip(), key, hammer_speed)
    }

    /// The last note that holds `key` ends: its finger leaves it, once it has played.
    fn let_go(&mut self, key: KeyNumber, speed: f64) {
        if self.plays_first(key) {
            self.fingers[key.index()].release_after(speed);
        } else {
            self.release(key, speed);
        }
    }

    /// The finger leaves `key`, which rises at `speed` m/s; in immediate timing the damper meets
    /// the string at the present sample.
    fn release(&mut self, key: KeyNumber, speed: f64) {
        if self.positioned.contains(key) {
            return;
        }
        let mut late = self.clock.elapsed();
        // A key that no finger holds down has its damper down already.
        let up = self.is_risen(key);
        let held = !self.fingers[key.index()].is_away() && !up;
        if held && self.settings.touch.timing == Timing::Immediate {
            // The constructed state stands at the beginning of the step; the finger with it.
            late = 0.0;
            self.keys.construct_release(key, speed);
            self.tell_damper(key);
            if self.undamped.contains(key) {
                self.note_output.landed(key, self.clock.now());
            }
        }
        let depth = self.keys.key_depth(key);
        self.fingers[key.index()].release(depth, speed, late);
        self.moving.insert(key);
        self.held_notes.close(key, self.clock.step());
    }

    /// Every press of `key` ends, its damper on the strings at once.
    fn choke(&mut self, key: KeyNumber) {
        self.dampers.choke(key);
        if self.held_notes.lift(key) {
            self.release(key, self.settings.touch.release_speed(QUICKEST));
        }
        self.let_position_go(key);
        self.tell_damper(key);
    }

    /// Tells the strings at once where the damper of `key` is.
    fn tell_damper(&mut self, key: KeyNumber) {
        if let Some(lift) = self.dampers.take_change(key, self.keys.damper_lift(key)) {
            self.strings.damper(key, lift);
            if lift <= 0.0 {
                self.note_output.landed(key, self.clock.now());
            }
        }
    }
}
