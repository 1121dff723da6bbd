//! A project's choice of keyboard, and its form as text.

use crate::action::Action;
use crate::servo::{BLOCK_MAX, ServoOptions};
use touchback_action::ActionSettings;

/// A project's choice of keyboard.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// Serial ports of the keyboard's boards, of which [`super::EMULATOR`] may be one; empty for none.
    pub ports: Vec<String>,
    /// Simulated action.
    pub action: Action,
    /// Share of the computed force that is commanded, 0…1.
    pub gain: f64,
    /// Lead: time from a state to the play-out of its answer, µs.
    pub lead_us: u32,
    /// Block delay, samples at 48 kHz, 0…256.
    pub block: u32,
    /// Host notes may move the keys.
    pub plays: bool,
    /// The vibration of the strings is added to the forces.
    pub vibrates: bool,
    /// File of a take that sounds in place of a keyboard, from the first sample after every activation or reset;
    /// empty for none.
    pub take: String,
}

impl Default for Choice {
    fn default() -> Self {
        let ServoOptions { action, gain, lead_us, block, plays, vibrates, .. } =
            ServoOptions::default();
        let (ports, take) = (Vec::new(), String::new());
        Self { ports, action, gain, lead_us, block, plays, vibrates, take }
    }
}

impl Choice {
    /// Text in the project: lines of `name=value`, one `port` line a port. Line ends in ports and take are removed.
    #[must_use]
    pub fn text(&self) -> String {
        let Self { ports, action, gain, lead_us, block, plays, vibrates, take } = self;
        let line = |text: &str| text.replace(['\n', '\r'], "");
        let take = line(take);
        let ports: String = ports.iter().map(|port| format!("\nport={}", line(port))).collect();
        let (action, [plays, vibrates]) = (action.to_string(), [*plays, *vibrates].map(u8::from));
        format!(
            "action={action}\ngain={gain}\nlead_us={lead_us}\nblock={block}\nplays={plays}\n\
             vibrates={vibrates}\ntake={take}{ports}"
        )
    }

    /// The choice of a project's text; missing and invalid values have their defaults.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut choice = Self::default();
        for line in text.lines() {
            match line.split_once('=') {
                Some(("action", v)) => choice.action = Action::of(v).unwrap_or_default(),
                Some(("gain", v)) => {
                    let gain = v.parse().ok().filter(|g| (0.0..=1.0).contains(g));
                    choice.gain = gain.unwrap_or(choice.gain);
                }
                Some(("lead_us", v)) => {
                    let lead = v.parse().ok().filter(|l| (125..=20_000).contains(l));
                    choice.lead_us = lead.unwrap_or(choice.lead_us);
                }
                Some(("block", v)) => {
                    let block = v.parse().ok().filter(|b| *b <= BLOCK_MAX);
                    choice.block = block.unwrap_or(choice.block);
                }
                Some(("plays", v)) => choice.plays = v == "1",
                Some(("vibrates", v)) => choice.vibrates = v == "1",
                Some(("take", v)) => v.clone_into(&mut choice.take),
                Some(("port", v)) if !v.is_empty() && !choice.ports.iter().any(|p| p == v) => {
                    choice.ports.push(v.to_owned());
                }
                _ => {}
            }
        }
        choice
    }

    /// Options of the servo.
    pub(super) fn options(&self, settings: &ActionSettings) -> ServoOptions {
        ServoOptions {
            action: self.action,
            settings: settings.clone(),
            gain: self.gain,
            lead_us: self.lead_us,
            block: self.block,
            plays: self.plays,
            vibrates: self.vibrates,
            ..ServoOptions::default()
        }
    }

    /// Differs from `other` in more than gain and host notes, so that port or take must be opened anew.
    pub(super) fn must_reopen(&self, other: &Self) -> bool {
        let same = Self { gain: other.gain, plays: other.plays, ..self.clone() };
        same != *other
    }
}
