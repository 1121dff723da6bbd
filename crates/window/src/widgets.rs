//! Parts of faces: controls, meters, icons, colours.

pub mod bench_sheet;
pub mod control;
pub mod gauge;
pub(crate) mod hand;
pub mod icon;
pub mod levels;
pub mod path_field;
pub mod pedals;
pub mod theme;
pub mod transport;
