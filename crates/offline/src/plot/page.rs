//! A4 pages of small panels: one quantity per panel over a common abscissa, present and earlier values.

use anyhow::Result;
use plotters::coord::Shift;
use plotters::prelude::*;

use super::{INK, Paint, fonts, palette, render};
use crate::output::Draft;

/// A4 portrait at 150 pixels per inch.
const SIZE: (u32, u32) = (1240, 1754);

/// Number of panels horizontally and vertically.
const PANELS: (usize, usize) = (3, 6);

/// Height of title and footnote, px.
const HEAD: i32 = 64;
const FOOT: i32 = 44;

/// One quantity.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Name with unit.
    pub name: String,
    /// Present values: abscissa and ordinate.
    pub now: Vec<(f64, f64)>,
    /// Earlier values; may be empty.
    pub before: Vec<(f64, f64)>,
}

/// A page of panels.
#[derive(Clone, Debug)]
pub struct Page {
    /// Title.
    pub title: String,
    /// Footnote.
    pub foot: String,
    /// Name of the abscissa.
    pub x: String,
    /// At most 18 panels.
    pub panels: Vec<Panel>,
}

/// Draws `page` into `draft`, in the format of its target.
///
/// # Errors
/// A file that cannot be written, or an error of the drawing library.
pub fn draw(page: &Page, draft: &Draft) -> Result<()> {
    fonts()?;
    render(page, SIZE, draft)
}

/// Ends of an axis over `values`, with margins; never of zero length.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter(|v| v.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if low > high {
        return (0.0, 1.0);
    }
    // A constant gets a range of ±2 % of its value.
    let room = (0.1 * (high - low)).max(0.02 * high.abs()).max(1e-3);
    (low - room, high + room)
}

impl Paint for Page {
    fn paint<DB: DrawingBackend>(
        &self,
        root: &DrawingArea<DB, Shift>,
        scale: i32,
    ) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
        root.fill(&WHITE)?;
        let write = |text: &str, (x, y): (i32, i32), size: i32| {
            let font = ("sans-serif", size * scale).into_font().color(&INK);
            root.draw(&Text::new(text.to_owned(), (x * scale, y * scale), font))
        };
        let height = i32::try_from(SIZE.1).unwrap_or(0);
        write(&self.title, (24, 22), 24)?;
        write(&self.foot, (24, height - 30), 15)?;
        let panels = root.margin(HEAD * scale, FOOT * scale, 12 * scale, 12 * scale);
        let places = panels.split_evenly((PANELS.1, PANELS.0));
        for (place, panel) in places.iter().zip(&self.panels) {
            let both = || panel.now.iter().chain(&panel.before);
            let (left, right) = range(both().map(|p| p.0));
            let (low, high) = range(both().map(|p| p.1));
            let mut chart = ChartBuilder::on(place)
                .caption(&panel.name, ("sans-serif", 17 * scale).into_font().color(&INK))
                .margin(6 * scale)
                .x_label_area_size(34 * scale)
                .y_label_area_size(52 * scale)
                .build_cartesian_2d(left..right, low..high)?;
            chart
                .configure_mesh()
                .x_labels(5)
                .y_labels(5)
                .x_desc(self.x.as_str())
                .x_label_formatter(&|x| format!("{x:.0}"))
                .y_label_formatter(&|y| {
                    format!(
                        "{y:.*}",
                        usize::from(high - low < 10.0) + usize::from(high - low < 1.0)
                    )
                })
                .label_style(("sans-serif", 13 * scale).into_font().color(&INK))
                .light_line_style(WHITE)
                .bold_line_style(INK.mix(0.15))
                .draw()?;
            // Earlier values are dashed, so that they differ without colour.
            let before =
                ShapeStyle::from(palette(1)).stroke_width(u32::try_from(2 * scale).unwrap_or(2));
            let solid =
                ShapeStyle::from(palette(0)).stroke_width(u32::try_from(2 * scale).unwrap_or(2));
            let known = |points: &[(f64, f64)]| {
                points.iter().copied().filter(|p| p.1.is_finite()).collect::<Vec<_>>()
            };
            chart.draw_series(DashedLineSeries::new(
                known(&panel.before),
                5 * scale,
                4 * scale,
                before,
            ))?;
            chart.draw_series(LineSeries::new(known(&panel.now), solid))?;
        }
        root.present()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_panel_is_drawn_and_flat_or_empty_ones_have_axes() {
        let panel = |name: &str, now: Vec<(f64, f64)>| Panel {
            name: name.into(),
            before: now.iter().map(|(x, y)| (*x, y + 1.0)).collect(),
            now,
        };
        let page = Page {
            title: "title".into(),
            foot: "foot".into(),
            x: "key".into(),
            panels: vec![
                panel("flat", vec![(1.0, 47.0), (88.0, 47.0)]),
                panel("steep", vec![(1.0, 5.0), (88.0, f64::NAN)]),
                panel("none", Vec::new()),
            ],
        };
        let dir = tempfile::tempdir().unwrap();
        let draft = Draft::create(&dir.path().join("a.svg")).unwrap();
        draw(&page, &draft).unwrap();
        let path = draft.target().to_owned();
        draft.keep().unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        for word in ["title", "foot", "flat", "steep", "none", "key"] {
            assert!(text.contains(word), "{word}");
        }
        assert_eq!(range([3.0, f64::NAN].into_iter()), (3.0 - 0.06, 3.0 + 0.06));
    }
}
