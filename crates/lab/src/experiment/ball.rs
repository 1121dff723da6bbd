//! `ball`: the event engine on a system whose events are known exactly.
//!
//! A ball falls on a paddle at rest: half an oscillation about the static compression in each contact, a
//! parabola between contacts, without loss. The duration of a contact entered at speed v is
//! [π + 2 atan2(g/ω², v/ω)]/ω. Beside it, a pendulum on a cart between walls, and one in
//! dependent coordinates.

mod cart;
mod constraints;

use super::calculated;
use anyhow::Result;
use nalgebra::{Matrix2, Vector2};
use std::f64::consts::PI;

use touchback_action::simple::ball::{Phase, STATES, Spec};
use touchback_action::simple::drive_input::DriveInput;
use touchback_action::simple::{KEY_SPEED, SimpleAction};
use touchback_action::{Drive, GRAVITY};
use touchback_core::episode::exact::Discrete;
use touchback_core::episode::{Model, Observer, State, Stepper};
use touchback_core::math::power::square;
use touchback_core::text::numbers::Numbers;
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand};
use touchback_offline::plot::{Axis, Figure, Series, Shape, Subplot, palette};
use touchback_walls::calculation::motion::PADDLE;

/// Height of fall, m.
const HEIGHT: f64 = 0.1;

/// Step sizes, s, and the number of landings followed.
const STEPS: [f64; 5] = [1.6e-3, 8e-4, 4e-4, 2e-4, 1e-4];
const LANDINGS: usize = 10;

/// Duration of a contact entered at `speed` m/s, s.
fn inside(spec: &Spec, speed: f64) -> f64 {
    let w = (spec.stiffness / spec.ball).sqrt();
    (PI + 2.0 * libm::atan2(GRAVITY / (w * w), speed / w)) / w
}

/// Times of landings and departures, alternating, from the engine with step `h` s.
fn events(spec: &Spec, h: f64) -> Vec<f64> {
    struct BallTimes(f64, Vec<f64>);
    impl Observer<Phase, STATES> for BallTimes {
        fn transition(&mut self, t: f64, _: Phase, _: Phase, _: &[f64; STATES], _: &[f64; STATES]) {
            self.1.push(self.0 + t);
        }
        fn guard(&mut self, _: f64, _: usize, _: bool, _: &[f64; STATES]) {}
    }
    let stepper = Stepper { tolerance: 1e-14, exact_events: true, ..Stepper::new(h) };
    let mut state = State { phase: Phase::Air, x: [0.0, 0.0, HEIGHT, 0.0, 0.0, 0.0] };
    let mut times = BallTimes(0.0, Vec::new());
    let mut step = 0u32;
    while times.1.len() < 2 * LANDINGS {
        times.0 = f64::from(step) * h;
        let at_rest = DriveInput::ends(Drive::line([0.0; 2]));
        stepper.advance(spec, &mut state, &at_rest, &mut times);
        step += 1;
    }
    times.1
}

/// Checks each submodel alone, and the exact difference equation of the first.
fn submodels(spec: &Spec, report: &mut Report) {
    report.source("002 eqs. 1–6 (ball on a paddle)");
    let (ball, paddle) = (spec.ball, spec.paddle);
    let held = [1e-3, 0.0, 1e-3 - ball * GRAVITY / spec.stiffness, 0.0, 0.0, 0.0];
    let force =
        spec.readout(Phase::Paddle, &DriveInput::ends(Drive::line([1e-3; 2]))[0], &held).key_force;
    report.near(
        "force that holds ball and paddle, N: (m_b + m_p) g",
        (ball + paddle) * GRAVITY,
        1e-12,
        force,
    );
    report.erratum("(2), (3): F = m_p d̈ − k(q − d) + m_p g, tensile when q − d > 0");
    let air = [1e-3, 0.0, HEIGHT, 0.0, 0.0, 0.0];
    let rates = spec.rates(Phase::Air, &(), &DriveInput::Force(2.0), &air);
    let flight = paddle * (rates[KEY_SPEED] + GRAVITY);
    report.near("m_p (d̈ + g) in free flight under 2 N, N", 2.0, 1e-12, flight);
    report.source("002 eqs. 7–10 (difference equation)");
    let (square, t) = (spec.stiffness / ball, 1e-3);
    let w = square.sqrt();
    let a = Matrix2::new(0.0, 1.0, -square, 0.0);
    let found = Discrete::new(&a, &Vector2::new(0.0, 1.0), t);
    let (sin, cos) = libm::sincos(w * t);
    let phi = Matrix2::new(cos, sin / w, -w * sin, cos);
    let gamma = Vector2::new((1.0 - cos) / square, sin / w);
    let error = (found.phi - phi).amax().max((found.gamma - gamma).amax());
    report.check(
        "error of Φ and Γ of the ball on the paddle against e^{AT}, T 1 ms",
        "0",
        TargetBand::AtMost(1e-12),
        error,
    );
    report.source("002 eq. 6; 003 §3 (events)");
}

/// Compares 20 events and the order of convergence.
pub fn run(folder: &mut Folder, numbers: &Numbers) -> Result<Report> {
    if let Some(report) = calculated::report(&PADDLE, folder, numbers)? {
        return Ok(report);
    }
    let spec = Spec::default();
    let speed = (2.0 * GRAVITY * HEIGHT).sqrt();
    let mut exact = Vec::with_capacity(2 * LANDINGS);
    let mut time = speed / GRAVITY;
    for _ in 0..LANDINGS {
        exact.push(time);
        time += inside(&spec, speed);
        exact.push(time);
        time += 2.0 * speed / GRAVITY;
    }
    let runs = STEPS.map(|h| events(&spec, h));
    let finest = &runs[STEPS.len() - 1];

    let mut report = Report::default();
    submodels(&spec, &mut report);
    let mut csv = DataTable::new(&["event", "exact_s"]);
    for h in STEPS {
        csv.column(&format!("error_at_step_{h}_s"));
    }
    for (i, expected) in exact.iter().enumerate() {
        let event = if i % 2 == 0 { "landing" } else { "parting" };
        let errors = runs.iter().map(|run| run[i] - expected);
        let cells: Vec<f64> = std::iter::once(*expected).chain(errors).collect();
        csv.numbers(&format_args!("{event} {}", i / 2 + 1), &cells);
        if i % 2 == 0 {
            let error = (finest[i] - expected).abs();
            let quantity = format!("landing {}: error of the time, s", i / 2 + 1);
            report.check(&quantity, "0", TargetBand::AtMost(1e-9), error);
            if i == 0 {
                report.erratum(
                    "003 (12) prints y_{i+1}(t_i) = y(t_i) + h_i; it holds for the states x",
                );
            }
        }
    }
    // A contact's phase error has the order of the method; flights are exact.
    let error = |i: usize| (runs[i][1] - runs[i][0] - inside(&spec, speed)).abs();
    for i in 2..STEPS.len() - 1 {
        let order = libm::log2(error(i) / error(i + 1));
        let quantity =
            format!("order between steps {} and {} ms", STEPS[i] * 1e3, STEPS[i + 1] * 1e3);
        report.check(&quantity, "4", TargetBand::Within(3.7, 4.3), order);
    }
    let points = STEPS.iter().enumerate().map(|(i, h)| (h * 1e3, error(i))).collect();
    let guide = STEPS.iter().map(|h| (h * 1e3, error(1) * square(square(h / STEPS[1])))).collect();
    let figure = Figure {
        title: "A bouncing ball: error of the time inside a contact".into(),
        x: Axis::new("step, ms").log(),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![Subplot::new(
            Axis::new("error, s").log(),
            vec![
                Series::line("fourth order", guide, palette(1)),
                Series::new("engine", points, palette(0), Shape::Dots),
            ],
        )],
    };
    cart::check(&mut report);
    constraints::check(&mut report);
    folder.table("ball.csv", &csv)?;
    folder.draw("ball", &figure, &mut report)?;
    Ok(report)
}
