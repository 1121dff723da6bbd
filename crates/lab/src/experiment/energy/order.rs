//! Order of convergence: between guards, and over a whole stroke.

use touchback_action::grand::equations::drive::DriveNow;
use touchback_action::grand::equations::kinematics::Kinematics;
use touchback_action::grand::equations::precomputed::Precomputed;
use touchback_action::grand::{Grand, Phase, STATES, equations::energy, key::rest, state};
use touchback_action::{ActionSettings, Drive, STEP};
use touchback_core::episode::{Observer, State, Stepper};
use touchback_core::exchange::cancel;
use touchback_core::math::line::Line;
use touchback_offline::bench::driven::Driven as _;
use touchback_offline::bench::test_bench::TestBench;
use touchback_offline::bench::{Report, TargetBand};

/// Substeps per action step.
const PARTS: [u32; 4] = [1, 2, 4, 8];

/// Action steps of the interval between guards: 3 ms of a stroke.
const STRETCH: u32 = 24;

/// Forces of the whole strokes, N.
const BLOWS: [f64; 6] = [4.0, 5.0, 6.0, 8.0, 10.0, 14.0];

/// Action steps of a whole stroke: 40 ms.
const BLOW: u32 = 320;

/// Substeps of the reference.
const FINE: u32 = 64;

/// A state advanced under a constant force.
struct SteppedState<'a> {
    rig: &'a TestBench,
    force: f64,
}

/// Final state, and residual energy, J.
type End = ([f64; STATES], f64);

/// Counts transitions and guards.
#[derive(Default)]
struct SwitchCount(u32);

impl Observer<Phase, STATES> for SwitchCount {
    fn transition(&mut self, _: f64, _: Phase, _: Phase, _: &[f64; STATES], _: &[f64; STATES]) {
        self.0 += 1;
    }
    fn guard(&mut self, _: f64, _: usize, _: bool, _: &[f64; STATES]) {
        self.0 += 1;
    }
}

impl SteppedState<'_> {
    fn left_over(&self, s: &State<Phase, STATES>) -> f64 {
        let k = Kinematics::new(self.rig.spec(), s.phase, &s.x);
        let numbers = Precomputed::new(self.rig.spec());
        let total = energy::total(&numbers, s.phase, &k, &s.x, rest::TRAY_DOWN);
        total + s.x[state::DISSIPATED] - s.x[state::WORK]
    }

    /// Advances `steps` action steps with `parts` substeps each; final state and number of events.
    fn run(&self, steps: u32, parts: u32) -> (End, u32) {
        let stepper = Stepper::new(STEP / f64::from(parts));
        let model = Grand::new(self.rig.spec());
        let inputs = DriveNow::ends(Drive::Force([self.force; 2]), [rest::TRAY_DOWN; 2]);
        let mut s = *self.rig.state();
        let before = self.left_over(&s);
        let mut events = SwitchCount::default();
        for _ in 0..steps * parts {
            cancel::check();
            stepper.advance(&model, &mut s, &inputs, &mut events);
        }
        ((s.x, self.left_over(&s) - before), events.0)
    }
}

/// Distance of two states in hammer and key angle, each relative to its travel (about 0.3 rad).
fn apart(a: &[f64; STATES], b: &[f64; STATES]) -> f64 {
    let of = |i: usize| (a[i] - b[i]).abs();
    of(state::HAMMER).max(10.0 * of(state::KEY))
}

/// Least-squares slope of log error over log step.
fn slope(errors: &[f64]) -> f64 {
    let points: Vec<(f64, f64)> = PARTS
        .iter()
        .zip(errors)
        .map(|(p, e)| (-libm::log(f64::from(*p)), libm::log(e.max(1e-300))))
        .collect();
    Line::through(&points).map_or(f64::NAN, |line| line.slope)
}

/// Measures the orders without friction, whose time-stepping is of first order.
pub fn check(report: &mut Report) {
    let settings = ActionSettings { friction: 0.0, ..ActionSettings::default() };
    let mut rig = TestBench::concert(40, &settings);
    let course_force = 6.0;
    rig.run(
        0.1,
        |_, _| Drive::Force([course_force; 2]),
        |rig, _| rig.state().phase != Phase::Acceleration || rig.view().depth < 1.5e-3,
    );
    let course = SteppedState { rig: &rig, force: course_force };
    let (fine, events) = course.run(STRETCH, FINE);
    let ends = PARTS.map(|p| course.run(STRETCH, p).0);
    let what = "events during the motion that the orders are measured on";
    report.check(what, "0", TargetBand::AtMost(0.0), f64::from(events));
    let order = slope(&ends.map(|e| apart(&e.0, &fine.0)));
    let what = "order of the motion between events, friction off";
    report.check(what, "4", TargetBand::Within(3.5, 4.6), order);
    let order = slope(&ends.map(|e| e.1.abs()));
    let what = "order of the unaccounted energy between events, friction off";
    report.check(what, "4", TargetBand::Within(3.5, 5.5), order);
    let share = ends[0].1.abs() / (ends[0].0[state::WORK] - rig.state().x[state::WORK]);
    let what = "unaccounted energy over work between events, at the action's step";
    report.check(what, "0 (aim 1e-4)", TargetBand::AtMost(1e-4), share);

    // The whole stroke with events and friction: the order is reported and must be at least first.
    let rest = TestBench::concert(40, &ActionSettings::default());
    let blows = BLOWS.map(|force| {
        let course = SteppedState { rig: &rest, force };
        let (fine, _) = course.run(BLOW, FINE);
        PARTS.map(|p| apart(&course.run(BLOW, p).0.0, &fine.0))
    });
    let means: [f64; PARTS.len()] = std::array::from_fn(|i| {
        libm::exp(blows.iter().map(|errors| libm::log(errors[i])).sum::<f64>() / BLOWS.len() as f64)
    });
    let what = "order of the motion across whole blows, friction on, geometric mean of six";
    report.check(what, "reported", TargetBand::AtLeast(0.5), slope(&means));
    let worst = blows.iter().fold(0.0f64, |most, errors| most.max(errors[0]));
    let what = "largest difference of hammer and key from the fine run after a blow, rad, at the action's step";
    report.check(what, "reported", TargetBand::AtMost(1e-2), worst);
}
