//! What the face is for while no keyboard is chosen: the emulator by one click, what to buy, what to build.

use egui::{Frame, RichText, Sense, Stroke, Ui, vec2};

use crate::faces::manual;
use crate::widgets::{control, theme};
use touchback_haptics::connection::EMULATED_KEYS;

/// A way to a keyboard: its name, its picture as boxes from player to computer, and what it needs.
const WAYS: [(&str, &[&str], &str); 2] = [
    (
        "Buy",
        &["key", "lever", "motor", "controller", "USB"],
        "A motor controller as sold for robots (moteus, ODrive), a brushless motor and a lever of 80 mm under a key: \
         weight, let-off and soft to medium strokes, without firmware of one's own.",
    ),
    (
        "Build",
        &["key", "coil or motor", "encoder", "amplifier", "processor", "USB"],
        "A position sensor of 1 to 2 µm, an amplifier with current control, a processor and the firmware of this \
         project: up to the fortissimo of a grand.",
    ),
];

/// Height of a box of the pictures at usual size, points.
const BOX: f32 = 22.0;

/// Draws the introduction. Returns whether the emulator is to be started and armed.
pub(super) fn ui(ui: &mut Ui) -> bool {
    ui.label(
        "A motorized keyboard pushes back: its keys have the weight, let-off and rebound of the simulated \
         action. The curves under What a finger feels are what its motors should give.",
    );
    let hint = format!(
        "Starts {EMULATED_KEYS} simulated keys with motors and a simulated finger that plays them, and arms them: \
         nothing is connected to this computer"
    );
    let text = RichText::new("Start the emulated keyboard and its finger").strong();
    let is_started = ui.button(text).on_hover_text(hint).clicked();
    for (name, parts, text) in WAYS {
        ui.add_space(4.0);
        Frame::group(ui.style()).show(ui, |ui| {
            ui.set_width(ui.available_width());
            ui.strong(name);
            chain(ui, name, parts);
            ui.label(text);
        });
    }
    let link = ui.link("Parts, prices and wiring: the manual's page Building a key");
    let error = link.clicked().then(|| manual::open(ui.ctx()).err()).flatten();
    control::refused(&link, error.map(|error| format!("The manual cannot be written: {error}")));
    is_started
}

/// Draws `parts` as boxes with lines between them, in as many rows as they need.
fn chain(ui: &mut Ui, name: &str, parts: &[&str]) {
    let (ink, line) = (ui.visuals().text_color(), Stroke::new(1.2, theme::faint(ui)));
    let font = egui::TextStyle::Small.resolve(ui.style());
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        for (index, part) in parts.iter().enumerate() {
            let text = ui.painter().layout_no_wrap((*part).to_owned(), font.clone(), ink);
            let lead = if index == 0 { 0.0 } else { 14.0 };
            let size = vec2(text.size().x + 12.0 + lead, theme::size(ui) * BOX);
            let (whole, response) = ui.allocate_exact_size(size, Sense::hover());
            let label = format!("{name}: {part}");
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, &label));
            let rect = whole.with_min_x(whole.min.x + lead);
            let painter = ui.painter();
            if lead > 0.0 {
                painter.line_segment([whole.left_center(), rect.left_center()], line);
            }
            painter.rect_stroke(rect, 4.0, line, egui::StrokeKind::Inside);
            painter.galley(rect.center() - 0.5 * text.size(), text, ink);
        }
    });
}
