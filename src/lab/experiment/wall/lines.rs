//! `lines`: bodies joined by transmission lines [Tsai 1996, ch. 6, app. B, D].

use std::fmt::Write as _;

use anyhow::Result;

use crate::lab::experiment::{Band, Folder, Report, short};
use crate::lab::plot::{Axis, Figure, Panel, Series, palette};
use crate::wall::junction::masses::Pair;
use crate::wall::junction::{cases, pendulum};

fn masses(report: &mut Report) {
    let (z, h, steps) = (50.0, 1e-3, 10_000u32);
    let mut pair = Pair::joined([1.0; 2], [1.0, 0.0], z);
    let (mut off, mut sum, mut last) = (0.0f64, 0.0, 0.0);
    let mut crossings = Vec::new();
    for k in 0..steps {
        pair.step(h);
        if k < 5000 {
            off = off.max((pair.kinetic() + pair.stored(h) - 0.5).abs());
        }
        let [a, b] = pair.velocities;
        sum += 0.5 * (a + b);
        if last < 0.0 && a >= b {
            crossings.push(f64::from(k) - (a - b) / (a - b - last));
        }
        last = a - b;
    }
    report.source("004 §6.4.1, figs. 6.5, 6.6 (bilateral)");
    report.check("two masses, energy with the line off over 5 s, J", "0", Band::AtMost(1e-12), off);
    report.digits("mean speed p/(m1 + m2 + ZT), m/s", 1.0 / 2.05, 4, sum / f64::from(steps));
    let n = crossings.len();
    let periods = f64::from(u32::try_from(n.saturating_sub(1)).unwrap_or(0));
    let f = periods / (crossings[n - 1] - crossings[0]) / h;
    report.near("their frequency, Hz", 49.9, 0.002, f);
    report.source("004 §6.4.2, figs. 6.7, 6.8 (unilateral)");
    let balls = |m2: f64, z: f64| {
        let mut pair = Pair::balls([1.0, m2], [1.0, 0.0], 0.01, z);
        for _ in 0..20_000 {
            pair.step(1e-4);
        }
        pair
    };
    let equal = balls(1.0, 200.0);
    report.digits("equal balls, first after, m/s", 0.0006, 4, equal.velocities[0]);
    report.digits("equal balls, second after, m/s", 0.9994, 4, equal.velocities[1]);
    report.digits("energy left in the line, mJ", 0.57, 2, 1e3 * equal.left());
    let heavy = balls(3.0, 200.0);
    report.digits("1 kg on 3 kg, first after, m/s", -0.488, 3, heavy.velocities[0]);
    report.digits("1 kg on 3 kg, second after, m/s", 0.499, 3, heavy.velocities[1]);
    let error = |z: f64| (balls(3.0, z).velocities[0] + 0.5).abs();
    report.check(
        "error with a tenth of Z over that with Z",
        "falls with ZT",
        Band::AtMost(0.2),
        error(20.0) / error(200.0),
    );
}

/// Runs all of it.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    masses(&mut report);
    let (z, h) = (50.0, 1e-4);
    for (name, found) in cases::all(z, h) {
        report.source(match name {
            "prismatic" => "004 §6.5.1",
            "revolute" => "004 §6.5.2",
            "revolute-translational" => "004 §6.5.3",
            "gear" => "004 fig. B.2",
            "rack and pinion" => "004 fig. B.3",
            _ => "004 fig. B.4",
        });
        let target = format!("≤ F/(Z/T) = {} µm", short(found.force * h / z * 1e6));
        report.check(
            &format!("{name}, constraint error, µm"),
            &target,
            Band::AtMost(1.05e6 * found.force * h / z),
            found.error * 1e6,
        );
        report.check(
            &format!("{name}, least energy put into its lines, J"),
            "≥ 0",
            Band::AtLeast(-1e-12),
            found.least,
        );
        report.check(
            &format!("{name}, energy made with the lines, J"),
            "0",
            Band::AtMost(1e-9),
            found.energy.abs(),
        );
    }
    report.source("004 §6.5.5, app. D, fig. 6.18 (double pendulum)");
    let [angle, energy, joint] = pendulum::compare(20.0, 1e-4);
    report.check(
        "against Lagrange, angle off in 0.5 s, share of 90°",
        "1 %",
        Band::AtMost(0.01),
        angle / std::f64::consts::FRAC_PI_2,
    );
    report.check(
        "energy of the bodies off, share of the fall's",
        "1e-3",
        Band::AtMost(1e-3),
        energy / pendulum::fall(),
    );
    report.check("joint error, mm", "small", Band::AtMost(1.0), 1e3 * joint);
    let half = pendulum::compare(20.0, 5e-5);
    report.check(
        "angle off with half the step, over",
        "0.5",
        Band::Within(0.4, 0.6),
        half[0] / angle,
    );

    let mut csv = String::from("time_s,first_rad,second_rad,first_lagrange,second_lagrange\n");
    let mut curves: [Vec<(f64, f64)>; 4] = Default::default();
    let mut lines = pendulum::on_lines(20.0);
    for k in 1..=10_000u32 {
        lines.step(1e-4);
        if k.is_multiple_of(50) {
            let t = f64::from(k) * 1e-4;
            let [a, b] = pendulum::reference(1e-4, k);
            let values = [lines.q[0].z, lines.q[1].z, a, b];
            writeln!(csv, "{t},{},{},{a},{b}", values[0], values[1])?;
            for (curve, value) in curves.iter_mut().zip(values) {
                curve.push((t, value));
            }
        }
    }
    let names = ["first, lines", "second, lines", "first, Lagrange", "second, Lagrange"];
    let all = names.iter().zip(curves).enumerate();
    let figure = Figure {
        title: "A double pendulum on transmission lines, Z 20 N·s/m, T 0.1 ms".into(),
        x: Axis::new("time, s"),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![Panel::new(
            Axis::new("angle from hanging, rad"),
            all.map(|(i, (n, c))| Series::line(n, c, palette(i))).collect(),
        )],
    };
    folder.write("lines.csv", csv.as_bytes())?;
    folder.draw("lines.png", &figure, &mut report)?;
    Ok(report)
}
