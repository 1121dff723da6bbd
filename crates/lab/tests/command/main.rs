//! The command as scripts see it.

mod command_line;
mod desk;
mod felt;
mod files;
mod laboratory;
mod own_numbers;
mod simulated;
