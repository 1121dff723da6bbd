//! The `touchback` command.

fn main() {}
