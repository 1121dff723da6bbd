//! Pictures of the instrument: the moving action, its keys, its curves.

pub mod action_view;
pub mod drawing;
pub mod hammer_row;
pub mod key_curve;
pub mod keyboard;
pub mod other_view;
pub(crate) mod plot;
pub mod scope;
pub mod state_graph;
pub mod velocity_curve;
