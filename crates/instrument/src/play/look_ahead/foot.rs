//! The sustain pedal in look-ahead timing, with its lifts re-timed by [`pedal_repair`](crate::play::pedal_repair).
//!
//! The way up waits for the latency, so that the way down is known before the dampers fall. A key that rises
//! while the way down is delayed takes the pedal down before it.

use crate::play::pedal_repair::{FLUTTER, LEAST, Lift, PRESS};
use touchback_core::math::cast::floor_index;

/// Samples at which the pedal's events are due.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foot {
    least: u64,
    press: u64,
    flutter: u64,
    is_down: bool,
    /// The pedal has sent positions between up and down.
    sends_positions: bool,
    /// Way down before the last way up.
    pressed: u64,
    lift: Option<TimedLift>,
}

/// The last way up, and the way down after it.
#[derive(Clone, Copy, Debug)]
struct TimedLift {
    earliest: u64,
    up: u64,
    /// The way up as received.
    received: u64,
    /// It follows another lift without a note between.
    is_flutter: bool,
    /// As received; `None` while the pedal is up.
    requested: Option<u64>,
    down: u64,
}

/// Events in the queue to be moved: from a sample to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Move {
    pub(super) up: (u64, u64),
    pub(super) down: (u64, u64),
}

impl Foot {
    /// A pedal that is up; `rate` Hz.
    pub(super) fn new(rate: f64) -> Self {
        let samples = |seconds: f64| floor_index((seconds * rate).round()) as u64;
        Self {
            least: samples(LEAST),
            press: samples(PRESS),
            flutter: samples(FLUTTER),
            is_down: false,
            sends_positions: false,
            pressed: 0,
            lift: None,
        }
    }

    /// The pedal has nothing waiting and is up.
    pub(super) const fn forget(&mut self) {
        (self.is_down, self.sends_positions, self.pressed, self.lift) = (false, false, 0, None);
    }

    /// The pedal's `travel` (0…1) of sample `due` was received at sample `now`; the last note before sample `due`
    /// sounds at `note`. Returns the sample at which it moves, and the move of an earlier event of the pedal.
    pub(super) fn travel(
        &mut self,
        travel: f64,
        due: u64,
        note: u64,
        now: u64,
        repairs: bool,
    ) -> (u64, Option<Move>) {
        self.sends_positions |= travel > 0.0 && travel < 1.0;
        let (was_down, is_down) = (self.is_down, travel > 0.0);
        self.is_down = is_down;
        if was_down && !is_down {
            let is_flutter = self.lift.is_some_and(|lift| {
                lift.requested.is_some()
                    && note < lift.received
                    && due <= lift.received + self.flutter
            });
            let moved = match is_flutter {
                true => self.as_received(now),
                false => self.not_after(due, due.saturating_sub(self.press)),
            };
            let pressed = self.lift.map_or(self.pressed, |lift| lift.down);
            let earliest = note.max(now).max(pressed + self.press);
            self.pressed = pressed;
            self.lift = Some(TimedLift {
                earliest,
                up: due,
                received: due,
                is_flutter,
                requested: None,
                down: due,
            });
            return (due, moved);
        }
        let (least, is_switch) = (self.least, !self.sends_positions);
        let Some(lift) = self.lift.as_mut().filter(|_| is_down) else { return (due, None) };
        if lift.requested.is_none() {
            lift.requested = Some(due);
            lift.down = due;
            let is_flutter = lift.is_flutter && note < lift.received;
            if repairs && is_switch && !is_flutter {
                lift.down = lift.within(u64::MAX, due, least).1;
            }
        }
        (due.max(lift.down), None)
    }

    /// A key rises at sample `due`; now is sample `now`. Returns the move of the pedal's events that takes
    /// it down before.
    pub(super) fn key_rises(&mut self, due: u64, now: u64) -> Option<Move> {
        self.not_after(now, due.saturating_sub(self.press))
    }

    /// The last lift as received, but not before `now`.
    fn as_received(&mut self, now: u64) -> Option<Move> {
        let lift = self.lift.as_mut()?;
        let before = (lift.up, lift.down);
        lift.up = lift.received;
        lift.down = lift.requested?.max(now).min(lift.down);
        let moved = Move { up: (before.0, lift.up), down: (before.1, lift.down) };
        (before != (lift.up, lift.down)).then_some(moved)
    }

    /// Moves a delayed way down to `latest` if it would come later, and the way up before it to `now` at
    /// the earliest.
    fn not_after(&mut self, now: u64, latest: u64) -> Option<Move> {
        let lift = self.lift.as_mut()?;
        let requested = lift.requested?;
        if lift.down <= latest.max(requested) {
            return None;
        }
        let before = (lift.up, lift.down);
        lift.earliest = lift.earliest.max(now);
        (lift.up, lift.down) = lift.within(latest, requested, self.least);
        Some(Move { up: (before.0, lift.up), down: (before.1, lift.down) })
    }
}

impl TimedLift {
    /// Ways up and down of the repaired lift, down at `latest` or at `requested`.
    fn within(&self, latest: u64, requested: u64, least: u64) -> (u64, u64) {
        let repaired = Lift {
            up: self.up.into(),
            down: requested.into(),
            earliest: self.earliest.into(),
            latest: latest.into(),
        }
        .repaired(least.into());
        let sample = |time: u128| u64::try_from(time).unwrap_or(u64::MAX);
        (sample(repaired.up), sample(repaired.down))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At 1 kHz a sample is a millisecond.
    fn foot() -> Foot {
        let mut foot = Foot::new(1000.0);
        assert_eq!(foot.travel(1.0, 100, 0, 0, true), (100, None));
        foot
    }

    #[test]
    fn a_short_lift_ends_later_and_before_the_next_key_rises() {
        let mut foot = foot();
        assert_eq!(foot.travel(0.0, 1000, 500, 500, true), (1000, None));
        assert_eq!(foot.travel(1.0, 1003, 1000, 1000, true), (1150, None));
        assert_eq!(foot.travel(1.0, 1004, 1000, 1000, true), (1150, None), "sent twice");
        assert_eq!(foot.key_rises(1200, 950), None);
        let moved = Move { up: (1000, 960), down: (1150, 1080) };
        assert_eq!(foot.key_rises(1100, 960), Some(moved));
        assert_eq!(foot.key_rises(1120, 980), None);
        // The next lift follows the press.
        let moved = Move { up: (960, 960), down: (1080, 1070) };
        assert_eq!(foot.travel(0.0, 1090, 1000, 1000, true), (1090, Some(moved)));
    }

    /// Two lifts without a note between: both as received, also those that follow.
    #[test]
    fn a_flutter_stays() {
        let mut foot = foot();
        assert_eq!(foot.travel(0.0, 1000, 900, 800, true), (1000, None));
        assert_eq!(foot.travel(1.0, 1060, 900, 860, true), (1150, None), "may be a change");
        let moved = Move { up: (1000, 1000), down: (1150, 1060) };
        assert_eq!(foot.travel(0.0, 1120, 900, 920, true), (1120, Some(moved)));
        assert_eq!(foot.travel(1.0, 1180, 900, 980, true), (1180, None));
        assert_eq!(foot.travel(0.0, 1240, 900, 1040, true), (1240, None));
        assert_eq!(foot.travel(1.0, 1300, 900, 1100, true), (1300, None));
        assert_eq!(foot.key_rises(1310, 1110), None);
        // With a note between it is a change again.
        assert_eq!(foot.travel(0.0, 1500, 1450, 1300, true), (1500, None));
        assert_eq!(foot.travel(1.0, 1560, 1450, 1360, true), (1650, None));
    }

    #[test]
    fn long_lifts_positions_and_pedals_without_repair_stay() {
        let mut off = foot();
        assert_eq!(off.travel(0.0, 1000, 500, 500, false), (1000, None));
        assert_eq!(off.travel(1.0, 1003, 1000, 1000, false), (1003, None));
        let mut long = foot();
        assert_eq!(long.travel(0.0, 1000, 500, 500, true), (1000, None));
        assert_eq!(long.travel(1.0, 1180, 1000, 1000, true), (1180, None));
        let mut recorded = foot();
        assert_eq!(recorded.travel(0.5, 900, 500, 500, true), (900, None));
        assert_eq!(recorded.travel(0.0, 1000, 500, 500, true), (1000, None));
        assert_eq!(recorded.travel(1.0, 1003, 1000, 1000, true), (1003, None));
    }
}
