//! `long-run`: does the energy of a ball on a sampled floor grow without bound? [Gillespie 1996, §6.4]
//!
//! The thesis draws the largest of 40 exit speeds (fig. 6.9) and leaves the question open. The return map is
//! iterated a million times from several starts: after some thousand strikes a run depends on the last bit of its
//! start, so that only the runs together tell something. Fast balls follow a law of their own, which answers the
//! question ([`touchback_walls::analysis::high_speed`]); `examples/python/long_run.py` repeats it independently.

use anyhow::{Result, ensure};

use super::{calculated, wall_damping::unit};
use touchback_core::math::cast::floor_index;
use touchback_core::text::numbers::Numbers;
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand};
use touchback_offline::parallel;
use touchback_offline::plot::{Axis, Figure, Series, Shape, Subplot, palette};
use touchback_walls::analysis::high_speed::{Walk, climb, drift};
use touchback_walls::analysis::return_map::Crossing;
use touchback_walls::calculation::RETURN_MAP;

/// Number of strikes of a run.
const STRIKES: usize = 1_000_000;

/// Number of runs; their first speeds differ by 10⁻⁹ m/s.
const RUNS: u32 = 8;

/// Sample periods, and the largest exit speed of all strikes, m/s, by a second program, written from the equations
/// alone, where the runs agree.
const CASES: [(f64, Option<f64>); 5] =
    [(0.01, None), (0.03, None), (0.1, Some(0.9986)), (0.2, Some(1.117)), (0.3, Some(1.51))];

/// Speed of the fast balls, m/s, and number of balls and of their strikes.
const FAST: f64 = 1e5;
const BALLS: u32 = 5000;
const FAST_STRIKES: usize = 400;

/// Sample periods of the fast balls, at which the statistical error is below 5 %.
const FAST_PERIODS: [f64; 3] = [0.2, 0.3, 0.5];

/// First speed, m/s, period and number of strikes of the falls.
const FALL: (f64, f64, usize) = (100.0, 0.3, 30_000);

/// Sample periods of slow balls, number of balls and of their strikes.
const SLOW_PERIODS: [f64; 3] = [0.01, 0.02, 0.04];
const SLOW: (u32, usize) = (800, 1000);

/// Half a period of the spring in this number of whole samples, first speed, m/s, balls and strikes.
const WHOLE: (f64, f64, u32, usize) = (8.0, 5.0, 32, 10_000);

/// Sample periods of the phase portraits, and the strikes shown after as many unseen.
const PORTRAITS: [f64; 3] = [0.03, 0.1, 0.3];
const SHOWN: usize = 1500;

/// Largest exit speed so far after 10, 20, 50, 100 strikes and so on, of one run.
fn largest(period: f64, run: u32) -> Result<Vec<(f64, f64)>> {
    let first = Crossing { time: 0.0, speed: 1.0 + 1e-9 * f64::from(run) };
    let (mut most, mut points) = (0.0f64, Vec::new());
    let (mut next, mut steps) = (10, [2.0, 2.5, 2.0].into_iter().cycle());
    let done = unit(period).iterate(first, STRIKES, |strike, _, exit| {
        most = most.max(exit.speed);
        if strike == next {
            points.push((strike as f64, most));
            next = floor_index(strike as f64 * steps.next().unwrap_or(2.0));
        }
    });
    ensure!(done == STRIKES, "the map ends after {done} strikes");
    Ok(points)
}

/// Mean change of ln v of a contact, over [`BALLS`] fast balls with evenly spread phases.
fn fast(period: f64) -> f64 {
    let change = |ball: u32| {
        let share = (f64::from(ball) + 0.5) / f64::from(BALLS);
        let from = Crossing { time: share * period, speed: FAST * (1.0 + 1e-3 * share) };
        let mut last = from;
        unit(period).iterate(from, FAST_STRIKES, |_, _, exit| last = exit);
        libm::log(last.speed / from.speed)
    };
    (0..BALLS).map(change).sum::<f64>() / f64::from(BALLS) / FAST_STRIKES as f64
}

/// The rows and the figure of fast balls.
fn high_speed(folder: &mut Folder, report: &mut Report) -> Result<()> {
    report.source("000 §6.4");
    let mut found = Vec::new();
    for (period, measured) in
        FAST_PERIODS.into_iter().zip(parallel::map(&FAST_PERIODS, |period| fast(*period)))
    {
        let quantity = format!(
            "fast ball, T {period}: mean change of ln v over −(r + 2r³ − r⁴)(ω0T)⁴/12, r = π/(ω0T) mod 1"
        );
        report.near(&quantity, 1.0, 0.15, measured / drift(period));
        let walk = Walk::of(period);
        found.push(format!(
            "T {period}: {measured:.3e} a strike, standard deviation {:.3e}, mean of G² less 1 {:.3e}",
            walk.variance.sqrt(),
            walk.energy
        ));
    }
    let (speed, period, strikes) = FALL;
    let mut series = Vec::new();
    let mut last = Vec::new();
    for run in 0..RUNS {
        let from = Crossing { time: 0.0, speed: speed * (1.0 + 1e-6 * f64::from(run)) };
        let mut points = vec![(0.0, speed)];
        unit(period).iterate(from, strikes, |strike, _, exit| {
            if strike % 50 == 0 {
                points.push((strike as f64, exit.speed));
            }
        });
        last.push(points[points.len() - 1].1);
        series.push(Series::line("", points, palette(usize::try_from(run)?)));
    }
    last.sort_by(f64::total_cmp);
    let quantity =
        format!("exit speed from {speed} m/s on after {strikes} strikes, median, T {period}, m/s");
    let median = last[last.len() / 2];
    report.check(&quantity, "falls, and is caught", TargetBand::Within(12.0, 14.0), median);
    report.note(&format!(
        "Fast balls: {}. Far above g/(2ω0²T) the phases of the strikes are lost, and ln v walks at random with a \
         downward drift: almost every ball comes down from any height, until a bounded set catches it (at T {period} near \
         13 m/s), so that its energy does not grow without bound; where the mean of G² exceeds 1, the mean energy of many \
         balls grows all the same, carried by ever fewer of them.",
        found.join("; ")
    ));
    let figure = Figure {
        title: format!(
            "Exit speeds from {speed} m/s on, T {period}: a random walk with a downward drift"
        ),
        x: Axis::new("strikes"),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![Subplot::new(Axis::new("exit speed, m/s").log(), series)],
    };
    folder.draw("long-run-fall", &figure, report)
}

/// Mean growth of the speed of slow balls with evenly spread phases in a strike, m/s.
fn slow(period: f64) -> f64 {
    let (balls, strikes) = SLOW;
    let grown = |ball: u32| {
        // The golden section spreads phases and periods evenly.
        let [phase, share] = [0.618_034, 0.754_878].map(|step| (f64::from(ball) * step).fract());
        let period = period * (0.95 + 0.1 * share);
        let mut last = 1.0;
        let from = Crossing { time: phase * period, speed: 1.0 };
        unit(period).iterate(from, strikes, |_, _, exit| last = exit.speed);
        (last - 1.0) / climb(period)
    };
    (0..balls).map(grown).sum::<f64>() / f64::from(balls) / strikes as f64
}

/// Median speed, m/s, after half of the strikes and after all, where half a period of the spring is whole samples.
fn without_bound() -> [f64; 2] {
    let (parts, speed, balls, strikes) = WHOLE;
    let period = std::f64::consts::PI / parts;
    let mut found = [Vec::new(), Vec::new()];
    for ball in 0..balls {
        let share = f64::from(ball) / f64::from(balls);
        let from = Crossing { time: share * period, speed: speed * (1.0 + 1e-3 * share) };
        unit(period).iterate(from, strikes, |strike, _, exit| {
            for (half, speeds) in (1..).zip(&mut found) {
                if 2 * strike == half * strikes {
                    speeds.push(exit.speed);
                }
            }
        });
    }
    found.map(|mut speeds| {
        speeds.sort_by(f64::total_cmp);
        speeds[speeds.len() / 2]
    })
}

/// The rows of slow balls, and of the periods without a downward drift.
fn growth(report: &mut Report) {
    for (period, found) in
        SLOW_PERIODS.into_iter().zip(parallel::map(&SLOW_PERIODS, |period| slow(*period)))
    {
        let quantity = format!("slow balls, T {period} ± 5 %: growth a strike over g (ω0T)³/(4ω0)");
        report.near(&quantity, 1.0, 0.1, found);
    }
    let (parts, speed, _, strikes) = WHOLE;
    let [half, all] = without_bound();
    let quantity =
        format!("T π/{parts}, from {speed} m/s: median speed after {strikes} strikes, m/s");
    report.check(&quantity, "grows", TargetBand::AtLeast(100.0), all);
    let quantity = format!("T π/{parts}: the same over that after half as many");
    report.check(&quantity, "2", TargetBand::Within(1.5, 3.0), all / half);
    report.note(
        "Slow balls climb: gravity adds g (ω0T)³/(4ω0) a strike as long as the phases of the strikes spread evenly, \
         until an orbit in step with the samples catches them or the downward drift of fast balls balances the climb, at \
         the order of 3g/((r + 2r³ − r⁴) ω0²T). Where half a period of the spring is a whole number of samples, r = 0, \
         there is no such drift, and the energy grows without bound, the speed in proportion to the strikes.",
    );
}

/// Draws exit speeds over the phase of the exit within the sample period.
fn portraits(folder: &mut Folder, report: &mut Report) -> Result<()> {
    let panel = |(i, period): (usize, f64)| {
        let mut points = Vec::new();
        let start = Crossing { time: 0.0, speed: 1.0 };
        unit(period).iterate(start, 2 * SHOWN, |strike, _, exit| {
            if strike > SHOWN {
                points.push((exit.time / period, exit.speed));
            }
        });
        let dots = Series::new("", points, palette(i), Shape::Dots);
        Subplot::new(Axis::new(&format!("m/s: T {period}")), vec![dots])
    };
    let figure = Figure {
        title: format!("Exit speeds over their phase, strikes {SHOWN} to {}", 2 * SHOWN),
        x: Axis::new("time since the last sample, periods").within(0.0, 1.0),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: PORTRAITS.into_iter().enumerate().map(panel).collect(),
    };
    folder.draw("long-run-phase", &figure, report)
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
pub fn run(folder: &mut Folder, numbers: &Numbers) -> Result<Report> {
    if let Some(report) = calculated::report(&RETURN_MAP, folder, numbers)? {
        return Ok(report);
    }
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
    high_speed(folder, &mut report)?;
    growth(&mut report);
    portraits(folder, &mut report)?;
    Ok(report)
}
