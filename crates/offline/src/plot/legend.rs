//! Legends: names in rows above a panel, and dash patterns that distinguish lines without colour.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::style::{PaintResult, style, width};
use super::{INK, Series, Shape, Subplot};

/// Height of a row, and space above a panel without a legend, px.
const ROW: i32 = 19;
const BARE: i32 = 10;
/// Length of a line's sample, and gaps next to its name, px.
const SAMPLE: i32 = 26;
const GAP: i32 = 7;
/// Width of a row, px.
const ROW_WIDTH: i32 = 1090;

/// Lengths of dash and gap, px, by line of a panel; the first is solid.
const DASHES: [Option<[i32; 2]>; 6] =
    [None, Some([10, 5]), Some([3, 4]), Some([18, 5]), Some([6, 9]), Some([2, 8])];

/// Dash patterns of the series of `panel`: only for lines, and only if there are several.
pub fn dashes(panel: &Subplot) -> Vec<Option<[i32; 2]>> {
    let is_line = |s: &Series| s.shape == Shape::Line;
    let is_single = panel.series.iter().filter(|s| is_line(s)).count() < 2;
    let mut line = 0;
    let mut dash = |series: &Series| {
        if is_single || !is_line(series) {
            return None;
        }
        // A line without a name continues the style of the previous line.
        line += usize::from(!series.name.is_empty());
        DASHES[line.saturating_sub(1) % DASHES.len()]
    };
    panel.series.iter().map(&mut dash).collect()
}

/// A named series with its style and position, px from the panel's upper left corner.
#[derive(Debug)]
struct Entry<'a> {
    series: &'a Series,
    dash: Option<[i32; 2]>,
    x: i32,
    row: i32,
}

/// The layout of one panel's legend.
#[derive(Debug)]
pub struct Legend<'a> {
    entries: Vec<Entry<'a>>,
    rows: i32,
    scale: i32,
}

impl<'a> Legend<'a> {
    /// The legend of `panel`, empty for fewer than two named series; lengths are scaled by `scale`.
    pub fn of<DB: DrawingBackend>(
        root: &DrawingArea<DB, Shift>,
        panel: &'a Subplot,
        scale: i32,
    ) -> Result<Self, DrawingAreaErrorKind<DB::ErrorType>> {
        let styled = panel.series.iter().zip(dashes(panel));
        let named: Vec<_> = styled.filter(|(s, _)| !s.name.is_empty()).collect();
        let mut entries = Vec::with_capacity(named.len());
        let (mut x, mut row) = (0, 0);
        for (series, dash) in named.iter().filter(|_| named.len() > 1) {
            let (w, _) = root.estimate_text_size(&series.name, &style(14 * scale, INK))?;
            let long = i32::try_from(w).unwrap_or(0) + (SAMPLE + 3 * GAP) * scale;
            if x > 0 && x + long > ROW_WIDTH * scale {
                (x, row) = (0, row + 1);
            }
            entries.push(Entry { series, dash: *dash, x, row });
            x += long;
        }
        let rows = if entries.is_empty() { 0 } else { row + 1 };
        Ok(Self { entries, rows, scale })
    }

    /// Height above the panel, px.
    pub const fn height(&self) -> i32 {
        (BARE + ROW * self.rows) * self.scale
    }

    /// Draws the legend above the panel with the upper left corner `corner`, px.
    pub fn draw<DB: DrawingBackend>(
        &self,
        root: &DrawingArea<DB, Shift>,
        corner: (i32, i32),
    ) -> PaintResult<DB> {
        let s = self.scale;
        let name = style(14 * s, INK).pos(Pos::new(HPos::Left, VPos::Center));
        for Entry { series, dash, x, row } in &self.entries {
            let x = corner.0 + x;
            let y = corner.1 - (self.rows - row) * ROW * s + ROW * s / 2 - 2 * s;
            let ink = series.colour.stroke_width(width(2 * s));
            let end = x + SAMPLE * s;
            match (&series.shape, dash) {
                (Shape::Line, Some([long, gap])) => {
                    let mut from = x;
                    while from < end {
                        let to = end.min(from + long * s);
                        root.draw(&PathElement::new([(from, y), (to, y)], ink))?;
                        from = to + gap * s;
                    }
                }
                (Shape::Line, None) => root.draw(&PathElement::new([(x, y), (end, y)], ink))?,
                (Shape::Area(_), _) => {
                    let corners = [(x, y - 5 * s), (end, y + 5 * s)];
                    root.draw(&Rectangle::new(corners, series.colour.mix(0.75).filled()))?;
                }
                (Shape::Dots | Shape::Stems, _) => {
                    let middle = (x + SAMPLE * s / 2, y);
                    root.draw(&Circle::new(middle, 3 * s, series.colour.filled()))?;
                }
            }
            root.draw(&Text::new(series.name.clone(), (end + GAP * s, y), name.clone()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, palette};

    fn panel(names: &[&str]) -> Subplot {
        let line = |n: &&str| Series::line(n, vec![(0.0, 0.0), (1.0, 1.0)], palette(0));
        Subplot::new(Axis::new("y"), names.iter().map(line).collect())
    }

    #[test]
    fn lines_differ_without_colour_and_a_single_line_is_solid() {
        assert_eq!(dashes(&panel(&["one"])), [None]);
        let found = dashes(&panel(&["one", "two", "", "three"]));
        assert_eq!(found, [DASHES[0], DASHES[1], DASHES[1], DASHES[2]]);
    }

    #[test]
    fn many_names_take_several_rows() {
        super::super::fonts().unwrap();
        let mut text = String::new();
        let area = SVGBackend::with_string(&mut text, (1200, 400)).into_drawing_area();
        let long = "a name of some length, such as walls and hammers have";
        let one = panel(&["one", "two"]);
        let many = panel(&[long; 6]);
        assert_eq!(Legend::of(&area, &one, 1).unwrap().height(), BARE + ROW);
        assert!(Legend::of(&area, &many, 1).unwrap().height() >= BARE + 2 * ROW);
        assert_eq!(Legend::of(&area, &panel(&["one"]), 1).unwrap().height(), BARE);
    }
}
