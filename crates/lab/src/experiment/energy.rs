//! `energy`: work in = stored + dissipated, line by line, on every gesture.
//!
//! The action integrates the work of its drive and its heat as two more states, with the same method as
//! the motion; impacts of the jack are added when they occur. The residual is the integration error.
//! Moving an adjusting screw does work too: the change of stored energy when the screw moves, on a line of
//! its own.

mod halving;
mod order;

use anyhow::Result;

use touchback_action::interface::slew::Slew;
use touchback_action::{ActionSettings, Drive, Key, STEP};
use touchback_core::math::compass::KeyNumber;
use touchback_offline::bench::any_bench::AnyBench;
use touchback_offline::bench::driven::Driven as _;
use touchback_offline::bench::strokes::TouchKind;
use touchback_offline::bench::test_bench::motion;
use touchback_offline::bench::{DataTable, Folder, KeySource, Report, TargetBand, short};
use touchback_offline::gesture::{Form, Gesture};
use touchback_offline::plot::{Axis, Figure, Series, Subplot, palette};

/// Keys of the audit.
const KEYS: [u8; 3] = [4, 40, 71];

/// The lines of an audit, J, since the start.
#[derive(Clone, Copy, Default, Debug)]
struct AuditLine {
    time: f64,
    stored: f64,
    work: f64,
    dissipated: f64,
    screws: f64,
}

/// One gesture's audit.
#[derive(Default, Debug)]
struct Audit {
    lines: Vec<AuditLine>,
    screws: f64,
    start: Option<f64>,
}

impl Audit {
    fn take(&mut self, rig: &AnyBench, drive: Drive) {
        let r = rig.read(drive);
        let energy = r.kinetic + r.potential;
        let start = *self.start.get_or_insert(energy + r.dissipated - r.work - self.screws);
        self.lines.push(AuditLine {
            time: rig.now(),
            stored: energy - start,
            work: r.work,
            dissipated: r.dissipated,
            screws: self.screws,
        });
    }

    /// Changes the regulation and adds the work of the screws.
    fn turn(&mut self, rig: &mut AnyBench, settings: &ActionSettings) {
        let before = rig.energy();
        rig.key_mut().regulate(settings);
        self.screws += rig.energy() - before;
    }

    /// Largest residual relative to the largest work of hand and screws.
    fn unaccounted(&self) -> f64 {
        let (mut worst, mut largest) = (0.0f64, 0.0f64);
        for l in &self.lines {
            worst = worst.max((l.stored + l.dissipated - l.work - l.screws).abs());
            largest = largest.max(l.work.abs() + l.screws.abs());
        }
        worst / largest
    }
}

/// A pressed stroke, held and released.
fn pressed(rig: &mut AnyBench) -> Audit {
    let mut audit = Audit::default();
    audit.take(rig, Drive::Free);
    let press = Form::PressedEvenly {
        speed_m_s: 0.2,
        duration_s: 0.3,
        depth_m: 0.016,
        damping_n_s_m: None,
    };
    let mut gesture =
        Gesture::of_forms(vec![press, Form::Release { duration_s: 0.3, speed_m_s: None }]);
    rig.play(&mut gesture, |rig, drive| {
        audit.take(rig, drive);
        true
    });
    audit
}

/// A struck fortissimo.
fn struck(rig: &mut AnyBench) -> Audit {
    let mut audit = Audit::default();
    audit.take(rig, Drive::Free);
    rig.play(&mut TouchKind::Struck.gesture(2.0), |rig, drive| {
        audit.take(rig, drive);
        rig.now() < 0.3
    });
    audit
}

/// The key's dip, m; of a key that does not say, a grand's.
pub(super) fn dip(key: &dyn Key) -> f64 {
    key.travel().map_or(0.01, |travel| travel.dip)
}

/// A trill of 8 strokes per second by imposed motion.
fn trilled(rig: &mut AnyBench) -> Audit {
    let mut audit = Audit::default();
    audit.take(rig, Drive::Free);
    let dip = dip(rig.key());
    let mut path = vec![(0.0, 0.0)];
    for stroke in 0..6u32 {
        let t = 0.125 * f64::from(stroke);
        path.extend([(t + 0.04, 0.35 * dip), (t + 0.06, dip), (t + 0.09, dip), (t + 0.12, 0.0)]);
    }
    rig.run(0.8, motion(&path), |rig, drive| {
        audit.take(rig, drive);
        true
    });
    audit
}

/// A held key while blow distance, drop and let-off are slewed as in the keyboard.
fn turned(rig: &mut AnyBench, key: KeyNumber, from: &ActionSettings) -> Audit {
    let mut audit = Audit::default();
    audit.take(rig, Drive::Free);
    let other = ActionSettings {
        blow_mm: 44.0,
        let_off_mm: 2.5,
        drop_mm: 3.0,
        check_mm: 13.0,
        ..from.clone()
    };
    let mut slew = Slew::new(from);
    let hold = |t: f64| (0.25 * t).min(0.016);
    let mut begun = 0u64;
    while rig.now() < 0.5 {
        if begun == 1000 {
            slew.aim(&other, begun);
        }
        begun += 1;
        if slew.is_changing(begun) {
            audit.turn(rig, &slew.of(key, begun));
        }
        let drive = Drive::Finger([hold(rig.now()), hold(rig.now() + STEP)]);
        rig.step(drive);
        audit.take(rig, drive);
    }
    audit
}

/// Largest rise of the energy of a free key from one step to the next, J.
fn rises(rig: &mut AnyBench) -> f64 {
    let press = [(0.0, 0.0), (0.05, 0.016)];
    let finger = |t: f64| touchback_core::math::compass::linear(&press, t);
    rig.run(0.052, |a, b| Drive::Finger([finger(a), finger(b)]), |_, _| true);
    let mut last = rig.energy();
    let mut most = 0.0f64;
    rig.run(
        0.4,
        |_, _| Drive::Free,
        |rig, _| {
            let now = rig.energy();
            most = most.max(now - last);
            last = now;
            true
        },
    );
    most
}

/// Name of a gesture, and its audit on a key at rest.
type Gesturing<'a> = (&'static str, Box<dyn Fn(&mut AnyBench, KeyNumber) -> Audit + 'a>);

/// Audits every gesture on every key.
pub fn run(folder: &mut Folder, keys: &KeySource) -> Result<Report> {
    let mut report = Report::default();
    let mut gestures: Vec<Gesturing<'_>> = vec![
        ("pressed, held, let go", Box::new(|rig, _| pressed(rig))),
        ("struck fortissimo", Box::new(|rig, _| struck(rig))),
        ("trill by imposed motion", Box::new(|rig, _| trilled(rig))),
    ];
    // A model file and a mechanism have no regulation to change.
    if let (Some(settings), None) = (keys.action(), keys.mechanism()) {
        gestures.push(("held while screws turn", Box::new(|rig, key| turned(rig, key, settings))));
    }
    let numbers = keys.numbers(&KEYS);
    let mut csv = DataTable::new(&[
        "gesture",
        "key",
        "time_s",
        "stored_j",
        "dissipated_j",
        "work_j",
        "screws_j",
    ]);
    let mut shown = None;
    for (name, gesture) in gestures {
        for &number in &numbers {
            let mut rig = keys.any(number);
            let Some(key) = KeyNumber::from_number(number) else { continue };
            let audit = gesture(&mut rig, key);
            let what = format!("unaccounted energy over work, {name}, key {number}");
            report.check(&what, "0 (aim 1e-4)", TargetBand::AtMost(1e-3), audit.unaccounted());
            report.id(&["unaccounted", name, &format!("key {number}")]);
            for l in audit.lines.iter().step_by(8) {
                let AuditLine { time, stored, work, dissipated, screws } = l;
                csv.row(&[&name, &number, time, stored, dissipated, work, screws]);
            }
            if number == keys.one(40) && shown.is_none() {
                shown = Some(audit);
            }
        }
    }
    // Keys of a mechanism may be as light as a harpsichord's.
    let least = if keys.mechanism().is_some() { 1e-5 } else { 1e-3 };
    for number in numbers {
        let mut rig = keys.any(number);
        let most = rises(&mut rig);
        let what = format!("largest rise of a free key's energy in a step, key {number}, J");
        report.check(&what, "≤ 0", TargetBand::AtMost(1e-7), most);
        let heat = rig.read(Drive::Free).dissipated;
        let what = format!("energy that key dissipates meanwhile, key {number}, J");
        report.check(&what, "> 0", TargetBand::AtLeast(least), heat);
    }
    if keys.own_numbers().is_none() {
        order::check(&mut report);
        halving::check(&mut report);
    }
    folder.table("energy.csv", &csv)?;
    let mut pressed = 0.0;
    if let Some(audit) = shown {
        pressed = audit.lines.iter().map(|l| l.work).fold(0.0, f64::max);
        folder.draw("energy", &figure(&audit, &keys.name(40)), &mut report)?;
    }
    report.note(&format!(
        "The pressed stroke of {} takes {} mJ from the finger.",
        keys.name(40),
        short(1e3 * pressed)
    ));
    Ok(report)
}

fn figure(audit: &Audit, name: &str) -> Figure {
    let line = |name: &str, colour: usize, pick: &dyn Fn(&AuditLine) -> f64| {
        let points = audit.lines.iter().map(|l| (l.time * 1e3, 1e3 * pick(l))).collect();
        Series::line(name, points, palette(colour))
    };
    let lost = |l: &AuditLine| 1e3 * (l.stored + l.dissipated - l.work - l.screws);
    Figure {
        title: format!("Energy of a pressed stroke, {name}"),
        x: Axis::new("time, ms"),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![
            Subplot::new(
                Axis::new("energy, mJ"),
                vec![
                    line("work in", 0, &|l| l.work),
                    line("stored", 1, &|l| l.stored),
                    line("dissipated", 2, &|l| l.dissipated),
                ],
            ),
            Subplot::new(Axis::new("unaccounted energy, µJ"), vec![line("unaccounted", 3, &lost)]),
        ],
    }
}
