//! Pressing a drawn key with the mouse. If the instrument reads key positions, a drag sets the depth;
//! otherwise a click plays a note.

use egui::Response;

use touchback_core::math::compass::KeyNumber;
use touchback_instrument::Event;

/// Velocity of a click.
const VELOCITY: f64 = 0.6;

/// Mouse travel for the whole dip, points: the drawn key's own travel is too short for a hand.
const TRAVEL: f64 = 60.0;

/// The key held by the mouse and its requested depth, fraction of the dip, 0…1.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct KeyHand {
    held: Option<(KeyNumber, f64)>,
    /// Whether the click is shorter than a frame, or a screen reader's: released with the next frame.
    is_brief: bool,
}

impl KeyHand {
    /// Follows the pointer on the drawn `key`. `reads_position`: the instrument reads key positions.
    pub fn follow(
        &mut self,
        on: Response,
        key: KeyNumber,
        reads_position: bool,
        play: &mut Vec<Event>,
    ) {
        on.widget_info(|| {
            egui::WidgetInfo::labeled(egui::Role::Button, true, "Play the drawn key")
        });
        if std::mem::take(&mut self.is_brief) {
            self.release(play);
        }
        if on.is_pointer_button_down_on() {
            match &mut self.held {
                Some((held, depth)) if reads_position => {
                    *depth = (*depth + f64::from(on.drag_delta().y) / TRAVEL).clamp(0.0, 1.0);
                    play.push(Event::Pressure { key: *held, depth: *depth });
                }
                Some(_) => {}
                none => {
                    *none = Some((key, 0.0));
                    if !reads_position {
                        play.push(Event::NoteOn { key, velocity: VELOCITY });
                    }
                }
            }
        } else if on.clicked() && self.held.is_none() && !reads_position {
            play.push(Event::NoteOn { key, velocity: VELOCITY });
            (self.held, self.is_brief) = (Some((key, 0.0)), true);
            on.ctx.request_repaint();
        } else {
            self.release(play);
        }
        on.on_hover_text(if reads_position {
            "Drag down to press the key as deep as you like"
        } else {
            "Click to play; with Key pressure (face Touch) set to Position, drag the key itself"
        });
    }

    /// Releases the key. Call when the window closes.
    pub fn release(&mut self, play: &mut Vec<Event>) {
        if let Some((key, depth)) = self.held.take() {
            play.push(if depth > 0.0 {
                Event::Pressure { key, depth: 0.0 }
            } else {
                // Has no effect on a key that no note holds.
                Event::NoteOff { key, velocity: 0.5 }
            });
        }
    }
}
