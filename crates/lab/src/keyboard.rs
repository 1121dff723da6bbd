//! `touchback keyboard`: which serial ports there are, what a keyboard says of itself, and a
//! keyboard without hardware.

mod calibrate;
mod emulate;
mod facts;
pub mod probe;
pub mod script;

use anyhow::Result;
use clap::Subcommand;

use crate::output;
use touchback_haptics::serial;

/// What to do.
#[derive(Subcommand, Debug)]
pub enum KeyboardCommand {
    /// Lists the serial ports there are
    List,
    /// Asks a keyboard what it is and times the way there and back
    Probe(probe::ProbeOptions),
    /// Measures a keyboard's keys by their own motors, with 2 N at most
    Calibrate(calibrate::CalibrateOptions),
    /// Emulates a keyboard on a pseudo-terminal, whose path it prints, or at an address
    Emulate(emulate::EmulateOptions),
}

/// Does it.
///
/// # Errors
/// One line naming the port, file or value and the remedy.
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
