//! Numbers without piano or framework: plane vectors, tables over the compass, random numbers, the
//! line through points.

pub mod cast;
pub mod compass;
pub mod kernel;
pub mod key_set;
#[cfg(target_arch = "x86_64")]
mod lanes;
pub mod line;
#[cfg(target_arch = "aarch64")]
mod neon;
pub mod power;
pub mod random;
pub mod range;
pub mod real;
pub mod trig;
pub mod vec2;
