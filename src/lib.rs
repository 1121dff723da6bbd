//! Touchback as a plugin: the piano in CLAP and VST3 hosts, with its window.
//!
//! Data flows one way: host → `plugin` → piano → host; the window sees it through [`monitor`].
//!
//! | module | part | thread |
//! | --- | --- | --- |
//! | `plugin` | one instance in a host | main, audio |
//! | `clap`, `vst3` | entries of the two formats, guarded against hosts | main, audio |
//! | [`host_params`] | the table of parameters as the framework's parameters | any |
//! | [`monitor`] | what passes between audio thread and window | audio, window |
//! | [`editor`] | the window | window |
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "results are compared with the system's functions")
)]

pub mod editor;
pub mod host_params;
pub mod monitor;

mod active;
mod block_context;
mod clap;
mod event_reader;
mod guard;
mod haptic_keyboard;
mod host_channels;
mod host_window;
mod instances;
mod notes;
mod ordered_events;
mod pending_parts;
mod plugin;
mod project;
mod state;
mod tuning;
mod vst3;

/// Runs the instrument on its own with the `arguments` of the framework's audio and MIDI backends
/// (the first is the program's name), until its window is closed; whether it could be started.
#[cfg(feature = "standalone")]
#[must_use]
pub fn play(arguments: impl IntoIterator<Item = String>) -> bool {
    nice_plug::prelude::nice_export_standalone_with_args::<plugin::Touchback, _>(arguments)
}
