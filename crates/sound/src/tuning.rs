//! Tuning: the strings of every key, scales and temperaments.

pub mod scala;
pub mod scale;
pub mod stretch;
pub mod temperament;
