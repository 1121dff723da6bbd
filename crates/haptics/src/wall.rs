//! Virtual walls: sampled controllers, and walls as haptic actions.

pub mod action;
pub mod sampled;
