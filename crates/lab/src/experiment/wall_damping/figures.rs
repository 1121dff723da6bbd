//! The figures of chapter 6 of the thesis.

use anyhow::{Context, Result};

use super::{K, MASS, PERIODS_MS, dimensionless, worst};
use touchback_haptics::wall::sampled::controller::{Controller, Measurement};
use touchback_haptics::wall::sampled::plant::{FINGER, Motion, Plant};
use touchback_offline::bench::{DataTable, Folder, Report};
use touchback_offline::plot::{Axis, Figure, Series, Shape, Subplot, palette};
use touchback_walls::analysis::marginal;
use touchback_walls::analysis::return_map::{Crossing, Switching};
use touchback_walls::bench::SampledLoop;

type Points = Vec<(f64, f64)>;

/// A sampled spring without threshold.
struct Spring;

impl Controller for Spring {
    fn force(&mut self, now: Measurement) -> f64 {
        K * now.position
    }

    fn reset(&mut self) {}
}

/// Sample period, s, and samples of figure 6.4.
const PERIOD: f64 = 2e-3;
const SIMULATED: usize = 2000;

/// The mass with `share` times its marginal damping.
fn damped(share: f64) -> Result<Plant> {
    let marginal = marginal::damping(&MASS, K, PERIOD).context("no marginal damping")?;
    Ok(Plant { damping: share * marginal, ..MASS })
}

/// Positions of the mass, m, released at 1 mm.
fn simulated(share: f64) -> Result<Vec<f64>> {
    let mut seen = Vec::with_capacity(SIMULATED);
    SampledLoop::ideal(damped(share)?, PERIOD).run(&mut Spring, [1e-3, 0.0], SIMULATED, |tick| {
        seen.push(tick.state[0]);
        true
    });
    Ok(seen)
}

/// Amplitude of the oscillation, m, at the beginning and at the end of [`simulated`]. With
/// y_k = A ρᵏ cos(kφ + ψ) two samples give both components, so that the phase does not matter.
pub fn swing(share: f64) -> Result<[f64; 2]> {
    let seen = simulated(share)?;
    let a = marginal::closed_loop(&damped(share)?, K, PERIOD);
    let modulus = a.determinant().sqrt();
    let c = 0.5 * a.trace() / modulus;
    let amplitude = |k: usize| {
        let quadrature = (c * seen[k] - seen[k + 1] / modulus) / (1.0 - c * c).sqrt();
        libm::hypot(seen[k], quadrature)
    };
    Ok([amplitude(0), amplitude(SIMULATED - 2)])
}

fn lines<const N: usize>(names: [&str; N], curves: [Points; N]) -> Vec<Series> {
    let all = names.iter().zip(curves).enumerate();
    all.map(|(i, (n, c))| Series::line(n, c, palette(i))).collect()
}

fn figure(title: &str, x: Axis, panels: Vec<Subplot>) -> Figure {
    Figure { title: title.into(), x, bands: Vec::new(), marks: Vec::new(), panels }
}

/// Draws figures 6.2, 6.3, 6.7 and 6.14.
fn dampings(folder: &mut Folder, report: &mut Report) -> Result<()> {
    let held = MASS.with(FINGER);
    let mut csv = DataTable::new(&[
        "period_ms",
        "alone_n_s_m",
        "passive_n_s_m",
        "finger_n_s_m",
        "worst_case_no_bias_n_s_m",
    ]);
    let mut curves: [Points; 4] = Default::default();
    let mut border = Points::new();
    for i in 1..=40 {
        let ms = 0.25 * f64::from(i);
        let t = ms * 1e-3;
        let alone = marginal::damping(&MASS, K, t).unwrap_or(f64::NAN);
        let values = [
            alone,
            0.5 * K * t,
            marginal::damping(&held, K, t).unwrap_or(f64::NAN),
            worst(ms).damping(1.0, 0.0).unwrap_or(f64::NAN),
        ];
        csv.numbers(&ms, &values);
        for (curve, value) in curves.iter_mut().zip(values) {
            curve.push((ms, value));
        }
        border.push(dimensionless(alone, t).into());
    }
    folder.table("wall-damping.csv", &csv)?;
    let [a, b, c, d] = curves;
    let names = ["mass alone, marginal", "passive (Colgate)", "with finger, marginal"];
    let panels = vec![
        Subplot::new(Axis::new("damping, N·s/m"), lines(names, [a, b, c])),
        Subplot::new(Axis::new("damping, N·s/m"), lines(["switching always late, no bias"], [d])),
    ];
    let title = "Damping that a sampled wall of 5 kN/m requires (figs. 6.2, 6.7, 6.14)";
    let x = Axis::new("sample period, ms").within(0.0, 10.0);
    let damping = figure(title, x, panels);
    folder.draw("wall-damping", &damping, report)?;
    let most = border.last().map_or(1.0, |p| p.0);
    let circled = PERIODS_MS.map(|ms| {
        let b = marginal::damping(&MASS, K, ms * 1e-3).unwrap_or(f64::NAN);
        dimensionless(b, ms * 1e-3).into()
    });
    let mut regions =
        lines(["stable below", "passive below (Colgate)"], [border, vec![(0.0, 2.0), (most, 2.0)]]);
    regions.push(Series::new("0.5, 1, 2, 5, 10 ms", circled.into(), palette(2), Shape::Dots));
    let panel = Subplot::new(Axis::new("α = KT/b").within(1.9, 2.5), regions);
    let regions = figure("A sampled spring on a mass alone", Axis::new("τ = bT/m"), vec![panel]);
    folder.draw("alpha-tau", &regions, report)
}

/// Exit speeds of the surfaces of figure 6.15, m/s, which does not print its own; largest bias, N, and their number.
const EXITS: [f64; 2] = [1.0, 0.1];
const BIAS: f64 = 1.0;
const BIASES: u32 = 10;
/// Each newton of bias moves a section aside, ms, and up, N·s/m, so that the sections are a surface.
const ASIDE: [f64; 2] = [-2.0, 2.0];

/// Draws figure 6.15: the damping over period and bias as a surface, at two exit speeds.
fn surface(folder: &mut Folder, report: &mut Report) -> Result<()> {
    let mut csv = DataTable::new(&["exit_m_s", "bias_n", "period_ms", "damping_n_s_m"]);
    let mut panels = Vec::new();
    for (i, exit) in EXITS.into_iter().enumerate() {
        let rows: Vec<Points> = (0..=BIASES)
            .map(|n| {
                let bias = BIAS * f64::from(n) / f64::from(BIASES);
                let at = |j: u32| {
                    let ms = 0.5 * f64::from(j);
                    let damping = worst(ms).damping(exit, bias).unwrap_or(f64::NAN);
                    csv.numbers(&exit, &[bias, ms, damping]);
                    (ms + bias * ASIDE[0], damping + bias * ASIDE[1])
                };
                (1..=20).map(at).collect()
            })
            .collect();
        // Sections at constant bias, and across them at constant periods.
        let across = (0..rows[0].len()).step_by(2).map(|j| rows.iter().map(|row| row[j]).collect());
        let all = rows.iter().cloned().chain(across.collect::<Vec<Points>>());
        let mut series: Vec<_> = all.map(|points| Series::line("", points, palette(i))).collect();
        // The analytical solution, as the thesis highlights it.
        series.push(Series::line("no bias, eq. 6.57", rows[0].clone(), palette(i + 2)));
        panels.push(Subplot::new(Axis::new(&format!("N·s/m: exit at {exit} m/s")), series));
    }
    folder.table("wall-bias.csv", &csv)?;
    let title = format!(
        "Damping over period and bias, 0 to {BIAS} N; a bias of 1 N is drawn {} ms to the left and {} N·s/m up",
        -ASIDE[0], ASIDE[1]
    );
    let surface = figure(&title, Axis::new("sample period − 2 ms/N × bias, ms"), panels);
    folder.draw("wall-bias", &surface, report)
}

/// Draws figure 6.4.
fn marginal_runs(folder: &mut Folder, report: &mut Report) -> Result<()> {
    let mut panels = Vec::new();
    for (i, (share, name)) in
        [(1.0, "marginal damping"), (0.99, "1 % less"), (1.01, "1 % more")].into_iter().enumerate()
    {
        let seen = simulated(share)?;
        let points = (0u32..).zip(&seen).map(|(k, y)| (f64::from(k) * PERIOD, y * 1e3)).collect();
        let line = Series::line("", points, palette(i));
        panels.push(Subplot::new(Axis::new(&format!("mm: {name}")), vec![line]));
    }
    let title = "A mass of 0.3 kg on a sampled spring of 5 kN/m, T 2 ms";
    folder.draw("wall-marginal", &figure(title, Axis::new("time, s"), panels), report)
}

/// Draws figure 6.9, and exit speeds by strike.
fn return_maps(folder: &mut Folder, report: &mut Report) -> Result<()> {
    let start = Crossing { time: 0.0, speed: 1.0 };
    let exits = [0.1, 0.2, 0.3].iter().enumerate().map(|(i, t)| {
        let speeds = unit(*t).speeds(start, 40);
        let points = (1u32..).zip(&speeds).map(|(k, v)| (f64::from(k), *v)).collect();
        Series::new(&format!("T {t}"), points, palette(i), Shape::Dots)
    });
    let panel = Subplot::new(Axis::new("exit speed, m/s"), exits.collect());
    let title = "Exit speeds of a wall switched at samples: k = m = g = v0 = 1";
    folder.draw("return-map", &figure(title, Axis::new("strike"), vec![panel]), report)?;
    let largest = (0..=2900u32).map(|i| {
        let t = 0.01 + 1e-4 * f64::from(i);
        (t, unit(t).speeds(start, 40).into_iter().fold(0.0, f64::max))
    });
    let points: Points = largest.collect();
    let mut csv = DataTable::new(&["period_s", "largest_exit_speed_m_s"]);
    for (t, v) in &points {
        csv.row(&[&format_args!("{t:.4}"), v]);
    }
    folder.table("return-map-period.csv", &csv)?;
    let panel =
        Subplot::new(Axis::new("exit speed, m/s"), vec![Series::line("", points, palette(0))]);
    let title = "Largest exit speed of 40 strikes: k = m = g = v0 = 1";
    let periods = figure(title, Axis::new("sample period, s"), vec![panel]);
    folder.draw("return-map-period", &periods, report)
}

/// The wall with unit values that switches at samples.
pub fn unit(period: f64) -> Switching {
    let outside = Plant::ball(1.0, 1.0);
    Switching { outside, inside: outside.on(1.0, 0.0), period }
}

/// Time, s, state, and whether the wall is on.
type Trajectory = Vec<(f64, Motion, bool)>;

/// States on a pass from one exit to the next, and the next exit.
fn course(map: &Switching, from: Crossing) -> Option<(Trajectory, Crossing)> {
    let pass = map.pass(from)?;
    let off = if map.period > 0.0 {
        map.period * (1.0 + (from.time / map.period).floor())
    } else {
        from.time
    };
    let late = if map.period > 0.0 {
        map.period * (1.0 + (pass.entry.time / map.period).floor()) - pass.entry.time
    } else {
        0.0
    };
    let on = pass.entry.time + late;
    let parts = [
        (from.time, off, [0.0, -from.speed], true),
        (off, on, pass.off, false),
        (on, pass.exit.time, pass.on, true),
    ];
    let mut all = Vec::new();
    for (from, to, start, is_on) in parts {
        let plant = if is_on { map.inside } else { map.outside };
        for i in 0..=40 {
            let t = f64::from(i) / 40.0 * (to - from);
            all.push((from + t, plant.after(start, t), is_on));
        }
    }
    Some((all, pass.exit))
}

/// Draws figures 6.10 and 6.11: energies of a wall that switches late, and of one that does not.
fn energies(folder: &mut Folder, report: &mut Report) -> Result<()> {
    let mut panels = Vec::new();
    for (period, name) in
        [(0.5, "switched at samples, T 0.5 s"), (0.0, "switched at the threshold")]
    {
        let map = unit(period);
        let mut curves: [Points; 3] = Default::default();
        let mut now = Crossing { time: 0.0, speed: 1.0 };
        for _ in 0..6 {
            let (states, exit) = course(&map, now).context("the map ends")?;
            for (t, x, is_on) in states {
                let plant = if is_on { &map.inside } else { &map.outside };
                let moving = 0.5 * plant.mass * x[1] * x[1];
                let all = plant.energy(x);
                for (curve, e) in curves.iter_mut().zip([moving, all - moving, all]) {
                    curve.push((t, e));
                }
            }
            now = exit;
        }
        let axis = Axis::new(&format!("J: {name}"));
        panels.push(Subplot::new(axis, lines(["kinetic", "potential", "total"], curves)));
    }
    let title = "Energy of a ball on a wall: k = m = g = v0 = 1";
    folder.draw("wall-energy", &figure(title, Axis::new("time, s"), panels), report)
}

/// Draws figures 6.12 and 6.13: the worst case in the phase plane, speeds divided by the spring's ω.
fn phase_plane(folder: &mut Folder, report: &mut Report) -> Result<()> {
    let map = worst(5.0);
    let balance = 2.0 * map.mass * map.balance().context("no balance")?;
    let mut panels = Vec::new();
    for (name, damping) in [("no damping", 0.0), ("balancing damping", balance)] {
        let outside = Plant { mass: map.mass, damping, stiffness: map.outside, bias: 0.0 };
        let inside = outside.on(map.inside - map.outside, 0.0);
        let mut speed = 0.1;
        let mut points = Points::new();
        for _ in 0..5 {
            let [t1, ..] = map.round(0.5 * damping / map.mass);
            let on = outside.after([0.0, -speed], t1);
            let stay = inside.leaves(on).context("no exit")?;
            for (plant, from, time) in [(&outside, [0.0, -speed], t1), (&inside, on, stay)] {
                points.extend((0..=60).map(|i| {
                    let [x, v] = plant.after(from, f64::from(i) / 60.0 * time);
                    (x * 1e3, v)
                }));
            }
            speed = -inside.after(on, stay)[1];
        }
        let axis = Axis::new(&format!("m/s: {name}"));
        panels.push(Subplot::new(axis, lines([""], [points])));
    }
    let title = "The worst case, every entry a whole period late, T 5 ms: speed over depth";
    folder.draw("wall-phase", &figure(title, Axis::new("depth in the wall, mm"), panels), report)
}

/// Draws all figures.
pub fn draw(folder: &mut Folder, report: &mut Report) -> Result<()> {
    dampings(folder, report)?;
    surface(folder, report)?;
    marginal_runs(folder, report)?;
    return_maps(folder, report)?;
    energies(folder, report)?;
    phase_plane(folder, report)
}
