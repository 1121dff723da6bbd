//! The `touchback` command.

fn main() -> std::process::ExitCode {
    touchback_lab::cli::main()
}
