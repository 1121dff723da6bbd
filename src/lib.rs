//! Touchback as a plugin: the piano in CLAP and VST3 hosts, with its window.
//!
//! Data flows one way: host → `plugin` → piano → host; the window reads snapshots from [`touchback_window::monitor`].
//!
//! | module | task | thread |
//! | --- | --- | --- |
//! | `plugin` | one instance in a host | main, audio |
//! | `clap`, `vst3` | entries of the two formats, with checks of hosts' calls | main, audio |
//! | `ordered_events`, `host_channels` | a host's messages and channels, for both formats | audio |
//! | [`host_params`] | the table of parameters as the framework's parameters | any |
//! | [`editor`] | the window | window |
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "results are compared with the system's functions")
)]

pub mod editor;
pub mod host_params;

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
mod realtime;
mod state;
mod tuning;
mod vst3;

/// Runs the instrument without a host until its window is closed. `arguments` are those of the framework's
/// audio and MIDI backends, after the program's name. Returns whether it started.
#[cfg(feature = "standalone")]
#[must_use]
pub fn play(arguments: impl IntoIterator<Item = String>) -> bool {
    nice_plug::prelude::nice_export_standalone_with_args::<plugin::Touchback, _>(arguments)
}
