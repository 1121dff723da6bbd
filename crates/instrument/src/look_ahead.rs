//! Look-ahead: everything is late by a constant latency, and a note's finger begins before its note
//! by the time the same press takes in the standard regulation.
//!
//! A finger begins neither before its note is known nor before what else is to happen to its key:
//! such a note sounds late and is counted. With *legato repair* the finger of the note before leaves
//! its key early enough, once that has sounded.

use std::collections::VecDeque;

use crate::settings::{Switch, Timing};
use crate::touch::travel_time::TravelTimes;
use crate::{Event, Piano, Settings};
use touchback_action::{ActionKind, STEP};
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::key_set::KeySet;
use touchback_core::math::pages;

/// Events that wait at once: a host's fullest block.
const EVENTS: usize = 16_384;
/// Settings that wait at once; those closer together than a share of the latency are one.
const SETTINGS: usize = 256;

/// Time a key takes to rise until it can be played again, s: a free grand's at the usual release
/// speed, with a little to spare.
const RISE: f64 = 0.07;

/// Longest time of a press, s: of one that does not reach the string.
const LONGEST: f64 = 0.5;

/// Notes that could not sound in time.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Lateness {
    /// Their number since reset.
    pub notes: u64,
    /// How late the latest of them is, s.
    pub longest: f64,
}

/// What is known and has not happened yet.
pub(super) struct LookAhead {
    latency: u64,
    rate: f64,
    travels: [&'static TravelTimes; ActionKind::ALL.len()],
    /// The settings of the newest sample.
    newest: Settings,
    settings: VecDeque<(u64, Settings)>,
    /// By sample; equals as they came.
    events: VecDeque<(u64, Event)>,
    /// Keys that are down after all that is known.
    down: KeySet,
    /// Sample at which the last note of each key sounds.
    sounds: [u64; KEYS],
    lateness: Lateness,
}

impl LookAhead {
    /// For `piano`, if its settings look ahead. Allocates; nothing else here does.
    pub(super) fn new(piano: &Piano) -> Option<Box<Self>> {
        let (settings, rate) = (piano.settings(), piano.sample_rate());
        let latency = u64::from(settings.touch.latency_samples(rate));
        (latency > 0).then(|| {
            Box::new(Self {
                latency,
                rate,
                travels: ActionKind::ALL.map(TravelTimes::of),
                newest: *settings,
                settings: pages::room(SETTINGS + 2).into(),
                events: pages::room(EVENTS + 1).into(),
                down: KeySet::EMPTY,
                sounds: [0; KEYS],
                lateness: Lateness::default(),
            })
        })
    }

    pub(super) const fn latency(&self) -> u64 {
        self.latency
    }

    pub(super) const fn newest(&self) -> &Settings {
        &self.newest
    }

    pub(super) const fn lateness(&self) -> Lateness {
        self.lateness
    }

    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty() && self.settings.is_empty()
    }

    /// Forgets all events.
    pub(super) fn forget(&mut self) {
        self.events.clear();
        self.down = KeySet::EMPTY;
    }

    /// Forgets all that waits; the settings that hold from now on.
    pub(super) fn reset(&mut self) -> Settings {
        self.forget();
        self.settings.clear();
        self.sounds = [0; KEYS];
        self.lateness = Lateness::default();
        self.newest
    }

    /// New settings at sample `now`.
    pub(super) fn set(&mut self, settings: &Settings, now: u64) {
        self.newest = *settings;
        let due = now + self.latency;
        match self.settings.back_mut() {
            Some((last, waiting)) if due - *last <= self.latency / SETTINGS as u64 => {
                *waiting = *settings;
            }
            _ => self.settings.push_back((due, *settings)),
        }
    }

    /// An event at the present sample of `piano`. Where there is no room the first that waits is to
    /// happen at once.
    pub(super) fn add(&mut self, event: Event, piano: &mut Piano) -> Option<Event> {
        let now = piano.sample();
        let note = now + self.latency;
        let due = match event {
            Event::NoteOn { key, velocity } if velocity.is_finite() => {
                let due = self.start(key, velocity, note, piano);
                self.down.insert(key);
                self.sounds[key.index()] = note;
                due
            }
            _ => {
                match event {
                    Event::NoteOff { key, .. } | Event::Choke(key) => {
                        self.down.remove(key);
                    }
                    Event::AllNotesOff | Event::AllSoundOff => self.down = KeySet::EMPTY,
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

    fn insert(&mut self, due: u64, event: Event) {
        let place = self.events.partition_point(|(sample, _)| *sample <= due);
        self.events.insert(place, (due, event));
    }

    /// Settings that are due at sample `now`: before its events.
    pub(super) fn take_settings(&mut self, now: u64) -> Option<Settings> {
        let is_due = self.settings.front().is_some_and(|(sample, _)| *sample <= now);
        if is_due { self.settings.pop_front().map(|(_, settings)| settings) } else { None }
    }

    /// An event that is due at sample `now`.
    pub(super) fn take_event(&mut self, now: u64) -> Option<Event> {
        let is_due = self.events.front().is_some_and(|(sample, _)| *sample <= now);
        if is_due { self.events.pop_front().map(|(_, event)| event) } else { None }
    }

    /// Sample at which something is due next.
    pub(super) fn next(&self) -> Option<u64> {
        let events = self.events.front().map(|(sample, _)| *sample);
        let settings = self.settings.front().map(|(sample, _)| *sample);
        events.into_iter().chain(settings).min()
    }

    /// Sample at which the finger begins that is to sound `key` at sample `note`.
    fn start(&mut self, key: KeyNumber, velocity: f64, note: u64, piano: &mut Piano) -> u64 {
        let touch = self.newest.touch;
        if touch.timing != Timing::LookAhead || touch.is_silent(velocity) {
            return note;
        }
        let now = note - self.latency;
        let effort = piano.coming_effort(key, touch.hammer_speed(velocity));
        let kind = self.newest.action.action;
        let place = ActionKind::ALL.iter().position(|other| *other == kind).unwrap_or(0);
        let travel = self.travels[place].time(key, effort).unwrap_or(LONGEST);
        let samples = |seconds: f64| floor_index((seconds * self.rate).round()) as u64;
        // What happens in a step of the action sounds one step later.
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
        let last = known.next().map(|(place, (sample, event))| (place, *sample, *event));
        let before = known.next().map_or(now, |(_, (sample, _))| *sample);
        if let Some((place, sample, event)) = last {
            let mut holds = sample;
            if repairs && matches!(event, Event::NoteOff { .. }) {
                let leaves = note.saturating_sub(travel + rise);
                holds = leaves.max(before).max(self.sounds[key.index()]).max(now).min(sample);
                self.events.remove(place);
                self.insert(holds, event);
            }
            earliest = earliest.max(holds);
        }
        // A key held is let up first.
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
