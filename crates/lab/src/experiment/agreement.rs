//! `agreement`: the grand action in two formulations, on twelve gestures.
//!
//! The instrument's model eliminates the constraints and sequences submodels; the reference model moves
//! every body independently between stiff springs. They share the key's parameters and the laws of its
//! felts, but no equations. As the springs stiffen, the reference must converge to the instrument's model.
//! Both get the same gestures, each with the feedback of its own key, and are integrated in short steps: what the
//! step of the instrument changes is measured beside.
//!
//! In the comparison the capstan of the reference holds the heel in both directions, as the instrument's does.
//! The reference can also represent what the instrument's model omits: a heel that leaves its capstan, and
//! a key stick that bends. Their effects are measured too.

use std::fmt::Write as _;

use anyhow::{Context, Result};

use touchback_action::grand::GrandKey;
use touchback_action::grand::design::spec::Spec;
use touchback_action::interface::hand;
use touchback_action::{Drive, Key, KeyEvent, STEP};
use touchback_core::math::power::square;
use touchback_models::penalty_model::{Coupling, PenaltyModel};
use touchback_offline::bench::{DataTable, Folder, KeySource, Report, TargetBand, short};
use touchback_offline::gesture::{Channel, Form, Gesture, KeyView};
use touchback_offline::plot::{Axis, Figure, Series, Subplot, palette};
use touchback_offline::table::Curve;

/// Coupling stiffnesses, N/m, softest first, and Runge–Kutta substeps per action step. The stiffest is so stiff that
/// a thrown hammer's bounces, which multiply small differences, are still compared: with 4 MN/m the crown is off by
/// 0.1 mm when a dropped weight has thrown it, and by 2 mm after its bounces.
const COUPLINGS: [(f64, u32); 3] = [(2.5e5, 25), (4e6, 50), (3.2e7, 100)];

/// Parts of the instrument's step of 125 µs. Its friction is held through a step, which moves the bounces after a
/// loud blow by more than the formulations differ; the comparison is that of the equations.
const PARTS: u32 = 10;

/// Least inertia of the wippen about its centre pin, kg·m²: its joints' dampers act on it. A lighter one, as the thesis's
/// without mass, is replaced in both formulations by the concert grand's.
const LIGHTEST_WIPPEN: f64 = 1.5e-5;

/// Largest deviations at the stiffest coupling: strike time, ms, and speed; rms of key depth, mm, crown,
/// mm (a hundredth of the blow distance), and key force relative to its maximum.
const TIME: f64 = 0.5;
const SPEED: f64 = 0.02;
const DEPTH: f64 = 0.1;
const CROWN: f64 = 0.46;
const FORCE: f64 = 0.05;

/// Young's modulus of spruce, Pa, and width and height of a key stick, m (usual size).
const SPRUCE: f64 = 10e9;
/// See [`SPRUCE`].
const STICK: [f64; 2] = [0.016, 0.024];

/// Gestures for a heel that may leave its capstan.
const LIFTED: [&str; 3] = ["struck", "struck, loud", "trill"];

/// Gestures for the bending key stick.
const BENT: [&str; 3] = ["pressed, medium", "pressed, loud", "struck, loud"];

/// One run: key depth, m, crown, m, and key force, N, per step; strikes by time, s, and speed, m/s.
#[derive(Default)]
struct GestureTrace {
    rows: Vec<[f64; 3]>,
    strikes: Vec<(f64, f64)>,
}

/// Deviations between two runs of a gesture.
#[derive(Clone, Copy)]
struct Apart {
    /// Deviation of the first strike: time, ms, and relative speed; `None` if neither struck.
    strike: Option<[f64; 2]>,
    /// Key depth, mm rms.
    key: f64,
    /// Crown, mm rms.
    crown: f64,
    /// Key force relative to its maximum, rms.
    force: f64,
    /// Both have the same number of strikes.
    same: bool,
}

fn pressed(speed_m_s: f64, duration_s: f64) -> Form {
    Form::PressedEvenly { speed_m_s, duration_s, depth_m: 0.04, damping_n_s_m: None }
}

fn struck(speed_m_s: f64) -> Form {
    Form::Struck {
        speed_m_s,
        duration_s: 0.3,
        mass_kg: 0.3,
        stiffness_n_m: 3000.0,
        damping_n_s_m: 5.0,
        drag_n_s_m: 0.0,
        force_n: Some(0.0),
        rise_s: hand::FOLLOWING_RISE,
    }
}

fn weight(mass_kg: f64, height_m: f64, duration_s: f64) -> Form {
    let (stiffness_n_m, damping_n_s_m) = (20_000.0, 20.0);
    Form::Weight { mass_kg, duration_s, height_m, stiffness_n_m, damping_n_s_m }
}

fn finger(to: f64, duration_s: f64) -> Form {
    Form::Ramp { channel: Channel::FingerM, to, duration_s }
}

/// The gestures with their names.
fn gestures() -> Result<Vec<(&'static str, Gesture)>> {
    let hold = |duration_s| Form::Hold { duration_s };
    let again = |up: f64, seconds: f64| {
        vec![finger(0.02, seconds), hold(seconds), finger(up, seconds), hold(seconds)]
    };
    let forms = |forms: Vec<Form>| Gesture::of_forms(forms);
    let repeated = |up: f64, seconds: f64, times: usize| {
        forms((0..times).flat_map(|_| again(up, seconds)).collect())
    };
    let let_off = Curve::new(vec![(0.0, 0.0), (0.4, 6e-3), (1.2, 9.8e-3)])
        .context("the curve of the slow let-off")?;
    let light = Curve::new(vec![(0.0, 0.0), (0.6, 0.9), (1.0, 0.9)])
        .context("the curve of the light touch")?;
    Ok(vec![
        ("pressed, soft", forms(vec![pressed(0.05, 0.4)])),
        ("pressed, medium", forms(vec![pressed(0.15, 0.3)])),
        ("pressed, loud", forms(vec![pressed(0.6, 0.3)])),
        ("struck", forms(vec![struck(0.8)])),
        ("struck, loud", forms(vec![struck(2.5)])),
        ("weight placed", forms(vec![weight(0.075, 0.0, 0.8)])),
        ("weight dropped", forms(vec![weight(0.1, 0.02, 0.5)])),
        ("repeated from the top", repeated(-0.005, 0.05, 3)),
        ("trill", repeated(0.0, 0.025, 5)),
        (
            "half release",
            forms(vec![
                pressed(0.2, 0.3),
                finger(4.5e-3, 0.1),
                hold(0.1),
                finger(0.02, 0.05),
                hold(0.1),
            ]),
        ),
        ("slow let-off, imposed", Gesture::of_curve(Channel::KeyM, let_off)),
        ("light touch, force", Gesture::of_curve(Channel::ForceN, light)),
    ])
}

/// Plays `gesture` on `key`.
fn play(mut gesture: Gesture, key: &mut dyn Key) -> GestureTrace {
    let mut trace = GestureTrace::default();
    key.reset_to_rest();
    for step in 0..gesture.steps() {
        let [depth, speed] = key.front();
        let drive: Drive = gesture.drive(step, KeyView { depth, speed });
        let begin = step as f64 * STEP;
        key.step(drive, &mut |offset, event| {
            if let KeyEvent::Strike { speed } = event {
                trace.strikes.push((begin + offset, speed));
            }
        });
        let view = key.readout(drive);
        trace.rows.push([view.key, view.hammer, view.key_force]);
    }
    trace
}

fn apart(a: &GestureTrace, b: &GestureTrace) -> Apart {
    let rms = |column: usize| {
        let error = |(a, b): (&[f64; 3], &[f64; 3])| square(a[column] - b[column]);
        let sum: f64 = a.rows.iter().zip(&b.rows).map(error).sum();
        (sum / a.rows.len() as f64).sqrt()
    };
    let peak = a.rows.iter().map(|r| r[2].abs()).fold(0.0, f64::max);
    let strike = match (a.strikes.first(), b.strikes.first()) {
        (Some(a), Some(b)) => Some([1e3 * (b.0 - a.0), b.1 / a.1 - 1.0]),
        (None, None) => None,
        _ => Some([f64::NAN; 2]),
    };
    Apart {
        strike,
        key: 1e3 * rms(0),
        crown: 1e3 * rms(1),
        force: rms(2) / peak,
        same: a.strikes.len() == b.strikes.len(),
    }
}

/// Plays every gesture on both models, on the reference with three stiffnesses.
pub fn run(folder: &mut Folder, keys: &KeySource) -> Result<Report> {
    let mut built = keys.built(keys.one(40));
    let wippen = built.spec.wippen.inertia;
    built.spec.wippen.inertia = wippen.max(LIGHTEST_WIPPEN);
    let mut played = GrandKey::built(built);
    let mut first = GrandKey::built(built);
    first.refine(PARTS);
    let mut others = COUPLINGS.map(|(stiffness, parts)| {
        let coupling = Coupling { stiffness, parts, holds_heel: true, ..Coupling::default() };
        PenaltyModel::of_grand(&built, coupling)
    });
    let mut report = Report::default();
    let mut csv = DataTable::new(&[
        "gesture",
        "stiffness_n_m",
        "strike_ms",
        "strike_share",
        "key_mm",
        "crown_mm",
        "force_share",
        "lightest_capstan_n",
    ]);
    let (mut lightest, mut pulled) = (f64::INFINITY, 0.0f64);
    let (stiffness, parts) = COUPLINGS[2];
    let key_stick = key_stick(&built.spec);
    let coupling =
        Coupling { stiffness, parts, key_stick, holds_heel: true, ..Coupling::default() };
    let mut bending = PenaltyModel::of_grand(&built, coupling);
    let coupling = Coupling { key_stick: 0.0, holds_heel: false, ..coupling };
    let mut lifting = PenaltyModel::of_grand(&built, coupling);
    let (mut bends, mut lifts) = (String::new(), String::new());
    let mut by_step = (0.0f64, "");
    for (name, gesture) in gestures()? {
        let ours = play(gesture.clone(), &mut first);
        let crown = apart(&ours, &play(gesture.clone(), &mut played)).crown;
        if crown > by_step.0 {
            by_step = (crown, name);
        }
        let traces = others.each_mut().map(|other| play(gesture.clone(), other));
        let found = traces.each_ref().map(|theirs| apart(&ours, theirs));
        for (i, (a, (stiffness, _))) in found.iter().zip(COUPLINGS).enumerate() {
            let [time, speed] = a.strike.unwrap_or([f64::NAN; 2]);
            let least = others[i].lightest_capstan();
            let (key, crown, force) = (a.key, a.crown, a.force);
            csv.row(&[&name, &stiffness, &time, &speed, &key, &crown, &force, &least]);
        }
        lightest = lightest.min(others[2].lightest_capstan());
        pulled = pulled.max(others[2].jack_held_back());
        check(&mut report, name, &found);
        if LIFTED.contains(&name) && !built.spec.is_rigid() {
            let a = apart(&traces[2], &play(gesture.clone(), &mut lifting));
            let off = 1e3 * lifting.heel_lifted();
            let [time, speed] = a.strike.unwrap_or([f64::NAN; 2]);
            let (off, time, speed) = (short(off), short(time), short(100.0 * speed));
            let (front, crown) = (short(a.key), short(a.crown));
            write!(
                lifts,
                "\n- {name}: heel {off} mm off its capstan at most; strike {time} ms later and {speed} % \
                 faster, front {front} mm and crown {crown} mm apart, rms"
            )?;
        }
        if BENT.contains(&name) {
            let a = apart(&traces[2], &play(gesture.clone(), &mut bending));
            let [time, speed] = a.strike.unwrap_or([f64::NAN; 2]);
            let (speed, force) = (short(100.0 * speed), short(100.0 * a.force));
            let (time, front) = (short(time), short(a.key));
            write!(
                bends,
                "\n- {name}: strike {time} ms later and {speed} % faster; rms difference of the key depth \
                 {front} mm, of the key force {force} % of its largest value"
            )?;
        }
        if name == "half release" {
            draw(folder, &mut report, name, &ours, &traces[2])?;
        }
    }
    let held = if built.spec.is_rigid() {
        format!(
            "Both hold the jack on its stop until the button takes it over; the largest pull of the stop was \
             {} mN·m (the jack's spring gives {}).",
            short(1e3 * pulled),
            short(1e3 * built.spec.jack.spring_torque)
        )
    } else {
        "All other contacts only push.".to_owned()
    };
    report.note(&format!(
        "Differences: coupled force balance ({} MN/m at the joints) minus the instrument's model, root \
         mean square over the whole gesture with rebounds and check. The softest coupling is {} MN/m. Both \
         models hold the heel on its capstan in both directions; the smallest capstan force was {} N. {held}",
        short(1e-6 * COUPLINGS[2].0),
        short(1e-6 * COUPLINGS[0].0),
        short(lightest),
    ));
    if wippen < LIGHTEST_WIPPEN {
        report.note(&format!(
            "The wippen has {} kg·m² instead of {} in both formulations: springs cannot join a body without \
             inertia.",
            short(LIGHTEST_WIPPEN),
            short(wippen)
        ));
    }
    report.note(&format!(
        "The instrument's model takes {PARTS} steps of integration in 125 µs here. With one, as in the \
         instrument, the crown differs by at most {} mm rms ({}).",
        short(by_step.0),
        by_step.1
    ));
    if !lifts.is_empty() {
        report.note(&format!(
            "A heel that may leave its capstan, in the force balance beside a held one there:\n{lifts}"
        ));
    }
    report.note(&format!(
        "Effect of a bending key stick of spruce ({} N·m/rad at the balance rail): the force balance with \
         it compared with the force balance with a rigid stick, same knuckle stiffness:\n{bends}",
        short(key_stick)
    ));
    folder.table("agreement.csv", &csv)?;
    Ok(report)
}

/// Stiffness of the stick between finger and capstan, held at the balance rail, N·m/rad.
fn key_stick(spec: &Spec) -> f64 {
    let [width, height] = STICK;
    3.0 * SPRUCE * width * height * height * height / 12.0 / (spec.key.front + spec.key.capstan.x)
}

fn check(report: &mut Report, name: &str, found: &[Apart; 3]) {
    let last = &found[2];
    if let Some([time, speed]) = last.strike {
        report.check(
            &format!("{name}: strike time difference, ms"),
            "0",
            TargetBand::Within(-TIME, TIME),
            time,
        );
        let band = TargetBand::Within(-100.0 * SPEED, 100.0 * SPEED);
        report.check(&format!("{name}: hammer speed difference, %"), "0", band, 100.0 * speed);
    }
    report.holds(&format!("{name}: same number of strikes"), last.same);
    report.check(
        &format!("{name}: key depth difference, mm rms"),
        "0",
        TargetBand::AtMost(DEPTH),
        last.key,
    );
    report.id(&["depth", name]);
    report.check(
        &format!("{name}: crown difference, mm rms"),
        "0",
        TargetBand::AtMost(CROWN),
        last.crown,
    );
    let force = 100.0 * last.force;
    report.check(
        &format!("{name}: key force difference rms, % of the largest force"),
        "0",
        TargetBand::AtMost(100.0 * FORCE),
        force,
    );
    let falling = last.crown / found[0].crown;
    report.check(
        &format!("{name}: crown difference with the stiffest coupling over that with the softest"),
        "< 1",
        TargetBand::AtMost(1.0),
        falling,
    );
}

fn draw(
    folder: &mut Folder,
    report: &mut Report,
    name: &str,
    ours: &GestureTrace,
    theirs: &GestureTrace,
) -> Result<()> {
    let points = |trace: &GestureTrace, column: usize, scale: f64| {
        let point =
            |(i, row): (usize, &[f64; 3])| ((i + 1) as f64 * STEP * 1e3, row[column] * scale);
        trace.rows.iter().enumerate().map(point).collect::<Vec<_>>()
    };
    let panel = |label: &str, column: usize, scale: f64| {
        let series = vec![
            Series::line(
                "coupled force balance (reference)",
                points(theirs, column, scale),
                palette(1),
            ),
            Series::line(
                "constraints eliminated (instrument)",
                points(ours, column, scale),
                palette(0),
            ),
        ];
        Subplot::new(Axis::new(label), series)
    };
    let figure = Figure {
        title: format!("Two formulations of one action: {name}"),
        x: Axis::new("time, ms").within(0.0, ours.rows.len() as f64 * STEP * 1e3),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![
            panel("key depth, mm", 0, 1e3),
            panel("distance from crown to string, mm", 1, 1e3),
            panel("force on key, N", 2, 1.0),
        ],
    };
    folder.draw("agreement", &figure, report)
}
