//! Files of the program and its user: bounded reading of plain files, atomic writing of files, removal of new
//! folders on failure.

pub mod draft;
pub mod folder;
pub mod input;
