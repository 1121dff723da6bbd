//! `wall-map`: every wall and the wave junction on the same ground.

use std::fmt::Write as _;

use anyhow::Result;

use crate::lab::experiment::{Band, Folder, Report, short};
use crate::lab::output::progress;
use crate::lab::plot::{Axis, Figure, Panel, Series, palette};
use crate::wall::comparison::{Contender, Ground};

/// Sample periods at no delay, s, and delays at 1 ms, periods.
const PERIODS: [f64; 4] = [5e-4, 1e-3, 2e-3, 4e-3];
const DELAYS: [usize; 4] = [1, 2, 4, 8];

/// The ground of a series: what holds the device, what is measured.
const GROUNDS: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

const fn ground_name(has_finger: bool, is_measured: bool) -> &'static str {
    match (has_finger, is_measured) {
        (false, false) => "no finger, true state",
        (false, true) => "no finger, encoder",
        (true, false) => "finger, true state",
        (true, true) => "finger, encoder",
    }
}

fn count(i: usize) -> f64 {
    f64::from(u32::try_from(i).unwrap_or(u32::MAX))
}

/// Runs all of it.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    let mut csv = String::from("wall,finger,measured,period_ms,delay_periods,stiffness_n_m\n");
    let cells = Contender::ALL.len() * GROUNDS.len() * (PERIODS.len() + DELAYS.len());
    let bar = progress(cells as u64, "wall map");
    let mut table = String::from("| wall, largest quiet stiffness, N/m |");
    for (has_finger, is_measured) in GROUNDS {
        for delay in [0, 2] {
            let name = ground_name(has_finger, is_measured);
            write!(table, " {name}, {delay} ms |")?;
        }
    }
    table += "\n|";
    table += &" --- |".repeat(1 + 2 * GROUNDS.len());
    // Panels: a curve a contender.
    let mut over_period: Vec<Vec<Series>> = vec![Vec::new(); GROUNDS.len()];
    let mut over_delay: Vec<Vec<Series>> = vec![Vec::new(); GROUNDS.len()];
    let mut at_one = Vec::new();
    for (c, contender) in Contender::ALL.into_iter().enumerate() {
        write!(table, "\n| {} |", contender.name())?;
        for (g, (has_finger, is_measured)) in GROUNDS.into_iter().enumerate() {
            let mut find = |period: f64, delay: usize| -> Result<f64> {
                let ground = Ground { period, delay, has_finger, is_measured };
                let k = ground.stiffest(contender);
                let ms = period * 1e3;
                writeln!(csv, "{},{has_finger},{is_measured},{ms},{delay},{k}", contender.name())?;
                bar.inc(1);
                Ok(k)
            };
            let mut by_period = Vec::new();
            for period in PERIODS {
                by_period.push((period * 1e3, find(period, 0)?));
            }
            let mut by_delay = vec![(0.0, by_period[1].1)];
            for delay in DELAYS {
                by_delay.push((count(delay), find(1e-3, delay)?));
            }
            write!(table, " {} | {} |", short(by_delay[0].1), short(by_delay[2].1))?;
            at_one.push((contender, g, by_delay[0].1, by_delay[2].1));
            // Below the first stiffness tried nothing is known: left out.
            let shown = |points: Vec<(f64, f64)>| {
                let keep = |(x, y): (f64, f64)| (x, if y > 0.0 { y } else { f64::NAN });
                Series::line(contender.name(), points.into_iter().map(keep).collect(), palette(c))
            };
            over_period[g].push(shown(by_period));
            over_delay[g].push(shown(by_delay));
        }
    }
    bar.finish_and_clear();
    let of = |contender: Contender, g: usize, late: bool| {
        let found = at_one.iter().find(|(c, ground, ..)| *c == contender && *ground == g);
        found.map_or(f64::NAN, |(_, _, now, then)| if late { *then } else { *now })
    };
    let standard = of(Contender::Standard, 0, false);
    report.check(
        "standard wall, no finger, 1 ms, N/m",
        "2(b − 2m ln 2/2 s)/T = 861 on the grid",
        Band::Within(861.0 / 1.1, 861.5),
        standard,
    );
    let gain = of(Contender::Prediction, 3, false) / of(Contender::Standard, 3, false);
    report.check(
        "prediction over standard, finger and encoder",
        "stiffer",
        Band::AtLeast(1.0),
        gain,
    );
    let gain = of(Contender::Prediction, 3, true) / of(Contender::Standard, 3, true);
    report.check("the same, 2 ms late", "stiffer", Band::AtLeast(2.0), gain);
    let gain = of(Contender::WaveInDevice, 1, true) / of(Contender::Standard, 1, true);
    report.check(
        "wave, damper in device, over standard; no finger, encoder, 2 ms late",
        "stiffer",
        Band::AtLeast(2.0),
        gain,
    );
    report.note(&table);
    report.note(
        "Device 0.1 kg, 0.5 N·s/m, pressed by 1 N, falling at 0.03, 0.12 and 0.4 m/s; finger of the \
         thesis; encoder 2 µm, velocity differenced and filtered at 200 Hz. Quiet: within 50 µm \
         after 4 s, or motion halved in two seconds. Tried from 20 N/m in steps of 10 % up to the \
         first that is not quiet; 10⁶ where all are, 0 where the softest is not. The waves' figure \
         is the stiffness felt through the line at the best of five impedances; a line has at least \
         one period there and back.",
    );
    let panels = |series: Vec<Vec<Series>>| {
        let names = GROUNDS.map(|(f, m)| ground_name(f, m));
        let all = series.into_iter().zip(names);
        all.map(|(s, name)| Panel::new(Axis::new(&format!("N/m: {name}")).log(), s)).collect()
    };
    let figure = |x: Axis, title: &str, series| Figure {
        title: title.into(),
        x,
        bands: Vec::new(),
        marks: Vec::new(),
        panels: panels(series),
    };
    folder.write("wall-map.csv", csv.as_bytes())?;
    let x = Axis::new("sample period, ms").log();
    folder.draw(
        "wall-map-period.png",
        &figure(x, "Largest quiet stiffness against sample period, no delay", over_period),
        &mut report,
    )?;
    let x = Axis::new("delay, periods of 1 ms");
    folder.draw(
        "wall-map-delay.png",
        &figure(x, "Largest quiet stiffness against delay, T 1 ms", over_delay),
        &mut report,
    )?;
    Ok(report)
}
