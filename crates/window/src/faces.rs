//! The faces of the window, and the panels on them.

pub mod bar;
pub mod face;
pub mod lesson;
pub(crate) mod manual;
pub mod panel;
