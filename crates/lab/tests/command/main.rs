//! The command as scripts see it.

mod command_line;
mod felt;
mod laboratory;
