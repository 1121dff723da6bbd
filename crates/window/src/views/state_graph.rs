//! The graph of an action's submodels beside its picture: the active submodel and the last transitions are lit.

use egui::epaint::QuadraticBezierShape;
use egui::{
    Align2, Color32, FontId, Painter, Pos2, Rect, Sense, Stroke, StrokeKind, Ui, Vec2, vec2,
};

use crate::state::stroke::{Row, Stroke as KeyStroke};
use crate::widgets::{control, theme};
use touchback_action::interface::graph::{self, Transition};
use touchback_core::math::cast::single;

/// Share of the picture's width for the graph.
const SHARE: f32 = 0.42;
/// Time for which a transition stays lit, s of the stroke (chosen: long enough to be seen live).
const LIT: f64 = 0.15;
/// Half size of a submodel's box beyond its name, points.
const BOX: Vec2 = vec2(8.0, 4.0);
/// Distance of a transition's curve from the straight line, share of its length.
const BOW: f32 = 0.14;
/// Length of an arrow's head, points.
const HEAD: f32 = 7.0;

/// The submodels at the shown time.
#[derive(Clone, Debug, Default)]
struct States {
    submodels: Vec<&'static str>,
    transitions: Vec<Transition>,
    active: u8,
    /// Transitions of the last moments: from, to, and 1…0 with their age.
    recent: Vec<(u8, u8, f32)>,
}

/// The graph.
#[derive(Clone, Debug, Default)]
pub struct StateGraph {
    /// Whether it is shown.
    pub is_shown: bool,
    states: States,
}

impl StateGraph {
    /// Draws the choice above the picture.
    pub fn switch(&mut self, ui: &mut Ui) {
        let hint = "The action's submodels and the conditions between them, lit as the key moves";
        ui.checkbox(&mut self.is_shown, "States").on_hover_text(hint);
    }

    /// The parts of `room` for the picture and, if it is shown, for the graph.
    #[must_use]
    pub fn split(&self, room: Rect) -> (Rect, Option<Rect>) {
        if !self.is_shown {
            return (room, None);
        }
        let (picture, graph) = room.split_left_right_at_fraction(1.0 - SHARE);
        (picture, Some(graph.with_min_x(graph.min.x + 6.0)))
    }

    /// Takes the submodels of the shown `row` of `stroke`.
    pub fn follow(&mut self, stroke: &KeyStroke, row: &Row) {
        if !self.is_shown {
            return;
        }
        let graph = stroke.graph();
        let changes = stroke.transitions(row.time - LIT, row.time);
        self.states = States {
            submodels: graph.submodels.to_vec(),
            transitions: graph.transitions.to_vec(),
            active: row.saved.phase,
            recent: changes
                .into_iter()
                .map(|(from, to, time)| (from, to, 1.0 - single((row.time - time) / LIT)))
                .collect(),
        };
    }

    /// Draws the graph in `rect`.
    pub fn ui(&self, ui: &mut Ui, rect: Rect) {
        let response = ui.allocate_rect(rect, Sense::hover());
        let painter = ui.painter_at(rect);
        painter.rect_filled(rect, 4.0, ui.visuals().extreme_bg_color);
        let states = &self.states;
        let names = &states.submodels;
        let font = FontId::proportional(12.0);
        if names.is_empty() {
            let text = "No submodels are known of this action.";
            let faint = theme::faint(ui);
            painter.text(rect.center(), Align2::CENTER_CENTER, text, font.clone(), faint);
        }
        let boxes: Vec<Rect> = (0..names.len())
            .map(|index| {
                let colour = ui.visuals().text_color();
                let size =
                    painter.layout_no_wrap(names[index].to_owned(), font.clone(), colour).size();
                Rect::from_center_size(place(index, names.len(), rect), size + 2.0 * BOX)
            })
            .collect();
        self.edges(ui, &painter, &boxes);
        for (index, (name, at)) in names.iter().zip(&boxes).enumerate() {
            let is_active = index == usize::from(states.active);
            let (fill, ink) = match is_active {
                true => (theme::band(index), Color32::WHITE),
                false => (ui.visuals().faint_bg_color, ui.visuals().text_color()),
            };
            painter.rect_filled(*at, 5.0, fill);
            let line = Stroke::new(if is_active { 2.0 } else { 1.0 }, theme::band(index));
            painter.rect_stroke(*at, 5.0, line, StrokeKind::Middle);
            painter.text(at.center(), Align2::CENTER_CENTER, *name, font.clone(), ink);
        }
        let info = || egui::WidgetInfo::labeled(egui::Role::Image, true, "States of the action");
        response.widget_info(info);
        control::describe(&response, || self.sentence());
    }

    /// The active submodel and where it can lead, in words.
    fn sentence(&self) -> String {
        let States { submodels, transitions, active, .. } = &self.states;
        let name = |index: u8| submodels.get(usize::from(index)).copied().unwrap_or("none");
        let ways = transitions.iter().filter(|way| way.from == *active);
        let ways: Vec<String> =
            ways.map(|way| format!("{} to {}", way.when, name(way.to))).collect();
        format!("{}: {}", name(*active), ways.join(", "))
    }

    /// Draws the transitions, and the conditions of those that can come next.
    fn edges(&self, ui: &Ui, painter: &Painter, boxes: &[Rect]) {
        let faint = theme::faint(ui);
        let mut next = Vec::new();
        for Transition { from, to, when } in &self.states.transitions {
            let (Some(a), Some(b)) = (boxes.get(usize::from(*from)), boxes.get(usize::from(*to)))
            else {
                continue;
            };
            let recent = self.states.recent.iter().filter(|(f, t, _)| (f, t) == (from, to));
            let lit = recent.map(|(_, _, lit)| *lit).fold(0.0, f32::max);
            let is_next = *from == self.states.active;
            let colour = faint.gamma_multiply(if is_next { 0.9 } else { 0.4 });
            let colour = colour.lerp_to_gamma(theme::accent(ui), lit);
            let middle = arrow(painter, (*a, *b), Stroke::new(1.2 + 2.0 * lit, colour));
            if is_next || lit > 0.0 {
                let ink = if lit > 0.0 { theme::accent(ui) } else { ui.visuals().text_color() };
                next.push((middle, *when, ink));
            }
        }
        let font = FontId::proportional(10.0);
        for (at, when, ink) in next {
            let galley = painter.layout(when.to_owned(), font.clone(), ink, 96.0);
            let text = Align2::CENTER_CENTER.anchor_size(at, galley.size());
            let ground = ui.visuals().extreme_bg_color.gamma_multiply(0.85);
            painter.rect_filled(text.expand(1.0), 2.0, ground);
            painter.galley(text.min, galley, ink);
        }
    }
}

/// Centre of the box of submodel `index` of `count`, on an ellipse in `rect`.
fn place(index: usize, count: usize, rect: Rect) -> Pos2 {
    let [x, y] = graph::place(index, count).map(single);
    let half = 0.5 * rect.size() - vec2(46.0, 26.0).min(0.35 * rect.size());
    rect.center() + vec2(half.x * x, half.y * y)
}

/// Draws a curved arrow between two boxes; returns the middle of its curve.
fn arrow(painter: &Painter, (from, to): (Rect, Rect), line: Stroke) -> Pos2 {
    let along = to.center() - from.center();
    let bow = vec2(-along.y, along.x) * BOW;
    let control = from.center() + 0.5 * along + bow;
    let edge = |of: Rect| {
        let toward = (control - of.center()).normalized();
        of.expand(3.0).intersects_ray_from_center(toward)
    };
    let (start, end) = (edge(from), edge(to));
    let curve = QuadraticBezierShape::from_points_stroke(
        [start, control, end],
        false,
        Color32::TRANSPARENT,
        line,
    );
    painter.add(curve);
    let back = (control - end).normalized() * HEAD;
    let side = vec2(-back.y, back.x) * 0.5;
    painter.line_segment([end, end + back + side], line);
    painter.line_segment([end, end + back - side], line);
    (0.25 * start.to_vec2() + 0.5 * control.to_vec2() + 0.25 * end.to_vec2()).to_pos2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_action::{ActionKind, ActionSettings};
    use touchback_core::math::compass::KeyNumber;

    /// After the strike the grand's picture has passed A and B; the transition is lit for a moment only.
    #[test]
    fn the_active_submodel_and_the_last_transition_are_lit() {
        let key = KeyNumber::from_midi(60).unwrap();
        let mut graph = StateGraph { is_shown: true, ..StateGraph::default() };
        for kind in [ActionKind::Grand, ActionKind::Viennese] {
            let settings = ActionSettings { action: kind, ..ActionSettings::default() };
            let stroke = KeyStroke::pressed(key, &settings, 1.5);
            graph.follow(&stroke, stroke.strike().unwrap());
            let active = graph.states.active;
            let name = graph.states.submodels[usize::from(active)];
            assert_eq!(name, stroke.strike().unwrap().view.phase);
            assert!(graph.sentence().starts_with(name), "{}", graph.sentence());
            let into =
                graph.states.recent.iter().filter(|(_, to, lit)| *to == active && *lit > 0.0);
            assert!(into.count() > 0, "{kind:?} {:?}", graph.states);
            let rest = KeyStroke::at_rest(key, &settings);
            graph.follow(&rest, &rest.rows[0]);
            assert!(graph.states.recent.is_empty());
        }
    }

    #[test]
    fn the_boxes_stay_in_the_picture_and_apart() {
        let rect = Rect::from_min_size(Pos2::ZERO, vec2(240.0, 190.0));
        for count in 1..=6 {
            let places: Vec<Pos2> = (0..count).map(|index| place(index, count, rect)).collect();
            assert!(places.iter().all(|at| rect.shrink(20.0).contains(*at)), "{count} {places:?}");
            for (i, a) in places.iter().enumerate() {
                assert!(places[..i].iter().all(|b| a.distance(*b) > 40.0), "{count} {places:?}");
            }
        }
    }
}
