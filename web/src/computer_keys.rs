//! The computer's keys as piano keys, by their places: the row under the letters Q, W, E … begins on middle C,
//! the lowest row an octave below; the digits and the middle row are the black keys. Space is the sustain pedal.

use std::collections::BTreeMap;

use touchback_core::math::compass::KeyNumber;
use touchback_instrument::Event;

/// Velocity of a note: a computer's key does not tell how it is struck.
const VELOCITY: f64 = 0.6;
const RELEASE: f64 = 0.5;

/// The browser's names of the keys, from the lowest note up by half tones.
const KEYS: [&str; 29] = [
    "KeyZ", "KeyS", "KeyX", "KeyD", "KeyC", "KeyV", "KeyG", "KeyB", "KeyH", "KeyN", "KeyJ", "KeyM",
    "KeyQ", "Digit2", "KeyW", "Digit3", "KeyE", "KeyR", "Digit5", "KeyT", "Digit6", "KeyY",
    "Digit7", "KeyU", "KeyI", "Digit9", "KeyO", "Digit0", "KeyP",
];

/// MIDI note of the first of [`KEYS`].
const LOWEST: usize = 48;

/// The pedal's key.
const PEDAL: &str = "Space";

/// The keys that are held.
#[derive(Clone, Debug, Default)]
pub struct ComputerKeys {
    /// Index in [`KEYS`], and the piano's key.
    held: BTreeMap<usize, KeyNumber>,
    is_pedal_down: bool,
}

impl ComputerKeys {
    /// Appends what the press or release of the key `code` plays. Returns whether the key plays anything.
    pub fn turn(&mut self, code: &str, is_pressed: bool, play: &mut Vec<Event>) -> bool {
        if code == PEDAL {
            if self.is_pedal_down != is_pressed {
                self.is_pedal_down = is_pressed;
                play.push(Event::Sustain(f64::from(u8::from(is_pressed))));
            }
            return true;
        }
        let Some(index) = KEYS.iter().position(|key| *key == code) else { return false };
        let note = u8::try_from(LOWEST + index).ok().and_then(KeyNumber::from_midi);
        if is_pressed
            && let Some(key) = note
            && !self.held.contains_key(&index)
        {
            self.held.insert(index, key);
            play.push(Event::NoteOn { key, velocity: VELOCITY });
        } else if !is_pressed && let Some(key) = self.held.remove(&index) {
            play.push(Event::NoteOff { key, velocity: RELEASE });
        }
        true
    }

    /// Releases all keys and the pedal: the browser does not report keys that are released elsewhere.
    pub fn release(&mut self, play: &mut Vec<Event>) {
        for key in std::mem::take(&mut self.held).into_values() {
            play.push(Event::NoteOff { key, velocity: RELEASE });
        }
        if std::mem::take(&mut self.is_pedal_down) {
            play.push(Event::Sustain(0.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_play_their_notes_and_nothing_stays_held() {
        let (mut keys, mut play) = (ComputerKeys::default(), Vec::new());
        let key = |note: u8| KeyNumber::from_midi(note).unwrap();
        let on = |note: u8| Event::NoteOn { key: key(note), velocity: VELOCITY };
        let off = |note: u8| Event::NoteOff { key: key(note), velocity: RELEASE };
        assert!(keys.turn("KeyQ", true, &mut play) && keys.turn("Space", true, &mut play));
        // Held keys repeat.
        assert!(keys.turn("KeyQ", true, &mut play) && keys.turn("Space", true, &mut play));
        keys.turn("Digit2", true, &mut play);
        keys.turn("KeyQ", false, &mut play);
        assert!(!keys.turn("ArrowUp", true, &mut play));
        assert_eq!(play, [on(60), Event::Sustain(1.0), on(61), off(60)]);
        play.clear();
        keys.release(&mut play);
        keys.release(&mut play);
        keys.turn("Space", false, &mut play);
        keys.turn("Digit2", false, &mut play);
        assert_eq!(play, [off(61), Event::Sustain(0.0)]);
    }
}
