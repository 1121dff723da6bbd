//! A small time-line of one note: the message, the finger, the hammer's strike, under the present timing.

use egui::{Align2, Rect, Sense, Stroke, TextStyle, Ui, pos2, vec2};

use crate::state::controls::Controls;
use crate::widgets::theme;
use touchback_core::math::cast::single;
use touchback_instrument::settings::Timing;

/// Height of the drawing and its parts at usual size, points.
const HEIGHT: f32 = 64.0;
/// Space at both ends, points.
const MARGIN: f32 = 12.0;
/// Drawn duration of a press, ms: from note-on to strike at a middle velocity.
const PRESS: f64 = 60.0;
/// Drawn time before and after the note-on, ms.
const SPAN: (f64, f64) = (-30.0, 240.0);

/// Draws the time-line and a sentence.
pub fn ui(ui: &mut Ui, controls: &dyn Controls) {
    let touch = controls.settings().touch;
    // Times of the finger's first motion and of the strike that is heard, ms from the note-on.
    let (finger, strike, text) = match touch.timing {
        Timing::Immediate => {
            (None, 0.0, "Immediate: the note-on is the strike. No delay; the finger is left out.")
        }
        Timing::Natural => (
            Some(0.0),
            PRESS,
            "Natural: the finger starts at the note-on; soft notes sound up to 0.2 s later, as on a \
             piano.",
        ),
        Timing::LookAhead => {
            let late = 1e3 * touch.latency.seconds();
            (
                Some(late - PRESS),
                late,
                "Look-ahead: everything is late by the latency, which the host compensates; every \
                 strike is in time.",
            )
        }
    };
    let large = theme::size(ui);
    let font = TextStyle::Small.resolve(ui.style());
    let size = vec2(ui.available_width() - 2.0 * MARGIN, large * HEIGHT);
    let (area, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, text));
    let painter = ui.painter_at(area);
    let line = area.min.y + large * 40.0;
    let room = Rect::from_min_max(area.min, area.max);
    let at = |ms: f64| {
        let share = (ms - SPAN.0) / (SPAN.1 - SPAN.0);
        pos2(room.min.x + single(share) * room.width(), line)
    };
    let faint = theme::faint(ui);
    painter.line_segment([at(SPAN.0), at(SPAN.1)], Stroke::new(1.0, faint));
    if let Some(finger) = finger {
        let half = vec2(0.0, large * 5.0);
        let bar = Rect::from_min_max(at(finger) - half, at(strike) + half);
        painter.rect_filled(bar, 3.0, theme::curve(ui, 0).gamma_multiply(0.5));
        let middle = pos2(bar.center().x, line + large * 8.0);
        painter.text(middle, Align2::CENTER_TOP, "press", font.clone(), faint);
    }
    let mark = |ms: f64, name: &str, colour, up: f32| {
        painter.line_segment(
            [at(ms) - vec2(0.0, up), at(ms) + vec2(0.0, large * 6.0)],
            Stroke::new(2.0, colour),
        );
        let text = at(ms) - vec2(-4.0, up);
        painter.text(text, Align2::LEFT_TOP, name, font.clone(), colour);
    };
    mark(0.0, "note-on", ui.visuals().text_color(), large * 36.0);
    mark(strike, "strike", theme::curve(ui, 1), large * 20.0);
    ui.label(egui::RichText::new(text).color(faint));
}
