//! Fingers on keys and pedals: several at once, each with the key or pedal that it is on.

use egui::{Event as Input, Pos2, Rect, TouchDeviceId, TouchId, TouchPhase, Ui};

use super::{RELEASE, hit};
use crate::widgets::pedals;
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::{Event, Snapshot};

/// Time, s, after which a finger that leaves a pedal lifts it; a shorter touch lets it stay down.
const TAP: f64 = 0.35;

/// What a finger is on.
#[derive(Clone, Copy, Debug)]
enum On {
    Key(KeyNumber),
    Pedal {
        index: usize,
        /// Time of the touch, s.
        since: f64,
        /// Whether the pedal was down before.
        was_down: bool,
    },
}

/// The fingers on the screen that play.
#[derive(Clone, Default, Debug)]
pub(super) struct Touches {
    fingers: Vec<((TouchDeviceId, TouchId), On)>,
}

/// Velocity 0…1 of a touch: of its place on the key and, where the screen measures it, its force. Screens that do
/// not measure it report 0 or 1.
fn velocity(place: f64, force: Option<f32>) -> f64 {
    match force {
        Some(force) if force > 0.0 && force < 1.0 => 0.5 * (place + 0.1 + 0.9 * f64::from(force)),
        _ => place,
    }
}

impl Touches {
    /// Follows the frame's touches on the part `area` of the keys `whole` and on the pedals in `foot`. Returns the
    /// last pressed key.
    ///
    /// Browsers move the pointer before they tell the touch that it follows, now and then a frame earlier: a finger on
    /// the key `by_pointer`, which the pointer holds, takes it over.
    pub(super) fn follow(
        &mut self,
        ui: &Ui,
        [whole, area, foot]: [Rect; 3],
        snapshot: &Snapshot,
        by_pointer: &mut Option<KeyNumber>,
        play: &mut Vec<Event>,
    ) -> Option<KeyNumber> {
        let (events, now) = ui.input(|input| {
            let touch = |event: &Input| matches!(event, Input::Touch { .. });
            (
                input.events.iter().filter(|event| touch(event)).cloned().collect::<Vec<_>>(),
                input.time,
            )
        });
        let mut last = None;
        for event in events {
            let Input::Touch { device_id, id, phase, pos, force } = event else { continue };
            let id = (device_id, id);
            match phase {
                TouchPhase::Start if is_uncovered(ui, pos) => {
                    let key = area.contains(pos).then(|| hit(whole, pos)).flatten();
                    if let Some((key, _)) = key
                        && by_pointer.take_if(|held| *held == key).is_some()
                    {
                        self.fingers.push((id, On::Key(key)));
                    } else if let Some((key, place)) = key {
                        last = self.press(id, key, velocity(place, force), play).or(last);
                    } else if let Some(index) = pedals::at(foot, pos) {
                        let was_down = pedals::is_down(index, snapshot);
                        play.push(pedals::event(index, true));
                        self.fingers.push((id, On::Pedal { index, since: now, was_down }));
                    }
                }
                TouchPhase::Move => {
                    let on = self.fingers.iter().find(|(of, _)| *of == id).map(|(_, on)| *on);
                    if let Some(On::Key(held)) = on
                        && area.contains(pos)
                        && let Some((key, place)) = hit(whole, pos)
                        && key != held
                    {
                        self.leave(id, now, play);
                        last = self.press(id, key, velocity(place, force), play).or(last);
                    }
                }
                TouchPhase::End | TouchPhase::Cancel => self.leave(id, now, play),
                TouchPhase::Start => {}
            }
        }
        last
    }

    /// Whether a finger plays, or has left in this frame: the pointer then follows it and plays nothing itself.
    pub(super) fn is_any(&self, ui: &Ui) -> bool {
        let touches = |input: &egui::InputState| {
            let touch = |event: &Input| matches!(event, Input::Touch { .. });
            input.any_touches() || input.events.iter().any(touch)
        };
        !self.fingers.is_empty() || ui.input(touches)
    }

    /// Presses `key`, unless another finger holds it.
    fn press(
        &mut self,
        id: (TouchDeviceId, TouchId),
        key: KeyNumber,
        velocity: f64,
        play: &mut Vec<Event>,
    ) -> Option<KeyNumber> {
        if self.fingers.iter().any(|(_, on)| matches!(on, On::Key(held) if *held == key)) {
            return None;
        }
        self.fingers.push((id, On::Key(key)));
        play.push(Event::NoteOn { key, velocity });
        Some(key)
    }

    /// The finger `id` leaves its key or pedal at `now` s.
    fn leave(&mut self, id: (TouchDeviceId, TouchId), now: f64, play: &mut Vec<Event>) {
        let Some(index) = self.fingers.iter().position(|(of, _)| *of == id) else { return };
        match self.fingers.swap_remove(index).1 {
            On::Key(key) => play.push(Event::NoteOff { key, velocity: RELEASE }),
            On::Pedal { index, since, was_down } if was_down || now - since > TAP => {
                play.push(pedals::event(index, false));
            }
            On::Pedal { .. } => {}
        }
    }

    /// All fingers leave. Call when the window closes.
    pub(super) fn release(&mut self, play: &mut Vec<Event>) {
        while let Some((id, _)) = self.fingers.first() {
            self.leave(*id, f64::INFINITY, play);
        }
    }
}

/// Whether no menu is above the keys at `at`.
fn is_uncovered(ui: &Ui, at: Pos2) -> bool {
    ui.ctx().layer_id_at(at).is_none_or(|layer| layer == ui.layer_id())
}
