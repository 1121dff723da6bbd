//! The numbers of a key: dimensions, masses, springs and frictions with their sources, and the
//! regulation that sets the screws.

pub mod concert;
pub(crate) mod concert_key;
pub mod describe;
pub mod fitted;
pub(crate) mod parts;
pub mod regulation;
pub(crate) mod sources;
pub mod spec;
pub mod string_law;
pub(crate) mod table;
pub mod thesis;
pub(crate) mod thesis_pose;
pub(crate) mod torsional;
