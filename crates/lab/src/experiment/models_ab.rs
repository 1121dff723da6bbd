//! `models-ab`: the reason for the springs in the first virtual piano action.
//!
//! [Gillespie and Cutkosky 1993, §§5–6]: model A computes the key force from the acceleration, which is the
//! encoder's position differenced twice; model B computes it from the extension of a spring. With 50 lines
//! per inch and a loop of 7 ms, A "quickly goes unstable", B renders a hammer that can be thrown and
//! caught. Here both models get a known motion through that encoder, then are coupled to a device and a
//! finger. The device's mass and damping are chosen, the finger's are the thesis's; the springs of B are
//! those that the paper's hardware could display.

mod epochs;

use anyhow::Result;
use std::f64::consts::PI;

use touchback_action::interface::trajectory::Cubic;
use touchback_action::simple::drive_input::DriveInput;
use touchback_action::simple::slider::Bodies;
use touchback_action::simple::{ActionKey, SimpleAction, model_a, model_b};
use touchback_action::{Drive, Key, STEP};
use touchback_core::episode::Stepper;
use touchback_core::mech::felt::Felt;
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, short};
use touchback_offline::plot::{Axis, Figure, Series, Subplot, palette};

/// One line of the encoder, m.
const LINE: f64 = 0.0254 / 50.0;
/// Period of the closed loop, s.
const SERVO: f64 = 7e-3;
/// Servo periods of the throw, and of the coupled device.
const THROW: u32 = 90;
const HELD: u32 = 430;
/// Servo periods per second.
const SECOND: usize = 143;
/// Mass, kg, and damping, N·s/m, of the motor and the manipulandum.
const DEVICE: [f64; 2] = [0.1, 0.5];
/// Mass, kg, damping, N·s/m, and stiffness, N/m, of the finger on the device [Gillespie 1996, ch. 6].
const FINGER: [f64; 3] = [0.02, 3.75, 257.0];
/// Force above which a loop counts as unstable, N: more than the motor's maximum.
const LOST: f64 = 20.0;

/// Depth of the key front in a soft throw, m, at `t` s: 5 mm in 80 ms, smooth.
fn throw(t: f64) -> f64 {
    let share = ((t - 0.1) / 0.08).clamp(0.0, 1.0);
    1.1e-3 + 5e-3 * 0.5 * (1.0 - libm::cos(PI * share))
}

/// A depth quantized by the encoder.
fn lines(depth: f64) -> f64 {
    (depth / LINE).floor() * LINE
}

/// Model B with springs of `k` N/m and `b` N·s/m at the key front, `k2` N/m and `b2` N·s/m under the
/// hammer.
fn springs(k: f64, b: f64, k2: f64, b2: f64) -> model_b::Spec {
    let bodies = Bodies::default();
    let square = bodies.front * bodies.front;
    model_b::Spec { bodies, k1: k * square, b1: b * square, k2, b2, ..Default::default() }
}

/// The stiffest springs that the paper's hardware could display, with a tenth of its k2.
fn displayable() -> model_b::Spec {
    springs(100.0, 1.0, 200.0, 2.0)
}

/// A model in a sampled loop: one depth in and one force out per period.
struct Loop<M: SimpleAction<N, G, S>, const N: usize, const G: usize, const S: usize> {
    model: ActionKey<M, N, G, S>,
    stepper: Stepper,
    /// The last depth, m, and the mean speed to it, m/s.
    last: [f64; 2],
    /// Whether the model gets the acceleration; else only depth and speed.
    is_rigid: bool,
}

impl<M: SimpleAction<N, G, S>, const N: usize, const G: usize, const S: usize> Loop<M, N, G, S> {
    fn new(spec: M, period: f64, depth: f64) -> Self {
        let mut model = ActionKey::new(spec);
        // Moved slowly to the start of the loop, then left to settle.
        let settle = Stepper::new(STEP);
        for i in 0..16_000 {
            let at = |i: i32| depth * (f64::from(i) / 8000.0).min(1.0);
            let ends = DriveInput::ends(Drive::line([at(i), at(i + 1)]));
            model.advance(&settle, &ends, &mut |_, _| {});
        }
        Self {
            model,
            stepper: Stepper::new(period),
            last: [depth, 0.0],
            is_rigid: N == model_a::STATES,
        }
    }

    /// Force on the key, N, for a measured depth of `depth` m; speed and acceleration are first and second
    /// differences of the depths, as in the paper.
    fn force(&mut self, depth: f64) -> f64 {
        let h = self.stepper.h;
        let speed = (depth - self.last[0]) / h;
        let half = if self.is_rigid { 0.5 * (speed - self.last[1]) } else { 0.0 };
        let depths = [self.last[0], depth];
        let motion = Cubic { depth: depths, speed: [speed - half, speed + half], seconds: h };
        let ends = DriveInput::motion(&motion);
        self.model.advance(&self.stepper, &ends, &mut |_, _| {});
        self.last = [depth, speed];
        let state = &self.model.state;
        self.model.spec.readout(state.phase, &ends[1], &state.x).key_force
    }

    /// Forces over the throw, measured through `sensor` once per period.
    fn thrown(mut self, count: u32, sensor: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        (1..=count)
            .map(|i| {
                let t = f64::from(i) * self.stepper.h;
                (t, self.force(sensor(throw(t))))
            })
            .collect()
    }

    /// Forces on a finger that holds the device, `beside` m from the begin, after a displacement of 2 mm, measured
    /// through `sensor`.
    fn held(mut self, beside: f64, sensor: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        let (mut x, mut v, hold) = (self.last[0], 0.0, self.last[0] + beside);
        let mut forces = Vec::new();
        let parts = 70u32;
        let dt = SERVO / f64::from(parts);
        for i in 1..=HELD {
            let t = f64::from(i) * SERVO;
            let force = self.force(sensor(x));
            forces.push((t, force));
            if is_lost(force) {
                break;
            }
            let target = hold + if (0.1..0.3).contains(&t) { 2e-3 } else { 0.0 };
            for _ in 0..parts {
                let push = FINGER[2] * (target - x) - (FINGER[1] + DEVICE[1]) * v - force;
                v += dt * push / (FINGER[0] + DEVICE[0]);
                x += dt * v;
            }
        }
        forces
    }
}

/// `bodies` without the rest felt, which the paper does not have: the hand holds the key from both sides.
fn without_felt(bodies: Bodies) -> Bodies {
    Bodies { rest: Felt::new(1e-6, 1.0, 0.0), ..bodies }
}

/// Whether the force exceeds the motor's maximum or is not finite.
fn is_lost(force: f64) -> bool {
    force.abs() >= LOST || force.is_nan()
}

/// Root mean square deviation of `seen` from `exact` at the times of `seen`.
fn error(seen: &[(f64, f64)], exact: &[(f64, f64)]) -> f64 {
    let every = exact.len() / seen.len();
    let pairs = seen.iter().zip(exact.iter().skip(every - 1).step_by(every));
    let sum: f64 = pairs.map(|(a, b)| (a.1 - b.1) * (a.1 - b.1)).sum();
    (sum / seen.len() as f64).sqrt()
}

/// Root mean square of the last `count` of `forces` about their mean.
fn ripple(forces: &[(f64, f64)], count: usize) -> f64 {
    let last = &forces[forces.len().saturating_sub(count)..];
    let mean = last.iter().map(|f| f.1).sum::<f64>() / last.len() as f64;
    (last.iter().map(|f| (f.1 - mean) * (f.1 - mean)).sum::<f64>() / last.len() as f64).sqrt()
}

/// Largest distance, m, between the hammers of A and of B with springs `scale` times the thesis's; both
/// driven through the throw without an encoder.
fn apart(scale: f64) -> f64 {
    let usual = model_b::Spec::default();
    let root = scale.sqrt();
    let stiff = model_b::Spec {
        k1: usual.k1 * scale,
        b1: usual.b1 * root,
        k2: usual.k2 * scale,
        b2: usual.b2 * root,
        ..usual
    };
    let mut a = Loop::new(model_a::Spec::default(), STEP, throw(0.0)).model;
    let mut b = Loop::new(stiff, STEP, throw(0.0)).model;
    let mut worst = 0.0f64;
    // Up to the middle of the upward throw: later the hammers release at different times.
    for i in 0..1080 {
        let t = f64::from(i) * STEP;
        let drive = Drive::along(throw, t);
        a.step(drive, &mut |_, _| {});
        b.step(drive, &mut |_, _| {});
        worst = worst.max((a.readout(drive).hammer - b.readout(drive).hammer).abs());
    }
    worst
}

/// Drives both models through the throw, then couples both to the device.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    report.source("003 §§5–6 (models A and B)");
    let fine = THROW * 56;
    let start = throw(0.0);
    let exact_a = Loop::new(model_a::Spec::default(), STEP, start).thrown(fine, |d| d);
    let exact_b = Loop::new(displayable(), STEP, start).thrown(fine, |d| d);
    let seen = lines(start);
    let seen_a = Loop::new(model_a::Spec::default(), SERVO, seen).thrown(THROW, lines);
    let seen_b = Loop::new(displayable(), SERVO, seen).thrown(THROW, lines);
    // Error relative to the variation of the force over the throw.
    let error_a = error(&seen_a, &exact_a) / ripple(&exact_a, exact_a.len());
    let error_b = error(&seen_b, &exact_b) / ripple(&exact_b, exact_b.len());
    report.check(
        "A: noise of the force in a throw over its signal",
        "above 1",
        TargetBand::AtLeast(1.0),
        error_a,
    );
    report.erratum("T2 (and T3.4 of the thesis) give dampings in N/m/s; they are N·s/m");
    let quantity = "B: noise of the force in a throw over its signal";
    report.check(quantity, "below 1", TargetBand::AtMost(1.0), error_b);
    report.check("A's noise over B's", "≥ 10", TargetBand::AtLeast(10.0), error_a / error_b);

    let free = || model_a::Spec { bodies: without_felt(Bodies::default()) };
    // Whether the loop comes to rest depends on where in a line of the encoder the finger holds it.
    let held_a = (0..16u32)
        .map(|part| Loop::new(free(), SERVO, seen).held(LINE * f64::from(part) / 16.0, lines))
        .max_by(|a, b| ripple(a, SECOND).total_cmp(&ripple(b, SECOND)))
        .unwrap_or_default();
    let exact_held = Loop::new(free(), SERVO, seen).held(0.0, |x| x);
    let held_b = Loop::new(displayable(), SERVO, seen).held(0.0, lines);
    let lost =
        |forces: &[(f64, f64)]| forces.iter().find(|f| is_lost(f.1)).map_or(f64::INFINITY, |f| f.0);
    // The paper: "the system quickly goes unstable"; it keeps the key between the fingers, without a felt.
    report.check(
        "A: held by a finger, ripple of its limit cycle at the worst of 16 places in a line, N rms",
        "unstable",
        TargetBand::AtLeast(0.5),
        ripple(&held_a, SECOND),
    );
    report.check(
        "A: held by a finger, without the encoder, ripple, N rms",
        "0",
        TargetBand::AtMost(0.01),
        ripple(&exact_held, SECOND),
    );
    report.check(
        "B: held by a finger, ripple, N rms",
        "0",
        TargetBand::AtMost(0.05),
        ripple(&held_b, SECOND),
    );
    report.holds("B: held by a finger, under control for 3 s", lost(&held_b).is_infinite());

    // Springs far stiffer than the thesis's, where the order is that of the limit.
    let stiffness = [4.0, 16.0, 64.0, 256.0];
    let gaps = stiffness.map(apart);
    for i in 0..3 {
        let order = libm::log2(gaps[i] / gaps[i + 1]) / 2.0;
        let quantity = format!(
            "B to A: hammers {} mm apart with springs × {}, order to the next",
            short(1e3 * gaps[i]),
            stiffness[i]
        );
        report.check(&quantity, "1", TargetBand::Within(0.8, 1.2), order);
    }
    let quantity = format!("B to A: hammers apart with springs × {}, mm", stiffness[3]);
    report.check(&quantity, "0", TargetBand::AtMost(0.1), 1e3 * gaps[3]);
    epochs::run(folder, &mut report)?;
    report.note(&format!(
        "Encoder line {} mm, loop {} ms. A second difference of one line is {} m/s²; with the \
         effective mass of key and hammer at the front, {} kg, this is {} N. Model A with a tenth of \
         the masses, less than the device's own mass, held: {}.",
        short(LINE * 1e3),
        short(SERVO * 1e3),
        short(LINE / (SERVO * SERVO)),
        short(shown_mass(&Bodies::default())),
        short(shown_mass(&Bodies::default()) * LINE / (SERVO * SERVO)),
        light_a(seen, lost),
    ));

    let mut csv = DataTable::new(&["time_s", "a_exact_n", "a_n", "b_exact_n", "b_n"]);
    for (i, a) in seen_a.iter().enumerate() {
        let at = 56 * (i + 1) - 1;
        csv.row(&[&a.0, &exact_a[at].1, &a.1, &exact_b[at].1, &seen_b[i].1]);
    }
    folder.table("models-ab.csv", &csv)?;
    let ms = |f: &[(f64, f64)]| f.iter().map(|p| (p.0 * 1e3, p.1.clamp(-LOST, LOST))).collect();
    let panel = |label: &str, exact: &[(f64, f64)], seen: &[(f64, f64)]| {
        let series = vec![
            Series::line("through the encoder", ms(seen), palette(1)),
            Series::line("exact", ms(exact), palette(0)),
        ];
        Subplot::new(Axis::new(label), series)
    };
    let figure = Figure {
        title: "Force on the key under the imposed motion of a throw".into(),
        x: Axis::new("time, ms").within(0.0, 1e3 * SERVO * f64::from(THROW)),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![
            panel("model A, N", &exact_a, &seen_a),
            panel("model B, N", &exact_b, &seen_b),
        ],
    };
    folder.draw("models-ab-throw", &figure, &mut report)?;
    let figure = Figure {
        title: "Force on a finger that holds the device still, nudged at 0.1 s".into(),
        x: Axis::new("time, ms").within(0.0, 1e3 * SERVO * f64::from(HELD)),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![
            Subplot::new(Axis::new("model A, N"), vec![Series::line("A", ms(&held_a), palette(1))]),
            Subplot::new(Axis::new("model B, N"), vec![Series::line("B", ms(&held_b), palette(0))]),
        ],
    };
    folder.draw("models-ab-held", &figure, &mut report)?;
    Ok(report)
}

/// Effective mass of key and hammer at the key front, kg.
fn shown_mass(bodies: &Bodies) -> f64 {
    let ratio = bodies.closed(0.0)[1];
    (bodies.key_inertia + bodies.hammer_inertia * ratio * ratio) / (bodies.front * bodies.front)
}

/// A note on model A with a tenth of the masses.
fn light_a(seen: f64, lost: impl Fn(&[(f64, f64)]) -> f64) -> String {
    let mut bodies = Bodies::default();
    bodies.key_inertia *= 0.1;
    bodies.hammer_inertia *= 0.1;
    bodies.hammer_weight *= 0.1;
    let bodies = without_felt(bodies);
    let forces = Loop::new(model_a::Spec { bodies }, SERVO, seen).held(0.0, lines);
    let end = lost(&forces);
    if end.is_finite() {
        format!("control lost after {} s", short(end))
    } else {
        format!("ripple {} N rms", short(ripple(&forces, SECOND)))
    }
}
