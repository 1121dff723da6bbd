//! `finger`: the impedance of the finger on the key, estimated during play [Gillespie 1996, §7.2].

use anyhow::Result;

use touchback_haptics::wall::sampled::controller::{Controller, Measurement, Prediction, Standard};
use touchback_haptics::wall::sampled::plant::{FINGER, FingerImpedance, Plant};
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand};
use touchback_offline::plot::{Axis, Figure, PlotMark, Series, Subplot, palette};
use touchback_walls::bench::{SampledLoop, Speed};
use touchback_walls::finger::{Adaptive, Estimator, Tuning};

const DEVICE: Plant = Plant { mass: 0.1, damping: 0.5, stiffness: 0.0, bias: 2.0 };
const STIFF: FingerImpedance = FingerImpedance { mass: 0.02, damping: 1.0, stiffness: 2000.0 };
/// A finger with the hand braced behind it (chosen).
const HAND: FingerImpedance = FingerImpedance { mass: 0.15, damping: 2.0, stiffness: 2000.0 };
const T: f64 = 1e-3;
const COUNT: f64 = 2e-6;
/// Samples with each finger.
const HALF: usize = 1500;

/// Three tones on the motor, and the estimator of the finger's impedance.
struct Tones {
    estimator: Estimator,
    last: f64,
    step: u32,
}

impl Controller for Tones {
    fn force(&mut self, now: Measurement) -> f64 {
        self.estimator.see(now.position, self.last);
        let t = f64::from(self.step) * T;
        self.step += 1;
        let tone = |hz: f64| libm::sin(std::f64::consts::TAU * hz * t);
        self.last = -(tone(3.1) + tone(9.7) + tone(23.0));
        self.last
    }

    fn reset(&mut self) {}
}

fn bench(finger: FingerImpedance, delay: usize) -> SampledLoop {
    let plant = DEVICE.with(finger);
    SampledLoop { plant, period: T, delay, count: COUNT, speed: Speed::Filtered(200.0) }
}

/// Positions with the soft finger, then with the `stiff` one; final amplitude of each.
fn play(wall: &mut dyn Controller, delay: usize, stiff: FingerImpedance) -> (Vec<f64>, [f64; 2]) {
    let (mut state, mut seen) = ([-1e-3, 0.1], Vec::with_capacity(2 * HALF));
    let mut part = |finger| {
        let from = seen.len();
        bench(finger, delay).run(wall, state, HALF, |tick| {
            state = tick.end;
            seen.push(state[0]);
            state[0].abs() < 1.0
        });
        if seen.len() - from < HALF {
            return f64::INFINITY;
        }
        let tail = &seen[from + HALF * 4 / 5..];
        let (low, high) =
            tail.iter().fold((f64::MAX, f64::MIN), |(a, b), y| (a.min(*y), b.max(*y)));
        high - low
    };
    let swings = [part(FINGER), part(stiff)];
    (seen, swings)
}

/// Runs the experiment.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    report.source("000 §7.2 (first extension)");
    for (name, finger) in [
        ("soft", FINGER),
        ("stiff", FingerImpedance { mass: 0.08, damping: 6.0, stiffness: 900.0 }),
    ] {
        let plant = DEVICE.with(finger);
        let guess = DEVICE.with(FINGER);
        let estimator = Estimator::new(&guess, DEVICE.mass, T, Tuning::default());
        let mut tones = Tones { estimator, last: 0.0, step: 0 };
        let bench = SampledLoop { speed: Speed::Difference, ..bench(finger, 0) };
        bench.run(&mut tones, [0.0, 0.0], 2000, |_| true);
        let got = tones.estimator.plant();
        report.near(&format!("{name} finger and device, mass, kg"), plant.mass, 0.03, got.mass);
        report.near(&format!("{name}, damping, N·s/m"), plant.damping, 0.03, got.damping);
        report.near(&format!("{name}, stiffness, N/m"), plant.stiffness, 0.03, got.stiffness);
    }
    let soft = DEVICE.with(FINGER);
    let mut csv =
        DataTable::new(&["delay_ms", "stiffness_n_m", "standard_mm", "fixed_mm", "learning_mm"]);
    let mut panels = Vec::new();
    for (delay, k, stiff, least) in
        [(2usize, 2550.0, STIFF, 0.05), (4, 700.0, STIFF, 0.05), (6, 2000.0, HAND, 1.0)]
    {
        let late = f64::from(u32::try_from(delay)?) * T;
        let mut walls: [(&str, Box<dyn Controller>); 3] = [
            ("standard", Box::new(Standard { stiffness: k, damping: 0.0 })),
            ("prediction, first finger", Box::new(Prediction::new(&soft, k, 0.0, T, late))),
            ("prediction, learning", Box::new(Adaptive::new(&soft, DEVICE.mass, k, 0.0, T, delay))),
        ];
        let mut ends = vec![k];
        let mut series = Vec::new();
        for (i, (name, wall)) in walls.iter_mut().enumerate() {
            let (seen, [before, after]) = play(wall.as_mut(), delay, stiff);
            if i > 0 {
                let quantity =
                    |when: &str| format!("{name}, {k} N/m, delay {delay} ms, {when}, mm");
                report.check(
                    &quantity("soft finger"),
                    "quiet",
                    TargetBand::AtMost(0.05),
                    before * 1e3,
                );
                let (target, band) = if i == 1 {
                    ("chatters", TargetBand::AtLeast(least))
                } else {
                    ("quiet", TargetBand::AtMost(0.05))
                };
                report.check(&quantity("stiffened"), target, band, after * 1e3);
                let points = seen.iter().enumerate();
                let points =
                    points.map(|(k, y)| (f64::from(u32::try_from(k).unwrap_or(0)), y * 1e3));
                let inside = points.map(|(x, y)| (x, if y.abs() < 20.0 { y } else { f64::NAN }));
                series.push(Series::line(name, inside.collect(), palette(i)));
            }
            ends.push(after * 1e3);
        }
        csv.numbers(&delay, &ends);
        panels.push(Subplot::new(Axis::new(&format!("mm ({k} N/m, {delay} ms)")), series));
    }
    report.note(
        "Chatter is the peak-to-peak motion in the last fifth of 1.5 s, 2 µm encoder, velocity \
         differenced and filtered at 200 Hz. The finger becomes 2 kN/m and loses most of its \
         damping while it rests on the wall; in the last case it is a braced hand of 0.15 kg, \
         2 N·s/m and 2 kN/m.",
    );
    let figure = Figure {
        title: "A finger that stiffens on a predictive wall".into(),
        x: Axis::new("time, ms"),
        bands: Vec::new(),
        marks: vec![PlotMark { at: 1500.0, name: "stiffens".into() }],
        panels,
    };
    folder.table("finger.csv", &csv)?;
    folder.draw("finger", &figure, &mut report)?;
    Ok(report)
}
