//! The work of the `touchback` command.
