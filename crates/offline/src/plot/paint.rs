//! Paints a figure on any plotters backend.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::legend::{Legend, dashes};
use super::style::{PaintResult, style, width};
use super::{ABSCISSA, Axis, Figure, INK, NAMES, Series, ShadedBand, Shape, Subplot, TITLE};

const GRID: RGBColor = RGBColor(222, 225, 230);
const RULE: RGBColor = RGBColor(120, 126, 136);
/// Shades of bands, one per name, in order of appearance.
const SHADES: [RGBColor; 5] = [
    RGBColor(240, 244, 250),
    RGBColor(253, 240, 226),
    RGBColor(232, 246, 240),
    RGBColor(247, 236, 243),
    RGBColor(250, 247, 224),
];
/// Most drawn points of a line; longer lines are reduced to the extremes of intervals.
const LINE_POINTS: usize = 2400;

type Plane<'a, DB, X, Y> = ChartContext<'a, DB, Cartesian2d<X, Y>>;

/// Draws `figure` with lengths scaled by `scale`.
pub(super) fn paint<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    figure: &Figure,
    scale: i32,
) -> PaintResult<DB> {
    root.fill(&WHITE)?;
    let title = style(21 * scale, INK);
    root.draw(&Text::new(figure.title.clone(), (20 * scale, 14 * scale), title))?;
    let names = if figure.has_names() { NAMES } else { 0 };
    let (_, below) = root.split_vertically((TITLE + names) * scale);
    let panels = figure.panels.len();
    let (_, height) = below.dim_in_pixel();
    let height = i32::try_from(height).unwrap_or(i32::MAX) - ABSCISSA * scale;
    let x = span(&figure.x, figure.panels.iter().flat_map(|p| &p.series), |p| p.0, 0.0);
    let mut rest = below;
    for (i, panel) in figure.panels.iter().enumerate() {
        let last = i + 1 == panels;
        let share = height / i32::try_from(panels).unwrap_or(1);
        let (area, after) =
            if last { (rest.clone(), rest.clone()) } else { rest.split_vertically(share) };
        rest = after;
        let y = span(&panel.y, panel.series.iter(), |p| p.1, 0.07);
        let frame = Frame { figure, panel, first: i == 0, last, scale, x: x.clone(), y: y.clone() };
        match (figure.x.log, panel.y.log) {
            (false, false) => frame.draw(root, &area, x.clone(), y)?,
            (true, false) => frame.draw(root, &area, x.clone().log_scale(), y)?,
            (false, true) => frame.draw(root, &area, x.clone(), y.log_scale())?,
            (true, true) => frame.draw(root, &area, x.clone().log_scale(), y.log_scale())?,
        }
    }
    root.present()
}

/// One panel with its position.
struct Frame<'a> {
    figure: &'a Figure,
    panel: &'a Subplot,
    first: bool,
    last: bool,
    scale: i32,
    x: Range<f64>,
    y: Range<f64>,
}

impl Frame<'_> {
    fn draw<DB, X, Y>(
        &self,
        root: &DrawingArea<DB, Shift>,
        area: &DrawingArea<DB, Shift>,
        x: X,
        y: Y,
    ) -> PaintResult<DB>
    where
        DB: DrawingBackend,
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
        Y::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let s = self.scale;
        let legend = Legend::of(root, self.panel, s)?;
        let mut chart = ChartBuilder::on(area)
            .margin_left(14 * s)
            .margin_right(26 * s)
            .margin_top(legend.height())
            .set_label_area_size(LabelAreaPosition::Left, 70 * s)
            .set_label_area_size(
                LabelAreaPosition::Bottom,
                if self.last { ABSCISSA * s } else { 0 },
            )
            .build_cartesian_2d(x, y)?;
        self.bands(&mut chart)?;
        let small = style(14 * s, INK);
        chart
            .configure_mesh()
            .x_labels(11)
            .y_labels(5)
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID.stroke_width(width(s)))
            .axis_style(RULE.stroke_width(width(s)))
            .set_all_tick_mark_size(4 * s)
            .label_style(small.clone())
            .axis_desc_style(style(15 * s, INK))
            .x_desc(if self.last { self.figure.x.label.as_str() } else { "" })
            .y_desc(self.panel.y.label.as_str())
            .x_label_formatter(&|v| tidy(*v, &self.x))
            .y_label_formatter(&|v| tidy(*v, &self.y))
            .draw()?;
        for mark in self.figure.marks.iter().filter(|m| self.x.contains(&m.at)) {
            let rule = [(mark.at, self.y.start), (mark.at, self.y.end)];
            chart.draw_series(DashedLineSeries::new(
                rule,
                3 * s,
                3 * s,
                RULE.stroke_width(width(s)),
            ))?;
        }
        for (series, dash) in self.panel.series.iter().zip(dashes(self.panel)) {
            self.series(&mut chart, series, dash)?;
        }
        let corner = chart.backend_coord(&(self.x.start, self.y.end));
        legend.draw(root, corner)?;
        if self.first { self.names(root, &chart) } else { Ok(()) }
    }

    fn bands<DB, X, Y>(&self, chart: &mut Plane<DB, X, Y>) -> PaintResult<DB>
    where
        DB: DrawingBackend,
        X: Ranged<ValueType = f64>,
        Y: Ranged<ValueType = f64>,
    {
        let bands = self.figure.bands.iter().map(|band| {
            let (from, to) = (band.from.max(self.x.start), band.to.min(self.x.end));
            let corners = [(from, self.y.start), (to.max(from), self.y.end)];
            Rectangle::new(corners, shade(&self.figure.bands, band).filled())
        });
        chart.draw_series(bands)?;
        Ok(())
    }

    fn series<DB, X, Y>(
        &self,
        chart: &mut Plane<DB, X, Y>,
        series: &Series,
        dash: Option<[i32; 2]>,
    ) -> PaintResult<DB>
    where
        DB: DrawingBackend,
        X: Ranged<ValueType = f64>,
        Y: Ranged<ValueType = f64>,
    {
        let s = self.scale;
        let colour = series.colour;
        let ink = colour.stroke_width(width(2 * s));
        let points = || {
            let fits = |p: &(f64, f64)| {
                p.0.is_finite()
                    && p.1.is_finite()
                    && (!self.figure.x.log || p.0 > 0.0)
                    && (!self.panel.y.log || p.1 > 0.0)
            };
            series.points.iter().copied().filter(fits)
        };
        let base = if self.panel.y.log { self.y.start } else { self.y.start.max(0.0) };
        let dots = || points().map(|p| Circle::new(p, 3 * s, colour.filled()));
        match &series.shape {
            Shape::Line => {
                // Non-finite points interrupt the line.
                let gap = |p: &(f64, f64)| !(p.0.is_finite() && p.1.is_finite());
                let runs = series.points.split(gap).filter(|run| run.len() > 1);
                let lines: Vec<_> = runs.map(thin).collect();
                if let Some([long, gap]) = dash {
                    for line in lines {
                        chart.draw_series(DashedLineSeries::new(line, long * s, gap * s, ink))?;
                    }
                } else if s > 1 {
                    // Joints as dots: a path's mitred joints stick out at sharp turns.
                    let joints = lines.iter().flatten();
                    chart.draw_series(joints.map(|p| Circle::new(*p, s, colour.filled())))?;
                    let pairs = lines.iter().flat_map(|line| line.windows(2));
                    chart.draw_series(pairs.map(|p| PathElement::new([p[0], p[1]], ink)))?;
                } else {
                    chart.draw_series(lines.into_iter().map(|line| PathElement::new(line, ink)))?;
                }
            }
            Shape::Dots => {
                chart.draw_series(dots())?;
            }
            Shape::Stems => {
                let stem = colour.stroke_width(width(s));
                chart.draw_series(points().map(|p| PathElement::new([(p.0, base), p], stem)))?;
                chart.draw_series(dots())?;
            }
            Shape::Area(high) => {
                let low = series.points.iter().copied();
                let back = series.points.iter().zip(high).rev().map(|(p, h)| (p.0, *h));
                let outline: Vec<_> = low.chain(back).collect();
                chart.draw_series([Polygon::new(outline, colour.mix(0.75).filled())])?;
            }
        }
        Ok(())
    }

    /// Draws the names of bands and marks above the first panel, in several rows if they overlap.
    fn names<DB, X, Y>(
        &self,
        root: &DrawingArea<DB, Shift>,
        chart: &Plane<DB, X, Y>,
    ) -> PaintResult<DB>
    where
        DB: DrawingBackend,
        X: Ranged<ValueType = f64>,
        Y: Ranged<ValueType = f64>,
    {
        let s = self.scale;
        let plain = style(13 * s, RULE).pos(Pos::new(HPos::Center, VPos::Center));
        let marks = self.figure.marks.iter().map(|m| (m.at, m.at, m.name.as_str(), true));
        let bands = self.figure.bands.iter().map(|b| (b.from, b.to, b.name.as_str(), false));
        // Rows of marks; band names are lowest, next to the panel.
        const ROWS: usize = 5;
        let mut free = [i32::MIN; ROWS + 1];
        for (from, to, name, mark) in marks.chain(bands) {
            let middle = (from.max(self.x.start) + to.min(self.x.end)) / 2.0;
            if !self.x.contains(&middle) {
                continue;
            }
            let (x, _) = chart.backend_coord(&(middle, self.y.end));
            let (w, _) = root.estimate_text_size(name, &plain)?;
            let half = i32::try_from(w).unwrap_or(0) / 2 + 4 * s;
            let rows = if mark { 0..ROWS } else { ROWS..ROWS + 1 };
            let Some(row) = rows.into_iter().find(|r| free[*r] <= x - half) else { continue };
            free[row] = x + half;
            let y = TITLE * s + i32::try_from(row).unwrap_or(0) * 15 * s + 7 * s;
            let colour = if mark { INK } else { RULE };
            root.draw(&Text::new(name.to_owned(), (x, y), plain.clone().color(&colour)))?;
        }
        Ok(())
    }
}

fn shade(bands: &[ShadedBand], band: &ShadedBand) -> RGBColor {
    let mut names: Vec<&str> = Vec::new();
    for b in bands {
        if !names.contains(&b.name.as_str()) {
            names.push(&b.name);
        }
    }
    let index = names.iter().position(|n| *n == band.name).unwrap_or(0);
    SHADES[index % SHADES.len()]
}

/// Range of an axis: the fixed range, or that of the data widened by the share `margin`.
fn span<'a>(
    axis: &Axis,
    series: impl Iterator<Item = &'a Series>,
    pick: impl Fn(&(f64, f64)) -> f64,
    margin: f64,
) -> Range<f64> {
    if let Some((from, to)) = axis.range {
        return from..if to > from { to } else { from + 1.0 };
    }
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for one in series {
        let tops = if let Shape::Area(tops) = &one.shape { tops.as_slice() } else { &[] };
        let values =
            one.points.iter().map(&pick).chain(tops.iter().copied().filter(|_| margin > 0.0));
        for v in values.filter(|v| v.is_finite() && (!axis.log || *v > 0.0)) {
            (low, high) = (low.min(v), high.max(v));
        }
    }
    if low > high {
        return if axis.log { 0.1..1.0 } else { 0.0..1.0 };
    }
    if axis.log {
        let room = if high > low { libm::pow(high / low, margin) } else { 2.0 };
        return low / room..high * room;
    }
    let room = if high > low { (high - low) * margin } else { high.abs().max(1e-6) * 0.5 };
    low - room..high + room
}

/// The points of a line; many points are reduced to the extremes of equal intervals.
fn thin(run: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if run.len() <= LINE_POINTS {
        return run.to_vec();
    }
    let stretch = run.len().div_ceil(LINE_POINTS / 2);
    let mut out = Vec::with_capacity(LINE_POINTS + 2);
    for part in run.chunks(stretch) {
        let by = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let (Some(low), Some(high)) = (part.iter().min_by(by), part.iter().max_by(by)) else {
            continue;
        };
        let (first, second) = if low.0 <= high.0 { (low, high) } else { (high, low) };
        out.extend([*first, *second]);
    }
    out
}

/// A short number for an axis of `range`, without trailing zeros or −0.
fn tidy(v: f64, range: &Range<f64>) -> String {
    if v.abs() < 1e-9 * (range.end - range.start).abs() {
        return "0".into();
    }
    if v.abs() < 1e-3 || v.abs() >= 1e6 {
        return format!("{v:.0e}");
    }
    let text = format!("{v:.4}");
    text.trim_end_matches('0').trim_end_matches('.').into()
}
