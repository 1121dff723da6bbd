//! `touchback keyboard`: lists serial ports; probes, calibrates, certifies and emulates motorized keyboards; makes them of
//! motor controllers.

mod bridge;
mod calibrate;
mod certify;
mod emulate;
mod facts;
pub mod probe;
pub mod script;

use anyhow::Result;
use clap::Subcommand;
use serde_json::{Value, json};

use std::time::{Duration, Instant};

use touchback_haptics::keyboard::status_text;
use touchback_haptics::line::serial;
use touchback_haptics::servo;
use touchback_haptics::session::ConnectionState;
use touchback_haptics::sidecar::Sidecar;
use touchback_offline::output;

/// Longest wait for a hello, per port.
const ANSWER_TIME: Duration = Duration::from_millis(300);

/// Subcommands of `touchback keyboard`.
#[derive(Subcommand, Debug)]
pub enum KeyboardCommand {
    /// Lists the serial ports, with --ask those at which a keyboard answers
    List(ListOptions),
    /// Plays misbehaviours and tests against a keyboard's firmware, with at most 1 N, and writes a page
    Certify(certify::CertifyOptions),
    /// Reads a keyboard's description and measures the round-trip time
    Probe(probe::ProbeOptions),
    /// Measures a keyboard's keys with their own motors, at most 2 N
    Calibrate(calibrate::CalibrateOptions),
    /// Emulates a keyboard on a pseudo-terminal (prints its path), or at an address
    Emulate(emulate::EmulateOptions),
    /// Makes a keyboard of motor controllers that one can buy (prints its path)
    Bridge(bridge::BridgeOptions),
}

/// Options of `touchback keyboard list`.
#[derive(clap::Args, Debug)]
pub struct ListOptions {
    /// Opens every port and asks whether a keyboard answers; other devices receive a few bytes
    #[arg(long)]
    ask: bool,
    /// Prints a JSON array
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
///
/// # Errors
/// One line with the port, file or value, and the remedy.
pub fn run(command: &KeyboardCommand) -> Result<()> {
    match command {
        KeyboardCommand::List(options) => list(options),
        KeyboardCommand::Certify(options) => certify::run(options),
        KeyboardCommand::Probe(options) => probe::run(options),
        KeyboardCommand::Calibrate(options) => calibrate::run(options),
        KeyboardCommand::Emulate(options) => emulate::run(options),
        KeyboardCommand::Bridge(options) => bridge::run(options),
    }
}

fn list(options: &ListOptions) -> Result<()> {
    let ports = serial::list()?;
    if options.json {
        let entry = |port: &serial::PortInfo| {
            let mut entry = json!({ "port": port.path, "description": port.description });
            if options.ask {
                entry["answer"] = answer(&port.path).trim().into();
            }
            entry
        };
        let all = Value::Array(ports.iter().map(entry).collect());
        return output::print(&format!("{all:#}\n"));
    }
    if ports.is_empty() {
        return output::print(
            "no serial ports; plug the keyboard in, or try `touchback keyboard emulate`\n",
        );
    }
    let width = ports.iter().map(|p| p.path.len()).max().unwrap_or(0);
    let mut text = String::new();
    for port in &ports {
        let answer = if options.ask { answer(&port.path) } else { String::new() };
        text += &format!("{:width$}  {}{answer}\n", port.path, port.description);
    }
    output::print(&text)
}

/// What answers at a port within 0.3 s; empty where nothing does.
fn answer(path: &str) -> String {
    let mut sidecar =
        match Sidecar::start(path, "touchback keyboard list", servo::ServoOptions::default()) {
            Ok(sidecar) => sidecar,
            Err(error) => return format!("  ({error})"),
        };
    let begin = Instant::now();
    while begin.elapsed() < ANSWER_TIME {
        let status = sidecar.report().status;
        if status.state == ConnectionState::Refused {
            return format!("  a keyboard that {}", status_text::refusal(status.halt_reason));
        }
        if let Some(hello) = status.hello {
            return format!("  answers: {}, {} keys", probe::name(&hello), hello.keys);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    String::new()
}
