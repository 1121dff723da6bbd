//! The `touchback` command.

fn main() -> std::process::ExitCode {
    touchback_command::cli::main(touchback_lab::experiment::STANDARD)
}
