//! From the action's events to the queue, and from the queue to the strings.

use super::Piano;
use super::time::Time;
use crate::play::engine_traits::{Keys, Strings};
use crate::play::event_queue::{Entry, Sounding};
use crate::play::knocks;
use crate::play::record::{EventRecord, StrikeRecord};
use touchback_action::interface::press::Voice;
use touchback_action::{KeyEvent, TimedEvent};
use touchback_core::math::compass::KeyNumber;
use touchback_sound::Knock;

/// Speed, m/s, under which a pluck, which has no hammer, is shown and sent on: a blow of middle strength.
pub(super) const PLUCK_SPEED: f64 = 1.0;

impl<K: Keys, S: Strings> Piano<K, S> {
    /// Schedules the sounds of the events of the step in progress.
    pub(super) fn take_events(&mut self) {
        for i in 0..self.time.events.len() {
            let TimedEvent { key, offset, event, .. } = self.time.events[i];
            let note_on = self.fingers.note_on(key);
            let fingers = &mut *self.fingers;
            match event {
                // A constructed strike has sounded; its contact outlasts the step in which it was
                // constructed, so a strike reported there is the same one.
                KeyEvent::Strike { .. } if fingers.constructed.contains(key) => continue,
                // A damper on the sostenuto rod does not land.
                KeyEvent::DamperFall { .. } if self.mechanism.dampers.is_caught(key) => continue,
                KeyEvent::Strike { .. } | KeyEvent::Pluck { .. } => {
                    if fingers.held_notes.struck(key) {
                        fingers.of_mut(key).throw();
                    }
                    fingers.repetition.let_off(key);
                }
                // While its finger lifts, a key lets off the hammer of the press before.
                KeyEvent::Release { .. } if !fingers.of(key).is_lifting() => {
                    fingers.of_mut(key).throw();
                    fingers.held_notes.let_off(key);
                }
                // While its finger lifts, a key reaches its bottom from the press before.
                KeyEvent::KeyBottom { .. } if !fingers.of(key).is_lifting() => {
                    fingers.of_mut(key).bottom();
                    fingers.held_notes.close(key, self.time.clock.step());
                }
                KeyEvent::KeyRest { .. } | KeyEvent::Reset { .. } => {
                    fingers.repetition.reset(key, self.time.clock.time());
                }
                _ => {}
            }
            let is_foreseen =
                matches!(event, KeyEvent::KeyBottom { .. }) && self.deferral.take_foreseen(key);
            if !is_foreseen {
                let at = self.time.clock.sounding(offset - self.deferral.lag(key));
                self.schedule_event(key, event, note_on, at);
            }
        }
        let constructed = &mut self.fingers.constructed;
        *constructed = constructed.both(self.deferral.waiting());
    }

    /// Schedules the sound of `event` of `key` for the sample and the share of a sample `at`; `note_on`
    /// is the time of the note that caused it, s. This is the only table from event to sound.
    pub(super) fn schedule_event(
        &mut self,
        key: KeyNumber,
        event: KeyEvent,
        note_on: f64,
        at: (u64, f64),
    ) {
        self.report.event(EventRecord { time: self.time.clock.time_of(at.0, at.1), key, event });
        let strike_speed = &mut self.mechanism.strike_speeds[key.index()];
        let what = match event {
            KeyEvent::Strike { speed } => {
                *strike_speed = speed;
                self.ring_shank(key, speed, at);
                Sounding::Strike { key, speed, note_on }
            }
            KeyEvent::Pluck { displacement } => {
                *strike_speed = PLUCK_SPEED;
                Sounding::Pluck { key, displacement, note_on }
            }
            KeyEvent::Damper { lift } => Sounding::HapticDamper { key, lift: lift.clamp(0.0, 1.0) },
            _ => match knocks::of_event(event, *strike_speed) {
                Some((knock, speed)) => Sounding::Knock { key, knock, speed },
                None => return,
            },
        };
        self.time.schedule(at, what);
    }

    /// Sends the sounds due at the present sample to the strings.
    pub(super) fn sound_due(&mut self) {
        let Time { clock, queue, .. } = &mut *self.time;
        let (mechanism, output) = (&mut *self.mechanism, &mut *self.output);
        let now = clock.now();
        for Entry { sample, delay, what } in queue.take(now) {
            let time = clock.time_of(sample, delay);
            match what {
                Sounding::Strike { key, .. } | Sounding::Pluck { key, .. }
                    if self.settings.is_out_of_scale(key) => {}
                Sounding::Strike { key, speed, note_on } if speed > 0.0 && speed.is_finite() => {
                    if let Voice::Rod(mass) = mechanism.keys.voice(key) {
                        output.sink.strike_rod(key, mass, speed, delay);
                    } else {
                        output.pending_hammers.apply(key, &self.settings.action, &mut output.sink);
                        output.sink.strike(key, speed, delay);
                    }
                    self.report.strike(StrikeRecord { time, key, speed, note_on }, now);
                }
                Sounding::Pluck { key, displacement, note_on }
                    if displacement > 0.0 && displacement.is_finite() =>
                {
                    // Where a pallet opens, the wind sounds.
                    if mechanism.keys.voice(key) != Voice::Pipe {
                        output.sink.pluck(key, displacement, delay);
                    }
                    let record = StrikeRecord { time, key, speed: PLUCK_SPEED, note_on };
                    self.report.strike(record, now);
                }
                Sounding::Wind { key, pressure } => {
                    let is_out = self.settings.is_out_of_scale(key);
                    output.sink.blow(key, if is_out { 0.0 } else { pressure });
                }
                Sounding::Knock { key, knock, speed } => {
                    // Where no damper lands, the key's own return ends the note.
                    if knock == Knock::KeyRest
                        && (mechanism.undamped.contains(key) || mechanism.dampers.is_down(key))
                    {
                        self.report.note_output.landed(key, now);
                    }
                    if speed > 0.0 && speed.is_finite() {
                        output.sink.knock(key, knock, speed);
                    }
                }
                Sounding::Damper { key, lift } => {
                    output.sink.damper(key, lift);
                    self.report.damper(key, lift, now);
                }
                Sounding::HapticDamper { key, lift } => {
                    mechanism.dampers.lifted_elsewhere(key, lift);
                }
                Sounding::Pitch { key, cents } => output.sink.retune(key, cents),
                // A speed that is not above 0 or not finite comes from a model out of its range.
                Sounding::Strike { .. } | Sounding::Pluck { .. } => {}
            }
        }
    }
}
