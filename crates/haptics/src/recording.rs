//! A take: the servo's log as a file, a line an entry, numbers by their bits, so that whoever
//! replays it has the servo's states exactly.
//!
//! ```text
//! touchback servo log 2
//! setting STEP ACTION id = value; …
//! place STEP KEY MASS WEIGHT FRICTION BED STATE…
//! slot STEP KEY STEPS FORCE IMPEDANCE
//! played STEP KEY 1 or 0
//! ```
//! A setting holds at once at a take's beginning and with another action; otherwise the keys head
//! for it from that step on. Steps of 125 µs by the keyboard's clock, never falling; keys count from
//! 1; MASS to FRICTION, STATE, FORCE and IMPEDANCE are hexadecimal bits of SI values. The first
//! entry's step is the take's beginning.
//!
//! Version 1 had two more numbers to a place, what the junction predicted and still owed: they are
//! left out, and such a take moves as its pushes move today's keys, not bit for bit as it was felt.
//! Up to version 2 a place had 22 states: those that came after begin at zero.

use std::io::{BufRead, BufReader, Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::action::Action;
use super::log::Entry;
use super::servo::{MOST_STEPS, seconds};
use touchback_action::ActionSettings;
use touchback_action::interface::key::{DynamicsCompensation, STATES, Saved};
use touchback_core::files::input::{self, InputError};
use touchback_core::math::compass::{KEYS, KeyNumber};

/// First line of a take.
const HEAD: &str = "touchback servo log 3";
/// First lines of older takes, as long as [`HEAD`], and what their places hold.
const OLDER: [(&str, Places); 2] = [
    ("touchback servo log 2", Places { states: 22, more: 0 }),
    ("touchback servo log 1", Places { states: 22, more: 2 }),
];
/// Numbers of a place: states, and those at its end that mean nothing now.
#[derive(Clone, Copy)]
struct Places {
    states: usize,
    more: usize,
}

/// What is written.
const NOW: Places = Places { states: STATES, more: 0 };

/// What the places of a take hold that begins with the line `head`; `None` of no take.
fn version(head: &str) -> Option<Places> {
    if head == HEAD {
        return Some(NOW);
    }
    OLDER.iter().find(|older| older.0 == head).map(|older| older.1)
}

/// Largest file, bytes: ten hours of one key.
const LIMIT: u64 = 2_000_000_000;
/// Longest line, bytes: several times a setting's.
const LONGEST_LINE: u64 = 65_536;
/// Most entries in memory: half an hour of one key, about 500 MB.
const MOST_IN_MEMORY: usize = 1_500_000;
/// Largest deduction of a key, in its unit, and largest push, N and N·s/m: beyond what any servo says.
const MOST: [f64; 2] = [100.0, 1e6];

/// Why there is no take, with what to do.
#[derive(Debug, thiserror::Error)]
pub enum NoTake {
    /// The file cannot be opened.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The file cannot be read any more.
    #[error("{0}: cannot read: {1}")]
    Unreadable(String, String),
    /// It is something else.
    #[error("{0}, line 1: not a servo log; `touchback feel PORT --log FILE` writes one")]
    Foreign(String),
    /// One of its lines is none of a log.
    #[error("{0}, line {1}: not an entry of a servo log; the file is damaged")]
    Damaged(String, usize),
    /// It does not fit into memory.
    #[error("{0}: too long to be played live; `touchback render` plays takes of any length")]
    Long(String),
    /// It holds nothing.
    #[error("{0}: holds no entries; no key was touched while it was written")]
    Empty(String),
    /// More than one action was felt.
    #[error(
        "{0}: felt {1} and then {2}; a take that sounds holds one action, `touchback feel FILE \
         --replay` takes both"
    )]
    Mixed(String, &'static str, &'static str),
}

/// A servo's log, read once from end to end: what it holds; its entries are read again as they are
/// asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Recording {
    file: String,
    source: Source,
    /// First and last step.
    ends: [u64; 2],
    /// The action felt first, and another that was felt after it.
    actions: (Option<Action>, Option<Action>),
    first_key: Option<KeyNumber>,
    touched: [bool; KEYS],
}

#[derive(Clone, PartialEq, Debug)]
enum Source {
    File(PathBuf),
    Text(Arc<[u8]>),
}

impl Recording {
    /// Whether the file at `path` begins like a take.
    #[must_use]
    pub fn is_at(path: &Path) -> bool {
        let mut head = [0; HEAD.len()];
        let is_read = input::open(path).is_ok_and(|mut file| file.read_exact(&mut head).is_ok());
        is_read && version(str::from_utf8(&head).unwrap_or_default()).is_some()
    }

    /// Reads the file at `path`, an entry at a time.
    ///
    /// # Errors
    /// Why not, naming file and line.
    pub fn open(path: &Path) -> Result<Self, NoTake> {
        Self::of(path.display().to_string(), Source::File(path.to_path_buf()))
    }

    /// Reads `text`; `file` names it in errors.
    ///
    /// # Errors
    /// What is wrong, with its line.
    pub fn read(file: &str, text: &[u8]) -> Result<Self, NoTake> {
        Self::of(file.into(), Source::Text(text.into()))
    }

    fn of(file: String, source: Source) -> Result<Self, NoTake> {
        let mut take = Self {
            file,
            source,
            ends: [0; 2],
            actions: (None, None),
            first_key: None,
            touched: [false; KEYS],
        };
        let mut entries = take.entries()?;
        let Some(first) = entries.next().transpose()? else {
            return Err(NoTake::Empty(take.file));
        };
        take.ends = [first.step(); 2];
        take.count(&first);
        for entry in entries {
            take.count(&entry?);
        }
        Ok(take)
    }

    fn count(&mut self, entry: &Entry) {
        self.ends[1] = entry.step();
        if let Some(key) = entry.key() {
            self.first_key.get_or_insert(key);
            self.touched[key.index()] = true;
        }
        if let Entry::Setting { action, .. } = entry {
            let first = *self.actions.0.get_or_insert(*action);
            if first != *action {
                self.actions.1.get_or_insert(*action);
            }
        }
    }

    /// Its entries in the order in which they were logged, read one by one.
    ///
    /// # Errors
    /// A file that cannot be read any more.
    pub fn entries(&self) -> Result<Entries, NoTake> {
        let lines: Box<dyn BufRead + Send> = match &self.source {
            Source::File(path) => Box::new(BufReader::new(input::open_bounded(path, LIMIT)?)),
            Source::Text(text) => Box::new(Cursor::new(text.clone())),
        };
        let mut entries = Entries {
            file: self.file.clone(),
            lines,
            line: Vec::new(),
            number: 0,
            places: NOW,
            last: 0,
        };
        entries.places = match entries.line() {
            Ok(Some(head)) => version(head),
            Err(NoTake::Unreadable(file, why)) => return Err(NoTake::Unreadable(file, why)),
            _ => None,
        }
        .ok_or_else(|| NoTake::Foreign(entries.file.clone()))?;
        Ok(entries)
    }

    /// All its entries at once, for whoever cannot wait for a disk.
    ///
    /// # Errors
    /// [`NoTake::Long`], or a file that cannot be read any more.
    pub fn in_memory(&self) -> Result<Vec<Entry>, NoTake> {
        self.entries()?
            .enumerate()
            .map(
                |(count, entry)| {
                    if count < MOST_IN_MEMORY {
                        entry
                    } else {
                        Err(NoTake::Long(self.file.clone()))
                    }
                },
            )
            .collect()
    }

    /// The one action that was felt.
    ///
    /// # Errors
    /// [`NoTake::Mixed`] where there were more.
    pub fn action(&self) -> Result<Action, NoTake> {
        let (first, other) = self.actions;
        let first = first.unwrap_or_default();
        match other {
            None => Ok(first),
            Some(other) => Err(NoTake::Mixed(self.file.clone(), first.name(), other.name())),
        }
    }

    /// Its first step.
    #[must_use]
    pub const fn begin(&self) -> u64 {
        self.ends[0]
    }

    /// From its first step to its last, s.
    #[must_use]
    pub fn length(&self) -> f64 {
        seconds(self.ends[1] - self.ends[0])
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

/// The entries of a take as they are read.
pub struct Entries {
    file: String,
    lines: Box<dyn BufRead + Send>,
    line: Vec<u8>,
    /// Of the line read last.
    number: usize,
    /// What its places hold.
    places: Places,
    /// The step read last.
    last: u64,
}

impl Entries {
    /// The next line without its end.
    fn line(&mut self) -> Result<Option<&str>, NoTake> {
        self.line.clear();
        self.number += 1;
        let read = (&mut self.lines).take(LONGEST_LINE).read_until(b'\n', &mut self.line);
        if let Err(e) = read {
            return Err(NoTake::Unreadable(self.file.clone(), e.to_string()));
        }
        if self.line.is_empty() {
            return Ok(None);
        }
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match std::str::from_utf8(line) {
            Ok(line) => Ok(Some(line)),
            Err(_) => Err(NoTake::Damaged(self.file.clone(), self.number)),
        }
    }
}

impl Iterator for Entries {
    type Item = Result<Entry, NoTake>;

    fn next(&mut self) -> Option<Self::Item> {
        let (places, last) = (self.places, self.last);
        let read = match self.line() {
            Ok(None) => return None,
            Ok(Some(line)) => entry(line, places).filter(|entry| last <= entry.step()),
            Err(e) => return Some(Err(e)),
        };
        Some(match read {
            Some(entry) => {
                self.last = entry.step();
                Ok(entry)
            }
            None => Err(NoTake::Damaged(self.file.clone(), self.number)),
        })
    }
}

/// Writes a take entry by entry.
#[derive(Debug)]
pub struct Writer<W: Write> {
    to: W,
}

impl<W: Write> Writer<W> {
    /// Begins a take.
    ///
    /// # Errors
    /// What the disk says.
    pub fn new(mut to: W) -> std::io::Result<Self> {
        writeln!(to, "{HEAD}")?;
        Ok(Self { to })
    }

    /// Adds an entry.
    ///
    /// # Errors
    /// What the disk says.
    pub fn put(&mut self, entry: &Entry) -> std::io::Result<()> {
        let to = &mut self.to;
        match entry {
            Entry::Setting { step, action, settings } => {
                let settings = toml::to_string(settings).map_err(std::io::Error::other)?;
                let settings: Vec<&str> = settings.lines().collect();
                writeln!(to, "setting {step} {} {}", action.name(), settings.join("; "))
            }
            Entry::Place { step, key, compensation, saved } => {
                write!(to, "place {step} {}", key.number())?;
                for value in [compensation.mass, compensation.weight, compensation.friction] {
                    write!(to, " {:x}", value.to_bits())?;
                }
                write!(to, " {}", u8::from(compensation.has_bed))?;
                for bits in saved.bits() {
                    write!(to, " {bits:x}")?;
                }
                writeln!(to)
            }
            Entry::Slot { step, key, steps, force, impedance } => {
                let (force, z) = (force.to_bits(), impedance.to_bits());
                writeln!(to, "slot {step} {} {steps} {force:x} {z:x}", key.number())
            }
            Entry::Played { step, key, is_played } => {
                writeln!(to, "played {step} {} {}", key.number(), u8::from(*is_played))
            }
        }
    }

    /// Ends the take; where it was written to.
    ///
    /// # Errors
    /// What the disk says.
    pub fn finish(mut self) -> std::io::Result<W> {
        self.to.flush()?;
        Ok(self.to)
    }
}

/// The entry of a `line` whose places hold `places`.
fn entry(line: &str, places: Places) -> Option<Entry> {
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
    let mut words = rest.split(' ');
    let step = words.next()?.parse().ok()?;
    let number: usize = words.next()?.parse().ok()?;
    let key = KeyNumber::from_index(number.checked_sub(1)?)?;
    let bits = |word: Option<&str>| u64::from_str_radix(word?, 16).ok();
    let sane = |most: f64| move |v: &f64| v.abs() <= most;
    let made = match kind {
        "place" => {
            let mut value = || bits(words.next()).map(f64::from_bits).filter(sane(MOST[0]));
            let (mass, weight, friction) = (value()?, value()?, value()?);
            let has_bed = words.next()? == "1";
            let mut saved = [0; STATES + 1];
            for place in &mut saved[..=places.states] {
                *place = bits(words.next())?;
            }
            for _ in 0..places.more {
                bits(words.next())?;
            }
            let compensation = DynamicsCompensation { mass, weight, friction, has_bed };
            Entry::Place { step, key, compensation, saved: Saved::of(&saved) }
        }
        "slot" => {
            let steps = words.next()?.parse().ok().filter(|n| u64::from(*n) <= MOST_STEPS)?;
            let mut value = || bits(words.next()).map(f64::from_bits).filter(sane(MOST[1]));
            let (force, impedance) = (value()?, value()?);
            Entry::Slot { step, key, steps, force, impedance }
        }
        "played" => Entry::Played { step, key, is_played: words.next()? == "1" },
        _ => return None,
    };
    words.next().is_none().then_some(made)
}
