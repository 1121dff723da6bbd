//! Thinning of changes that replace each other: pedals, levels, bends, parameters moved by controllers.
//!
//! Every change cuts the rendering at its sample, so that a host that sends thousands in a block would take more
//! time than the block lasts. Of each kind of change [`BURST`] pass in a row, then one in every interval of
//! [`INTERVAL`]; the last one of those beyond waits for the beginning of the next interval. Intervals count samples
//! since the reset, never blocks. Notes and all other events come after the changes that wait.
//!
//! A performance is not thinned: MIDI's own line carries at most 1.6 controllers a millisecond, and each of the sixteen
//! channels of a file may reset and set its controllers at one sample.

use crate::Event;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KEYS;

/// Changes of one kind that pass without regard to their distance: four of each channel, as at the start of a file.
const BURST: u64 = 64;

/// Length of an interval, s.
const INTERVAL: f64 = 0.5e-3;

/// Kinds of change: the eleven of [`Change::kind`], and the detuning of each key.
const KINDS: usize = 11 + KEYS;

/// A change that a later one of its kind replaces.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Change {
    /// An event that moves a pedal, a level or a pitch, or ends all notes.
    Event(Event),
    /// Parameters that controllers have moved.
    Settings,
}

impl Change {
    /// Number of the kind; none for events that are never thinned.
    const fn kind(&self) -> Option<usize> {
        let Self::Event(event) = self else { return Some(0) };
        Some(match event {
            Event::Sustain(_) => 1,
            Event::Sostenuto(_) => 2,
            Event::UnaCorda(_) => 3,
            Event::Volume(_) => 4,
            Event::Expression(_) => 5,
            Event::Pan(_) => 6,
            Event::BendRange(_) => 7,
            Event::Bend(_) => 8,
            Event::AllNotesOff => 9,
            Event::AllSoundOff => 10,
            Event::Tune { key, .. } => 11 + key.index(),
            _ => return None,
        })
    }
}

/// The changes of one kind.
#[derive(Clone, Copy, Default, Debug)]
struct Kind {
    /// The interval until which the changes so far are paid for, one each.
    paid: u64,
    waiting: Option<Change>,
}

/// What becomes of a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Admission {
    /// It takes effect at its sample.
    Now,
    /// It takes effect at its sample, after those that wait.
    AfterWaiting,
    /// It waits.
    Later,
}

/// Thins the changes of one piano.
#[derive(Debug)]
pub(crate) struct Thinning {
    /// Length of an interval, samples.
    interval: u64,
    kinds: Box<[Kind]>,
    /// Sample at which the waiting changes take effect; the greatest number if none waits.
    due: u64,
}

impl Thinning {
    /// Nothing waits. Allocates; nothing else here does.
    pub(crate) fn new(rate: f64) -> Self {
        let interval = floor_index((rate * INTERVAL).round()).max(1) as u64;
        Self { interval, kinds: vec![Kind::default(); KINDS].into(), due: u64::MAX }
    }

    /// Nothing waits, and the samples count from 0 again.
    pub(crate) fn reset(&mut self) {
        self.kinds.fill(Kind::default());
        self.due = u64::MAX;
    }

    /// What becomes of `change` at the sample `now`.
    pub(crate) fn admit(&mut self, change: Change, now: u64) -> Admission {
        let Some(kind) = change.kind().and_then(|kind| self.kinds.get_mut(kind)) else {
            return Admission::AfterWaiting;
        };
        let interval = now / self.interval;
        if kind.waiting.is_none() && kind.paid < interval + BURST {
            kind.paid = kind.paid.max(interval) + 1;
            return Admission::Now;
        }
        kind.waiting = Some(change);
        self.due = self.due.min((interval + 1) * self.interval);
        Admission::Later
    }

    /// Sample at which changes that wait take effect.
    pub(crate) const fn due(&self) -> u64 {
        self.due
    }

    /// Whether changes wait.
    pub(crate) const fn is_waiting(&self) -> bool {
        self.due < u64::MAX
    }

    /// Whether parameters moved by controllers wait.
    pub(crate) fn holds_settings(&self) -> bool {
        self.is_waiting() && self.kinds[0].waiting.is_some()
    }

    /// Removes a change that waits; it takes effect at the sample `now`.
    pub(crate) fn take(&mut self, now: u64) -> Option<Change> {
        if !self.is_waiting() {
            return None;
        }
        let interval = now / self.interval;
        for kind in &mut self.kinds {
            if let Some(change) = kind.waiting.take() {
                kind.paid = (kind.paid.max(interval) + 1).min(interval + BURST);
                return Some(change);
            }
        }
        self.due = u64::MAX;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_core::math::compass::KeyNumber;

    const RATE: f64 = 48_000.0;

    /// Samples and values of the pedal that take effect of `sent` (sample, travel).
    fn passed(sent: &[(u64, f64)]) -> Vec<(u64, f64)> {
        let mut thinning = Thinning::new(RATE);
        let mut passed = Vec::new();
        let mut take = |thinning: &mut Thinning, now| {
            while let Some(change) = thinning.take(now) {
                let Change::Event(Event::Sustain(travel)) = change else { panic!("{change:?}") };
                passed.push((now, travel));
            }
        };
        let mut direct = Vec::new();
        for &(sample, travel) in sent {
            if thinning.due() < sample {
                let due = thinning.due();
                take(&mut thinning, due);
            }
            if thinning.admit(Change::Event(Event::Sustain(travel)), sample) == Admission::Now {
                direct.push((sample, travel));
            }
        }
        let due = thinning.due();
        take(&mut thinning, due);
        passed.extend(direct);
        passed.sort_by_key(|(sample, _)| *sample);
        passed
    }

    #[test]
    fn controllers_at_two_kilohertz_and_bursts_of_all_channels_pass_unchanged() {
        let dense: Vec<_> = (0..4_000).map(|i| (5 + 24 * i, (i % 128) as f64)).collect();
        assert_eq!(passed(&dense), dense);
        let bursts: Vec<_> =
            (0..640_u32).map(|i| (u64::from(i / 16) * 480, f64::from(i % 16) / 127.0)).collect();
        assert_eq!(passed(&bursts), bursts);
    }

    #[test]
    fn a_flood_passes_once_an_interval_and_its_last_value_always() {
        let flood: Vec<_> = (0..4_096_u32).map(|i| (u64::from(i / 8), f64::from(i))).collect();
        let passed = passed(&flood);
        assert_eq!(passed[..64], flood[..64]);
        assert_eq!(passed[64], (24, 199.0), "the last one until the second interval");
        assert!(passed[64..].iter().all(|(sample, _)| sample % 24 == 0));
        assert_eq!(passed.len(), 64 + 22);
        assert_eq!(passed.last(), Some(&(528, 4_095.0)));
    }

    #[test]
    fn kinds_are_thinned_apart_and_notes_come_after_the_changes_that_wait() {
        let mut thinning = Thinning::new(RATE);
        let off = Change::Event(Event::AllSoundOff);
        for change in [off, Change::Settings] {
            assert!((0..64).all(|_| thinning.admit(change, 8) == Admission::Now));
        }
        assert!(!thinning.is_waiting());
        assert_eq!(thinning.admit(Change::Settings, 8), Admission::Later);
        assert!(thinning.holds_settings() && thinning.due() == 24);
        let key = KeyNumber::from_midi(60).unwrap();
        let note = Change::Event(Event::NoteOn { key, velocity: 0.5 });
        assert_eq!(thinning.admit(note, 9), Admission::AfterWaiting);
        assert_eq!((thinning.take(9), thinning.take(9)), (Some(Change::Settings), None));
        assert!(!thinning.is_waiting());
        thinning.admit(Change::Settings, 9);
        thinning.reset();
        assert!(!thinning.is_waiting() && thinning.admit(Change::Settings, 0) == Admission::Now);
    }
}
