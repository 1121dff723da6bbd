//! An SFZ instrument as read: its regions, and counts of what was not used.

use std::path::PathBuf;

/// One sound of the instrument.
#[derive(Clone, PartialEq, Debug)]
pub struct Region {
    /// The sound file.
    pub sample: PathBuf,
    /// MIDI number of the recorded key.
    pub key: i32,
    /// Lowest and highest MIDI velocity that plays it.
    pub velocities: [u8; 2],
    /// Gain from the SFZ file, dB.
    pub gain: f64,
}

/// The contents of an SFZ file.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Instrument {
    /// Regions that a key press plays with every controller at rest, in file order.
    pub regions: Vec<Region>,
    /// Number of regions that sound in other cases: on release, with a pedal, in a later round-robin turn.
    pub others: usize,
    /// Number of opcodes that do not concern key, velocity or level.
    pub unread: usize,
    /// Number of words that are neither headers nor opcodes.
    pub strays: usize,
    /// The file and every included file.
    pub files: Vec<PathBuf>,
}
