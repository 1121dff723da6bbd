//! Records of a piano's playing.

use touchback_action::KeyEvent;
use touchback_core::math::compass::KeyNumber;

/// Counters since creation or reset.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Counts {
    /// Note-ons received.
    pub notes: u64,
    /// Note-ons of keys that are silent because their string does not reach the scale's pitch.
    pub unreached: u64,
    /// Hammers that met a string.
    pub strikes: u64,
    /// Presses that ended without a strike: the key reached its bottom or was let go, and the
    /// hammer can no longer arrive.
    pub silent_presses: u64,
    /// Immediate notes that strict repetition left silent: the jack was not back under the knuckle.
    pub missed_repetitions: u64,
    /// Notes that look-ahead timing could not play in time; they sound late.
    pub late: u64,
    /// Events ignored because their value is not finite.
    pub ignored: u64,
    /// Key pressures ignored because the settings read them as aftertouch.
    pub aftertouch: u64,
    /// Action events lost because a list was full.
    pub lost: u64,
    /// Motions of a key whose energy balance did not close by more than 0.3 % of the work, or 1 mJ, since
    /// creation: the integration did not follow a contact.
    pub unbalanced: u64,
    /// Strikes that sounded but did not fit into [`Piano::strikes`](crate::Piano::strikes).
    pub unlisted: u64,
}

/// One hammer strike.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StrikeRecord {
    /// Time of the strike since reset, s.
    pub time: f64,
    /// Which key.
    pub key: KeyNumber,
    /// Hammer speed, m/s; 1 for a plucked string.
    pub speed: f64,
    /// Time of the note-on that caused it, s; NaN without one.
    pub note_on: f64,
}

/// One event of a key's action.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EventRecord {
    /// Time at which it sounds, or would, since reset, s.
    pub time: f64,
    /// Which key.
    pub key: KeyNumber,
    /// The event.
    pub event: KeyEvent,
}
