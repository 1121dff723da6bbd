//! `wall-damping`: the device damping that a sampled wall requires [Gillespie 1996, ch. 6].

mod figures;

use anyhow::{Context, Result};
pub(super) use figures::unit;

use super::calculated;
use touchback_core::math::complex::modulus;
use touchback_core::math::power::square;
use touchback_core::text::numbers::Numbers;
use touchback_haptics::wall::sampled::plant::{FINGER, Plant};
use touchback_offline::bench::{Folder, Report, TargetBand};
use touchback_walls::analysis::return_map::Crossing;
use touchback_walls::analysis::worst_case::WorstCase;
use touchback_walls::analysis::{marginal, passivity};
use touchback_walls::calculation::DAMPING;

const MASS: Plant = Plant { mass: 0.3, damping: 0.0, stiffness: 0.0, bias: 0.0 };
const K: f64 = 5000.0;

/// Sample periods of the printed values, ms.
const PERIODS_MS: [f64; 5] = [0.5, 1.0, 2.0, 5.0, 10.0];

/// τ = bT/m and α = KT/b of the damping `b` N·s/m at the period `t` s (eq. 6.6).
fn dimensionless(b: f64, t: f64) -> [f64; 2] {
    [b * t / MASS.mass, K * t / b]
}

fn worst(ms: f64) -> WorstCase {
    WorstCase { mass: 0.32, outside: 257.0, inside: K, period: ms * 1e-3 }
}

fn marginal_rows(report: &mut Report) -> Result<()> {
    report.source("000 eqs. 6.1–6.5, figs. 6.1, 6.2");
    for (ms, b) in
        [(0.5, 1.24957), (1.0, 2.49653), (2.0, 4.97238), (5.0, 12.08081), (10.0, 21.97488)]
    {
        let got = marginal::damping(&MASS, K, ms * 1e-3).context("no marginal damping")?;
        report.digits(&format!("marginal damping, T {ms} ms, N·s/m"), b, 5, got);
        if ms < 1.0 {
            report.erratum("6.1 prints 1/(s²(ms + b)); it is 1/(s(ms + b))");
        }
    }
    let errors = PERIODS_MS.map(|ms| {
        let t = ms * 1e-3;
        let b = marginal::damping(&MASS, K, t).unwrap_or(f64::NAN);
        marginal::poles(&Plant { damping: b, ..MASS }, K, t).map(|p| (modulus(p) - 1.0).abs())
    });
    let off = errors.as_flattened().iter().copied().fold(0.0, f64::max);
    report.check(
        "distance of both poles from the unit circle at marginal damping",
        "0",
        TargetBand::AtMost(1e-12),
        off,
    );
    // b = KT/2 up to a relative error of order KT²/m, 2·10⁻⁶ here.
    let small = marginal::damping(&MASS, K, 1e-5).unwrap_or(f64::NAN) / (0.5 * K * 1e-5);
    report.near("marginal over KT/2, T 0.01 ms", 1.0, 1e-5, small);
    report.source("000 eqs. 6.6, 6.7, fig. 6.3");
    let residual = PERIODS_MS.map(|ms| {
        let b = marginal::damping(&MASS, K, ms * 1e-3).unwrap_or(f64::NAN);
        let [tau, alpha] = dimensionless(b, ms * 1e-3);
        (libm::exp(tau) - 1.0 + alpha / (1.0 - alpha / tau)).abs()
    });
    let most = residual.into_iter().fold(0.0, f64::max);
    report.check("e^τ − 1 + α/(1 − α/τ) at marginal damping", "0", TargetBand::AtMost(1e-9), most);
    report.erratum(
        "6.7 prints e^{1/τ} = 1 − α/(1 − τα), which holds for τ = m/(bT), not for the τ of 6.6",
    );
    report.source("000 fig. 6.4 (marginal stability simulated)");
    let [least, largest] = figures::swing(1.0)?;
    report.near("amplitude after 2000 samples over the first, T 2 ms", 1.0, 1e-9, largest / least);
    let [least, largest] = figures::swing(0.99)?;
    report.check(
        "amplitude after 2000 samples over the first, 1 % less damping",
        "grows",
        TargetBand::AtLeast(1.1),
        largest / least,
    );
    report.source("000 eqs. 6.8–6.13, figs. 6.5–6.7");
    let held = MASS.with(FINGER);
    for (ms, b) in [
        (0.5, -2.5004),
        (1.0, -1.2534),
        (2.0, 1.2228),
        (3.0, 3.6587),
        (5.0, 8.3363),
        (10.0, 18.2531),
    ] {
        let got = marginal::damping(&held, K, ms * 1e-3).context("no marginal damping")?;
        report.digits(&format!("marginal damping with the finger, T {ms} ms, N·s/m"), b, 4, got);
        if ms < 1.0 {
            report.erratum(
                "6.11, 6.13 need e^{−aT}cos bT and e^{−2aT}; \"b\" there is √(k*/M − a²), not a damping",
            );
        }
    }
    let free = |t: f64| marginal::damping(&held, K, t).unwrap_or(f64::NAN);
    let (mut low, mut high) = (1e-3, 2e-3);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if free(middle) < 0.0 { low = middle } else { high = middle }
    }
    report.digits("period at which the finger provides all damping, ms", 1.504_65, 5, 1e3 * low);
    report.source("000 §6.2.1, fig. 6.3 (Colgate's passivity)");
    let t = 1e-3;
    let passivating = |b: f64, late: f64| {
        passivity::damping(t, |angle| passivity::wall(1000.0, b, t, late, angle))
    };
    report.check(
        "passivating damping, K 1000, T 1 ms, N·s/m",
        "0.5",
        TargetBand::Near(0.5, 1e-9),
        passivating(0.0, 0.0),
    );
    let quantity = "passivating damping with B 1, N·s/m";
    report.check(quantity, "1.5", TargetBand::Near(1.5, 1e-6), passivating(1.0, 0.0));
    let quantity = "passivating damping with a delay of one period, N·s/m";
    report.check(quantity, "1.5", TargetBand::Near(1.5, 1e-6), passivating(0.0, t));
    report.check(
        "passivating damping with a delay of five periods, N·s/m",
        "5.5",
        TargetBand::Near(5.5, 1e-5),
        passivating(0.0, 5.0 * t),
    );
    let inside = (1..=40).all(|i| {
        let t = 2.5e-4 * f64::from(i);
        let passive = 0.5 * K * t;
        marginal::damping(&MASS, K, t).is_some_and(|b| b <= passive)
    });
    report.holds("the passive region lies inside the stable one, T to 10 ms", inside);
    Ok(())
}

fn maps(report: &mut Report) -> Result<()> {
    report.source("000 eqs. 6.14–6.34, figs. 6.8, 6.9");
    let start = Crossing { time: 0.0, speed: 1.0 };
    for (t, most) in
        [(0.01, 0.999_961), (0.03, 1.000_928), (0.1, 0.998_587), (0.2, 1.066_322), (0.3, 1.275_111)]
    {
        let speeds = figures::unit(t).speeds(start, 40);
        let got = speeds.iter().copied().fold(0.0, f64::max);
        report.digits(&format!("return map, largest of 40 exit speeds, T {t}"), most, 6, got);
        if t < 0.02 {
            report.erratum("6.25 t_i(x_off); 6.31 lacks y0; 6.32 as 5.7; 6.33 + v0 cos ωt");
        }
    }
    report.source("000 figs. 6.10, 6.11 (energy at switching)");
    let (mut now, mut off, mut jump) = (start, 0.0f64, 0.0f64);
    for _ in 0..40 {
        let pass = figures::unit(0.2).pass(now).context("the map ends")?;
        let change = 0.5 * (square(pass.exit.speed) - square(now.speed));
        off = off.max((change - (pass.gained - pass.lost)).abs());
        jump = jump.max((pass.gained - 0.5 * square(pass.on[0])).abs());
        now = pass.exit;
    }
    report.check("energy not explained by late switching, J", "0", TargetBand::AtMost(1e-12), off);
    report.check(
        "error of the jump at a late turn-on against ½(k2 − k1)y², J",
        "0",
        TargetBand::AtMost(1e-14),
        jump,
    );
    let pass = figures::unit(0.0).pass(start).context("the map ends")?;
    report.check(
        "energy transferred by switching at the threshold, J",
        "0",
        TargetBand::AtMost(1e-12),
        pass.gained.abs() + pass.lost.abs(),
    );
    report.source("000 eqs. 6.35–6.57, figs. 6.12–6.15");
    for (ms, sigma, b) in [
        (1.0, 0.054_080_5, 0.034_611_5),
        (2.0, 0.211_485_3, 0.135_350_6),
        (5.0, 1.147_273_7, 0.734_255_2),
        (10.0, 3.203_588_9, 2.050_296_9),
    ] {
        let got = worst(ms).balance().context("no balance")?;
        report.digits(&format!("worst case, σ at T {ms} ms, 1/s"), sigma, 7, got);
        if ms < 2.0 {
            report.erratum(
                "6.46, 6.54: t2 = [π − atan((ω2/ω1) tan ω1T)]/ω2; 6.51, 6.52, 6.56, 6.57: ω2/ω1; 6.53: t_j + t1 + t2; \
                            6.36, 6.44: decays; 6.40: B2ω2; 6.41: (v20 + σy20)/ω2",
            );
        }
        report.digits(&format!("worst case, b at T {ms} ms, N·s/m"), b, 7, 0.64 * got);
        let exit = worst(ms).exit(1.0, 0.64 * got, 0.0).context("no exit")?;
        report.check(
            &format!("error of the propagated exit speed against 1, T {ms} ms"),
            "0",
            TargetBand::AtMost(1e-12),
            (exit - 1.0).abs(),
        );
    }
    // The bias counts beside the speed: fig. 6.15 does not print its own.
    for (speed, b) in [(1.0, 0.832_77), (0.1, 1.625)] {
        let got = worst(5.0).damping(speed, 1.0).context("no damping")?;
        let quantity = format!("worst case, b at T 5 ms, bias 1 N, exit at {speed} m/s, N·s/m");
        report.near(&quantity, b, 1e-3, got);
    }
    // Without damping the gain per cycle is exactly G; for short periods σ has a closed form.
    let map = worst(5.0);
    let gain = map.exit(1.0, 0.0, 0.0).context("no exit")?;
    let off = (gain / map.round(0.0)[2] - 1.0).abs();
    let quantity =
        "error of a cycle's gain without damping against √(cos²ω1T + (ω2/ω1)² sin²ω1T), T 5 ms";
    report.check(quantity, "0", TargetBand::AtMost(1e-12), off);
    let map = worst(0.01);
    let (w1, w2) = ((map.outside / map.mass).sqrt(), (map.inside / map.mass).sqrt());
    let turn = std::f64::consts::PI * (1.0 / w1 + 1.0 / w2);
    let law = 0.5 * (w2 * w2 - w1 * w1) * square(map.period) / turn;
    let ratio = map.balance().context("no balance")? / law;
    report.near("σ over ½(ω2² − ω1²)T²/(π/ω1 + π/ω2), T 0.01 ms", 1.0, 1e-3, ratio);
    Ok(())
}

/// Runs the experiment.
pub fn run(folder: &mut Folder, numbers: &Numbers) -> Result<Report> {
    if let Some(report) = calculated::report(&DAMPING, folder, numbers)? {
        return Ok(report);
    }
    let mut report = Report::default();
    marginal_rows(&mut report)?;
    maps(&mut report)?;
    report.note(
        "At 10 ms the worst case balances at σ 3.20358886: at 3.2035886 the residual of \
         σ(t1 + t2) = ln G is still 3.7·10⁻⁸.",
    );
    figures::draw(folder, &mut report)?;
    Ok(report)
}
