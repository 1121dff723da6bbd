//! Files of the program and its user: plain files that are read, files and folders that are whole or
//! absent.

pub mod draft;
pub mod folder;
pub mod input;
