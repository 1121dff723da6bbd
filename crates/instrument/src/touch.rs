//! Touch: what a host's notes mean in hammer speeds, and how fingers play them.

mod calibration;
pub(super) mod effort;
pub mod finger;
pub mod position;
pub mod travel_time;
pub mod velocity;
