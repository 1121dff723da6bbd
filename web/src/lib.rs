//! The window of the piano as a page in a browser. The piano itself runs in the browser's audio worklet.
//!
//! | module | task |
//! | --- | --- |
//! | [`page`] | the window, and its messages from and to the piano |
//! | [`address`] | settings as a link |
//! | [`computer_keys`] | the computer's keys as piano keys |
//! | [`dropped`] | files that the user opens or drops on the page |
//! | [`reader`] | the window's controls for screen readers |
//! | `browser` | what the page's script calls |

pub mod address;
#[cfg(target_family = "wasm")]
mod browser;
pub mod computer_keys;
pub mod dropped;
pub mod page;
pub mod reader;
