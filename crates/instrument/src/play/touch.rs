//! Touch: from a host's notes to hammer speeds and to the motions of fingers.

mod calibration;
pub(crate) mod effort;
pub mod finger;
pub mod position;
pub(crate) mod travel_time;
pub(crate) mod velocity;
