//! `efforts`: hammer speed for a given force under changed regulation, from the interpolation grid that
//! notes use and from a simulation of the whole press; and the effect of each setting alone on a
//! mezzo-forte press.

use std::fmt::Write as _;
use std::time::Instant;

use anyhow::{Context, Result};

use touchback_action::ActionSettings;
use touchback_action::grand::key::efforts::{Efforts, Tables};
use touchback_core::math::cast::{byte, floor_index};
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::random::Random;
use touchback_instrument::host::params::all;
use touchback_offline::bench::regulations::turned;
use touchback_offline::bench::strokes::TouchKind;
use touchback_offline::bench::test_bench::TestBench;
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, short};

/// Number of random regulations, and of random keys and forces under each.
const REGULATIONS: usize = 250;
const DRAWS: usize = 4;

/// Number of uneven pianos; one key of each is pressed once.
const UNEVEN: u8 = 100;

/// Forces of the presses, N: softest striking press, strongest press.
const FORCES: [f64; 2] = [2.0, 220.0];

/// Share of each range about the default for "turned as far as half way".
const HALF: f64 = 0.5;

/// Hammer speed at which single settings are moved, m/s: mezzo-forte.
const MIDDLE: f64 = 2.0;

/// Runs all comparisons.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    let columns =
        ["spread", "key", "force_n", "standard_m_s", "simulated_m_s", "heard_m_s", "difference"];
    let mut csv = DataTable::new(&columns);
    for (spread, name) in [(HALF, "half way"), (1.0, "to the ends")] {
        compare(spread, name, &mut report, &mut csv)?;
    }
    folder.table("efforts.csv", &csv)?;
    single_keys(&mut report, folder)?;
    cost(&mut report)?;
    alone(folder, &mut report)?;
    Ok(report)
}

/// Key `number`, 1…88.
fn key(number: u8) -> Result<KeyNumber> {
    KeyNumber::from_number(number).context("off the compass")
}

/// Compares single keys of uneven pianos and writes their table.
fn single_keys(report: &mut Report, folder: &mut Folder) -> Result<()> {
    let (standard, mut random) = (ActionSettings::default(), Random::new(88));
    let mut apart = Vec::new();
    let mut csv =
        DataTable::new(&["seed", "key", "force_n", "even_m_s", "simulated_m_s", "heard_m_s"]);
    for seed in 1..=UNEVEN {
        let uneven = ActionSettings {
            unevenness: 1.0,
            unevenness_seed: f64::from(seed),
            ..standard.clone()
        };
        let mut efforts = Efforts::new(&uneven, true);
        let number = 1 + byte(floor_index(88.0 * random.share()));
        let force = FORCES[0] * libm::pow(FORCES[1] / FORCES[0], random.share());
        let hammer = |settings| {
            let rig = TestBench::concert(number, settings);
            TouchKind::Pressed.stroke(&rig, force).map_or(0.0, |stroke| stroke.hammer)
        };
        let (even, simulated) = (hammer(&standard), hammer(&uneven));
        let interpolated = efforts.hammer_speed(key(number)?, even).unwrap_or(0.0);
        if simulated > 0.0 && interpolated > 0.0 {
            apart.push(100.0 * (interpolated / simulated - 1.0).abs());
        }
        csv.numbers(&seed, &[f64::from(number), force, even, simulated, interpolated]);
    }
    folder.table("efforts-single-keys.csv", &csv)?;
    apart.sort_by(f64::total_cmp);
    let at = |share: f64| apart[floor_index((apart.len() - 1) as f64 * share)];
    let within = apart.iter().filter(|apart| **apart <= 3.0).count() as f64;
    let what = "single keys of neglected pianos";
    report.check(
        &format!("{what}: strikes within 3 % of the simulated press, %"),
        "100",
        TargetBand::AtLeast(90.0),
        100.0 * within / apart.len() as f64,
    );
    report.check(&format!("{what}: median difference, %"), "0", TargetBand::AtMost(1.0), at(0.5));
    let measured = Tables::measured();
    let far = Tables::in_use().largest_difference(&measured);
    let what = "largest difference of the tables in use from the action, share of the energy";
    report.check(what, "0", TargetBand::AtMost(0.005), far);
    if far > 0.005 {
        report.note(&format!("For `efforts/table.rs`:\n\n```rust\n{}```", measured.text()));
    }
    Ok(())
}

/// Compares speeds under random regulations within a share `spread` of the ranges.
fn compare(spread: f64, name: &str, report: &mut Report, csv: &mut DataTable) -> Result<()> {
    let mut random = Random::new(19);
    let (mut apart, mut disagree, mut pressed) = (Vec::new(), 0_usize, 0_usize);
    let standard = ActionSettings::default();
    let mut regulations = 0;
    while regulations < REGULATIONS {
        let settings = turned(&mut random, spread);
        let mut efforts = Efforts::new(&settings, true);
        regulations += 1;
        for _ in 0..DRAWS {
            let number = 1 + byte(floor_index(88.0 * random.share()));
            let force = FORCES[0] * libm::pow(FORCES[1] / FORCES[0], random.share());
            let rig = TestBench::concert(number, &settings);
            if rig.grand().assembly().strike(MIDDLE).is_none() {
                // There, notes simulate the whole press instead of using the grid.
                pressed += 1;
                continue;
            }
            let hammer = |rig: &TestBench| {
                TouchKind::Pressed.stroke(rig, force).map_or(0.0, |stroke| stroke.hammer)
            };
            let named = hammer(&TestBench::concert(number, &standard));
            let simulated = hammer(&rig);
            let interpolated = efforts.hammer_speed(key(number)?, named).unwrap_or(0.0);
            let difference = if simulated > 0.0 && interpolated > 0.0 {
                apart.push(100.0 * (interpolated / simulated - 1.0).abs());
                interpolated / simulated - 1.0
            } else {
                disagree += usize::from((simulated > 0.0) != (interpolated > 0.0));
                f64::NAN
            };
            let numbers = [f64::from(number), force, named, simulated, interpolated, difference];
            csv.numbers(&spread, &numbers);
        }
    }
    apart.sort_by(f64::total_cmp);
    let at = |share: f64| apart[floor_index((apart.len() - 1) as f64 * share)];
    let within = apart.iter().filter(|apart| **apart <= 3.0).count() as f64;
    let all = apart.len() as f64;
    let what = |what: &str| format!("settings turned {name}: {what}");
    report.check(
        &what("strikes within 3 % of the simulated press, %"),
        "100",
        TargetBand::AtLeast(95.0),
        100.0 * within / all,
    );
    report.check(&what("median difference, %"), "0", TargetBand::AtMost(1.0), at(0.5));
    report.check(&what("95th of 100 differences, %"), "3", TargetBand::AtMost(3.0), at(0.95));
    let share = 100.0 * disagree as f64 / (REGULATIONS * DRAWS) as f64;
    report.check(
        &what("presses of which only one of the two strikes, %"),
        "0",
        TargetBand::AtMost(2.0),
        share,
    );
    report.note(&format!(
        "Turned {name}: of {} presses {} strike in both, the largest difference is {} %; in {pressed} \
         no strike can be constructed and notes play the press itself.",
        REGULATIONS * DRAWS,
        apart.len(),
        short(at(1.0)),
    ));
    Ok(())
}

/// Computing time of a note.
fn cost(report: &mut Report) -> Result<()> {
    const CALLS: u32 = 10_000;
    let settings = ActionSettings { hammer_mass: 1.3, ..ActionSettings::default() };
    let mut efforts = Efforts::new(&settings, true);
    let key = key(37)?;
    let begin = Instant::now();
    let sum: f64 = (0..CALLS)
        .filter_map(|i| efforts.hammer_speed(key, 0.2 + 7.0 * f64::from(i) / f64::from(CALLS)))
        .sum();
    let cost = 1e6 * begin.elapsed().as_secs_f64() / f64::from(CALLS);
    report.check(
        "time to compute the hammer speed of a note, µs",
        "20",
        TargetBand::AtMost(20.0),
        cost,
    );
    report.holds("each of these notes strikes", sum > 0.0);
    Ok(())
}

/// Moves each setting alone to the ends of its range.
fn alone(folder: &mut Folder, report: &mut Report) -> Result<()> {
    let mut csv = DataTable::new(&["id", "value", "key", "heard_m_s", "change_db"]);
    let mut table = format!(
        "Hammer speed of a note of {MIDDLE} m/s (C4) with one setting at an end of its range, as \
         20 log₁₀ of its ratio:\n\n| setting | at | dB | at | dB |\n| --- | --- | --- | --- | --- |\n"
    );
    for parameter in all() {
        let standard = touchback_instrument::Settings::default();
        let ends = [parameter.min(), parameter.max()].map(|value| {
            let mut settings = standard.clone();
            parameter.set(&mut settings, value);
            (value, settings.action)
        });
        if ends.iter().all(|(_, action)| {
            ActionSettings { action: standard.action.action, ..action.clone() } == standard.action
        }) {
            continue;
        }
        write!(table, "| `{}` |", parameter.id)?;
        for (value, action) in ends {
            let interpolated = Efforts::new(&action, true).hammer_speed(key(40)?, MIDDLE);
            let possible = TestBench::concert(40, &action).grand().assembly().strike(MIDDLE);
            let db = interpolated.map_or(f64::NEG_INFINITY, |interpolated| {
                20.0 * libm::log10(interpolated / MIDDLE)
            });
            csv.row(&[&parameter.id, &value, &40, &interpolated.unwrap_or(0.0), &db]);
            let text = match (possible, interpolated) {
                (None, _) => "pressed".to_owned(),
                (_, None) => "none".to_owned(),
                _ => format!("{db:+.2}"),
            };
            write!(table, " {} | {text} |", parameter.text(value))?;
        }
        table.push('\n');
    }
    report.note(&table);
    folder.table("efforts-alone.csv", &csv)
}
