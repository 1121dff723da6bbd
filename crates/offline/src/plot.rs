//! Figures: stacked panels over one abscissa, as PNG or SVG. Only this module and its children use plotters.
//!
//! The bundled font makes figures independent of the machine.

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

use crate::output::{Draft, Shown as _, is_stdout};
use touchback_core::picture::write_png;

/// Width of a figure, px.
const WIDTH: u32 = 1200;
/// Heights of the title, of the names above the panels, and of the abscissa, px.
const TITLE: i32 = 44;
const NAMES: i32 = 90;
const ABSCISSA: i32 = 46;
/// Height of a panel, px.
const PANEL: u32 = 210;
/// Oversampling of PNG files: plotters does not antialias wide lines.
const OVERSAMPLING: u32 = 3;

/// Colour of lines and text.
pub const INK: RGBColor = RGBColor(40, 44, 52);

/// Colour `index` of a cycle that colour-blind readers can distinguish [Okabe 2008].
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

/// An axis: label with unit, fixed range if any, and scale.
#[derive(Clone, Debug)]
pub struct Axis {
    label: String,
    range: Option<(f64, f64)>,
    log: bool,
}

impl Axis {
    /// A linear axis with the range of the data.
    #[must_use]
    pub fn new(label: &str) -> Self {
        Self { label: label.into(), range: None, log: false }
    }

    /// The axis with a fixed range.
    #[must_use]
    pub fn within(self, from: f64, to: f64) -> Self {
        Self { range: Some((from, to)), ..self }
    }

    /// The axis with a logarithmic scale; values that are not positive are omitted.
    #[must_use]
    pub fn log(self) -> Self {
        Self { log: true, ..self }
    }
}

/// How points are drawn.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    /// A line through the points in order; NaN interrupts it.
    Line,
    /// One dot per point.
    Dots,
    /// One stem with a dot per point, from zero (on a logarithmic axis, from the lower edge).
    Stems,
    /// The area between each point and the value given here.
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
    /// A series of points in the axes' units; an empty name is omitted from the legend.
    #[must_use]
    pub fn new(name: &str, points: Vec<(f64, f64)>, colour: RGBColor, shape: Shape) -> Self {
        Self { name: name.into(), points, colour, shape }
    }

    /// A series drawn as a line.
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

/// A named interval of the abscissa, shaded in all panels.
#[derive(Clone, Debug)]
pub struct ShadedBand {
    /// Begin, in the abscissa's unit.
    pub from: f64,
    /// End, in the abscissa's unit.
    pub to: f64,
    /// Name; equal names have equal shades.
    pub name: String,
}

/// A position on the abscissa, marked by a line through all panels and a name above them.
#[derive(Clone, Debug)]
pub struct PlotMark {
    /// Position, in the abscissa's unit.
    pub at: f64,
    /// Name above the line.
    pub name: String,
}

/// A figure.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Title above the figure.
    pub title: String,
    /// The common abscissa.
    pub x: Axis,
    /// Shaded intervals.
    pub bands: Vec<ShadedBand>,
    /// Marked positions.
    pub marks: Vec<PlotMark>,
    /// Panels from the top; panels without data are omitted.
    pub panels: Vec<Subplot>,
}

impl Figure {
    /// Whether there are names above the panels.
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

/// The format given by the ending of `path`; standard output receives SVG.
///
/// # Errors
/// An ending other than .png and .svg.
pub fn format_of(path: &Path) -> Result<Format> {
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    if ending == "png" {
        Ok(Format::Png)
    } else if ending == "svg" || is_stdout(path) {
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

/// Painting on any plotters backend, with lengths scaled by `scale`.
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

/// Averages squares of `by` × `by` pixels of three bytes; `width` pixels per row.
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
