//! `touchback keyboard certify`: tests a keyboard's firmware and writes a page.

use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use serde_json::json;

use super::calibrate::Wire;
use super::probe;
use touchback_device::message::ability;
use touchback_haptics::keyboard::script::Script;
use touchback_haptics::keyboard::{certify, status_text};
use touchback_haptics::line::serial::SerialLink;
use touchback_haptics::servo::ServoOptions;
use touchback_haptics::session::ConnectionState;
use touchback_haptics::sidecar::{Sidecar, SidecarOrder};
use touchback_offline::interrupt;
use touchback_offline::output::{self, Draft};
use touchback_offline::paths::{OutputFile, PortName};

/// Longest wait for the first pushes.
const SESSION_TIME: Duration = Duration::from_secs(4);

/// Options of `touchback keyboard certify`.
#[derive(clap::Args, Debug)]
pub struct CertifyOptions {
    /// Serial port from `touchback keyboard list`, or `emulator`
    #[arg(value_name = "PORT")]
    port: PortName,
    /// Writes the page of results
    #[arg(short, long, value_name = "PAGE.md")]
    output: Option<OutputFile>,
    /// Prints JSON in place of the page
    #[arg(long)]
    json: bool,
}

/// Tests, prints the page and writes it.
///
/// # Errors
/// A port that cannot be opened, a keyboard that does not answer, a file that cannot be written, or a failed test
/// (after the page).
pub fn run(options: &CertifyOptions) -> Result<()> {
    let draft = options.output.as_deref().map(Draft::create).transpose()?;
    interrupt::watch()?;
    let (port, _emulated) = probe::port_played(&options.port, Script::default())?;
    output::warn("at most 1 N, 15 s; keep hands off the keys; Ctrl-C ends");
    let (session, is_right) = first_push(&port)?;
    let link = SerialLink::open(&port, "touchback keyboard certify", Duration::from_millis(1))?;
    let mut wire = Wire { port: link, begin: Instant::now() };
    let certified = certify::certify(&mut wire, is_right);
    let (hello, results) = certified.map_err(|error| anyhow!("{}: {error}", options.port))?;
    let page = certify::page(&probe::name(&hello), &hello, &session, &results);
    if let Some(draft) = draft {
        draft.write_all(page.as_bytes())?;
        draft.keep()?;
    }
    if options.json {
        let tests = results.iter().map(|result| {
            json!({
                "claim": result.claim,
                "observed": result.observed,
                "required": result.required,
                "is_passed": result.is_passed,
            })
        });
        let tests: Vec<_> = tests.collect();
        let all = json!({ "name": probe::name(&hello), "first_push": session, "tests": tests });
        output::print(&format!("{all:#}\n"))?;
    } else {
        output::print(&page)?;
    }
    let failed = results.iter().filter(|result| result.is_passed == Some(false)).count();
    match (is_right, failed) {
        (true, 0) => Ok(()),
        (false, 0) => Err(anyhow!("{}: the first push has failed: {session}", options.port)),
        (_, failed) => Err(anyhow!("{}: {failed} tests failed", options.port)),
    }
}

/// Lets the servo verify the keyboard as in every session. Returns its text, and whether every key has proven
/// itself.
fn first_push(port: &str) -> Result<(String, bool)> {
    let mut sidecar = Sidecar::start(port, "touchback keyboard certify", ServoOptions::default())?;
    let hello = probe::wait(port, &mut sidecar, Duration::from_secs(3))?;
    if hello.abilities & (ability::WAVE | ability::TORQUE) == 0 {
        return Ok(("not made: no motors".into(), true));
    }
    sidecar.order(SidecarOrder::Arm(true));
    let begin = Instant::now();
    let mut was_live = false;
    while begin.elapsed() < SESSION_TIME && !interrupt::was_received() {
        std::thread::sleep(Duration::from_millis(10));
        let report = *sidecar.report();
        let status = &report.status;
        was_live |= status.state == ConnectionState::Live;
        let is_proven = was_live && status.lead_us > 0 && status.waiting.is_none();
        if is_proven && status.state == ConnectionState::Live {
            return Ok((format!("passed, with a lead of {} µs", status.lead_us), true));
        }
        if matches!(status.state, ConnectionState::Halted | ConnectionState::Refused) {
            return Ok((status_text::connection(&report), false));
        }
    }
    Ok((status_text::connection(sidecar.report()), false))
}
