//! Emulated fingers that play a score on an emulated keyboard.

use anyhow::{Context as _, Result};

use crate::feel::performer::presses;
use touchback_core::math::compass::KeyNumber;
use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction};
use touchback_instrument::Settings;
use touchback_instrument::host::midi_file::Score;

/// Depth to which a hand presses, m: beyond the key's dip, so that the hand's spring holds the key down.
const DEPTH: f64 = 22e-3;
/// Distance from the hand at rest to [`DEPTH`], m.
const TRAVEL: f64 = DEPTH + 5e-3;
/// Speed of the hand over that of the fingertip (chosen: the hand's spring and damper yield to the key).
const HAND: f64 = 1.7;
/// Duration of a release, s.
const RELEASE: f64 = 0.06;
/// Time from a finger's leaving to the next press of its key, s: the action resets meanwhile.
const REPEAT: f64 = 0.2;

/// The motions of fingers for a score.
pub(super) struct Fingers {
    actions: Vec<ScriptedAction>,
    /// Piano number of the first key.
    pub(super) first_key: u8,
    /// Number of keys.
    pub(super) keys: u8,
    /// The key that is pressed first.
    pub(super) pressed_first: KeyNumber,
    /// Number of presses.
    pub(super) presses: usize,
}

impl Fingers {
    /// Fingers that play `score` on just the keys that it needs. A hand moves as fast as the fingertip that gives the
    /// mapped hammer speed, by the factor [`HAND`].
    ///
    /// # Errors
    /// A score without notes of the piano.
    pub(super) fn of(score: &Score) -> Result<Self> {
        let notes = presses(score, &Settings::default());
        let pressed_first = notes.first().context("the score has no notes")?.1.key;
        let numbers = notes.iter().map(|(_, press)| press.key.number());
        let first_key = numbers.clone().min().unwrap_or(pressed_first.number());
        let last_key = numbers.max().unwrap_or(first_key);
        let actions = notes.iter().enumerate().map(|(i, (time, press))| {
            let key = usize::from(press.key.number() - first_key);
            if press.speed > 0.0 {
                let within = TRAVEL / (HAND * press.speed);
                let action = FingerAction::Press { depth: DEPTH, within };
                return ScriptedAction { time: *time, key, action };
            }
            // A finger leaves a key that is soon pressed again earlier than the score ends the note.
            let again = notes[i + 1..].iter().find(|(_, next)| next.key == press.key);
            let time = again.map_or(*time, |(again, _)| time.min(again - REPEAT));
            ScriptedAction { time, key, action: FingerAction::Release { within: RELEASE } }
        });
        let presses = notes.iter().filter(|(_, press)| press.speed > 0.0).count();
        let keys = last_key - first_key + 1;
        Ok(Self { actions: actions.collect(), first_key, keys, pressed_first, presses })
    }

    /// The script whose first moment is `begin`, s after the keyboard's power-up.
    pub(super) fn script(&self, begin: f64) -> Script {
        let later =
            |action: &ScriptedAction| ScriptedAction { time: action.time + begin, ..*action };
        Script::new(self.actions.iter().map(later).collect())
    }

    /// Time of the last motion, s.
    pub(super) fn end(&self) -> f64 {
        self.actions.iter().fold(0.0, |end, action| end.max(action.time))
    }
}
