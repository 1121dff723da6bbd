//! The window in a host: the contents are those of [`touchback_window`].
//!
//! | module | part |
//! | --- | --- |
//! | [`app`] | the window on the framework's adapter |
//! | `screen_reader` | the window for screen readers |
//!
//! On X11 `app` has two neighbours, `x11` and `host_keys`, that talk to the screen themselves.

pub(crate) mod app;
#[cfg(target_os = "linux")]
mod host_keys;
#[cfg(feature = "screen-reader")]
pub(crate) mod screen_reader;
#[cfg(target_os = "linux")]
mod x11;
