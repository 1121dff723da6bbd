//! The window: the action as it moves, its curves, its settings.
//!
//! | module | part |
//! | --- | --- |
//! | [`window`] | everything together, one frame at a time |
//! | [`bar`](faces::bar), [`face`](faces::face) | the bar at the top; the faces that its tabs open |
//! | [`history`](state::history), [`compare`](state::compare) | undo and redo; pianos A and B |
//! | [`drawing`](views::drawing), [`action_view`](views::action_view) | the grand action from its true geometry, with screws to turn |
//! | [`other_view`](views::other_view) | any other action, from its model's pose |
//! | [`stroke`](state::stroke), [`transport`](widgets::transport), [`scope`](views::scope) | the last stroke: memory, slow motion, curves |
//! | [`keyboard`](views::keyboard), [`pedals`](widgets::pedals) | 88 keys and three pedals, played by mouse |
//! | [`hammer_row`](views::hammer_row) | 88 hammers and dampers from the player's side |
//! | [`key_curve`](views::key_curve) | what single keys differ by, over the compass |
//! | [`lesson`](faces::lesson) | exercises: a hidden fault in one key |
//! | [`gauge`](widgets::gauge), [`levels`](widgets::levels) | what computing costs; the output's level |
//! | [`velocity_curve`](views::velocity_curve) | velocity to hammer speed, dragged by its points |
//! | `manual` | the manual, for a browser |
//! | [`icon`](widgets::icon) | pictures on buttons |
//! | [`control`](widgets::control), [`panel`](faces::panel), [`regulation`](state::regulation) | settings, and what a technician would say of them |
//! | [`controls`](state::controls) | what the window may do to parameters |
//! | [`capture`](state::capture), [`export`](state::export), [`bench_sheet`](widgets::bench_sheet) | what the window writes |
//! | [`path_field`](widgets::path_field), [`window_state`](state::window_state), [`theme`](widgets::theme) | files, appearance |
//! | [`offscreen`], [`shot`] | the window without a screen, for pictures, films and tests |
//! | [`tree`] | the controls of a frame by name, for walks and for screen readers of a page |
//!
//! In a browser, `downloads` takes the place of written files.
//!
//! Plain `egui`: no module knows a plugin framework, a host or a real window. What the window knows of the
//! audio thread comes through [`touchback_instrument::watch::monitor`], and its changes leave through [`controls`](state::controls).
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "results are compared with the system's functions")
)]

pub mod faces;
pub mod offscreen;
pub mod shot;
pub mod state;
pub mod tree;
pub(crate) mod views;
pub(crate) mod widgets;
pub mod window;
