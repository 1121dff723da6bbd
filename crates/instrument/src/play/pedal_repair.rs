//! Pedal repair: lifts of the sustain pedal that are too short to damp, re-timed as a foot would time them.
//!
//! Notation programs write a change of pedal as a switch that is up for 1 to 50 ms. Dampers need longer to
//! stop a string. A lift shorter than [`LEAST`] ends later, as long as every note that the pedal is to keep
//! is held by its key; where that is not enough, it begins earlier, but not before the last note of the old
//! harmony. What a foot plays is not changed: a pedal that sends positions between up and down, and lifts that
//! follow each other within [`FLUTTER`] without a note between, which change no harmony.

/// Least time between up and down, s: shorter lifts are re-timed. Nine tenths of the lifts of a pianist in two
/// recorded performances are longer (Chopin op. 10/3: 60 lifts below half travel, the shortest 100 ms, the
/// tenth part below 150 ms, median 260 ms; Mozart K. 331: 110 lifts, 100, 160 and 350 ms); shorter ones are
/// half pedals.
pub const LEAST: f64 = 0.15;

/// Time between two lifts without a note between, s, up to which they are a foot's flutter (chosen: two in a second;
/// notation writes a lift where a harmony begins).
pub const FLUTTER: f64 = 0.5;

/// Time before the end of a key's press at which the pedal is down again, s: the damper tray's full travel.
pub const PRESS: f64 = 0.02;

/// A lift of the pedal, and the limits of its times. All times are in one unit, in which [`LEAST`] is `least`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lift {
    /// Time at which the pedal goes up.
    pub up: u128,
    /// Time at which it goes down again.
    pub down: u128,
    /// Earliest time of the way up.
    pub earliest: u128,
    /// Latest time of the way down.
    pub latest: u128,
}

impl Lift {
    /// The lift with a duration of `least` where its limits permit this: first it ends later, then it begins
    /// earlier. Never shorter.
    #[must_use]
    pub fn repaired(self, least: u128) -> Self {
        let down = (self.up + least).min(self.latest).max(self.down);
        let up = down.saturating_sub(least).max(self.earliest).min(self.up);
        Self { up, down, ..self }
    }

    /// Duration.
    #[cfg(any(test, feature = "midi-files"))]
    #[must_use]
    pub const fn length(self) -> u128 {
        self.down.saturating_sub(self.up)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn lift(earliest: u128, up: u128, down: u128, latest: u128) -> Lift {
        Lift { up, down, earliest, latest }
    }

    #[test]
    fn a_lift_ends_later_and_then_begins_earlier() {
        let of = |lift: Lift| {
            let Lift { up, down, .. } = lift.repaired(150);
            (up, down)
        };
        assert_eq!(of(lift(0, 1000, 1003, 9000)), (1000, 1150));
        assert_eq!(of(lift(0, 1000, 1003, 1080)), (930, 1080), "a key rises at 1100");
        assert_eq!(of(lift(980, 1000, 1003, 1080)), (980, 1080), "the old harmony ends at 980");
        assert_eq!(of(lift(0, 1000, 1003, 900)), (853, 1003), "the pedal catches a key");
        assert_eq!(of(lift(0, 1000, 1200, 9000)), (1000, 1200), "long enough");
        assert_eq!(of(lift(0, 100, 101, 0)), (0, 101), "at the beginning");
    }

    proptest! {
        #[test]
        fn a_repair_keeps_its_limits_and_changes_nothing_the_second_time(
            times in prop::collection::vec(0u128..1000, 4),
        ) {
            let (up, down) = (times[0].min(times[1]), times[0].max(times[1]));
            let before = lift(times[2], up, down, times[3]);
            let once = before.repaired(150);
            prop_assert!(once.up <= up && once.down >= down);
            prop_assert!(once.up >= before.earliest.min(up));
            prop_assert!(once.down <= before.latest.max(down));
            prop_assert!(once.length() <= 150.max(before.length()));
            prop_assert_eq!(once.repaired(150), once);
        }
    }
}
