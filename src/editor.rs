//! The window in a host: the contents are those of [`touchback_window`].
//!
//! | module | part |
//! | --- | --- |
//! | [`app`] | the window on the framework's adapter |
//! | `screen_reader` | the window for screen readers |
//!
//! On X11 `app` has a neighbour, `x11`, that talks to the screen itself.

pub(crate) mod app;
#[cfg(feature = "screen-reader")]
pub(crate) mod screen_reader;
#[cfg(target_os = "linux")]
mod x11;
