//! The servo's log as a file: a line an entry, numbers by their bits, so that a replay is exact.
//!
//! `setting STEP ACTION id = value; …` · `place STEP KEY MASS WEIGHT FRICTION BED STATE…` ·
//! `slot STEP KEY STEPS FORCE IMPEDANCE`; keys count from 1, MASS to IMPEDANCE are hexadecimal bits.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::action::{ActionSettings, STEP};
use crate::haptics::log::{Entry, Twin};
use crate::haptics::mechanism::{Action, Deduct, Push, Saved};
use crate::lab::output;
use crate::math::compass::Key;

/// First line of a log.
const HEAD: &str = "touchback servo log 1";
/// Largest file, bytes.
const LIMIT: u64 = 2_000_000_000;

/// The log of `entries`.
///
/// # Errors
/// Never for entries of a servo.
pub fn text(entries: &[Entry]) -> Result<String> {
    let mut text = format!("{HEAD}\n");
    for entry in entries {
        match entry {
            Entry::Setting { step, action, settings } => {
                let settings = toml::to_string(settings)?;
                let settings: Vec<&str> = settings.lines().collect();
                writeln!(text, "setting {step} {} {}", action.name(), settings.join("; "))?;
            }
            Entry::Place { step, key, deduct, saved } => {
                write!(text, "place {step} {}", key.number())?;
                for value in [deduct.mass, deduct.weight, deduct.friction] {
                    write!(text, " {:x}", value.to_bits())?;
                }
                write!(text, " {}", u8::from(deduct.has_bed))?;
                for bits in saved.bits() {
                    write!(text, " {bits:x}")?;
                }
                writeln!(text)?;
            }
            Entry::Slot { step, key, steps, push } => {
                let (force, z) = (push.force.to_bits(), push.impedance.to_bits());
                writeln!(text, "slot {step} {} {steps} {force:x} {z:x}", key.number())?;
            }
        }
    }
    Ok(text)
}

/// Reads a log.
///
/// # Errors
/// What is wrong, with its line.
pub fn read(file: &str, text: &str) -> Result<Vec<Entry>> {
    let mut lines = text.lines();
    if lines.next() != Some(HEAD) {
        bail!("{file}, line 1: not a servo log; `touchback feel PORT --log FILE` writes one");
    }
    (2..)
        .zip(lines)
        .map(|(number, line)| {
            entry(line).with_context(|| format!("{file}, line {number}: not an entry of a log"))
        })
        .collect()
}

fn entry(line: &str) -> Option<Entry> {
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
    let key = Key::from_index(number.checked_sub(1)?)?;
    let bits = |word: Option<&str>| u64::from_str_radix(word?, 16).ok();
    let made = match kind {
        "place" => {
            let mut value = || bits(words.next()).map(f64::from_bits);
            let (mass, weight, friction) = (value()?, value()?, value()?);
            let has_bed = words.next()? == "1";
            let mut saved = [0; 13];
            for place in &mut saved {
                *place = bits(words.next())?;
            }
            let deduct = Deduct { mass, weight, friction, has_bed };
            if ![mass, weight, friction].iter().all(|v| v.is_finite() && v.abs() < 100.0) {
                return None;
            }
            Entry::Place { step, key, deduct, saved: Saved::of(&saved) }
        }
        "slot" => {
            let steps = words.next()?.parse().ok()?;
            let mut value = || bits(words.next()).map(f64::from_bits);
            let push = Push { force: value()?, impedance: value()? };
            Entry::Slot { step, key, steps, push }
        }
        _ => return None,
    };
    words.next().is_none().then_some(made)
}

/// Replays a log: prints what happened and a fingerprint of all states.
///
/// # Errors
/// A file that cannot be read or is no log.
pub fn replay(path: &Path) -> Result<()> {
    let file = path.display().to_string();
    let bytes = output::read(path, LIMIT)?;
    let text = std::str::from_utf8(&bytes).with_context(|| format!("{file}: not text"))?;
    let entries = read(&file, text)?;
    let mut twin = Twin::new(Action::Grand);
    let mut said = String::from("time_s,key,kind,value\n");
    let mut steps = 0u64;
    for entry in &entries {
        twin.play(entry, |h| {
            let time = h.step as f64 * STEP + h.offset;
            said += &format!("{time:.6},{},{:?},{}\n", h.key.number(), h.kind, h.value);
        });
        if let Entry::Slot { steps: n, .. } = entry {
            steps += u64::from(*n);
        }
    }
    said += &format!("{steps} steps, fingerprint {:016x}\n", fingerprint(&twin));
    output::print(&said)
}

/// FNV-1a over the bits of every key's state.
fn fingerprint(twin: &Twin) -> u64 {
    let states = Key::all().filter_map(|k| twin.key(k).map(|(m, _)| m.save().bits()));
    states.flatten().fold(0xCBF2_9CE4_8422_2325, |hash: u64, bits| {
        (hash ^ bits).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::haptics::acceptance::line;
    use crate::haptics::emulator::Making;
    use crate::haptics::lockstep::Lockstep;
    use crate::haptics::plant::Plant;
    use crate::haptics::script::{Act, Deed, Script};
    use crate::haptics::servo::Options;

    #[test]
    fn a_log_read_back_replays_bit_for_bit() {
        let act = Act { time: 0.3, key: 0, deed: Deed::Trill(14e-3, 6.0, 1.0) };
        let making = Making {
            plant: Plant { mass: 0.03, weight: 0.2, ..Plant::THREE[0] },
            ..Making::default()
        };
        let script = Script::new(vec![act]);
        let mut pair = Lockstep::new(&making, script, Options::default(), line());
        let mut entries: Vec<Entry> = Vec::new();
        assert!(pair.arm(&mut entries));
        pair.run(1.6, &mut entries, |_| ());
        let written = text(&entries).unwrap();
        let back = read("a.log", &written).unwrap();
        assert_eq!(back, entries);
        let [a, b] = [&entries, &back].map(|log| {
            let mut twin = Twin::new(Action::Grand);
            log.iter().for_each(|e| twin.play(e, |_| ()));
            fingerprint(&twin)
        });
        assert_eq!(a, b);
        let cut = written.replace("slot", "slit");
        let error = format!("{:#}", read("a.log", &cut).unwrap_err());
        assert!(error.starts_with("a.log, line "), "{error}");
        assert!(read("a.log", "no log\n").is_err());
    }
}
