//! `fit`: constants that are fitted to the action, and their residuals: the parameters of [`Fitted`], by
//! their misfit to the *must* targets with fixed gestures; the table of the pressed touch (`pressing.rs`);
//! the constants of the constructed strike (`construct.rs`). The last two are printed as source text.

mod misfit;

use std::fmt::Write as _;

use anyhow::{Context, Result};
use nalgebra::DMatrix;

use misfit::{distances, misfit};
use touchback_action::grand::design::fitted::Fitted;
use touchback_action::grand::{key::construct, key::pressing};
use touchback_action::{ActionSettings, EventKind, STEP};
use touchback_core::math::cast::{byte, floor_index};
use touchback_core::math::power::square;
use touchback_offline::bench::driven::Driven as _;
use touchback_offline::bench::strokes::TouchKind;
use touchback_offline::bench::test_bench::TestBench;
use touchback_offline::bench::{Folder, Report, TargetBand, short};
use touchback_offline::parallel;

/// Relative change of each parameter.
const VARIATION: f64 = 0.05;

/// Hammer speeds of the fit of the constructed strike, m/s.
const SPEEDS: [f64; 6] = [0.6, 0.9, 1.3, 2.0, 2.8, 4.0];

/// Keys of the fit of the constructed strike.
const KEYS: [u8; 3] = [4, 40, 71];

/// Name of a fitted parameter, and access to it.
type Field = (&'static str, fn(&mut Fitted) -> &mut f64);

const FIELDS: [Field; 8] = [
    ("capstan", |f| &mut f.capstan),
    ("jack corner", |f| &mut f.corner),
    ("repetition spring", |f| &mut f.repetition_spring),
    ("knuckle stiffness", |f| &mut f.knuckle),
    ("key-bed stiffness", |f| &mut f.bed),
    ("check stiffness", |f| &mut f.check),
    ("check slope", |f| &mut f.check_slope),
    ("damper cloth stiffness", |f| &mut f.damper_lift),
];

/// Runs all three fits.
pub fn run(_: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    let moved = FIELDS.iter().flat_map(|(_, field)| {
        [-VARIATION, VARIATION].map(|share| {
            let mut moved = Fitted::CONCERT;
            *field(&mut moved) *= 1.0 + share;
            moved
        })
    });
    let tried: Vec<Fitted> = std::iter::once(Fitted::CONCERT).chain(moved).collect();
    let all = parallel::map(&tried, distances);
    let misfits: Vec<f64> = all.iter().map(|distances| misfit(distances)).collect();
    let (base, varied) = (misfits[0], misfits[1..].as_chunks::<2>().0);
    report.check(
        "misfit: rms of distances over half-widths of the bands",
        "0",
        TargetBand::AtMost(1.0),
        base,
    );
    let mut sides = String::from("Misfit with a parameter smaller by 5 %, and larger by 5 %:\n");
    for ((name, _), &[less, more]) in FIELDS.iter().zip(varied) {
        write!(sides, "\n- {name}: {}, {}", short(less), short(more))?;
        let quantity = format!("{name} changed by ± 5 %: improvement of the misfit, %");
        let gain = 100.0 * (1.0 - less.min(more) / base);
        report.check(&quantity, "≤ 0", TargetBand::AtMost(10.0), gain);
    }
    report.note(&sides);
    intervals(&all[1..], &mut report)?;
    pressed(&mut report)?;
    constructed(&mut report)?;
    Ok(report)
}

/// Adds the interval of each parameter to the report. `varied` has the distances with a parameter smaller and
/// larger by [`VARIATION`], parameter by parameter.
///
/// A band is read as the 95 % interval of its target, the targets as independent. With the derivatives J of the
/// distances by the relative changes of the parameters, the 95 % interval of a parameter is 1/√(JᵀJ)ᵢᵢ if the others
/// are known, and √((JᵀJ)⁻¹)ᵢᵢ if the targets determine all of them.
fn intervals(varied: &[Vec<f64>], report: &mut Report) -> Result<()> {
    let count = varied.first().map_or(0, Vec::len);
    let slopes = DMatrix::from_fn(count, FIELDS.len(), |row, i| {
        (varied[2 * i + 1][row] - varied[2 * i][row]) / (2.0 * VARIATION)
    });
    let information = slopes.transpose() * &slopes;
    let covariance =
        information.clone().try_inverse().context("fit: two parameters do the same")?;
    let mut text = String::from("95 % intervals, %, with the other parameters known, and free:\n");
    for (i, (name, _)) in FIELDS.iter().enumerate() {
        let (known, free) = (1.0 / information[(i, i)].sqrt(), covariance[(i, i)].sqrt());
        write!(text, "\n- {name}: ± {}, ± {}", short(100.0 * known), short(100.0 * free))?;
    }
    report.note(&text);
    Ok(())
}

/// Fits the table of the pressed touch.
fn pressed(report: &mut Report) -> Result<()> {
    let mut table = String::new();
    let mut deviation = 0.0f64;
    for (number, speeds) in pressing::HAMMER {
        let rig = TestBench::concert(byte(floor_index(number)), &ActionSettings::default());
        let now = pressing::FORCE
            .map(|force| TouchKind::Pressed.stroke(&rig, force).map_or(0.0, |s| s.hammer));
        for (a, b) in now.iter().zip(speeds) {
            deviation = deviation.max((a - b).abs());
        }
        let row = now.map(|v| format!("{v:.3}")).join(", ");
        writeln!(table, "    ({number:.1}, [{row}]),")?;
    }
    let quantity = "pressed touch: largest deviation of the table from the action, m/s";
    report.check(quantity, "0", TargetBand::AtMost(0.012), deviation);
    report.note(&format!("For `HAMMER` in `pressing.rs`:\n\n```rust\n{table}```"));
    Ok(())
}

/// Fits key speed and depth at the strike.
fn constructed(report: &mut Report) -> Result<()> {
    let mut rows = Vec::new();
    for number in KEYS {
        let rig = TestBench::concert(number, &ActionSettings::default());
        for speed in SPEEDS {
            let Some(stroke) = TouchKind::Pressed.giving(&rig, speed) else { continue };
            let mut rig = rig.clone();
            let mut before = rig.view();
            rig.play(&mut TouchKind::Pressed.gesture(stroke.effort), |rig, _| {
                let has_struck = rig.log.count(EventKind::Strike) > 0;
                if !has_struck {
                    before = rig.view();
                }
                !has_struck
            });
            let Some((at, hammer)) = rig.log.first(EventKind::Strike) else { continue };
            let share = 1.0 - (rig.now() - at) / STEP;
            let key = rig.view();
            let depth = before.depth + share * (key.depth - before.depth);
            let key_speed = before.speed + share * (key.speed - before.speed);
            rows.push((hammer, key_speed, depth - rig.regulated().let_off_depth));
        }
    }
    let n = rows.len() as f64;
    let key_share = rows.iter().map(|r| r.1 / r.0).sum::<f64>() / n;
    let (mv, md) = rows.iter().fold((0.0, 0.0), |(v, d), r| (v + r.0 / n, d + r.2 / n));
    let (svd, svv) = rows
        .iter()
        .fold((0.0, 0.0), |(a, b), r| (a + (r.0 - mv) * (r.2 - md), b + square(r.0 - mv)));
    let rise = svd / svv;
    let start = md - rise * mv;
    let deviation = rows.iter().fold(0.0f64, |most, r| {
        let (start, rise) = construct::DEPTH_PAST_LET_OFF;
        most.max((r.2 - start - rise * r.0).abs())
    });
    let quantity =
        "constructed strike: largest error of the key depth against the pressed touch, mm";
    report.check(quantity, "0", TargetBand::AtMost(0.5), deviation * 1e3);
    let quantity = "constructed strike: key speed over hammer speed";
    report.near(quantity, construct::KEY_SHARE, 0.05, key_share);
    report.note(&format!(
        "For `construct.rs`: `KEY_SHARE` {key_share:.3}, `DEPTH_PAST_LET_OFF` ({:.2}e-3, {:.2}e-3).",
        start * 1e3,
        rise * 1e3
    ));
    Ok(())
}
