//! `walls`: the thesis's bouncing ball on every sampled wall [Gillespie 1996, ch. 5].

use anyhow::{Context, Result};

use touchback_core::math::complex::modulus;
use touchback_core::text::numbers::Numbers;
use touchback_haptics::wall::sampled::controller::{
    Controller, Deadbeat, Hysteresis, Placement, Prediction, Standard,
};
use touchback_haptics::wall::sampled::plant::{Motion, Plant};
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, short};
use touchback_offline::plot::{Axis, Figure, Series, Shape, Subplot, palette};
use touchback_walls::analysis::marginal::poles;
use touchback_walls::ball as ball_run;
use touchback_walls::bench::{SampledLoop, Speed};

/// The thesis's ball: unit mass and stiffness; T and g as in its figures' staircase.
const BALL: Plant = Plant::ball(1.0, 0.05);
const K: f64 = 1.0;
const T: f64 = 0.3;
const TOP: Motion = [-1.0, 0.0];
/// Length of a long run, samples.
const LONG: usize = 20_000;

fn span(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::MAX, f64::MIN), |(a, b), x| (a.min(*x), b.max(*x)))
}

fn standard() -> Standard {
    Standard { stiffness: K, damping: 0.0 }
}

fn most(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |a, x| a.max(x.abs()))
}

/// Number of long runs, whose start positions differ by 10⁻¹³ m.
const RUNS: u32 = 16;

/// Late switching gives chaotic motion: the range of apexes over 16 runs must contain the `stated` lowest and
/// highest apex of one run, and be bounded.
fn extremes(report: &mut Report, name: &str, wall: &mut dyn Controller, stated: [f64; 2]) {
    let runs: Vec<(f64, f64)> = (0..RUNS)
        .map(|i| {
            let start = [-(1.0 + f64::from(i) * 1e-13), 0.0];
            span(&SampledLoop::ideal(BALL, T).apexes(wall, start, LONG))
        })
        .collect();
    let of = |end: &dyn Fn(&(f64, f64)) -> f64| span(&runs.iter().map(end).collect::<Vec<_>>());
    let (lows, highs) = (of(&|run| run.0), of(&|run| run.1));
    let [low, high] = stated;
    let quantity = |what: &str| format!("{name}, {what} apex of 16 × 20 000 steps, m");
    let target = format!("one run: {low}");
    report.check(&quantity("lowest"), &target, TargetBand::Within(0.0, low), lows.0);
    let target = format!("one run: {high}; bounded");
    report.check(&quantity("highest"), &target, TargetBand::Within(high, 5.0), highs.1);
    report.note(&format!(
        "{name}, range over the runs: lowest apexes {}…{} m, highest {}…{} m.",
        short(lows.0),
        short(lows.1),
        short(highs.0),
        short(highs.1)
    ));
}

fn hold_and_continuous(report: &mut Report) {
    report.source("000 T5.1, figs. 5.1–5.4; 004 fig. 1");
    for (k, m, t, expected, decimals) in [
        (1.0, 1.0, 0.1, 1.002_497, 6),
        (1000.0, 0.12, 1e-3, 1.002_081_2, 7),
        (5000.0, 0.3, 1e-3, 1.004_158_0, 7),
    ] {
        let pole = modulus(poles(&Plant::ball(m, 0.0), k, t)[0]);
        let quantity = format!("pole modulus inside the standard wall, K {k}, m {m}, T {t}");
        report.digits(&quantity, expected, decimals, pole);
    }
    report.source("000 T5.3, eqs. 5.5–5.11, fig. 5.6");
    let (mut apex, mut worst, mut time) = (1.0f64, 0.0f64, 0.0f64);
    let inside = BALL.on(K, 0.0);
    for _ in 0..1000 {
        let fall = BALL.lands([-apex, 0.0], 1e3).unwrap_or(f64::NAN);
        let [_, entry] = BALL.after([-apex, 0.0], fall);
        let stay = inside.leaves([0.0, entry]).unwrap_or(f64::NAN);
        let [left, exit] = inside.after([0.0, entry], stay);
        // Each bounce starts from the previous apex.
        apex = exit * exit / (2.0 * 0.05) - left;
        worst = worst.max((apex - 1.0).abs());
        // ω0 = 1: eq. 5.11 with atan2, which selects the quadrant.
        let law = std::f64::consts::PI + 2.0 * libm::atan2(0.05, entry);
        time = time.max((stay - law).abs());
    }
    report.check(
        "continuous ball, error of the height over 1000 bounces, m",
        "0",
        TargetBand::AtMost(1e-12),
        worst,
    );
    report.erratum("5.7 prints −v0 − √…; it is (v0 + √(v0² + 2g y0))/g; 5.8 needs −mg");
    report.check("Δt inside against [π + 2 atan2(…)]/ω0, s", "0", TargetBand::AtMost(1e-12), time);
}

fn standard_wall(report: &mut Report) {
    report.source("000 T5.2, figs. 5.7–5.9");
    let bench = SampledLoop::ideal(BALL, T);
    let apexes = bench.apexes(&mut standard(), TOP, 400);
    for (i, expected) in [1.7723, 2.9687, 4.9569].into_iter().enumerate() {
        report.digits(&format!("standard wall, apex {}, m", i + 1), expected, 4, apexes[i]);
    }
    report.source("000 eq. 5.1");
    let least = span(&bench.visits(&mut standard(), TOP, 400)).0;
    report.check(
        "work returned less work put in, standard, least visit, J",
        "above 0",
        TargetBand::AtLeast(1e-6),
        least,
    );
    let loss = |loss| {
        let mut wall = Hysteresis { stiffness: K, loss };
        span(&SampledLoop::ideal(BALL, 0.05).visits(&mut wall, TOP, 5000)).1
    };
    report.check(
        "work returned less work put in, hysteresis 0.3, T 0.05, largest visit, J",
        "below 0",
        TargetBand::AtMost(0.0),
        loss(0.3),
    );
}

fn prediction(report: &mut Report) -> Result<()> {
    report.source("000 §5.4.1, T5.4, figs. 5.10–5.12");
    let theta = 0.1f64;
    // Determinant of the loop with position and velocity feedback of the predicted force.
    let det = 1.0 + 0.5 * theta * theta * libm::cos(0.5 * theta) - theta * libm::sin(0.5 * theta);
    let wall = Prediction::new(&Plant::ball(1.0, 0.0), K, 0.0, theta, 0.0);
    let gain = |x: Motion| {
        let mut wall = wall;
        // The force is linear inside the wall: take the difference at a shifted state.
        wall.force(at([x[0] + 1.0, x[1]])) - wall.force(at([1.0, 0.0]))
    };
    let (k1, k2) = (gain([-1e-3, 0.0]) / -1e-3, -gain([0.0, -1.0]));
    let own = 1.0 + 0.5 * theta * theta * k1 - theta * k2;
    report.digits("half-sample prediction, determinant at θ 0.1", 0.999_995_83, 8, own);
    report.erratum(
        "prints cos(t + T/2), sin(t + T/2); the argument is ω0T/2 from the present sample",
    );
    report.check(
        "half-sample prediction, error of the determinant against its closed form",
        "0",
        TargetBand::AtMost(1e-12),
        (own - det).abs(),
    );
    let mut wall = Prediction::new(&BALL, K, 0.0, T, 0.0);
    let apexes = SampledLoop::ideal(BALL, T).apexes(&mut wall, TOP, LONG);
    for (i, expected) in [1.0596, 1.1277, 1.1706].into_iter().enumerate() {
        report.digits(&format!("prediction, apex {}, m", i + 1), expected, 4, apexes[i]);
    }
    extremes(report, "prediction", &mut wall, [0.435, 1.316]);
    report.source("000 §5.4.2, figs. 5.13, 5.14");
    let placed = Placement::new(&Plant::ball(1.0, 0.0), K, 0.0, theta).context("uncontrollable")?;
    let [k1, k2] = placed.gains();
    report.digits("placed poles, k1 at θ 0.1", 0.999_167, 6, k1);
    report
        .erratum("5.12 prints (1/ω0)(1 − cos); it is 1/ω0²; \"Aizerman's\" method is Ackermann's");
    report.digits("placed poles, k2 at θ 0.1", 0.049_958_3, 7, k2);
    let d = Plant::ball(1.0, 0.0).discrete(theta);
    let a = d.phi - d.gamma * nalgebra::RowVector2::new(k1, k2);
    let error = (a.trace() - 2.0 * libm::cos(theta)).abs().max((a.determinant() - 1.0).abs());
    let quantity = "placed poles, error of the closed loop against e^{±jθ}";
    report.check(quantity, "0", TargetBand::AtMost(1e-12), error);
    let mut wall = Placement::new(&BALL, K, 0.0, T).context("uncontrollable")?;
    let apexes = SampledLoop::ideal(BALL, T).apexes(&mut wall, TOP, LONG);
    report.digits("placed poles, apex 1, m", 1.0617, 4, apexes[0]);
    extremes(report, "placed poles", &mut wall, [0.861, 3.298]);
    report.note(
        "Late switching makes the motion chaotic: runs whose starts differ by 10⁻¹³ m diverge \
         within thirty bounces, so that the extremes of a long run depend on the rounding of the \
         program. The targets are from an independent program.",
    );
    // With a damped target, the loop's poles are those of the damped wall.
    let target = BALL.on(K, 0.4).discrete(T).phi;
    let damped = Placement::new(&BALL, K, 0.4, T).context("uncontrollable")?.gains();
    let d = BALL.discrete(T);
    let a = d.phi - d.gamma * nalgebra::RowVector2::new(damped[0], damped[1]);
    let error =
        (a.trace() - target.trace()).abs().max((a.determinant() - target.determinant()).abs());
    report.source("000 §5.6");
    let quantity = "damped wall by placed poles, error of the poles";
    report.check(quantity, "0", TargetBand::AtMost(1e-12), error);
    Ok(())
}

fn at([position, velocity]: Motion) -> touchback_haptics::wall::sampled::controller::Measurement {
    touchback_haptics::wall::sampled::controller::Measurement { position, velocity }
}

fn deadbeat(report: &mut Report) -> Result<()> {
    report.source("000 §5.4.3, figs. 5.15–5.17");
    for (g, t, bound) in [(0.05, 0.3, 2.5e-13), (1.0, 0.1, 1e-14)] {
        let ball = Plant::ball(1.0, g);
        let bench = SampledLoop::ideal(ball, t);
        let mut wall = Deadbeat::new(&ball, K, 0.0, t).context("uncontrollable")?;
        let apexes = bench.apexes(&mut wall, TOP, LONG);
        let error = most(apexes.iter().take(200).map(|x| x - 1.0));
        let quantity = format!("deadbeat, error of the apex over 200 bounces, T {t}, g {g}, m");
        let target = if g < 0.1 { "2e-13" } else { "1e-14" };
        report.check(&quantity, target, TargetBand::AtMost(bound), error);
        if g < 0.1 {
            report.erratum(
                "5.24 lists the forces in the wrong order; 5.22 has b for Γ; 5.18 h for T",
            );
        }
        wall.reset();
        let work = most(bench.visits(&mut wall, TOP, 2000));
        let quantity = format!("deadbeat, net work of a visit, T {t}, g {g}, J");
        report.check(&quantity, "0", TargetBand::AtMost(1e-12), work);
    }
    let ball = Plant::ball(1.0, 0.05);
    let mut wall = Deadbeat::new(&ball, 9.5, 0.0, 1.0).context("uncontrollable")?;
    let apexes = SampledLoop::ideal(ball, 1.0).apexes(&mut wall, TOP, 5000);
    let visits = wall.visits();
    report.check(
        "visits too short for two samples, corrected a period later",
        "all",
        TargetBand::AtLeast(100.0),
        f64::from(visits.short),
    );
    report.check(
        "visits too short for two samples, error of the apexes, m",
        "0",
        TargetBand::AtMost(1e-12),
        most(apexes.iter().map(|x| x - 1.0)),
    );
    Ok(())
}

/// Draws figures 5.3 and 5.4: one contact with the standard wall, force over position and over time.
fn draw_traces(folder: &mut Folder, report: &mut Report) -> Result<()> {
    let (mut over, mut law, mut time, mut depth) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let bench = SampledLoop::ideal(BALL, T);
    bench.run(&mut standard(), [-0.05, 0.3], 18, |tick| {
        let start = f64::from(u32::try_from(tick.index).unwrap_or(0)) * T;
        let held = Plant { bias: BALL.bias - tick.force, ..BALL };
        for i in 0..=20 {
            let t = f64::from(i) / 20.0 * T;
            let [x, _] = held.after(tick.state, t);
            over.push((x, tick.force));
            law.push((x, K * x.max(0.0)));
            time.push((start + t, tick.force));
            depth.push((start + t, K * x.max(0.0)));
        }
        true
    });
    law.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (name, title, x, curves) in [
        (
            "wall-trace",
            "One visit: held force over position",
            Axis::new("depth in the wall, m").within(-0.2, 0.45),
            [law, over],
        ),
        ("wall-hold", "One visit: held force over time", Axis::new("time, s"), [depth, time]),
    ] {
        let names = ["K x", "held"];
        let all = names.iter().zip(curves).enumerate();
        let lines = all.map(|(i, (n, c))| Series::line(n, c, palette(i))).collect();
        let figure = Figure {
            title: title.into(),
            x,
            bands: Vec::new(),
            marks: Vec::new(),
            panels: vec![Subplot::new(Axis::new("force away from the wall, N"), lines)],
        };
        folder.draw(name, &figure, report)?;
    }
    Ok(())
}

/// Draws figure 5.13: poles of the loop inside of a wall for growing periods, of the wall in continuous time on the unit
/// circle.
fn draw_poles(folder: &mut Folder, report: &mut Report) -> Result<()> {
    let ball = Plant::ball(1.0, 0.0);
    let mut csv = DataTable::new(&["wall", "period_s", "real", "imaginary"]);
    let names = ["standard", "half-sample prediction", "placed poles"];
    let mut curves: [Vec<(f64, f64)>; 3] = Default::default();
    for i in 1..=40u32 {
        let t = 0.05 * f64::from(i);
        let d = ball.discrete(t);
        let ahead = ball.on(K, 0.0).after([1.0, 0.0], 0.5 * t)[0];
        let slope = ball.on(K, 0.0).after([0.0, 1.0], 0.5 * t)[0];
        let placed = Placement::new(&ball, K, 0.0, t).context("uncontrollable")?.gains();
        for ((name, curve), [k1, k2]) in
            names.iter().zip(&mut curves).zip([[K, 0.0], [K * ahead, K * slope], placed])
        {
            let a = d.phi - d.gamma * nalgebra::RowVector2::new(k1, k2);
            let real = 0.5 * a.trace();
            let imaginary = (a.determinant() - real * real).max(0.0).sqrt();
            csv.numbers(name, &[t, real, imaginary]);
            curve.push((real, imaginary));
        }
    }
    folder.table("wall-poles.csv", &csv)?;
    let circle = (0..=100u32).map(|i| {
        let (s, c) = libm::sincos(std::f64::consts::PI * f64::from(i) / 100.0);
        (c, s)
    });
    let mut series = vec![Series::line("unit circle", circle.collect(), palette(3))];
    let dots = names.iter().zip(curves).enumerate();
    series.extend(dots.map(|(i, (name, c))| Series::new(name, c, palette(i), Shape::Dots)));
    let figure = Figure {
        title: "Poles inside of the wall, ω0T from 0.05 to 2".into(),
        x: Axis::new("Re z").within(-1.6, 1.3),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![Subplot::new(Axis::new("Im z").within(0.0, 1.8), series)],
    };
    folder.draw("wall-poles", &figure, report)
}

/// A ball on every wall with chosen `numbers`: no targets, but what the walls do to the ball.
fn own(folder: &mut Folder, numbers: &Numbers) -> Result<Report> {
    let mut report = Report::default();
    let mut csv = DataTable::new(&[&["wall"][..], &ball_run::COLUMNS].concat());
    let mut panels = Vec::new();
    for (i, name) in ball_run::WALLS.into_iter().enumerate() {
        let steps = match ball_run::simulate(name, numbers) {
            Ok(steps) => steps,
            Err(error) => {
                report.note(&format!("{error}."));
                continue;
            }
        };
        let mut points = Vec::new();
        for row in ball_run::table(&steps, numbers.get("t")) {
            points.push((row[0], row[1]));
            csv.numbers(&name, &row);
        }
        let (least, most) = span(&ball_run::visits(&steps));
        let apexes = ball_run::apexes(&steps);
        let last = apexes.last().map_or("none".into(), |apex| format!("{} m", short(*apex)));
        report.note(&match apexes.len() {
            0 if least > most => format!("{name}: the ball does not come to the wall."),
            bounces => format!(
                "{name}: {bounces} bounces, the last to {last}; a contact gives the ball {} to {} J.",
                short(least),
                short(most)
            ),
        });
        let height = Axis::new(&format!("m: {name}"));
        panels.push(Subplot::new(height, vec![Series::line(name, points, palette(i))]));
    }
    let title = format!("A ball on sampled walls: {}", numbers.changed().unwrap_or_default());
    let figure =
        Figure { title, x: Axis::new("time, s"), bands: Vec::new(), marks: Vec::new(), panels };
    folder.table("walls.csv", &csv)?;
    folder.draw("walls", &figure, &mut report)?;
    Ok(report)
}

/// Runs the experiment: the source's, or a ball with chosen numbers.
pub fn run(folder: &mut Folder, numbers: &Numbers) -> Result<Report> {
    if numbers.changed().is_some() {
        return own(folder, numbers);
    }
    let mut report = Report::default();
    hold_and_continuous(&mut report);
    standard_wall(&mut report);
    prediction(&mut report)?;
    deadbeat(&mut report)?;
    // The laboratory's conditions: encoder, velocity from position, a finger.
    report.source("000 §5.5 (as simulation)");
    let device = Plant { mass: 0.1, damping: 0.5, stiffness: 0.0, bias: 1.0 };
    let held = device.with(touchback_haptics::wall::sampled::plant::FINGER);
    let bench = SampledLoop {
        plant: held,
        period: 2e-3,
        delay: 0,
        count: 2e-6,
        speed: Speed::Filtered(200.0),
    };
    let k = 6000.0;
    let old = bench.swing(&mut Standard { stiffness: k, damping: 0.0 }, [-1e-3, 0.1], 1500).0;
    let new = bench.swing(&mut Prediction::new(&held, k, 0.0, 2e-3, 0.0), [-1e-3, 0.1], 1500).0;
    report.check(
        "chatter of the standard wall, 6 kN/m, 2 ms, finger, encoder, mm",
        "sustained",
        TargetBand::AtLeast(0.05),
        old * 1e3,
    );
    report.check(
        "chatter of the predictive wall under the same conditions, mm",
        "none",
        TargetBand::AtMost(0.05),
        new * 1e3,
    );

    let mut csv = DataTable::new(&[&["wall"][..], &ball_run::COLUMNS].concat());
    let mut panels = Vec::new();
    let bench = SampledLoop::ideal(BALL, T);
    let mut walls: [(&str, Box<dyn Controller>); 4] = [
        ("standard", Box::new(standard())),
        ("half-sample prediction", Box::new(Prediction::new(&BALL, K, 0.0, T, 0.0))),
        ("placed poles", Box::new(Placement::new(&BALL, K, 0.0, T).context("uncontrollable")?)),
        ("deadbeat", Box::new(Deadbeat::new(&BALL, K, 0.0, T).context("uncontrollable")?)),
    ];
    // The source's figures of the same runs.
    let figures = ["5.8", "5.11", "5.14", "5.16"];
    for (i, ((name, wall), number)) in walls.iter_mut().zip(figures).enumerate() {
        let mut points = Vec::new();
        bench.run(wall.as_mut(), TOP, 400, |tick| {
            let time = f64::from(u32::try_from(tick.index).unwrap_or(0)) * T;
            let height = -tick.state[0];
            points.push((time, height));
            csv.row(&[name, &time, &height, &tick.force]);
            true
        });
        let height = Axis::new(&format!("m: {name}, {number}"));
        panels.push(Subplot::new(height, vec![Series::line(name, points, palette(i))]));
    }
    let figure = Figure {
        title: "A ball on sampled walls: K 1, m 1, g 0.05, T 0.3".into(),
        x: Axis::new("time, s"),
        bands: Vec::new(),
        marks: Vec::new(),
        panels,
    };
    folder.table("walls.csv", &csv)?;
    folder.draw("walls", &figure, &mut report)?;
    draw_traces(folder, &mut report)?;
    report.source("000 fig. 5.13, eqs. 5.12–5.16");
    draw_poles(folder, &mut report)?;
    Ok(report)
}
