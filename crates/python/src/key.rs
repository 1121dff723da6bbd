//! One key of any action.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use numpy::{PyArray1, PyArray2, PyArrayMethods as _, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::interrupt::{PERIOD, interruptible};
use crate::settings::{NamedText, key_number, model, settings};
use crate::{error, is_course, refused};
use touchback_action::interface::key::SavedState;
use touchback_action::interface::trajectory::{Trajectory, Way};
use touchback_action::{Drive, MechanismFile, Readout, STEP, TimedEvent};
use touchback_core::exchange::shared::Shared;
use touchback_core::math::compass::KeyNumber;
use touchback_models::catalogue::Model;
use touchback_offline::gesture::{Channel, Gesture};
use touchback_offline::model::named::NamedModel;
use touchback_offline::simulate;
use touchback_offline::simulate::balance::Balance;
use touchback_offline::table::Curve;

/// An event as Python gets it: time, s, name, value, unit.
pub(crate) type Event = (f64, &'static str, f64, &'static str);

pub(crate) fn event(timed: &TimedEvent) -> Event {
    let kind = timed.event.kind();
    (timed.time(), kind.name(), timed.event.value(), kind.unit())
}

/// What a key is made of.
#[derive(Clone)]
enum Action {
    /// The model of an action.
    Model(Box<Model>),
    /// A mechanism from a file.
    File(Shared<Option<MechanismFile>>),
}

impl Action {
    /// The model.
    fn model(&self) -> PyResult<&Model> {
        match self {
            Self::Model(model) => Ok(model),
            Self::File(_) => {
                Err(refused("a mechanism from a file has no model; its file has the numbers"))
            }
        }
    }

    /// The key `number` at rest.
    fn key(&self, number: KeyNumber) -> Box<dyn touchback_action::Key> {
        match self {
            Self::Model(model) => Model::clone(model).start(),
            Self::File(file) => match &**file {
                Some(file) => file.key(number),
                None => unreachable!("made with a file"),
            },
        }
    }
}

/// One key: a model at rest for gestures, and a key that is stepped.
#[pyclass(module = "touchback._native")]
pub(crate) struct Key {
    number: KeyNumber,
    action: Action,
    /// Parts of an action step in which it is integrated.
    parts: u32,
    /// Whether runs have the forces of all elements.
    forces: bool,
    stepped: Mutex<Stepped>,
}

/// The key that is stepped.
struct Stepped {
    key: Box<dyn touchback_action::Key>,
    /// Steps taken.
    step: u64,
    /// Drive of the last step.
    drive: Drive,
    /// Imposed motion of the last steps.
    motion: Trajectory,
}

impl Stepped {
    /// The key `number` of `action`, integrated in `parts` of an action step.
    fn at_rest(action: &Action, number: KeyNumber, parts: u32) -> Self {
        let mut key = action.key(number);
        key.refine(parts);
        let motion = Trajectory::at(0.0, 0.0);
        Self { key, step: 0, drive: Drive::Free, motion }
    }
}

impl Stepped {
    /// Way of an imposed motion to `to` m in `steps` steps; none for another channel. The motion goes on from the
    /// last one, or from where the key is.
    fn way(&mut self, channel: Option<Channel>, to: f64, steps: u32) -> Option<Way> {
        if channel != Some(Channel::KeyM) || steps == 0 {
            return None;
        }
        let [depth, speed] = self.key.front();
        if !self.drive.is_motion() || (self.motion.end()[0] - depth).abs() > 1e-9 {
            self.motion = Trajectory::at(depth, speed);
        }
        Some(self.motion.reach(to, f64::from(steps) * STEP))
    }
}

/// Numbers of all rows of a run, column by column.
struct Columns {
    names: Vec<String>,
    /// Value of column c in row r at `c · rows + r`.
    table: Vec<f64>,
    rows: usize,
    filled: usize,
}

impl Columns {
    const fn new(rows: usize) -> Self {
        Self { names: Vec::new(), table: Vec::new(), rows, filled: 0 }
    }

    /// Adds a row of `values`, whose columns have the `names`.
    fn push(&mut self, names: impl Iterator<Item = String>, values: impl Iterator<Item = f64>) {
        if self.filled == 0 {
            self.names = names.collect();
            self.table = vec![f64::NAN; self.names.len() * self.rows];
        }
        for (column, value) in values.enumerate() {
            self.table[column * self.rows + self.filled] = value;
        }
        self.filled += 1;
    }

    fn into_table(self, py: Python<'_>) -> PyResult<Table<'_>> {
        let table = PyArray1::from_vec(py, self.table).reshape([self.names.len(), self.rows])?;
        Ok((self.names, table))
    }
}

/// Readings of all rows of a run.
struct Rows {
    columns: Columns,
    phases: Vec<u8>,
    phase_names: Vec<&'static str>,
}

impl Rows {
    const fn new(rows: usize) -> Self {
        Self { columns: Columns::new(rows), phases: Vec::new(), phase_names: Vec::new() }
    }

    fn push(&mut self, time: f64, readout: &Readout) {
        let names = std::iter::once("time_s".to_owned())
            .chain(readout.columns().map(|(name, _)| name.to_owned()))
            .chain(readout.losses.iter().map(|(part, _)| format!("heat_{part}_w")));
        let values = std::iter::once(time)
            .chain(readout.columns().map(|(_, value)| value))
            .chain(readout.losses.iter().map(|(_, watts)| watts));
        self.columns.push(names, values);
        let known = self.phase_names.iter().position(|name| *name == readout.phase);
        let phase = known.unwrap_or_else(|| {
            self.phase_names.push(readout.phase);
            self.phase_names.len() - 1
        });
        // No action has more than a few phases.
        self.phases.push(u8::try_from(phase).unwrap_or(u8::MAX));
    }
}

/// Names of the columns, and table (columns, rows).
type Table<'py> = (Vec<String>, Bound<'py, PyArray2<f64>>);

/// A run as Python gets it: names of the columns, table (columns, rows), phase of each row, names of the phases,
/// events, what is wrong with the energy balance, and the forces, if wanted.
type Run<'py> = (
    Vec<String>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<u8>>,
    Vec<&'static str>,
    Vec<Event>,
    Option<String>,
    Option<Table<'py>>,
);

#[pymethods]
impl Key {
    #[new]
    #[pyo3(signature = (number, action, preset, sheet, model_text, mechanism, settings_of, numbers, parts, forces))]
    #[expect(clippy::too_many_arguments, reason = "the arguments of Python's class, by name there")]
    fn new(
        number: &Bound<'_, PyAny>,
        action: &str,
        preset: Option<&str>,
        sheet: Option<&str>,
        model_text: Option<&str>,
        mechanism: Option<NamedText>,
        settings_of: Option<&Bound<'_, PyDict>>,
        numbers: Option<&Bound<'_, PyDict>>,
        parts: u32,
        forces: bool,
    ) -> PyResult<Self> {
        let number = key_number(number)?;
        if mechanism.is_some()
            && (model_text.is_some() || numbers.is_some_and(|numbers| !numbers.is_empty()))
        {
            return Err(refused("a mechanism from a file has neither model= nor numbers="));
        }
        let settings = settings(preset, sheet, mechanism, settings_of)?;
        let action = match settings.action.mechanism.is_some() {
            true => Action::File(settings.action.mechanism),
            false => {
                Action::Model(Box::new(model(action, number, &settings, model_text, numbers)?))
            }
        };
        if !(1..=1000).contains(&parts) {
            return Err(refused(format!("parts = {parts}: 1 to 1000")));
        }
        let stepped = Mutex::new(Stepped::at_rest(&action, number, parts));
        Ok(Self { number, action, parts, forces, stepped })
    }

    /// Number of the key, 1 to 88.
    #[getter]
    fn number(&self) -> u8 {
        self.number.number()
    }

    /// The model as the text of a model file.
    fn model_text(&self) -> PyResult<String> {
        toml::to_string_pretty(self.action.model()?).map_err(|e| error(&e.into()))
    }

    /// Every number of the model by name.
    fn numbers(&self) -> PyResult<Vec<(String, f64)>> {
        let named = NamedModel::of(self.action.model()?).map_err(|e| error(&e))?;
        let value = |name: String| Ok((name.clone(), named.get(&name)?));
        let values: anyhow::Result<_> = named.names().into_iter().map(value).collect();
        values.map_err(|e| error(&e))
    }

    /// Plays a gesture, given as JSON of its parts, on a key at rest.
    fn play_parts<'py>(&self, py: Python<'py>, json: &str) -> PyResult<Run<'py>> {
        let value: toml::Value =
            serde_json::from_str(json).map_err(|e| refused(format!("gesture: {e}")))?;
        let text = toml::to_string(&value).map_err(|e| refused(format!("gesture: {e}")))?;
        let gesture = Gesture::from_toml("gesture", text.as_bytes());
        self.play(py, gesture.map_err(|e| error(&e))?)
    }

    /// Plays the gesture in a file.
    fn play_file<'py>(&self, py: Python<'py>, path: std::path::PathBuf) -> PyResult<Run<'py>> {
        self.play(py, Gesture::open(&path).map_err(|e| error(&e))?)
    }

    /// Plays a curve of `channel` on a key at rest.
    #[pyo3(signature = (channel, times, values, speeds=None))]
    fn play_curve<'py>(
        &self,
        py: Python<'py>,
        channel: &str,
        times: PyReadonlyArray1<'py, f64>,
        values: PyReadonlyArray1<'py, f64>,
        speeds: Option<PyReadonlyArray1<'py, f64>>,
    ) -> PyResult<Run<'py>> {
        let channel = channel_of(channel)?;
        let (times, values) = (times.as_slice()?, values.as_slice()?);
        let speeds = speeds.as_ref().map(|speeds| speeds.as_slice()).transpose()?;
        if !is_course(times, &[values, speeds.unwrap_or(values)]) {
            return Err(refused(
                "a curve has as many values as times, all finite, and times that rise from 0",
            ));
        }
        if times[times.len() - 1] > touchback_offline::gesture::LIMIT {
            let limit = touchback_offline::gesture::LIMIT;
            return Err(refused(format!("a gesture lasts at most {limit} s")));
        }
        if let Some(speeds) = speeds {
            let points = times.iter().zip(values).zip(speeds).map(|((t, x), v)| [*t, *x, *v]);
            return self.play(py, Gesture::of_motion(points.collect()));
        }
        let points = times.iter().copied().zip(values.iter().copied()).collect();
        let curve = Curve::new(points).ok_or_else(|| refused("a curve without points"))?;
        self.play(py, Gesture::of_curve(channel, curve))
    }

    /// Takes `steps` steps under a drive that goes linearly from `from` to `to`, a motion at continuous speed; returns the readings at the end,
    /// in the order of a run's columns, and the events.
    #[pyo3(signature = (channel, from, to, steps))]
    fn step(
        &mut self,
        py: Python<'_>,
        channel: Option<&str>,
        from: f64,
        to: f64,
        steps: u32,
    ) -> PyResult<(Vec<f64>, &'static str, Vec<Event>)> {
        let channel = channel.map(channel_of).transpose()?;
        let number = self.number;
        let stepped = self.stepped.get_mut().unwrap_or_else(PoisonError::into_inner);
        let (mut events, mut next) = (Vec::new(), 0);
        let way = stepped.way(channel, to, steps);
        while next < steps {
            py.detach(|| {
                let begin = Instant::now();
                while next < steps && begin.elapsed() < PERIOD {
                    let at = |i: u32| from + (to - from) * (f64::from(i) / f64::from(steps));
                    let along = |way: Way| {
                        let point = |i: u32| way.at(f64::from(i) * STEP);
                        Drive::between(point(next), point(next + 1))
                    };
                    let given = || channel.map(|c| c.drive([at(next), at(next + 1)]));
                    let drive = way.map(along).or_else(given).unwrap_or(Drive::Free);
                    let step = stepped.step;
                    stepped.key.step(drive, &mut |offset, what| {
                        events.push(event(&TimedEvent { key: number, step, offset, event: what }));
                    });
                    (stepped.step, stepped.drive, next) = (step + 1, drive, next + 1);
                }
            });
            py.check_signals()?;
        }
        let readout = stepped.key.readout(stepped.drive);
        if !readout.key.is_finite() {
            return Err(refused("the action lost its state: no action can follow this drive"));
        }
        let values = std::iter::once(touchback_action::step_time(stepped.step));
        let values = values.chain(readout.columns().map(|(_, value)| value)).collect();
        Ok((values, readout.phase, events))
    }

    /// Puts the stepped key to rest at time 0.
    fn reset(&mut self) {
        *self.stepped.get_mut().unwrap_or_else(PoisonError::into_inner) =
            Stepped::at_rest(&self.action, self.number, self.parts);
    }

    /// State of the stepped key: its steps, its phase and the bits of its states.
    fn save(&mut self) -> (u64, Vec<u64>) {
        let stepped = self.stepped.get_mut().unwrap_or_else(PoisonError::into_inner);
        (stepped.step, stepped.key.save().bits().to_vec())
    }

    /// Restores a state from `save`.
    fn restore(&mut self, step: u64, bits: Vec<u64>) -> PyResult<()> {
        let bits = bits.try_into().map_err(|_| refused("a state of another action"))?;
        let saved = SavedState::of(&bits);
        if !saved.is_finite() {
            return Err(refused("a state that is not finite"));
        }
        let stepped = self.stepped.get_mut().unwrap_or_else(PoisonError::into_inner);
        stepped.key.adopt(&saved);
        stepped.drive = Drive::Free;
        stepped.step = step;
        Ok(())
    }
}

impl Key {
    fn play<'py>(&self, py: Python<'py>, mut gesture: Gesture) -> PyResult<Run<'py>> {
        let played = interruptible(py, || {
            let Stepped { mut key, .. } = Stepped::at_rest(&self.action, self.number, self.parts);
            let (mut rows, mut balance) = (Rows::new(gesture.steps()), Balance::default());
            let mut forces = self.forces.then(|| Columns::new(gesture.steps()));
            let key = key.as_mut();
            let events = simulate::play_key(&mut gesture, key, self.number, |time, key, drive| {
                let readout = key.readout(drive);
                balance.push(&readout);
                rows.push(time, &readout);
                if let Some(forces) = &mut forces {
                    let elements = key.elements(drive);
                    let names = elements.columns().map(|(name, _)| name);
                    forces.push(names, elements.columns().map(|(_, value)| value));
                }
                Ok(())
            })?;
            Ok((rows, forces, events.iter().map(event).collect::<Vec<_>>(), balance.check()))
        })?;
        let (rows, forces, events, balance) = played.map_err(|e| error(&e))?;
        let Rows { columns, phases, phase_names } = rows;
        let (names, table) = columns.into_table(py)?;
        let forces = forces.map(|forces| forces.into_table(py)).transpose()?;
        let (phases, wrong) =
            (PyArray1::from_vec(py, phases), balance.err().map(|e| e.to_string()));
        Ok((names, table, phases, phase_names, events, wrong, forces))
    }
}

/// The channel whose column is `name`.
pub(crate) fn channel_of(name: &str) -> PyResult<Channel> {
    let found = Channel::ALL.into_iter().find(|channel| channel.column() == name);
    found.ok_or_else(|| refused(format!("`{name}` is no drive")))
}
