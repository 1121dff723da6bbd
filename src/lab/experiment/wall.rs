//! Experiments on virtual walls, the criteria and the junctions of the source documents.

pub mod controllers;
pub mod damping;
pub mod display;
pub mod finger;
pub mod lines;
pub mod map;
pub mod unilateral;
