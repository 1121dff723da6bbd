//! The lift of the dampers over the travel of the sustain pedal, and the pedal's present position.

use egui::{Rect, Shape, Stroke, Ui, pos2, vec2};

use crate::state::controls::Controls;
use crate::views::plot::{Axis, Plot};
use crate::widgets::theme;
use touchback_instrument::Snapshot;

/// Number of steps of the curve.
const STEPS: u32 = 200;
/// Lines of both axes, %.
const TICKS: [f64; 5] = [0.0, 25.0, 50.0, 75.0, 100.0];

/// Height of the bar that shows the travel, points.
const BAR: f32 = 4.0;

/// Draws the curve, `height` points high.
pub(super) fn ui(ui: &mut Ui, height: f32, snapshot: &Snapshot, controls: &dyn Controls) {
    let pedals = controls.settings().pedals;
    let axis = || Axis::new((0.0, 100.0), false, &TICKS);
    let title = "lift of the dampers, %, over the pedal's travel, %";
    let plot = Plot::new(ui, height, title, axis(), axis());
    let at = |travel: f64| plot.at(100.0 * travel, 100.0 * pedals.lift(travel));
    let painter = ui.painter();
    let curve = (0..=STEPS).map(|step| at(f64::from(step) / f64::from(STEPS)));
    painter.add(Shape::line(curve.collect(), Stroke::new(2.0, theme::curve(ui, 0))));
    let now = at(snapshot.sustain);
    let pressed =
        Rect::from_min_max(plot.area.left_bottom() - vec2(0.0, BAR), pos2(now.x, plot.area.max.y));
    painter.rect_filled(pressed, 0.0, theme::brass(ui));
    painter.circle_filled(now, 4.0, theme::curve(ui, 1));
    plot.response.on_hover_text(
        "The dampers move within the zone of the pedal's travel. The dot is its present position.",
    );
}
