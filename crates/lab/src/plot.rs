//! Figures: stacked panels over one abscissa, as PNG or SVG. The only place that knows plotters.
//!
//! The font is bundled, so a figure looks the same on every machine.

pub mod grid;
mod legend;
pub mod page;
mod paint;
pub mod sketch;
pub mod spectrogram;
mod style;

use std::path::Path;
use std::sync::OnceLock;

use anyhow::{Result, anyhow, bail};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};

use crate::output::{Draft, Shown as _};
use touchback::editor::offscreen::write_png;

/// Width of a figure, px.
const WIDTH: u32 = 1200;
/// Height of the title strip, of the strip of names above the panels, of the abscissa, px.
const TITLE: i32 = 44;
const NAMES: i32 = 90;
const ABSCISSA: i32 = 46;
/// Height of a panel, px.
const PANEL: u32 = 210;
/// PNG files are drawn this many times larger and averaged: plotters smooths no wide lines.
const OVERSAMPLING: u32 = 3;

/// Colour of lines and letters.
pub const INK: RGBColor = RGBColor(40, 44, 52);

/// Colour `index` of a cycle that colour-blind readers can tell apart [Okabe 2008].
#[must_use]
pub fn palette(index: usize) -> RGBColor {
    const COLOURS: [RGBColor; 6] = [
        RGBColor(0, 114, 178),
        RGBColor(213, 94, 0),
        RGBColor(0, 158, 115),
        RGBColor(204, 121, 167),
        RGBColor(86, 180, 233),
        RGBColor(230, 159, 0),
    ];
    COLOURS[index % COLOURS.len()]
}

/// One axis: its label with the unit, its range where it is not that of the data, its scale.
#[derive(Clone, Debug)]
pub struct Axis {
    label: String,
    range: Option<(f64, f64)>,
    log: bool,
}

impl Axis {
    /// A linear axis over the data.
    #[must_use]
    pub fn new(label: &str) -> Self {
        Self { label: label.into(), range: None, log: false }
    }

    /// With a fixed range.
    #[must_use]
    pub fn within(self, from: f64, to: f64) -> Self {
        Self { range: Some((from, to)), ..self }
    }

    /// With a logarithmic scale; values that are not positive are left out.
    #[must_use]
    pub fn log(self) -> Self {
        Self { log: true, ..self }
    }
}

/// How points become ink.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    /// Joined in order; NaN interrupts.
    Line,
    /// A dot each.
    Dots,
    /// A stem from zero (the lower edge on a logarithmic axis) with a dot each.
    Stems,
    /// The area from each point to the value here above it.
    Area(Vec<f64>),
}

/// One set of data in a panel.
#[derive(Clone, Debug)]
pub struct Series {
    name: String,
    points: Vec<(f64, f64)>,
    colour: RGBColor,
    shape: Shape,
}

impl Series {
    /// Points of abscissa and ordinate in the axes' units; an empty name stays out of the legend.
    #[must_use]
    pub fn new(name: &str, points: Vec<(f64, f64)>, colour: RGBColor, shape: Shape) -> Self {
        Self { name: name.into(), points, colour, shape }
    }

    /// A line.
    #[must_use]
    pub fn line(name: &str, points: Vec<(f64, f64)>, colour: RGBColor) -> Self {
        Self::new(name, points, colour, Shape::Line)
    }

    fn is_empty(&self) -> bool {
        self.points.iter().all(|(x, y)| !(x.is_finite() && y.is_finite()))
    }
}

/// A panel with its own ordinate.
#[derive(Clone, Debug)]
pub struct Subplot {
    y: Axis,
    series: Vec<Series>,
}

impl Subplot {
    /// A panel of `series`.
    #[must_use]
    pub const fn new(y: Axis, series: Vec<Series>) -> Self {
        Self { y, series }
    }
}

/// A named stretch of the abscissa, shaded over all panels.
#[derive(Clone, Debug)]
pub struct ShadedBand {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// What it is; equal names have equal shades.
    pub name: String,
}

/// A moment of the abscissa, ruled over all panels and named above them.
#[derive(Clone, Debug)]
pub struct PlotMark {
    /// Place on the abscissa, in its unit.
    pub at: f64,
    /// Name written above it.
    pub name: String,
}

/// A whole figure.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Title above the figure.
    pub title: String,
    /// The common abscissa.
    pub x: Axis,
    /// Shaded stretches.
    pub bands: Vec<ShadedBand>,
    /// Ruled moments.
    pub marks: Vec<PlotMark>,
    /// Panels from the top; those without data are left out.
    pub panels: Vec<Subplot>,
}

impl Figure {
    /// Something is named above the panels.
    const fn has_names(&self) -> bool {
        !(self.bands.is_empty() && self.marks.is_empty())
    }
}

/// File formats of figures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// PNG, pixels.
    Png,
    /// SVG, vectors.
    Svg,
}

/// The format that the name's ending asks for.
///
/// # Errors
/// Any other ending.
pub fn format_of(path: &Path) -> Result<Format> {
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    if ending == "png" {
        Ok(Format::Png)
    } else if ending == "svg" {
        Ok(Format::Svg)
    } else {
        bail!("{}: a figure is a .png or a .svg file", path.shown())
    }
}

/// Draws `figure` into `draft`, in the format of its target.
///
/// # Errors
/// A file that cannot be written, or an error of the drawing library.
pub fn draw(figure: &Figure, draft: &Draft) -> Result<()> {
    fonts()?;
    let mut figure = figure.clone();
    for panel in &mut figure.panels {
        panel.series.retain(|s| !s.is_empty());
    }
    figure.panels.retain(|p| !p.series.is_empty());
    let target = draft.target().shown();
    if figure.panels.is_empty() {
        bail!("{target}: nothing to draw; the run is empty");
    }
    let panels = u32::try_from(figure.panels.len())?;
    let names = if figure.has_names() { NAMES } else { 0 };
    let size = (WIDTH, u32::try_from(TITLE + names + ABSCISSA)? + PANEL * panels);
    render(&figure, size, draft)
}

/// Something that can be painted on any plotters backend, lengths `scale` times the plain pixel.
trait Paint {
    fn paint<DB: DrawingBackend>(
        &self,
        root: &DrawingArea<DB, Shift>,
        scale: i32,
    ) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>>;
}

impl Paint for Figure {
    fn paint<DB: DrawingBackend>(
        &self,
        root: &DrawingArea<DB, Shift>,
        scale: i32,
    ) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
        paint::paint(root, self, scale)
    }
}

/// Paints `what`, `size` px large, into `draft`, in the format of its target.
fn render(what: &impl Paint, size: (u32, u32), draft: &Draft) -> Result<()> {
    let target = draft.target().shown();
    match format_of(draft.target())? {
        Format::Svg => {
            let mut text = String::new();
            {
                let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
                what.paint(&area, 1).map_err(|e| anyhow!("{target}: {e}"))?;
            }
            Ok(draft.write_all(text.as_bytes())?)
        }
        Format::Png => {
            let large = (size.0 * OVERSAMPLING, size.1 * OVERSAMPLING);
            let mut pixels = vec![255u8; usize::try_from(large.0 * large.1 * 3)?];
            {
                let area = BitMapBackend::with_buffer(&mut pixels, large).into_drawing_area();
                let scale = i32::try_from(OVERSAMPLING)?;
                what.paint(&area, scale).map_err(|e| anyhow!("{target}: {e}"))?;
            }
            let pixels = shrink(&pixels, usize::try_from(large.0)?, usize::try_from(OVERSAMPLING)?);
            write_png(draft.writer()?, size, &pixels)
                .map_err(|e| anyhow!("{target}: cannot write: {e}"))
        }
    }
}

/// Mean of every square of `by` × `by` pixels of three bytes, `width` pixels a row.
fn shrink(pixels: &[u8], width: usize, by: usize) -> Vec<u8> {
    let height = pixels.len() / 3 / width;
    let mut out = Vec::with_capacity(pixels.len() / (by * by));
    for y in 0..height / by {
        for x in 0..width / by {
            for c in 0..3 {
                let mut sum = 0;
                for (dy, dx) in (0..by * by).map(|i| (i / by, i % by)) {
                    sum += usize::from(pixels[((y * by + dy) * width + x * by + dx) * 3 + c]);
                }
                out.push(touchback_core::math::cast::byte((sum + by * by / 2) / (by * by)));
            }
        }
    }
    out
}

/// Registers the bundled font once.
fn fonts() -> Result<()> {
    static DONE: OnceLock<bool> = OnceLock::new();
    let done = DONE.get_or_init(|| {
        let font = epaint_default_fonts::UBUNTU_LIGHT;
        register_font("sans-serif", FontStyle::Normal, font).is_ok()
    });
    if *done { Ok(()) } else { bail!("the bundled font cannot be read") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shrinking_averages_squares() {
        let pixels = [[0u8; 3], [90; 3], [90; 3], [180; 3]].concat();
        assert_eq!(shrink(&pixels, 2, 2), [90; 3]);
    }

    #[test]
    fn logarithmic_axes_and_every_shape_are_drawn() {
        let dir = tempfile::tempdir().unwrap();
        let draft = Draft::create(&dir.path().join("a.svg")).unwrap();
        let points: Vec<_> = (1..20).map(|i| (f64::from(i) * 0.3, 100.0 / f64::from(i))).collect();
        let high = points.iter().map(|p| p.1 * 1.5).collect();
        let shapes = [Shape::Line, Shape::Dots, Shape::Stems, Shape::Area(high)];
        let series =
            shapes.into_iter().map(|s| Series::new("x", points.clone(), palette(0), s)).collect();
        let figure = Figure {
            title: "title".into(),
            x: Axis::new("speed, m/s").log(),
            bands: Vec::new(),
            marks: Vec::new(),
            panels: vec![Subplot::new(Axis::new("time, ms").log(), series)],
        };
        draw(&figure, &draft).unwrap();
        let path = draft.target().to_owned();
        draft.keep().unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.contains("title") && text.contains("polyline") && text.contains("circle"));
    }

    #[test]
    fn other_endings_and_empty_figures_are_refused() {
        assert!(format_of(Path::new("a.pdf")).is_err());
        let dir = tempfile::tempdir().unwrap();
        let draft = Draft::create(&dir.path().join("a.png")).unwrap();
        let figure = Figure {
            title: String::new(),
            x: Axis::new("x"),
            bands: Vec::new(),
            marks: Vec::new(),
            panels: vec![Subplot::new(
                Axis::new("y"),
                vec![Series::line("", vec![(0.0, f64::NAN)], palette(0))],
            )],
        };
        assert!(draw(&figure, &draft).unwrap_err().to_string().contains("nothing to draw"));
    }
}
