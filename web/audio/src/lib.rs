//! The piano in the audio worklet of a browser: one piano, whose samples and messages a script passes on.
//!
//! | module | task |
//! | --- | --- |
//! | [`node`] | the piano, its performance and its messages |
//! | `exports` | the functions that `worklet.js` calls |
//!
//! The messages are those of [`touchback_instrument::watch::monitor::remote`].

#[cfg(target_family = "wasm")]
mod exports;
pub mod node;
