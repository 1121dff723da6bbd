//! Events inside a key, for the sound engine, output files and the window.

use crate::step_time;
use touchback_core::math::compass::KeyNumber;

/// The list of events, given once: event, name in files, value, unit.
macro_rules! key_events {
    ($($(#[$doc:meta])* $kind:ident $name:literal { $(#[$of:meta])* $number:ident $unit:literal })*) => {
        /// An event in a key, with its value.
        #[derive(Clone, Copy, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
        pub enum KeyEvent {
            $($(#[$doc])* $kind { $(#[$of])* $number: f64 },)*
        }

        /// The kind of a [`KeyEvent`], without its value.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum EventKind {
            $($(#[$doc])* $kind,)*
        }

        impl KeyEvent {
            /// Kind of the event.
            #[must_use]
            pub const fn kind(self) -> EventKind {
                match self { $(Self::$kind { .. } => EventKind::$kind,)* }
            }

            /// Value of the event, in [`EventKind::unit`].
            #[must_use]
            pub const fn value(self) -> f64 {
                match self { $(Self::$kind { $number } => $number,)* }
            }
        }

        impl EventKind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// Name in files.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }

            /// Unit of the value; empty for a ratio.
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
        /// Speed of the hammer's crown toward the string, m/s.
        speed "m/s"
    }
    /// Hammer meets the string.
    Strike "strike" {
        /// Speed of the hammer's crown, m/s.
        speed "m/s"
    }
    /// The string slips off a plectrum.
    Pluck "pluck" {
        /// Displacement of the string at the plectrum, m.
        displacement "m"
    }
    /// Backcheck catches the hammer.
    Check "check" {
        /// Distance of the hammer's crown below the string, m.
        distance "m"
    }
    /// Jack is back under the knuckle.
    Reset "reset" {
        /// Depth of the key front, m.
        depth "m"
    }
    /// Key front meets the key bed.
    KeyBottom "key_bottom" {
        /// Downward speed of the key front, m/s.
        speed "m/s"
    }
    /// Damper leaves the string.
    DamperLift "damper_lift" {
        /// Depth of the key front, m.
        depth "m"
    }
    /// Damper lands on the string.
    DamperFall "damper_fall" {
        /// Downward speed of the damper, m/s.
        speed "m/s"
    }
    /// Key is back on its rest felt.
    KeyRest "key_rest" {
        /// Upward speed of the key front, m/s.
        speed "m/s"
    }
    /// Damper of a key whose action runs in another process has moved; no action raises this event.
    Damper "damper" {
        /// Lift of the damper, 0 (on the string) … 1 (clear).
        lift ""
    }
}

impl EventKind {
    /// Displayed name: the name in files with spaces.
    #[must_use]
    pub fn message(self) -> String {
        self.name().replace('_', " ")
    }
}

impl std::fmt::Display for KeyEvent {
    /// Displayed name and value, with lengths in mm.
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
    /// The key.
    pub key: KeyNumber,
    /// Step in which the event occurs, by the caller's count.
    pub step: u64,
    /// Time since the beginning of the step, s, 0…[`crate::STEP`].
    pub offset: f64,
    /// The event.
    pub event: KeyEvent,
}

impl TimedEvent {
    /// Time since the beginning of step 0, s.
    #[must_use]
    pub fn time(&self) -> f64 {
        step_time(self.step) + self.offset
    }
}

/// Events of one step. The capacity of 512 is several events for every key; further events are dropped and
/// counted.
#[derive(Default, Debug)]
pub struct EventList {
    step: u64,
    events: arrayvec::ArrayVec<TimedEvent, 512>,
    dropped: usize,
}

impl EventList {
    /// Clears the events, but not the count of dropped ones, and sets the step of those to come.
    pub fn begin(&mut self, step: u64) {
        self.step = step;
        self.clear();
    }

    /// Clears the events, but not the count of dropped ones.
    pub fn clear(&mut self) {
        self.events.clear();
    }

    /// Appends an event of `key`, `offset` s after the beginning of the step.
    pub fn push(&mut self, key: KeyNumber, offset: f64, event: KeyEvent) {
        let timed = TimedEvent { key, step: self.step, offset, event };
        if self.events.try_push(timed).is_err() {
            self.dropped += 1;
        }
    }

    /// Inserts an event of `key` after the key's earlier ones. The events from index `from` on must be in the
    /// order of their keys, and stay so.
    pub fn insert(&mut self, from: usize, key: KeyNumber, offset: f64, event: KeyEvent) {
        let index = from + self.events[from..].partition_point(|earlier| earlier.key <= key);
        let timed = TimedEvent { key, step: self.step, offset, event };
        if self.events.try_insert(index, timed).is_err() {
            self.dropped += 1;
        }
    }

    /// Number of events dropped since creation.
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
    fn event_names_are_those_of_the_file_formats() {
        let names: Vec<_> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
        let expected = [
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
        assert_eq!(names, expected);
        let check = KeyEvent::Check { distance: 0.012 };
        assert_eq!(
            (check.kind(), check.value(), check.kind().unit()),
            (EventKind::Check, 0.012, "m")
        );
        assert_eq!(check.to_string(), "check 12.00 mm");
        assert_eq!(KeyEvent::DamperFall { speed: 0.25 }.to_string(), "damper fall 0.25 m/s");
    }
}
