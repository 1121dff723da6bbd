//! `control`: until when a finger controls the hammer, and until when it feels it [Gillespie 1996, §2.6].
//!
//! Controllability: a short push is added to a press at one moment; the change of the hammer's speed at the string, over the
//! push's impulse. Observability: the motion of the press is imposed on a key with a heavier hammer; the change of the
//! force at the key, over the share of the mass. Both end with the jack's slip from the knuckle.

use anyhow::{Context, Result};

use touchback_action::{ActionKind, ActionSettings, Drive, EventKind, Key, KeyEvent, STEP};
use touchback_models::catalogue::rendered;
use touchback_offline::bench::{DataTable, Folder, KeySource, Report, TargetBand, short};
use touchback_offline::plot::{Axis, Figure, PlotMark, Series, Subplot, palette};

/// Force of the press, N, and the longest press, action steps.
const FORCE: f64 = 4.0;
const LONGEST: u32 = 4000;

/// Force of the push, N, and its length and the distance of pushes, action steps.
const PUSH: f64 = 0.4;
const LENGTH: u32 = 8;

/// Share by which the hammer is heavier.
const HEAVIER: f64 = 0.02;

/// Parameter of a mechanism from a file that makes its hammer heavier.
const MASS: &str = "hammer_mass";

/// Values over time, s.
type Curve = Vec<(f64, f64)>;

/// A press up to the strike.
#[derive(Clone, Default)]
struct Press {
    /// Depth, m, and speed, m/s, of the key's front before the first step and after each.
    fronts: Vec<[f64; 2]>,
    /// Force at the front in each step, N.
    forces: Vec<f64>,
    /// Times of let-off's beginning, of the jack's slip and of the strike, s.
    times: [Option<f64>; 3],
    /// Speed of the strike, m/s.
    speed: f64,
}

/// Presses `key` by `drive`, which gets the number of the step.
fn press(mut key: Box<dyn Key>, drive: impl Fn(u32) -> Option<Drive>) -> Press {
    let mut press = Press { fronts: vec![key.front()], ..Press::default() };
    for step in 0..LONGEST {
        let Some(drive) = drive(step).filter(|_| press.times[2].is_none()) else { break };
        key.step(drive, &mut |offset, event: KeyEvent| {
            let at = match event.kind() {
                EventKind::LetOffStart => 0,
                EventKind::Release => 1,
                EventKind::Strike => 2,
                _ => return,
            };
            if press.times[at].is_none() {
                press.times[at] = Some(f64::from(step) * STEP + offset);
                press.speed = event.value();
            }
        });
        press.fronts.push(key.front());
        press.forces.push(key.readout(drive).key_force);
    }
    press
}

/// A key to measure: its name, one as it is, and one with a heavier hammer, if it has one.
struct Subject<'a> {
    name: &'a str,
    /// An action whose rows are compared with their targets; others are only told.
    kind: Option<ActionKind>,
    usual: &'a dyn Fn() -> Box<dyn Key>,
    heavier: Option<&'a dyn Fn() -> Box<dyn Key>>,
}

/// Rows and curves of one key: change of the strike's speed by a push, m/s per N·s, and of the force by the
/// hammer's mass, N, over time, s.
fn measure(report: &mut Report, subject: &Subject<'_>) -> Result<(Press, [Curve; 2])> {
    let Subject { name, kind, usual, heavier } = *subject;
    let of = |push: Option<u32>| {
        press(usual(), |step| {
            let is_pushed = push.is_some_and(|at| (at..at + LENGTH).contains(&step));
            Some(Drive::Force([FORCE + if is_pushed { PUSH } else { 0.0 }; 2]))
        })
    };
    let plain = of(None);
    let [_, slip, strike] = plain.times;
    let strike = strike.with_context(|| {
        format!("{name}: control compares the speeds of a hammer, and none strikes under {FORCE} N")
    })?;
    // A hammer that nothing releases is driven up to the string.
    let slip = slip.filter(|slip| *slip < strike).unwrap_or(strike);
    let impulse = PUSH * f64::from(LENGTH) * STEP;
    let starts = (0..).step_by(8).take_while(|at| f64::from(at + LENGTH) * STEP < strike);
    let control: Curve = starts
        .map(|at| {
            let middle = (f64::from(at) + 0.5 * f64::from(LENGTH)) * STEP;
            (middle, (of(Some(at)).speed - plain.speed) / impulse)
        })
        .collect();
    let impose = |key: Box<dyn Key>| {
        press(key, |step| {
            let at = usize::try_from(step).ok()?;
            Some(Drive::between(*plain.fronts.get(at)?, *plain.fronts.get(at + 1)?))
        })
    };
    let felt = heavier.map_or_else(Curve::new, |heavier| {
        let [light, heavy] = [usual(), heavier()].map(impose);
        (0u32..)
            .zip(light.forces.iter().zip(&heavy.forces))
            .map(|(step, (light, heavy))| (f64::from(step) * STEP, (heavy - light) / HEAVIER))
            .collect()
    });
    let most = |of: &[(f64, f64)], from: f64, to: f64| {
        of.iter().filter(|p| (from..to).contains(&p.0)).fold(0.0f64, |most, p| most.max(p.1.abs()))
    };
    // Pushes that straddle the slip are left out, and contacts that move by steps.
    let apart = f64::from(LENGTH) * STEP;
    let [before, after] = [most(&control, 0.0, slip), most(&control, slip + apart, strike)];
    // The hammer gains the push's work, so that a push counts in proportion to the key's speed.
    let share = |time: f64| {
        let at = touchback_core::math::cast::floor_index(time / STEP);
        let point = control.iter().min_by(|a, b| (a.0 - time).abs().total_cmp(&(b.0 - time).abs()));
        point.map_or(f64::NAN, |p| p.1) / plain.fronts[at][1]
    };
    if kind.is_some() {
        let quantity = format!(
            "{name}: speed by a push over the key's speed, at a third over two thirds of the way"
        );
        let ratio = share(slip / 3.0) / share(slip / 1.5);
        report.check(&quantity, "1", TargetBand::Within(0.7, 1.4), ratio);
    }
    if kind == Some(ActionKind::Grand) {
        let quantity = "grand: speed by a push after the slip over that before it, largest";
        report.check(quantity, "0", TargetBand::AtMost(0.01), after / before);
    }
    let [what, then, way] = match kind {
        Some(_) => ["the jack slips", "slip", ", by way of the lever"],
        None => ["the hammer is released", "release", ""],
    };
    report.note(&format!(
        "{name}, pressed by {FORCE} N: {what} {} ms before the strike; a push of 1 mN·s changes the strike by up to \
         {} mm/s of {} m/s, after the {then} by up to {} mm/s{way}.",
        short(1e3 * (strike - slip)),
        short(before),
        short(plain.speed),
        short(after)
    ));
    if kind == Some(ActionKind::Grand) {
        let middle = most(&felt, 0.2 * slip, 0.9 * slip);
        let flight = most(&felt, slip + apart, strike - apart);
        let quantity = "grand: force by the hammer's mass in its flight over that before the slip";
        report.check(quantity, "0", TargetBand::AtMost(0.02), flight / middle);
    }
    Ok((plain, [control, felt]))
}

/// Runs the experiment.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    report.source("000 §2.6 (as simulation)");
    let key = touchback_offline::bench::key(40)?;
    let light = ActionSettings::default();
    let heavy =
        ActionSettings { hammer_mass: light.hammer_mass * (1.0 + HEAVIER), ..light.clone() };
    let mut csv = DataTable::new(&["action", "quantity", "time_s", "value"]);
    for kind in [ActionKind::Grand, ActionKind::Thesis] {
        let subject = Subject {
            name: kind.name(),
            kind: Some(kind),
            usual: &|| rendered(kind, key, &light),
            heavier: Some(&|| rendered(kind, key, &heavy)),
        };
        draw(folder, &mut report, &mut csv, &subject, kind.name())?;
    }
    folder.table("control.csv", &csv)?;
    Ok(report)
}

/// The same on a key of a mechanism from a file; its hammer is heavier by a parameter `hammer_mass`, if it has one.
pub fn of_mechanism(folder: &mut Folder, keys: &KeySource) -> Result<Report> {
    let mut report = Report::default();
    let Some(file) = keys.mechanism() else { return Ok(report) };
    let key = touchback_offline::bench::key(keys.one(40).into())?;
    let mass = file.parameters().iter().zip(file.values()).find(|(p, _)| p.id == MASS);
    let heavier = match mass {
        Some((p, mass)) if mass * (1.0 + HEAVIER) <= p.max => {
            Some(file.with(MASS, mass * (1.0 + HEAVIER)).map_err(anyhow::Error::msg)?)
        }
        _ => {
            report.note(&format!(
                "Without a parameter `{MASS}` that can rise, what the finger feels is not shown."
            ));
            None
        }
    };
    let heavy = heavier.as_ref().map(|file| move || file.key(key));
    let subject = Subject {
        name: file.title(),
        kind: None,
        usual: &|| file.key(key),
        heavier: heavy.as_ref().map(|heavy| heavy as &dyn Fn() -> Box<dyn Key>),
    };
    let mut csv = DataTable::new(&["action", "quantity", "time_s", "value"]);
    draw(folder, &mut report, &mut csv, &subject, "mechanism")?;
    folder.table("control.csv", &csv)?;
    Ok(report)
}

/// Measures `subject`, appends to `csv`, and draws the figure of the name `file`.
fn draw(
    folder: &mut Folder,
    report: &mut Report,
    csv: &mut DataTable,
    subject: &Subject<'_>,
    file: &str,
) -> Result<()> {
    let (press, [control, felt]) = measure(report, subject)?;
    for (quantity, curve) in [("m/s per N·s", &control), ("N", &felt)] {
        for (time, value) in curve {
            csv.row(&[&subject.name, &quantity, time, value]);
        }
    }
    let released = if subject.kind.is_some() { "the jack slips" } else { "release" };
    let names = ["let-off begins", released, "strike"];
    let marks =
        press.times.iter().zip(names).filter_map(|(time, name)| {
            time.map(|time| PlotMark { at: 1e3 * time, name: name.into() })
        });
    let ms = |curve: Curve| curve.into_iter().map(|(t, y)| (1e3 * t, y)).collect();
    let mut panels = vec![Subplot::new(
        Axis::new("m/s per N·s"),
        vec![Series::line("strike's speed by a push", ms(control), palette(0))],
    )];
    if subject.kind != Some(ActionKind::Thesis) && !felt.is_empty() {
        let line = Series::line("force by the hammer's mass", ms(felt), palette(1));
        panels.push(Subplot::new(Axis::new("N"), vec![line]));
    }
    let figure = Figure {
        title: format!("Until when a finger controls and feels the hammer: {}", subject.name),
        x: Axis::new("time, ms"),
        bands: Vec::new(),
        marks: marks.collect(),
        panels,
    };
    folder.draw(&format!("control-{file}"), &figure, report)
}
