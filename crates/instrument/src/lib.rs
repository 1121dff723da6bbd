#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "results are compared with the system's functions")
)]

pub(crate) mod event;
pub mod host;
pub mod play;
pub mod settings;
pub mod watch;

pub use event::Event;
pub use play::piano::Piano;
pub use settings::Settings;
pub use watch::snapshot::Snapshot;

/// The code of the page about the libraries.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust.md")]
struct LibrariesPage;
