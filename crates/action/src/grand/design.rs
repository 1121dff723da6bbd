//! The numbers of a key: dimensions, masses, springs and frictions with their sources, and what its
//! regulation makes of them.

pub mod concert;
pub mod describe;
pub mod fitted;
pub mod regulation;
pub mod spec;
pub mod string_law;
pub mod thesis;
