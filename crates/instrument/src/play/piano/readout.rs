//! Data that a caller reads from a piano between blocks.

use super::Piano;
use crate::Settings;
use crate::play::engine_traits::{Keys, Strings};
use crate::play::load::WorkCounters;
use crate::play::note_output::SentAt;
use crate::play::record::{Counts, EventRecord, StrikeRecord};
use crate::watch::block_log::BlockLog;
use crate::watch::snapshot::Snapshot;
use crate::watch::trace::Sample;
use touchback_action::interface::press::Effort;
use touchback_core::math::cast::single;
use touchback_core::math::compass::KeyNumber;

impl<K: Keys, S: Strings> Piano<K, S> {
    /// The keyboard.
    #[must_use]
    pub const fn keyboard(&self) -> &K {
        &self.mechanism.keys
    }

    /// The settings in force.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The sample to be rendered next, counted since creation or reset.
    #[must_use]
    pub const fn sample(&self) -> u64 {
        self.time.clock.now()
    }

    /// Time of the next sample since creation or reset, s.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.time.clock.time()
    }

    /// Sample rate, Hz.
    #[must_use]
    pub const fn sample_rate(&self) -> f64 {
        self.time.clock.rate()
    }

    /// Counters since creation or reset.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.report.counts(self.time.lost(), self.mechanism.keys.unbalanced())
    }

    /// Sets the number of notes since reset that could not be played in time: [`Counts::late`].
    pub(crate) const fn set_late_notes(&mut self, notes: u64) {
        self.report.counts.late = notes;
    }

    /// Work since creation or reset.
    #[must_use]
    pub const fn load(&self) -> WorkCounters {
        self.report.load
    }

    /// Strikes of the last call of [`Piano::process`] that rendered samples, oldest first.
    #[must_use]
    pub fn strikes(&self) -> &[StrikeRecord] {
        self.report.strikes.shown()
    }

    /// Records the events of the action from now on. Allocates.
    pub fn record_events(&mut self) {
        self.report.events.get_or_insert_with(BlockLog::new);
    }

    /// Events of the action in the last call of [`Piano::process`] that rendered samples, in the order in which the
    /// keys raised them; empty without [`Piano::record_events`].
    #[must_use]
    pub fn events(&self) -> &[EventRecord] {
        self.report.events.as_ref().map_or(&[], BlockLog::shown)
    }

    /// Messages sent in the last call of [`Piano::process`] that rendered samples and since the one
    /// before it, in order; empty unless the strike output is switched on.
    #[must_use]
    pub fn outgoing(&self) -> &[SentAt] {
        self.report.note_output.shown()
    }

    /// Switches recording of the last touched key on or off; off at first.
    pub fn watch(&mut self, is_watched: bool) {
        self.report.trace.watch(is_watched);
    }

    /// The last touched key in each action step in which it moved, oldest first, since the last
    /// [`Piano::trace_read`]; 4096 steps at most.
    #[must_use]
    pub fn trace(&self) -> &[Sample] {
        self.report.trace.samples()
    }

    /// Empties the trace.
    pub fn trace_read(&mut self) {
        self.report.trace.clear();
    }

    /// Whether keys, pedals or counters may differ from those in `since`, an earlier snapshot of this piano
    /// without a reset since.
    #[must_use]
    pub fn has_changed(&self, since: &Snapshot) -> bool {
        since.awake > 0
            || self.mechanism.keys.awake() > 0
            || self.mechanism.keys.tray().to_bits() != since.tray.to_bits()
            || self.pedal_travels() != [since.sustain, since.sostenuto, since.una_corda]
            || self.report.trace.touched() != since.touched
            || self.report.velocity.to_bits() != since.velocity.to_bits()
            || self.counts() != since.counts
    }

    /// Sustain, sostenuto and una corda pedal, 0…1.
    fn pedal_travels(&self) -> [f64; 3] {
        let pedals = &self.mechanism.pedals;
        [pedals.sustain(), f64::from(u8::from(pedals.sostenuto)), pedals.una_corda]
    }

    /// State of the whole keyboard at the present sample.
    pub fn show(&self, to: &mut Snapshot) {
        to.time = self.time();
        [to.sustain, to.sostenuto, to.una_corda] = self.pedal_travels();
        to.tray = self.mechanism.keys.tray();
        to.touched = self.report.trace.touched();
        to.velocity = self.report.velocity;
        to.awake = self.mechanism.keys.awake();
        to.counts = self.counts();
        for key in KeyNumber::all() {
            let i = key.index();
            to.depth[i] = single(self.mechanism.keys.key_depth(key));
            to.damper[i] = single(self.mechanism.keys.damper_lift(key));
            to.hammer[i] = single(self.mechanism.keys.hammer_rise(key));
            to.struck[i] = single(self.mechanism.strike_speeds[i]);
        }
    }

    /// Effort of the finger that will press `key` for a hammer speed, m/s.
    pub(crate) fn coming_effort(&mut self, key: KeyNumber, hammer_speed: f64) -> Effort {
        self.mechanism.keys.touch(key);
        self.mechanism.effort(key, hammer_speed, &self.settings.action)
    }
}
