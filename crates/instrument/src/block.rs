//! The scheduler of the piano: events in, action steps on their grid, everything that sounds at its
//! sample. Generic over action and sound for its tests only; [`super::Piano`] is what it is for.
//!
//! Order at one sample: what the host says at it (at once, in the order said); the action steps due
//! before it; what is due at it, earliest first; then the sample itself. The host's blocks do not
//! enter: cutting them elsewhere changes no number.
//!
//! A step reads the dampers before it runs, so that they too sound one step after they move.

mod hammers;
mod haptic;
mod noises;
mod notes;
mod pedals;
mod positions;
mod setting;
mod sounding;

#[cfg(test)]
mod fakes;
#[cfg(test)]
mod tests;

use crate::Settings;
use crate::block_log::BlockLog;
use crate::clock::Clock;
use crate::dampers::Dampers;
use crate::engine_traits::{Keys, Strings};
use crate::event_queue::{Entry, EventQueue, Sounding};
use crate::held_notes::HeldNotes;
use crate::load::WorkCounters;
use crate::note_output::{NoteOutput, SentAt};
use crate::output::{FadeOut, Mix, OutputLevel};
use crate::pitch::Pitch;
use crate::record::{Counts, StrikeRecord};
use crate::repetition::RepetitionLimit;
use crate::settings::VelocityMeans;
use crate::shank::Shanks;
use crate::snapshot::Snapshot;
use crate::touch::finger::{KeyReading, NoteFinger, grand_travel};
use crate::touch::position::Position;
use crate::trace::KeyTrace;
use hammers::HammerNews;
use pedals::Pedals;
use touchback_action::ActionKind;
use touchback_action::grand::key::efforts::Efforts;
use touchback_action::interface::events::EventList;
use touchback_action::interface::press::Travel;
use touchback_core::math::cast::{floor_index, single};
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::key_set::KeySet;
use touchback_sound::microphones::{Distant, part};
use touchback_sound::settings::UnisonOffsets;

/// Longest that a key goes on moving after the last event, s: the slowest press and the fall of its
/// hammer take a second (chosen, a second to spare).
const SLOWEST_PRESS: f64 = 2.0;

/// Action `K`, sound `S` and what lies between them.
pub struct Block<K, S> {
    pub keys: K,
    strings: S,
    settings: Settings,
    /// What the regulation makes of a finger's effort.
    efforts: Efforts,
    /// The action has not yet been told the present regulation.
    regulation_is_news: bool,
    /// What single keys' unisons differ by, and whether that may have changed.
    unisons: UnisonOffsets,
    unisons_are_news: bool,
    hammers: HammerNews,
    clock: Clock,
    event_queue: EventQueue,
    /// Events of the step in work.
    events: EventList,
    fingers: [NoteFinger; KEYS],
    /// Keys whose finger moves.
    moving: KeySet,
    /// Keys whose strike was constructed since the last step.
    constructed: KeySet,
    repetition: RepetitionLimit,
    /// Speed of the last strike of each key, m/s.
    struck: [f64; KEYS],
    shanks: Shanks,
    /// Height of the damper tray after the last step, m.
    tray: f64,
    held_notes: HeldNotes,
    positions: [Position; KEYS],
    /// Keys that follow positions sent to them, and those of them that move.
    positioned: KeySet,
    following: KeySet,
    dampers: Dampers,
    /// Keys without a damper.
    undamped: KeySet,
    pedals: Pedals,
    pitch: Pitch,
    /// Pitch bend, −1…1.
    bend: f64,
    mix: Mix,
    /// Of the pair that is listened to, and of the distant one.
    levels: [OutputLevel; 2],
    tails: [FadeOut; 2],
    has_distant: bool,
    log: BlockLog<StrikeRecord>,
    note_output: NoteOutput,
    /// The last touched key, step by step while watched.
    pub trace: KeyTrace,
    /// Velocity of the last note, as received.
    velocity: f64,
    counts: Counts,
    load: WorkCounters,
}

impl<K: Keys, S: Strings> Block<K, S> {
    /// Joins `keys` and `strings`, both made for these settings. Allocates; nothing else here does.
    pub fn new(keys: K, strings: S, sample_rate: f64, settings: &Settings) -> Self {
        let clock = Clock::new(sample_rate);
        let undamped = KeyNumber::all().filter(|key| keys.damper_lift(*key) >= 1.0).fold(
            KeySet::EMPTY,
            |mut set, key| {
                set.insert(key);
                set
            },
        );
        let mut block = Self {
            keys,
            strings,
            settings: *settings,
            efforts: Efforts::new(&settings.action, asks_finger(settings)),
            regulation_is_news: false,
            unisons: settings.strings().unisons,
            unisons_are_news: false,
            hammers: HammerNews::default(),
            levels: [(); 2].map(|()| OutputLevel::new(clock.rate(), settings.output_db)),
            tails: [(); 2].map(|()| FadeOut::new(clock.rate())),
            has_distant: false,
            clock,
            event_queue: EventQueue::new(),
            events: EventList::default(),
            fingers: [NoteFinger::AWAY; KEYS],
            moving: KeySet::default(),
            constructed: KeySet::default(),
            repetition: RepetitionLimit::new(),
            struck: [0.0; KEYS],
            shanks: Shanks::new(),
            tray: 0.0,
            held_notes: HeldNotes::new(),
            positions: [Position::at(0.0); KEYS],
            positioned: KeySet::EMPTY,
            following: KeySet::EMPTY,
            dampers: Dampers::new(),
            undamped,
            pedals: Pedals::UP,
            pitch: Pitch::new(),
            bend: 0.0,
            mix: Mix::PLAIN,
            log: BlockLog::new(),
            note_output: NoteOutput::default(),
            trace: KeyTrace::default(),
            velocity: 0.0,
            counts: Counts::default(),
            load: WorkCounters::default(),
        };
        block.follow_settings();
        block
    }

    /// Resets all but the settings: silence, keys at rest, pedals up, in tune, clocks and counts at
    /// zero.
    pub fn reset(&mut self) {
        self.tell_regulation();
        self.tell_unisons();
        self.hammers.tell_all(&self.settings.action, &mut self.strings);
        self.efforts.finish();
        self.pedals = Pedals::UP;
        self.mix = Mix::PLAIN;
        self.bend = 0.0;
        self.pitch.reset();
        self.quiet();
        self.clock.reset();
        self.event_queue.reset();
        self.events = EventList::default();
        self.tails.iter_mut().for_each(FadeOut::clear);
        self.log.reset();
        self.note_output.reset();
        self.follow_mix();
        self.levels.iter_mut().for_each(OutputLevel::settle);
        self.trace.reset();
        self.counts = Counts::default();
        self.load = WorkCounters::default();
    }

    /// Keys at rest with no finger on them, strings still, nothing to come; pedals and pitch stay.
    fn quiet(&mut self) {
        self.keys.reset();
        self.strings.reset();
        self.event_queue.clear();
        self.fingers = [NoteFinger::AWAY; KEYS];
        self.moving = KeySet::default();
        self.constructed = KeySet::default();
        self.repetition = RepetitionLimit::new();
        self.struck = [0.0; KEYS];
        self.shanks.reset();
        self.tray = self.keys.tray();
        self.held_notes = HeldNotes::new();
        self.forget_positions();
        self.dampers = Dampers::new();
        self.pitch.untold();
        self.tell_pedals();
    }

    /// Renders the next samples of both channels; beyond the shorter one, silence. The `distant`
    /// pair's are as long as the shorter one.
    pub fn process(&mut self, left: &mut [f32], right: &mut [f32], mut distant: Distant) {
        let length = left.len().min(right.len());
        let (left, surplus) = left.split_at_mut(length);
        surplus.fill(0.0);
        let (right, surplus) = right.split_at_mut(length);
        surplus.fill(0.0);
        if length == 0 {
            return;
        }
        self.log.begin();
        self.note_output.begin();
        let begin = self.clock.now();
        let end = begin + length as u64;
        let mut rendered = 0;
        while self.clock.now() < end {
            let now = self.clock.now();
            while self.clock.due() <= now {
                self.step();
            }
            if self.event_queue.next().is_some_and(|sample| sample <= now) {
                let here = index(now - begin);
                let range = rendered..here;
                let far = part(&mut distant, &range);
                self.render(&mut left[range.clone()], &mut right[range], far);
                rendered = here;
                self.sound_due();
            }
            let next = self.event_queue.next().map_or(end, |sample| sample.min(end));
            self.clock.go_to(next.min(self.clock.due()));
        }
        let far = part(&mut distant, &(rendered..length));
        self.render(&mut left[rendered..], &mut right[rendered..], far);
        self.log.finish();
        self.note_output.finish();
    }

    fn render(&mut self, left: &mut [f32], right: &mut [f32], mut distant: Distant) {
        if left.is_empty() {
            return;
        }
        self.has_distant = distant.is_some();
        self.strings.process(left, right, part(&mut distant, &(0..left.len())));
        let pairs = [Some([left, right]), distant];
        for ((pair, tail), level) in pairs.into_iter().zip(&mut self.tails).zip(&mut self.levels) {
            if let Some([left, right]) = pair {
                tail.mix(left, right);
                level.apply(left, right);
            } else {
                tail.clear();
                level.settle();
            }
        }
    }

    /// What sounds is cut off within a short fade.
    fn fade_strings(&mut self) {
        let (strings, [here, there]) = (&mut self.strings, &mut self.tails);
        if self.has_distant {
            there.take(|far_left, far_right| {
                here.take(|left, right| strings.process(left, right, Some([far_left, far_right])));
            });
        } else {
            here.take(|left, right| strings.process(left, right, None));
        }
    }

    /// Runs the step that is due; what it causes goes to the event_queue.
    fn step(&mut self) {
        self.tell_regulation();
        self.tell_unisons();
        self.hammers.step(self.clock.step(), &self.settings.action, &mut self.strings);
        self.efforts.step();
        self.tell_pitch();
        self.poll_dampers();
        self.move_fingers();
        self.follow_positions();
        self.events.begin(self.clock.step());
        self.keys.step(&mut self.events);
        self.load.step(self.keys.awake(), self.events.len());
        if let Some(key) = self.trace.watched()
            && let Some(look) = self.keys.snapshot(key)
        {
            self.trace.push(self.clock.step(), key, look);
        }
        self.take_events();
        self.look_at_hammers();
        self.follow_noises();
        self.poll_repetition();
        self.counts.silent_presses += self.held_notes.silent_by(self.clock.step());
        self.clock.stepped();
    }

    fn poll_dampers(&mut self) {
        if !self.dampers.look(self.keys.awake() > 0) {
            return;
        }
        for key in KeyNumber::all() {
            if let Some(lift) = self.dampers.take_change(key, self.keys.damper_lift(key)) {
                let what = Sounding::Damper { key, lift };
                self.event_queue.add(Entry { sample: self.clock.now(), delay: 0.0, what });
            }
        }
    }

    fn look_at_hammers(&mut self) {
        for key in self.keys.awake_keys().iter() {
            if let Some(height) = self.keys.hammer_height(key) {
                self.dampers.hammer(key, height);
            }
        }
    }

    fn move_fingers(&mut self) {
        for key in self.moving.iter() {
            let front = [self.keys.key_depth(key), self.keys.key_speed(key)];
            let felt = KeyReading { front, travel: self.travel(key) };
            let finger = &mut self.fingers[key.index()];
            let waited = finger.waits();
            if let Some(drive) = finger.next(felt) {
                self.keys.drive(key, drive);
            }
            if waited && !finger.waits() {
                self.held_notes.close(key, self.clock.step());
            }
            if !finger.moves() {
                self.moving.remove(key);
            }
        }
    }

    /// A jack is back under its knuckle when the action says so, or the key has risen so far that
    /// it must be: a constructed release begins beyond that event.
    fn poll_repetition(&mut self) {
        let time = self.clock.time();
        for key in self.repetition.out().iter() {
            if self.is_risen(key) {
                self.repetition.reset(key, time);
            }
        }
    }

    /// How far `key` goes.
    fn travel(&self, key: KeyNumber) -> Travel {
        self.keys.travel(key).unwrap_or_else(|| grand_travel(self.dip()))
    }

    /// Whether `key` can be played again.
    fn is_risen(&self, key: KeyNumber) -> bool {
        self.keys.key_depth(key) <= self.travel(key).repeat_depth
    }

    /// Depth of the grand's key bed, m; 10 mm for a setting that is no number.
    fn dip(&self) -> f64 {
        let dip_mm = self.settings.action.key_dip_mm;
        if dip_mm.is_finite() { dip_mm.clamp(1.0, 30.0) * 1e-3 } else { 0.01 }
    }

    /// See [`Counts::late`].
    pub const fn came_late(&mut self, notes: u64) {
        self.counts.late = notes;
    }

    /// Counts since reset.
    pub fn counts(&self) -> Counts {
        let lost = self.event_queue.dropped() + self.events.dropped() as u64;
        Counts { lost, unlisted: self.log.dropped(), ..self.counts }
    }

    /// Strikes of the last block.
    pub fn strikes(&self) -> &[StrikeRecord] {
        self.log.shown()
    }

    /// What left the instrument in the last block.
    pub fn outgoing(&self) -> &[SentAt] {
        self.note_output.shown()
    }

    /// Work since reset.
    pub const fn load(&self) -> WorkCounters {
        self.load
    }

    /// The sample to be rendered next, counted since reset.
    pub const fn now(&self) -> u64 {
        self.clock.now()
    }

    /// Samples a second, Hz.
    pub const fn sample_rate(&self) -> f64 {
        self.clock.rate()
    }

    /// State of the whole keyboard.
    pub fn show(&self, to: &mut Snapshot) {
        to.time = self.clock.time();
        to.sustain = self.pedals.sustain();
        to.touched = self.trace.touched();
        to.velocity = self.velocity;
        to.awake = self.keys.awake();
        to.counts = self.counts();
        for key in KeyNumber::all() {
            let i = key.index();
            to.depth[i] = single(self.keys.key_depth(key));
            to.damper[i] = single(self.keys.damper_lift(key));
            to.struck[i] = single(self.struck[i]);
        }
    }

    /// The settings in force.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Time of the next sample since reset, s.
    pub fn time(&self) -> f64 {
        self.clock.time()
    }

    /// Upper bound of the samples until the piano is idle, if no event comes: 0 when it is.
    pub fn tail(&self) -> usize {
        if self.is_idle() { 0 } else { self.longest_tail() }
    }

    /// Upper bound of the samples until the piano is idle after an event now.
    pub fn longest_tail(&self) -> usize {
        let seconds = SLOWEST_PRESS + self.strings.longest_ring();
        floor_index((seconds * self.clock.rate()).ceil())
    }

    /// Whether nothing moves, nothing sounds and nothing is to come.
    pub fn is_idle(&self) -> bool {
        self.strings.is_silent()
            && self.keys.awake() == 0
            && self.moving.is_empty()
            && self.following.is_empty()
            && self.efforts.is_current()
            && self.event_queue.is_empty()
            && self.tails.iter().all(FadeOut::is_over)
    }
}

/// Whether a velocity of `settings` is a finger's on a grand.
fn asks_finger(settings: &Settings) -> bool {
    settings.touch.velocity_means == VelocityMeans::Finger
        && settings.action.action == ActionKind::Grand
}

/// A position inside a block.
fn index(x: u64) -> usize {
    usize::try_from(x).unwrap_or(usize::MAX)
}
