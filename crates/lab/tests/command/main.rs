//! The built program on its command line.

mod command_line;
mod files;
mod haptic_session;
mod laboratory;
mod own_numbers;
mod simulated;
mod work_folder;
