//! The actions that can be simulated, by name, and their model files.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::{Plant, Row};
use crate::action::events::EventList;
use crate::action::grand::concert::Design;
use crate::action::grand::{self, Phase, Spec, key, rest, thesis};
use crate::action::{ActionEvent, ActionSettings, Drive, EventKind, ball};
use crate::episode::State;
use crate::instrument::Settings;
use crate::lab::gesture::KeyView;
use crate::lab::output;
use crate::math::compass::Key;

/// Names that `--action` takes.
pub const ACTIONS: [&str; 3] = ["grand", "thesis", "ball"];

/// One key of an action as a file: its numbers and where it starts.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case", deny_unknown_fields)]
pub enum ModelFile {
    /// The grand action, in either parameter set.
    Grand {
        /// Submodel it starts in.
        phase: Phase,
        /// Angles of key, hammer and repetition lever, rad, and damper height, m, at the start.
        start: [f64; 4],
        /// Dimensions, masses, springs, felts, frictions, screws.
        model: Box<Spec>,
    },
    /// The ball on a paddle.
    Ball {
        /// Ball, paddle and spring.
        model: ball::Spec,
    },
}

impl ModelFile {
    /// The model of `key` of the action `name` with `settings`.
    ///
    /// # Errors
    /// An unknown name.
    pub fn of(name: &str, key: Key, settings: &ActionSettings) -> Result<Self> {
        match name {
            "grand" => {
                let built = Design::new(key).build(settings);
                for reason in built.regulated.limits.reasons() {
                    output::warn(&format!("warning: {reason}"));
                }
                let near = &built.regulated.rest;
                let x = rest::pose(&built.spec, Phase::Return, &rest::UNTOUCHED, near);
                Ok(Self::grand(Phase::Return, &x, built.spec))
            }
            "thesis" => {
                let (phase, x) = thesis::initial();
                Ok(Self::grand(phase, &x, thesis::build().spec))
            }
            "ball" => Ok(Self::Ball { model: ball::Spec::default() }),
            _ => bail!("--action {name}: unknown action; one of {}", ACTIONS.join(", ")),
        }
    }

    fn grand(phase: Phase, x: &[f64; grand::STATES], model: Spec) -> Self {
        use grand::state::{DAMPER, HAMMER, KEY, LEVER};
        let start = [x[KEY], x[HAMMER], x[LEVER], x[DAMPER]];
        Self::Grand { phase, start, model: Box::new(model) }
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// One line naming the file and what is wrong.
    pub fn open(path: &Path) -> Result<Self> {
        let name = path.display();
        let text = std::fs::read_to_string(path).with_context(|| format!("{name}: cannot read"))?;
        let file: Self = toml::from_str(&text).map_err(|e| {
            let line = e.span().map_or(0, |s| text[..s.start].lines().count().max(1));
            anyhow::anyhow!("{name}: line {line}: {}", e.message().replace('\n', " "))
        })?;
        if let Self::Grand { model, start, .. } = &file {
            model.check().with_context(|| format!("{name}: not a usable key"))?;
            if start.iter().any(|v| !v.is_finite()) {
                bail!("{name}: start must be four finite numbers");
            }
        }
        Ok(file)
    }

    /// The model as TOML text.
    ///
    /// # Errors
    /// Never for a model this program made.
    pub fn text(&self) -> Result<String> {
        Ok(toml::to_string_pretty(self)?)
    }
}

/// Makes one key of the action `name` with `settings`, from the model file if one is given.
///
/// # Errors
/// An unknown name, or a model file that cannot be used, in one line.
pub fn plant(
    name: &str,
    key: Key,
    settings: &Settings,
    model: Option<&Path>,
) -> Result<Box<dyn Plant>> {
    let file = match model {
        Some(path) => ModelFile::open(path)?,
        None => ModelFile::of(name, key, &settings.action)?,
    };
    Ok(match file {
        ModelFile::Grand { phase, start, model } => {
            use grand::state::{DAMPER, HAMMER, KEY, LEVER};
            let mut x = [0.0; grand::STATES];
            [x[KEY], x[HAMMER], x[LEVER], x[DAMPER]] = start;
            Box::new(GrandKey { spec: model, running: State { phase, x }, key })
        }
        ModelFile::Ball { model } => {
            Box::new(BallKey { state: ball::at_rest(&model), spec: model, key })
        }
    })
}

/// The grand action of one key.
struct GrandKey {
    spec: Box<Spec>,
    running: State<Phase, { grand::STATES }>,
    key: Key,
}

/// The damper tray stays down: one key alone has no pedal.
const TRAY: [f64; 2] = [rest::TRAY_DOWN; 2];

impl Plant for GrandKey {
    fn step(&mut self, drive: Drive, row: &mut Row, events: &mut EventList) {
        let key = self.key;
        let mut listener = |offset: f64, kind: EventKind, value: f64| {
            events.push(ActionEvent { key, offset, kind, value });
        };
        key::step(&self.spec, &mut self.running, drive, TRAY, &mut listener);
        let r = key::read(&self.spec, &self.running, drive, TRAY);
        *row = Row {
            time_s: row.time_s,
            phase: letter(r.phase),
            key_m: r.key,
            key_velocity_m_s: r.key_speed,
            key_force_n: r.key_force,
            jack_knuckle_force_n: r.jack_force,
            hammer_m: r.hammer,
            hammer_velocity_m_s: r.hammer_speed,
            q: r.q,
            q_rate: r.q_rate,
            kinetic_j: r.kinetic,
            potential_j: r.potential,
            dissipated_j: r.dissipated,
            work_j: r.work,
        };
    }

    fn key(&self) -> KeyView {
        let key = &self.spec.key;
        KeyView {
            depth: key.front * (self.running.x[grand::state::KEY] - key.rest_angle),
            speed: key.front * self.running.x[grand::state::KEY_SPEED],
        }
    }
}

const fn letter(phase: Phase) -> &'static str {
    match phase {
        Phase::Acceleration => "A",
        Phase::LetOff => "B",
        Phase::Catch => "C",
        Phase::Return => "D",
        Phase::Flank => "E",
    }
}

/// The ball; the key's depth is the paddle's height.
struct BallKey {
    spec: ball::Spec,
    state: State<ball::Phase, { ball::STATES }>,
    key: Key,
}

impl Plant for BallKey {
    fn step(&mut self, drive: Drive, row: &mut Row, events: &mut EventList) {
        let key = self.key;
        ball::step(&self.spec, &mut self.state, drive, |offset, kind, value| {
            events.push(ActionEvent { key, offset, kind, value });
        });
        let x = &self.state.x;
        let input = ball::hold(drive)[1];
        let model = ball::Ball { spec: &self.spec };
        let m = model.moment(self.state.phase, &input, x);
        let [kinetic, potential] = model.energy(self.state.phase, &input, x);
        let time_s = row.time_s;
        row.clear();
        row.time_s = time_s;
        row.phase = match self.state.phase {
            ball::Phase::Paddle => "paddle",
            ball::Phase::Air => "air",
        };
        row.key_m = x[2];
        row.key_velocity_m_s = x[3];
        row.key_force_n = m.key;
        row.jack_knuckle_force_n = m.contact;
        row.hammer_m = x[0];
        row.hammer_velocity_m_s = x[1];
        row.kinetic_j = kinetic;
        row.potential_j = potential;
        row.dissipated_j = x[5];
        row.work_j = x[4];
    }

    fn key(&self) -> KeyView {
        KeyView { depth: self.state.x[2], speed: self.state.x[3] }
    }
}
