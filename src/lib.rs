//! Touchback: a grand piano whose action is simulated, played, heard and felt.
//!
//! Data flows one way: gesture → action → strike → strings → board → ear.
//!
//! | module | part | may be called from |
//! | --- | --- | --- |
//! | [`math`] | plane vectors, roots, interpolation, the compass of 88 keys | anywhere |
//! | [`episode`] | submodels, indicators, event location, integration | anywhere |
//! | [`mech`] | felt, friction, the hammer | anywhere |
//! | [`action`] | the grand action, 88 keys of it, and other actions | audio thread, lab |
//! | [`sound`] | strings, hammer felt, dampers, soundboard | audio thread, lab |
//! | [`files`] | plain files that are read, whole files and folders that are written | not the audio thread |
//! | [`exchange`] | latest value, bounded queue, flags between threads | anywhere |
//! | [`wall`] | virtual walls and their analysis, transmission-line junctions | haptics, lab |
//! | [`haptics`] | motorized keyboards: protocol, device half, host half | sidecar, lab |
//! | [`instrument`] | action and sound joined to a piano | audio thread, lab |
//! | [`monitor`] | what passes between audio thread and window | audio thread, window |
//! | [`preset`] | factory pianos | anywhere |
//! | [`params`] | every parameter, declared once | anywhere |
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "results are compared with the system's functions")
)]

pub mod action;
#[cfg(feature = "editor")]
pub mod editor;
pub mod episode;
pub mod exchange;
pub mod files;
#[cfg(feature = "plugin")]
mod guard;
pub mod haptics;
pub mod instrument;
pub mod math;
pub mod mech;
pub mod monitor;
pub mod params;
pub mod preset;
pub mod sound;
pub mod wall;

#[cfg(feature = "plugin")]
mod plugin;

/// Runs the instrument on its own with the `arguments` of the framework's audio and MIDI backends
/// (the first is the program's name), until its window is closed; whether it could be started.
#[cfg(feature = "standalone")]
#[must_use]
pub fn play(arguments: impl IntoIterator<Item = String>) -> bool {
    nice_plug::prelude::nice_export_standalone_with_args::<plugin::Touchback, _>(arguments)
}
