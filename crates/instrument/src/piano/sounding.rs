//! From the action's events to the event_queue, and from the event_queue to the strings.

use super::{Block, noises};
use crate::block_log::BlockLog;
use crate::engine_traits::{Keys, Strings};
use crate::event_queue::{Entry, Sounding};
use crate::note_output::NoteOutput;
use crate::record::{Counts, StrikeRecord};
use crate::shank;
use touchback_action::grand::design::spec::GRAVITY;
use touchback_action::{KeyEvent, TimedEvent};
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::key_set::KeySet;
use touchback_core::math::power::square;
use touchback_sound::Knock;

/// A pluck has no hammer: it is shown, and sent on, as a blow of middle strength, m/s.
pub(super) const PLUCKED: f64 = 1.0;

impl<K: Keys, S: Strings> Block<K, S> {
    /// What the events of the step in work sound, into the event_queue.
    pub(super) fn take_events(&mut self) {
        for i in 0..self.events.len() {
            let TimedEvent { key, offset, event, .. } = self.events[i];
            let note_on = self.cause(key);
            match event {
                // A constructed strike has sounded; its contact outlasts the step in which it was
                // constructed, so a strike reported there is the same one.
                KeyEvent::Strike { .. } if self.constructed.contains(key) => continue,
                // On the rod it does not land.
                KeyEvent::DamperFall { .. } if self.dampers.is_caught(key) => continue,
                KeyEvent::Strike { .. } | KeyEvent::Pluck { .. } => {
                    self.fingers[key.index()].throw();
                    self.held_notes.struck(key);
                    self.repetition.let_off(key);
                }
                KeyEvent::Release { .. } => self.fingers[key.index()].throw(),
                KeyEvent::KeyBottom { .. } => {
                    self.fingers[key.index()].bottom();
                    self.held_notes.close(key, self.clock.step());
                }
                KeyEvent::KeyRest { .. } | KeyEvent::Reset { .. } => {
                    self.repetition.reset(key, self.clock.time());
                }
                _ => {}
            }
            self.sound(key, event, note_on, self.clock.sounding(offset));
        }
        self.constructed = KeySet::default();
    }

    /// What `event` of `key` sounds, into the event_queue at the sample and the share of one `at`;
    /// `note_on` is the time of what caused it, s. The one table from event to sound.
    pub(super) fn sound(
        &mut self,
        key: KeyNumber,
        event: KeyEvent,
        note_on: f64,
        (sample, delay): (u64, f64),
    ) {
        let knock = |knock, speed| Sounding::Knock { key, knock, speed };
        let what = match event {
            KeyEvent::Strike { speed } => {
                self.struck[key.index()] = speed;
                self.ring_shank(key, speed, sample, delay);
                Sounding::Strike { key, speed, note_on }
            }
            KeyEvent::Pluck { displacement } => {
                self.struck[key.index()] = PLUCKED;
                Sounding::Pluck { key, displacement, note_on }
            }
            KeyEvent::KeyBottom { speed } => knock(Knock::KeyBed, speed),
            KeyEvent::KeyRest { speed } => knock(Knock::KeyRest, speed),
            KeyEvent::Reset { .. } => knock(Knock::Jack, noises::JACK_BACK),
            KeyEvent::Check { distance } => {
                knock(Knock::Check, caught_speed(self.struck[key.index()], distance))
            }
            KeyEvent::DamperFall { speed } => knock(Knock::Damper, speed),
            // The jack's end turns out about as fast as it threw the hammer.
            KeyEvent::Release { speed } => knock(Knock::Jack, speed),
            KeyEvent::Damper { lift } => Sounding::HapticDamper { key, lift: lift.clamp(0.0, 1.0) },
            KeyEvent::LetOffStart { .. } | KeyEvent::DamperLift { .. } => return,
        };
        self.event_queue.add(Entry { sample, delay, what });
    }

    /// Time of the note-on that moved `key`, s; NaN where a position did.
    fn cause(&self, key: KeyNumber) -> f64 {
        if self.positioned.contains(key) { f64::NAN } else { self.held_notes.note_on(key) }
    }

    /// Hands the strings what is due at the present sample.
    pub(super) fn sound_due(&mut self) {
        let now = self.clock.now();
        for Entry { sample, delay, what } in self.event_queue.take(now) {
            match what {
                Sounding::Strike { key, speed, note_on } if speed > 0.0 && speed.is_finite() => {
                    let time = self.clock.time_of(sample, delay);
                    self.hammers.tell(key, &self.settings.action, &mut self.strings);
                    self.strings.strike(key, speed, delay);
                    let record = StrikeRecord { time, key, speed, note_on };
                    list(&mut self.log, &mut self.note_output, &mut self.counts, record, now);
                }
                Sounding::Pluck { key, displacement, note_on }
                    if displacement > 0.0 && displacement.is_finite() =>
                {
                    let time = self.clock.time_of(sample, delay);
                    self.strings.pluck(key, displacement, delay);
                    let record = StrikeRecord { time, key, speed: PLUCKED, note_on };
                    list(&mut self.log, &mut self.note_output, &mut self.counts, record, now);
                }
                Sounding::Knock { key, knock, speed } => {
                    // Where no damper lands, the key's own end is the note's.
                    if knock == Knock::KeyRest
                        && (self.undamped.contains(key) || self.dampers.is_down(key))
                    {
                        self.note_output.landed(key, now);
                    }
                    if speed > 0.0 && speed.is_finite() {
                        self.strings.knock(key, knock, speed);
                    }
                }
                Sounding::Damper { key, lift } => {
                    self.strings.damper(key, lift);
                    if lift <= 0.0 {
                        self.note_output.landed(key, now);
                    }
                }
                Sounding::HapticDamper { key, lift } => {
                    self.dampers.lifted_elsewhere(key, lift);
                }
                Sounding::Pitch { key, cents } => self.strings.retune(key, cents),
                // A speed that is none comes from a model out of its range: nothing to hear.
                Sounding::Strike { .. } | Sounding::Pluck { .. } => {}
            }
        }
    }
}

/// Lists, sends on and counts a strike that sounds at sample `now`.
pub(super) fn list(
    log: &mut BlockLog<StrikeRecord>,
    note_output: &mut NoteOutput,
    counts: &mut Counts,
    record: StrikeRecord,
    now: u64,
) {
    log.push(record);
    note_output.strike(record.key, record.speed, now);
    counts.strikes += 1;
}

/// Speed, m/s, of a hammer that struck at `struck` m/s when the check catches it `distance` m below
/// the string: its rebound and its fall. The event carries the distance alone.
pub(super) fn caught_speed(struck: f64, distance: f64) -> f64 {
    (square(shank::KEPT * struck) + 2.0 * GRAVITY * distance.max(0.0)).sqrt()
}
