//! `touchback keyboard`: lists serial ports; probes, calibrates and emulates motorized keyboards.

mod calibrate;
mod emulate;
mod facts;
pub mod probe;
pub mod script;

use anyhow::Result;
use clap::Subcommand;

use crate::output;
use touchback_haptics::serial;

/// Subcommands of `touchback keyboard`.
#[derive(Subcommand, Debug)]
pub enum KeyboardCommand {
    /// Lists the serial ports
    List,
    /// Reads a keyboard's description and measures the round-trip time
    Probe(probe::ProbeOptions),
    /// Measures a keyboard's keys with their own motors, at most 2 N
    Calibrate(calibrate::CalibrateOptions),
    /// Emulates a keyboard on a pseudo-terminal (prints its path), or at an address
    Emulate(emulate::EmulateOptions),
}

/// Runs the subcommand.
///
/// # Errors
/// One line with the port, file or value, and the remedy.
pub fn run(command: &KeyboardCommand) -> Result<()> {
    match command {
        KeyboardCommand::List => list(),
        KeyboardCommand::Probe(options) => probe::run(options),
        KeyboardCommand::Calibrate(options) => calibrate::run(options),
        KeyboardCommand::Emulate(options) => emulate::run(options),
    }
}

fn list() -> Result<()> {
    let ports = serial::list()?;
    if ports.is_empty() {
        return output::print(
            "no serial ports; plug the keyboard in, or try `touchback keyboard emulate`\n",
        );
    }
    let width = ports.iter().map(|p| p.path.len()).max().unwrap_or(0);
    let line = |p: &serial::PortInfo| format!("{:width$}  {}\n", p.path, p.description);
    output::print(&ports.iter().map(line).collect::<String>())
}
