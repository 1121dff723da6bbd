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

use std::io::{Read, Write};
use std::path::Path;

use super::action::Action;
use super::log::Entry;
use super::servo::{MOST_STEPS, seconds};
use crate::action::ActionSettings;
use crate::action::interface::key::{DynamicsCompensation, STATES, Saved};
use crate::math::compass::KeyNumber;

/// First line of a take.
const HEAD: &str = "touchback servo log 2";
/// That of version 1, and the numbers at the end of its places that are left out.
const OLDER: (&str, usize) = ("touchback servo log 1", 2);
/// Largest file, bytes: ten hours of one key.
const LIMIT: u64 = 2_000_000_000;
/// Largest deduction of a key, in its unit, and largest push, N and N·s/m: beyond what any servo says.
const MOST: [f64; 2] = [100.0, 1e6];

/// Why there is no take, with what to do.
#[derive(Debug, thiserror::Error)]
pub enum NoTake {
    /// The file cannot be read.
    #[error("{0}: cannot read: {1}")]
    Unreadable(String, String),
    /// It is something else.
    #[error("{0}, line 1: not a servo log; `touchback feel PORT --log FILE` writes one")]
    Foreign(String),
    /// One of its lines is none of a log.
    #[error("{0}, line {1}: not an entry of a servo log; the file is damaged")]
    Damaged(String, usize),
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

/// A servo's log, read.
#[derive(Clone, PartialEq, Debug)]
pub struct Recording {
    file: String,
    entries: Vec<Entry>,
}

impl Recording {
    /// Whether the file at `path` begins like a take.
    #[must_use]
    pub fn is_at(path: &Path) -> bool {
        let mut head = [0; HEAD.len()];
        let read = std::fs::File::open(path).and_then(|mut f| f.read_exact(&mut head));
        read.is_ok() && [HEAD, OLDER.0].iter().any(|known| head == known.as_bytes())
    }

    /// Reads the file at `path`.
    ///
    /// # Errors
    /// Why not, naming file and line.
    pub fn open(path: &Path) -> Result<Self, NoTake> {
        let file = path.display().to_string();
        let unreadable = |e: std::io::Error| NoTake::Unreadable(file.clone(), e.to_string());
        let about = std::fs::metadata(path).map_err(unreadable)?;
        if !about.is_file() || about.len() > LIMIT {
            return Err(NoTake::Unreadable(file, "no plain file of at most 2 GB".into()));
        }
        let bytes = std::fs::read(path).map_err(unreadable)?;
        let text = std::str::from_utf8(&bytes).map_err(|_| NoTake::Foreign(file.clone()))?;
        Self::read(&file, text)
    }

    /// Reads `text`; `file` names it in errors.
    ///
    /// # Errors
    /// What is wrong, with its line.
    pub fn read(file: &str, text: &str) -> Result<Self, NoTake> {
        let mut lines = text.lines();
        let more = match lines.next() {
            Some(HEAD) => 0,
            Some(head) if head == OLDER.0 => OLDER.1,
            _ => return Err(NoTake::Foreign(file.into())),
        };
        let mut entries: Vec<Entry> = Vec::new();
        for (number, line) in (2..).zip(lines) {
            let read =
                entry(line, more).filter(|e| entries.last().is_none_or(|l| l.step() <= e.step()));
            entries.push(read.ok_or_else(|| NoTake::Damaged(file.into(), number))?);
        }
        if entries.is_empty() {
            return Err(NoTake::Empty(file.into()));
        }
        Ok(Self { file: file.into(), entries })
    }

    /// Its entries in the order in which they were logged.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Gives its entries away.
    #[must_use]
    pub fn into_entries(self) -> Vec<Entry> {
        self.entries
    }

    /// The one action that was felt.
    ///
    /// # Errors
    /// [`NoTake::Mixed`] where there were more.
    pub fn action(&self) -> Result<Action, NoTake> {
        let mut felt = self.entries.iter().filter_map(|entry| match entry {
            Entry::Setting { action, .. } => Some(*action),
            _ => None,
        });
        let first = felt.next().unwrap_or_default();
        match felt.find(|action| *action != first) {
            None => Ok(first),
            Some(other) => Err(NoTake::Mixed(self.file.clone(), first.name(), other.name())),
        }
    }

    /// From its first step to its last, s.
    #[must_use]
    pub fn length(&self) -> f64 {
        let ends = self.entries.first().zip(self.entries.last());
        ends.map_or(0.0, |(first, last)| seconds(last.step() - first.step()))
    }

    /// The first key that was touched.
    #[must_use]
    pub fn first_key(&self) -> Option<KeyNumber> {
        self.entries.iter().find_map(Entry::key)
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
            Entry::Place { step, key, deduct, saved } => {
                write!(to, "place {step} {}", key.number())?;
                for value in [deduct.mass, deduct.weight, deduct.friction] {
                    write!(to, " {:x}", value.to_bits())?;
                }
                write!(to, " {}", u8::from(deduct.has_bed))?;
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

/// The entry of a `line` whose places end with `more` numbers that mean nothing now.
fn entry(line: &str, more: usize) -> Option<Entry> {
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
            for place in &mut saved {
                *place = bits(words.next())?;
            }
            for _ in 0..more {
                bits(words.next())?;
            }
            let deduct = DynamicsCompensation { mass, weight, friction, has_bed };
            Entry::Place { step, key, deduct, saved: Saved::of(&saved) }
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
