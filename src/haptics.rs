//! Motorized keyboards: what is said over the wire, the device half, and the host half.
//!
//! | module | part | runs on |
//! | --- | --- | --- |
//! | [`message`], [`frame`], [`fixed`] | the protocol (docs/protocol.md) | device and host, no heap |
//! | [`device`] | junction, limits, watchdog, key bed, energy guard | device, no heap |

pub mod device;
pub mod fixed;
pub mod frame;
pub mod message;
