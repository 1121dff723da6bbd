//! `wall-display`: a virtual mass displayed by a device [Gillespie 1996, ch. 4; 1993].

use super::calculated;
use anyhow::Result;
use nalgebra::{Complex, Vector1, Vector2};

use touchback_core::math::complex::polar;
use touchback_core::text::numbers::Numbers;
use touchback_haptics::wall::sampled::plant::{FINGER, FingerImpedance, Plant};
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand};
use touchback_offline::plot::{Axis, Figure, Series, Subplot, palette};
use touchback_walls::analysis::passivity;
use touchback_walls::calculation::motion::SPRUNG;
use touchback_walls::display::coupled::{Coupled, Scheme, apparent};
use touchback_walls::display::sprung_mass::{Method, SprungMass};

const DEVICE: Plant = Plant { mass: 0.1, damping: 0.5, stiffness: 0.0, bias: 0.0 };
/// Coupling stiffness of the thesis's key, N/m, and its hammer's mass, kg.
const K: f64 = 200.0;
const M: f64 = 0.05;
const T: f64 = 1e-3;

fn coupled(scheme: Scheme, finger: FingerImpedance, mass: f64, period: f64) -> Coupled {
    Coupled { scheme, device: DEVICE, finger, mass, stiffness: 0.0, damping: 0.82, period }
}

/// [`SprungMass::growth`] of the thesis's key and hammer.
fn growth(method: Method, period: f64) -> f64 {
    SprungMass::new(K, M, period, method).growth()
}

/// Stiffness, N/m, at which the virtual mass alone becomes unstable with the device fixed:
/// z² − (2 − T²K/m − TB/m) z + 1 − TB/m has the root z = −1.
fn alone(period: f64) -> f64 {
    (4.0 * M - 2.0 * period * 0.82) / (period * period)
}

/// Largest motion of a simulated impedance display in the last fifth of the run relative to the second
/// fifth; independent of the computed poles.
fn growth_of(display: &Coupled) -> f64 {
    const SAMPLES: u32 = 100_000;
    let whole = display.device.with(display.finger);
    let step = whole.discrete(display.period);
    let (mut device, mut last) = (Vector2::new(1e-3, 0.0), 1e-3);
    let [mut position, mut speed] = [0.0f64; 2];
    let mut most = [0.0f64; 5];
    for k in 0..SAMPLES {
        let rate = (device[0] - last) / display.period;
        let force = display.stiffness * (device[0] - position) + display.damping * (rate - speed);
        last = device[0];
        device = step.step(&device, &Vector1::new(-force));
        speed += force * display.period / display.mass;
        position += speed * display.period;
        if !position.is_finite() {
            return f64::INFINITY;
        }
        let fifth = &mut most[usize::try_from(k * 5 / SAMPLES).unwrap_or(4)];
        *fifth = fifth.max((position - device[0]).abs());
    }
    // Below this value the motion is rounding error.
    most[4] / most[1].max(1e-15)
}

/// Runs the experiment.
pub fn run(folder: &mut Folder, numbers: &Numbers) -> Result<Report> {
    if let Some(report) = calculated::report(&SPRUNG, folder, numbers)? {
        return Ok(report);
    }
    let mut report = Report::default();
    report.source("000 §4.1.1, figs. 4.1–4.3; 003 fig. 1 (impedance control)");
    // K + B(1 − 1/z)/T: the response never changes sign, unlike a mass's above resonance.
    let least = (1..=1000)
        .map(|i| {
            let back = polar(1.0, -std::f64::consts::PI * f64::from(i) / 1000.0);
            (Complex::from(K) + (Complex::from(1.0) - back) * (0.82 / T)).re
        })
        .fold(f64::INFINITY, f64::min);
    report.check(
        "impedance control K + B, least Re F/X, N/m",
        "never below K",
        TargetBand::AtLeast(K),
        least,
    );
    // A device that hides its own friction: stable up to that friction, passive by the same share.
    let flow = DEVICE.discrete(T);
    let kept = |masked: f64| {
        let first = Vector2::new(0.0, 0.1);
        let last = (0..1000).fold(first, |x, _| flow.step(&x, &Vector1::new(masked * x[1])));
        last[1] / first[1]
    };
    let left = libm::exp(-(DEVICE.damping - 0.4) / DEVICE.mass);
    let quantity = "damping of −0.4 N·s/m on the device's 0.5: share of the speed after 1 s";
    report.near(quantity, left, 0.01, kept(0.4));
    let quantity = "damping of −0.51 N·s/m on the device's 0.5: share of the speed after 1 s";
    report.check(quantity, "grows", TargetBand::AtLeast(1.0), kept(0.51));
    let passive = passivity::damping(T, |angle| passivity::wall(0.0, -0.4, T, 0.0, angle));
    let quantity = "damping of −0.4 N·s/m: device damping that keeps it passive, N·s/m";
    report.near(quantity, 0.4, 1e-6, passive);
    report.source("000 §4.1.2, fig. 4.4, eq. 4.1");
    let display = SprungMass::new(K, M, T, Method::SemiImplicit);
    let exact = (K / M).sqrt();
    report.near("resonance of the displayed sprung mass, rad/s", exact, 0.01, display.resonance());
    report.erratum("prints v − (f/m)Δt with f = K(x − y); it is +; the force on the key is −f");
    let w = 0.3 * exact;
    let ideal = -K * M * w * w / (K - M * w * w);
    report.near("F/X at 0.3 of the resonance, N/m", ideal, 0.01, display.response(w * T).re);
    let limit = (4.0 * M / K).sqrt();
    report.check(
        "energy of the semi-implicit mass over its start, T 1 ms",
        "bounded",
        TargetBand::AtMost(1.2),
        growth(Method::SemiImplicit, T),
    );
    report.check(
        "energy of the semi-implicit mass over its start, 0.99 of K T²/m = 4",
        "bounded",
        TargetBand::AtMost(1e3),
        growth(Method::SemiImplicit, 0.99 * limit),
    );
    report.check(
        "energy of the semi-implicit mass over its start, 1.01 of K T²/m = 4",
        "grows",
        TargetBand::AtLeast(1e6),
        growth(Method::SemiImplicit, 1.01 * limit),
    );
    report.check(
        "energy of the explicit mass, T 1 ms",
        "grows",
        TargetBand::AtLeast(1e6),
        growth(Method::Euler, T),
    );
    report.source("000 §4.1.3, fig. 4.5 (admittance display)");
    let (mass, servo) = (0.3, 5000.0);
    let apparent_mass = |w: f64| {
        let s = Complex::new(0.0, w);
        (apparent(&DEVICE, mass, servo, 10.0, s) / (s * s)).re
    };
    report.near("apparent mass at 1 rad/s, kg", mass, 1e-3, apparent_mass(1.0));
    let quantity = "apparent mass at 10⁵ rad/s: the device's, kg";
    report.near(quantity, DEVICE.mass, 0.01, apparent_mass(1e5));
    report.source("000 §4.1.2; 003 §5 (coupling spring)");
    let limit = |scheme, finger, mass, period| {
        coupled(scheme, finger, mass, period).stiffest().unwrap_or(0.0)
    };
    let none = FingerImpedance { mass: 0.0, damping: 0.0, stiffness: 0.0 };
    let impedance = limit(Scheme::Impedance, FINGER, M, T);
    report.check(
        "largest coupling, impedance display, held, N/m",
        "above the thesis's 200",
        TargetBand::Within(K, alone(T)),
        impedance,
    );
    // The loop of 1993 displayed 100 N/m at 7 ms; a spring is passive up to 2b/T.
    let slow = limit(Scheme::Impedance, FINGER, M, 7e-3);
    let passive =
        DEVICE.damping / passivity::damping(7e-3, |a| passivity::wall(1.0, 0.0, 7e-3, 0.0, a));
    report.near(
        "coupling in 7 ms, the loop of 1993: passive to 2b/T, N/m",
        1e3 / 7.0,
        1e-6,
        passive,
    );
    report.check(
        "coupling of 1993, 100 N/m, over the passive limit",
        "passive",
        TargetBand::AtMost(1.0),
        100.0 / passive,
    );
    report.check(
        "largest coupling in 7 ms, held, N/m",
        "from passive to the mass's own (4m − 2TB)/T²",
        TargetBand::Within(passive, alone(7e-3)),
        slow,
    );
    let free = limit(Scheme::Impedance, none, M, T);
    report.check(
        "largest coupling at 1 ms without a finger, N/m",
        "less than held",
        TargetBand::AtMost(impedance),
        free,
    );
    let mut worst = [0.0f64, f64::INFINITY];
    for (finger, period, found) in [(FINGER, T, impedance), (FINGER, 7e-3, slow), (none, T, free)] {
        let at = |share: f64| {
            let k = share * found;
            growth_of(&Coupled { stiffness: k, ..coupled(Scheme::Impedance, finger, M, period) })
        };
        worst = [worst[0].max(at(0.99)), worst[1].min(at(1.01))];
    }
    let quantity = "simulated at 0.99 of the three limits: late over early motion, largest";
    report.check(quantity, "decays", TargetBand::AtMost(1.0), worst[0]);
    let quantity = "simulated at 1.01 of the three limits: late over early motion, least";
    report.check(quantity, "grows", TargetBand::AtLeast(1.0), worst[1]);
    let stiff = |scheme: Scheme, k: f64, b: f64, m: f64| {
        Coupled { stiffness: k, damping: b, ..coupled(scheme, FINGER, m, T) }.radius()
    };
    let rigid = stiff(Scheme::Impedance, 1e6, 0.82, M);
    report.check(
        "coupling of 10⁶ N/m: pole modulus",
        "unstable: no rigid coupling",
        TargetBand::AtLeast(1.0),
        rigid,
    );

    let mut csv = DataTable::new(&[
        "virtual_mass_kg",
        "impedance_held_n_m",
        "impedance_free_n_m",
        "admittance_held_n_m",
    ]);
    let mut curves: [Vec<(f64, f64)>; 3] = Default::default();
    for i in 0..=40 {
        let mass = 0.002 * libm::pow(10.0, f64::from(i) / 40.0 * 3.0);
        let values = [
            limit(Scheme::Impedance, FINGER, mass, T),
            limit(Scheme::Impedance, none, mass, T),
            limit(Scheme::Admittance, FINGER, mass, T),
        ];
        csv.numbers(&mass, &values);
        for (curve, value) in curves.iter_mut().zip(values) {
            curve.push((mass, value));
        }
    }
    let names = ["impedance, held", "impedance, no finger", "admittance, held"];
    let all = names.iter().zip(curves).enumerate();
    let figure = Figure {
        title: "Largest coupling stiffness between device and virtual mass, T 1 ms".into(),
        x: Axis::new("virtual mass, kg").log(),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![Subplot::new(
            Axis::new("stiffness, N/m").log(),
            all.map(|(i, (n, c))| Series::line(n, c, palette(i))).collect(),
        )],
    };
    folder.table("wall-display.csv", &csv)?;
    folder.draw("wall-display", &figure, &mut report)?;
    Ok(report)
}
