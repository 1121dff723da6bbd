//! What happens inside a key: moments that the sound, the files and the window want to know.

use crate::math::compass::KeyNumber;

/// Kinds of action events; the value that comes with each is in brackets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// Jack toe meets the let-off button (key depth, m).
    LetOffStart,
    /// Jack leaves the knuckle and the hammer flies (hammer speed, m/s).
    Release,
    /// Hammer meets the string (hammer speed, m/s).
    Strike,
    /// The string slips off a plectrum (its displacement there, m).
    Pluck,
    /// Backcheck catches the hammer (hammer distance below the string, m).
    Check,
    /// Jack is back under the knuckle (key depth, m).
    Reset,
    /// Key front meets the key bed (key-front speed, m/s).
    KeyBottom,
    /// Damper leaves the string (key depth, m).
    DamperLift,
    /// Damper lands on the string (damper speed, m/s).
    DamperFall,
    /// Key is back on its rest felt (key-front speed, m/s).
    KeyRest,
}

/// One event of one key.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ActionEvent {
    /// The key it happened in.
    pub key: KeyNumber,
    /// When: seconds after the beginning of the action step, 0…[`super::STEP`].
    pub offset: f64,
    /// What.
    pub kind: EventKind,
    /// How much; its meaning is listed with [`EventKind`].
    pub value: f64,
}

/// Events of one step. Capacity covers every key raising several; beyond it events are counted
/// and dropped, oldest kept.
#[derive(Default, Debug)]
pub struct EventList {
    events: arrayvec::ArrayVec<ActionEvent, 512>,
    dropped: usize,
}

impl EventList {
    /// Appends one event.
    pub fn push(&mut self, event: ActionEvent) {
        if self.events.try_push(event).is_err() {
            self.dropped += 1;
        }
    }

    /// Forgets the events, keeps the count of dropped ones.
    pub fn clear(&mut self) {
        self.events.clear();
    }

    /// Events that found no room since creation.
    #[must_use]
    pub const fn dropped(&self) -> usize {
        self.dropped
    }
}

impl std::ops::Deref for EventList {
    type Target = [ActionEvent];
    fn deref(&self) -> &[ActionEvent] {
        &self.events
    }
}
