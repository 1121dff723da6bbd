//! The instrument: block by block, and whole MIDI files.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use numpy::{PyArray1, PyArray2, PyArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::interrupt::{interruptible, on_threads};
use crate::settings::{NamedText, change, settings};
use crate::{error, refused};
use touchback_instrument::host::midi::{Address, InputMessage};
use touchback_instrument::host::midi_file::{Numbers, Parts, Score};
use touchback_instrument::play::event_scheduler::{EventScheduler, Host};
use touchback_instrument::play::record::StrikeRecord;
use touchback_instrument::{Piano as Instrument, Settings};
use touchback_offline::render as offline;
use touchback_sound::tuning::scala::Texts;

/// Sample rates of the instrument, Hz.
const RATES: std::ops::RangeInclusive<u32> = 22_050..=384_000;

/// Most samples between two looks at Python's signals: at most 50 ms of work in dense music.
const BETWEEN_SIGNALS: usize = 4096;

/// A strike as Python gets it: time, s, key 1 to 88, hammer speed, m/s, time of the note-on, s, or NaN.
type Strike = (f64, u8, f64, f64);

fn strike(record: &StrikeRecord) -> Strike {
    (record.time, record.key.number(), record.speed, record.note_on)
}

/// Two channels of sound, and strikes.
type Sound<'py> = (Bound<'py, PyArray2<f32>>, Vec<Strike>);

/// A piano and the messages that wait for its next block.
#[pyclass(module = "touchback._native")]
pub(crate) struct Piano {
    scheduler: Mutex<EventScheduler>,
    settings: Settings,
    waiting: Vec<(u32, InputMessage)>,
}

/// Hands the waiting messages over in the order of their samples, and collects the strikes.
struct Waiting<'a> {
    messages: std::vec::IntoIter<(u32, InputMessage)>,
    strikes: &'a mut Vec<Strike>,
}

impl Host for Waiting<'_> {
    fn next(&mut self) -> Option<(u32, InputMessage)> {
        self.messages.next()
    }

    fn rendered(&mut self, piano: &Instrument, _begin: u64) {
        self.strikes.extend(piano.strikes().iter().map(strike));
    }
}

#[pymethods]
impl Piano {
    #[new]
    #[pyo3(signature = (rate, preset, sheet, mechanism, settings_of))]
    fn new(
        py: Python<'_>,
        rate: u32,
        preset: Option<&str>,
        sheet: Option<&str>,
        mechanism: Option<NamedText>,
        settings_of: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        checked(rate)?;
        let settings = settings(preset, sheet, mechanism, settings_of)?;
        let piano = interruptible(py, || Instrument::new(f64::from(rate), &settings))?;
        let scheduler = Mutex::new(EventScheduler::new(piano));
        Ok(Self { scheduler, settings, waiting: Vec::new() })
    }

    /// Adds a note-on at the sample `offset` of the next block.
    fn note_on(&mut self, note: u8, velocity: f64, channel: u8, offset: u32) -> PyResult<()> {
        let (note, channel) = (seven_bit("note", note)?, channel_of(channel)?);
        let velocity = share("velocity", velocity)?;
        self.add(offset, InputMessage::NoteOn { channel, note, id: None, velocity });
        Ok(())
    }

    /// Adds a note-off.
    fn note_off(&mut self, note: u8, velocity: f64, channel: u8, offset: u32) -> PyResult<()> {
        let (note, channel) = (seven_bit("note", note)?, channel_of(channel)?);
        let velocity = share("velocity", velocity)?;
        self.add(offset, InputMessage::NoteOff { to: Address::note(channel, note), velocity });
        Ok(())
    }

    /// Adds a control change with a value of 0 to 1.
    fn control(&mut self, number: u8, value: f64, channel: u8, offset: u32) -> PyResult<()> {
        let (number, channel) = (seven_bit("control", number)?, channel_of(channel)?);
        let value = share("value", value)?;
        self.add(offset, InputMessage::Controller { channel, number, value });
        Ok(())
    }

    /// Plays the next `frames` samples.
    fn process<'py>(&mut self, py: Python<'py>, frames: u32) -> PyResult<Sound<'py>> {
        let length = usize::try_from(frames)?;
        let (mut samples, mut strikes) = (vec![0.0; 2 * length], Vec::new());
        let (left, right) = samples.split_at_mut(length);
        for (left, right) in left.chunks_mut(BETWEEN_SIGNALS).zip(right.chunks_mut(BETWEEN_SIGNALS))
        {
            py.detach(|| self.play(left, right, &mut strikes));
            py.check_signals()?;
        }
        Ok((PyArray1::from_vec(py, samples).reshape([2, length])?, strikes))
    }

    /// Changes parameters from the next block on.
    fn set(&mut self, values: &Bound<'_, PyDict>) -> PyResult<()> {
        change(&mut self.settings, Some(values))?;
        let scheduler = self.scheduler.get_mut().unwrap_or_else(PoisonError::into_inner);
        scheduler.set(&self.settings);
        Ok(())
    }

    /// Silences the piano and puts all keys to rest.
    fn reset(&mut self) {
        self.waiting.clear();
        self.scheduler.get_mut().unwrap_or_else(PoisonError::into_inner).reset();
    }

    /// Whether nothing sounds or moves.
    #[getter]
    fn is_idle(&mut self) -> bool {
        self.waiting.is_empty()
            && self.scheduler.get_mut().unwrap_or_else(PoisonError::into_inner).is_idle()
    }

    /// Samples by which the sound is later than the notes.
    #[getter]
    fn latency(&mut self) -> u64 {
        self.scheduler.get_mut().unwrap_or_else(PoisonError::into_inner).latency()
    }
}

impl Piano {
    /// Plays the next samples with the messages that are due in them.
    fn play(&mut self, left: &mut [f32], right: &mut [f32], strikes: &mut Vec<Strike>) {
        // Blocks have at most BETWEEN_SIGNALS samples.
        let frames = u32::try_from(left.len()).unwrap_or(u32::MAX);
        let mut messages = std::mem::take(&mut self.waiting);
        messages.sort_by_key(|(offset, _)| *offset);
        let later = messages.split_off(messages.partition_point(|(offset, _)| *offset < frames));
        self.waiting =
            later.into_iter().map(|(offset, message)| (offset - frames, message)).collect();
        let scheduler = self.scheduler.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut host = Waiting { messages: messages.into_iter(), strikes };
        scheduler.process(left, right, &mut host);
    }

    fn add(&mut self, offset: u32, message: InputMessage) {
        self.waiting.push((offset, message));
    }
}

/// Plays the MIDI file `bytes` to the end of its sound: samples, strikes, warnings.
#[pyfunction]
#[pyo3(signature = (name, bytes, rate, preset, sheet, mechanism, settings_of, parts, scale, threads))]
#[expect(clippy::too_many_arguments, reason = "the arguments of Python's function, by name there")]
pub(crate) fn render<'py>(
    py: Python<'py>,
    name: &str,
    bytes: &[u8],
    rate: u32,
    preset: Option<&str>,
    sheet: Option<&str>,
    mechanism: Option<NamedText>,
    settings_of: Option<&Bound<'_, PyDict>>,
    parts: (Option<String>, Option<String>),
    scale: Option<(String, Option<String>)>,
    threads: Option<NonZeroUsize>,
) -> PyResult<(Sound<'py>, Vec<String>)> {
    checked(rate)?;
    let mut settings = settings(preset, sheet, mechanism, settings_of)?;
    if let Some((scale, map)) = scale {
        let texts = Texts { name: String::new(), scale, map };
        settings.sound.scale = Some(texts.scale().map_err(refused)?).into();
    }
    let numbers = |name: &str, text: Option<String>| {
        let numbers = text.map(|text| text.parse::<Numbers>()).transpose();
        numbers.map_err(|error| refused(format!("{name}: {error}")))
    };
    let parts = match parts {
        (None, None) => Parts::of(&settings),
        (channels, tracks) => {
            Parts { channels: numbers("channels", channels)?, tracks: numbers("tracks", tracks)? }
        }
    };
    let read = Score::read_repaired(name, bytes, &parts, &settings.pedals);
    let (score, _) = read.map_err(|e| error(&e.into()))?;
    let played = on_threads(py, threads, || {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let (strikes, _) = offline::perform(&score, &settings, rate, |l, r| {
            left.extend_from_slice(l);
            right.extend_from_slice(r);
            Ok(())
        })?;
        left.append(&mut right);
        Ok((left, strikes))
    })?;
    let (samples, strikes) = played.map_err(|e| error(&e))?;
    let length = samples.len() / 2;
    let samples = PyArray1::from_vec(py, samples).reshape([2, length])?;
    Ok(((samples, strikes.iter().map(strike).collect()), score.warnings))
}

fn checked(rate: u32) -> PyResult<()> {
    match RATES.contains(&rate) {
        true => Ok(()),
        false => Err(refused(format!("{rate} Hz: {} to {} Hz", RATES.start(), RATES.end()))),
    }
}

fn seven_bit(name: &str, value: u8) -> PyResult<u8> {
    if value < 128 { Ok(value) } else { Err(refused(format!("{name} {value}: 0 to 127"))) }
}

fn channel_of(channel: u8) -> PyResult<u8> {
    match channel {
        0..16 => Ok(channel),
        _ => Err(refused(format!("channel {channel}: 0 to 15"))),
    }
}

fn share(name: &str, value: f64) -> PyResult<f64> {
    match (0.0..=1.0).contains(&value) {
        true => Ok(value),
        false => Err(refused(format!("{name} {value}: 0 to 1"))),
    }
}
