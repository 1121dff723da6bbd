//! The equations of motion: kinematics, contacts, friction, dynamics, and the time step of one key or of
//! several keys in lanes.

pub mod contact;
pub mod drive;
pub(crate) mod dynamics;
pub(crate) mod elements;
pub mod energy;
pub mod evaluation;
pub(crate) mod friction;
pub mod held_friction;
pub mod jack;
pub mod kinematics;
pub(crate) mod lane_group;
pub(crate) mod lanes;
pub(crate) mod load_rates;
pub(crate) mod mobility;
pub mod model;
pub(crate) mod phase;
pub mod precomputed;
pub mod stability;
pub mod step;
pub(crate) mod substeps;
