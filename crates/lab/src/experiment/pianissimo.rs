//! `pianissimo`: which press survives the noise of a hand best? [Gillespie 1996, §§2.1.3, 2.5]
//!
//! A press has two numbers, the full force F of its muscle and the time τ over which the muscle rises
//! ([`touchback_action::interface::hand`]). Many pairs give the same soft tone, but a hand does not repeat itself: both
//! numbers vary by a share of themselves, normally in their logarithms. A press succeeds where the speed stays within a
//! factor of the one aimed at and the time within some milliseconds; a silent key fails. Speeds are simulated on a grid of both numbers and interpolated, so
//! that the noise is integrated over the same map for every aim. `examples/python/pianissimo.py` repeats single presses
//! and the integral independently.

use anyhow::{Context, Result, bail};

use super::two_switches::Timed;
use touchback_action::interface::hand::PRESSING;
use touchback_action::{ActionKind, ActionSettings, Drive, EventKind, Key, STEP};
use touchback_core::math::compass::KeyNumber;
use touchback_core::text::numbers::{Number, Numbers};
use touchback_models::catalogue::played;
use touchback_offline::bench::{DataTable, Folder, KeySource, Report, TargetBand, short};
use touchback_offline::gesture::{Form, Gesture, KeyView};
use touchback_offline::parallel;
use touchback_offline::plot::{Axis, Figure, Series, Subplot, palette};

/// The numbers of the experiment.
pub const NUMBERS: &[Number; 4] = &[
    Number {
        id: "speed",
        unit: "m/s",
        range: [0.1, 3.0],
        usual: 0.4,
        about: "hammer speed aimed at",
    },
    Number {
        id: "noise",
        unit: "",
        range: [0.0, 0.4],
        usual: 0.1,
        about: "standard deviation of force and rise time, share of themselves",
    },
    Number {
        id: "factor",
        unit: "",
        range: [1.01, 4.0],
        usual: 1.25,
        about: "largest ratio to the speed aimed at that is a success",
    },
    Number {
        id: "time",
        unit: "s",
        range: [1e-3, 10.0],
        usual: 0.03,
        about: "largest distance from the time aimed at that is a success",
    },
];

/// Forces, N, and rise times, s: the ends of their grids, with the number of points.
const FORCES: (f64, f64, usize) = (0.5, 10.0, 49);
const RISES: (f64, f64, usize) = (0.01, 0.3, 19);

/// Rise times aimed at, s: those from which five standard deviations of 0.1 stay on the grid.
const AIMS: (f64, f64, usize) = (0.0165, 0.18, 24);

/// Shares of noise of the second figure.
const NOISES: [f64; 8] = [0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3];

/// Longest press, s, and time from the second switch in which a hammer arrives.
const PATIENCE: f64 = 1.0;
const FLIGHT: f64 = 0.15;

/// Hammer over key speed of a grand, by which a two-switch keyboard translates (chosen: the ratio of the levers).
const RATIO: f64 = 5.0;

/// A key without action [chosen: 50 g of touch weight, as cheap keyboards have]: mass, kg, preload, N, spring, N/m, and
/// damper, N·s/m.
const SPRING_KEY: [f64; 4] = [0.05, 0.5, 40.0, 0.5];

/// Names of keys that are compared.
const GRAND: &str = "grand";
const SPRING: &str = "spring key, two switches";

/// The points of a geometric grid.
fn grid((first, last, count): (f64, f64, usize)) -> Vec<f64> {
    let share = |i: usize| i as f64 / (count - 1) as f64;
    (0..count).map(|i| first * libm::pow(last / first, share(i))).collect()
}

fn pressed(force_n: f64, rise_s: f64) -> Gesture {
    let form = Form::Pressed {
        force_n,
        duration_s: PATIENCE,
        mass_kg: PRESSING.mass,
        stiffness_n_m: PRESSING.stiffness,
        damping_n_s_m: PRESSING.damping,
        drag_n_s_m: PRESSING.drag,
        rise_s: Some(rise_s),
    };
    Gesture::of_forms(vec![form])
}

/// A tone: speed, m/s, and time, s; [`SILENT`] without one.
type Tone = [f64; 2];
const SILENT: Tone = [0.0; 2];

/// What the switches tell: [`RATIO`] times the speed of the key between them, and the time of the second.
fn told(timed: &Timed) -> Tone {
    timed.speed().zip(timed.last()).map_or(SILENT, |(speed, time)| [RATIO * speed, time])
}

/// The hammer's tone, and that of switches on a key whose dip is `share` of 10 mm.
fn on_key(rest: &dyn Key, force: f64, rise: f64, share: f64) -> [Tone; 2] {
    let (mut key, mut gesture) = (rest.duplicate(), pressed(force, rise));
    let (mut hammer, mut timed) = (SILENT, Timed::of(share));
    for step in 0..gesture.steps() {
        let [depth, speed] = key.front();
        let drive = gesture.drive(step, KeyView { depth, speed });
        key.step(drive, &mut |offset, event| {
            if event.kind() == EventKind::Strike && hammer == SILENT {
                hammer = [event.value(), step as f64 * STEP + offset];
            }
        });
        let now = (step + 1) as f64 * STEP;
        timed.watch(now, key.front()[0]);
        if timed.last().is_some_and(|last| hammer != SILENT || now > last + FLIGHT) {
            break;
        }
    }
    [hammer, told(&timed)]
}

/// The tone of [`SPRING_KEY`].
fn on_spring(force: f64, rise: f64) -> Tone {
    let [mass, preload, stiffness, damping] = SPRING_KEY;
    let (mut gesture, mut timed) = (pressed(force, rise), Timed::of(1.0));
    let [mut depth, mut speed] = [0.0f64; 2];
    for step in 0..gesture.steps() {
        let Drive::Force([first, last]) = gesture.drive(step, KeyView { depth, speed }) else {
            break;
        };
        let load = preload + stiffness * depth + damping * speed;
        speed += (0.5 * (first + last) - load) / mass * STEP;
        depth += speed * STEP;
        if depth < 0.0 {
            [depth, speed] = [0.0; 2];
        }
        timed.watch((step + 1) as f64 * STEP, depth);
        if timed.last().is_some() {
            break;
        }
    }
    told(&timed)
}

/// Tones over the grids of forces and, slower, rise times.
struct Map {
    name: String,
    tones: Vec<Tone>,
}

/// What is aimed at, and the noise.
#[derive(Clone, Copy)]
struct Goal {
    speed: f64,
    noise: f64,
    factor: f64,
    time: f64,
}

impl Map {
    /// Place of a value on a geometric grid: index below, and share of the way to the next.
    fn place((first, last, count): (f64, f64, usize), value: f64) -> (usize, f64) {
        let most = (count - 1) as f64;
        let at = (libm::log(value / first) / libm::log(last / first) * most).clamp(0.0, most);
        let below = touchback_core::math::cast::floor_index(at).min(count - 2);
        (below, at - below as f64)
    }

    /// The tone of a press; beside a silent press, that of the nearest point.
    fn tone(&self, force: f64, rise: f64) -> Tone {
        let ((i, right), (j, up)) = (Self::place(FORCES, force), Self::place(RISES, rise));
        let at = |i: usize, j: usize| self.tones[j * FORCES.2 + i];
        let corners = [at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)];
        if corners.contains(&SILENT) {
            return at(i + usize::from(right >= 0.5), j + usize::from(up >= 0.5));
        }
        [0, 1].map(|of| {
            let row = |a: Tone, b: Tone| a[of] + right * (b[of] - a[of]);
            let [low, high] = [row(corners[0], corners[1]), row(corners[2], corners[3])];
            low + up * (high - low)
        })
    }

    /// The least force, N, of a press at `rise` that reaches `speed`.
    fn force(&self, speed: f64, rise: f64) -> Option<f64> {
        let fine = (FORCES.0, FORCES.1, 20 * (FORCES.2 - 1) + 1);
        grid(fine).into_iter().find(|force| self.tone(*force, rise)[0] >= speed)
    }

    /// Shares of the presses around an aim that reach the `goal`, and of silent ones.
    fn success(&self, [force, rise]: [f64; 2], goal: &Goal) -> [f64; 2] {
        let Goal { speed, noise, factor, time } = *goal;
        let [_, meant] = self.tone(force, rise);
        let (mut sum, mut found, mut silent) = (0.0, 0.0, 0.0);
        for i in -40..=40 {
            for j in -40..=40 {
                let [a, b] = [i, j].map(|k| 0.1 * f64::from(k));
                let weight = libm::exp(-0.5 * (a * a + b * b));
                let got = self.tone(force * libm::exp(noise * a), rise * libm::exp(noise * b));
                let is_near = (speed / factor..=speed * factor).contains(&got[0])
                    && (got[1] - meant).abs() <= time;
                sum += weight;
                found += if is_near { weight } else { 0.0 };
                silent += if got == SILENT { weight } else { 0.0 };
            }
        }
        [found / sum, silent / sum]
    }

    /// Growth of ln v with ln F and with ln τ at an aim.
    fn gradient(&self, [force, rise]: [f64; 2]) -> [f64; 2] {
        let up = libm::exp(0.05);
        let log = |a: f64, b: f64| libm::log(self.tone(a, b)[0]);
        [
            log(force * up, rise) - log(force / up, rise),
            log(force, rise * up) - log(force, rise / up),
        ]
        .map(|change| change / 0.1)
    }
}

/// Simulates all presses on a key: the hammer's tones, and those of the switches.
fn presses(fresh: impl Fn() -> Box<dyn Key> + Sync, share: f64) -> [Vec<Tone>; 2] {
    let of_rise = |rise: &f64| {
        let rest = fresh();
        let tone = |force| on_key(&*rest, force, *rise, share);
        grid(FORCES).into_iter().map(tone).collect::<Vec<_>>()
    };
    let found = parallel::map(&grid(RISES), of_rise).concat();
    [0, 1].map(|i| found.iter().map(|tones| tones[i]).collect())
}

/// Tones of [`SPRING_KEY`].
fn spring() -> Map {
    let row = |rise: f64| grid(FORCES).into_iter().map(move |force| on_spring(force, rise));
    let tones = grid(RISES).into_iter().flat_map(row).collect();
    Map { name: SPRING.into(), tones }
}

/// The maps of the experiment, with their columns in the table.
fn maps() -> Result<([Map; 4], [&'static str; 4])> {
    let key = KeyNumber::from_number(40).context("no key 40")?;
    let settings = ActionSettings::default();
    let on = |kind| presses(|| played(kind, key, &settings), 1.0);
    let [[grand, switches], [viennese, _]] = [ActionKind::Grand, ActionKind::Viennese].map(on);
    let maps = [
        Map { name: GRAND.into(), tones: grand },
        Map { name: "fortepiano".into(), tones: viennese },
        Map { name: "grand, two switches".into(), tones: switches },
        spring(),
    ];
    Ok((maps, ["grand", "fortepiano", "grand_switches", "spring_switches"]))
}

/// An aim: force, N, rise time, s, and the shares of its presses that succeed and that are silent.
type Aim = ([f64; 2], [f64; 2]);

/// The name of a map, its best aim, and the success of its worst.
type BestAim<'a> = (&'a str, Aim, f64);

/// The aims of a map with their success, in order of their rise times.
fn aims(map: &Map, goal: &Goal) -> Vec<Aim> {
    let aim = |rise: f64| {
        let at = [map.force(goal.speed, rise)?, rise];
        Some((at, map.success(at, goal)))
    };
    grid(AIMS).into_iter().filter_map(aim).collect()
}

/// Runs the experiment.
pub fn run(folder: &mut Folder, numbers: &Numbers) -> Result<Report> {
    let mut report = Report::default();
    let [speed, noise, factor, time] =
        ["speed", "noise", "factor", "time"].map(|id| numbers.get(id));
    let goal = Goal { speed, noise, factor, time };
    let (maps, columns) = maps()?;
    let best_of = search(folder, &mut report, &goal, (&maps, 1.0), &columns)?;
    if numbers.changed().is_none() {
        rows(&mut report, &best_of);
    }
    Ok(report)
}

/// The search on a key of a mechanism from a file, beside switches in the same shares of its dip and the key without action.
pub fn of_mechanism(folder: &mut Folder, keys: &KeySource) -> Result<Report> {
    let mut report = Report::default();
    let Some(file) = keys.mechanism() else { return Ok(report) };
    let key = touchback_offline::bench::key(keys.one(40).into())?;
    let rest = file.key(key);
    let share = super::energy::dip(&*rest) / 0.01;
    let name = file.title();
    if on_key(&*rest, FORCES.1, RISES.0, share)[0] == SILENT {
        bail!("{name}: pianissimo searches the speed of a hammer, and none strikes");
    }
    let [hammer, switches] = presses(|| file.key(key), share);
    let maps = [
        Map { name: name.to_owned(), tones: hammer },
        Map { name: format!("{name}, two switches"), tones: switches },
        spring(),
    ];
    let [speed, noise, factor, time] = NUMBERS.each_ref().map(|number| number.usual);
    let goal = Goal { speed, noise, factor, time };
    let columns = ["mechanism", "mechanism_switches", "spring_switches"];
    search(folder, &mut report, &goal, (&maps, share), &columns)?;
    Ok(report)
}

/// Searches the best aim of each map, and writes tables, notes and figures; `columns` names the maps in the table, whose
/// switches are at the depths of a key with `share` of a dip of 10 mm.
fn search<'a>(
    folder: &mut Folder,
    report: &mut Report,
    goal: &Goal,
    (maps, share): (&'a [Map], f64),
    columns: &[&str],
) -> Result<Vec<BestAim<'a>>> {
    let Goal { speed, noise, factor, time } = *goal;
    let mut table = DataTable::new(&["force_n", "rise_s"]);
    for unit in ["m_s", "s"] {
        columns.iter().for_each(|name| table.column(&format!("{name}_{unit}")));
    }
    for (j, rise) in grid(RISES).iter().enumerate() {
        for (i, force) in grid(FORCES).iter().enumerate() {
            let at = |of: usize| maps.iter().map(move |map| map.tones[j * FORCES.2 + i][of]);
            let cells: Vec<f64> = std::iter::once(*rise).chain(at(0)).chain(at(1)).collect();
            table.numbers(force, &cells);
        }
    }
    folder.table("pianissimo-map.csv", &table)?;
    let mut csv = DataTable::new(&[
        "key",
        "force_n",
        "rise_s",
        "time_s",
        "growth_with_force",
        "growth_with_rise",
        "success",
        "silent",
    ]);
    let (mut over_rise, mut over_noise, mut best_of) = (Vec::new(), Vec::new(), Vec::new());
    let mut lines = Vec::new();
    for (i, map) in maps.iter().enumerate() {
        let found = aims(map, goal);
        for (at, [share, silent]) in &found {
            let ([by_force, by_rise], [_, when]) = (map.gradient(*at), map.tone(at[0], at[1]));
            csv.row(&[&map.name, &at[0], &at[1], &when, &by_force, &by_rise, share, silent]);
        }
        let points = found.iter().map(|(at, [share, _])| (1e3 * at[1], 100.0 * share)).collect();
        over_rise.push(Series::line(&map.name, points, palette(i)));
        let Some(best) = found.iter().copied().max_by(|a, b| a.1[0].total_cmp(&b.1[0])) else {
            report.note(&format!("{}: no press reaches {speed} m/s.", map.name));
            continue;
        };
        let of_noise =
            |noise: f64| (100.0 * noise, 100.0 * map.success(best.0, &Goal { noise, ..*goal })[0]);
        over_noise.push(Series::line(&map.name, NOISES.map(of_noise).into(), palette(i)));
        let worst = found.iter().map(|aim| aim.1[0]).fold(1.0, f64::min);
        let [by_force, by_rise] = map.gradient(best.0);
        lines.push(format!(
            "| {} | {} | {} | {} | {:.0} | {:.0} | {by_force:.2} | {by_rise:.2} |",
            map.name,
            short(best.0[0]),
            short(1e3 * best.0[1]),
            short(1e3 * map.tone(best.0[0], best.0[1])[1]),
            100.0 * best.1[0],
            100.0 * worst
        ));
        best_of.push((map.name.as_str(), best, worst));
    }
    folder.table("pianissimo.csv", &csv)?;
    report.note(&format!(
        "| key | best force, N | best rise time, ms | tone after, ms | success, % | worst aim, % | growth of ln v with ln F | with ln τ |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n{}",
        lines.join("\n")
    ));
    report.note(&format!(
        "Aim: {speed} m/s of the hammer, {} m/s of the key between switches at {} and {} mm; success: within a factor of \
         {factor} and {} ms; force and rise time vary by {} %. The hand is that of pressed touch.",
        short(speed / RATIO),
        short(4.0 * share),
        short(8.0 * share),
        short(1e3 * time),
        short(100.0 * noise)
    ));
    let panel = |label: &str, series| Subplot::new(Axis::new(label), series);
    let figures = [
        (
            "pianissimo",
            format!(
                "Presses within {factor} × of {speed} m/s and {} ms, noise {} %",
                short(1e3 * time),
                short(100.0 * noise)
            ),
            "rise time of the muscle, ms",
            over_rise,
        ),
        (
            "pianissimo-noise",
            "The best press of each key under growing noise".to_owned(),
            "noise of force and rise time, %",
            over_noise,
        ),
    ];
    for (name, title, x, series) in figures {
        let figure = Figure {
            title,
            x: Axis::new(x).log(),
            bands: Vec::new(),
            marks: Vec::new(),
            panels: vec![panel("success, %", series)],
        };
        folder.draw(name, &figure, report)?;
    }
    Ok(best_of)
}

/// The rows: best and worst aims, and the keys among each other.
fn rows(report: &mut Report, best_of: &[BestAim<'_>]) {
    report.source("000 §§2.1.3, 2.5.1");
    for (name, best, worst) in best_of {
        let quantity = format!("{name}: success of the best aim over that of the worst");
        report.check(&quantity, "the choice counts", TargetBand::AtLeast(1.05), best.1[0] / worst);
    }
    let of = |name: &str| best_of.iter().find(|best| best.0 == name).map(|best| best.1);
    if let (Some(grand), Some(spring)) = (of(GRAND), of(SPRING)) {
        let quantity = "rise time of the best press, grand over spring key";
        let ratio = grand.0[1] / spring.0[1];
        report.check(quantity, "technique does not carry over", TargetBand::AtLeast(1.2), ratio);
        let quantity = "success of the best press, grand over spring key";
        report.check(
            quantity,
            "less: let-off is near",
            TargetBand::Within(0.8, 1.0),
            grand.1[0] / spring.1[0],
        );
    }
}
