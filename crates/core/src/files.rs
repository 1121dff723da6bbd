//! Files of the program and its user: bounded reading of plain files, atomic writing of files, removal of new
//! folders on failure, bytes of samples.

pub mod draft;
pub mod folder;
pub mod input;
pub mod samples;
