//! Reports of a piano: strikes, notes sent, the traced key, counters.

use crate::play::load::WorkCounters;
use crate::play::note_output::NoteOutput;
use crate::play::record::{Counts, EventRecord, StrikeRecord};
use crate::watch::block_log::BlockLog;
use crate::watch::trace::KeyTrace;
use touchback_core::math::compass::KeyNumber;

/// Logs and counters, which change nothing that sounds.
pub(super) struct Report {
    pub(super) strikes: BlockLog<StrikeRecord>,
    /// Events of the action, recorded only on request.
    pub(super) events: Option<BlockLog<EventRecord>>,
    pub(super) note_output: NoteOutput,
    /// The last touched key in each action step, recorded only on request.
    pub(super) trace: KeyTrace,
    /// Velocity of the last note, as received.
    pub(super) velocity: f64,
    pub(super) counts: Counts,
    pub(super) load: WorkCounters,
}

impl Report {
    /// Empty, note output and trace off. Allocates.
    pub(super) fn new() -> Self {
        Self {
            strikes: BlockLog::new(),
            events: None,
            note_output: NoteOutput::default(),
            trace: KeyTrace::default(),
            velocity: 0.0,
            counts: Counts::default(),
            load: WorkCounters::default(),
        }
    }

    /// Empty; the switches of note output and trace stay.
    pub(super) fn reset(&mut self) {
        self.strikes.reset();
        self.events.iter_mut().for_each(BlockLog::reset);
        self.note_output.reset();
        self.trace.reset();
        self.counts = Counts::default();
        self.load = WorkCounters::default();
    }

    /// Call before a block: removes the records of the last one.
    pub(super) fn begin_block(&mut self) {
        self.strikes.begin();
        self.events.iter_mut().for_each(BlockLog::begin);
        self.note_output.begin();
    }

    /// Call after a block: its records can be read.
    pub(super) fn finish_block(&mut self) {
        self.strikes.finish();
        self.events.iter_mut().for_each(BlockLog::finish);
        self.note_output.finish();
    }

    /// Lists, sends and counts a strike that sounds at `sample`.
    pub(super) fn strike(&mut self, record: StrikeRecord, sample: u64) {
        self.strikes.push(record);
        self.note_output.strike(record.key, record.speed, sample);
        self.counts.strikes += 1;
    }

    /// Lists an event of the action, on request.
    pub(super) fn event(&mut self, record: EventRecord) {
        if let Some(events) = &mut self.events {
            events.push(record);
        }
    }

    /// The damper of `key` is at `lift` (0…1) at `sample`: on the strings, it ends a note sent.
    pub(super) fn damper(&mut self, key: KeyNumber, lift: f64, sample: u64) {
        if lift <= 0.0 {
            self.note_output.landed(key, sample);
        }
    }

    /// Counters since reset, with the `lost` events and the `unbalanced` motions of keys.
    pub(super) fn counts(&self, lost: u64, unbalanced: u64) -> Counts {
        Counts { lost, unbalanced, unlisted: self.strikes.dropped(), ..self.counts }
    }
}
