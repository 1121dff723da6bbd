//! A walk through the window: steps that a drawn pointer performs under captions, for moving pictures and as a
//! test of what they show.

use std::time::Duration;

use egui::{
    Color32, Event, FontId, Id, LayerId, Order, Panel, PointerButton, Pos2, Rect, Sense, Shape,
    Stroke, Ui, pos2, vec2,
};

use super::player::Film;
use egui::accesskit::{Action, ActionRequest, NodeId, Role, TreeId};
use touchback_instrument::host::midi_file::Score;
use touchback_instrument::host::params::find;
use touchback_window::offscreen::Picture;
use touchback_window::tree::{self, Control};

/// Frames a second.
pub(super) const RATE: u16 = 10;
/// Time in which the pointer reaches a control, and for which a step stands where it says nothing else, s.
const GLIDE: f64 = 0.5;
const STANDS: f64 = 1.2;
/// Time for which lists scroll, s.
const SCROLLS: f64 = 0.3;
/// Height of the captions, points.
const CAPTION: f32 = 40.0;

/// A walk.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Walk {
    /// A MIDI file beside the walk, for the step that plays it.
    pub(super) music: Option<String>,
    /// The steps.
    #[serde(rename = "step")]
    steps: Vec<Step>,
}

/// One step; what it has is done in this order.
#[derive(Clone, Default, Debug, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Step {
    /// The caption from now on.
    say: Option<String>,
    /// Whether the music begins.
    play: bool,
    /// The control that is clicked.
    click: Option<String>,
    /// The control that is dragged, by so many points to the right and down.
    drag: Option<String>,
    by: [f32; 2],
    /// What is typed into the clicked control, followed by Enter.
    enter: Option<String>,
    /// The parameter that a host's automation moves, and its last value.
    automate: Option<String>,
    to: f64,
    /// Duration of drag and automation, and of the pause after another step, s.
    seconds: Option<f64>,
    /// Words that must then be in the window.
    see: Option<String>,
}

/// What is drawn over the window.
struct Stage {
    caption: String,
    pointer: Pos2,
    is_down: bool,
}

impl Stage {
    /// Draws captions above the window and the pointer over it.
    fn ui(&self, ui: &mut Ui) {
        let (ink, ground) = (Color32::from_gray(240), Color32::from_rgb(0, 58, 92));
        let frame = egui::Frame::NONE.fill(ground);
        Panel::top("caption").exact_size(CAPTION).frame(frame).show(ui, |ui| {
            let (rect, _) = ui.allocate_exact_size(ui.available_size(), Sense::hover());
            let font = FontId::proportional(16.0);
            let text = ui.painter().layout(self.caption.clone(), font, ink, rect.width() - 24.0);
            let at = rect.left_center() + vec2(12.0, -0.5 * text.size().y);
            ui.painter().galley(at, text, ink);
        });
        let painter = ui.ctx().layer_painter(LayerId::new(Order::Debug, Id::unique("pointer")));
        if self.is_down {
            painter.circle_stroke(
                self.pointer,
                11.0,
                Stroke::new(3.0, Color32::from_rgb(213, 94, 0)),
            );
        }
        let corners =
            [vec2(0.0, 0.0), vec2(0.0, 20.0), vec2(14.0, 14.0)].map(|by| self.pointer + by);
        let line = Stroke::new(1.5, Color32::WHITE);
        painter.add(Shape::convex_polygon(corners.to_vec(), Color32::BLACK, line));
    }
}

/// A walk while it is performed.
struct Performer<'a> {
    film: &'a mut Film,
    stage: Stage,
    controls: Vec<Control>,
    /// The pictures; none where they are not drawn.
    pictures: Option<Vec<Picture>>,
}

impl Walk {
    /// Performs the walk in `film`, with `music` for the step that plays it. Returns the pictures, if they are to be
    /// drawn.
    ///
    /// # Errors
    /// A control or words that are not in the window, in a line with the step's number.
    pub(super) fn perform(
        &self,
        film: &mut Film,
        music: Option<&Score>,
        draws: bool,
    ) -> Result<Vec<Picture>, String> {
        let stage = Stage { caption: String::new(), pointer: pos2(-20.0, -20.0), is_down: false };
        let pictures = draws.then(Vec::new);
        let mut performer = Performer { film, stage, controls: Vec::new(), pictures };
        // The first frames lay out the window.
        for _ in 0..4 {
            performer.lay_out(Vec::new()).drop_without_applying_deltas();
        }
        for (index, step) in self.steps.iter().enumerate() {
            performer.step(step, music).map_err(|fault| format!("step {}: {fault}", index + 1))?;
        }
        Ok(performer.pictures.unwrap_or_default())
    }
}

impl Performer<'_> {
    fn step(&mut self, step: &Step, music: Option<&Score>) -> Result<(), String> {
        if let Some(caption) = &step.say {
            self.stage.caption.clone_from(caption);
        }
        if step.play {
            self.film.perform(music.ok_or("there is no music")?, 0.0);
        }
        if let Some(name) = &step.click {
            let at = self.scrolled_to(name)?.center();
            self.go(at);
            self.press(true);
            self.press(false);
        }
        let mut pause = step.seconds.unwrap_or(STANDS);
        if let Some(name) = &step.drag {
            let (at, by) = (self.scrolled_to(name)?.center(), vec2(step.by[0], step.by[1]));
            self.go(at);
            self.press(true);
            self.moved(at + by, pause);
            self.press(false);
            pause = STANDS;
        }
        if let Some(text) = &step.enter {
            self.frame(vec![Event::Text(text.clone())]);
            let key = |pressed| Event::Key {
                key: egui::Key::Enter,
                physical_key: None,
                pressed,
                repeat: false,
                modifiers: egui::Modifiers::NONE,
            };
            self.frame(vec![key(true)]);
            self.frame(vec![key(false)]);
        }
        if let Some(id) = &step.automate {
            let parameter = find(id).map_err(|error| error.to_string())?;
            let from = self.film.value(parameter);
            let count = frames(pause);
            for number in 1..=count {
                let share = number as f64 / count as f64;
                self.film.automate(parameter, from + share * (step.to - from));
                self.frame(Vec::new());
            }
            pause = 0.0;
        }
        for _ in 0..frames(pause) {
            self.frame(Vec::new());
        }
        match &step.see {
            Some(words) if !self.controls.iter().any(|c| has(c, words)) => {
                let all = self.controls.iter().map(|c| c.name.as_str());
                Err(format!(
                    "`{words}` is not in the window, which has: {}",
                    all.collect::<Vec<_>>().join("; ")
                ))
            }
            _ => Ok(()),
        }
    }

    /// The control `name`, rather than a text of this name.
    fn find(&self, name: &str) -> Result<&Control, String> {
        let found = self.controls.iter().filter(|control| control.name == name);
        let best = found.max_by_key(|control| control.role != Role::Label);
        best.ok_or_else(|| format!("there is no control `{name}`"))
    }

    /// The place of the control `name`, after lists have scrolled to it.
    fn scrolled_to(&mut self, name: &str) -> Result<Rect, String> {
        let request = ActionRequest {
            action: Action::ScrollIntoView,
            target_tree: TreeId::ROOT,
            target_node: NodeId(self.find(name)?.id),
            data: None,
        };
        self.frame(vec![Event::AccessKitActionRequest(request)]);
        for _ in 0..frames(SCROLLS) {
            self.frame(Vec::new());
        }
        Ok(self.find(name)?.rect)
    }

    /// Moves the pointer to `at`.
    fn go(&mut self, at: Pos2) {
        self.moved(at, GLIDE);
    }

    /// Moves the pointer to `to` within `seconds`, slowly at both ends.
    fn moved(&mut self, to: Pos2, seconds: f64) {
        let from = self.stage.pointer;
        let count = frames(seconds).max(1);
        for number in 1..=count {
            let share = number as f32 / count as f32;
            self.stage.pointer = from + (to - from) * (share * share * (3.0 - 2.0 * share));
            self.frame(vec![Event::PointerMoved(self.stage.pointer)]);
        }
    }

    fn press(&mut self, pressed: bool) {
        self.stage.is_down = pressed;
        let (pos, button) = (self.stage.pointer, PointerButton::Primary);
        let modifiers = egui::Modifiers::NONE;
        self.frame(vec![Event::PointerButton { pos, button, pressed, modifiers }]);
    }

    /// Lays out a frame and finds its controls.
    fn lay_out(&mut self, events: Vec<Event>) -> egui::FullOutput {
        let mut output = self.film.lay_out(events, |ui| self.stage.ui(ui));
        if let Some(update) = output.platform_output.accesskit_update.take() {
            self.controls = tree::controls(&update);
        }
        output
    }

    /// Plays on for a frame and draws it, once keys are measured and files are read.
    fn frame(&mut self, events: Vec<Event>) {
        self.film.advance(1.0 / f64::from(RATE));
        let mut output = self.lay_out(events);
        while self.film.is_reading() {
            std::thread::sleep(Duration::from_millis(1));
            let waited = std::mem::replace(&mut output, self.lay_out(Vec::new()));
            waited.drop_without_applying_deltas();
        }
        match &mut self.pictures {
            Some(pictures) => pictures.push(self.film.draw(output)),
            None => output.drop_without_applying_deltas(),
        }
    }
}

/// Whether `control` shows `words`.
fn has(control: &Control, words: &str) -> bool {
    control.name.contains(words) || control.value.contains(words)
}

fn frames(seconds: f64) -> usize {
    touchback_core::math::cast::floor_index((seconds * f64::from(RATE)).round())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use touchback_window::faces::face::Face;
    use touchback_window::shot::Shot;

    /// Largest moving picture of a walk, bytes.
    const LARGEST: u64 = 1_000_000;

    fn performed(text: &str, music: Option<&Score>, draws: bool) -> Result<Vec<Picture>, String> {
        let walk: Walk = toml::from_str(text).unwrap();
        let shot = Shot { size: (900.0, 600.0), scale: 0.8, face: Face::Piano, ..Shot::default() };
        walk.perform(&mut Film::new(&shot, RATE.into()), music, draws)
    }

    /// The committed walk `name`, whose picture is not too large.
    fn walked(name: &str) {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/walks"));
        let text = std::fs::read_to_string(folder.join(name).with_extension("toml")).unwrap();
        let walk: Walk = toml::from_str(&text).unwrap();
        let music = walk.music.map(|file| {
            let bytes = std::fs::read(folder.join(&file)).unwrap();
            Score::read(&file, &bytes).unwrap()
        });
        performed(&text, music.as_ref(), false).unwrap();
        let picture = folder.join(name).with_extension("png").metadata().unwrap();
        assert!(picture.len() <= LARGEST, "{name}: {} bytes", picture.len());
    }

    #[test]
    fn a_producer_automates_let_off() {
        walked("producer");
    }

    #[test]
    fn a_technician_finds_a_fault() {
        walked("technician");
    }

    #[test]
    fn a_student_repeats_figure_5_8() {
        walked("student");
    }

    #[test]
    fn a_walk_stops_where_the_window_differs_from_its_words() {
        let fails = |steps: &str| performed(steps, None, false).unwrap_err();
        assert_eq!(fails("[[step]]\nclick = \"Nothing\""), "step 1: there is no control `Nothing`");
        let error = fails("[[step]]\nclick = \"Voice\"\n[[step]]\nsee = \"Cheese\"");
        assert!(error.starts_with("step 2: `Cheese` is not in the window, which has: "), "{error}");
        assert_eq!(fails("[[step]]\nplay = true"), "step 1: there is no music");
        let pictures = performed("[[step]]\nsay = \"one\"\nseconds = 0.2", None, true).unwrap();
        assert_eq!(pictures.len(), 2);
        assert_eq!((pictures[0].width, pictures[0].height), (720, 480));
    }
}
