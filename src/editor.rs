//! The window in a host: the contents are those of [`touchback_window`].
//!
//! | module | part |
//! | --- | --- |
//! | [`app`] | the window on the framework's adapter |
//! | [`host_menu`] | the host's own menu of a parameter |
//! | [`scales`] | a project's scale, shared by window, saved state and audio thread |
//! | `screen_reader` | the window for screen readers |
//!
//! On X11 `app` has a neighbour, `x11`, that talks to the screen itself.

pub mod app;
pub mod host_menu;
pub mod scales;
#[cfg(feature = "screen-reader")]
pub mod screen_reader;
#[cfg(target_os = "linux")]
mod x11;
