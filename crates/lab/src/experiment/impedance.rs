//! `impedance`: the driving-point impedance of the key, action by action.
//!
//! The motion x = x₀ + X sin ωt is imposed on the key front, in the middle of its free travel, and the force that
//! answers is read. Its part in phase with the motion is (k − m ω²) X, that in phase with the speed r ω X. Mass m and
//! stiffness k follow from 1 and 5 Hz; above, the hammer swings on its felts or springs, and the mass grows to their
//! resonance. The resistance r follows from each frequency: that of dry friction F is 4 F / (π ω X)
//! [Gillespie 1996, §2.3.2].

use std::f64::consts::{PI, TAU};

use anyhow::Result;

use touchback_action::catalogue::Model;
use touchback_action::interface::kind::{NAMES, REFERENCE};
use touchback_action::simple::{ball, model_a};
use touchback_action::{ActionSettings, Drive, STEP};
use touchback_core::math::compass::KeyNumber;
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, short};
use touchback_offline::plot::{Axis, Figure, Series, Subplot, palette};

/// Frequencies, Hz.
const FREQUENCIES: [f64; 4] = [1.0, 5.0, 10.0, 20.0];
/// Middle of the motion, m: a third of the travel, before damper and let-off.
const MIDDLE: f64 = 2e-3;
/// Amplitude, m: at 20 Hz the hammer stays on the key.
const AMPLITUDE: f64 = 0.05e-3;
/// Time to reach the middle of the motion, and to settle there, s.
const APPROACH: f64 = 0.5;
/// Periods of the sine before and during the reading.
const PERIODS: [u32; 2] = [3, 4];

/// Force over motion at one frequency: the parts in phase with depth, N/m, and with speed, N·s/m.
struct Response {
    stiffness: f64,
    resistance: f64,
}

/// Imposes the sine on a key of `model`.
fn response(model: &Model, frequency: f64) -> Response {
    let mut key = model.clone().start();
    let rate = TAU * frequency;
    let rest = key.front()[0];
    let path = |t: f64| {
        let raised = 0.5 * (1.0 - libm::cos(PI * (t / APPROACH).clamp(0.0, 1.0)));
        // The sine grows within one period, without a jump of speed.
        let grown = ((t - 2.0 * APPROACH) * frequency).clamp(0.0, 1.0);
        let size = AMPLITUDE * grown * grown * (3.0 - 2.0 * grown);
        rest + (MIDDLE - rest) * raised + size * libm::sin(rate * (t - 2.0 * APPROACH))
    };
    let [before, during] = PERIODS.map(|count| f64::from(count) / frequency);
    let (begin, end) = (2.0 * APPROACH + before, 2.0 * APPROACH + before + during);
    let (mut with_depth, mut with_speed, mut steps) = (0.0, 0.0, 0u32);
    for step in 0u32.. {
        let time = f64::from(step) * STEP;
        if time >= end - 0.5 * STEP {
            break;
        }
        let drive = Drive::along(path, time);
        key.step(drive, &mut |_, _| ());
        if time >= begin - 0.5 * STEP {
            let force = key.readout(drive).key_force;
            // The force is the mean of the step.
            let (sin, cos) = libm::sincos(rate * (time + 0.5 * STEP - 2.0 * APPROACH));
            (with_depth, with_speed) = (with_depth + force * sin, with_speed + force * cos);
            steps += 1;
        }
    }
    let scale = 2.0 / (f64::from(steps) * AMPLITUDE);
    Response { stiffness: scale * with_depth, resistance: scale * with_speed / rate }
}

/// Mass, kg, and stiffness, N/m, of the two lowest of the `responses`, below the resonance of the hammer on its felts.
fn mass_and_stiffness(responses: &[(f64, Response)]) -> [f64; 2] {
    let square = |frequency: f64| (TAU * frequency) * (TAU * frequency);
    let [(low, slow), (high, quick), ..] = responses else { return [f64::NAN; 2] };
    let mass = (slow.stiffness - quick.stiffness) / (square(*high) - square(*low));
    [mass, slow.stiffness + mass * square(*low)]
}

/// Stiffness of the ball on its paddle at `frequency`, N/m, in closed form: the ball on its spring follows with
/// the amplification 1/(1 − ω²/ω₀²).
fn ball_stiffness(spec: &ball::Spec, frequency: f64) -> f64 {
    let square = (TAU * frequency) * (TAU * frequency);
    let own = spec.stiffness / spec.ball;
    -square * (spec.paddle + spec.ball / (1.0 - square / own))
}

/// Mass at the key front of a rigid key with its hammer, kg, and its stiffness, N/m, in closed form.
fn rigid() -> [f64; 2] {
    let b = model_a::Spec::default().bodies;
    let [angle, ratio, second] = b.closed(MIDDLE);
    let mass = (b.key_inertia + b.hammer_inertia * ratio * ratio) / (b.front * b.front);
    let weight = b.hammer_weight;
    let stiffness = weight * (second * libm::cos(angle) - ratio * ratio * libm::sin(angle));
    [mass, stiffness / (b.front * b.front)]
}

/// Reads the impedance of every action.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    let Some(key) = KeyNumber::from_index(39) else { return Ok(report) };
    let mut csv = DataTable::new(&["action", "frequency_hz", "stiffness_n_m", "resistance_n_s_m"]);
    let (mut in_phase, mut resisting) = (Vec::new(), Vec::new());
    for (index, name) in NAMES.into_iter().filter(|name| *name != REFERENCE).enumerate() {
        let Some(model) = Model::named(name, key, &ActionSettings::default()) else { continue };
        let found: Vec<(f64, Response)> =
            FREQUENCIES.map(|frequency| (frequency, response(&model, frequency))).into();
        for (frequency, r) in &found {
            csv.row(&[&name, frequency, &r.stiffness, &r.resistance]);
        }
        let of = |value: fn(&Response) -> f64| {
            found.iter().map(|(frequency, r)| (*frequency, value(r))).collect::<Vec<_>>()
        };
        in_phase.push(Series::line(name, of(|r| r.stiffness), palette(index)));
        resisting.push(Series::line(name, of(|r| r.resistance), palette(index)));
        rows(&mut report, name, &found);
    }
    folder.table("impedance.csv", &csv)?;
    let figure = Figure {
        title: format!(
            "Driving-point impedance of the key: ±{} mm about {} mm",
            short(1e3 * AMPLITUDE),
            short(1e3 * MIDDLE)
        ),
        x: Axis::new("frequency, Hz").within(0.0, 21.0),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![
            Subplot::new(Axis::new("in phase with the depth, N/m"), in_phase),
            Subplot::new(Axis::new("in phase with the speed, N·s/m"), resisting),
        ],
    };
    folder.draw("impedance", &figure, &mut report)?;
    report.note(&format!(
        "The key moves by ±{} mm about {} mm at {:?} Hz; the force is the one that answers the imposed motion.",
        short(1e3 * AMPLITUDE),
        short(1e3 * MIDDLE),
        FREQUENCIES
    ));
    Ok(report)
}

/// The rows of one action.
fn rows(report: &mut Report, name: &str, found: &[(f64, Response)]) {
    let [mass, stiffness] = mass_and_stiffness(found);
    let quantity = |what: &str| format!("{name}: {what}");
    match name {
        "ball" => {
            let spec = ball::Spec::default();
            report.source("002 eqs. (1), (2)");
            for (frequency, r) in &found[..3] {
                let expected = ball_stiffness(&spec, *frequency);
                let what = format!("ball: force in phase with the depth at {frequency} Hz, N/m");
                report.check(
                    &what,
                    &short(expected),
                    TargetBand::Near(expected, 0.01),
                    r.stiffness,
                );
            }
        }
        "model-a" => {
            let [own, weight] = rigid();
            report.source("003 §4.1 (model A)");
            report.near(
                &quantity("mass at the key front, kg, from its dimensions"),
                own,
                0.005,
                mass,
            );
            report.near(
                &quantity("stiffness by the hammer's weight, N/m"),
                weight,
                0.05,
                stiffness,
            );
        }
        "grand" => {
            report.source("000 §2.3.2 (driving-point impedance)");
            let what = quantity("mass at the key front, kg");
            report.check(&what, "> 0", TargetBand::AtLeast(1e-3), mass);
            let what = quantity("resistance at 1 Hz over that at 5 Hz: dry friction, not viscous");
            let ratio = found[0].1.resistance / found[1].1.resistance;
            report.check(&what, "5", TargetBand::Within(2.5, 7.0), ratio);
        }
        _ => {
            report.source("000 §2.3.2 (driving-point impedance)");
            report.check(
                &quantity("mass at the key front, kg"),
                "> 0",
                TargetBand::AtLeast(1e-3),
                mass,
            );
        }
    }
}
