//! What a host hands over: messages, files, parameters, presets.

pub mod mechanism;
pub mod midi;
#[cfg(feature = "midi-files")]
pub mod midi_file;
pub mod params;
pub mod preset;
pub(crate) mod thinning;
