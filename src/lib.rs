//! Touchback as a plugin: the piano in CLAP and VST3 hosts, with its window.
//!
//! Data flows one way: host → `plugin` → piano → host; the window reads snapshots from [`touchback_instrument::watch::monitor`].
//!
//! | module | task | thread |
//! | --- | --- | --- |
//! | `plugin` | one instance in a host | main, audio |
//! | `clap`, `vst3` | entries of the two formats, with checks of hosts' calls | main, audio |
//! | `ordered_events`, `host_channels` | a host's messages and channels, for both formats | audio |
//! | [`host_params`] | the table of parameters as the framework's parameters | any |
//! | `editor` | the window (feature `window`) | window |
//! | `host_menu` | the host's own menu of a parameter | main, window |
//! | `system_exclusive` | tunings that a host sends | audio |
//! | `scales` | a project's scale, shared by window, saved state and audio thread | any |
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "results are compared with the system's functions")
)]

pub mod host_params;

mod active;
mod block_context;
mod clap;
#[cfg(feature = "window")]
mod editor;
mod event_reader;
mod guard;
mod haptic_keyboard;
mod host_channels;
#[cfg_attr(not(feature = "window"), expect(dead_code, reason = "for the window alone"))]
mod host_menu;
mod host_window;
mod instances;
mod mechanisms;
mod notes;
mod ordered_events;
mod pending_parts;
mod plugin;
mod project;
mod realtime;
mod repaint;
mod saved_window;
mod scales;
mod state;
mod system_exclusive;
mod tuning;
mod vst3;

/// Runs the instrument without a host until its window is closed. `arguments` are those of the framework's
/// audio and MIDI backends, after the program's name. Returns whether it started.
#[cfg(feature = "standalone")]
#[must_use]
pub fn play(arguments: impl IntoIterator<Item = String>) -> bool {
    nice_plug::prelude::nice_export_standalone_with_args::<plugin::Touchback, _>(arguments)
}
