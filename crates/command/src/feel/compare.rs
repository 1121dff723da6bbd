//! Blind comparison (ABX): A, B, and X, which is one of the two.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};

use touchback_action::ActionSettings;
use touchback_core::math::random::Random;
use touchback_haptics::action::Action;
use touchback_haptics::line::port_group::PortGroup;
use touchback_haptics::sidecar::SidecarOrder;
use touchback_instrument::Settings;
use touchback_offline::controls;

/// One of the two things compared.
#[derive(Clone, Debug)]
pub struct Side {
    action: Action,
    settings: ActionSettings,
}

/// The two sides of `--compare`, each an action or settings; `None` without `--compare`.
///
/// # Errors
/// A text that is neither.
pub fn sides(texts: &[String], action: Action, settings: &Settings) -> Result<Option<[Side; 2]>> {
    let [a, b] = texts else { return Ok(None) };
    let side = |text: &String| -> Result<Side> {
        if let Some(action) = Action::read(text) {
            let action = action.map_err(|error| anyhow::anyhow!("--compare {text}: {error}"))?;
            return Ok(Side { action, settings: settings.action.clone() });
        }
        let mut other = settings.clone();
        let options: Vec<String> = text.split(',').map(Into::into).collect();
        controls::set(&mut other, &options).with_context(|| {
            let names = Action::ALL.map(Action::name).join(", ");
            format!("--compare {text}: neither an action ({names}) nor ID=VALUE")
        })?;
        Ok(Side { action, settings: other.action })
    };
    Ok(Some([side(a)?, side(b)?]))
}

/// A run of trials.
#[derive(Debug)]
pub struct Trial {
    sides: [Side; 2],
    random: Random,
    hidden: usize,
    /// Hidden side and answer of every trial.
    answers: Vec<(usize, usize)>,
}

impl Trial {
    /// The first trial; which side is hidden depends on the time of day.
    #[must_use]
    pub fn new(sides: [Side; 2]) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut random = Random::new(u64::from(now.subsec_nanos()) ^ now.as_secs());
        let hidden = usize::from(random.share() < 0.5);
        Self { sides, random, hidden, answers: Vec::new() }
    }

    /// The commands that can be typed.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        "a, b, x and Enter: feel A, B or the hidden X; xa, xb: X is A, X is B; q: end"
    }

    /// Begins the first trial with X.
    pub fn feel(&self, ports: &PortGroup) {
        self.show(self.hidden, ports);
    }

    fn show(&self, side: usize, ports: &PortGroup) {
        let side = &self.sides[side];
        ports.order(&SidecarOrder::Feel(side.action, side.settings.clone()));
    }

    /// Executes a typed line; the reply to print.
    pub fn obey(&mut self, line: &str, ports: &PortGroup) -> String {
        match line {
            "a" => self.show(0, ports),
            "b" => self.show(1, ports),
            "x" => self.show(self.hidden, ports),
            "xa" | "xb" => {
                self.answers.push((self.hidden, usize::from(line == "xb")));
                self.hidden = usize::from(self.random.share() < 0.5);
                self.show(self.hidden, ports);
                return format!("trial {} noted; X is hidden anew\n", self.answers.len());
            }
            _ => return format!("{}\n", self.help()),
        }
        format!("this is {}\n", line.to_uppercase())
    }

    fn right(&self) -> usize {
        self.answers.iter().filter(|(hidden, answer)| hidden == answer).count()
    }

    /// The number of right answers, and the probability of at least that many by guessing.
    #[must_use]
    pub fn verdict(&self) -> String {
        let (n, right) = (self.answers.len(), self.right());
        let chance = by_guessing(n, right);
        format!("\n{right} of {n} right; by guessing so many or more: {:.1} %\n", 100.0 * chance)
    }

    /// All trials as CSV.
    #[must_use]
    pub fn csv(&self) -> String {
        let letter = |side: usize| if side == 0 { 'A' } else { 'B' };
        let mut text = String::from("trial,hidden,answer\n");
        for (i, (hidden, answer)) in self.answers.iter().enumerate() {
            text += &format!("{},{},{}\n", i + 1, letter(*hidden), letter(*answer));
        }
        text
    }
}

/// Probability of at least `right` correct answers of `n` by chance (0.5 each).
fn by_guessing(n: usize, right: usize) -> f64 {
    let mut term = libm::pow(0.5, n as f64);
    let mut sum = 0.0;
    for k in 0..=n {
        if k >= right {
            sum += term;
        }
        term *= (n - k) as f64 / (k + 1) as f64;
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_action::ActionKind;

    #[test]
    fn guessing_has_the_probability_of_a_fair_coin() {
        assert!((by_guessing(10, 9) - 11.0 / 1024.0).abs() < 1e-12);
        assert!((by_guessing(0, 0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_comparison_is_of_two_actions_or_two_settings() {
        let piano = Settings::default();
        let texts = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
        let [a, b] = sides(&texts("ball", "let_off_mm=3"), Action::GRAND, &piano).unwrap().unwrap();
        assert_eq!(
            (a.action, b.action, b.settings.let_off_mm),
            (Action::Played(ActionKind::Ball), Action::GRAND, 3.0)
        );
        assert!(sides(&[], Action::GRAND, &piano).unwrap().is_none());
        let error = sides(&texts("grand", "nothing"), Action::GRAND, &piano).unwrap_err();
        assert!(format!("{error:#}").contains("neither an action"));
    }
}
