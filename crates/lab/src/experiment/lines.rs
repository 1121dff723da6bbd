//! `lines`: bodies joined by transmission lines [Tsai 1996, ch. 6, app. B, D].

use std::sync::mpsc::{Receiver, Sender, channel};

use super::calculated;
use anyhow::Result;
use touchback_core::exchange::cancel;

use touchback_core::text::numbers::Numbers;
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, short};
use touchback_offline::plot::{Axis, Figure, Series, Subplot, palette};
use touchback_walls::calculation::LINE;
use touchback_walls::junction::masses::Pair;
use touchback_walls::junction::wave::TransmissionLine;
use touchback_walls::junction::{cases, pendulum};

fn masses(report: &mut Report) {
    let (z, h, steps) = (50.0, 1e-3, 200_000u32);
    let mut pair = Pair::joined([1.0; 2], [1.0, 0.0], z);
    let (mut error, mut last) = (0.0f64, 0.0);
    // Times of rising zero crossings of the speed difference, and positions of the centre then: over whole
    // periods the oscillation averages out.
    let mut crossings = Vec::new();
    for k in 0..steps {
        cancel::check();
        pair.step(h);
        if k < 5000 {
            error = error.max((pair.kinetic() + pair.stored(h) - 0.5).abs());
        }
        let ([a, b], [x, y]) = (pair.velocities, pair.positions);
        if last < 0.0 && a >= b {
            let back = (a - b) / (a - b - last);
            let centre = 0.5 * (x + y) - back * h * 0.5 * (a + b);
            crossings.push((f64::from(k) - back, centre));
        }
        last = a - b;
    }
    report.source("004 §6.4.1, figs. 6.5, 6.6 (bilateral)");
    report.check(
        "two masses, energy error including the line over 5 s, J",
        "0",
        TargetBand::AtMost(1e-12),
        error,
    );
    let (first, last) = (crossings[0], crossings[crossings.len() - 1]);
    let time = (last.0 - first.0) * h;
    let speed = (last.1 - first.1) / time;
    report.digits("two masses, mean speed p/(m1 + m2 + ZT), m/s", 0.487_80, 5, speed);
    let periods = f64::from(u32::try_from(crossings.len() - 1).unwrap_or(0));
    report.digits("two masses, frequency, Hz", 49.9, 1, periods / time);
    report.source("004 §6.4.2, figs. 6.7, 6.8 (unilateral)");
    let balls = |m2: f64, z: f64| {
        let mut pair = Pair::balls([1.0, m2], [1.0, 0.0], 0.01, z);
        for _ in 0..20_000 {
            cancel::check();
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
        TargetBand::AtMost(0.2),
        error(20.0) / error(200.0),
    );
}

/// Draws the two masses and the two balls as the source does: speeds, forces, energies.
fn draw_masses(folder: &mut Folder, report: &mut Report) -> Result<()> {
    let runs = [
        ("line-masses", "Two masses on a line, Z 50 N·s/m, T 1 ms; welded: 0.5 m/s", 1e-3, 0..100),
        ("line-balls", "Two balls that meet, Z 200 N·s/m, T 0.1 ms", 1e-4, 90..130),
    ];
    for (name, title, h, shown) in runs {
        let mut pair = if name == "line-masses" {
            Pair::joined([1.0; 2], [1.0, 0.0], 50.0)
        } else {
            Pair::balls([1.0; 2], [1.0, 0.0], 0.01, 200.0)
        };
        let mut csv = DataTable::new(&[
            "time_s",
            "first_m_s",
            "second_m_s",
            "force_on_first_n",
            "force_on_second_n",
            "bodies_j",
            "line_j",
        ]);
        let mut curves: [Vec<(f64, f64)>; 6] = Default::default();
        for k in 0..shown.end {
            cancel::check();
            let t = f64::from(k + 1) * h;
            let [first, second] = pair.step(h);
            let [a, b] = pair.velocities;
            let values = [a, b, first, second, pair.kinetic(), pair.stored(h)];
            if shown.contains(&k) {
                csv.numbers(&t, &values);
                for (curve, value) in curves.iter_mut().zip(values) {
                    curve.push((t * 1e3, value));
                }
            }
        }
        let [a, b, first, second, bodies, line] = curves;
        let two = |names: [&str; 2], one, other| {
            vec![Series::line(names[0], one, palette(0)), Series::line(names[1], other, palette(1))]
        };
        let figure = Figure {
            title: title.into(),
            x: Axis::new("time, ms"),
            bands: Vec::new(),
            marks: Vec::new(),
            panels: vec![
                Subplot::new(Axis::new("speed, m/s"), two(["first", "second"], a, b)),
                Subplot::new(
                    Axis::new("force, N"),
                    two(["on the first", "on the second"], first, second),
                ),
                Subplot::new(
                    Axis::new("energy, J"),
                    two(["of the bodies", "in the line"], bodies, line),
                ),
            ],
        };
        folder.table(&format!("{name}.csv"), &csv)?;
        folder.draw(name, &figure, report)?;
    }
    Ok(())
}

/// Two masses on one line, each simulated by a thread of its own that knows nothing of the other but the waves that arrive.
/// Returns the speeds at the end, m/s.
fn on_two_threads(masses: [f64; 2], speeds: [f64; 2], z: f64, h: f64, steps: u32) -> [f64; 2] {
    let port = *TransmissionLine::<1>::new(z).port();
    let (to_second, from_first) = channel();
    let (to_first, from_second) = channel();
    let body = |mass: f64, mut speed: f64, send: Sender<f64>, receive: Receiver<f64>| {
        move || {
            // The line is empty at first.
            let mut arriving = 0.0;
            for _ in 0..steps {
                let mean = port.mean_velocity(mass, speed, arriving, 0.0, h);
                // A thread that has ended ends the other.
                if send.send(port.leaving(arriving, mean)).is_err() {
                    break;
                }
                speed = 2.0 * mean - speed;
                let Ok(wave) = receive.recv() else { break };
                arriving = wave;
            }
            speed
        }
    };
    let first = body(masses[0], speeds[0], to_second, from_second);
    let second = body(masses[1], speeds[1], to_first, from_first);
    std::thread::scope(|scope| {
        [scope.spawn(first), scope.spawn(second)].map(|thread| thread.join().unwrap_or(f64::NAN))
    })
}

/// A thread for each body gives the same as one for both.
fn distributed(report: &mut Report) {
    let (masses, speeds, z, h, steps) = ([1.0, 3.0], [1.0, 0.0], 50.0, 1e-3, 20_000);
    let mut pair = Pair::joined(masses, speeds, z);
    for _ in 0..steps {
        pair.step(h);
    }
    let apart = on_two_threads(masses, speeds, z, h, steps);
    let most = [0, 1].map(|i| (apart[i] - pair.velocities[i]).abs());
    report.source("004 §5.4, §6.1 (distributed simulation)");
    let quantity = "two masses on a line, a thread each: difference from one thread, m/s";
    report.check(quantity, "0", TargetBand::AtMost(0.0), most[0].max(most[1]));
}

/// Runs the experiment.
pub fn run(folder: &mut Folder, numbers: &Numbers) -> Result<Report> {
    if let Some(report) = calculated::report(&LINE, folder, numbers)? {
        return Ok(report);
    }
    let mut report = Report::default();
    masses(&mut report);
    distributed(&mut report);
    let (z, h) = (50.0, 1e-4);
    for (name, found) in cases::all(z, h) {
        report.source(match name {
            "prismatic" => "004 §6.5.1",
            "revolute" => "004 §6.5.2",
            "revolute-translational" => "004 §6.5.3",
            "gear" => "004 fig. B.2",
            "rack and pinion" => "004 fig. B.3",
            "cam and follower" => "004 fig. B.4",
            "cam and flat-faced follower" => "004 fig. B.5",
            _ => "004 fig. B.1",
        });
        let target = format!("≤ F/(Z/T) = {} µm", short(found.force * h / z * 1e6));
        report.check(
            &format!("{name}, constraint error, µm"),
            &target,
            TargetBand::AtMost(1.001e6 * found.force * h / z),
            found.error * 1e6,
        );
        report.check(
            &format!("{name}, least energy put into its lines, J"),
            "≥ 0",
            TargetBand::AtLeast(-1e-12),
            found.least,
        );
        report.check(
            &format!("{name}, energy created by bodies and lines, J"),
            "0",
            TargetBand::AtMost(1e-9),
            found.energy.abs(),
        );
    }
    report.source("004 §6.5.5, app. D, fig. 6.18 (double pendulum)");
    let [angle, energy, joint, force] = pendulum::compare(20.0, 1e-4);
    report.check(
        "angle error against Lagrange in 0.5 s, share of 90°",
        "1 %",
        TargetBand::AtMost(0.01),
        angle / std::f64::consts::FRAC_PI_2,
    );
    report.check(
        "energy error of the bodies, share of the fall's energy",
        "1e-3",
        TargetBand::AtMost(1e-3),
        energy / pendulum::fall(),
    );
    let most = force * h / 20.0 * 1e6;
    let target = format!("≤ F/(Z/T) = {} µm", short(most));
    report.check("joint error, µm", &target, TargetBand::AtMost(1.001 * most), 1e6 * joint);
    let half = pendulum::compare(20.0, 5e-5);
    let ratio = [half[0] / angle, half[1] / energy];
    report.check(
        "angle error with half the step over that with the step",
        "0.5",
        TargetBand::Within(0.4, 0.6),
        ratio[0],
    );
    report.check(
        "energy error with half the step over that with the step",
        "0.5",
        TargetBand::Within(0.4, 0.6),
        ratio[1],
    );
    draw_masses(folder, &mut report)?;

    let mut csv = DataTable::new(&[
        "time_s",
        "first_rad",
        "second_rad",
        "first_lagrange_rad",
        "second_lagrange_rad",
    ]);
    let mut curves: [Vec<(f64, f64)>; 4] = Default::default();
    let mut lines = pendulum::on_lines(20.0);
    for k in 1..=10_000u32 {
        lines.step(1e-4);
        if k.is_multiple_of(50) {
            let t = f64::from(k) * 1e-4;
            let [a, b] = pendulum::reference(1e-4, k);
            let values = [lines.q[0].z, lines.q[1].z, a, b];
            csv.numbers(&t, &values);
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
        panels: vec![Subplot::new(
            Axis::new("angle from hanging, rad"),
            all.map(|(i, (n, c))| Series::line(n, c, palette(i))).collect(),
        )],
    };
    folder.table("lines.csv", &csv)?;
    folder.draw("lines", &figure, &mut report)?;
    Ok(report)
}
