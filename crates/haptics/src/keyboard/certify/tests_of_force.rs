//! Tests with at most 0.5 N up against the rest: the law, the filters, the limits.

use super::exchange::{Exchange, LEAD_US, between};
use super::tests_of_messages::OWN_LIMITS;
use super::{CertifyError, CertifyResult, FORCE, IMPEDANCE};
use crate::line::conversation::Line;
use touchback_device::fixed::since;
use touchback_device::message::{
    Config, FORCE as FORCE_UNIT, IMPEDANCE as IMPEDANCE_UNIT, POSITION, StateMessage, WAVE,
};

/// A test on an exchange.
pub type Test<L> = fn(&mut Exchange<L>, &'static str) -> Result<CertifyResult, CertifyError>;

/// All tests with force, by their claims.
pub const fn tests<L: Line>() -> [(&'static str, Test<L>); 6] {
    [
        ("raise the impedance by 250 N·s/m per second", impedance),
        ("report the wave integral of the law", integral),
        ("report the applied force", force),
        ("play a command at its time", play_out),
        ("let a force decay that is not renewed", decay),
        ("obey a tighter limit of force", limit),
    ]
}

fn force_of(state: &StateMessage) -> f64 {
    f64::from(state.keys.as_slice().first().map_or(0, |key| key.force)) * FORCE_UNIT
}

fn impedance<L: Line>(
    e: &mut Exchange<L>,
    claim: &'static str,
) -> Result<CertifyResult, CertifyError> {
    e.ready(&OWN_LIMITS)?;
    let seen = e.hold(0.25, 0.0, IMPEDANCE)?;
    let z = |s: &StateMessage| f64::from(Exchange::<L>::key(s).impedance) * IMPEDANCE_UNIT;
    let at = |level: f64| seen.iter().find(|(_, s)| z(s) >= level).map(|(_, s)| *s);
    let (slope, end) = match (at(5.0), at(20.0)) {
        (Some(low), Some(high)) => {
            ((z(&high) - z(&low)) / between(&low, &high).max(1e-6), z(&seen[seen.len() - 1].1))
        }
        _ => (0.0, 0.0),
    };
    Ok(CertifyResult::new(
        claim,
        format!("{slope:.0} N·s/m per second, to {end} N·s/m"),
        "225 to 275, to 25",
        (225.0..=275.0).contains(&slope) && end == IMPEDANCE,
    ))
}

fn integral<L: Line>(
    e: &mut Exchange<L>,
    claim: &'static str,
) -> Result<CertifyResult, CertifyError> {
    e.ready(&OWN_LIMITS)?;
    e.hold(0.2, FORCE, IMPEDANCE)?;
    let seen = e.hold(0.2, FORCE, IMPEDANCE)?;
    let share = match (seen.first(), seen.last()) {
        (Some((_, a)), Some((_, b))) => {
            let (first, last) = (Exchange::<L>::key(a), Exchange::<L>::key(b));
            let grown = f64::from(last.wave_sum.wrapping_sub(first.wave_sum)) * WAVE;
            let root = (2.0 * IMPEDANCE).sqrt();
            let moved = (f64::from(last.x) - f64::from(first.x)) * POSITION;
            grown / (root * moved + FORCE * between(a, b) / root)
        }
        _ => 0.0,
    };
    Ok(CertifyResult::new(
        claim,
        format!("{share:.4} times the law's under {FORCE} N for 0.2 s"),
        "0.98 to 1.02",
        (0.98..=1.02).contains(&share),
    ))
}

fn force<L: Line>(e: &mut Exchange<L>, claim: &'static str) -> Result<CertifyResult, CertifyError> {
    e.ready(&OWN_LIMITS)?;
    e.hold(0.1, FORCE, 0.0)?;
    let seen = e.hold(0.1, FORCE, 0.0)?;
    let mean = seen.iter().map(|(_, s)| force_of(s)).sum::<f64>() / seen.len().max(1) as f64;
    Ok(CertifyResult::new(
        claim,
        format!("{mean:.3} N of {FORCE} N"),
        "within 10 %",
        (mean / FORCE - 1.0).abs() <= 0.1,
    ))
}

fn play_out<L: Line>(
    e: &mut Exchange<L>,
    claim: &'static str,
) -> Result<CertifyResult, CertifyError> {
    e.ready(&OWN_LIMITS)?;
    e.hold(0.05, 0.0, IMPEDANCE)?;
    let before = e.last.map_or(0, |s| s.t_us);
    // The first command with force plays the lead after the newest state.
    let due = before.wrapping_add(LEAD_US);
    let seen = e.hold(0.05, FORCE, 0.0)?;
    let began = seen.iter().find(|(_, s)| force_of(s) > 0.1 * FORCE);
    let late = began.map_or(f64::INFINITY, |(_, s)| f64::from(since(s.t_us, due)) * 1e-3);
    Ok(CertifyResult::new(
        claim,
        format!("force in a state {late:.2} ms after its play-out time"),
        "0 to 3 ms: the report interval, the filter and the next state's answer",
        (0.0..=3.0).contains(&late),
    ))
}

fn decay<L: Line>(e: &mut Exchange<L>, claim: &'static str) -> Result<CertifyResult, CertifyError> {
    e.ready(&OWN_LIMITS)?;
    e.hold(0.1, FORCE, 0.0)?;
    let sent = e.last.map_or(0, |s| s.t_us);
    let seen = e.collect(0.025)?;
    // Held until the lead and 3 ms have passed, then a time constant of 5 ms.
    let at = LEAD_US + 3000 + 7500;
    let left = seen.iter().find(|(_, s)| since(s.t_us, sent) >= at.cast_signed());
    let share = left.map_or(f64::INFINITY, |(_, s)| force_of(s) / FORCE);
    Ok(CertifyResult::new(
        claim,
        format!("{share:.2} of it 16.5 ms after the last answered state"),
        "at most 0.4",
        share.abs() <= 0.4,
    ))
}

fn limit<L: Line>(e: &mut Exchange<L>, claim: &'static str) -> Result<CertifyResult, CertifyError> {
    e.ready(&Config { force_max: 20, ..OWN_LIMITS })?;
    let seen = e.hold(0.1, FORCE, 0.0)?;
    let most = seen.iter().map(|(_, s)| force_of(s).abs()).fold(0.0, f64::max);
    e.rest()?;
    e.ready(&OWN_LIMITS)?;
    Ok(CertifyResult::new(
        claim,
        format!("{most:.3} N with a limit of 0.2 N and {FORCE} N commanded"),
        "0.15 to 0.21 N",
        (0.15..=0.21).contains(&most),
    ))
}
