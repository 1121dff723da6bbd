//! Spectrograms: time horizontally, frequency vertically, level as darkness.

use anyhow::Result;
use plotters::coord::Shift;
use plotters::prelude::*;

use super::{Paint, WIDTH, fonts, render};
use crate::output::Draft;
use touchback_core::math::cast::{floor_index, rounded_i32};

/// Highest frequency, Hz, and range of levels, dB.
const TOP_HZ: f64 = 8000.0;
const RANGE_DB: f32 = 90.0;

/// Samples per window, and columns and rows of the picture.
const WINDOW: usize = 4096;
const COLUMNS: usize = 560;
const ROWS: usize = 160;

/// Height of the picture and width of the level scale, px.
const HEIGHT: u32 = 440;
const SCALE: i32 = 120;

/// Levels below the loudest, dB, by column from low to high frequency.
struct Spectrogram {
    levels: Vec<Vec<f32>>,
    seconds: f64,
}

/// Draws `samples` at `rate` Hz into `draft`.
///
/// # Errors
/// A file that cannot be written, or an error of the drawing library.
pub fn draw(samples: &[f32], rate: f64, draft: &Draft) -> Result<()> {
    fonts()?;
    let transform = touchback_sound::signal::fourier::forward(WINDOW);
    let (mut input, mut output) = (transform.make_input_vec(), transform.make_output_vec());
    let turn = std::f32::consts::TAU / WINDOW as f32;
    let mut levels = Vec::with_capacity(COLUMNS);
    let mut loudest = f32::NEG_INFINITY;
    for column in 0..COLUMNS {
        let middle = column * samples.len() / COLUMNS;
        for (i, x) in input.iter_mut().enumerate() {
            let at = (middle + i).checked_sub(WINDOW / 2);
            let hann = 0.5 - 0.5 * libm::cosf(turn * i as f32);
            *x = hann * at.and_then(|i| samples.get(i)).copied().unwrap_or(0.0);
        }
        transform.process(&mut input, &mut output)?;
        let bin = |row: usize| {
            floor_index(row as f64 * TOP_HZ / ROWS as f64 * WINDOW as f64 / rate)
                .min(output.len() - 1)
        };
        let levels_of = (0..ROWS).map(|row| {
            let most = output[bin(row)..=bin(row + 1)].iter().map(|c| c.norm_sqr());
            10.0 * libm::log10f(most.fold(1e-20f32, f32::max))
        });
        let levels_of: Vec<f32> = levels_of.collect();
        loudest = levels_of.iter().copied().fold(loudest, f32::max);
        levels.push(levels_of);
    }
    levels.iter_mut().flatten().for_each(|x| *x -= loudest);
    let seconds = samples.len() as f64 / rate;
    render(&Spectrogram { levels, seconds }, (WIDTH, HEIGHT), draft)
}

/// Darkness of `level` dB below the loudest.
fn ink(level: f32) -> ShapeStyle {
    let shade = f64::from(-level / RANGE_DB) * 255.0;
    let shade = u8::try_from(rounded_i32(shade).clamp(0, 255)).unwrap_or(255);
    RGBColor(shade, shade, shade).filled()
}

/// Draws the scale of levels.
fn level_scale<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    scale: i32,
) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
    let mut chart = ChartBuilder::on(area)
        .margin(12 * scale)
        .margin_bottom(52 * scale)
        .y_label_area_size(58 * scale)
        .build_cartesian_2d(0.0..1.0, -RANGE_DB..0.0)?;
    let step = RANGE_DB / 90.0;
    chart.draw_series((0..90u8).map(|i| {
        let level = -step * f32::from(i);
        Rectangle::new([(0.0, level), (1.0, level - step)], ink(level))
    }))?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_labels(0)
        .y_labels(7)
        .y_desc("below the loudest, dB")
        .label_style(("sans-serif", 15 * scale))
        .draw()
}

impl Paint for Spectrogram {
    fn paint<DB: DrawingBackend>(
        &self,
        root: &DrawingArea<DB, Shift>,
        scale: i32,
    ) -> Result<(), DrawingAreaErrorKind<DB::ErrorType>> {
        root.fill(&WHITE)?;
        let (wide, _) = root.dim_in_pixel();
        let left = i32::try_from(wide).unwrap_or(i32::MAX) - SCALE * scale;
        let (picture, bar) = root.split_horizontally(left);
        level_scale(&bar, scale)?;
        let mut chart = ChartBuilder::on(&picture)
            .margin(12 * scale)
            .x_label_area_size(40 * scale)
            .y_label_area_size(64 * scale)
            .build_cartesian_2d(0.0..self.seconds, 0.0..TOP_HZ)?;
        let (width, height) = (self.seconds / COLUMNS as f64, TOP_HZ / ROWS as f64);
        chart.draw_series(self.levels.iter().enumerate().flat_map(|(x, column)| {
            let shown = column.iter().enumerate().filter(|(_, level)| **level > -RANGE_DB);
            shown.map(move |(y, level)| {
                let (x, y) = (x as f64 * width, y as f64 * height);
                Rectangle::new([(x, y), (x + width, y + height)], ink(*level))
            })
        }))?;
        chart
            .configure_mesh()
            .disable_mesh()
            .x_desc("time, s")
            .y_desc("frequency, Hz")
            .label_style(("sans-serif", 15 * scale))
            .draw()
    }
}
