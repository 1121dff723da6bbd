//! `weight-drop`: the thesis's experiment, a weight released from rest just above the key.
//!
//! [Gillespie 1996, §3.7] filmed a real one-key action. The curves of its Figure 3.18 are not given as
//! numbers; its statements about them are compared here. The weight is not given either: it is the mass
//! that brings the hammer to the string 0.2 s after its release, the time of the strike in the recording.
//! This is the largest possible mass, because the film may have started before the release.

use anyhow::{Context, Result};

use touchback_action::grand::{Phase, design::thesis};
use touchback_action::{EventKind, Readout};
use touchback_offline::bench::driven::Driven;
use touchback_offline::bench::test_bench::TestBench;
use touchback_offline::bench::trace::{BenchTrace, shaded};
use touchback_offline::bench::{DataTable, Folder, KeySource, Report, RowKind, TargetBand, short};
use touchback_offline::gesture::{Form, Gesture};
use touchback_offline::plot::{Axis, Figure, PlotMark, Series, Subplot, palette};

/// Middle C.
const KEY: u8 = 40;
/// Length of the film, s: about 700 frames at 1000 per second.
const END: f64 = 0.7;
/// Height of release above the key, m: "just above".
const HEIGHT: f64 = 1e-3;
/// Time of the strike, s.
const STRIKE: f64 = 0.2;

/// Lightest weight that is tried on a grand, kg; keys of other mechanisms may be lighter.
const LIGHTEST: f64 = 0.05;

/// A weight of `mass` kg released above the key.
fn dropped(mass: f64) -> Gesture {
    Gesture::of_forms(vec![Form::Weight {
        mass_kg: mass,
        duration_s: END,
        height_m: HEIGHT,
        stiffness_n_m: 20_000.0,
        damping_n_s_m: 20.0,
    }])
}

/// Time, s, and value of the first strike; of a mechanism without a hammer the first pluck.
fn sounds(rig: &impl Driven) -> Option<(f64, f64)> {
    rig.first(EventKind::Strike).or_else(|| rig.first(EventKind::Pluck))
}

/// The weight that brings the hammer to the string [`STRIKE`] after its release, kg; a heavier one strikes earlier, a
/// light one does not strike. At least `lightest`.
fn weight<B: Driven + Clone>(rest: &B, lightest: f64) -> f64 {
    let (mut light, mut heavy) = (lightest, 1.0);
    for _ in 0..24 {
        let mass = 0.5 * (light + heavy);
        let mut rig = rest.clone();
        rig.play(&mut dropped(mass), |rig, _| sounds(rig).is_none());
        match sounds(&rig) {
            Some((t, _)) if t < STRIKE => heavy = mass,
            _ => light = mass,
        }
    }
    heavy
}

/// Drops the weight on the thesis's key and on the concert key, or on the given key, and compares.
pub fn run(folder: &mut Folder, keys: &KeySource) -> Result<Report> {
    let mut report = Report::default();
    if keys.own_numbers().is_none() {
        report.source("000 fig. 3.18, §3.7; 001");
        let rest = TestBench::at_rest(thesis::build());
        measure(folder, &mut report, rest, "thesis's key", "weight-drop-thesis")?;
    }
    // Beside the sources: another piano.
    report.source("");
    let name = format!("concert, {}", keys.name(KEY));
    measure(folder, &mut report, keys.bench(keys.one(KEY)), &name, "weight-drop")?;
    Ok(report)
}

/// Drops the weight on a key of a mechanism from a file.
pub fn of_mechanism(folder: &mut Folder, keys: &KeySource) -> Result<Report> {
    let mut report = Report::default();
    let mut rig = keys.any(keys.one(KEY));
    let title = keys.mechanism().map_or("", |file| file.title());
    let name = format!("{title}, {}", keys.name(KEY));
    let (start, heavy) = (rig.energy(), weight(&rig, 0.1 * LIGHTEST));
    let (mut trace, mut lost, mut work) = (BenchTrace::default(), 0.0f64, 0.0f64);
    rig.play(&mut dropped(heavy), |rig, drive| {
        trace.push(rig, drive);
        let r = rig.read(drive);
        lost = lost.max((r.kinetic + r.potential - start + r.dissipated - r.work).abs());
        work = work.max(r.work.abs());
        true
    });
    let (sound, value) = sounds(&rig).with_context(|| format!("{name}: 1 kg does not sound"))?;
    let quantity = format!("{name}: unaccounted energy over work");
    report.check(&quantity, "0", TargetBand::AtMost(5e-3), lost / work);
    let moving = trace.rows.iter().find(|r| r.1.key > 0.5e-3).map_or(0.0, |r| r.0);
    let ratio =
        trace.mean(moving, sound, |r| r.hammer_speed) / trace.mean(moving, sound, |r| r.key_speed);
    report.note(&format!(
        "{name}: a weight of {} g, released {} mm above the key, sounds after {} s with {} {}; before that the hammer moves {} \
         times as fast as the key. It sounds {} times.",
        short(1e3 * heavy),
        short(1e3 * HEIGHT),
        short(sound),
        short(value),
        if rig.first(EventKind::Strike).is_some() { "m/s" } else { "m" },
        short(ratio),
        rig.events.iter().filter(|e| matches!(e.1.kind(), EventKind::Strike | EventKind::Pluck)).count()
    ));
    let mut csv =
        DataTable::new(&["time_s", "submodel", "key_m", "hammer_m", "key_force_n", "contact_n"]);
    for (t, r) in &trace.rows {
        csv.row(&[t, &r.phase, &r.key, &r.hammer, &r.key_force, &r.contact_force]);
    }
    folder.table("weight-drop.csv", &csv)?;
    let line = |name: &str, colour: usize, pick: &dyn Fn(&Readout) -> f64| {
        Series::line(name, trace.points(pick), palette(colour))
    };
    let figure = Figure {
        title: format!("A weight released just above the key, {name}"),
        x: Axis::new("time, ms").within(0.0, END * 1e3),
        bands: Vec::new(),
        marks: vec![PlotMark { at: 1e3 * sound, name: "sound".into() }],
        panels: vec![
            Subplot::new(
                Axis::new("mm"),
                vec![line("key", 0, &|r| 1e3 * r.key), line("hammer", 1, &|r| 1e3 * r.hammer)],
            ),
            Subplot::new(
                Axis::new("force, N"),
                vec![
                    line("weight on key", 0, &|r| r.key_force),
                    line("between key and hammer", 1, &|r| r.contact_force),
                ],
            ),
        ],
    };
    folder.draw("weight-drop", &figure, &mut report)?;
    Ok(report)
}

/// Drops the weight on the key `rest`, called `name`, and writes `file`.
fn measure(
    folder: &mut Folder,
    report: &mut Report,
    rest: TestBench,
    name: &str,
    file: &str,
) -> Result<()> {
    let heavy = weight(&rest, LIGHTEST);
    let mut rig = rest;
    let mut trace = BenchTrace::default();
    rig.play(&mut dropped(heavy), |rig, drive| {
        trace.push(rig, drive);
        true
    });
    let log = &rig.log;
    let off = log.phases.iter().find(|p| p.2.on_button()).map(|p| p.0);
    let off = off.with_context(|| format!("{name}: the weight does not reach let-off"))?;
    let (strike, speed) = log.first(EventKind::Strike).context("the hammer does not strike")?;
    let slip = log.first(EventKind::Release).map_or(strike, |e| e.0);
    let moving = trace.rows.iter().find(|r| r.1.key > 0.5e-3).map_or(0.0, |r| r.0);

    report.check(&format!("{name}: strike, s"), "0.2", TargetBand::Within(0.195, 0.205), strike);
    report.kind(RowKind::Fitted);
    let key = trace.mean(moving, off, |r| r.key_speed);
    let hammer = trace.mean(moving, off, |r| r.hammer_speed);
    let quantity =
        format!("{name}: hammer over key speed in the initial motion, at crown and front");
    report.check(&quantity, "about 5", TargetBand::Within(4.0, 6.0), hammer / key);
    let turn = |from: f64, to: f64, i: usize| trace.mean(from, to, |r| r.q_rate[i]);
    let both_fall = turn(moving, off, 2) < 0.0 && turn(moving, off, 5) < 0.0;
    report.holds(&format!("{name}: q3 and q6 both fall before let-off"), both_fall);
    let apart = turn(off, slip, 2) * turn(off, slip, 5);
    let quantity = format!("{name}: q3 and q6 turn in opposite directions in let-off");
    report.holds(&quantity, apart < 0.0);
    let strikes = log.count(EventKind::Strike) as f64;
    report.check(&format!("{name}: strikes"), "1", TargetBand::Within(1.0, 1.0), strikes);
    let quantity = format!("{name}: the hammer settles, swing of the last 0.1 s over the first");
    report.check(&quantity, "less", TargetBand::AtMost(0.5), trace.settling(strike, END));
    let after = strike + 0.05;
    let swings = trace.spread(after, after + 0.1, |r| r.q[2]);
    let late = trace.spread(END - 0.1, END, |r| r.q[2]);
    report
        .holds(&format!("{name}: q3 still swings after the strike, and less later"), swings > late);
    report.note(&format!(
        "{name}: a weight of {} g, released {} mm above the key; the hammer strikes at {} m/s. The source prints \
         neither the mass nor the instant of release.{}",
        short(1e3 * heavy),
        short(1e3 * HEIGHT),
        short(speed),
        match log.count(EventKind::Check) {
            0 => "",
            _ => " The backcheck, which the thesis's model does not have, catches the hammer.",
        }
    ));

    let mut csv = DataTable::new(&[
        "time_s",
        "phase",
        "key_m",
        "hammer_m",
        "q1_rad",
        "q2_rad",
        "q3_rad",
        "q5_rad",
        "q6_rad",
        "key_force_n",
    ]);
    for (t, r) in &trace.rows {
        let [q1, q2, q3, _, q5, q6, ..] = r.q;
        let letter = r.phase;
        csv.row(&[t, &letter, &r.key, &r.hammer, &q1, &q2, &q3, &q5, &q6, &r.key_force]);
    }
    folder.table(&format!("{file}.csv"), &csv)?;
    folder.draw(file, &figure(&rig, &trace, name), report)
}

fn figure(rig: &TestBench, trace: &BenchTrace, name: &str) -> Figure {
    let line = |name: &str, colour: usize, pick: &dyn Fn(&Readout) -> f64| {
        Series::line(name, trace.points(pick), palette(colour))
    };
    // The submodel at rest.
    let first = if rig.spec().is_rigid() { Phase::Acceleration } else { Phase::Return };
    let named = [EventKind::Strike, EventKind::Check];
    let marks = named.into_iter().filter_map(|kind| {
        rig.log.first(kind).map(|e| PlotMark { at: e.0 * 1e3, name: kind.message() })
    });
    Figure {
        title: format!("A weight released just above the key, {name} [Gillespie 1996, §3.7]"),
        x: Axis::new("time, ms").within(0.0, END * 1e3),
        bands: shaded(rig, first, END),
        marks: marks.collect(),
        panels: vec![
            Subplot::new(
                Axis::new("angle, rad"),
                vec![
                    line("4 q1 key", 0, &|r| 4.0 * r.q[0]),
                    line("q2 hammer", 1, &|r| r.q[1]),
                    line("q3 lever", 2, &|r| r.q[2]),
                    line("q6 jack", 3, &|r| r.q[5]),
                    line("q5 wippen", 4, &|r| r.q[4]),
                ],
            ),
            Subplot::new(
                Axis::new("force, N"),
                vec![
                    line("weight on key", 0, &|r| r.key_force),
                    line("jack on knuckle", 1, &|r| r.contact_force),
                ],
            ),
        ],
    }
}
