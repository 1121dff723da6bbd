//! A hand on a drawn key: drags it as deep as it goes where the instrument reads positions, else
//! plays a note.

use egui::Response;

use crate::instrument::Event;
use crate::math::compass::KeyNumber;

/// Velocity of a click.
const VELOCITY: f64 = 0.6;

/// Travel of the hand for the whole dip, points: the key's own would be a hair's breadth.
const TRAVEL: f64 = 60.0;

/// The key it holds, and how deep it wants it, share of the dip.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Hand(Option<(KeyNumber, f64)>);

impl Hand {
    /// Follows the pointer on the drawn `key`; `reads` tells that the instrument reads positions.
    pub fn follow(&mut self, on: Response, key: KeyNumber, reads: bool, play: &mut Vec<Event>) {
        on.widget_info(|| {
            egui::WidgetInfo::labeled(egui::Role::Button, true, "Play the drawn key")
        });
        if on.is_pointer_button_down_on() {
            match &mut self.0 {
                Some((held, depth)) if reads => {
                    *depth = (*depth + f64::from(on.drag_delta().y) / TRAVEL).clamp(0.0, 1.0);
                    play.push(Event::Pressure { key: *held, depth: *depth });
                }
                Some(_) => {}
                none => {
                    *none = Some((key, 0.0));
                    if !reads {
                        play.push(Event::NoteOn { key, velocity: VELOCITY });
                    }
                }
            }
        } else {
            self.release(play);
        }
        on.on_hover_text(if reads {
            "Drag down to press the key as deep as you like"
        } else {
            "Click to play; with Key pressure (panel Touch) set to Position, drag the key itself"
        });
    }

    /// Lets go: also when the window closes.
    pub fn release(&mut self, play: &mut Vec<Event>) {
        if let Some((key, depth)) = self.0.take() {
            play.push(if depth > 0.0 {
                Event::Pressure { key, depth: 0.0 }
            } else {
                // Of a key that no note holds it does nothing.
                Event::NoteOff { key, velocity: 0.5 }
            });
        }
    }
}
