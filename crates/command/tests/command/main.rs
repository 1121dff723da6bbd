//! The built program on its command line, and its readers of files.

mod bridge;
mod command_line;
mod corpora;
mod damaged_files;
mod files;
mod haptic_session;
mod inputs;
mod laboratory;
mod own_numbers;
mod simulated;
mod streams;
mod work_folder;
