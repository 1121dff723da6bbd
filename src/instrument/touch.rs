//! Touch: what a host's notes mean in hammer speeds, and how fingers play them.

pub mod finger;
pub mod velocity;
