//! The scope: selected quantities of the last stroke over time, or force over key depth, with bands for the
//! submodels and a cursor at the transport's time.

use std::ops::RangeInclusive;

use egui::{Align2, Label, Rangef, RichText, Ui, Vec2b, vec2};
use egui_plot::{
    Axis, AxisHints, GridInput, GridMark, Line, LineStyle, Plot, PlotPoints, PlotUi, Span, VLine,
};

use crate::state::stroke::quantity::{self, Quantity};
use crate::state::stroke::{Memory, Row, Stroke};
use crate::widgets::theme;
use crate::widgets::transport::Transport;
use touchback_core::math::cast::floor_index;

/// Most points of a curve on the screen: more than a wide window has pixels.
const POINTS: usize = 3000;

/// Colour of the grid, on light and dark backgrounds.
const GRID: egui::Color32 = egui::Color32::from_gray(140);

/// Least useful height of a plot, points.
const LEAST: f32 = 64.0;

/// Width below which the time axis selects its marks by their number, points.
const NARROW: f32 = 440.0;

/// Height of a submodel's name above the curves, points.
const NAMES: f32 = 16.0;

/// Height of the time axis below the last plot, points.
const TIMES: f32 = 36.0;

/// Space beside a plot for half of the number under its right end, points.
const MARGIN: f32 = 12.0;

/// The scope's options.
#[derive(Clone, Debug)]
pub struct Scope {
    /// Which quantities of [`quantity::ALL`] are shown.
    pub shown: [bool; quantity::ALL.len()],
    /// Force over key depth instead of curves over time.
    pub over_depth: bool,
    /// Whether the next frame fits the view to the whole stroke.
    fit: bool,
    /// Touch and length of the stroke that the view was fitted to.
    fitted: Option<(Option<u64>, f64)>,
}

impl Default for Scope {
    fn default() -> Self {
        let mut shown = [false; quantity::ALL.len()];
        (shown[0], shown[1], shown[3], shown[4]) = (true, true, true, true);
        Self { shown, over_depth: false, fit: true, fitted: None }
    }
}

impl Scope {
    /// Draws the choices above the curves.
    pub fn switches(&mut self, ui: &mut Ui) {
        ui.menu_button("Quantities", |ui| {
            for (quantity, shown) in quantity::ALL.iter().zip(&mut self.shown) {
                ui.checkbox(shown, format!("{} ({})", quantity.name, quantity.unit));
            }
        })
        .response
        .on_hover_text("Choose what the scope shows");
        let depth = ui.checkbox(&mut self.over_depth, "Force over depth");
        depth.on_hover_text("Key force against key depth: what a finger feels");
        if ui
            .button("Fit")
            .on_hover_text("Show the whole stroke (or double-click the plot)")
            .clicked()
        {
            self.fit = true;
        }
    }

    /// Draws the curves in all the available space.
    pub fn ui(&mut self, ui: &mut Ui, memory: &Memory, transport: &mut Transport) {
        let Some(stroke) = &memory.last else {
            ui.centered_and_justified(|ui| {
                ui.label(
                    RichText::new("Play a key: its stroke appears here.").color(theme::faint(ui)),
                );
            });
            return;
        };
        let span = stroke.span();
        let seen = (stroke.touch, span.0);
        if self.fitted != Some(seen) {
            self.fitted = Some(seen);
            self.fit = true;
        }
        self.readout(ui, stroke, memory.kept.as_ref(), transport);
        if self.over_depth {
            self.loops(ui, stroke, memory.kept.as_ref(), transport);
        } else {
            self.curves(ui, stroke, memory.kept.as_ref(), transport);
        }
        // The view follows a growing stroke until the user zooms.
        self.fit = false;
    }

    /// Draws the values at the cursor, with those of the kept stroke.
    fn readout(&self, ui: &mut Ui, stroke: &Stroke, kept: Option<&Stroke>, transport: &Transport) {
        let time = cursor(stroke, transport);
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = vec2(10.0, 2.0);
            ui.spacing_mut().interact_size.y = 14.0;
            let row = stroke.at(time);
            let phase = row.map_or("–", |r| r.view.phase);
            ui.monospace(format!("{:8.2} ms  {phase}", 1e3 * time));
            for (index, quantity) in self.chosen() {
                let value = |row: Option<&Row>| {
                    row.map(|r| (quantity.value)(&r.view)).filter(|value| value.is_finite())
                };
                let d = quantity.decimals;
                let Some(now) = value(row) else { continue };
                let mut text = format!("{} {now:.d$}", quantity.name);
                if let Some(was) = value(kept.and_then(|s| s.at(time))) {
                    text += &format!(" ({was:.d$})");
                }
                let text = RichText::new(text + " " + quantity.unit).small();
                // Without a line break.
                ui.add(Label::new(text.color(theme::curve(ui, index))).extend());
            }
        });
    }

    fn chosen(&self) -> impl Iterator<Item = (usize, &'static Quantity)> + '_ {
        quantity::ALL.iter().enumerate().filter(|(i, _)| self.shown[*i])
    }

    /// Draws one plot per unit, one above the other, with aligned time axes.
    fn curves(
        &self,
        ui: &mut Ui,
        stroke: &Stroke,
        kept: Option<&Stroke>,
        transport: &mut Transport,
    ) {
        let mut units: Vec<&str> = self.chosen().map(|(_, q)| q.unit).collect();
        units.dedup();
        units.sort_unstable();
        units.dedup();
        // In the order of the quantities.
        units.sort_by_key(|unit| quantity::ALL.iter().position(|q| q.unit == *unit));
        // A low window shows only the first quantities, each readable.
        let room = floor_index(f64::from(ui.available_height() / LEAST)).max(1);
        units.truncate(room);
        if units.is_empty() {
            ui.label("Choose a quantity.");
            return;
        }
        let gap = ui.spacing().item_spacing.y;
        let count = units.len() as f32;
        let height = ((ui.available_height() - gap * (count - 1.0)) / count).max(0.6 * LEAST);
        let time = cursor(stroke, transport);
        let times = ui.make_persistent_id("scope time");
        for (index, unit) in units.iter().enumerate() {
            let is_last = index + 1 == units.len();
            let width = ui.available_width() - MARGIN;
            let drawn = if is_last { height - theme::size(ui) * TIMES } else { height };
            let has_names = index == 0 && drawn > LEAST;
            let above = if has_names { NAMES / (drawn - 2.0 * NAMES) } else { 0.05 };
            let mut plot = plot(("scope", *unit), self.fit)
                .height(height)
                .width(width)
                .set_margin_fraction(vec2(0.05, above))
                .link_axis(times, Vec2b::new(true, false))
                .custom_y_axes(vec![hints(ui, unit)])
                .y_grid_spacer(marks)
                .show_axes(Vec2b::new(is_last, true));
            plot = marked_below(plot, width);
            plot = plot.x_axis_formatter(milliseconds);
            if is_last {
                plot = plot.x_axis_label("ms from the strike");
            }
            let mut chosen = self.chosen().filter(|(_, q)| q.unit == *unit).peekable();
            let response = plot.show(ui, |plot_ui| {
                bands(plot_ui, stroke, has_names);
                for (index, quantity) in chosen.by_ref() {
                    let colour = theme_curve(plot_ui, index);
                    if let Some(kept) = kept {
                        let line =
                            Line::new(format!("{} kept", quantity.name), over_time(kept, quantity));
                        plot_ui.line(
                            line.color(colour.gamma_multiply(0.7))
                                .style(LineStyle::dashed_dense())
                                .allow_hover(false),
                        );
                    }
                    let line = Line::new(quantity.name, over_time(stroke, quantity));
                    plot_ui.line(line.color(colour).width(1.6).allow_hover(false));
                }
                let ink = plot_ui.ctx().global_style().visuals.text_color();
                plot_ui.vline(VLine::new("cursor", time).color(ink).width(1.0).allow_hover(false));
                plot_ui.pointer_coordinate()
            });
            let info = || {
                let names: Vec<&str> =
                    self.chosen().filter(|(_, q)| q.unit == *unit).map(|(_, q)| q.name).collect();
                let text = format!("{} over time, {unit}", names.join(", "));
                egui::WidgetInfo::labeled(egui::Role::Image, true, text)
            };
            response.response.widget_info(info);
            if response.response.clicked()
                && let Some(at) = response.inner
            {
                transport.scrub(at.x);
            }
        }
    }

    /// Draws key force over key depth.
    fn loops(&self, ui: &mut Ui, stroke: &Stroke, kept: Option<&Stroke>, transport: &Transport) {
        let time = cursor(stroke, transport);
        let width = ui.available_width() - MARGIN;
        let mut plot = plot("loops", self.fit)
            .height(ui.available_height())
            .width(width)
            .custom_y_axes(vec![hints(ui, "force, N")])
            .y_grid_spacer(marks);
        plot = marked_below(plot, width);
        plot = plot.x_axis_label("key depth, mm");
        let shown = plot.show(ui, |plot_ui| {
            let point = |row: &Row| [1e3 * row.view.key, row.view.key_force];
            if let Some(kept) = kept {
                let points: Vec<_> = kept.thinned(POINTS).map(point).collect();
                let line = Line::new("kept", points).style(LineStyle::dashed_dense());
                plot_ui.line(line.color(theme_curve(plot_ui, 3)).allow_hover(false));
            }
            // Each stretch has the colour of its submodel.
            for band in stroke.bands() {
                let within = band.from..=band.to;
                let rows = stroke.thinned(POINTS).filter(|r| within.contains(&r.time));
                let points: Vec<_> = rows.map(point).collect();
                let line = Line::new(band.name, points).color(theme::band(band.index));
                plot_ui.line(line.width(1.8).allow_hover(false));
            }
            if let Some(row) = stroke.at(time) {
                let [x, y] = point(row);
                let ink = plot_ui.ctx().global_style().visuals.text_color();
                plot_ui.points(egui_plot::Points::new("cursor", [x, y]).radius(4.0).color(ink));
            }
        });
        let info =
            || egui::WidgetInfo::labeled(egui::Role::Image, true, "Key force over key depth");
        shown.response.widget_info(info);
    }
}

/// The time under the cursor, s.
fn cursor(stroke: &Stroke, transport: &Transport) -> f64 {
    if transport.is_live { stroke.span().1 } else { transport.time }
}

fn plot<'a>(id: impl egui::AsIdSalt, fit: bool) -> Plot<'a> {
    let plot = Plot::new(id)
        .allow_scroll(false)
        .allow_zoom(true)
        .show_x(false)
        .show_y(false)
        .grid_spacing(Rangef::new(18.0, 200.0))
        .grid_color(GRID)
        .y_axis_min_width(44.0);
    if fit { plot.reset() } else { plot }
}

/// The value axis, with its numbers however low the plot is.
fn hints<'a>(ui: &Ui, label: &str) -> AxisHints<'a> {
    AxisHints::new_y()
        .label(label.to_owned())
        .formatter(numbers)
        .label_spacing(Rangef::new(9.0, 11.0))
        .tick_label_font(egui::FontId::proportional(10.0 * theme::size(ui)))
        .min_thickness(44.0)
}

/// `plot`, `width` points wide, with the numbers of [`marks`] on its lower axis even in the smallest window.
fn marked_below<'a>(plot: Plot<'a>, width: f32) -> Plot<'a> {
    if width >= NARROW {
        return plot;
    }
    let axis = AxisHints::new_x().label_spacing(Rangef::new(20.0, 30.0));
    plot.custom_x_axes(vec![axis]).x_grid_spacer(marks)
}

/// Marks of a value axis: the roundest numbers of which three are in view.
fn marks(input: GridInput) -> Vec<GridMark> {
    const ROUND: [f64; 8] = [8.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.5, 1.0];
    let (low, high) = input.bounds;
    let span = high - low;
    if !(span > 0.0 && span.is_finite()) {
        return Vec::new();
    }
    let decade = libm::exp10(libm::log10(span).floor());
    let steps = [decade, 0.1 * decade].into_iter().flat_map(|d| ROUND.map(|digit| digit * d));
    let at = |step_size: f64| {
        let first = (low / step_size).ceil();
        let values = (0..8u8).map(move |i| (first + f64::from(i)) * step_size);
        let inside = values.take_while(|value| *value <= high);
        inside.map(|value| GridMark { value, step_size }).collect::<Vec<_>>()
    };
    steps.map(at).find(|marks| marks.len() >= 3).unwrap_or_default()
}

fn theme_curve(plot_ui: &PlotUi, index: usize) -> egui::Color32 {
    theme::curve_of(plot_ui.ctx().global_style().visuals.dark_mode, index)
}

fn milliseconds(mark: GridMark, range: &RangeInclusive<f64>) -> String {
    numbers(GridMark { value: 1e3 * mark.value, step_size: 1e3 * mark.step_size }, range)
}

/// A mark's number with the digits of its step.
fn numbers(mark: GridMark, _: &RangeInclusive<f64>) -> String {
    let decade = libm::log10(mark.step_size).floor();
    let digit = mark.step_size / libm::exp10(decade);
    let halves = (digit - digit.round()).abs() > 1e-6;
    let decimals = floor_index((f64::from(u8::from(halves)) - decade).max(0.0));
    // A negative value that rounds to zero has no sign.
    let text = format!("{:.decimals$}", mark.value);
    if text.contains(|c: char| ('1'..='9').contains(&c)) { text } else { text.replace('-', "") }
}

fn over_time<'a>(stroke: &Stroke, quantity: &Quantity) -> PlotPoints<'a> {
    let points = stroke.thinned(POINTS).map(|row| [row.time, (quantity.value)(&row.view)]);
    points.filter(|point| point[1].is_finite()).collect()
}

/// Draws a band for each submodel, with its name where the band is wide enough.
fn bands(plot_ui: &mut PlotUi, stroke: &Stroke, has_names: bool) {
    let (from, to) = stroke.span();
    for band in stroke.bands() {
        let wide = band.to - band.from > 0.02 * band.name.len() as f64 * (to - from);
        let name = if has_names && wide { band.name } else { "" };
        let span = Span::new(name, band.from..=band.to)
            .axis(Axis::X)
            .fill(theme::band(band.index).gamma_multiply(0.13))
            .border_width(0.0)
            .label_align(Align2::CENTER_TOP);
        plot_ui.span(span);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_axis_has_three_marks_at_least() {
        for (low, high) in
            [(0.0, 1.0), (-47.3, 9.1), (-0.02, 0.013), (0.0, 2.99), (-0.2, 3.9), (3.0, 1e4)]
        {
            let found = marks(GridInput { bounds: (low, high), base_step_size: 1.0 });
            let inside = found.iter().all(|mark| (low..=high).contains(&mark.value));
            assert!(inside && (3..=5).contains(&found.len()), "{low} {high}: {}", found.len());
            for mark in found {
                let shown: f64 = numbers(mark, &(low..=high)).parse().unwrap();
                assert!((shown - mark.value).abs() < 1e-6 * mark.step_size, "{shown} {mark:?}");
            }
        }
        assert!(marks(GridInput { bounds: (1.0, 1.0), base_step_size: 1.0 }).is_empty());
    }
}
