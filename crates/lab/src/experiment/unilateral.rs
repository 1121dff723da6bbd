//! `unilateral`: stability criteria for a one-sided spring compared with brute-force search [Tsai 1996, II].

use anyhow::{Context, Result};
use nalgebra::Complex;
use std::f64::consts::PI;

use super::calculated;
use touchback_core::math::complex::{modulus, polar};
use touchback_core::math::vec2::Vec2;
use touchback_core::text::numbers::Numbers;
use touchback_haptics::wall::sampled::plant::{FINGER, Plant};
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand};
use touchback_offline::plot::palette;
use touchback_offline::plot::sketch::{Ink, Sketch};
use touchback_walls::calculation::CRITERIA;
use touchback_walls::mapping::Mapping;
use touchback_walls::unilateral::criterion::{
    Criterion, LONGEST, all_frequencies, harmonics, sampled,
};
use touchback_walls::unilateral::{Limits, orbits};

const T: f64 = 1e-3;
const DEVICE: Plant = Plant { mass: 0.1, damping: 0.5, stiffness: 0.0, bias: 1.0 };

/// Name, whether a finger holds the device, damping of the device, N·s/m, delay in whole periods. Five
/// periods, 4.7 ms, stand for blocks of 64 samples at 48 kHz and a tick of transport each way.
const CASES: [(&str, bool, f64, u16); 5] = [
    ("device", false, 0.5, 0),
    ("device, delay 2 T", false, 0.5, 2),
    ("damped device (5 N·s/m)", false, 5.0, 0),
    ("held, delay 1 T", true, 0.5, 1),
    ("held, delay 5 T", true, 0.5, 5),
];

fn plant(is_held: bool, damping: f64) -> Plant {
    let device = Plant { damping, ..DEVICE };
    if is_held { device.with(FINGER) } else { device }
}

/// Number of existing orbits over a grid of stiffness and period, and of those that the criterion excludes
/// at the orbit's harmonics.
fn falsify() -> (f64, f64) {
    let (mut exist, mut excluded) = (0.0, 0.0);
    for (is_held, damping, delay) in
        [(false, 0.5, 0), (false, 0.5, 2), (false, 2.0, 1), (true, 0.5, 1), (true, 0.5, 4)]
    {
        for period in [2e-3, 4e-3] {
            let plant = plant(is_held, damping);
            let response = |angle: f64| sampled(&plant, period, delay, angle);
            for i in 0..60 {
                let k = 50.0 * libm::pow(1.12, f64::from(i));
                let late = usize::try_from(delay).unwrap_or(0);
                let Some([n, _]) = orbits::single_visit(&plant, k, period, late) else { continue };
                exist += 1.0;
                let own = harmonics(u32::try_from(n).unwrap_or(LONGEST));
                if Criterion::Shifts.excludes(&response, k, &own).is_some() {
                    excluded += 1.0;
                }
            }
        }
    }
    (exist, excluded)
}

fn mappings(report: &mut Report) {
    let (m, k) = (0.2, 1000.0);
    let mass = |s: Complex<f64>| s * m;
    let spring = |s: Complex<f64>| Complex::new(k, 0.0) / s;
    report.source("004 §5.1, 5.2 (A-stability and passivity)");
    let largest = |span: [f64; 2]| span[0].abs().max(span[1].abs());
    let relative = 2.0 * m / T * 2.0 * 20_000.0 / PI;
    report.check(
        "bilinear mass, Re over the largest modulus",
        "0",
        TargetBand::AtMost(1e-9),
        largest(Mapping::Bilinear.resistance(T, mass)) / relative,
    );
    // The same quantity at the lowest frequency.
    let relative = 0.5 * k * T * 2.0 * 20_000.0 / PI;
    report.check(
        "bilinear spring, Re over the largest modulus",
        "0",
        TargetBand::AtMost(1e-9),
        largest(Mapping::Bilinear.resistance(T, spring)) / relative,
    );
    let [low, high] = Mapping::BackwardEuler.resistance(T, spring);
    report.near("backward Euler spring, least Re: +KT/2", 0.5, 1e-6, low);
    report.near("backward Euler spring, largest Re", 0.5, 1e-6, high);
    let [low, _] = Mapping::BackwardEuler.resistance(T, mass);
    report.check("backward Euler mass, least Re", "≥ 0", TargetBand::AtLeast(0.0), low);
    let [low, _] = Mapping::ForwardEuler.resistance(T, mass);
    report.near("forward Euler mass, least Re: −2m/T", -400.0, 1e-6, low);
    let [low, _] = Mapping::ForwardEuler.resistance(T, spring);
    report.near("forward Euler spring, least Re: −KT/2", -0.5, 1e-6, low);
}

/// Runs the experiment.
pub fn run(folder: &mut Folder, numbers: &Numbers) -> Result<Report> {
    if let Some(report) = calculated::report(&CRITERIA, folder, numbers)? {
        return Ok(report);
    }
    let mut report = Report::default();
    report.source("004 ch. 3, 4 (re-derived: docs/unilateral.md)");
    // The two-sided spring is not in the table.
    let [columns @ .., _] = CRITERIA.columns else { return Ok(report) };
    let mut csv = DataTable::new(&[&["case"], columns].concat());
    for (name, is_held, damping, delay) in CASES {
        let limits = Limits::of(&plant(is_held, damping), T, delay);
        let [circle, tsypkin, wedge, shifts] = limits.sampled;
        let (found, [sector, popov, linear]) = (limits.orbits, limits.continuous);
        csv.row(&[&name, &circle, &tsypkin, &wedge, &shifts, &found, &popov]);
        let quantity = |what: &str| format!("{name}: {what}");
        // No criterion may exceed the stiffness up to which the search finds rest.
        report.check(
            &quantity("circle, N/m"),
            "≤ brute force",
            TargetBand::AtMost(1.003 * found),
            circle,
        );
        report.check(
            &quantity("Tsypkin, N/m"),
            "from circle to wedge",
            TargetBand::Within(0.999 * circle, 1.001 * wedge),
            tsypkin,
        );
        report.check(
            &quantity("wedge (one shift), N/m"),
            "above the circle",
            TargetBand::Within(circle.max(tsypkin), 1.003 * found),
            wedge,
        );
        report.check(
            &quantity("all shifts, N/m"),
            "≤ brute force",
            TargetBand::Within(0.999 * wedge, 1.003 * found),
            shifts,
        );
        report.check(
            &quantity("Popov in continuous time, the hold as a lag, N/m"),
            "from circle to the two-sided spring's limit",
            TargetBand::Within(sector, 1.003 * linear),
            popov,
        );
        if delay == 5 {
            report.check(
                &quantity("against the direct limit over 64-sample blocks both ways, N/m"),
                "outside: below 816",
                TargetBand::AtMost(816.0),
                shifts,
            );
        }
    }
    let (exist, excluded) = falsify();
    report.check(
        "orbits of up to 64 samples found over all grids",
        "some",
        TargetBand::AtLeast(50.0),
        exist,
    );
    report.check(
        "orbits found and excluded by the criterion",
        "0",
        TargetBand::AtMost(0.0),
        excluded,
    );
    mappings(&mut report);
    report.note(
        "Brute force is the largest stiffness without a periodic orbit of one visit and up to 64 \
         samples at which the loop comes to rest from twelve starts. All criteria are evaluated at \
         800 frequencies up to the Nyquist frequency.",
    );
    folder.table("unilateral.csv", &csv)?;
    let sketch = nyquist(&all_frequencies()).context("the wedge does not reach its own limit")?;
    folder.sketch("unilateral", &sketch)?;
    report.figure("unilateral.svg");
    Ok(report)
}

/// The Nyquist plot of the held device with one period of delay, just below the wedge's limit.
fn nyquist(frequencies: &[f64]) -> Option<Sketch> {
    const CORNER: (f64, f64) = (-6.0, -2.6);
    const OTHER: (f64, f64) = (1.6, 1.0);
    let held = plant(true, 0.5);
    let response = |angle: f64| sampled(&held, T, 1, angle);
    let one = Complex::new(1.0, 0.0);
    let wedge_limit = Criterion::Wedge.limit(&response, &[frequencies.to_vec()]);
    let k = 0.95 * wedge_limit;
    let (wedge, _) = Criterion::Wedge.excludes(&response, k, frequencies)?;
    let tsypkin_limit = Criterion::Tsypkin.limit(&response, &[frequencies.to_vec()]);
    let (tsypkin, _) = Criterion::Tsypkin.excludes(&response, tsypkin_limit, frequencies)?;

    let mut sketch =
        Sketch::new("G = K P of the held device, one period late, at 95 % of the wedge's limit");
    let at = |z: Complex<f64>| Vec2::new(z.re, z.im);
    let is_shown = |z: &Complex<f64>| {
        (CORNER.0..OTHER.0).contains(&z.re) && (CORNER.1..OTHER.1).contains(&z.im)
    };
    let pen = |index, width| Ink { colour: palette(index), width };
    let grey = Ink { colour: plotters::style::RGBColor(120, 126, 135), width: 1 };
    let corner = |x, y| Vec2::new(x, y);
    sketch.line(&[corner(CORNER.0, 0.0), corner(OTHER.0, 0.0)], grey);
    sketch.line(&[corner(0.0, CORNER.1), corner(0.0, OTHER.1)], grey);
    for (at, text) in [
        (corner(OTHER.0 - 0.4, 0.04), "Re G"),
        (corner(0.0, OTHER.1 - 0.15), "Im G"),
        (corner(-1.0, -0.2), "−1"),
        (corner(0.0, -0.2), "0"),
    ] {
        sketch.label(at, text, grey.colour);
    }
    sketch.label(corner(-4.4, -2.3), "G", palette(0));
    // A line through `through` in the direction `along`, clipped to the window.
    let line = |through: Complex<f64>, along: Complex<f64>| {
        let steps = (-800..=800).map(|i| through + along / modulus(along) * (0.01 * f64::from(i)));
        steps.filter(is_shown).map(at).collect::<Vec<_>>()
    };
    let curve: Vec<_> = (1..=8000)
        .map(|i| response(PI * f64::from(i) / 8000.0) * k)
        .filter(is_shown)
        .map(at)
        .collect();
    sketch.line(&curve, pen(0, 2));
    sketch.line(&line(-one, Complex::new(0.0, 1.0)), pen(1, 2));
    sketch.label(corner(-2.6, OTHER.1 - 0.15), "circle: G to the right of this", palette(1));
    for (i, share) in [0.03, 0.06, 0.12].into_iter().enumerate() {
        let angle = PI * share;
        let turn = |d: f64| one - polar(1.0, angle * d);
        let multiplier = turn(1.0) * wedge[1] + turn(-1.0) * wedge[2] + one * wedge[0];
        let border = line(-one, Complex::new(0.0, 1.0) * multiplier.conj());
        sketch.line(&border, pen(2 + i, 2));
        // Re[(h₀ + h₁(1 − e^{−jω})) G] = −h₀.
        let popov = turn(-1.0) * tsypkin[1] + one * tsypkin[0];
        let through = popov.conj() * (-tsypkin[0] / popov.norm_sqr());
        sketch.line(
            &line(through, Complex::new(0.0, 1.0) * popov.conj()),
            Ink { colour: palette(2 + i), width: 1 },
        );
        let g = response(angle) * k;
        if is_shown(&g) {
            sketch.dot(at(g), 6, palette(2 + i));
        }
        let y = CORNER.1 + 0.2 * f64::from(u32::try_from(i).ok()? + 1);
        let text = format!(
            "at {share} of the Nyquist frequency: dot G, thick border of the wedge, thin of Tsypkin"
        );
        sketch.label(corner(-3.2, y), &text, palette(2 + i));
    }
    sketch.dot(at(-one), 4, palette(1));
    Some(sketch)
}
