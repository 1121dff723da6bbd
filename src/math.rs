//! Numbers without piano or framework: plane vectors, root finding, tables over the compass.

pub mod cast;
pub mod compass;
pub mod kernel;
pub mod key_set;
#[cfg(target_arch = "x86_64")]
pub(crate) mod lanes;
#[cfg(target_arch = "aarch64")]
pub(crate) mod neon;
pub mod real;
pub mod trig;
pub mod vec2;
