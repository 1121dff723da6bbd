//! Virtual walls: sampled controllers, and walls as haptic actions.

pub(crate) mod action;
pub mod sampled;
