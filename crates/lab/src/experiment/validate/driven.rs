//! V31: a key trajectory in, the force out.
//!
//! A force-driven test cannot distinguish a mass from a mechanism; an imposed motion can. Two trajectories:
//! that of a key under a finger, which must need the finger's force again, and a constant acceleration to
//! the bed, during which the force must show the hammer's release and its check.

use anyhow::Result;

use super::{Folder, KeySource, MIDDLE, Report, TargetBand};
use touchback_action::{Drive, EventKind, STEP};
use touchback_core::math::cast::floor_index;
use touchback_core::math::power::square;
use touchback_offline::bench::driven::Driven as _;
use touchback_offline::bench::strokes::TouchKind;
use touchback_offline::bench::test_bench::TestBench;
use touchback_offline::plot::{Axis, Figure, PlotMark, Series, Subplot, palette};

/// Force of the hand whose trajectory is imposed, N: a mezzo-forte press.
const FORCE: f64 = 12.0;
/// Time of the accelerated key to its bed, s: mezzo-forte.
const DOWN: f64 = 0.08;
/// Time over which the forces of the accelerated key are averaged, s (chosen).
const WINDOW: f64 = 2.5e-3;
/// Length of the runs, s.
const END: f64 = 0.2;

/// Force per step needed to impose the motion through `points`, depths, m, and speeds, m/s, on the key.
fn impose(rig: &mut TestBench, points: &[[f64; 2]]) -> Vec<f64> {
    let force = |ends: &[[f64; 2]]| {
        let drive = Drive::between(ends[0], ends[1]);
        rig.step(drive);
        rig.read(drive).key_force
    };
    points.windows(2).map(force).collect()
}

/// Largest fall, share, of the mean force over [`WINDOW`] below an earlier one while the key moves: the hammer
/// leaves the jack before or at the slip.
fn largest_fall(forces: &[f64]) -> f64 {
    let width = floor_index(WINDOW / STEP);
    let moving = &forces[..floor_index(DOWN / STEP).min(forces.len())];
    let means = moving.windows(width).map(|part| part.iter().sum::<f64>() / width as f64);
    let (mut greatest, mut fall) = (0.0f64, 0.0f64);
    for mean in means.filter(|mean| mean.is_finite()) {
        greatest = greatest.max(mean);
        fall = fall.max(1.0 - mean / greatest);
    }
    fall
}

/// The trajectory under a finger: depths and speeds at the steps' ends, and the mean force in each step.
fn fingered(mut rig: TestBench) -> (Vec<[f64; 2]>, Vec<f64>) {
    let (mut points, mut given) = (vec![[0.0; 2]], Vec::new());
    rig.play(&mut TouchKind::Pressed.gesture(FORCE), |rig, drive| {
        if let Drive::Force([a, b]) = drive {
            given.push(0.5 * (a + b));
        }
        points.push([rig.view().depth, rig.view().speed]);
        rig.now() < END
    });
    (points, given)
}

/// Imposes both trajectories and compares.
pub fn check(keys: &KeySource, folder: &mut Folder, report: &mut Report) -> Result<()> {
    let fresh = || keys.bench(keys.one(MIDDLE));
    let (points, given) = fingered(fresh());
    let mut first = fresh();
    let again = impose(&mut first, &points);
    let bottom = first.log.first(EventKind::KeyBottom).map_or(END, |e| e.0);
    let (mut squares, mut n, mut peak) = (0.0f64, 0.0, 0.0f64);
    for (i, (taken, from_hand)) in again.iter().zip(&given).enumerate() {
        if (i as f64) * STEP < bottom {
            squares += square(taken - from_hand);
            n += 1.0;
            peak = peak.max(*from_hand);
        }
    }
    let what = "V31 must: finger's motion imposed, error of the force (rms over peak)";
    report.check(what, "0", TargetBand::AtMost(0.01), (squares / n).sqrt() / peak);

    let mut second = fresh();
    let dip = second.spec().key.dip;
    let steps = (END / STEP).round();
    // The key is stopped on its bed within two steps.
    let point = |t: f64| match t <= DOWN {
        true => [dip * square(t / DOWN), 2.0 * dip * t / square(DOWN)],
        false => [dip, 0.0],
    };
    let accelerated: Vec<[f64; 2]> =
        (0..).map(f64::from).take_while(|i| *i <= steps).map(|i| point(i * STEP)).collect();
    let taken = impose(&mut second, &accelerated);
    let (release, _) = second.log.first(EventKind::Release).unwrap_or((f64::NAN, 0.0));
    let what = "V31 must: accelerated key, largest fall of the force before the bed, share";
    report.check(what, "visible", TargetBand::AtLeast(0.2), largest_fall(&taken));
    let strikes = second.log.count(EventKind::Strike) as f64;
    report.check("V31 must: accelerated key, strikes", "1", TargetBand::Within(1.0, 1.0), strikes);

    let points = |values: &[f64]| {
        values.iter().enumerate().map(|(i, v)| ((i as f64) * STEP * 1e3, *v)).collect::<Vec<_>>()
    };
    let named = |(time, kind): (f64, &str)| PlotMark { at: time * 1e3, name: kind.into() };
    let marks = [(release, "slip")]
        .into_iter()
        .chain(second.log.first(EventKind::Strike).map(|e| (e.0, "strike")))
        .chain(second.log.first(EventKind::Check).map(|e| (e.0, "check")))
        .map(named)
        .collect();
    let millimetres: Vec<f64> = accelerated.iter().map(|point| point[0] * 1e3).collect();
    let figure = Figure {
        title: format!(
            "Imposed key motion, {}: a finger's trajectory, and constant acceleration",
            keys.name(MIDDLE)
        ),
        x: Axis::new("time, ms").within(0.0, END * 1e3),
        bands: Vec::new(),
        marks,
        panels: vec![
            Subplot::new(
                Axis::new("a finger's, N"),
                vec![
                    Series::line("finger", points(&given), palette(1)),
                    Series::line("its motion imposed", points(&again), palette(0)),
                ],
            ),
            Subplot::new(
                Axis::new("accelerated, N"),
                vec![Series::line("force", points(&taken), palette(0))],
            ),
            Subplot::new(
                Axis::new("its depth, mm"),
                vec![Series::line("key", points(&millimetres), palette(2))],
            ),
        ],
    };
    folder.draw("validation-imposed", &figure, report)
}
