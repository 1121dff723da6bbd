//! `long-run`: does the energy of a ball on a sampled floor grow without bound? [Gillespie 1996, §6.4]
//!
//! The thesis draws the largest of 40 exit speeds (fig. 6.9) and leaves the question open. The return map is
//! iterated ten million times; the clock is taken back by whole periods, so that it keeps its precision.

use anyhow::{Context, Result};

use super::wall_damping::unit;
use touchback_core::exchange::cancel;
use touchback_core::math::cast::floor_index;
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand};
use touchback_offline::parallel;
use touchback_offline::plot::{Axis, Figure, Series, Subplot, palette};
use touchback_offline::wall::analysis::return_map::Crossing;

/// Number of strikes.
const STRIKES: usize = 10_000_000;

/// Sample periods and the largest exit speeds of a second program, written from the equations alone.
const CASES: [(f64, f64); 5] = [(0.01, 1.38), (0.03, 1.76), (0.1, 0.9986), (0.2, 1.117), (0.3, 1.512)];

/// Largest exit speed so far after each count of strikes: 10, 20, 50, 100 and so on.
fn largest(period: f64) -> Result<Vec<(f64, f64)>> {
    let map = unit(period);
    let (mut now, mut most) = (Crossing { time: 0.0, speed: 1.0 }, 0.0f64);
    let (mut points, mut next, mut steps) = (Vec::new(), 10, [2.0, 2.5, 2.0].into_iter().cycle());
    for strike in 1..=STRIKES {
        if strike % 4096 == 0 {
            cancel::check();
        }
        now = map.pass(now).context("the map ends")?.exit;
        now.time -= period * (now.time / period).floor();
        most = most.max(now.speed);
        if strike == next {
            points.push((strike as f64, most));
            next = floor_index(strike as f64 * steps.next().unwrap_or(2.0));
        }
    }
    Ok(points)
}

/// Runs the experiment.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    report.source("000 §6.4, fig. 6.9");
    let found = parallel::map(&CASES, |(period, _)| largest(*period));
    let mut csv = DataTable::new(&["strike", "period_s", "largest_speed_m_s"]);
    let mut series = Vec::new();
    for (i, ((period, expected), points)) in CASES.into_iter().zip(found).enumerate() {
        let points = points?;
        let last = points.last().map_or(f64::NAN, |p| p.1);
        let quantity = format!("largest exit speed of 10⁷ strikes, T {period}, m/s");
        report.near(&quantity, expected, 0.02, last);
        for (strike, speed) in &points {
            csv.row(&[strike, &period, speed]);
        }
        if period < 0.05 {
            let early = points.iter().find(|p| p.0 >= 1e3).map_or(f64::NAN, |p| p.1);
            let quantity = format!("the same over that of 10³ strikes, T {period}");
            report.check(&quantity, "still grows", TargetBand::AtLeast(1.05), last / early);
        }
        series.push(Series::line(&format!("T {period}"), points, palette(i)));
    }
    report.note(
        "Ball of 1 kg at 1 m/s², floor of 1 N/m, as figure 6.9. Within 10⁷ strikes the energy grows by at most the \
         square of these speeds. It does not return to rest and is not lost; short periods diffuse slowly, so that no \
         bound is seen at T 0.01.",
    );
    folder.table("long-run.csv", &csv)?;
    let figure = Figure {
        title: "Largest exit speed of a ball on a sampled floor".into(),
        x: Axis::new("strikes").log(),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![Subplot::new(Axis::new("largest exit speed, m/s"), series)],
    };
    folder.draw("long-run", &figure, &mut report)?;
    Ok(report)
}
