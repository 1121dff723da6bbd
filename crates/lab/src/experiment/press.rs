//! `press`: keys pressed by a force, and the thesis's by its manipulandum, with chosen numbers
//! ([`touchback_walls::calculation::motion::PRESS`]).

use anyhow::{Context as _, Result};

use super::calculated;
use touchback_core::math::power::square;
use touchback_core::text::numbers::Numbers;
use touchback_offline::bench::{Folder, Report, TargetBand, short};
use touchback_offline::plot::{Axis, Figure, Series, Subplot, palette};
use touchback_walls::calculation::motion::{PRESS, PRESSED};

/// Columns of the table: time, key, hammer, its speed, energy that is not accounted for, force of the drive.
const COLUMNS: [usize; 6] = [0, 1, 2, 3, 6, 5];

/// A press: its rows, reduced to [`COLUMNS`].
struct Pressed(Vec<[f64; 6]>);

impl Pressed {
    fn of(numbers: &[(&str, f64)]) -> Result<Self> {
        let mut chosen = Numbers::usual(PRESS.numbers);
        for (id, value) in numbers {
            chosen.set(id, *value)?;
        }
        let rows = (PRESS.rows)(&chosen)?;
        Ok(Self(rows.iter().map(|row| COLUMNS.map(|i| row[i])).collect()))
    }

    /// Time, s, and speed, m/s, of the first row in which the hammer has reached the string; the speed is that before.
    fn strike(&self) -> Option<[f64; 2]> {
        let at = self.0.iter().position(|row| row[2] >= 0.0)?;
        Some([self.0[at][0], self.0[at.checked_sub(1)?][3]])
    }

    /// Difference of the drives' forces, rms over the largest of the other's.
    fn differs(&self, other: &Self) -> f64 {
        let squares: f64 = self.0.iter().zip(&other.0).map(|(a, b)| square(a[5] - b[5])).sum();
        let most = other.0.iter().fold(0.0, |most: f64, row| most.max(row[5].abs()));
        (squares / self.0.len() as f64).sqrt() / most
    }

    /// Largest energy that is not accounted for, over the work of the drive.
    fn lost(&self) -> f64 {
        let most = self.0.iter().fold(0.0, |most: f64, row| most.max(row[4].abs()));
        let steps = self.0.windows(2);
        let work: f64 = steps.map(|w| 0.5 * (w[0][5] + w[1][5]) * (w[1][1] - w[0][1])).sum();
        most / work
    }
}

/// A press of the grand: the force, N, that rises within `rise`, s, to the hammer `speed`, m/s.
fn force(speed: f64, rise: f64) -> Result<f64> {
    let (mut low, mut high) = (1.0, 30.0);
    for _ in 0..12 {
        let middle = 0.5 * (low + high);
        let strike =
            Pressed::of(&[("action", 0.0), ("force", middle), ("rise", rise), ("seconds", 0.8)])?
                .strike();
        if strike.is_some_and(|[_, own]| own > speed) { high = middle } else { low = middle }
    }
    Ok(0.5 * (low + high))
}

/// Runs the experiment.
pub fn run(folder: &mut Folder, numbers: &Numbers) -> Result<Report> {
    if let Some(report) = calculated::report(&PRESS, folder, numbers)? {
        return Ok(report);
    }
    let mut report = Report::default();
    report.source("000 figs. 3.15–3.17, §3.6.3");
    let published = Pressed::of(&[("action", 1.0), ("turn", 0.028), ("rise", 0.08)])?;
    let [time, _] = published.strike().context("the thesis's gesture does not strike")?;
    report.check(
        "thesis's gesture: strike, s",
        "0.183–0.21",
        TargetBand::Within(0.183, 0.21),
        time,
    );
    report.source("000 figs. 2.1, 2.4, 2.5; 002 eqs. 11–13");
    let mut lines = [Vec::new(), Vec::new()];
    let (mut worst, mut apart) = (published.lost(), 0.0f64);
    for (i, kind) in (0u32..).zip(PRESSED) {
        let numbers = [("action", f64::from(i)), ("force", 6.0), ("rise", 0.03)];
        let press = Pressed::of(&numbers)?;
        worst = worst.max(press.lost());
        let again = Pressed::of(&[&numbers[..], &[("again", 1.0)]].concat())?;
        apart = apart.max(again.differs(&press));
        for (lines, column) in lines.iter_mut().zip([1, 2]) {
            let points = press.0.iter().map(|row| (row[0], 1e3 * row[column])).collect();
            lines.push(Series::line(kind.name(), points, palette(lines.len())));
        }
    }
    let quantity = "presses of five actions: energy not accounted for, share of the work, largest";
    report.check(quantity, "0", TargetBand::AtMost(1e-3), worst);
    report.source("000 §3.3.3 (inverse dynamics)");
    let quantity = "their motions imposed: force, rms of the difference over the largest force";
    report.check(quantity, "0", TargetBand::AtMost(0.05), apart);
    report.source("000 figs. 2.1, 2.4, 2.5; 002 eqs. 11–13");
    let (speed, rise) = (1.0, 0.1);
    let [sudden, slow] = [0.0, rise].map(|rise| force(speed, rise));
    let (sudden, slow) = (sudden?, slow?);
    let quantity = "grand, hammer at 1 m/s: force that rises in 0.1 s over a sudden one";
    report.check(quantity, "many to one (≥ 1.05)", TargetBand::AtLeast(1.05), slow / sudden);
    report.note(&format!(
        "The hammer of a grand comes at {speed} m/s under {} N at once and under {} N that rise in {rise} s.",
        short(sudden),
        short(slow)
    ));
    let [key, hammer] = lines;
    let figure = Figure {
        title: "C4 of five actions, pressed by 6 N that rise in 30 ms".into(),
        x: Axis::new("time, s"),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![
            Subplot::new(Axis::new("key, mm"), key),
            Subplot::new(Axis::new("hammer above the string, mm"), hammer),
        ],
    };
    folder.draw("press", &figure, &mut report)?;
    Ok(report)
}
