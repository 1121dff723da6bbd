//! Pedal repair of a whole score: see [`crate::play::pedal_repair`].

use super::Score;
use crate::host::midi::InputMessage;
use crate::host::midi::controller::SUSTAIN;
use crate::play::pedal_repair::{FLUTTER, LEAST, Lift, PRESS};
use crate::settings::{PedalSettings, Polarity, Switch};
use touchback_core::math::cast::floor_index;

/// Lifts of the sustain pedal that are too short to damp; those of a flutter do not count.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ShortLifts {
    /// Number of them.
    pub count: usize,
    /// The shortest one, s.
    pub shortest: f64,
    /// Number of those that pedal repair made longer.
    pub repaired: usize,
    /// Number of those that are still too short.
    pub remaining: usize,
}

impl ShortLifts {
    /// One line about them; `None` where there are none.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        let Self { count, shortest, repaired, remaining } = *self;
        let [least, shortest] = [LEAST, shortest].map(|seconds| 1e3 * seconds);
        let lifts = format!(
            "lifts of the sustain pedal shorter than {least:.0} ms: {count} (the shortest: {shortest:.0} ms)"
        );
        match (count, repaired) {
            (0, _) => None,
            (_, 0) if remaining == count => Some(format!(
                "{lifts}, too short for the dampers; --set pedal_repair=on makes them longer"
            )),
            _ if remaining > 0 => Some(format!(
                "{lifts}; pedal repair made {repaired} longer, {remaining} of all are still shorter, \
                 because notes leave no time (--set pedal_repair=off plays them as written)"
            )),
            _ => Some(format!(
                "{lifts}; pedal repair made all as long (--set pedal_repair=off plays them as written)"
            )),
        }
    }
}

/// One channel's pedal in a score.
struct Foot {
    /// Indices of its events.
    events: Vec<usize>,
    is_inverted: bool,
}

impl Foot {
    fn is_down(&self, message: &InputMessage) -> bool {
        matches!(message, InputMessage::Controller { value, .. } if (*value > 0.0) != self.is_inverted)
    }
}

impl Score {
    /// Re-times lifts of the sustain pedal that are too short to damp, if the settings have pedal repair on,
    /// and counts them. The pedal of a channel that sends positions between up and down stays.
    pub(crate) fn repair_pedals(&mut self, settings: &PedalSettings) -> ShortLifts {
        let repairs = settings.pedal_repair == Switch::On;
        let is_inverted = settings.pedal_polarity == Polarity::Inverted;
        let mut lifts = ShortLifts::default();
        let is_note = |(at, message): &(u128, InputMessage)| match message {
            InputMessage::NoteOn { velocity, .. } if *velocity > 0.0 => Some(*at),
            _ => None,
        };
        let notes: Vec<u128> = self.events.iter().filter_map(is_note).collect();
        for channel in 0..16 {
            let own = |event: &(u128, InputMessage)| {
                matches!(event.1,
                InputMessage::Controller { channel: own, number: SUSTAIN, .. } if own == channel)
            };
            let events: Vec<usize> =
                (0..self.events.len()).filter(|i| own(&self.events[*i])).collect();
            let is_switch = events.iter().all(|i| {
                matches!(self.events[*i].1, InputMessage::Controller { value, .. }
                    if value <= 0.0 || value >= 1.0)
            });
            if is_switch {
                self.repair_pedal(&Foot { events, is_inverted }, &notes, repairs, &mut lifts);
            }
        }
        // Stable: events of one time keep their order.
        self.events.sort_by_key(|(time, _)| *time);
        lifts
    }

    /// Seconds in the score's unit of time.
    pub(super) fn units(&self, seconds: f64) -> u128 {
        floor_index((seconds * self.per_second as f64).round()) as u128
    }

    /// Re-times the lifts of one pedal, with the times of all `notes`.
    fn repair_pedal(&mut self, foot: &Foot, notes: &[u128], repairs: bool, lifts: &mut ShortLifts) {
        let [least, press, flutter] = [LEAST, PRESS, FLUTTER].map(|seconds| self.units(seconds));
        let Foot { events, .. } = foot;
        let is_down: Vec<bool> = events.iter().map(|i| foot.is_down(&self.events[*i].1)).collect();
        // The times as written, which the limits of later lifts need too.
        let written: Vec<u128> = events.iter().map(|i| self.events[*i].0).collect();
        let mut pressed = None;
        let mut flutters = false;
        let mut at = 0;
        while at < events.len() {
            if is_down[at] {
                pressed = pressed.or(Some(written[at]));
                at += 1;
                continue;
            }
            let down = (at..events.len()).find(|i| is_down[*i]);
            let (Some(before), Some(down)) = (pressed, down) else {
                at += 1;
                continue;
            };
            let next_up = (down..events.len()).find(|i| !is_down[*i]).unwrap_or(events.len());
            // The next lift without a note between or with it: a foot's flutter.
            let follows = written.get(next_up).is_some_and(|next| {
                let among = |time: u128| notes.partition_point(|note| *note < time);
                *next <= written[at] + flutter && among(written[at]) == among(*next + press)
            });
            let is_flutter = std::mem::replace(&mut flutters, follows) || follows;
            let lift = Lift {
                up: written[at],
                down: written[down],
                earliest: self.last_note_before(events[at]).max(before + press),
                latest: written
                    .get(next_up)
                    .copied()
                    .into_iter()
                    .chain(self.first_release_after(events[down], least))
                    .min()
                    .map_or(u128::MAX, |time| time.saturating_sub(press)),
            };
            pressed = Some(lift.down);
            if lift.length() < least && !is_flutter {
                let seconds = lift.length() as f64 / self.per_second as f64;
                lifts.shortest =
                    if lifts.count == 0 { seconds } else { lifts.shortest.min(seconds) };
                lifts.count += 1;
                let now = if repairs { lift.repaired(least) } else { lift };
                lifts.repaired += usize::from(now.length() > lift.length());
                lifts.remaining += usize::from(now.length() < least);
                pressed = Some(now.down);
                for (i, time) in events[at..down].iter().zip(&written[at..down]) {
                    self.events[*i].0 = if *time == lift.up { now.up } else { *time };
                }
                for i in &events[down..next_up] {
                    self.events[*i].0 = self.events[*i].0.max(now.down);
                }
            }
            at = next_up;
        }
    }

    /// Time of the last note-on before the time of event `index`; 0 without one.
    fn last_note_before(&self, index: usize) -> u128 {
        let (time, _) = self.events[index];
        let earlier = self.events[..index].iter().rev();
        let is_note = |(at, message): &&(u128, InputMessage)| {
            *at < time
                && matches!(message, InputMessage::NoteOn { velocity, .. } if *velocity > 0.0)
        };
        // The list may be out of order by lifts already re-timed, which are no notes.
        earlier.take(MOST).find(is_note).map_or(0, |(at, _)| *at)
    }

    /// Time of the first note-off after the time of event `index`, within `least` and a press.
    fn first_release_after(&self, index: usize, least: u128) -> Option<u128> {
        let (time, _) = self.events[index];
        let is_release = |(at, message): &&(u128, InputMessage)| {
            *at > time
                && match message {
                    InputMessage::NoteOff { .. } => true,
                    InputMessage::NoteOn { velocity, .. } => *velocity <= 0.0,
                    _ => false,
                }
        };
        let later = self.events[index..].iter();
        let near = later.take_while(|(at, _)| *at <= time + 2 * least);
        near.filter(is_release).map(|(at, _)| *at).min()
    }
}

/// Most events looked back for a note.
const MOST: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::midi::Address;

    const NOTE: u8 = 60;

    fn pedal(channel: u8, value: f64) -> InputMessage {
        InputMessage::Controller { channel, number: SUSTAIN, value }
    }

    fn on(note: u8) -> InputMessage {
        InputMessage::NoteOn { channel: 0, note, id: None, velocity: 0.5 }
    }

    fn off(note: u8) -> InputMessage {
        InputMessage::NoteOff { to: Address::note(0, note), velocity: 0.0 }
    }

    /// Times of the pedal's events, ms, and the lifts.
    fn repaired(
        events: &[(u128, InputMessage)],
        settings: &PedalSettings,
    ) -> (Vec<u128>, ShortLifts) {
        let mut score = Score { events: events.to_vec(), per_second: 1000, warnings: Vec::new() };
        let lifts = score.repair_pedals(settings);
        assert!(score.events.is_sorted_by_key(|(time, _)| *time));
        let times =
            score.events.iter().filter(|(_, m)| matches!(m, InputMessage::Controller { .. }));
        (times.map(|(time, _)| *time).collect(), lifts)
    }

    /// Two chords; the pedal is up for `gap` ms at the second one, whose key rises `held` ms later.
    fn chords(gap: u128, held: u128) -> [(u128, InputMessage); 8] {
        [
            (0, on(NOTE)),
            (10, pedal(0, 1.0)),
            (900, off(NOTE)),
            (1000, pedal(0, 0.0)),
            (1000, on(NOTE + 2)),
            (1000 + gap, pedal(0, 1.0)),
            (1000 + held, off(NOTE + 2)),
            (3000, pedal(0, 0.0)),
        ]
    }

    #[test]
    fn short_lifts_become_as_long_as_the_notes_permit() {
        let on = PedalSettings::default();
        for gap in [1, 3, 10, 50] {
            let (times, lifts) = repaired(&chords(gap, 900), &on);
            assert_eq!(times, [10, 1000, 1150, 3000], "{gap}");
            let shortest = 1e-3 * gap as f64;
            assert_eq!(lifts, ShortLifts { count: 1, shortest, repaired: 1, remaining: 0 });
        }
        // A staccato note is caught, so the pedal goes up before it.
        assert_eq!(repaired(&chords(3, 100), &on).0, [10, 930, 1080, 3000]);
        let (times, lifts) = repaired(&chords(170, 900), &on);
        assert_eq!((times, lifts.count), (vec![10, 1000, 1170, 3000], 0));
    }

    #[test]
    fn pedals_stay_where_repair_is_off_or_positions_are_sent() {
        let off = PedalSettings { pedal_repair: Switch::Off, ..PedalSettings::default() };
        let (times, lifts) = repaired(&chords(3, 900), &off);
        assert_eq!(times, [10, 1000, 1003, 3000]);
        assert_eq!((lifts.count, lifts.repaired, lifts.remaining), (1, 0, 1));
        assert!(lifts.text().unwrap().contains("--set pedal_repair=on"));
        let mut recorded = chords(3, 900).to_vec();
        recorded[7] = (3000, pedal(0, 0.5));
        let (times, lifts) = repaired(&recorded, &PedalSettings::default());
        assert_eq!((times, lifts), (vec![10, 1000, 1003, 3000], ShortLifts::default()));
    }

    #[test]
    fn a_flutter_stays_and_the_change_after_it_does_not() {
        let mut events = vec![(0, on(NOTE)), (10, pedal(0, 1.0)), (20, off(NOTE))];
        for i in 0..4 {
            events.extend([(1000 + 120 * i, pedal(0, 0.0)), (1060 + 120 * i, pedal(0, 1.0))]);
        }
        let fluttered = [10, 1000, 1060, 1120, 1180, 1240, 1300, 1360, 1420];
        let settings = PedalSettings::default();
        assert_eq!(repaired(&events, &settings), (fluttered.to_vec(), ShortLifts::default()));
        events.extend([(1700, on(NOTE)), (1700, pedal(0, 0.0)), (1703, pedal(0, 1.0))]);
        let (times, lifts) = repaired(&events, &settings);
        assert_eq!((&times[..9], &times[9..], lifts.count), (&fluttered[..], &[1700, 1850][..], 1));
    }

    #[test]
    fn an_inverted_pedal_and_one_sent_twice_are_repaired() {
        let inverted =
            PedalSettings { pedal_polarity: Polarity::Inverted, ..PedalSettings::default() };
        let mut events = chords(3, 900).to_vec();
        for (_, message) in &mut events {
            if let InputMessage::Controller { value, .. } = message {
                *value = 1.0 - *value;
            }
        }
        assert_eq!(repaired(&events, &inverted).0, [10, 1000, 1150, 3000]);
        let mut twice = chords(3, 900).to_vec();
        twice.insert(6, (1004, pedal(0, 1.0)));
        twice.insert(4, (1001, pedal(0, 0.0)));
        twice.sort_by_key(|(time, _)| *time);
        assert_eq!(
            repaired(&twice, &PedalSettings::default()).0,
            [10, 1000, 1001, 1150, 1150, 3000]
        );
    }

    #[test]
    fn a_pedal_that_is_first_up_and_one_that_is_never_up_stay() {
        let settings = PedalSettings::default();
        let first = [(0, pedal(0, 0.0)), (3, pedal(0, 1.0)), (100, on(NOTE))];
        assert_eq!(repaired(&first, &settings), (vec![0, 3], ShortLifts::default()));
        let down = [(0, pedal(1, 1.0)), (3, pedal(1, 1.0))];
        assert_eq!(repaired(&down, &settings).1.count, 0);
    }

    /// Lifts in close succession keep their order and the presses between them.
    #[test]
    fn the_pedal_is_down_between_two_lifts() {
        let mut events = Vec::new();
        for beat in 0..6u128 {
            let t = 200 * beat;
            events.push((t, pedal(0, 0.0)));
            events.push((t, on(NOTE)));
            events.push((t + 3, pedal(0, 1.0)));
            events.push((t + 190, off(NOTE)));
        }
        let (times, lifts) = repaired(&events, &PedalSettings::default());
        assert!(times.is_sorted() && lifts.count == 5 && lifts.remaining == 0);
        let presses: Vec<u128> = times[2..].chunks(2).map(|lift| lift[1] - lift[0]).collect();
        assert_eq!(presses, [150; 5]);
    }
}
