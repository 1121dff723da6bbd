//! `influence`: the effect of each parameter on one phrase at the ends of its range. Parameters of touch
//! are tried in every timing, parameters of the action and its hammers under every action.

mod page;

use anyhow::Result;

use touchback_action::ActionKind;
use touchback_action::grand::key::weigh::Weighed;
use touchback_instrument::Settings;
use touchback_instrument::host::params::{self, Parameter, ParameterGroup, relevance};
use touchback_instrument::settings::Timing;
use touchback_offline::bench::phrase::{self, PhraseAnalysis};
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, key};
use touchback_offline::output::progress;
use touchback_offline::parallel;

const TIMINGS: [(Timing, &str); 3] = [
    (Timing::Immediate, "immediate"),
    (Timing::Natural, "natural"),
    (Timing::LookAhead, "look-ahead"),
];

/// Key of the down weight: C4.
const WEIGHED: usize = 40;

/// One parameter at a value, or none, under a timing and an action.
#[derive(Clone, Copy)]
struct Case {
    parameter: Option<&'static Parameter>,
    value: f64,
    timing: Timing,
    action: ActionKind,
}

impl Case {
    fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        settings.touch.timing = self.timing;
        settings.action.action = self.action;
        if let Some(parameter) = self.parameter {
            // The seed has an effect only with unevenness.
            if parameter.id == "unevenness_seed" {
                settings.action.unevenness = 1.0;
            }
            parameter.set(&mut settings, self.value);
        }
        settings
    }

    /// The same timing and action without a moved parameter.
    fn standard(&self) -> Self {
        let is_seed = self.parameter.is_some_and(|p| p.id == "unevenness_seed");
        let parameter = is_seed.then_some(self.parameter).flatten();
        let value = parameter.map_or(0.0, Parameter::default_value);
        Self { parameter, value, ..*self }
    }

    fn is(&self, id: &str, timing: Timing, action: ActionKind) -> bool {
        self.parameter.is_some_and(|p| p.id == id) && self.timing == timing && self.action == action
    }
}

/// Changes against the standard.
#[derive(Debug)]
struct Change {
    /// Loudness, LU.
    level: f64,
    /// Centroid, cents.
    colour: f64,
    /// Decay, %.
    decay: f64,
    /// Change of strike times of the notes that sound in both, ms.
    time: f64,
    /// Additional sounding notes.
    notes: f64,
    /// Down weight, %; for the grand action only.
    force: f64,
    /// All samples are equal.
    is_same: bool,
}

fn change(now: &PhraseAnalysis, standard: &PhraseAnalysis) -> Change {
    let both = now.delays.iter().zip(&standard.delays);
    let later: Vec<f64> = both.filter_map(|(now, then)| Some((*now)? - (*then)?)).collect();
    Change {
        level: now.level - standard.level,
        colour: 1200.0 * libm::log2(now.centroid / standard.centroid),
        decay: 100.0 * (now.decay / standard.decay - 1.0),
        time: 1e3 * later.iter().sum::<f64>() / later.len() as f64,
        notes: now.strikes() as f64 - standard.strikes() as f64,
        force: 0.0,
        is_same: now.samples == standard.samples,
    }
}

/// The ends of a parameter's range, or its choices, without the default.
fn ends(parameter: &'static Parameter) -> impl Iterator<Item = f64> {
    let default = parameter.default_value();
    let values = match parameter.choices() {
        [] => vec![parameter.min(), parameter.max()],
        choices => (0_u32..).zip(choices).map(|(i, _)| f64::from(i)).collect(),
    };
    values.into_iter().filter(move |value| value.to_bits() != default.to_bits())
}

/// Whether the parameter is moved: action and timing are the cases themselves.
fn is_moved(parameter: &Parameter) -> bool {
    !matches!(parameter.id, "action" | "timing" | "latency")
}

/// Whether the parameter is tried in every timing: action, hammers and touch.
fn is_played(parameter: &Parameter) -> bool {
    relevance::is_of_action(parameter) || parameter.group == ParameterGroup::Touch
}

/// All cases.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for action in ActionKind::BUILT_IN {
        let is_grand = action == ActionKind::Grand;
        for (timing, _) in TIMINGS {
            let is_immediate = timing == Timing::Immediate;
            for parameter in params::all().filter(|p| is_moved(p)) {
                let is_tried = match (is_grand, is_immediate) {
                    (true, true) => true,
                    (true, false) => is_played(parameter),
                    // Other actions are checked at one end, only for any change.
                    (false, true) => relevance::is_of_action(parameter),
                    (false, false) => false,
                };
                if is_tried {
                    let count = if is_grand { usize::MAX } else { 1 };
                    let values = ends(parameter).take(count);
                    let parameter = Some(parameter);
                    cases.extend(values.map(|value| Case { parameter, value, timing, action }));
                }
            }
        }
    }
    cases
}

/// Renders and compares all cases.
///
/// # Errors
/// A file that cannot be written.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let found = measure(cases())?;
    let mut report = Report::default();
    judge(&mut report, &found);
    folder.write("influence.md", page::page(&found)?.as_bytes())?;
    folder.table("influence.csv", &csv(&found))?;
    report.note("`influence.md` is the page docs/influence.md.");
    Ok(report)
}

fn measure(cases: Vec<Case>) -> Result<Vec<(Case, Change)>> {
    // The standards come first; each is compared with many cases.
    let mut standards: Vec<Case> = Vec::new();
    for case in &cases {
        let standard = case.standard();
        if !standards.iter().any(|other| other.settings() == standard.settings()) {
            standards.push(standard);
        }
    }
    let bar = progress((standards.len() + cases.len()) as u64, "playing");
    let analyses = parallel::map(&standards, |case| {
        bar.inc(1);
        phrase::play(&case.settings(), 1.0)
    });
    let analyses = analyses.into_iter().collect::<Result<Vec<_>>>()?;
    let standards: Vec<(Settings, PhraseAnalysis)> =
        standards.iter().map(Case::settings).zip(analyses).collect();
    let key = key(WEIGHED)?;
    let weight = |settings: &Settings| Weighed::of(key, &settings.action).down_weight_g;
    let standard_weight = weight(&Settings::default());
    let changes = parallel::map(&cases, |case| -> Result<Change> {
        let (settings, standard) = (case.settings(), case.standard().settings());
        let standard = standards.iter().find(|(of, _)| *of == standard);
        let (_, standard) = standard.ok_or_else(|| anyhow::anyhow!("no standard"))?;
        let mut change = change(&phrase::play(&settings, 1.0)?, standard);
        if case.action == ActionKind::Grand && case.parameter.is_some_and(relevance::is_of_action) {
            change.force = 100.0 * (weight(&settings) / standard_weight - 1.0);
        }
        bar.inc(1);
        Ok(change)
    });
    bar.finish_and_clear();
    let changes = changes.into_iter().collect::<Result<Vec<_>>>()?;
    Ok(cases.into_iter().zip(changes).collect())
}

/// Whether the parameter `id` changes any sample under an action and a timing.
fn is_audible(found: &[(Case, Change)], id: &str, timing: Timing, action: ActionKind) -> bool {
    found.iter().any(|(case, change)| case.is(id, timing, action) && !change.is_same)
}

/// Checks that idle parameters have no effect and that every parameter of the grand's action has one.
fn judge(report: &mut Report, found: &[(Case, Change)]) {
    let mut wrong = Vec::new();
    for (case, change) in found {
        let Some(parameter) = case.parameter else { continue };
        let reason = params::relevance(&case.settings(), parameter.id);
        if reason.is_some() && !change.is_same {
            wrong.push(format!("{} ({}, {:?})", parameter.id, case.action.name(), case.timing));
        }
    }
    let quantity = "parameters reported without effect that change a sample";
    report.check(quantity, "0", TargetBand::AtMost(0.0), wrong.len() as f64);
    if !wrong.is_empty() {
        report.note(&format!("Reported without effect, but audible: {}.", wrong.join(", ")));
    }
    for (timing, name) in TIMINGS {
        let inaudible: Vec<&str> = params::all()
            .filter(|p| is_moved(p) && relevance::is_of_action(p))
            .filter(|p| !is_audible(found, p.id, timing, ActionKind::Grand))
            .map(|p| p.id)
            .collect();
        let quantity = format!("parameters of the grand's action without effect, {name} timing");
        report.check(&quantity, "0", TargetBand::AtMost(0.0), inaudible.len() as f64);
        if !inaudible.is_empty() {
            report.note(&format!("Without effect ({name}): {}.", inaudible.join(", ")));
        }
    }
}

fn csv(found: &[(Case, Change)]) -> DataTable {
    let mut csv = DataTable::new(&[
        "action",
        "timing",
        "id",
        "value",
        "level_lu",
        "colour_cents",
        "decay_percent",
        "time_ms",
        "notes",
        "force_percent",
        "changes",
    ]);
    for (case, change) in found {
        let Some(parameter) = case.parameter else { continue };
        let timing = TIMINGS.iter().find(|(timing, _)| *timing == case.timing);
        let Change { level, colour, decay, time, notes, force, is_same } = change;
        csv.row(&[
            &case.action.name(),
            &timing.map_or("", |(_, name)| name),
            &parameter.id,
            &case.value,
            level,
            colour,
            decay,
            time,
            notes,
            force,
            &u8::from(!is_same),
        ]);
    }
    csv
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_softer_felt_is_quieter_and_an_idle_parameter_changes_nothing() {
        let case = |id: &str, value| Case {
            parameter: Some(params::find(id).unwrap()),
            value,
            timing: Timing::Immediate,
            action: ActionKind::Grand,
        };
        let found = measure(vec![case("hammer_hardness", -2.0), case("gamma", 4.0)]).unwrap();
        let (soft, same) = (&found[0].1, &found[1].1);
        assert!(soft.level < -0.1 && soft.colour < -50.0 && soft.notes == 0.0, "{soft:?}");
        assert!(same.is_same && same.level == 0.0 && same.time == 0.0);
    }
}
