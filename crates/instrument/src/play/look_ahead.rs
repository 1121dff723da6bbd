//! Look-ahead: a constant latency delays everything, and a note's finger begins before its delayed note
//! by the time that the same press takes in the standard regulation.
//!
//! A finger begins neither before its note is received nor before earlier events of its key: a note that
//! would need that sounds late and is counted. With *legato repair* the finger of the note before leaves
//! the key in time, once that note has sounded. With *pedal repair* the pedal's lifts are long enough to damp.
//!
//! Settings wait for the latency too, unless the piano is at rest and no event waits: the note that comes
//! next then has them as a whole.

mod foot;

use std::collections::VecDeque;

use crate::play::touch::travel_time::TravelTimes;
use crate::settings::{Switch, Timing};
use crate::{Event, Piano, Settings};
use touchback_action::{ActionKind, STEP};
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::key_set::KeySet;
use touchback_core::math::pages;

use foot::{Foot, Move};

/// Largest number of waiting events: more than a host's fullest block.
const EVENTS: usize = 16_384;
/// Largest number of waiting settings; settings closer together than latency/256 replace each other.
const SETTINGS: usize = 256;

/// Time in which a key rises until it can be played again, s: that of a free grand key at the usual
/// release speed, with a small margin.
const RISE: f64 = 0.07;

/// Assumed time of a press that does not reach the string, s.
const LONGEST: f64 = 0.5;

/// Notes that could not sound in time.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Lateness {
    /// Number of late notes since reset.
    pub notes: u64,
    /// Largest delay of a late note, s.
    pub longest: f64,
}

/// Events and settings that wait for their samples.
pub(crate) struct LookAhead {
    latency: u64,
    rate: f64,
    travels: [&'static TravelTimes; ActionKind::ALL.len()],
    /// Times of the mechanism from a file that the piano had at first.
    of_file: Option<Box<TravelTimes>>,
    settings: VecDeque<(u64, Settings)>,
    /// By sample; events of one sample in their order of arrival.
    events: VecDeque<(u64, Event)>,
    /// Keys that are down after all waiting events.
    down: KeySet,
    /// Sample at which the last note of each key is to sound.
    sounds: [u64; KEYS],
    foot: Foot,
    lateness: Lateness,
}

impl LookAhead {
    /// The look-ahead of `piano`, if its timing is look-ahead. Allocates; nothing else here does.
    pub(crate) fn new(piano: &Piano) -> Option<Box<Self>> {
        let (settings, rate) = (piano.settings(), piano.sample_rate());
        let latency = u64::from(settings.touch.latency_samples(rate));
        (latency > 0).then(|| {
            Box::new(Self {
                latency,
                rate,
                travels: ActionKind::ALL.map(TravelTimes::of),
                of_file: TravelTimes::of_file(&settings.action),
                settings: pages::room(SETTINGS + 2).into(),
                events: pages::room(EVENTS + 1).into(),
                down: KeySet::EMPTY,
                sounds: [0; KEYS],
                foot: Foot::new(rate),
                lateness: Lateness::default(),
            })
        })
    }

    pub(crate) const fn latency(&self) -> u64 {
        self.latency
    }

    /// The settings set last, which wait or are those of `piano`.
    pub(crate) fn newest<'a>(&'a self, piano: &'a Piano) -> &'a Settings {
        self.settings.back().map_or_else(|| piano.settings(), |(_, settings)| settings)
    }

    pub(crate) const fn lateness(&self) -> Lateness {
        self.lateness
    }

    /// Samples from `now` until nothing waits.
    pub(crate) fn remaining(&self, now: u64) -> u64 {
        let events = self.events.back().map(|(sample, _)| *sample);
        let settings = self.settings.back().map(|(sample, _)| *sample);
        events.into_iter().chain(settings).max().map_or(0, |last| last.saturating_sub(now).max(1))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.events.is_empty() && self.settings.is_empty()
    }

    /// Removes all events.
    pub(crate) fn forget(&mut self) {
        self.events.clear();
        self.foot.forget();
        self.down = KeySet::EMPTY;
    }

    /// Removes all that waits. Returns the settings set last, which `piano` is to take at once.
    pub(crate) fn reset(&mut self, piano: &Piano) -> Settings {
        let newest = self.newest(piano).clone();
        self.forget();
        self.settings.clear();
        self.sounds = [0; KEYS];
        self.lateness = Lateness::default();
        newest
    }

    /// New settings at the present sample of `piano`.
    pub(crate) fn set(&mut self, settings: &Settings, piano: &mut Piano) {
        if self.events.is_empty() && piano.is_at_rest() {
            self.settings.clear();
            piano.set(settings);
            return;
        }
        let due = piano.sample() + self.latency;
        match self.settings.back_mut() {
            Some((last, waiting)) if due - *last <= self.latency / SETTINGS as u64 => {
                *waiting = settings.clone();
            }
            _ => self.settings.push_back((due, settings.clone())),
        }
    }

    /// Adds an event received at the present sample of `piano`. If the queue is full, removes and returns the
    /// first waiting event, which is to be applied at once.
    pub(crate) fn add(&mut self, event: Event, piano: &mut Piano) -> Option<Event> {
        let now = piano.sample();
        let note = now + self.latency;
        let due = match event {
            Event::NoteOn { key, velocity } if velocity.is_finite() => {
                let due = self.start(key, velocity, note, piano);
                self.down.insert(key);
                self.sounds[key.index()] = note;
                due
            }
            Event::Sustain(travel) if travel.is_finite() => {
                let repairs = self.newest(piano).pedals.pedal_repair == Switch::On;
                let before = self.sounds.iter().filter(|sample| **sample < note);
                let last = before.copied().max().unwrap_or(0);
                let (due, moved) = self.foot.travel(travel, note, last, now, repairs);
                self.move_pedal(moved);
                due
            }
            _ => {
                match event {
                    Event::NoteOff { key, .. } | Event::Choke(key) => {
                        self.down.remove(key);
                        self.key_rises(note, now);
                    }
                    Event::AllNotesOff | Event::AllSoundOff => {
                        self.down = KeySet::EMPTY;
                        self.key_rises(note, now);
                    }
                    _ => {}
                }
                note
            }
        };
        self.insert(due, event);
        if self.events.len() > EVENTS {
            self.events.pop_front().map(|(_, event)| event)
        } else {
            None
        }
    }

    /// A key rises at sample `due`: the pedal is down before, if it is to keep the key's note.
    fn key_rises(&mut self, due: u64, now: u64) {
        let moved = self.foot.key_rises(due, now);
        self.move_pedal(moved);
    }

    /// Moves waiting events of the pedal.
    fn move_pedal(&mut self, moved: Option<Move>) {
        let Some(Move { up, down }) = moved else { return };
        for (from, to) in [up, down] {
            let is_it = |(sample, event): &(u64, Event)| {
                *sample == from && matches!(event, Event::Sustain(_))
            };
            while from != to
                && let Some(index) = self.events.iter().position(is_it)
                && let Some((_, event)) = self.events.remove(index)
            {
                self.insert(to, event);
            }
        }
    }

    fn insert(&mut self, due: u64, event: Event) {
        let index = self.events.partition_point(|(sample, _)| *sample <= due);
        self.events.insert(index, (due, event));
    }

    /// Removes and returns settings due at sample `now`; they precede that sample's events.
    pub(crate) fn take_settings(&mut self, now: u64) -> Option<Settings> {
        let is_due = self.settings.front().is_some_and(|(sample, _)| *sample <= now);
        if is_due { self.settings.pop_front().map(|(_, settings)| settings) } else { None }
    }

    /// Removes and returns an event due at sample `now`.
    pub(crate) fn take_event(&mut self, now: u64) -> Option<Event> {
        let is_due = self.events.front().is_some_and(|(sample, _)| *sample <= now);
        if is_due { self.events.pop_front().map(|(_, event)| event) } else { None }
    }

    /// Sample at which the next event or settings are due.
    pub(crate) fn next(&self) -> Option<u64> {
        let events = self.events.front().map(|(sample, _)| *sample);
        let settings = self.settings.front().map(|(sample, _)| *sample);
        events.into_iter().chain(settings).min()
    }

    /// Sample at which the finger begins whose note of `key` is to sound at sample `note`.
    fn start(&mut self, key: KeyNumber, velocity: f64, note: u64, piano: &mut Piano) -> u64 {
        let (touch, kind) = {
            let newest = self.newest(piano);
            (newest.touch, newest.action.action)
        };
        if touch.timing != Timing::LookAhead || touch.is_silent(velocity) {
            return note;
        }
        let now = note - self.latency;
        let effort = piano.coming_effort(key, touch.hammer_speed(velocity));
        let index = ActionKind::ALL.iter().position(|other| *other == kind).unwrap_or(0);
        let of_file = self.of_file.as_deref().filter(|_| kind == ActionKind::File);
        let times = of_file.unwrap_or(self.travels[index]);
        let travel = times.time(key, effort).unwrap_or(LONGEST);
        let samples = |seconds: f64| floor_index((seconds * self.rate).round()) as u64;
        // An event of an action step sounds one step later.
        let (travel, rise) = (samples(travel + STEP), samples(RISE));
        let mut earliest = now;
        let repairs = touch.legato_repair == Switch::On;
        let concerns = |event: &Event| match event {
            Event::NoteOn { key: other, .. }
            | Event::NoteOff { key: other, .. }
            | Event::Choke(other) => *other == key,
            Event::AllNotesOff | Event::AllSoundOff => true,
            _ => false,
        };
        let of_key = |(_, (_, event)): &(usize, &(u64, Event))| concerns(event);
        let mut known = self.events.iter().enumerate().rev().filter(of_key);
        let last = known.next().map(|(index, (sample, event))| (index, *sample, *event));
        let before = known.next().map_or(now, |(_, (sample, _))| *sample);
        if let Some((index, sample, event)) = last {
            let mut holds = sample;
            if repairs && matches!(event, Event::NoteOff { .. }) {
                let leaves = note.saturating_sub(travel + rise);
                holds = leaves.max(before).max(self.sounds[key.index()]).max(now).min(sample);
                self.events.remove(index);
                self.insert(holds, event);
                self.key_rises(holds, now);
            }
            earliest = earliest.max(holds);
        }
        // A held key is let up first.
        let lift = if repairs && self.down.contains(key) { rise } else { 0 };
        let start = note.saturating_sub(travel + lift).max(earliest);
        if start + travel > note {
            self.lateness.notes += 1;
            let late = (start + travel - note) as f64 / self.rate;
            self.lateness.longest = self.lateness.longest.max(late);
        }
        start
    }
}

#[cfg(test)]
mod tests;
