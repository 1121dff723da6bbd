//! A take: the servo's log as a file. Each line is an entry; numbers are written by their bits, so that a
//! replay has the servo's exact states.
//!
//! ```text
//! touchback servo log 3
//! mechanism FILE
//! setting STEP ACTION id = value; …
//! place STEP KEY MASS WEIGHT FRICTION BED STATE…
//! slot STEP KEY STEPS FORCE IMPEDANCE
//! played STEP KEY 1 or 0
//! ```
//! A mechanism is that of the settings after it with the action `file`: name, text and values as JSON.
//! A setting holds at once at the beginning of a take and with another action; otherwise the keys approach
//! it from that step on. Steps are of 125 µs by the keyboard's clock; those of a key never decrease, those of
//! different keys by at most 1024, because a message is logged key by key. Keys count from 1.
//! MASS to FRICTION, STATE, FORCE and IMPEDANCE are hexadecimal bits of SI values. The take begins at the
//! step of the first entry.
//!
//! Version 1 had two more numbers at the end of a place, the prediction and the energy debt of the junction of
//! that time. They are skipped; such a take moves today's keys by its logged forces, not bit for bit as
//! recorded. Up to version 2 a place had 22 states; the states added since begin at zero.

mod writer;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::action::Action;
use crate::record::log::Entry;
use crate::servo::{MAX_STEPS, seconds};
use touchback_action::interface::key::{DynamicsCompensation, STATES, SavedState};
use touchback_action::{ActionKind, ActionSettings, MechanismFile};
use touchback_core::exchange::shared::Shared;
use touchback_core::files::input::{self, InputError};
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_mechanism::open;

pub use writer::Writer;

/// First line of a take.
const HEAD: &str = "touchback servo log 3";
/// First lines of older takes, as long as [`HEAD`], and the numbers of their places.
const OLDER: [(&str, PlaceFormat); 2] = [
    ("touchback servo log 2", PlaceFormat { states: 22, obsolete: 0 }),
    ("touchback servo log 1", PlaceFormat { states: 22, obsolete: 2 }),
];

/// Numbers of a place: states, and obsolete numbers at the end.
#[derive(Clone, Copy)]
struct PlaceFormat {
    states: usize,
    obsolete: usize,
}

/// Format that is written.
const CURRENT: PlaceFormat = PlaceFormat { states: STATES, obsolete: 0 };

/// Format of the places of a take with the first line `head`; `None` where the file is no take.
fn place_format(head: &str) -> Option<PlaceFormat> {
    if head == HEAD {
        return Some(CURRENT);
    }
    OLDER.iter().find(|older| older.0 == head).map(|older| older.1)
}

/// Largest file, bytes: ten hours of one key.
const LIMIT: u64 = 2_000_000_000;
/// Most steps by which an entry may be earlier than one of another key before it in the file, 128 ms: a servo logs the steps of a
/// message key by key, and a session ends after shorter gaps.
const SPAN: u64 = 1024;
/// Longest line, bytes: twice that of the longest mechanism.
const LONGEST_LINE: u64 = 2_000_000;
/// Largest number of entries in memory: half an hour of one key, about 500 MB.
const MAX_IN_MEMORY: usize = 1_500_000;
/// Largest valid compensation, in kg or N, and largest force or impedance, N or N·s/m: more than any servo
/// logs.
const MAX_VALUES: [f64; 2] = [100.0, 1e6];

/// Error of a take; the message names the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// The file cannot be opened.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The file cannot be read.
    #[error("{0}: cannot read: {1}")]
    Unreadable(String, String),
    /// The file is no take.
    #[error("{0}, line 1: not a servo log; `touchback feel PORT --log FILE` writes one")]
    Foreign(String),
    /// A line is no entry of a log.
    #[error("{0}, line {1}: not an entry of a servo log; the file is damaged")]
    Damaged(String, usize),
    /// The take does not fit into memory.
    #[error("{0}: too long to be played live; `touchback render` plays takes of any length")]
    Long(String),
    /// The mechanism in the take cannot be read.
    #[error("{0}: the mechanism in it cannot be read by this version: {1}")]
    Mechanism(String, String),
    /// The take has no entries.
    #[error("{0}: holds no entries; no key was touched while it was written")]
    Empty(String),
    /// The take has more than one action.
    #[error(
        "{0}: has the actions {1} and {2}; a take that sounds has one action, `touchback feel FILE \
         --replay` replays both"
    )]
    Mixed(String, &'static str, &'static str),
}

/// A take: summary of a servo's log from one complete reading. The entries are read again on demand.
#[derive(Clone, PartialEq, Debug)]
pub struct Recording {
    file: String,
    source: Source,
    /// First and last step.
    span: [u64; 2],
    /// The first action, and the first other action after it.
    actions: (Option<Action>, Option<Action>),
    first_key: Option<KeyNumber>,
    /// The first settings.
    settings: Option<Box<ActionSettings>>,
    touched: [bool; KEYS],
}

#[derive(Clone, PartialEq, Debug)]
enum Source {
    File(PathBuf),
    Text(Arc<[u8]>),
}

impl Recording {
    /// Whether the file at `path` begins as a take.
    #[must_use]
    pub fn is_at(path: &Path) -> bool {
        let mut head = [0; HEAD.len()];
        let is_read = input::open(path).is_ok_and(|mut file| file.read_exact(&mut head).is_ok());
        is_read && place_format(str::from_utf8(&head).unwrap_or_default()).is_some()
    }

    /// Reads the file at `path`, one entry at a time.
    ///
    /// # Errors
    /// The file cannot be read or is no valid take; the error names file and line.
    pub fn open(path: &Path) -> Result<Self, RecordingError> {
        Self::of(path.display().to_string(), Source::File(path.to_path_buf()))
    }

    /// Reads `text`; errors name it `file`.
    ///
    /// # Errors
    /// The text is no valid take; the error names the line.
    pub fn read(file: &str, text: &[u8]) -> Result<Self, RecordingError> {
        Self::of(file.into(), Source::Text(text.into()))
    }

    fn of(file: String, source: Source) -> Result<Self, RecordingError> {
        let mut take = Self {
            file,
            source,
            span: [0; 2],
            actions: (None, None),
            first_key: None,
            settings: None,
            touched: [false; KEYS],
        };
        let mut entries = take.entries()?;
        let Some(first) = entries.next().transpose()? else {
            return Err(RecordingError::Empty(take.file));
        };
        take.span = [first.step(); 2];
        take.count(&first);
        for entry in entries {
            take.count(&entry?);
        }
        Ok(take)
    }

    /// Adds an entry to the summary.
    fn count(&mut self, entry: &Entry) {
        self.span[1] = entry.step();
        if let Some(key) = entry.key() {
            self.first_key.get_or_insert(key);
            self.touched[key.index()] = true;
        }
        if let Entry::Setting { action, settings, .. } = entry {
            self.settings.get_or_insert_with(|| Box::new(settings.clone()));
            let first = *self.actions.0.get_or_insert(*action);
            if first != *action {
                self.actions.1.get_or_insert(*action);
            }
        }
    }

    /// The entries in the order of their steps, those of one step in the order of logging, read one by one.
    ///
    /// # Errors
    /// The file cannot be read any more.
    pub fn entries(&self) -> Result<Entries, RecordingError> {
        let lines: Box<dyn BufRead + Send> = match &self.source {
            Source::File(path) => Box::new(BufReader::new(input::open_bounded(path, LIMIT)?)),
            Source::Text(text) => Box::new(Cursor::new(text.clone())),
        };
        let mut entries = Entries {
            file: self.file.clone(),
            lines,
            line: Vec::new(),
            number: 0,
            places: CURRENT,
            mechanism: Shared::NEUTRAL,
            waiting: BTreeMap::new(),
            newest: 0,
            newest_of: [0; KEYS],
            is_over: false,
        };
        entries.places = match entries.line() {
            Ok(Some(head)) => place_format(head),
            Err(RecordingError::Unreadable(file, why)) => {
                return Err(RecordingError::Unreadable(file, why));
            }
            _ => None,
        }
        .ok_or_else(|| RecordingError::Foreign(entries.file.clone()))?;
        Ok(entries)
    }

    /// All entries in memory, for threads that cannot wait for a disk.
    ///
    /// # Errors
    /// [`RecordingError::Long`], or the file cannot be read any more.
    pub fn in_memory(&self) -> Result<Vec<Entry>, RecordingError> {
        self.entries()?
            .enumerate()
            .map(|(count, entry)| {
                if count < MAX_IN_MEMORY {
                    entry
                } else {
                    Err(RecordingError::Long(self.file.clone()))
                }
            })
            .collect()
    }

    /// The only action of the take.
    ///
    /// # Errors
    /// [`RecordingError::Mixed`] where the take has several.
    pub fn action(&self) -> Result<Action, RecordingError> {
        let (first, other) = self.actions;
        let first = first.unwrap_or_default();
        match other {
            None => Ok(first),
            Some(other) => {
                Err(RecordingError::Mixed(self.file.clone(), first.name(), other.name()))
            }
        }
    }

    /// The settings at the beginning.
    #[must_use]
    pub fn settings(&self) -> ActionSettings {
        self.settings.as_deref().cloned().unwrap_or_default()
    }

    /// The first step.
    #[must_use]
    pub const fn begin(&self) -> u64 {
        self.span[0]
    }

    /// Time from the first step to the last, s.
    #[must_use]
    pub fn length(&self) -> f64 {
        seconds(self.span[1] - self.span[0])
    }

    /// The first key that was touched.
    #[must_use]
    pub const fn first_key(&self) -> Option<KeyNumber> {
        self.first_key
    }

    /// Whether `key` was touched.
    #[must_use]
    pub const fn touches(&self, key: KeyNumber) -> bool {
        self.touched[key.index()]
    }
}

/// Iterator over the entries of a take.
pub struct Entries {
    file: String,
    lines: Box<dyn BufRead + Send>,
    line: Vec<u8>,
    /// Number of the line read last.
    number: usize,
    /// Format of the places.
    places: PlaceFormat,
    /// The mechanism of coming settings.
    mechanism: Shared<Option<MechanismFile>>,
    /// Entries that earlier ones may follow in the file, by step and line.
    waiting: BTreeMap<(u64, usize), Entry>,
    /// Latest step that was read, and that of each key.
    newest: u64,
    newest_of: [u64; KEYS],
    /// The file is read to its end.
    is_over: bool,
}

impl Entries {
    /// The next line without its line end.
    fn line(&mut self) -> Result<Option<&str>, RecordingError> {
        self.line.clear();
        self.number += 1;
        let read = (&mut self.lines).take(LONGEST_LINE).read_until(b'\n', &mut self.line);
        if let Err(e) = read {
            return Err(RecordingError::Unreadable(self.file.clone(), e.to_string()));
        }
        if self.line.is_empty() {
            return Ok(None);
        }
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match std::str::from_utf8(line) {
            Ok(line) => Ok(Some(line)),
            Err(_) => Err(RecordingError::Damaged(self.file.clone(), self.number)),
        }
    }
}

impl Entries {
    /// Whether the steps of a right take can go on with that of `entry`.
    fn may_follow(&self, entry: &Entry) -> bool {
        let of_key = entry.key().map_or(0, |key| self.newest_of[key.index()]);
        of_key <= entry.step() && self.newest <= entry.step().saturating_add(SPAN)
    }
}

impl Iterator for Entries {
    type Item = Result<Entry, RecordingError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let first = self.waiting.first_entry();
            let due = first.filter(|first| self.is_over || first.key().0 + SPAN < self.newest);
            if let Some(first) = due {
                return Some(Ok(first.remove()));
            }
            if self.is_over {
                return None;
            }
            let places = self.places;
            let read = match self.line() {
                Ok(Some(line)) => match line.strip_prefix("mechanism ") {
                    Some(source) => {
                        match mechanism(source) {
                            Ok(mechanism) => self.mechanism = Some(mechanism).into(),
                            Err(error) => {
                                let file = self.file.clone();
                                return Some(Err(RecordingError::Mechanism(file, error)));
                            }
                        }
                        continue;
                    }
                    None => entry(line, places),
                },
                Ok(None) => {
                    self.is_over = true;
                    continue;
                }
                Err(e) => return Some(Err(e)),
            };
            match read.filter(|entry| self.may_follow(entry)) {
                Some(mut entry) => {
                    if let Entry::Setting { action, settings, .. } = &mut entry
                        && *action == Action::Played(ActionKind::File)
                    {
                        settings.mechanism.clone_from(&self.mechanism);
                    }
                    self.newest = self.newest.max(entry.step());
                    if let Some(key) = entry.key() {
                        self.newest_of[key.index()] = entry.step();
                    }
                    self.waiting.insert((entry.step(), self.number), entry);
                }
                None => return Some(Err(RecordingError::Damaged(self.file.clone(), self.number))),
            }
        }
    }
}

/// Reads a mechanism from its JSON.
fn mechanism(source: &str) -> Result<MechanismFile, String> {
    open(serde_json::from_str(source).map_err(|error| error.to_string())?)
}

/// Parses a `line` with the place format `places`.
fn entry(line: &str, places: PlaceFormat) -> Option<Entry> {
    let (kind, rest) = line.split_once(' ')?;
    if kind == "setting" {
        let (step, rest) = rest.split_once(' ')?;
        let (action, settings) = rest.split_once(' ')?;
        let settings: ActionSettings = toml::from_str(&settings.replace("; ", "\n")).ok()?;
        return Some(Entry::Setting {
            step: step.parse().ok()?,
            action: Action::of(action)?,
            settings,
        });
    }
    let mut fields = rest.split(' ');
    let step = fields.next()?.parse().ok()?;
    let number: usize = fields.next()?.parse().ok()?;
    let key = KeyNumber::from_index(number.checked_sub(1)?)?;
    let bits = |word: Option<&str>| u64::from_str_radix(word?, 16).ok();
    let within = |max: f64| move |v: &f64| v.abs() <= max;
    let entry = match kind {
        "place" => {
            let mut value =
                || bits(fields.next()).map(f64::from_bits).filter(within(MAX_VALUES[0]));
            let (mass, weight, friction) = (value()?, value()?, value()?);
            let has_bed = fields.next()? == "1";
            let mut saved = [0; STATES + 1];
            for value in &mut saved[..=places.states] {
                *value = bits(fields.next())?;
            }
            for _ in 0..places.obsolete {
                bits(fields.next())?;
            }
            let compensation = DynamicsCompensation { mass, weight, friction, has_bed };
            Entry::Place { step, key, compensation, saved: SavedState::of(&saved) }
        }
        "slot" => {
            let steps = fields.next()?.parse().ok().filter(|n| u64::from(*n) <= MAX_STEPS)?;
            let mut value =
                || bits(fields.next()).map(f64::from_bits).filter(within(MAX_VALUES[1]));
            let (force, impedance) = (value()?, value()?);
            Entry::Slot { step, key, steps, force, impedance }
        }
        "played" => Entry::Played { step, key, is_played: fields.next()? == "1" },
        _ => return None,
    };
    fields.next().is_none().then_some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_action::interface::mechanism::MechanismText;

    const BALL: &str = include_str!("../../../../mechanisms/ball.mechanism.toml");

    /// A take has the mechanism once, with the values of its parameters, however often the settings change.
    #[test]
    fn a_take_has_the_mechanism_that_was_felt() {
        let source = MechanismText { name: "ball".into(), text: BALL.into(), ..Default::default() };
        let file = open(source).unwrap().with("spring", 500.0).unwrap();
        let mut settings = ActionSettings { mechanism: Some(file).into(), ..Default::default() };
        let mut writer = Writer::new(Vec::new()).unwrap();
        let action = Action::Played(ActionKind::File);
        for step in 0..3 {
            settings.let_off_mm += 0.1;
            writer.put(&Entry::Setting { step, action, settings: settings.clone() }).unwrap();
        }
        let text = writer.finish().unwrap();
        let lines = String::from_utf8(text.clone()).unwrap();
        assert_eq!(lines.lines().filter(|line| line.starts_with("mechanism ")).count(), 1);
        let take = Recording::read("take", &text).unwrap();
        assert_eq!(
            (take.action().unwrap(), take.settings().mechanism),
            (action, settings.mechanism)
        );
        let broken = lines.replace("[port]", "[pord]");
        let error = Recording::read("take", broken.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with("take: the mechanism in it cannot be read"), "{error}");
    }
}
