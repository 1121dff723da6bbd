//! `long-run`: does the energy of a ball on a sampled floor grow without bound? [Gillespie 1996, §6.4]
//!
//! The thesis draws the largest of 40 exit speeds (fig. 6.9) and leaves the question open. The return map is
//! iterated a million times from several starts: after some thousand strikes a run depends on the last bit of its
//! start, so that only the runs together tell something. The clock is taken back by whole periods, so that it keeps
//! its precision.

use anyhow::{Context, Result};

use super::wall_damping::unit;
use touchback_core::exchange::cancel;
use touchback_core::math::cast::floor_index;
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand};
use touchback_offline::parallel;
use touchback_offline::plot::{Axis, Figure, Series, Subplot, palette};
use touchback_walls::analysis::return_map::Crossing;

/// Number of strikes of a run.
const STRIKES: usize = 1_000_000;

/// Number of runs; their first speeds differ by 10⁻⁹ m/s.
const RUNS: u32 = 8;

/// Sample periods, and the largest exit speed of all strikes, m/s, by a second program, written from the equations
/// alone, where the runs agree.
const CASES: [(f64, Option<f64>); 5] =
    [(0.01, None), (0.03, None), (0.1, Some(0.9986)), (0.2, Some(1.117)), (0.3, Some(1.51))];

/// Largest exit speed so far after 10, 20, 50, 100 strikes and so on, of one run.
fn largest(period: f64, run: u32) -> Result<Vec<(f64, f64)>> {
    let map = unit(period);
    let mut now = Crossing { time: 0.0, speed: 1.0 + 1e-9 * f64::from(run) };
    let (mut most, mut points) = (0.0f64, Vec::new());
    let (mut next, mut steps) = (10, [2.0, 2.5, 2.0].into_iter().cycle());
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

/// Least, median and largest of the runs after each number of strikes.
type Spread = Vec<(f64, [f64; 3])>;

fn spread(period: f64) -> Result<Spread> {
    let runs = (0..RUNS).map(|run| largest(period, run)).collect::<Result<Vec<_>>>()?;
    let at = |i: usize| {
        let mut speeds: Vec<f64> = runs.iter().map(|run| run[i].1).collect();
        speeds.sort_by(f64::total_cmp);
        (runs[0][i].0, [speeds[0], speeds[speeds.len() / 2], speeds[speeds.len() - 1]])
    };
    Ok((0..runs[0].len()).map(at).collect())
}

/// Runs the experiment.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    report.source("000 §6.4, fig. 6.9");
    let found = parallel::map(&CASES, |(period, _)| spread(*period));
    let mut csv = DataTable::new(&["times", "period_s", "least_m_s", "median_m_s", "largest_m_s"]);
    let mut series = Vec::new();
    for (i, ((period, expected), points)) in CASES.into_iter().zip(found).enumerate() {
        let points: Spread = points?;
        let of =
            |strikes: f64| points.iter().find(|p| p.0 >= strikes).map_or([f64::NAN; 3], |p| p.1);
        let [least, median, most] = of(STRIKES as f64);
        match expected {
            Some(speed) => {
                let quantity =
                    format!("largest exit speed of 10⁶ strikes, median, T {period}, m/s");
                report.near(&quantity, speed, 0.01, median);
            }
            None => {
                let quantity =
                    format!("largest exit speed of 10⁶ over 10³ strikes, median, T {period}");
                report.check(&quantity, "grows", TargetBand::AtLeast(1.05), median / of(1e3)[1]);
                let quantity = format!("largest over least of the runs, 10⁶ strikes, T {period}");
                report.check(&quantity, "chaotic", TargetBand::AtLeast(1.01), most / least);
            }
        }
        for (strike, [least, median, most]) in &points {
            csv.row(&[strike, &period, least, median, most]);
        }
        let medians = points.into_iter().map(|p| (p.0, p.1[1])).collect();
        series.push(Series::line(&format!("T {period}"), medians, palette(i)));
    }
    report.note(&format!(
        "Ball of 1 kg at 1 m/s², floor of 1 N/m, as figure 6.9; {RUNS} runs from speeds 10⁻⁹ m/s apart. At T 0.01 and \
         0.03 the largest speed still grows after 10⁵ strikes, slowly and differently in every run; a clock that is not \
         taken back, or another compiler, gives other values there. At T 0.1, 0.2 and 0.3 the runs agree, and no \
         growth was seen from 10⁵ strikes on."
    ));
    folder.table("long-run.csv", &csv)?;
    let figure = Figure {
        title: "Largest exit speed of a ball on a sampled floor, median of the runs".into(),
        x: Axis::new("strikes").log(),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![Subplot::new(Axis::new("largest exit speed, m/s"), series)],
    };
    folder.draw("long-run", &figure, &mut report)?;
    Ok(report)
}
