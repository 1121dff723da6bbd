//! Values of SFZ opcodes: limits, parsing and errors.

use anyhow::{Result, anyhow, ensure};

use touchback_core::text::note;

/// Longest path and longest other value, bytes.
const LONGEST_PATH: usize = 4096;
const LONGEST: usize = 256;

/// Opcodes of static gains, dB.
pub const GAINS: [&str; 4] = ["volume", "group_volume", "master_volume", "global_volume"];

/// The error for an opcode `name` whose `value` is not an `expected`.
pub fn wrong(name: &str, value: &str, expected: &str) -> anyhow::Error {
    anyhow!("{name}={value:.40}: is no {expected}")
}

/// Checks the length of a value.
///
/// # Errors
/// Names opcode, the value's beginning and the limit.
pub fn bounded(name: &str, value: &str) -> Result<()> {
    let most = if matches!(name, "sample" | "default_path") { LONGEST_PATH } else { LONGEST };
    ensure!(value.len() <= most, "{name}={value:.40}…: is longer than {most} bytes");
    Ok(())
}

/// Checks the value of the opcode `name` where it is read, so that an error names its line.
///
/// # Errors
/// Names opcode and value.
pub fn check(name: &str, value: &str) -> Result<()> {
    match name {
        "key" | "lokey" | "hikey" => key_of(name, value).map(drop),
        "pitch_keycenter" if value != "sample" => key_of(name, value).map(drop),
        "lovel" | "hivel" => velocity_of(name, value).map(drop),
        _ if GAINS.contains(&name) => number_of(name, value).map(drop),
        _ if name.starts_with("loc") || name.starts_with("hic") => number_of(name, value).map(drop),
        _ if name.starts_with("lohd") || name.starts_with("hihd") => {
            number_of(name, value).map(drop)
        }
        _ => Ok(()),
    }
}

/// A finite number.
///
/// # Errors
/// Names opcode and value.
pub fn number_of(name: &str, value: &str) -> Result<f64> {
    value.parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(|| wrong(name, value, "number"))
}

/// A MIDI velocity, 0 to 127.
///
/// # Errors
/// Names opcode and value.
pub fn velocity_of(name: &str, value: &str) -> Result<u8> {
    value.parse().ok().filter(|v| *v < 128).ok_or_else(|| wrong(name, value, "velocity, 0 to 127"))
}

/// MIDI number of a key: −1 to 127, or a note with its octave (C4 is 60).
///
/// # Errors
/// Names opcode and value.
pub fn key_of(name: &str, value: &str) -> Result<i32> {
    let number = value.parse().ok().or_else(|| note::midi(value));
    let number = number.filter(|n| (-1..=127).contains(n));
    number.ok_or_else(|| wrong(name, value, "key, as 60 or c4"))
}
