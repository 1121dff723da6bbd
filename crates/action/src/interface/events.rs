//! What happens inside a key: events that the sound, the files and the window want to know.

use crate::step_time;
use touchback_core::math::compass::KeyNumber;

/// The one list of events: what happens, its name in files, its number and the number's unit.
macro_rules! key_events {
    ($($(#[$doc:meta])* $kind:ident $name:literal { $(#[$of:meta])* $number:ident $unit:literal })*) => {
        /// Something that happens in a key, with how much.
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub enum KeyEvent {
            $($(#[$doc])* $kind { $(#[$of])* $number: f64 },)*
        }

        /// What a [`KeyEvent`] is, without its number.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum EventKind {
            $($(#[$doc])* $kind,)*
        }

        impl KeyEvent {
            /// What it is.
            #[must_use]
            pub const fn kind(self) -> EventKind {
                match self { $(Self::$kind { .. } => EventKind::$kind,)* }
            }

            /// Its number, in [`EventKind::unit`].
            #[must_use]
            pub const fn value(self) -> f64 {
                match self { $(Self::$kind { $number } => $number,)* }
            }
        }

        impl EventKind {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// Its name in files.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }

            /// Unit of its number; empty for a share.
            #[must_use]
            pub const fn unit(self) -> &'static str {
                match self { $(Self::$kind => $unit,)* }
            }
        }
    };
}

key_events! {
    /// Jack toe meets the let-off button.
    LetOffStart "let_off_start" {
        /// Depth of the key front, m.
        depth "m"
    }
    /// Jack leaves the knuckle and the hammer flies.
    Release "release" {
        /// Of the hammer's crown toward the string, m/s.
        speed "m/s"
    }
    /// Hammer meets the string.
    Strike "strike" {
        /// Of the hammer's crown, m/s.
        speed "m/s"
    }
    /// The string slips off a plectrum.
    Pluck "pluck" {
        /// Of the string at the plectrum, m.
        displacement "m"
    }
    /// Backcheck catches the hammer.
    Check "check" {
        /// Of the hammer's crown below the string, m.
        distance "m"
    }
    /// Jack is back under the knuckle.
    Reset "reset" {
        /// Depth of the key front, m.
        depth "m"
    }
    /// Key front meets the key bed.
    KeyBottom "key_bottom" {
        /// Of the key front, downward, m/s.
        speed "m/s"
    }
    /// Damper leaves the string.
    DamperLift "damper_lift" {
        /// Depth of the key front, m.
        depth "m"
    }
    /// Damper lands on the string.
    DamperFall "damper_fall" {
        /// Of the damper, downward, m/s.
        speed "m/s"
    }
    /// Key is back on its rest felt.
    KeyRest "key_rest" {
        /// Of the key front, upward, m/s.
        speed "m/s"
    }
    /// Damper of a key whose action runs elsewhere has moved; no action tells this itself.
    Damper "damper" {
        /// How far it is off the string, 0 resting … 1 clear.
        lift ""
    }
}

impl EventKind {
    /// Its name in words.
    #[must_use]
    pub fn message(self) -> String {
        self.name().replace('_', " ")
    }
}

impl std::fmt::Display for KeyEvent {
    /// Its name in words and its number, lengths in mm.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (kind, value) = (self.kind(), self.value());
        match kind.unit() {
            "m" => write!(f, "{} {:.2} mm", kind.message(), 1e3 * value),
            unit => write!(f, "{} {value:.2} {unit}", kind.message()),
        }
    }
}

/// An event of one key and its time on the grid of action steps.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TimedEvent {
    /// Which key.
    pub key: KeyNumber,
    /// Step in which it happens, by the count of whoever steps.
    pub step: u64,
    /// Time after the step's beginning, s, 0…[`crate::STEP`].
    pub offset: f64,
    /// What happens.
    pub event: KeyEvent,
}

impl TimedEvent {
    /// Its time since the beginning of step 0, s.
    #[must_use]
    pub fn time(&self) -> f64 {
        step_time(self.step) + self.offset
    }
}

/// Events of one step. Capacity covers every key raising several; beyond it events are counted
/// and dropped, oldest kept.
#[derive(Default, Debug)]
pub struct EventList {
    step: u64,
    events: arrayvec::ArrayVec<TimedEvent, 512>,
    dropped: usize,
}

impl EventList {
    /// Forgets the events, keeps the count of dropped ones; what comes happens in `step`.
    pub fn begin(&mut self, step: u64) {
        self.step = step;
        self.clear();
    }

    /// Forgets the events, keeps the count of dropped ones.
    pub fn clear(&mut self) {
        self.events.clear();
    }

    /// Appends what happens in `key`, `offset` s after the step's beginning.
    pub fn push(&mut self, key: KeyNumber, offset: f64, event: KeyEvent) {
        let timed = TimedEvent { key, step: self.step, offset, event };
        if self.events.try_push(timed).is_err() {
            self.dropped += 1;
        }
    }

    /// Adds what happens in `key` behind its earlier events; those from the `from`th on stand, and
    /// stay, in order of their keys.
    pub fn insert(&mut self, from: usize, key: KeyNumber, offset: f64, event: KeyEvent) {
        let behind = self.events[from..].partition_point(|earlier| earlier.key <= key);
        let timed = TimedEvent { key, step: self.step, offset, event };
        if self.events.try_insert(from + behind, timed).is_err() {
            self.dropped += 1;
        }
    }

    /// Events that found no room since creation.
    #[must_use]
    pub const fn dropped(&self) -> usize {
        self.dropped
    }
}

impl std::ops::Deref for EventList {
    type Target = [TimedEvent];
    fn deref(&self) -> &[TimedEvent] {
        &self.events
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_files_and_none_stands_twice() {
        let names: Vec<_> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
        let of_the_contract = [
            "let_off_start",
            "release",
            "strike",
            "pluck",
            "check",
            "reset",
            "key_bottom",
            "damper_lift",
            "damper_fall",
            "key_rest",
            "damper",
        ];
        assert_eq!(names, of_the_contract);
        let check = KeyEvent::Check { distance: 0.012 };
        assert_eq!(
            (check.kind(), check.value(), check.kind().unit()),
            (EventKind::Check, 0.012, "m")
        );
        assert_eq!(check.to_string(), "check 12.00 mm");
        assert_eq!(KeyEvent::DamperFall { speed: 0.25 }.to_string(), "damper fall 0.25 m/s");
    }
}
