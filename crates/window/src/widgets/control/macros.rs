//! A player's control that moves several parameters along curves. It holds no value of its own: its position
//! is the mean of its parameters' positions, so hosts, files and undo know only the parameters.

mod table;

use egui::{Response, Slider, Ui};

use super::gesture;
use crate::state::controls::Controls;
use crate::widgets::theme;
pub(crate) use table::macro_named;
use touchback_core::math::cast::floor_index;
use touchback_instrument::host::params::{Parameter, find, relevance};

/// A parameter's values at equal steps from the control's left end to its right end, in one direction.
#[derive(Debug)]
pub struct Course {
    /// Id of the parameter.
    pub id: &'static str,
    /// At least two values, in the parameter's unit.
    pub values: &'static [f64],
}

/// A player's control.
#[derive(Debug)]
pub struct Macro {
    /// Displayed name.
    pub name: &'static str,
    /// What the left and the right end sound or feel like, in one word each.
    pub ends: [&'static str; 2],
    /// What the control does.
    pub doc: &'static str,
    /// The parameters that it moves.
    pub courses: &'static [Course],
}

impl Course {
    /// Position 0…1 of `value`; values beyond the ends are at the ends.
    fn position(&self, value: f64) -> f64 {
        let steps = (self.values.len() - 1) as f64;
        let mut pairs = self.values.windows(2).zip(0u8..);
        let found = pairs.find_map(|(pair, index)| {
            let share = (value - pair[0]) / (pair[1] - pair[0]);
            (share <= 1.0).then(|| (f64::from(index) + share.max(0.0)) / steps)
        });
        found.unwrap_or(1.0)
    }

    /// The value at `position` 0…1.
    fn value(&self, position: f64) -> f64 {
        let last = self.values.len() - 1;
        let along = position.clamp(0.0, 1.0) * last as f64;
        let index = floor_index(along).min(last - 1);
        let share = along - index as f64;
        self.values[index] + share * (self.values[index + 1] - self.values[index])
    }
}

impl Macro {
    /// The parameters with their courses.
    fn moved(&self) -> impl Iterator<Item = (&'static Parameter, &'static Course)> + use<> {
        let courses: &'static [Course] = self.courses;
        courses.iter().filter_map(|course| Some((find(course.id).ok()?, course)))
    }

    /// Position 0…1: the mean of the parameters' positions.
    #[must_use]
    pub fn position(&self, value: impl Fn(&'static Parameter) -> f64) -> f64 {
        let sum: f64 = self.moved().map(|(p, course)| course.position(value(p))).sum();
        sum / self.courses.len() as f64
    }

    /// The parameters' values that give `position` from their present values. Each goes the same share of
    /// its way to the end in this direction, so that differences between them remain until the end.
    #[must_use]
    pub fn values(
        &self,
        position: f64,
        value: impl Fn(&'static Parameter) -> f64,
    ) -> Vec<(&'static Parameter, f64)> {
        let from = self.position(&value);
        let (end, way) = if position > from { (1.0, 1.0 - from) } else { (0.0, -from) };
        let share = if way == 0.0 { 0.0 } else { ((position - from) / way).clamp(0.0, 1.0) };
        let moved = self.moved().map(|(parameter, course)| {
            let (now, at) = (value(parameter), course.position(value(parameter)));
            let to = at + share * (end - at);
            // A value beyond the course's end stays until the control moves back.
            let still = to.to_bits() == at.to_bits();
            (parameter, if still { now } else { parameter.quantize(course.value(to)) })
        });
        moved.collect()
    }

    /// Position of the standard piano.
    #[must_use]
    pub fn standard(&self) -> f64 {
        self.position(Parameter::default_value)
    }

    /// The position in words: a single parameter's value, or how far it is from the standard piano; empty
    /// there.
    #[must_use]
    pub fn text(&self, controls: &dyn Controls) -> String {
        let value = |p| controls.value(p);
        if let [course] = self.courses
            && let Ok(parameter) = find(course.id)
        {
            return parameter.text(value(parameter));
        }
        let (now, standard) = (self.position(value), self.standard());
        let [low, high] = self.ends;
        let (word, share) = if now >= standard {
            (high, (now - standard) / (1.0 - standard))
        } else {
            (low, (standard - now) / standard)
        };
        if share < 0.005 { String::new() } else { format!("{word} {:.0} %", 100.0 * share) }
    }

    /// Why none of the parameters has an effect at present.
    fn idle(&self, controls: &dyn Controls) -> Option<&'static str> {
        let settings = controls.settings();
        let mut reason = None;
        for (parameter, _) in self.moved() {
            reason = Some(relevance(&settings, parameter.id)?);
        }
        reason
    }

    /// Draws name, value and slider in `width` points.
    pub fn ui(&'static self, ui: &mut Ui, width: f32, controls: &mut dyn Controls) {
        let is_idle = self.idle(controls).is_some();
        super::title(ui, self.name, &self.text(controls), width, is_idle);
        self.slider(ui, width, controls);
    }

    /// Draws the slider alone.
    pub(super) fn slider(&'static self, ui: &mut Ui, width: f32, controls: &mut dyn Controls) {
        let (idle, text) = (self.idle(controls), self.text(controls));
        ui.spacing_mut().slider_width = width;
        let before = self.position(|p| controls.value(p));
        let mut position = before;
        if idle.is_some() {
            ui.multiply_opacity(super::FAINT);
        }
        let slider = Slider::new(&mut position, 0.0..=1.0).show_value(false).trailing_fill(true);
        let slider = ui.add(slider);
        slider.widget_info(|| egui::WidgetInfo::slider(true, position, self.name));
        super::describe(&slider, || match self.courses {
            [course] => {
                find(course.id).map_or_else(|_| String::new(), |p| super::description(p, idle))
            }
            _ => {
                let now = if text.is_empty() { "the standard piano" } else { &text };
                format!(
                    "{}{} Now: {now}.",
                    idle.map(|s| format!("{s} ")).unwrap_or_default(),
                    self.doc
                )
            }
        });
        self.follow(ui, &slider, [before, position], controls);
        slider.on_hover_ui(|ui| self.tooltip(ui, idle, controls));
    }

    fn follow(
        &'static self,
        ui: &Ui,
        slider: &Response,
        [before, position]: [f64; 2],
        controls: &mut dyn Controls,
    ) {
        let command = ui.input(|i| i.modifiers.command);
        if slider.double_clicked() || command && slider.drag_started() {
            let standard: Vec<_> = self.moved().map(|(p, _)| (p, p.default_value())).collect();
            controls.put_together(self.name, &standard);
            return;
        }
        if command {
            return;
        }
        let position = gesture::finely(slider, before, position);
        let to = |start: &dyn Fn(&'static Parameter) -> f64| self.values(position, start);
        gesture::follow_together(slider, self.name, &to, before, position, controls);
        if let Some((clicks, share)) = gesture::clicks(ui, slider) {
            let wanted = (before + clicks * share).clamp(0.0, 1.0);
            let values = self.values(wanted, |p| controls.value(p));
            controls.put_together(self.name, &values);
        }
    }

    fn tooltip(&self, ui: &mut Ui, idle: Option<&str>, controls: &dyn Controls) {
        ui.set_max_width(300.0);
        if let Some(idle) = idle {
            ui.colored_label(theme::accent(ui), idle);
        }
        ui.label(self.doc);
        for (parameter, _) in self.moved() {
            let text = format!("{}: {}", parameter.name, parameter.text(controls.value(parameter)));
            ui.colored_label(theme::faint(ui), text);
        }
        let hint = "Shift: fine; Escape: back; double click: the standard piano.";
        ui.label(egui::RichText::new(hint).small().color(theme::faint(ui)));
    }
}

#[cfg(test)]
mod tests;
