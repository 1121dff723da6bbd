//! Many keys of the grand, stepped together in lanes and on all cores.

use std::sync::{Mutex, PoisonError};

use numpy::{
    PyArray1, PyArray2, PyArrayMethods as _, PyReadonlyArray2, PyUntypedArrayMethods as _,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::interrupt::interruptible;
use crate::key::{Event, channel_of, event};
use crate::refused;
use crate::settings::{key_number, settings};
use touchback_action::grand::state;
use touchback_action::interface::events::EventList;
use touchback_action::interface::trajectory::Trajectory;
use touchback_action::{Drive, Keyboard};
use touchback_core::exchange::cancel;
use touchback_core::math::compass::KeyNumber;
use touchback_offline::gesture::Channel;

/// Rows of the table of readings: depth, speed, height of the hammer above the string, its speed toward it.
const READINGS: usize = 4;

/// Most steps of one keyboard between two looks at Python's signals: about 12 ms with 88 moving keys.
const BETWEEN_SIGNALS: usize = 400;

/// A keyboard and the keys of the bank that it steps.
struct Board {
    keyboard: Keyboard,
    /// Index in the bank, and key.
    keys: Vec<(usize, KeyNumber)>,
    /// Distance of each key's crown from its centre pin, m.
    crowns: Vec<f64>,
    /// Imposed motion of each key.
    motions: Vec<Trajectory>,
    events: EventList,
}

/// What a board has done: the readings of its keys in its own order, row by row, and the events with the index in
/// the bank.
#[derive(Default)]
struct Done {
    readings: Vec<[f64; READINGS]>,
    events: Vec<(usize, Event)>,
}

/// One call's drives.
#[derive(Clone, Copy)]
struct Drives<'a> {
    channel: Option<Channel>,
    /// Value of each key before the first step.
    before: &'a [f64],
    /// Values at the end of each step, key by key.
    values: &'a [f64],
    steps: usize,
    /// First step, by the bank's count.
    from: u64,
    /// Whether readings are taken after every step, or after the last one.
    every: bool,
}

impl Board {
    fn run(&mut self, drives: Drives<'_>) -> Done {
        let Drives { channel, before, values, steps, from, every } = drives;
        let mut done = Done::default();
        let count = before.len();
        for (row, step) in (0..steps).zip(from..) {
            for (at, (index, key)) in self.keys.iter().enumerate() {
                let drive = channel.map_or(Drive::Free, |channel| {
                    let end = values[row * count + index];
                    let start = match row.checked_sub(1) {
                        None => before[*index],
                        Some(previous) => values[previous * count + index],
                    };
                    match [start.is_nan(), end.is_nan()] {
                        [_, true] => Drive::Free,
                        [true, false] => channel.drive([end; 2]),
                        [false, false] if channel == Channel::KeyM => {
                            let motion = &mut self.motions[at];
                            if !self.keyboard.drive_of(*key).is_motion() {
                                let front = self.keyboard.key_depth(*key);
                                *motion = Trajectory::at(front, self.keyboard.key_speed(*key));
                            }
                            motion.step(end)
                        }
                        [false, false] => channel.drive([start, end]),
                    }
                });
                self.keyboard.drive(*key, drive);
            }
            self.events.begin(step);
            self.keyboard.step(&mut self.events);
            for timed in self.events.iter() {
                // Keys of the keyboard that the bank does not have are never driven.
                if let Ok(i) = self.keys.binary_search_by_key(&timed.key, |(_, key)| *key) {
                    done.events.push((self.keys[i].0, event(timed)));
                }
            }
            if every || row + 1 == steps {
                let readings = self.keys.iter().zip(&self.crowns).map(|((_, key), crown)| {
                    let x = self.keyboard.state(*key).x;
                    [
                        self.keyboard.key_depth(*key),
                        self.keyboard.key_speed(*key),
                        crown * x[state::HAMMER],
                        crown * x[state::HAMMER_SPEED],
                    ]
                });
                done.readings.extend(readings);
            }
        }
        done
    }
}

/// Keys of the grand that are stepped together.
#[pyclass(module = "touchback._native")]
pub(crate) struct Bank {
    boards: Mutex<Vec<Board>>,
    count: usize,
    threads: usize,
    step: u64,
    channel: Option<Channel>,
    /// Last value of each key's drive.
    last: Vec<f64>,
}

/// Readings (4, rows, keys), and events with the index of their key.
type Stepped<'py> = (Bound<'py, PyArray2<f64>>, Vec<(usize, Event)>);

#[pymethods]
impl Bank {
    #[new]
    #[pyo3(signature = (keys, preset, sheet, settings_of, threads))]
    fn new(
        py: Python<'_>,
        keys: Vec<Bound<'_, PyAny>>,
        preset: Option<&str>,
        sheet: Option<&str>,
        settings_of: Option<&Bound<'_, PyDict>>,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let settings = settings(preset, sheet, None, settings_of)?;
        let numbers = keys.iter().map(key_number).collect::<PyResult<Vec<_>>>()?;
        if numbers.is_empty() {
            return Err(refused("a bank without keys"));
        }
        // The n-th occurrence of a key lies on the n-th keyboard.
        let mut sorted: Vec<Vec<(usize, KeyNumber)>> = Vec::new();
        let mut seen = [0; touchback_core::math::compass::KEYS];
        for (index, key) in numbers.iter().enumerate() {
            let board = seen[key.index()];
            seen[key.index()] += 1;
            if sorted.len() <= board {
                sorted.push(Vec::new());
            }
            sorted[board].push((index, *key));
        }
        let boards = interruptible(py, || {
            let board = |mut keys: Vec<(usize, KeyNumber)>| {
                cancel::check();
                keys.sort_by_key(|(_, key)| *key);
                let mut keyboard = Keyboard::new(&settings.action);
                let crowns =
                    keys.iter().map(|(_, key)| keyboard.built(*key).spec.hammer.crown).collect();
                let motions = vec![Trajectory::at(0.0, 0.0); keys.len()];
                Board { keyboard, keys, crowns, motions, events: EventList::default() }
            };
            sorted.into_iter().map(board).collect::<Vec<_>>()
        })?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let (count, threads) = (numbers.len(), threads.unwrap_or(cores).max(1));
        let last = vec![f64::NAN; count];
        Ok(Self { boards: Mutex::new(boards), count, threads, step: 0, channel: None, last })
    }

    /// Number of keys.
    #[getter]
    fn count(&self) -> usize {
        self.count
    }

    /// Steps taken.
    #[getter]
    fn steps(&self) -> u64 {
        self.step
    }

    /// The values from which drives on `channel` go on.
    fn start<'py>(
        &mut self,
        py: Python<'py>,
        channel: &str,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_vec(py, self.starts(Some(channel_of(channel)?))))
    }

    /// Takes a step for each row of `values` (steps, keys), which has the drives at the ends of the steps; NaN
    /// leaves a key free. `channel` is none for keys that are all free.
    #[pyo3(signature = (channel, values, every))]
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        channel: Option<&str>,
        values: PyReadonlyArray2<'py, f64>,
        every: bool,
    ) -> PyResult<Stepped<'py>> {
        let channel = channel.map(channel_of).transpose()?;
        let [steps, count] = [values.shape()[0], values.shape()[1]];
        if count != self.count {
            return Err(refused(format!("{count} values for {} keys", self.count)));
        }
        // Other threads may write to the array while the lock is released.
        let values = values.as_slice()?.to_vec();
        if values.iter().any(|value| value.is_infinite() || value.abs() > 1000.0) {
            return Err(refused("a drive beyond ±1000"));
        }
        let mut before = self.starts(channel);
        let boards = self.boards.get_mut().unwrap_or_else(PoisonError::into_inner);
        let threads = self.threads;
        let rows = if every { steps } else { steps.min(1) };
        let mut table = vec![f64::NAN; READINGS * rows * count];
        let mut events = Vec::new();
        let at_once = (BETWEEN_SIGNALS / boards.len().div_ceil(threads)).max(1);
        for (part, values) in values.chunks(at_once * count).enumerate() {
            let steps = values.len() / count;
            let drives = Drives { channel, before: &before, values, steps, from: self.step, every };
            let done = py.detach(|| run(boards, drives, threads));
            before = values[(steps - 1) * count..].to_vec();
            self.last.clone_from(&before);
            (self.channel, self.step) = (channel, self.step + steps as u64);
            // Without `every`, the readings of a later part replace those of the parts before.
            let first = if every { part * at_once } else { 0 };
            for (board, done) in boards.iter().zip(done) {
                for (row, readings) in done.readings.chunks(board.keys.len()).enumerate() {
                    for ((index, _), values) in board.keys.iter().zip(readings) {
                        for (reading, value) in values.iter().enumerate() {
                            table[(reading * rows + first + row) * count + index] = *value;
                        }
                    }
                }
                events.extend(done.events);
            }
            py.check_signals()?;
        }
        events.sort_by(|(a, x), (b, y)| x.0.total_cmp(&y.0).then(a.cmp(b)));
        Ok((PyArray1::from_vec(py, table).reshape([READINGS * rows, count])?, events))
    }

    /// Puts the keys of these indices to rest, free.
    fn reset(&mut self, indices: Vec<usize>) -> PyResult<()> {
        if let Some(index) = indices.iter().find(|index| **index >= self.count) {
            return Err(refused(format!("index {index} of {} keys", self.count)));
        }
        let boards = self.boards.get_mut().unwrap_or_else(PoisonError::into_inner);
        for board in boards {
            for (index, key) in board.keys.iter().filter(|(index, _)| indices.contains(index)) {
                board.keyboard.put_to_rest(*key);
                self.last[*index] = f64::NAN;
            }
        }
        Ok(())
    }
}

impl Bank {
    /// The last value of each key's drive on `channel`; of another kind of drive and of a free key, its depth, or
    /// no force.
    fn starts(&mut self, channel: Option<Channel>) -> Vec<f64> {
        let boards = self.boards.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut starts = vec![0.0; self.count];
        for board in &*boards {
            for (index, key) in &board.keys {
                let last = self.last[*index];
                starts[*index] = match channel {
                    _ if channel == self.channel && !last.is_nan() => last,
                    Some(Channel::KeyM | Channel::FingerM) => board.keyboard.key_depth(*key),
                    _ => 0.0,
                };
            }
        }
        starts
    }
}

/// Runs all boards on at most `threads` threads.
fn run(boards: &mut [Board], drives: Drives<'_>, threads: usize) -> Vec<Done> {
    if threads == 1 || boards.len() == 1 {
        return boards.iter_mut().map(|board| board.run(drives)).collect();
    }
    let share = boards.len().div_ceil(threads);
    std::thread::scope(|scope| {
        let workers: Vec<_> = boards
            .chunks_mut(share)
            .map(|part| {
                scope.spawn(move || part.iter_mut().map(|b| b.run(drives)).collect::<Vec<_>>())
            })
            .collect();
        let done = workers.into_iter().flat_map(|worker| match worker.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        done.collect()
    })
}
