//! Motorized keyboards: the host half. Protocol and device half are the crate [`touchback_device`].
//!
//! | module | part | runs on |
//! | --- | --- | --- |
//! | [`plant`], [`script`], [`emulator`] | a keyboard without hardware, over the same device half | anywhere |
//! | [`servo`], [`session`], [`clock`] | the host half: felt keys, states, clock recovery | sidecar thread |
//! | [`calibration`] | a key measured by its own motor | main thread |
//! | [`fault_words`] | what a keyboard says is wrong with it, for people | main thread |
//! | [`hello_words`] | what a keyboard says it is and may, for people | main thread |
//! | [`action`], [`bench_load`], [`walls`], `slewed_key` | what is felt | sidecar thread; audio thread as twin |
//! | [`log`], [`replay`] | the servo's log; its replay, the twin, on the audio clock | sidecar to audio thread |
//! | `serial`, `sidecar`, `priority` (feature `serial`) | the port, the thread that owns it | sidecar |
//! | `recording`, `status_text`, `live` (feature `serial`) | the log as a file, troubles in words, an emulated keyboard by the wall clock | main thread |
//! | `connection` (feature `serial`) | a plugin's choice of all that: what a window calls | main thread, window |

pub mod action;
pub mod bench_load;
pub mod calibration;
pub mod clock;
#[cfg(feature = "serial")]
pub mod connection;
pub mod emulator;
pub mod fault_words;
pub mod hello_words;
#[cfg(feature = "serial")]
pub mod live;
pub mod log;
pub mod plant;
#[cfg(feature = "serial")]
pub mod priority;
#[cfg(feature = "serial")]
pub mod recording;
pub mod replay;
pub mod script;
#[cfg(feature = "serial")]
pub mod serial;
pub mod servo;
pub mod session;
#[cfg(feature = "serial")]
pub mod sidecar;
pub mod simulated_link;
mod slewed_key;
#[cfg(feature = "serial")]
pub mod status_text;
pub mod walls;
