//! The faces of the window, and the panels on them.

pub(crate) mod bar;
pub mod face;
pub(crate) mod lesson;
pub(crate) mod manual;
pub mod page_bar;
pub(crate) mod panel;
