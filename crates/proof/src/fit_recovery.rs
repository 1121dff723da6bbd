//! `fit-recovery`: `touchback fit` on data from known parameters.
//!
//! Each of 10 keys of the grand, with 5 parameters changed at random, is pressed 12 times by a hand; force
//! and position get the noise of a load cell and of a laser. The fit starts from the standard key and must
//! find the changed parameters within its confidence intervals.

use anyhow::Result;

use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, key};
use touchback_offline::fit::{example, solve};
use touchback_offline::model::named::NamedModel;
use touchback_offline::output::progress;

/// Keys across the compass.
const KEYS: [usize; 10] = [1, 12, 20, 28, 40, 49, 57, 65, 76, 88];

/// Least share of the parameters within their 95 % intervals; 50 independent parameters reach it in 98 of
/// 100 experiments.
const WITHIN: f64 = 0.88;

/// Largest deviation in half-intervals; the largest of 50 independent parameters exceeds it in one of 20
/// experiments (Student's distribution with 11 degrees of freedom: 4.44 standard errors; 2.201 standard
/// errors are half an interval).
const LARGEST: f64 = 2.02;

/// Fits all keys.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    let columns = ["key", "quantity", "start_share", "fitted_share", "half_interval_share"];
    let mut csv = DataTable::new(&columns);
    let names = example::CHANGED.map(|(name, _)| name.to_owned());
    let (mut within, mut errors) = (0u32, vec![Vec::new(); names.len()]);
    let bar = progress(KEYS.len() as u64, "fitting");
    for (seed, number) in (1u64..).zip(KEYS) {
        let (standard, changed, presses) = example::of(key(number)?, seed)?;
        let hidden = indicatif::ProgressBar::hidden();
        let found = solve::fit(&standard, &names, presses, &hidden, None)?;
        let truth = NamedModel::of(&changed)?;
        let mut largest = 0.0f64;
        for (n, errors) in found.numbers.iter().zip(&mut errors) {
            let truth = truth.get(&n.name)?;
            let error = (n.value - truth).abs();
            within += u32::from(error <= n.half);
            largest = largest.max(error / n.half);
            errors.push(100.0 * error / truth.abs());
            let [start, fitted, half] = [n.start, n.value, n.half].map(|x| x / truth);
            csv.row(&[&number, &n.name, &start, &fitted, &half.abs()]);
        }
        let quantity = format!("key {number}: largest error of a parameter, in half-intervals");
        report.check(&quantity, "≤ 1 for most", TargetBand::AtMost(LARGEST), largest);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let all = (KEYS.len() * names.len()) as f64;
    let quantity = format!("share of the {all} parameters within their 95 % intervals");
    report.check(&quantity, "0.95", TargetBand::AtLeast(WITHIN), f64::from(within) / all);
    for (name, errors) in names.iter().zip(&mut errors) {
        errors.sort_by(f64::total_cmp);
        let median = 0.5 * (errors[errors.len() / 2 - 1] + errors[errors.len() / 2]);
        let quantity = format!("{name}: median error of ten keys, %");
        report.check(&quantity, "0", TargetBand::AtMost(5.0), median);
    }
    folder.table("fit-recovery.csv", &csv)?;
    Ok(report)
}
