//! `state-graphs`: every transition of the actions' finite state machines under a random finger, and the
//! jumps of positions at transitions.
//!
//! [Gillespie 1996, figs. 3.2, 3.4, 3.9, tables 3.1, 3.2]. The finger's target moves linearly between
//! random depths, so that keys reverse everywhere in their travel.

mod drawn;

use anyhow::Result;
use std::collections::BTreeMap;
use touchback_core::exchange::cancel;

use touchback_action::grand::design::concert::Built;
use touchback_action::grand::design::thesis;
use touchback_action::grand::equations::drive::DriveNow;
use touchback_action::grand::equations::kinematics::Kinematics;
use touchback_action::grand::{Assembly, Phase, STATES, Spec, equations::step, key::rest};
use touchback_action::simple::drive_input::DriveInput;
use touchback_action::simple::note_interface::Playing;
use touchback_action::simple::{ActionKey, SimpleAction, harpsichord, simplified};
use touchback_action::{Drive, Key, STEP};
use touchback_core::episode::{Observer, Stepper};
use touchback_core::math::compass::linear;
use touchback_core::math::random::Random;
use touchback_offline::bench::{DataTable, Folder, KeySource, Report, TargetBand};
use touchback_offline::plot::{self, Axis, Figure, Series, Subplot, palette};

/// Length of a random run, s.
const SECONDS: f64 = 60.0;
/// Number of runs of the grand, whose rarest transition occurs a few times per minute.
const GRAND_RUNS: u64 = 5;
/// Range of the finger's target depth, m, and of the time of each move, s.
const DEPTHS: (f64, f64) = (-4e-3, 18e-3);
const TIMES: (f64, f64) = (0.01, 0.2);

/// Targets of the random finger: time, s, and depth, m.
pub(super) fn random_targets(seed: u64) -> Vec<(f64, f64)> {
    let mut random = Random::new(seed);
    let mut between = |(low, high): (f64, f64)| low + (high - low) * random.share();
    let mut points = vec![(0.0, 0.0)];
    while points.last().is_some_and(|p| p.0 < SECONDS) {
        let time = points.last().map_or(0.0, |p| p.0) + between(TIMES);
        points.push((time, between(DEPTHS)));
    }
    points
}

/// The drive of every action step along `points`.
pub(super) fn drives(points: &[(f64, f64)], seconds: f64) -> impl Iterator<Item = Drive> + '_ {
    let steps = touchback_core::math::cast::floor_index(seconds / STEP);
    let mut near = 0;
    (0..steps).map(move |i| {
        let t = i as f64 * STEP;
        while near + 2 < points.len() && points[near + 1].0 <= t {
            near += 1;
        }
        let local = &points[near..(near + 3).min(points.len())];
        Drive::Finger([linear(local, t), linear(local, t + STEP)])
    })
}

/// Transitions by source and destination, with their number and the largest jump, m.
#[derive(Default)]
struct GraphResult {
    taken: BTreeMap<(&'static str, &'static str), u32>,
    jump: f64,
}

/// Counts transitions and jumps of a run.
struct Watch<P, F> {
    name: fn(P) -> &'static str,
    /// Jump of the positions at a transition, m.
    moved: F,
    found: GraphResult,
}

impl<P, F, const N: usize> Observer<P, N> for Watch<P, F>
where
    P: Copy,
    F: Fn(P, P, &[f64; N], &[f64; N]) -> f64,
{
    fn transition(&mut self, _: f64, from: P, to: P, before: &[f64; N], after: &[f64; N]) {
        let ends = ((self.name)(from), (self.name)(to));
        *self.found.taken.entry(ends).or_default() += 1;
        self.found.jump = self.found.jump.max((self.moved)(from, to, before, after));
    }
    fn guard(&mut self, _: f64, _: usize, _: bool, _: &[f64; N]) {}
}

/// Adds the rows of one machine.
fn rows(
    report: &mut Report,
    csv: &mut DataTable,
    machine: &str,
    found: &GraphResult,
    graph: &[(&str, &str)],
) {
    for (from, to) in graph {
        // Counts are in the file only, because they depend on the last bit of every run.
        let is_taken = found.taken.contains_key(&(*from, *to));
        report.holds(&format!("{machine}: {from} → {to} taken"), is_taken);
    }
    let is_known = |ends: &&(&str, &str)| graph.contains(ends) || **ends == RARE;
    let unknown = found.taken.keys().filter(|ends| !is_known(ends)).count();
    let quantity = format!("{machine}: transitions that the graph does not have");
    report.check(&quantity, "0", TargetBand::AtMost(0.0), unknown as f64);
    let quantity = format!("{machine}: largest jump of a constrained point at a transition, m");
    report.check(&quantity, "0", TargetBand::AtMost(1e-9), found.jump);
    for ((from, to), count) in &found.taken {
        csv.row(&[&machine, from, to, count]);
    }
}

/// Jump of the jack's head, whose sliders carry over from submodel to submodel.
fn head_moves(
    spec: &Spec,
    from: Phase,
    to: Phase,
    before: &[f64; STATES],
    after: &[f64; STATES],
) -> f64 {
    // A jack released from the flank returns to its stop or to the button: this jump is part of the model.
    if from == Phase::Flank && to != Phase::Wedge {
        return 0.0;
    }
    let head = |phase, x| {
        let k = Kinematics::new(spec, phase, x);
        k.to_jack + k.head.axis * spec.jack.length
    };
    (head(from, before) - head(to, after)).norm_squared().sqrt()
}

/// The jack returns at the instant at which the knuckle comes down: possible, but not observed.
const RARE: (&str, &str) = ("E", "A");

/// Transitions of the printed graph [Gillespie 1996, fig. 3.9, table 3.2].
const PRINTED: [(&str, &str); 5] = [("A", "B"), ("B", "A"), ("B", "C"), ("C", "D"), ("D", "A")];

/// Transitions of an action whose hammer leaves the jack early, falls back, or comes down on an unset jack.
const ADDED: [(&str, &str); 3] = [("A", "D"), ("C", "B"), ("D", "C")];

/// Transitions with a straight knuckle: the jack's head on its side, F with the toe on the button, E without.
const STRAIGHT: [(&str, &str); 6] =
    [("C", "F"), ("F", "C"), ("F", "E"), ("E", "F"), ("E", "C"), ("E", "D")];

/// Transitions to and from E with a round knuckle, along which the head slides.
const ROUND: [(&str, &str); 4] = [("C", "E"), ("B", "E"), ("E", "B"), ("E", "C")];

/// Runs the grand's machine; `name` is that of the key in the rows.
fn grand(report: &mut Report, csv: &mut DataTable, name: &str, built: &Built) {
    let spec = built.spec;
    let parts = Assembly::new(*built);
    let mut running = parts.rest();
    let moved = |from, to, before: &[f64; STATES], after: &[f64; STATES]| {
        head_moves(&spec, from, to, before, after)
    };
    let mut seen = Watch { name: Phase::name, moved, found: GraphResult::default() };
    let stepper = step::stepper(&parts.grand, STEP);
    for seed in 1..=GRAND_RUNS {
        for drive in drives(&random_targets(seed), SECONDS) {
            cancel::check();
            let inputs = DriveNow::ends(drive, [rest::TRAY_DOWN; 2]);
            stepper.advance(&parts.grand, &mut running, &inputs, &mut seen);
        }
    }
    report.source("000 fig. 3.9, T3.1, T3.2; 001");
    let leaning: &[_] = if spec.is_rigid() { &STRAIGHT } else { &ROUND };
    rows(report, csv, name, &seen.found, &[&PRINTED[..], &ADDED, leaning].concat());
    report.erratum(
        "T3.1 has phase A with S1, S2 and C with S1, S3 active, and the text on C lets b8 act on S2: both call the \
         slider of jack and button S3 and that of jack and hammer S2, the other way round than the text on \
         coordinates. A: S1, S3 (q8 artificial), C: S1, S2 (q9)",
    );
    if spec.is_rigid() {
        let taken = &seen.found.taken;
        let most = taken.values().copied().max().unwrap_or(0);
        let quantity = format!("{name}: times of the most frequent transition in five minutes");
        report.check(&quantity, "no chatter", TargetBand::AtMost(1000.0), f64::from(most));
        report.note(&format!(
            "{name}: E and F, the jack caught beside the knuckle, are not in the source's graph, which lets the jack pass. \
             The source ends B where k4 is no longer compressed; the drag b8, which acts along q9, presses jack and hammer \
             together beyond that, so that B ends here where their contact no longer presses. {} transitions in five \
             minutes.",
            taken.values().sum::<u32>()
        ));
    } else if !seen.found.taken.contains_key(&RARE) {
        report.note(
            "Not observed in five minutes of random play: E → A, in which the jack returns at the \
             instant at which the knuckle comes down. E, the jack caught on the knuckle's flank, is \
             not in the source's graph.",
        );
    }
}

/// Runs the machine of a simple action under the random finger.
fn run_simple<M, const N: usize, const G: usize, const S: usize>(
    spec: &M,
    name: fn(M::Phase) -> &'static str,
    seed: u64,
) -> GraphResult
where
    M: SimpleAction<N, G, S>,
{
    // Key and hammer or jack, as lengths: positions must not jump.
    let moved = |_, _, before: &[f64; N], after: &[f64; N]| {
        (before[0] - after[0]).abs().max((before[2] - after[2]).abs())
    };
    let mut seen = Watch { name, moved, found: GraphResult::default() };
    let mut state = spec.rest();
    let stepper = Stepper::new(STEP);
    for drive in drives(&random_targets(seed), SECONDS) {
        cancel::check();
        stepper.advance(spec, &mut state, &DriveInput::ends(drive), &mut seen);
    }
    seen.found
}

/// A press and its release: time, s, and depth, m.
const PRESS: [(f64, f64); 4] = [(0.02, -1e-3), (0.12, 14e-3), (0.25, 14e-3), (0.35, -2e-3)];

/// Draws a press of a simple action with its submodels shaded.
fn draw<M, const N: usize, const G: usize, const S: usize>(
    folder: &mut Folder,
    report: &mut Report,
    file: &str,
    title: &str,
    [part, contact]: [&str; 2],
    spec: M,
) -> Result<()>
where
    M: Playing<N, G, S>,
{
    let mut key = ActionKey::new(spec);
    let mut curves: [Vec<(f64, f64)>; 4] = Default::default();
    let mut bands: Vec<plot::ShadedBand> = Vec::new();
    for (i, drive) in (1u32..).zip(drives(&PRESS, 0.45)) {
        cancel::check();
        key.step(drive, &mut |_, _| {});
        let (view, t) = (key.readout(drive), f64::from(i) * STEP * 1e3);
        let values = [view.key * 1e3, view.hammer * 1e3, view.key_force, view.contact_force];
        for (curve, value) in curves.iter_mut().zip(values) {
            curve.push((t, value));
        }
        match bands.last_mut() {
            Some(band) if band.name == view.phase => band.to = t,
            _ => bands.push(plot::ShadedBand { from: t, to: t, name: view.phase.into() }),
        }
    }
    let [depth, height, force, between] = curves;
    let one = |name: &str, points, colour| Series::line(name, points, palette(colour));
    let figure = Figure {
        title: title.into(),
        x: Axis::new("time, ms"),
        bands,
        marks: Vec::new(),
        panels: vec![
            Subplot::new(Axis::new("mm: depth of the key"), vec![one("", depth, 0)]),
            Subplot::new(Axis::new(&format!("mm: {part}")), vec![one("", height, 1)]),
            Subplot::new(
                Axis::new("force, N"),
                vec![one("of the finger", force, 0), one(contact, between, 1)],
            ),
        ],
    };
    folder.draw(file, &figure, report)
}

const fn simplified_name(phase: simplified::Phase) -> &'static str {
    match phase {
        simplified::Phase::Coupled => "coupled",
        simplified::Phase::Flight => "flight",
        simplified::Phase::Bedded => "bedded",
        simplified::Phase::Held => "held",
    }
}

const fn harpsichord_name(phase: harpsichord::Phase) -> &'static str {
    match phase {
        harpsichord::Phase::Below => "below",
        harpsichord::Phase::Bending => "bending",
        harpsichord::Phase::Above => "above",
        harpsichord::Phase::Passing => "passing",
    }
}

/// Runs the experiment.
pub fn run(folder: &mut Folder, keys: &KeySource) -> Result<Report> {
    let mut report = Report::default();
    let mut csv = DataTable::new(&["machine", "from", "to", "times"]);
    let key = touchback_offline::bench::key(keys.one(40).into())?;
    let built = keys.built(keys.one(40));
    if keys.own_numbers().is_none() {
        grand(&mut report, &mut csv, "thesis's key", &thesis::build());
    }
    grand(&mut report, &mut csv, "grand", &built);
    report.source("000 figs. 2.4, 2.5, 3.2; 002 §§4, 5, figs. 2, 3");
    let spec = simplified::Spec::of_grand(&built);
    let found = run_simple(&spec, simplified_name, 2);
    rows(
        &mut report,
        &mut csv,
        "key and hammer",
        &found,
        &[
            ("coupled", "flight"),
            ("flight", "coupled"),
            ("coupled", "held"),
            ("held", "coupled"),
            ("flight", "bedded"),
            ("bedded", "flight"),
            ("held", "bedded"),
            ("bedded", "held"),
        ],
    );
    let names = ["crown above the string", "hammer on key"];
    let title = "Key, hammer and keybed: a press and its release";
    draw(folder, &mut report, "key-and-hammer", title, names, spec)?;
    report.source("000 figs. 3.3, 3.4; 001");
    let spec = harpsichord::Spec::of_key(key);
    let found = run_simple(&spec, harpsichord_name, 3);
    rows(
        &mut report,
        &mut csv,
        "harpsichord",
        &found,
        &[
            ("below", "bending"),
            ("bending", "below"),
            ("bending", "above"),
            ("above", "passing"),
            ("passing", "above"),
            ("passing", "below"),
        ],
    );
    let names = ["plectrum above the string", "plectrum on string"];
    let title = "A harpsichord's key and jack: a press and its release";
    draw(folder, &mut report, "harpsichord", title, names, spec)?;
    folder.table("state-graphs.csv", &csv)?;
    if keys.own_numbers().is_none() {
        drawn::all(folder, &mut report)?;
    }
    Ok(report)
}
