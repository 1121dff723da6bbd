//! Experiments on a key of any mechanism, whose drive and readings are all that they need: its state graph under a random
//! finger, a press and its motion imposed, weights and force over depth.

use std::collections::BTreeMap;

use anyhow::Result;

use super::energy::dip;
use super::state_graphs::{drives, random_targets};
use touchback_action::grand::key::weigh::{FIGURES, Weighed};
use touchback_action::{Drive, EventKind, Readout, STEP};
use touchback_core::math::compass::linear;
use touchback_core::math::power::square;
use touchback_offline::bench::any_bench::AnyBench;
use touchback_offline::bench::driven::Driven as _;
use touchback_offline::bench::{
    DataTable, Folder, KeySource, Report, TargetBand, repetition, short,
};
use touchback_offline::plot::{Axis, Figure, Series, Subplot, palette};

/// Force of the press, N, time of its rise, s, and length, s.
const PRESS: [f64; 3] = [6.0, 0.03, 0.4];
/// Speed of the slow press and release, m/s.
const SLOW: f64 = 5e-3;
/// Length of the random run, s.
const SECONDS: f64 = 60.0;

/// A step of the press: time, s, readings, force that answers the imposed motion, N, and unaccounted energy, J.
type Row = (f64, Readout, f64, f64);

/// Title of the mechanism, and the key.
fn titled(keys: &KeySource) -> (String, AnyBench) {
    let title = keys.mechanism().map_or("", |file| file.title());
    (format!("{title}, {}", keys.name(40)), keys.any(keys.one(40)))
}

/// The state graph under a random finger, which turns the key back everywhere in its travel.
pub fn state_graph(folder: &mut Folder, keys: &KeySource) -> Result<Report> {
    let mut report = Report::default();
    let (title, mut bench) = titled(keys);
    let mut points = random_targets(1);
    let share = dip(bench.key()) / 0.01;
    points.iter_mut().for_each(|point| point.1 *= share);
    let mut taken: BTreeMap<(u8, u8), u32> = BTreeMap::new();
    let (mut before, start) = (bench.key().save().phase, bench.energy());
    let (mut lost, mut most) = (0.0f64, 0.0f64);
    for drive in drives(&points, SECONDS) {
        bench.step(drive);
        let now = bench.key().save().phase;
        if now != before {
            *taken.entry((before, now)).or_default() += 1;
            before = now;
        }
        let r = bench.read(drive);
        lost = lost.max((r.kinetic + r.potential - start + r.dissipated - r.work).abs());
        most = most.max(r.work.abs());
    }
    let graph = bench.key().graph();
    // Two transitions in a step are seen as one, and named where one submodel leads from the first to the last.
    let known = |from: u8, to: u8| graph.transitions.iter().any(|t| (t.from, t.to) == (from, to));
    let doubled: Vec<_> =
        taken.iter().filter(|((from, to), _)| !known(*from, *to)).map(|(k, n)| (*k, *n)).collect();
    for ((from, to), times) in doubled {
        let mut between = (0..=u8::MAX).filter(|m| known(from, *m) && known(*m, to));
        if let (Some(middle), None) = (between.next(), between.next()) {
            taken.remove(&(from, to));
            *taken.entry((from, middle)).or_default() += times;
            *taken.entry((middle, to)).or_default() += times;
        }
    }
    let mut csv = DataTable::new(&["from", "to", "when", "times"]);
    for known in graph.transitions {
        let times = taken.remove(&(known.from, known.to)).unwrap_or(0);
        let [from, to] = [known.from, known.to].map(|phase| graph.name(phase));
        report.holds(&format!("{title}: {from} → {to} taken"), times > 0);
        csv.row(&[&from, &to, &known.when, &times]);
    }
    for ((from, to), times) in &taken {
        csv.row(&[&graph.name(*from), &graph.name(*to), &"several transitions in a step", times]);
    }
    let quantity = format!("{title}: unaccounted energy over work in {SECONDS} s");
    report.check(&quantity, "0", TargetBand::AtMost(5e-3), lost / most);
    folder.table("state-graph.csv", &csv)?;
    report.note("Submodels are compared from step to step; a transition taken and undone within a step is not counted, two that follow within a step are where no other pair could.");
    Ok(report)
}

/// Presses the key by a force and lets it go, then imposes the motion on another: the force must be the same.
pub fn press(folder: &mut Folder, keys: &KeySource) -> Result<Report> {
    let mut report = Report::default();
    let (title, mut bench) = titled(keys);
    let mut again = keys.any(keys.one(40));
    let (force, start) = (|t: f64| PRESS[0] * (t / PRESS[1]).clamp(0.0, 1.0), bench.energy());
    let mut csv = DataTable::new(&[
        "time_s",
        "submodel",
        "key_m",
        "hammer_m",
        "force_n",
        "contact_n",
        "imposed_force_n",
        "unaccounted_j",
    ]);
    let mut rows: Vec<Row> = Vec::new();
    let (mut squares, mut lost) = (0.0, 0.0f64);
    while bench.now() < PRESS[2] {
        let (time, [depth, speed]) = (bench.now(), bench.key().front());
        let ends = [force(time), force(time + STEP)];
        bench.step(Drive::Force(ends));
        let [to, at] = bench.key().front();
        let imposed = Drive::Motion { depth: [depth, to], speed: [speed, at] };
        again.step(imposed);
        let r = bench.read(Drive::Force(ends));
        let answer = again.read(imposed).key_force;
        let unaccounted = r.kinetic + r.potential - start + r.dissipated - r.work;
        lost = lost.max(unaccounted.abs());
        squares += square(answer - 0.5 * (ends[0] + ends[1]));
        csv.row(&[
            &bench.now(),
            &r.phase,
            &r.key,
            &r.hammer,
            &r.key_force,
            &r.contact_force,
            &answer,
            &unaccounted,
        ]);
        rows.push((bench.now(), r, answer, unaccounted));
    }
    let work = rows.last().map_or(f64::NAN, |row| row.1.work);
    let quantity = format!("{title}: unaccounted energy over work");
    report.check(&quantity, "0", TargetBand::AtMost(5e-3), lost / work);
    let quantity =
        format!("{title}: its motion imposed: force, rms of the difference over the force");
    let rms = (squares / rows.len() as f64).sqrt() / PRESS[0];
    report.check(&quantity, "0", TargetBand::AtMost(0.05), rms);
    for kind in [EventKind::LetOffStart, EventKind::Release, EventKind::Strike, EventKind::Pluck] {
        if let Some((time, value)) = bench.first(kind) {
            let (name, ms) = (kind.name(), short(1e3 * time));
            report.note(&format!("{name} after {ms} ms, {}", short(value)));
        }
    }
    folder.table("press.csv", &csv)?;
    let line = |name: &str, colour: usize, value: &dyn Fn(&Row) -> f64| {
        let points = rows.iter().map(|row| (1e3 * row.0, value(row)));
        Series::line(name, points.filter(|point| point.1.is_finite()).collect(), palette(colour))
    };
    let figure = Figure {
        title: format!("{title}, pressed by {} N that rise in {} ms", PRESS[0], 1e3 * PRESS[1]),
        x: Axis::new("time, ms"),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![
            Subplot::new(
                Axis::new("mm"),
                vec![
                    line("key", 0, &|row| 1e3 * row.1.key),
                    line("hammer above the string", 1, &|row| 1e3 * row.1.hammer),
                ],
            ),
            Subplot::new(
                Axis::new("force, N"),
                vec![
                    line("of the press", 0, &|row| row.1.key_force),
                    line("that answers its motion", 1, &|row| row.2),
                    line("between key and hammer", 2, &|row| row.1.contact_force),
                ],
            ),
            Subplot::new(
                Axis::new("unaccounted energy, µJ"),
                vec![line("unaccounted", 3, &|row| 1e6 * row.3)],
            ),
        ],
    };
    folder.draw("press", &figure, &mut report)?;
    Ok(report)
}

/// Weighs the key, repeats it, and measures its force over depth, down and up.
pub fn weighed(folder: &mut Folder, keys: &KeySource) -> Result<Report> {
    let mut report = Report::default();
    let (title, mut bench) = titled(keys);
    let weighed = Weighed::of_any(bench.key());
    for figure in FIGURES {
        let value = (figure.get)(&weighed);
        if value.is_finite() {
            report.note(&format!("{}: {} {}", figure.name, short(value), figure.unit));
        }
    }
    let dip = dip(bench.key());
    let rate = repetition::fastest(bench.key(), dip);
    if rate.is_finite() {
        report.note(&format!("An ideal finger repeats {} times a second.", short(rate)));
    }
    let turn = dip / SLOW;
    let path = [(0.0, 0.0), (turn, dip), (1.25 * turn, dip), (2.25 * turn, 0.0)];
    let depth = |time: f64| linear(&path, time);
    let mut csv = DataTable::new(&["time_s", "depth_m", "force_n"]);
    let mut sides = [Vec::new(), Vec::new()];
    let mut work = 0.0;
    bench.run(
        2.25 * turn,
        |time, _| Drive::along(depth, time),
        |bench, drive| {
            let (time, r) = (bench.now(), bench.read(drive));
            csv.row(&[&time, &r.key, &r.key_force]);
            if time <= turn {
                sides[0].push((1e3 * r.key, r.key_force));
            } else if time > 1.25 * turn {
                sides[1].push((1e3 * r.key, r.key_force));
            }
            work = r.work;
            true
        },
    );
    let quantity = format!("{title}: work of a slow press and release, J: the key gives none");
    report.check(&quantity, "≥ 0", TargetBand::AtLeast(0.0), work);
    folder.table("force-depth.csv", &csv)?;
    let [down, up] = sides;
    let figure = Figure {
        title: format!("{title}: force over depth at {} mm/s", 1e3 * SLOW),
        x: Axis::new("depth of the key front, mm"),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![Subplot::new(
            Axis::new("force, N"),
            vec![Series::line("down", down, palette(0)), Series::line("up", up, palette(1))],
        )],
    };
    folder.draw("force-depth", &figure, &mut report)?;
    Ok(report)
}
