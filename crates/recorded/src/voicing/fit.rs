//! The fit, and warnings about parameters that it cannot determine.

use anyhow::{Result, anyhow};
use indicatif::ProgressBar;
use rmpfit::{MPConfig, MPError, MPFitter, MPPar, MPResult};

use super::free::{Free, Variable, settings};
use crate::compare::rendered;
use crate::measure::BANDS_LENGTH;
use crate::measure::Measured;
use crate::measure::bands::{Bands, deviations, distance};
use crate::pairs::Notes;
use touchback_core::math::power::square;
use touchback_instrument::Settings;
use touchback_instrument::host::params::Parameter;
use touchback_offline::interrupt;
use touchback_offline::output::progress;

/// Step of numerical derivatives as a share of a parameter's range [chosen: beating partials add a ripple to
/// single bands, which would dominate the slope over a smaller step].
const DERIVATIVE_STEP: f64 = 0.1;

/// Number of neighbouring bands that deviations are averaged over, for the same reason (chosen).
const SMOOTHED: usize = 9;

/// Most iterations; the last ones improve the distance by less than 1 % each. After a fit of tones, which leaves little
/// that keys share, one.
pub const ITERATIONS: usize = 4;
pub const ITERATIONS_AFTER_TONES: usize = 1;

/// A parameter is not determined if it can move by this share of its range, in either direction, while the
/// distance grows by at most [`INSIGNIFICANT_DB`] [both chosen: the distances of two takes of one layer of a
/// sampled grand differ by as much].
const UNDETERMINED: f64 = 0.25;
const INSIGNIFICANT_DB: f64 = 0.1;

/// Share of the range within which a parameter counts as at its end.
const AT_END: f64 = 1e-3;

/// Largest ratio of distances at which the nearer perspective is chosen (chosen).
const NEARER: f64 = 0.9;

/// Scatter of the channels' level difference, dB, and of their correlation, that have the same weight.
const CHANNELS: [f64; 2] = [3.0, 0.3];

/// Shares of the change from the start that are measured on all keys.
const SHARES: [f64; 3] = [1.0, 0.5, 0.25];

/// The result of the fit.
pub struct Fitted {
    /// Number of iterations.
    pub iterations: usize,
    /// The start settings with the chosen perspective.
    pub start: Settings,
    /// Candidate settings between start and optimum, the optimum first: a fit to a few keys may go too far
    /// for the others.
    pub candidates: Vec<Settings>,
    perspective: Option<&'static Parameter>,
    variables: Vec<Variable>,
    /// Parameters that the recordings do not determine.
    pub warnings: Vec<String>,
}

/// The recorded notes, and the parameters of the rendered piano.
struct Problem<'a> {
    start: &'a Settings,
    variables: &'a [Variable],
    recorded: Notes,
    velocities: &'a [u8],
    points: usize,
    limits: Vec<MPPar>,
    config: MPConfig,
    bar: ProgressBar,
}

impl MPFitter for Problem<'_> {
    fn eval(&mut self, params: &[f64], deviates: &mut [f64]) -> MPResult<()> {
        if interrupt::was_received() {
            return Err(MPError::Eval);
        }
        let keys: Vec<u8> = self.recorded.keys().copied().collect();
        let piano = settings(self.start, self.variables, params);
        let ours = rendered(&piano, &keys, self.velocities, BANDS_LENGTH);
        let mut remaining = deviates.iter_mut();
        for (number, layers) in &self.recorded {
            for note in layers.values() {
                let parts: [fn(&Measured) -> &Bands; 2] = [|m| &m.body, |m| &m.attack];
                for part in parts {
                    let apart = |one: &Measured| distance(part(note), part(one));
                    let nearest = ours[number]
                        .values()
                        .min_by(|a, b| apart(a).total_cmp(&apart(b)))
                        .map_or_else(Vec::new, |one| smooth(&deviations(part(note), part(one))));
                    nearest.into_iter().zip(&mut remaining).for_each(|(d, deviate)| *deviate = d);
                }
            }
        }
        self.bar.inc(1);
        Ok(())
    }

    fn number_of_points(&self) -> usize {
        self.points
    }

    fn config(&self) -> &MPConfig {
        &self.config
    }

    fn parameters(&self) -> &[MPPar] {
        &self.limits
    }
}

/// Replaces each value by the mean of its [`SMOOTHED`] neighbours. At the ends of spectra this mixes the top
/// of one with the bottom of the next, both near the floor.
fn smooth(deviations: &[f64]) -> Vec<f64> {
    let half = SMOOTHED / 2;
    let mean = |i: usize| {
        let about = &deviations[i.saturating_sub(half)..(i + half + 1).min(deviations.len())];
        about.iter().sum::<f64>() / about.len() as f64
    };
    (0..deviations.len()).map(mean).collect()
}

/// Fits the free parameters to `recorded` in at most `iterations`.
///
/// # Errors
/// The solver cannot start.
pub fn fit(
    start: &Settings,
    free: &Free,
    recorded: Notes,
    velocities: &[u8],
    iterations: usize,
) -> Result<Fitted> {
    let mut start = start.clone();
    let mut warnings = Vec::new();
    if let Some(parameter) = free.perspective {
        warnings.extend(perspective(&mut start, parameter, &recorded, velocities));
    }
    let keys: Vec<u8> = recorded.keys().copied().collect();
    let variables = Variable::all(free, &keys);
    if variables.is_empty() {
        let perspective = free.perspective;
        return Ok(Fitted {
            iterations: 0,
            start,
            candidates: Vec::new(),
            perspective,
            variables,
            warnings,
        });
    }
    let limit = || MPPar {
        limited_low: true,
        limited_up: true,
        limit_low: 0.0,
        limit_up: 1.0,
        step: DERIVATIVE_STEP,
        ..MPPar::new()
    };
    let notes = recorded.values().map(|layers| layers.len()).sum::<usize>();
    let points = recorded.values().flat_map(|layers| layers.values());
    let points = points.map(|note| note.body.levels.len() + note.attack.levels.len()).sum();
    let steps = iterations * (variables.len() + 2);
    let mut problem = Problem {
        start: &start,
        variables: &variables,
        recorded,
        velocities,
        points,
        limits: variables.iter().map(|_| limit()).collect(),
        config: MPConfig {
            ftol: 1e-4,
            xtol: 1e-3,
            max_iter: iterations,
            // Limits the first step to the size of the start's positions.
            step_factor: 1.0,
            ..MPConfig::new()
        },
        bar: progress(steps as u64, "fitting"),
    };
    let begin: Vec<f64> =
        variables.iter().map(|v| v.parameter().normalized(v.parameter().get(&start))).collect();
    let mut positions = begin.clone();
    let status = problem.mpfit(&mut positions).map_err(|e| anyhow!("the fit cannot begin: {e}"))?;
    problem.bar.finish_and_clear();
    let warnings_of_fit =
        undetermined(&variables, &positions, &status.xerror, status.best_norm, notes);
    warnings.extend(warnings_of_fit);
    let candidate = |share: f64| {
        let each = begin.iter().zip(&positions).map(|(from, to)| from + share * (to - from));
        settings(&start, &variables, &each.collect::<Vec<_>>())
    };
    let candidates = SHARES.map(candidate).into();
    let (iterations, perspective) = (status.n_iter, free.perspective);
    drop(problem);
    Ok(Fitted { iterations, start, candidates, perspective, variables, warnings })
}

impl Fitted {
    /// Name of each variable, and its value before and after.
    pub fn moved(&self, start: &Settings, settings: &Settings) -> Vec<[String; 3]> {
        let each = self.variables.iter().map(|variable| {
            let text = |s: &Settings| variable.parameter().text(variable.value(s));
            [variable.name(), text(start), text(settings)]
        });
        let choice = self.perspective.map(|parameter| {
            let [from, to] = [start, settings].map(|s| parameter.text(parameter.get(s)));
            [parameter.id.to_owned(), from, to]
        });
        choice.into_iter().chain(each).collect()
    }
}

/// One line per variable of [`Fitted::moved`].
pub fn moved_text(moved: &[[String; 3]]) -> String {
    let line = |[name, before, after]: &[String; 3]| format!("{name:<24} {before:>16} → {after}\n");
    moved.iter().map(line).collect()
}

/// The same as JSON, with units.
pub fn moved_json(moved: &[[String; 3]]) -> serde_json::Value {
    let entry = |[name, before, after]: &[String; 3]| serde_json::json!({ "name": name, "before": before, "after": after });
    moved.iter().map(entry).collect()
}

/// Warnings for variables at an end of their range, and for those that the recordings do not determine.
fn undetermined(
    variables: &[Variable],
    positions: &[f64],
    errors: &[f64],
    chi_squared: f64,
    notes: usize,
) -> Vec<String> {
    // Chi squared is the sum of squared distances, two per note.
    let distances = 2.0 * notes as f64;
    let distance = (chi_squared / distances).sqrt();
    let grown = distances * (square(distance + INSIGNIFICANT_DB) - square(distance));
    let each = variables.iter().zip(positions).zip(errors);
    let warnings = each.filter_map(|((variable, position), error)| {
        let (name, parameter) = (variable.name(), variable.parameter());
        let value = parameter.text(parameter.plain(*position));
        if !(AT_END..=1.0 - AT_END).contains(position) {
            return Some(format!(
                "{name} is at the end of its range, {value}; others make up for it"
            ));
        }
        if *error == 0.0 || !error.is_finite() {
            return Some(format!("{name} changes nothing of what these recordings tell"));
        }
        let way = error * grown.sqrt();
        (way > UNDETERMINED).then(|| {
            let around = [-way, way]
                .map(|off| parameter.text(parameter.plain((position + off).clamp(0.0, 1.0))));
            format!(
                "{name} is hardly determined by these recordings: from {} to {} the distance grows \
                 by less than {INSIGNIFICANT_DB} dB",
                around[0], around[1]
            )
        })
    });
    warnings.collect()
}

/// Sets the perspective whose channel differences are nearest to the recording; a warning if it cannot be
/// determined.
fn perspective(
    start: &mut Settings,
    parameter: &Parameter,
    recorded: &Notes,
    velocities: &[u8],
) -> Option<String> {
    let keys: Vec<u8> = recorded.keys().copied().collect();
    let velocity = velocities.get(velocities.len() / 2)?;
    let off = |value: f64| {
        let mut settings = start.clone();
        parameter.set(&mut settings, value);
        let ours = rendered(&settings, &keys, &[*velocity], BANDS_LENGTH);
        let apart = |(number, layers): (&u8, &std::collections::BTreeMap<u32, Measured>)| {
            let one = ours.get(number)?.values().next()?;
            let middle = layers.values().nth(layers.len() / 2)?;
            let level = (middle.left_over_right - one.left_over_right) / CHANNELS[0];
            Some(square(level) + square((middle.correlation - one.correlation) / CHANNELS[1]))
        };
        recorded.iter().filter_map(apart).sum::<f64>()
    };
    let now = parameter.get(start);
    let all = parameter.choices().iter().enumerate().map(|(i, _)| i as f64);
    let mut all: Vec<(f64, f64)> = all.map(|value| (off(value), value)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (nearest, next) = (all.first()?, all.get(1)?);
    if nearest.0 < NEARER * next.0 {
        parameter.set(start, nearest.1);
        return None;
    }
    Some(format!(
        "{} is not determined by these recordings: their channels are as near to {} as to {}; it \
         stays {}",
        parameter.id,
        parameter.text(nearest.1),
        parameter.text(next.1),
        parameter.text(now)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_instrument::host::params;

    #[test]
    fn undetermined_variables_and_range_ends_give_warnings() {
        let ids = ["sustain", "lid", "board", "knocks"];
        let variables = ids.map(|id| Variable::Number(params::find(id).unwrap()));
        // 100 notes 5 dB apart: chi squared grows by 202 where the distance grows by 0.1.
        let chi_squared = 200.0 * 25.0;
        let (positions, errors) = ([0.5, 0.5, 1.0, 0.5], [0.005, 0.05, 0.0, 0.0]);
        let told = undetermined(&variables, &positions, &errors, chi_squared, 100);
        assert_eq!(told.len(), 3, "{told:?}");
        assert!(
            told[0].starts_with("lid is hardly determined") && told[0].contains("0.00 to 1.00")
        );
        assert!(told[1].starts_with("board is at the end of its range, 2.00"), "{told:?}");
        assert!(told[2].starts_with("knocks changes nothing"), "{told:?}");
    }

    #[test]
    fn neighbours_are_averaged() {
        let mut one = vec![0.0; 20];
        one[0] = 9.0;
        one[12] = 9.0;
        let smooth = smooth(&one);
        assert!((smooth[12] - 1.0).abs() < 1e-12 && (smooth[8] - 1.0).abs() < 1e-12);
        assert!((smooth[0] - 9.0 / 5.0).abs() < 1e-12 && smooth[18].abs() < 1e-12);
    }
}
