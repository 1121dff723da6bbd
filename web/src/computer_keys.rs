//! The computer's keys as piano keys, by their places: the row under the letters Q, W, E … begins on middle C,
//! the lowest row an octave below; the digits and the middle row are the black keys. Space is the sustain pedal.

use std::collections::BTreeMap;

use egui::{Context, Event as Input, Key};

use touchback_core::math::compass::KeyNumber;
use touchback_instrument::Event;

/// Velocity of a note: a computer's key does not tell how it is struck.
const VELOCITY: f64 = 0.6;
const RELEASE: f64 = 0.5;

/// Keys and their MIDI notes.
const NOTES: [(Key, u8); 29] = [
    (Key::Z, 48),
    (Key::S, 49),
    (Key::X, 50),
    (Key::D, 51),
    (Key::C, 52),
    (Key::V, 53),
    (Key::G, 54),
    (Key::B, 55),
    (Key::H, 56),
    (Key::N, 57),
    (Key::J, 58),
    (Key::M, 59),
    (Key::Q, 60),
    (Key::Num2, 61),
    (Key::W, 62),
    (Key::Num3, 63),
    (Key::E, 64),
    (Key::R, 65),
    (Key::Num5, 66),
    (Key::T, 67),
    (Key::Num6, 68),
    (Key::Y, 69),
    (Key::Num7, 70),
    (Key::U, 71),
    (Key::I, 72),
    (Key::Num9, 73),
    (Key::O, 74),
    (Key::Num0, 75),
    (Key::P, 76),
];

/// The keys that are held.
#[derive(Clone, Debug, Default)]
pub struct ComputerKeys {
    held: BTreeMap<Key, KeyNumber>,
    is_pedal_down: bool,
}

impl ComputerKeys {
    /// Appends what the keys pressed and released since the last frame play. Nothing is pressed while text is
    /// typed. Space is taken from the control that has the focus, which Enter still clicks.
    pub fn play(&mut self, context: &Context, play: &mut Vec<Event>) {
        let is_typing = context.text_edit_focused();
        context.input_mut(|input| {
            for event in &input.events {
                match event {
                    Input::Key { key, physical_key, pressed, repeat: false, modifiers } => {
                        let key = physical_key.unwrap_or(*key);
                        let is_wanted = !is_typing && !modifiers.command && !modifiers.alt;
                        self.turn(key, *pressed, is_wanted, play);
                    }
                    // The browser does not report keys that are released elsewhere.
                    Input::WindowFocused(false) => self.release(play),
                    _ => {}
                }
            }
            if !is_typing {
                input.events.retain(|event| !matches!(event, Input::Key { key: Key::Space, .. }));
            }
        });
    }

    fn turn(&mut self, key: Key, is_pressed: bool, is_wanted: bool, play: &mut Vec<Event>) {
        if key == Key::Space {
            if is_pressed && is_wanted || !is_pressed && self.is_pedal_down {
                self.is_pedal_down = is_pressed;
                play.push(Event::Sustain(f64::from(u8::from(is_pressed))));
            }
            return;
        }
        if let Some(held) = self.held.remove(&key) {
            play.push(Event::NoteOff { key: held, velocity: RELEASE });
        }
        let note =
            NOTES.iter().find(|(of, _)| *of == key).and_then(|(_, n)| KeyNumber::from_midi(*n));
        if let Some(note) = note.filter(|_| is_pressed && is_wanted) {
            self.held.insert(key, note);
            play.push(Event::NoteOn { key: note, velocity: VELOCITY });
        }
    }

    /// Releases all keys and the pedal.
    fn release(&mut self, play: &mut Vec<Event>) {
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
        let on = |note: u8| Event::NoteOn {
            key: KeyNumber::from_midi(note).unwrap(),
            velocity: VELOCITY,
        };
        let off = |note: u8| Event::NoteOff {
            key: KeyNumber::from_midi(note).unwrap(),
            velocity: RELEASE,
        };
        keys.turn(Key::Q, true, true, &mut play);
        keys.turn(Key::Space, true, true, &mut play);
        keys.turn(Key::Num2, true, true, &mut play);
        keys.turn(Key::Q, false, true, &mut play);
        assert_eq!(play, [on(60), Event::Sustain(1.0), on(61), off(60)]);
        play.clear();
        keys.release(&mut play);
        keys.release(&mut play);
        keys.turn(Key::Space, false, true, &mut play);
        assert_eq!(play, [off(61), Event::Sustain(0.0)]);
        play.clear();
        // While text is typed a key held before is still released.
        keys.turn(Key::M, true, true, &mut play);
        keys.turn(Key::M, false, false, &mut play);
        keys.turn(Key::N, true, false, &mut play);
        assert_eq!(play, [on(59), off(59)]);
    }

    #[test]
    fn the_rows_rise_by_half_tones() {
        assert!(NOTES.windows(2).all(|pair| pair[1].1 == pair[0].1 + 1));
    }
}
