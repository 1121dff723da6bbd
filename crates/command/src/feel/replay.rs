//! `touchback feel LOG --replay`: replays a servo's log without a keyboard.

use std::path::Path;

use anyhow::Result;

use super::record::Records;
use touchback_core::math::compass::KeyNumber;
use touchback_haptics::action::Action;
use touchback_haptics::record::log::{Entry, Twin};
use touchback_haptics::record::recording::Recording;
use touchback_offline::output;

/// Replays the log at `path`; prints its events and a fingerprint of all states, and writes the
/// `records`.
///
/// # Errors
/// A file that cannot be read, or is not a log.
pub fn run(path: &Path, mut records: Records) -> Result<()> {
    let recording = Recording::open(path)?;
    let mut twin = Twin::new(Action::GRAND);
    let mut text = String::from("time_s,key,kind,value\n");
    let mut steps = 0u64;
    for entry in recording.entries()? {
        let entry = entry?;
        records.put(&entry)?;
        records.write_due()?;
        twin.play(&entry, |h| {
            let (kind, value) = (h.event.kind().name(), h.event.value());
            text += &format!("{:.6},{},{kind},{value}\n", h.time(), h.key.number());
        });
        if let Entry::Slot { steps: n, .. } = entry {
            steps += u64::from(n);
        }
    }
    records.keep()?;
    text += &format!("{steps} steps, fingerprint {:016x}\n", fingerprint(&twin));
    output::print(&text)
}

/// FNV-1a over the bits of every key's state.
fn fingerprint(twin: &Twin) -> u64 {
    let states = KeyNumber::all().filter_map(|k| twin.key(k).map(|(m, _)| m.save().bits()));
    states.flatten().fold(0xCBF2_9CE4_8422_2325, |hash: u64, bits| {
        (hash ^ bits).wrapping_mul(0x0000_0100_0000_01B3)
    })
}
