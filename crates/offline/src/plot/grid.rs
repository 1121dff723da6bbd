//! Maps: a table of small grids with common axes; each cell has a colour and a short number.
//!
//! Colours follow the logarithm of the value, light to dark [after ColorBrewer's YlGnBu].

use anyhow::Result;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{INK, Paint, TITLE, fonts, render};
use crate::output::Draft;
use touchback_core::math::cast::rounded_i32;

/// Size of a cell, and space between grids, for row names, column names and axis numbers, px.
const CELL: (i32, i32) = (46, 22);
const GAP: i32 = 18;
const LEFT: i32 = 250;
const TOP: i32 = 34;
const TICKS: i32 = 34;

/// The colour scale.
const SCALE: [RGBColor; 7] = [
    RGBColor(255, 255, 217),
    RGBColor(214, 239, 179),
    RGBColor(148, 212, 185),
    RGBColor(73, 181, 196),
    RGBColor(34, 131, 186),
    RGBColor(35, 78, 160),
    RGBColor(18, 32, 96),
];
const NOTHING: RGBColor = RGBColor(225, 225, 225);

/// A table of grids.
#[derive(Clone, Debug)]
pub struct Map {
    /// Title above the map.
    pub title: String,
    /// Name and numbers of the abscissa of every grid.
    pub x: (String, Vec<String>),
    /// Name and numbers of the ordinate of every grid, from the top.
    pub y: (String, Vec<String>),
    /// Names above the columns of grids.
    pub columns: Vec<String>,
    /// Rows of grids: name, and the cells of each grid, row by row from the top; 0 means no value.
    pub rows: Vec<(String, Vec<Vec<Vec<f64>>>)>,
    /// Range of the colours, both positive.
    pub range: (f64, f64),
}

/// Draws `map` into `draft`, in the format of its target.
///
/// # Errors
/// A file that cannot be written, or an error of the drawing library.
pub fn draw(map: &Map, draft: &Draft) -> Result<()> {
    fonts()?;
    let (block, high) = map.block();
    let width = LEFT + (block + GAP) * i32::try_from(map.columns.len())?;
    let height = TITLE + TOP + (high + GAP) * i32::try_from(map.rows.len())? + 2 * TICKS;
    render(map, (u32::try_from(width)?, u32::try_from(height)?), draft)
}

/// At most three digits, thousands as k; a dash for 0.
fn short(value: f64) -> String {
    match value {
        v if v <= 0.0 => "–".into(),
        v if v < 999.5 => format!("{v:.0}"),
        v if v < 9950.0 => format!("{:.1}k", v / 1e3),
        v => format!("{:.0}k", v / 1e3),
    }
}

impl Map {
    /// Width and height of a grid, px.
    fn block(&self) -> (i32, i32) {
        let count = |of: &[String]| i32::try_from(of.len()).unwrap_or(1);
        (CELL.0 * count(&self.x.1), CELL.1 * count(&self.y.1))
    }

    /// Colour of `value`, and of text on it.
    fn colours(&self, value: f64) -> (RGBColor, RGBColor) {
        if value <= 0.0 {
            return (NOTHING, INK);
        }
        let (low, high) = self.range;
        let share = (libm::log(value / low) / libm::log(high / low)).clamp(0.0, 1.0);
        let step = touchback_core::math::cast::floor_index(share * SCALE.len() as f64)
            .min(SCALE.len() - 1);
        (SCALE[step], if step > 3 { WHITE } else { INK })
    }
}

impl Paint for Map {
    fn paint<DB: DrawingBackend>(
        &self,
        root: &DrawingArea<DB, Shift>,
        scale: i32,
    ) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
        root.fill(&WHITE)?;
        let write = |text: &str, (x, y): (i32, i32), size: i32, colour: RGBColor, pos: Pos| {
            let font = ("sans-serif", size * scale).into_font().color(&colour).pos(pos);
            root.draw(&Text::new(text.to_owned(), (x * scale, y * scale), font))
        };
        let middle = Pos::new(HPos::Center, VPos::Center);
        let right = Pos::new(HPos::Right, VPos::Center);
        let left = Pos::new(HPos::Left, VPos::Center);
        write(&self.title, (20, 26), 21, INK, left)?;
        let (block, high) = self.block();
        let top = TITLE + TOP;
        for (c, name) in (0..).zip(&self.columns) {
            let x = LEFT + (block + GAP) * c;
            write(name, (x + block / 2, TITLE + 14), 17, INK, middle)?;
        }
        for (r, (name, grids)) in (0..).zip(&self.rows) {
            let y0 = top + (high + GAP) * r;
            write(name, (LEFT - 44, y0 + high / 2), 17, INK, right)?;
            for (j, tick) in (0..).zip(&self.y.1) {
                write(tick, (LEFT - 8, y0 + CELL.1 * j + CELL.1 / 2), 13, INK, right)?;
            }
            for (c, grid) in (0..).zip(grids) {
                let x0 = LEFT + (block + GAP) * c;
                for (j, line) in (0..).zip(grid) {
                    for (i, value) in (0..).zip(line) {
                        let (fill, ink) = self.colours(*value);
                        let (x, y) = (x0 + CELL.0 * i, y0 + CELL.1 * j);
                        // One white pixel between cells.
                        let corners = [(x, y), (x + CELL.0 - 1, y + CELL.1 - 1)];
                        let corners = corners.map(|(x, y)| (x * scale, y * scale));
                        root.draw(&Rectangle::new(corners, fill.filled()))?;
                        let at = (x + CELL.0 / 2, y + CELL.1 / 2);
                        write(&short(*value), at, 14, ink, middle)?;
                    }
                }
            }
        }
        let bottom = top + (high + GAP) * rounded_i32(self.rows.len() as f64) - GAP;
        for (c, _) in (0..).zip(&self.columns) {
            let x0 = LEFT + (block + GAP) * c;
            for (i, tick) in (0..).zip(&self.x.1) {
                write(tick, (x0 + CELL.0 * i + CELL.0 / 2, bottom + 12), 13, INK, middle)?;
            }
            write(&self.x.0, (x0 + block / 2, bottom + 32), 15, INK, middle)?;
        }
        write(&self.y.0, (LEFT - 8, TITLE + 14), 13, INK, right)?;
        root.present()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_of_the_map_is_drawn_and_zero_is_a_dash() {
        let names = |n: usize| (0..n).map(|i| format!("n{i}")).collect::<Vec<_>>();
        let map = Map {
            title: "title".into(),
            x: ("x".into(), names(2)),
            y: ("y".into(), names(2)),
            columns: names(1),
            rows: vec![("row".into(), vec![vec![vec![0.0, 31.0], vec![1234.0, 98_700.0]]])],
            range: (20.0, 1e5),
        };
        let dir = tempfile::tempdir().unwrap();
        let draft = Draft::create(&dir.path().join("a.svg")).unwrap();
        draw(&map, &draft).unwrap();
        let path = draft.target().to_owned();
        draft.keep().unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        for word in ["title", "row", "–", "31", "1.2k", "99k"] {
            assert!(text.contains(word), "{word} in {text}");
        }
        assert_ne!(map.colours(31.0), map.colours(98_700.0));
    }
}
