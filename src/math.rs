//! Numbers without piano or framework: plane vectors, root finding, tables over the compass.

pub mod cast;
pub mod compass;
pub mod trig;
pub mod vec2;
