//! Standard gravity.

/// Standard gravity, m/s².
pub const GRAVITY: f64 = 9.806_65;
