//! The `touchback` command.

fn main() -> std::process::ExitCode {
    touchback::lab::cli::main()
}
