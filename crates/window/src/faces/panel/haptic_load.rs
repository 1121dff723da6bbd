//! The picture of a haptic wall or load, which no note can play, in the state of the keyboard's first key.

use egui::{Role, Sense, Ui, WidgetInfo, vec2};

use crate::views::drawing::other;
use crate::views::drawing::paint::{self, ScreenMapping};
use crate::widgets::theme;
use touchback_action::interface::key::Key as _;
use touchback_action::interface::pose::Pose;
use touchback_haptics::action::Action;
use touchback_haptics::keyboard::bench_load::BenchLoad;
use touchback_haptics::sidecar::SidecarReport;

/// Largest size of the picture, points.
const SIZE: egui::Vec2 = vec2(520.0, 230.0);

/// The pose of `action` for the first key of `report`; none for actions that notes can play, which the
/// instrument's action shows.
fn pose(action: Action, report: Option<&SidecarReport>) -> Option<Pose> {
    let depth = report.map_or(0.0, |report| report.keys[0][0]);
    match action {
        Action::Played(_) => None,
        Action::Wall | Action::Walled(..) => Some(BenchLoad::WALL.at(depth, 0.0).pose()),
        Action::Bench => {
            let bench = BenchLoad::BENCH;
            let hammer = report.and_then(|report| report.hammers[0]);
            let hammer = hammer.map_or(bench.hammer_x, |height| bench.string.depth + height);
            Some(bench.at(depth, hammer).pose())
        }
    }
}

/// Draws `action`, if it is a wall or load.
pub(super) fn ui(ui: &mut Ui, action: Action, report: Option<&SidecarReport>) {
    let (Some(shown), Some(rest)) = (pose(action, report), pose(action, None)) else { return };
    let width = ui.available_width().min(SIZE.x);
    let (rect, response) = ui.allocate_exact_size(vec2(width, SIZE.y), Sense::hover());
    let [depth, force] = report.map_or([0.0; 2], |report| report.keys[0]);
    let reading = format!("first key {:.2} mm deep, {force:+.2} N", 1e3 * depth);
    let name = format!("Picture of the {}: {reading}", action.name());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 4.0, ui.visuals().extreme_bg_color);
    let view = ScreenMapping::fit_low(other::around(&other::load(&rest), None), rect.shrink(6.0));
    let drawing = other::load(&shown);
    paint::paint(&painter, &view, &drawing, ui.visuals().dark_mode);
    paint::paint_labels(&painter, &view, &drawing, theme::faint(ui));
    paint::paint_contacts(&painter, &view, &drawing, theme::accent(ui));
    let font = egui::FontId::proportional(11.0);
    let corner = rect.min + vec2(10.0, 8.0);
    painter.text(corner, egui::Align2::LEFT_TOP, reading, font, theme::faint(ui));
}
