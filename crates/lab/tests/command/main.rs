//! The command as scripts see it.

mod command_line;
mod files;
mod haptic_session;
mod laboratory;
mod own_numbers;
mod simulated;
mod work_folder;
