//! `identifiability`: which gestures determine which numbers of a key.
//!
//! A gesture is played on C4, and its drive then on keys with one number changed. Its readings y, at 2 kHz with white
//! noise of standard deviation σ, have the Fisher information F = Σ (∂y/∂θ)(∂y/∂θ)ᵀ/σ² on the logarithms θ of the
//! numbers; that of several gestures is the sum. No unbiased fit has a 95 % interval below 1.96/√Fᵢᵢ of number i
//! where the others are known, and 1.96 √(F⁻¹)ᵢᵢ where all are fitted [Cramér 1946].

use std::fmt::Write as _;

use anyhow::{Context, Result};
use nalgebra::{DMatrix, DVector};

use touchback_action::{ActionKind, ActionSettings, Drive, STEP};
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::random::Random;
use touchback_models::catalogue::Model;
use touchback_offline::bench::strokes::TouchKind;
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, short};
use touchback_offline::fit::solve::at_rest;
use touchback_offline::gesture::{Form, Gesture, KeyView};
use touchback_offline::model::named::NamedModel;
use touchback_offline::parallel;
use touchback_offline::plot::grid::Map;

/// The numbers, by their names in model files: those of `lab fit` that a model has, and those that are usually
/// measured on parts.
const NUMBERS: [&str; 17] = [
    "key.inertia",
    "key.lead_torque",
    "key.friction",
    "key.bed_felt.stiffness",
    "hammer.inertia",
    "hammer.mass",
    "hammer.friction",
    "hammer.shank.stiffness",
    "hammer.knuckle_felt.stiffness",
    "hammer.knuckle_felt.hysteresis",
    "hammer.knuckle_friction",
    "jack.corner",
    "jack.spring_torque",
    "lever.spring_torque",
    "check.felt.stiffness",
    "check.friction",
    "damper.weight",
];

/// Noise of a displacement sensor at the key front, m rms, of a load cell, N rms, as in the example of `touchback
/// fit`, and of an optical sensor at the crown, m rms (chosen).
const NOISE: [f64; 3] = [5e-6, 0.02, 5e-5];

/// Action steps per sample: 2 kHz.
const SAMPLE: usize = 4;

/// Relative step of the derivatives, as in `touchback fit`.
const DERIVATIVE_STEP: f64 = 2e-3;

/// Two-sided 95 % point of the normal distribution.
const CONFIDENCE: f64 = 1.96;

/// Numbers that are fitted to noisy readings, relative change that the fit must find, and number of such fits.
const FITTED: [usize; 5] = [0, 1, 3, 4, 8];
const CHANGE: f64 = 0.02;
const FITS: u64 = 4;

/// Gauss–Newton iterations of such a fit.
const ITERATIONS: usize = 8;

/// The drive of every step of a gesture, with the gesture's name in the figure.
struct Course {
    name: &'static str,
    drives: Vec<Drive>,
}

impl Course {
    /// Readings of a key of `model` under this course, over their noise: depth, or the force that answers an imposed
    /// motion, and with `crown` the height of the hammer's crown.
    fn readings(&self, model: &Model, crown: bool) -> Vec<f64> {
        let mut key = at_rest(model.clone());
        let rest = key.front()[0];
        let mut readings = Vec::new();
        for (step, drive) in self.drives.iter().enumerate() {
            key.step(*drive, &mut |_, _| {});
            if step % SAMPLE == SAMPLE - 1 {
                let readout = key.readout(*drive);
                readings.push(if drive.is_motion() {
                    readout.key_force / NOISE[1]
                } else {
                    (key.front()[0] - rest) / NOISE[0]
                });
                readings.extend(crown.then_some(readout.hammer / NOISE[2]));
            }
        }
        readings
    }

    /// Derivatives of the readings by the logarithms of the `numbers` of `named`.
    fn slopes(&self, named: &NamedModel, numbers: &[&str], crown: bool) -> Result<DMatrix<f64>> {
        let mut columns = Vec::new();
        for name in numbers {
            let value = named.get(name)?;
            let side = |share: f64| -> Result<DVector<f64>> {
                let mut changed = named.clone();
                changed.set(name, value * (1.0 + share))?;
                Ok(DVector::from_vec(self.readings(&changed.model()?, crown)))
            };
            let apart = side(DERIVATIVE_STEP)? - side(-DERIVATIVE_STEP)?;
            columns.push(apart / (2.0 * DERIVATIVE_STEP));
        }
        Ok(DMatrix::from_columns(&columns))
    }
}

/// The gestures on a key of `model`.
fn courses(model: &Model) -> Vec<Course> {
    let up = |duration_s| Form::Release { duration_s, speed_m_s: None };
    let pressed = |force, seconds| TouchKind::Pressed.form(force, seconds);
    let forms = [
        ("soft", vec![pressed(2.5, 0.4), up(0.2)]),
        ("loud", vec![pressed(12.0, 0.25), up(0.2)]),
        ("blow", vec![TouchKind::Struck.form(1.0, 0.25), up(0.2)]),
        ("again", (0..3).flat_map(|_| [pressed(9.0, 0.11), up(0.035)]).collect()),
        (
            "weight",
            vec![Form::Weight {
                mass_kg: 0.08,
                duration_s: 0.5,
                height_m: 0.0,
                stiffness_n_m: 20_000.0,
                damping_n_s_m: 20.0,
            }],
        ),
    ];
    let played = |(name, forms): (&'static str, Vec<Form>)| {
        let (mut key, mut gesture) = (at_rest(model.clone()), Gesture::of_forms(forms));
        let mut drives = Vec::new();
        for step in 0..gesture.steps() {
            let drive = gesture.drive(step, KeyView::of(&*key));
            key.step(drive, &mut |_, _| {});
            drives.push(drive);
        }
        Course { name, drives }
    };
    // A jig's slow press of 9.8 mm and return, 10 mm/s.
    let seconds = 0.98;
    let depth = |t: f64| 0.01 * (seconds - (t - seconds).abs()).max(0.0);
    let steps = floor_index(2.0 * seconds / STEP);
    let drives = (0..steps).map(|step| Drive::along(depth, step as f64 * STEP)).collect();
    std::iter::once(Course { name: "slow", drives }).chain(forms.map(played)).collect()
}

/// Half the 95 % interval of each number, %, where all are fitted with the `information`; infinite where it does not
/// separate them.
fn intervals(information: &DMatrix<f64>) -> Vec<f64> {
    let half = |variance: f64| 100.0 * CONFIDENCE * variance.sqrt();
    match information.clone().cholesky() {
        Some(factors) => factors.inverse().diagonal().iter().map(|v| half(*v)).collect(),
        None => vec![f64::INFINITY; information.nrows()],
    }
}

/// Errors of the numbers [`FITTED`], fitted to noisy readings of a key on which they differ, over the standard
/// deviations that the information predicts.
fn fitted(named: &NamedModel, courses: &[Course], seed: u64) -> Result<Vec<f64>> {
    let mut random = Random::new(seed);
    let names = FITTED.map(|i| NUMBERS[i]);
    let mut start = named.clone();
    let mut truth = Vec::new();
    for name in names {
        let value = named.get(name)?;
        start.set(name, value * (1.0 + CHANGE * random.signed()))?;
        truth.push(libm::log(value / start.get(name)?));
    }
    let model = named.model()?;
    // The sum of twelve uniform numbers is nearly normal.
    let mut normal = || (0..12).map(|_| random.share()).sum::<f64>() - 6.0;
    let measured: Vec<DVector<f64>> = courses
        .iter()
        .map(|course| DVector::from_vec(course.readings(&model, false)).map(|y| y + normal()))
        .collect();
    let mut moved = DVector::zeros(names.len());
    let mut covariance = DMatrix::zeros(names.len(), names.len());
    for _ in 0..ITERATIONS {
        let mut now = start.clone();
        for (name, share) in names.iter().zip(moved.iter()) {
            now.set(name, start.get(name)? * libm::exp(*share))?;
        }
        let model = now.model()?;
        let mut information = DMatrix::zeros(names.len(), names.len());
        let mut pull = DVector::zeros(names.len());
        for (course, measured) in courses.iter().zip(&measured) {
            let slopes = course.slopes(&now, &names, false)?;
            let left = measured - DVector::from_vec(course.readings(&model, false));
            information += slopes.transpose() * &slopes;
            pull += slopes.transpose() * left;
        }
        covariance = information.try_inverse().context("identifiability: a fit without result")?;
        moved += &covariance * pull;
    }
    let error = |i: usize| (moved[i] - truth[i]) / covariance[(i, i)].sqrt();
    Ok((0..names.len()).map(error).collect())
}

/// Computes the information of every gesture on every number, and fits noisy readings.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    let key = KeyNumber::from_midi(60).context("C4")?;
    let model = Model::of(ActionKind::Grand, key, &ActionSettings::default());
    let named = NamedModel::of(&model)?;
    let courses = courses(&model);
    let work: Vec<(&Course, bool)> =
        [false, true].iter().flat_map(|crown| courses.iter().map(|c| (c, *crown))).collect();
    let slopes = parallel::map(&work, |(course, crown)| course.slopes(&named, &NUMBERS, *crown));
    let slopes = slopes.into_iter().collect::<Result<Vec<_>>>()?;
    let information: Vec<DMatrix<f64>> = slopes.iter().map(|j| j.transpose() * j).collect();
    let (by_key, by_both) = information.split_at(courses.len());
    let sum = |parts: &[DMatrix<f64>]| -> DMatrix<f64> { parts.iter().sum() };
    let (all, both) = (intervals(&sum(by_key)), intervals(&sum(by_both)));
    // Without one gesture.
    let without: Vec<Vec<f64>> =
        (0..courses.len()).map(|left_out| intervals(&(sum(by_key) - &by_key[left_out]))).collect();

    let mut columns = vec!["number".to_owned()];
    columns.extend(courses.iter().map(|c| format!("{}_known_percent", c.name)));
    columns.extend(["all_percent".into(), "all_and_crown_percent".into(), "needs".into()]);
    let mut csv = DataTable::new(&columns.iter().map(String::as_str).collect::<Vec<_>>());
    let mut text = String::from(
        "95 % intervals, ± %, of C4's numbers, all 17 fitted together: with the key's readings, with the crown's \
         too, and the gesture without which the first grows most, with its factor.\n\n| number | key | key and \
         crown | needs |\n| --- | --- | --- | --- |\n",
    );
    let known = |f: &DMatrix<f64>, i: usize| 100.0 * CONFIDENCE / f[(i, i)].sqrt();
    for (i, name) in NUMBERS.iter().enumerate() {
        let most = (0..courses.len()).max_by(|a, b| without[*a][i].total_cmp(&without[*b][i]));
        let most = most.unwrap_or(0);
        let (needs, factor) = (courses[most].name, without[most][i] / all[i]);
        let alone: Vec<f64> = by_key.iter().map(|f| known(f, i)).collect();
        let mut cells: Vec<&dyn std::fmt::Display> = vec![name];
        cells.extend(alone.iter().map(|v| v as &dyn std::fmt::Display));
        cells.extend([&all[i] as &dyn std::fmt::Display, &both[i], &needs]);
        csv.row(&cells);
        let [all, both, factor] = [all[i], both[i], factor].map(short);
        writeln!(text, "| `{name}` | {all} | {both} | {needs}, × {factor} |")?;
    }
    folder.table("identifiability.csv", &csv)?;
    let grid = |parts: &[DMatrix<f64>]| -> Vec<Vec<f64>> {
        let cell = |f: &DMatrix<f64>, i: usize| 1e3 * known(f, i);
        let usable = |v: f64| if v < 1e6 { v } else { 0.0 };
        let row = |i: usize| parts.iter().map(|f| usable(cell(f, i))).collect();
        (0..NUMBERS.len()).map(row).collect()
    };
    let map = Map {
        title:
            "95 % interval of a number by one gesture, the others known, ± 1e-5 of it; – above 10"
                .into(),
        x: ("gesture".into(), courses.iter().map(|c| c.name.to_owned()).collect()),
        y: ("number".into(), NUMBERS.map(str::to_owned).to_vec()),
        columns: ["key's readings", "key's and crown's"].map(str::to_owned).to_vec(),
        rows: vec![(String::new(), vec![grid(by_key), grid(by_both)])],
        range: (3.0, 3e4),
    };
    folder.map("identifiability", &map, &mut report)?;
    report.note(&text);

    let seeds: Vec<u64> = (1..=FITS).collect();
    let errors = parallel::map(&seeds, |seed| fitted(&named, &courses, *seed));
    let errors: Vec<f64> = errors.into_iter().collect::<Result<Vec<_>>>()?.concat();
    let rms = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
    report.check(
        "errors of numbers fitted to noisy readings over the predicted standard deviation, rms",
        "1",
        TargetBand::Within(0.7, 1.4),
        rms,
    );
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two readings of two numbers that they separate by a tenth of their effect, in closed form.
    #[test]
    fn intervals_are_wider_the_more_alike_two_numbers_act() {
        let slopes = DMatrix::from_row_slice(2, 2, &[10.0, 10.0, 1.0, -1.0]);
        let information: DMatrix<f64> = slopes.transpose() * &slopes;
        let known = 100.0 * CONFIDENCE / information[(0, 0)].sqrt();
        assert!((known - 196.0 / 101f64.sqrt()).abs() < 1e-9, "{known}");
        // Variance 101/(101² − 99²).
        let expected = 196.0 * (101f64 / 400.0).sqrt();
        for half in intervals(&information) {
            assert!((half - expected).abs() < 1e-9, "{half} {expected}");
        }
        assert_eq!(intervals(&DMatrix::zeros(2, 2)), [f64::INFINITY; 2]);
    }

    #[test]
    #[ignore = "long: `.ci/run` runs it"]
    fn fits_of_noisy_readings_have_the_predicted_errors() {
        let folder = tempfile::tempdir().unwrap();
        let report = run(&mut Folder::new(folder.path())).unwrap();
        let text = report.text(false);
        assert_eq!(report.count().1, 0, "{text}");
        println!("{text}");
    }
}
