//! The built plugin in a host.

mod clap_host;
mod clap_manners;
mod embedded_host;
mod host;
mod pedals;
mod presets;
mod saved_state;
mod torture;
