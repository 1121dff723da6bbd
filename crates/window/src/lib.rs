//! The window: the action as it moves, its curves, its settings.
//!
//! | module | part |
//! | --- | --- |
//! | [`window`] | everything together, one frame at a time |
//! | [`bar`], [`face`] | the bar at the top; the faces that its tabs open |
//! | [`history`], [`compare`] | undo and redo; pianos A and B |
//! | [`drawing`], [`action_view`] | the grand action from its true geometry, with screws to turn |
//! | [`other_view`] | any other action, from its model's pose |
//! | [`stroke`], [`transport`], [`scope`] | the last stroke: memory, slow motion, curves |
//! | [`keyboard`], [`pedals`] | 88 keys and three pedals, played by mouse |
//! | [`hammer_row`] | 88 hammers and dampers from the player's side |
//! | [`key_curve`] | what single keys differ by, over the compass |
//! | [`lesson`] | exercises: a hidden fault in one key |
//! | [`gauge`], [`levels`] | what computing costs; the output's level |
//! | [`velocity_curve`] | velocity to hammer speed, dragged by its points |
//! | `manual` | the manual, for a browser |
//! | [`icon`] | pictures on buttons |
//! | [`control`], [`panel`], [`regulation`] | settings, and what a technician would say of them |
//! | [`controls`] | what the window may do to parameters |
//! | [`capture`], [`export`], [`bench_sheet`] | what the window writes |
//! | [`path_field`], [`file_worker`], [`window_state`], [`theme`] | files, appearance |
//! | [`offscreen`], [`shot`] | the window without a screen, for pictures and tests |
//!
//! In a browser, `downloads` takes the place of written files.
//!
//! Plain `egui`: no module knows a plugin framework, a host or a real window. What the window knows of the
//! audio thread comes through [`touchback_instrument::monitor`], and its changes leave through [`controls`].
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "results are compared with the system's functions")
)]

pub mod action_view;
pub mod bar;
pub mod bench_sheet;
pub mod capture;
pub mod compare;
pub mod control;
pub mod controls;
#[cfg(target_family = "wasm")]
pub mod downloads;
pub mod drawing;
pub mod export;
pub mod face;
pub mod file_worker;
pub mod gauge;
pub mod hammer_row;
mod hand;
pub mod history;
pub mod icon;
pub mod key_curve;
pub mod keyboard;
pub mod lesson;
pub mod levels;
mod manual;
pub mod offscreen;
pub mod other_view;
pub mod panel;
pub mod path_field;
pub mod pedals;
mod plot;
pub mod regulation;
pub mod scope;
pub mod shot;
pub mod stroke;
pub mod theme;
pub mod transport;
pub mod velocity_curve;
pub mod window;
pub mod window_state;
