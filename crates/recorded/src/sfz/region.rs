//! Opcodes by header, and a region's inherited opcodes once the region ends.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};

use super::finder::Finder;
use super::instrument::{Instrument, Region};
use super::value::{GAINS, bounded, check, key_of, number_of, velocity_of, wrong};
use crate::names;

/// Most regions of an instrument, and most conditions of all of them.
const MOST: usize = 50_000;
const CONDITIONS: usize = 1_000_000;

/// Controllers whose rest value is not 0, with that value.
const RESTING: [(u32, f64); 3] = [(7, 100.0), (10, 64.0), (11, 127.0)];

/// Highest controller of a keyboard; higher numbers stand for properties of the note and for chance.
const LAST_CONTROLLER: u32 = 127;

/// Headers whose opcodes regions inherit, outermost first.
const LEVELS: [&str; 4] = ["global", "master", "group", "region"];

/// The reader's state: opcodes in force, pending regions, controllers.
pub struct Scope {
    finder: Finder,
    /// Opcodes of each of [`LEVELS`] in force.
    levels: [BTreeMap<String, String>; LEVELS.len()],
    /// Index of the open level; `None` in a header that regions do not inherit.
    level: Option<usize>,
    default_path: String,
    /// Folder before it, where the sound is not there without (ARIA).
    prefix_path: String,
    /// `note_offset` in semitones and `octave_offset` in octaves, added to every key.
    offsets: [i32; 2],
    controllers: BTreeMap<u32, f64>,
    /// Regions so far. Rest values of controllers may follow them, so conditions are evaluated at the end.
    pending: Vec<Pending>,
    /// Number of conditions of all pending regions.
    conditions: usize,
    found: Instrument,
}

/// A region as written.
struct Pending {
    region: Option<Region>,
    /// Controller, lowest and highest value under which it sounds.
    conditions: Vec<(u32, f64, f64)>,
}

impl Scope {
    /// For an instrument in the folder `root`.
    pub fn new(root: &Path) -> Self {
        Self {
            finder: Finder::new(root),
            levels: Default::default(),
            level: None,
            default_path: String::new(),
            prefix_path: String::new(),
            offsets: [0; 2],
            controllers: RESTING.into_iter().collect(),
            pending: Vec::new(),
            conditions: 0,
            found: Instrument::default(),
        }
    }

    /// The path of the file `name`, whether or not the file exists.
    pub fn find(&mut self, name: &str) -> PathBuf {
        self.finder.find(name)
    }

    /// Adds a file to the list of files read.
    pub fn opened(&mut self, path: &Path) {
        self.found.files.push(path.to_owned());
    }

    /// Number of files read.
    pub const fn files(&self) -> usize {
        self.found.files.len()
    }

    /// Counts a word that the format does not have.
    pub const fn stray(&mut self) {
        self.found.strays += 1;
    }

    /// Begins the header `name`.
    ///
    /// # Errors
    /// An invalid value in the region before it.
    pub fn header(&mut self, name: &str) -> Result<()> {
        self.close()?;
        self.level = LEVELS.iter().position(|level| name.eq_ignore_ascii_case(level));
        if let Some(level) = self.level {
            self.levels[level..].iter_mut().for_each(BTreeMap::clear);
        }
        Ok(())
    }

    /// Adds an opcode to the open header.
    ///
    /// # Errors
    /// An invalid value.
    pub fn opcode(&mut self, name: &str, value: &str) -> Result<()> {
        let controller = |prefix: &str| name.strip_prefix(prefix).and_then(|n| n.parse().ok());
        if name == "default_path" {
            bounded(name, value)?;
            value.clone_into(&mut self.default_path);
        } else if name == "prefix_sfz_path" {
            bounded(name, value)?;
            value.clone_into(&mut self.prefix_path);
        } else if name == "note_offset" || name == "octave_offset" {
            let semitones = value.parse().ok().filter(|n: &i32| n.abs() <= 127);
            let semitones = semitones.ok_or_else(|| wrong(name, value, "shift, -127 to 127"))?;
            self.offsets[usize::from(name == "octave_offset")] = semitones;
        } else if let Some(number) = controller("set_cc") {
            self.controllers.insert(number, number_of(name, value)?);
        } else if let Some(number) = controller("set_hdcc") {
            self.controllers.insert(number, 127.0 * number_of(name, value)?);
        } else if let Some(name) = read_name(name)
            && let Some(level) = self.level
        {
            bounded(&name, value)?;
            check(&name, value)?;
            self.levels[level].insert(name, value.into());
        } else {
            self.found.unread += 1;
        }
        Ok(())
    }

    /// Ends the open region, where one is.
    fn close(&mut self) -> Result<()> {
        if self.level != Some(LEVELS.len() - 1) {
            return Ok(());
        }
        if self.pending.len() == MOST {
            bail!("more than {MOST} regions");
        }
        let own = |level: &BTreeMap<String, String>| level.clone();
        let all: BTreeMap<String, String> = self.levels.iter().flat_map(own).collect();
        let mut conditions = Vec::new();
        for (name, value) in &all {
            for (prefix, scale) in [("locc", 1.0), ("lohdcc", 127.0)] {
                if let Some(number) = name.strip_prefix(prefix).and_then(|n| n.parse().ok()) {
                    conditions.push((number, scale * number_of(name, value)?, f64::INFINITY));
                }
            }
            for (prefix, scale) in [("hicc", 1.0), ("hihdcc", 127.0)] {
                if let Some(number) = name.strip_prefix(prefix).and_then(|n| n.parse().ok()) {
                    conditions.push((number, f64::NEG_INFINITY, scale * number_of(name, value)?));
                }
            }
        }
        self.conditions += conditions.len();
        ensure!(self.conditions <= CONDITIONS, "more than {CONDITIONS} conditions of regions");
        let region = self.region(&all)?;
        self.pending.push(Pending { region, conditions });
        Ok(())
    }

    /// The region of the opcodes `all`; `None` where a pressed key does not play it.
    fn region(&mut self, all: &BTreeMap<String, String>) -> Result<Option<Region>> {
        let get = |name: &str| all.get(name).map(String::as_str);
        let key = |name: &str| get(name).map(|value| key_of(name, value)).transpose();
        let shift = self.offsets[0] + 12 * self.offsets[1];
        let velocity = |name: &str, rest: u8| -> Result<u8> {
            get(name).map_or(Ok(rest), |value| velocity_of(name, value))
        };
        let mut gain = 0.0;
        for name in GAINS {
            gain += get(name).map_or(Ok(0.0), |value| number_of(name, value))?;
        }
        let velocities = [velocity("lovel", 0)?, velocity("hivel", 127)?];
        let (single, low, high) = (key("key")?, key("lokey")?, key("hikey")?);
        let by_key = low.or(single).unwrap_or(0) >= 0 && high.or(single).unwrap_or(127) >= 0;
        let Some(sample) = get("sample").filter(|name| !name.is_empty() && !name.starts_with('*'))
        else {
            return Ok(None);
        };
        let first = |name: &str| get(name).is_none_or(|value| value.trim() == "1");
        let attack = matches!(get("trigger"), None | Some("attack" | "first"));
        let by_controller = all.keys().any(|name| name.starts_with("on_"));
        let switched = ["sw_last", "sw_down", "sw_up"]
            .iter()
            .any(|switch| all.get(*switch).is_some_and(|key| all.get("sw_default") != Some(key)));
        let chance = get("lorand").is_some_and(|value| value.parse() != Ok(0.0));
        let silent = get("end") == Some("-1");
        if !by_key
            || !attack
            || by_controller
            || switched
            || chance
            || silent
            || !first("seq_position")
        {
            return Ok(None);
        }
        let name = format!("{}{sample}", self.default_path);
        let mut sample = self.finder.find(&name);
        if !self.prefix_path.is_empty() && !sample.exists() {
            sample = self.finder.find(&format!("{}{name}", self.prefix_path));
        }
        let centre = match get("pitch_keycenter") {
            // The sound file names its key; only file names are read.
            Some("sample") => {
                let stem = sample.file_stem().unwrap_or_default().to_string_lossy();
                names::key_and_layer(&stem).map(|(key, _)| i32::from(key.number()) + 20)
            }
            _ => Some(key("pitch_keycenter")?.or(single).unwrap_or(60) + shift),
        };
        Ok(centre.map(|key| Region { sample, key, velocities, gain }))
    }

    /// The instrument.
    ///
    /// # Errors
    /// An invalid value in the last region.
    pub fn finish(mut self) -> Result<Instrument> {
        self.close()?;
        let rests = |(number, low, high): &(u32, f64, f64)| {
            let value = self.controllers.get(number).copied().unwrap_or(0.0);
            *number > LAST_CONTROLLER || value >= *low && value <= *high
        };
        for Pending { region, conditions } in self.pending {
            match region {
                Some(region) if conditions.iter().all(rests) => self.found.regions.push(region),
                _ => self.found.others += 1,
            }
        }
        Ok(self.found)
    }
}

/// The normalized spelling of the opcode `name`; `None` where it does not affect a region's key,
/// velocity, level or conditions.
fn read_name(name: &str) -> Option<String> {
    const EXACT: [&str; 15] = [
        "sample",
        "key",
        "lokey",
        "hikey",
        "pitch_keycenter",
        "lovel",
        "hivel",
        "trigger",
        "end",
        "seq_position",
        "lorand",
        "sw_last",
        "sw_down",
        "sw_up",
        "sw_default",
    ];
    const PREFIXES: [&str; 6] = ["locc", "hicc", "lohdcc", "hihdcc", "on_locc", "on_hicc"];
    if EXACT.contains(&name) || GAINS.contains(&name) {
        return Some(name.to_owned());
    }
    PREFIXES.iter().find_map(|prefix| {
        let number: u32 = name.strip_prefix(prefix)?.parse().ok()?;
        // Higher controllers are never at rest in a defined way: one number stands for all of them.
        Some(format!("{prefix}{}", number.min(LAST_CONTROLLER + 1)))
    })
}
