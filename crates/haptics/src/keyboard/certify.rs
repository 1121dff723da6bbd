//! Certification of a keyboard's firmware: misbehaviours of a host and tests of the law, with at most 1 N.
//!
//! The tests need nobody at the keys. All commanded forces push a key up against its rest, so that it does not move;
//! before, the servo's own first push proves that up is up. What a firmware must do is in docs/protocol.md; every
//! test names the observed figure. A keyboard that fails a test keeps the user's force off: no test is repeated with
//! more force.

mod exchange;
mod tests_of_force;
mod tests_of_messages;

use exchange::Exchange;

use crate::keyboard::hello_message;
use crate::line::conversation::Line;
use touchback_device::message::{Hello, ability};

/// Largest commanded force, N.
const FORCE: f64 = 0.5;
/// Impedance of the tests of the law, N·s/m.
const IMPEDANCE: f64 = 25.0;

/// Motion that shows a touched key, m, and number of attempts of a test.
const TOUCHED: f64 = 0.3e-3;
/// See [`TOUCHED`].
const ATTEMPTS: u32 = 8;

/// Result of one test.
#[derive(Clone, PartialEq, Debug)]
pub struct CertifyResult {
    /// What a firmware must do.
    pub claim: &'static str,
    /// What was observed, with its unit.
    pub observed: String,
    /// What is required, with its unit.
    pub required: String,
    /// Passed, failed, or none where the test does not apply to this keyboard.
    pub is_passed: Option<bool>,
}

impl CertifyResult {
    fn new(claim: &'static str, observed: String, required: &str, is_passed: bool) -> Self {
        Self { claim, observed, required: required.into(), is_passed: Some(is_passed) }
    }
}

/// Error of a certification: the line has ended, or no keyboard answers.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CertifyError {
    /// The line has ended, with its message.
    #[error("{0}")]
    Line(String),
    /// No hello and no facts within 1 s.
    #[error(
        "no hello and facts within 1 s: nothing to certify; `touchback keyboard probe` says more"
    )]
    Silent,
}

impl From<String> for CertifyError {
    fn from(message: String) -> Self {
        Self::Line(message)
    }
}

/// Runs all tests on the first key of the keyboard at `line`. With `is_force_right` false, because the servo's first
/// push has failed or was not made, the tests with force do not run.
///
/// # Errors
/// The line has ended or nothing answers.
pub fn certify<L: Line>(
    line: L,
    is_force_right: bool,
) -> Result<(Hello, Vec<CertifyResult>), CertifyError> {
    let mut exchange = Exchange::begin(line)?;
    let hello = exchange.description;
    let has_junction = hello.abilities & ability::WAVE != 0;
    let skipped = |claim, why: &str| CertifyResult {
        claim,
        observed: why.into(),
        required: String::new(),
        is_passed: None,
    };
    let mut results = Vec::new();
    for (claim, needs_waves, test) in tests_of_messages::tests() {
        results.push(if has_junction || !needs_waves {
            test(&mut exchange, claim)?
        } else {
            skipped(claim, "no wave junction")
        });
    }
    for (claim, test) in tests_of_force::tests() {
        results.push(match (has_junction, is_force_right) {
            (true, true) => untouched(&mut exchange, claim, test)?,
            (true, false) => skipped(claim, "the first push has failed"),
            (false, _) => skipped(claim, "no wave junction"),
        });
    }
    exchange.rest()?;
    Ok((hello, results))
}

/// Runs a test with force, again where the key has moved: somebody has touched it.
fn untouched<L: Line>(
    exchange: &mut Exchange<L>,
    claim: &'static str,
    test: tests_of_force::Test<L>,
) -> Result<CertifyResult, CertifyError> {
    let mut attempt = 0;
    loop {
        exchange.rest()?;
        exchange.range = None;
        let mut result = test(exchange, claim)?;
        let moved = exchange.range.map_or(0.0, |[least, most]| most - least);
        if moved < TOUCHED || result.is_passed == Some(true) {
            return Ok(result);
        }
        attempt += 1;
        if attempt == ATTEMPTS {
            result.observed +=
                &format!("; the key moved by {:.1} mm: do not touch it", moved * 1e3);
            return Ok(result);
        }
    }
}

/// A page of the results: Markdown.
#[must_use]
pub fn page(name: &str, hello: &Hello, session: &str, results: &[CertifyResult]) -> String {
    let count = |is: Option<bool>| results.iter().filter(|r| r.is_passed == is).count();
    let mut text = format!(
        "# Certificate of `{name}`\n\nProtocol {}, {} keys, {} Hz, {} µm a count; {}.\n\n{} tests passed, {} failed, {} \
         do not apply.\n\nFirst push by the servo: {session}.\n\n| a firmware must | observed | required | result |\n\
         | --- | --- | --- | --- |\n",
        hello.version,
        hello.keys,
        hello.rate_hz,
        f64::from(hello.step_nm) * 1e-3,
        hello_message::identity(hello),
        count(Some(true)),
        count(Some(false)),
        count(None)
    );
    for result in results {
        let verdict = match result.is_passed {
            Some(true) => "passed",
            Some(false) => "**failed**",
            None => "–",
        };
        text += &format!(
            "| {} | {} | {} | {verdict} |\n",
            result.claim, result.observed, result.required
        );
    }
    text
}

#[cfg(test)]
mod tests;
